"""Chromium, a served engine, and pages that tell when anything of a stranger's runs in them.

Without Chromium these tests are skipped with a loud line; with GOSSAMER_BROWSER=required they fail instead.
"""

from __future__ import annotations

import os
import shutil
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import uvicorn
from browsed_web import web
from fake_engine import FakeEngine

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedTransport
from gossamer.serve.app import create_app
from gossamer.serve.server import bind

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REQUIRED = os.environ.get("GOSSAMER_BROWSER") == "required"
MISSING = "NO BROWSER TESTS: there is no Chromium (on Debian: apt install chromium), or no playwright"
SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
PATIENCE = 60_000  # milliseconds


def missing() -> str:
    """Why no browser can be driven; "" where one can."""
    found = os.environ.get("GOSSAMER_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    try:
        import axe_playwright_python  # noqa: F401
        import playwright  # noqa: F401
    except ImportError:
        return MISSING
    return "" if found else MISSING


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    why = missing()
    own = [item for item in items if item.path.parent.name == "browser"]
    if not (why and own):
        return
    if REQUIRED:
        raise pytest.UsageError(f"{why}; GOSSAMER_BROWSER=required insists")
    for item in own:
        item.add_marker(pytest.mark.skip(reason=why))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    if any(MISSING in str(report.longrepr) for report in skipped):
        terminalreporter.write_sep("!", MISSING, red=True, bold=True)


@contextmanager
def served(engine, settings=None, owned=None) -> Iterator[str]:
    """The address of a server over an engine, in a thread of its own."""
    with bind("127.0.0.1", 0) as listener:
        app = create_app(engine, settings, owned)
        config = uvicorn.Config(app, log_level="error", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def browser():
    """Ended with its file: as long as it runs, nothing else in this thread can have an event loop."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("GOSSAMER_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)))
    options = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's own does not work for root
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=options)
        yield chromium
        chromium.close()


class Watched:
    """A page of the browser, and whatever it complained of or ran that it should not have."""

    def __init__(self, page, root: str) -> None:
        self.page, self.root = page, root
        self.complaints: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("dialog", self._dialog)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("console", self._console)

    def _dialog(self, dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _console(self, message) -> None:
        # A server that suggests nothing is no fault.
        if "/api/suggest" not in message.location.get("url", ""):
            self.complaints.append(f"console: {message.text}")

    def go(self, path: str):
        self.page.goto(self.root + path)
        return self.page


@pytest.fixture
def opened(browser):
    """Opens a page; options are those of a browser's context: color_scheme, viewport, java_script_enabled."""
    contexts = []

    def make(root: str, **options) -> Watched:
        context = browser.new_context(locale=options.pop("locale", "en-GB"), **options)
        contexts.append(context)
        return Watched(context.new_page(), root)

    yield make
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    """The address of a server over a small collection that was really crawled."""
    folder = tmp_path_factory.mktemp("browsed") / "c"
    with ThreadPoolExecutor(1) as elsewhere:  # a crawl has its own event loop
        engine = elsewhere.submit(crawled, folder).result()
    with engine, served(engine) as root:
        yield root


def crawled(folder) -> Engine:
    with Engine.open(folder, create=True, settings=SETTINGS) as engine:
        engine.crawl([f"http://{host}/" for host in web().hosts], transport=ScriptedTransport(web()))
        engine.rank()
    return Engine.open(folder, settings=SETTINGS)


@pytest.fixture(scope="module")
def fake():
    """A server over an engine that says what a test makes it say."""
    engine = FakeEngine()
    with warnings.catch_warnings(), served(engine) as root:
        yield engine, root
