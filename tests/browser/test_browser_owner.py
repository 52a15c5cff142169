"""The owner logs in, watches and controls a real crawl, and manages the rest."""

from __future__ import annotations

import pytest
from browsed_web import web
from conftest import served

from gossamer import Engine
from gossamer.config import ServeSettings
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.serve.owner_pages.base import owned
from gossamer.serve.searchable import QueryCounting

DELAY = 1.5  # seconds between two requests to a host: the crawl lasts long enough to be watched
TOML = """
[fetch]
host_overrides = ["*.test=127.0.0.1:{port}"]
[frontier]
delay = {delay}
[extract]
workers = 1
[serve]
query_log = true
"""
PATIENCE, STEP = 60_000, 100  # milliseconds
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def house(tmp_path):
    """The address of a server over an empty collection, whose crawls find the small web on this machine."""
    folder = tmp_path / "c"
    folder.mkdir()
    with LoopbackServer(web()) as small:
        (folder / "gossamer.toml").write_text(TOML.format(port=small.port, delay=DELAY))
        with Engine.open(folder, create=True) as engine:
            settings = ServeSettings(submissions=True, reports=True, timeout=60.0)
            with served(QueryCounting(engine, engine.query_log), settings, owned(engine)) as root:
                yield engine, root
            end(engine)


def end(engine):
    """No crawl outlives its test."""
    if engine.steering.is_running:
        engine.steering.resume()
        engine.steering.stop()


def log_in(watched, engine):
    page = watched.go("/owner")
    page.locator("#token").fill((engine.directory / "owner" / "token").read_text().strip())
    page.keyboard.press("Enter")
    page.wait_for_url("**/owner")
    return page


def until(page, condition):
    """Waits in steps: to wait for a condition, the page would evaluate it, which its policy forbids."""
    for _ in range(PATIENCE // STEP):
        if condition():
            return
        page.wait_for_timeout(STEP)
    pytest.fail("it did not come about")


def said(page):
    return page.locator("[data-said]").inner_text()


def figure(page, name):
    return int(page.locator(f"[data-figure={name}]").inner_text().replace(",", "") or 0)


def test_a_live_crawl_is_started_watched_paused_and_ended(opened, house):
    engine, root = house
    watched = opened(root)
    page = log_in(watched, engine)
    assert "There has been no crawl yet." in page.locator(".state").inner_text()
    page.locator("#seeds").fill("http://cats.test/\nhttp://cars.test/")
    page.get_by_role("button", name="Start crawl").click()
    page.wait_for_url("**/owner?done=started")
    # The script keeps the figures fresh: nothing is reloaded from here on.
    page.evaluate("window.same = true")
    until(page, lambda: figure(page, "live_pages") >= 4)
    assert "Running since" in page.locator(".state").inner_text()
    until(page, lambda: page.locator("[data-line]").get_attribute("d").startswith("M0"))
    assert page.evaluate("window.same")
    page.get_by_role("button", name="Pause").click()
    page.wait_for_url("**/owner?done=paused")
    until(page, lambda: said(page).startswith("Paused") and figure(page, "live_active") == 0)
    resting = figure(page, "live_pages")
    page.get_by_role("button", name="Resume").click()
    page.wait_for_url("**/owner?done=resumed")
    until(page, lambda: figure(page, "live_pages") > resting)
    page.locator("#seeds").fill("http://katzen.test/")
    page.get_by_role("button", name="Add seeds").click()
    page.wait_for_url("**/owner?done=seeds")
    until(page, lambda: figure(page, "live_hosts") == 3)
    page.get_by_role("button", name="Stop").click()
    page.wait_for_url("**/owner?done=stopped")
    until(page, lambda: said(page).startswith("No crawl is running"))
    assert page.get_by_role("button", name="Start crawl").is_visible()
    assert page.get_by_role("button", name="Pause").is_hidden()
    assert "Der Jaguar" in watched.go("/search?q=jaguar+lang:de").locator(".hits").inner_text()
    assert watched.complaints == []


def test_all_of_it_without_a_script(opened, house):
    engine, root = house
    page = log_in(opened(root, java_script_enabled=False), engine)
    page.locator("#seeds").fill("http://notes.test/")
    page.get_by_role("button", name="Start crawl").click()
    page.wait_for_url("**/owner?done=started")
    while "No crawl is running" not in page.locator(".state").inner_text():
        page.wait_for_timeout(200)
        page.get_by_role("link", name="Reload").click()
    assert figure(page, "live_pages") == 2
    page.get_by_role("link", name="Health").click()
    assert page.locator("svg rect.alive").count() > 2
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url(f"{root}/")
    page.goto(f"{root}/owner")
    assert page.locator("#token").is_visible()


def test_by_keyboard_alone(opened, house):
    engine, root = house
    page = log_in(opened(root), engine)
    order = []
    for _ in range(16):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.textContent.trim() || document.activeElement.id"))
    assert order[:3] == ["Skip to content", "Gossamer", "Crawl"]
    assert order[order.index("Health") + 1] == "Log out"
    assert "seeds" in order
    assert order.index("seeds") < order.index("continuous") < order.index("Start crawl")
    page.locator(".rooms a", has_text="Sites").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/owner/sites")
    page.locator("#block").focus()
    page.keyboard.type("spam.test")
    page.keyboard.press("Enter")
    page.wait_for_url("**/owner/sites?done=blocked")
    page.get_by_role("button", name="Unblock spam.test").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/owner/sites?done=cleared")
    assert engine.sites.rules() == ()


def test_a_wrong_token_is_told_and_the_field_is_ready_again(opened, house):
    _, root = house
    page = opened(root).go("/owner")
    page.locator("#token").fill("nothing like it, but just as long as one")
    page.keyboard.press("Enter")
    assert page.get_by_role("alert").inner_text() == "Wrong token."
    assert page.evaluate("document.activeElement.id") == "token"


def test_a_stranger_s_page_cannot_steer(opened, house):
    """Its form is sent by the owner's own browser, cookie or not: nothing happens."""
    engine, root = house
    watched = opened(root)
    page = log_in(watched, engine)
    field = page.locator("main [name=owner]").first.get_attribute("value")
    evil = (
        f"<form id=f method=post action='{root}/owner'><input name=do value=pause>"
        f"<input name=owner value={field}></form><script>document.getElementById('f').submit()</script>"
    )
    page.route("http://evil.test/", lambda route: route.fulfill(body=evil, content_type="text/html"))
    with page.expect_response(f"{root}/owner") as sent:
        page.goto("http://evil.test/", wait_until="commit")
    assert sent.value.status == 403
    assert not engine.steering.is_paused


def test_the_session_is_out_of_reach_of_scripts(opened, house):
    engine, root = house
    page = log_in(opened(root), engine)
    assert page.evaluate("document.cookie") == ""
    (cookie,) = page.context.cookies(f"{root}/owner")
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/owner")
    assert page.context.cookies(f"{root}/search") == []


@pytest.mark.parametrize("room", ["", "/sites", "/reports", "/submissions", "/queries", "/health"])
def test_no_page_scrolls_sideways_on_a_phone(opened, house, room):
    engine, root = house
    engine.sites.block("a-very-long-host-name-that-somebody-has-chosen-to-annoy-people.with-more.example")
    engine.reports.add(
        "http://a-very-long-host-name-of-somebody.example/" + "a" * 300, "spam", "q" * 200, "n" * 500
    )
    engine.submissions.add("http://b.example/" + "b" * 300)
    engine.query_log.note("w" * 150, False)
    watched = opened(root, viewport=PHONE)
    log_in(watched, engine)
    page = watched.go(f"/owner{room}")
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
