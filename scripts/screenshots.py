"""Pictures of the search page over a collection: python scripts/screenshots.py COLLECTION FOLDER."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from pathlib import Path

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright

from gossamer import Engine
from gossamer.serve.app import create_app
from gossamer.serve.run import bind

DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
BLACK_PANTHER = "/search?q=black+panther"


def main(collection: Path, folder: Path) -> None:
    """Serves the collection for as long as the pictures take."""
    with Engine.open(collection) as engine, bind("127.0.0.1", 0) as listener:
        server = uvicorn.Server(uvicorn.Config(create_app(engine), log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        engine.warm_up()
        engine.search("jaguar", facets=True)  # pictures show how long searches take, not how long they load
        try:
            take_all(f"http://127.0.0.1:{listener.getsockname()[1]}", folder)
        finally:
            server.should_exit = True
            thread.join()


def take_all(root: str, folder: Path) -> None:
    path = shutil.which("chromium") or shutil.which("google-chrome")
    options = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=options)
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
        browser.close()


def opened(browser: Browser, address: str, more: dict[str, object]) -> Page:
    page: Page = browser.new_context(**{"viewport": DESK, "locale": "en-GB", **more}).new_page()
    page.goto(address)
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
    page.get_by_role("link", name="Stored copy").first.click()
    page.frame_locator("iframe").locator("mark").first.wait_for()
    page.screenshot(path=path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
