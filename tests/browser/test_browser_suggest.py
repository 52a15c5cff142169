"""Suggestions during typing: a combobox for keyboard and mouse."""

from __future__ import annotations

import json

import pytest
from fake_engine import hits

SUGGESTED = ["jaguar cat", "jaguar car", "<img src=x onerror=alert(1)>"]


@pytest.fixture
def suggesting(opened, fake):
    """A start page over a server that suggests; and what it was asked."""
    engine, root = fake
    engine.hits = hits(3)
    watched = opened(root)
    asked = []

    def answer(route):
        asked.append(route.request.url)
        body = {"query": "x", "suggestions": SUGGESTED}
        route.fulfill(status=200, content_type="application/json", body=json.dumps(body))

    watched.page.route("**/api/suggest*", answer)
    watched.go("/")
    watched.page.wait_for_function("document.activeElement.id === 'q'")  # else the first letter goes nowhere
    yield watched.page, asked
    assert watched.complaints == []


def test_suggestions_come_as_text_and_are_announced(suggesting):
    page, asked = suggesting
    page.keyboard.type("jag")
    page.locator("#suggestions li").first.wait_for()
    assert page.locator("#suggestions li").all_inner_texts() == SUGGESTED
    box = page.get_by_role("combobox")
    assert box.get_attribute("aria-expanded") == "true"
    assert box.get_attribute("aria-controls") == "suggestions"
    assert asked[-1].endswith("/api/suggest?q=jag")


def test_arrows_choose_enter_searches(suggesting):
    page, _ = suggesting
    page.keyboard.type("jag")
    page.locator("#suggestions li").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    box = page.get_by_role("combobox")
    assert box.input_value() == "jaguar car"
    assert box.get_attribute("aria-activedescendant") == "suggestion-1"
    assert page.locator("#suggestions [aria-selected=true]").inner_text() == "jaguar car"
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=jaguar+car*")


def test_arrows_past_the_ends_restore_the_typed_text(suggesting):
    page, _ = suggesting
    page.keyboard.type("jag")
    page.locator("#suggestions li").first.wait_for()
    page.keyboard.press("ArrowUp")
    assert page.locator("#q").input_value() == SUGGESTED[-1]
    page.keyboard.press("ArrowDown")
    assert page.locator("#q").input_value() == "jag"


def test_escape_closes_and_gives_back_what_was_typed(suggesting):
    page, _ = suggesting
    page.keyboard.type("jag")
    page.locator("#suggestions li").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert page.locator("#q").input_value() == "jag"
    assert page.locator("#suggestions").is_hidden()


def test_a_click_searches(suggesting):
    page, _ = suggesting
    page.keyboard.type("jag")
    page.locator("#suggestions li", has_text="jaguar cat").click()
    page.wait_for_url("**/search?q=jaguar+cat*")


def test_without_suggestions_the_box_is_a_plain_input(opened, fake):
    engine, root = fake
    engine.hits = hits(3)
    watched = opened(root)
    watched.page.route("**/api/suggest*", lambda route: route.fulfill(status=404, body="{}"))
    page = watched.go("/")
    with page.expect_response("**/api/suggest*"):
        page.keyboard.type("jag")
    page.wait_for_timeout(100)
    assert page.locator("#suggestions").is_hidden()
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=jag*")
    assert watched.complaints == []
