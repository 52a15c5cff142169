"""Search, filters, paging, cached page and explanation in a real browser: mouse, keyboard, no script."""

from __future__ import annotations

import pytest


def titles(page):
    return page.locator(".hits h2").all_inner_texts()


@pytest.fixture
def watched(opened, collection):
    made = opened(collection)
    yield made
    assert made.complaints == []


def test_search_and_paging(watched):
    page = watched.go("/")
    page.locator("#q").fill("jaguar")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=jaguar*")
    assert page.locator(".tally").inner_text().startswith("25 results")
    first = titles(page)
    assert len(first) == 10
    page.get_by_role("link", name="Next").click()
    assert "page=2" in page.url
    assert set(titles(page)).isdisjoint(first)
    page.get_by_role("link", name="Previous").click()
    assert titles(page) == first


def test_filters_add_up_and_can_be_taken_away(watched):
    page = watched.go("/search?q=jaguar")
    page.locator(".pick summary", has_text="Site").click()
    page.locator(".pick a", has_text="cars.test").click()
    assert page.locator("#q").input_value() == "jaguar site:cars.test"
    assert all("road" in title for title in titles(page))
    page.get_by_role("link", name="Remove filter: cars.test").click()
    assert page.locator("#q").input_value() == "jaguar"
    page.locator(".pick summary", has_text="Language").click()
    page.locator(".pick a", has_text="Deutsch").click()
    assert titles(page) == ["Der Jaguar"]


def test_only_one_menu_is_open(watched):
    page = watched.go("/search?q=jaguar")
    page.locator(".pick summary", has_text="Site").click()
    page.locator(".pick summary", has_text="Language").click()
    assert page.locator(".pick[open]").count() == 1


def test_newest_first(watched):
    page = watched.go("/search?q=jaguar+site:cats.test")
    page.locator(".pick summary", has_text="Most relevant").click()
    page.get_by_role("link", name="Newest first").click()
    days = page.locator(".hits time").evaluate_all("all => all.map(one => one.dateTime)")
    assert days[:3] == ["2021-03-04", "2020-03-04", "2019-03-04"]


def test_search_within_results(watched):
    page = watched.go("/search?q=jaguar")
    page.locator("#within").fill("river")
    page.keyboard.press("Enter")
    page.wait_for_url("**AND**")
    assert page.locator("#q").input_value() == "jaguar AND river"
    assert all("wild" in title for title in titles(page))


def test_the_stored_copy_is_shut_in(watched):
    page = watched.go("/search?q=river+jaguar")
    page.locator(".about summary").first.click()
    page.get_by_role("link", name="Cached page").first.click()
    page.wait_for_url("**/cache?*")
    assert "as it was on" in page.locator(".banner").inner_text()
    copy = page.frame_locator("iframe")
    copy.locator("mark", has_text="jaguar").first.wait_for()
    frame = page.frames[1]
    assert frame.evaluate("self.origin") == "null"
    assert frame.evaluate(
        "(() => { try { return document.cookie } catch (error) { return error.name } })()"
    ) == ("SecurityError")
    assert frame.evaluate("fetch('/api/status').then(() => 'read', () => 'refused')") == "refused"
    assert (
        frame.evaluate("(() => { try { return parent.document.title } catch { return 'shut' } })()") == "shut"
    )
    assert "RAN" not in page.title()
    watched.complaints.clear()  # of what was tried just now


def test_why_this_result(watched):
    page = watched.go("/search?q=jaguar+river")
    page.locator(".about summary").nth(1).click()
    page.get_by_role("link", name="Why this result?").nth(0).click()
    assert page.url.endswith("#hit-2")
    rows = page.locator("#hit-2 .sum tbody tr")
    assert rows.count() >= 3
    bars = page.locator("#hit-2 .bar rect").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert max(bars) > 10


def test_more_from_a_result(watched):
    page = watched.go("/search?q=jaguar+wild+site:cats.test")
    page.locator(".about summary").first.click()
    page.get_by_role("link", name="Pages that link here").first.click()
    assert page.locator("#q").input_value().startswith("link:http://cats.test/")


def test_without_javascript_everything_works(opened, collection):
    watched = opened(collection, java_script_enabled=False)
    page = watched.go("/")
    page.locator("#q").fill("jaguar")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=jaguar*")
    page.locator(".pick summary", has_text="Site").click()
    page.locator(".pick a", has_text="cats.test").click()
    page.get_by_role("link", name="Next").click()
    assert "page=2" in page.url
    page.locator(".about summary").first.click()
    page.get_by_role("link", name="Cached page").first.click()
    page.frame_locator("iframe").locator("mark").first.wait_for()


def test_keyboard_only(watched):
    page = watched.go("/")
    page.wait_for_function("document.activeElement.id === 'q'")  # by itself, but not at once
    page.keyboard.type("jaguar")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=jaguar*")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.hits li').id") == "hit-1", "past all menus"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator(".about[open]").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Cached page"


def test_dark_and_light(opened, collection):
    grounds = {}
    for scheme in ("light", "dark"):
        page = opened(collection, color_scheme=scheme).go("/search?q=jaguar")
        grounds[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert grounds == {"light": "rgb(251, 250, 246)", "dark": "rgb(21, 24, 26)"}


@pytest.mark.parametrize(
    "path", ["/", "/search?q=jaguar", "/search?q=jaguar&explain=true", "/search?q=%22", "/search?q=zzz"]
)
def test_a_phone_need_not_scroll_sideways(opened, collection, path):
    page = opened(collection, viewport={"width": 320, "height": 640}).go(path)
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


def test_menus_stay_on_a_phone_s_screen(opened, collection):
    page = opened(collection, viewport={"width": 360, "height": 740}).go("/search?q=jaguar")
    for number in range(page.locator(".pick").count()):
        page.locator(".pick summary").nth(number).click()
        inside = page.locator(".pick[open] ul").evaluate(
            "list => [list.getBoundingClientRect()].every(box => box.left >= 0 && box.right <= innerWidth)"
        )
        assert inside, number
        page.locator(".pick summary").nth(number).click()


def test_right_to_left(opened, collection):
    page = opened(collection).go("/search?q=jaguar+lang:ar")
    article = page.locator("article[lang=ar]")
    assert article.evaluate("one => getComputedStyle(one).direction") == "rtl"
    title, address = (article.locator(name).bounding_box() for name in ("h2 a", ".trail"))
    right = article.bounding_box()["x"] + article.bounding_box()["width"]
    assert abs(title["x"] + title["width"] - right) < 2
    assert abs(address["x"] + address["width"] - right) < 2
    assert article.locator(".trail").evaluate("one => getComputedStyle(one).direction") == "ltr"


def test_the_interface_follows_the_browser_s_language(opened, collection):
    page = opened(collection, locale="da-DK").go("/search?q=jaguar")
    assert page.locator(".paging .next").inner_text() == "Næste"
    page.get_by_role("link", name="Română").click()
    assert page.locator(".paging .next").inner_text() == "Înainte"
    page.locator(".paging .next").click()
    assert page.locator("html").get_attribute("lang") == "ro"
