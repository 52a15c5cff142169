"""Visitors submit a site and report a result: the browser solves the task; their text never runs."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from urllib.parse import quote

import pytest
from conftest import served
from fake_engine import FakeEngine, hit
from fake_owned import RUNNING, fake_owned
from payloads import payloads
from test_browser_access import LEVELS

from gossamer.config import ServeSettings

RESULT = "https://example.org/cats"
BOTH = ServeSettings(submissions=True, reports=True)
ROOMS = ["", "/sites", "/reports", "/submissions", "/queries", "/health"]
PAYLOADS = payloads()


@pytest.fixture
def desk(tmp_path):
    owned = fake_owned(tmp_path)
    with served(FakeEngine([hit(RESULT)]), BOTH, owned) as root:
        yield owned, root


def log_in(page, owned, root):
    page.goto(f"{root}/owner/log-in")
    page.locator("#token").fill(owned.token.path.read_text().strip())
    page.keyboard.press("Enter")
    page.wait_for_url("**/owner")


def test_a_site_is_submitted_after_the_work(opened, desk):
    owned, root = desk
    watched = opened(root)
    page = watched.go("/")
    page.get_by_role("link", name="Submit a site").click()
    page.wait_for_url("**/submit")  # and until its script has run: who sends earlier is asked to do the work
    page.locator("#url").fill("new.example")
    page.keyboard.press("Enter")
    page.wait_for_url("**/submit?sent=true")
    assert "Thank you." in page.locator("main").inner_text()
    assert [one.url for one in owned.submissions.open_ones()] == ["https://new.example/"]
    assert watched.complaints == []


def test_a_result_is_reported_from_its_menu(opened, desk):
    owned, root = desk
    watched = opened(root)
    page = watched.go("/search?q=cats")
    page.locator(".about summary").click()
    page.get_by_role("link", name="Report this result").click()
    page.wait_for_url("**/report?*")
    page.get_by_label("Misleading").check()
    page.locator("#note").fill("It is about dogs.")
    page.get_by_role("button", name="Report").click()
    page.wait_for_url("**/report?sent=true")
    (report,) = owned.reports.open_ones()
    assert (report.url, report.query, report.reason, report.note) == (
        RESULT,
        "cats",
        "misleading",
        "It is about dogs.",
    )
    assert watched.complaints == []


def test_where_there_are_no_workers_the_page_does_the_work_in_slices(opened, desk):
    owned, root = desk
    watched = opened(root)
    watched.page.add_init_script("delete window.Worker")
    page = watched.go("/submit")
    page.locator("#url").fill("slices.example")
    page.keyboard.press("Enter")
    page.wait_for_url("**/submit?sent=true")
    assert len(owned.submissions.open_ones()) == 1


def test_without_a_script_a_terminal_does_the_work(opened, desk):
    owned, root = desk
    page = opened(root, java_script_enabled=False).go("/submit")
    page.locator("#url").fill("terminal.example")
    command = page.locator(".terminal code").inner_text()
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    page.locator("#solution").fill(ran.stdout.strip())
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url("**/submit?sent=true")
    assert [one.url for one in owned.submissions.open_ones()] == ["https://terminal.example/"]


def test_a_script_that_is_blocked_leaves_the_terminal(opened, desk):
    _, root = desk
    watched = opened(root)
    watched.page.route("**/work.js", lambda route: route.abort())
    page = watched.go("/submit")
    page.locator("#url").fill("blocked.example")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    assert page.locator(".terminal").is_visible()
    assert page.locator("#url").input_value() == "blocked.example"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_forms_and_owner_s_pages(opened, desk, scheme):
    from axe_playwright_python.sync_playwright import Axe

    owned, root = desk
    owned.reports.add(RESULT, "spam", "cats", "not about cats")
    owned.submissions.add("https://b.example/")
    owned.sites.block("spam.example")
    owned.sites.boost("good.example", 2)
    owned.queries.note("catz", False)
    page = opened(root, color_scheme=scheme).page
    addresses = ["/submit", f"/report?url={RESULT}", "/submit?sent=true", "/owner/log-in"]
    for address in [*addresses, *(f"/owner{room}" for room in ROOMS)]:
        if address == "/owner":
            log_in(page, owned, root)
        page.goto(root + address)
        found = Axe().run(page, options={"runOnly": LEVELS, "resultTypes": ["violations"]})
        assert found.violations_count == 0, f"{address}\n{found.generate_report()}"
    page.get_by_role("button", name="Analyse the graph").click()
    while not page.locator(".tie").count():
        page.wait_for_timeout(200)  # at full speed, the rate limit would refuse the style sheet
        page.goto(f"{root}/owner/health")
    found = Axe().run(page, options={"runOnly": LEVELS, "resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()


def test_submitted_text_never_runs(opened, desk):
    """In notes, addresses and queries, and in what a crawl says of hosts; nor by the script that polls."""
    owned, root = desk
    watched = opened(root)
    watched.page.route("https://**", lambda route: route.abort())
    log_in(watched.page, owned, root)
    for some in [PAYLOADS[at : at + 100] for at in range(0, len(PAYLOADS), 100)]:
        for payload in some:
            path = "".join(payload.split())
            owned.reports.add(f"https://a.example/{path}", "other", payload, payload[:500])
            owned.submissions.add(f"https://b.example/{path}")
            owned.queries.note(payload, False)
        owned.crawl.crawl = replace(
            RUNNING,
            current=some[0],
            errors=dict.fromkeys(some[:10], 1),
            slowest=tuple((one, 1.0) for one in some[10:20]),
            busiest=tuple((one, 1) for one in some[20:30]),
            troubles=tuple(some[30:40]),
            seed_errors={one: one for one in some[40:50]},
        )
        for room in ("/reports", "/submissions", "/queries"):
            watched.go(f"/owner{room}")
        with watched.page.expect_response("**/owner/live.json"):
            watched.go("/owner")
        watched.page.wait_for_timeout(50)
        for one in list(owned.reports.open_ones()):
            owned.reports.settle(one.key)
        for one in list(owned.submissions.open_ones()):
            owned.submissions.settle(one.key)
    for payload in PAYLOADS[::10]:
        watched.go(f"/report?url={quote('https://a.example/' + payload)}&q={quote(payload)}")
        watched.go(f"/owner?done={quote(payload)}")
    assert watched.complaints == []
    assert watched.page.url.startswith(root)


def test_a_long_page_can_be_enlarged_without_loss(opened, desk):
    owned, root = desk
    page = opened(root, viewport={"width": 640, "height": 800}).page
    log_in(page, owned, root)
    for address in ("/submit", f"/report?url={RESULT}", *(f"/owner{room}" for room in ROOMS)):
        page.goto(root + address)
        page.evaluate("document.documentElement.style.fontSize = '212%'")
        assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0, address


def test_a_session_that_ended_sends_the_page_to_the_log_in(opened, desk):
    owned, root = desk
    watched = opened(root)
    log_in(watched.page, owned, root)
    owned.token.path.write_text("another token, which is long enough for one")
    watched.page.wait_for_url("**/owner/log-in")
