"""Pictures of the search page and of the owner's over the demo's collection.

python scripts/screenshots.py COLLECTION FOLDER
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from gossamer import Engine
from gossamer.config import ServeSettings
from gossamer.demo.bundled_web import PORT, SEEDS, demo_web
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.serve.app import create_app
from gossamer.serve.owner_pages.base import owned
from gossamer.serve.server import bind

DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
BLACK_PANTHER = "/search?q=black+panther"
SLOWLY = f"""
[crawl]
depth = 5
[fetch]
host_overrides = ["*.localhost=127.0.0.1:{PORT}"]
[frontier]
delay = 1.5
"""
OPEN = ServeSettings(submissions=True, reports=True, timeout=60.0)
AS_THE_DEMO = {"answers": {"places": False}}  # it comes without the gazetteer, which the tests have
WATCHED = 25_000  # milliseconds of a crawl, so that its line has a shape


def main(collection: Path, folder: Path) -> None:
    """Serves the collection for as long as the pictures take, then a crawl of the demo web as it runs."""
    with Engine.open(collection, settings=AS_THE_DEMO) as engine:
        engine.warm_up()
        engine.search("jaguar", facets=True)  # pictures show how long searches take, not how long they load
        with served(engine, ServeSettings()) as root, chromium() as browser:
            take_all(browser, root, folder)
        with served(engine, OPEN) as root, chromium() as browser:
            opened(browser, f"{root}/submit", {}).screenshot(path=folder / "submit.png")
            health(browser, root, engine, folder / "health.png")
    with tempfile.TemporaryDirectory() as place, LoopbackServer(demo_web(), PORT):
        (Path(place) / "gossamer.toml").write_text(SLOWLY)
        with Engine.open(place, create=True) as engine, served(engine, OPEN) as root, chromium() as browser:
            live(browser, root, engine, folder / "owner.png")


@contextmanager
def served(engine: Engine, settings: ServeSettings) -> Iterator[str]:
    """The address of a server over an engine."""
    with bind("127.0.0.1", 0) as listener:
        app = create_app(engine, settings, owned(engine))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def chromium() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("google-chrome")
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=options)
        yield browser
        browser.close()


def take_all(browser: Browser, root: str, folder: Path) -> None:
    for name, address, more in (
        ("start", "/", {}),
        ("results", "/search?q=jaguar+-car", {}),
        ("groups", "/search?q=jaguar", {}),
        ("dark", "/search?q=jaguar+-car", {"color_scheme": "dark"}),
        ("phone", BLACK_PANTHER, {"viewport": PHONE, "device_scale_factor": 2}),
    ):
        opened(browser, root + address, more).screenshot(path=folder / f"{name}.png")
    menu(browser, root, folder / "menu.png")
    explained(browser, root, folder / "why.png")
    copy(browser, root, folder / "copy.png")


def opened(browser: Browser, address: str, more: dict[str, object]) -> Page:
    page: Page = browser.new_context(**{"viewport": DESK, "locale": "en-GB", **more}).new_page()
    page.goto(address)
    page.reload()  # the second time shows how long a search takes that was warmed up
    return page


def menu(browser: Browser, root: str, path: Path) -> None:
    page = opened(browser, root + BLACK_PANTHER, {})
    page.locator(".about summary").nth(1).click()
    page.screenshot(path=path)


def explained(browser: Browser, root: str, path: Path) -> None:
    page = opened(browser, f"{root}{BLACK_PANTHER}&explain=true", {})
    page.screenshot(path=path)


def copy(browser: Browser, root: str, path: Path) -> None:
    page = opened(browser, root + BLACK_PANTHER, {})
    page.locator(".about summary").first.click()
    page.get_by_role("link", name="Cached page").first.click()
    page.frame_locator("iframe").locator("mark").first.wait_for()
    page.screenshot(path=path)


def logged_in(browser: Browser, root: str, engine: Engine) -> Page:
    page = opened(browser, f"{root}/owner", {})
    page.locator("#token").fill((engine.directory / "owner" / "token").read_text().strip())
    page.keyboard.press("Enter")
    page.wait_for_url("**/owner")
    return page


def health(browser: Browser, root: str, engine: Engine, path: Path) -> None:
    page = logged_in(browser, root, engine)
    page.goto(f"{root}/owner/health")
    page.get_by_role("button", name="Analyse the graph").click()
    while not page.locator(".tie").count():
        page.wait_for_timeout(500)
        page.goto(f"{root}/owner/health")
    page.screenshot(path=path, full_page=True)


def live(browser: Browser, root: str, engine: Engine, path: Path) -> None:
    page = logged_in(browser, root, engine)
    page.locator("#seeds").fill("\n".join(SEEDS))
    page.get_by_role("button", name="Start crawl").click()
    page.wait_for_url("**/owner?done=started")
    page.goto(f"{root}/owner")
    page.wait_for_timeout(WATCHED)
    page.screenshot(path=path, full_page=True)
    page.get_by_role("button", name="Stop").click()
    while engine.steering.is_running:
        page.wait_for_timeout(500)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
