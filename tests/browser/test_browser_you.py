"""The profile in Chromium: turn it on, see its effect, delete it; and turn the country off."""

from __future__ import annotations

import json

import pytest
from fake_engine import hit

PROFILE, COUNTRY = "gossamer.you", "gossamer.country"


def kept(page, key=PROFILE):
    value = page.evaluate("key => localStorage.getItem(key)", key)
    return json.loads(value) if value and key == PROFILE else value


def search(page, text):
    page.fill("#q", text)
    with page.expect_navigation():
        page.press("#q", "Enter")


def follow(page, selector):
    with page.expect_navigation():
        page.click(selector)


def turn_on(page, **facts):
    page.check("[name=on]")
    for name, value in facts.items():
        field = page.locator(f".profile [name={name}]")
        field.select_option(value) if name in ("country", "topic") else field.fill(value)
    page.click(".profile [type=submit]")
    page.wait_for_function("document.querySelector('[role=status]').textContent")


@pytest.fixture
def tab(opened, collection):
    tab = opened(collection)
    yield tab
    assert tab.complaints == []


def test_nothing_is_stored_without_consent(tab):
    page = tab.go("/")
    search(page, "jaguar river")
    search(page, "jaguar")
    assert page.evaluate("localStorage.length") == 0
    assert "context=" not in page.url
    assert page.context.cookies() == []


def test_the_last_searches_count_while_it_is_on(tab):
    page = tab.go("/")
    follow(page, "a[data-needs-script]")
    assert not page.is_checked("[name=on]")
    assert page.is_hidden("[data-no-script]")
    turn_on(page)
    assert kept(page)["on"] is True
    search(page, "car engine speed road test")
    search(page, "jaguar")
    assert "context=car" in page.url
    assert "Your recent searches affect these results: car engine speed road test." in page.inner_text(
        ".personal"
    )
    assert "road" in page.inner_text(".hits li:first-child h2")
    assert kept(page)["queries"] == ["jaguar", "car engine speed road test"]
    follow(page, "text=Ignore my recent searches")
    assert "context=" not in page.url
    assert page.locator(".personal").count() == 0
    assert page.context.cookies() == []


def test_what_is_kept_is_shown_and_deleted(tab):
    page = tab.go("/you")
    turn_on(page, sites="cars.test", country="dk", languages="en de")
    search(page, "river")
    assert "prefer=cars.test" in page.url
    assert "country=dk" in page.url
    assert "languages=en%2Cde" in page.url
    search(page, "road")
    page = tab.go("/you")
    assert page.input_value("[name=sites]") == "cars.test"
    assert page.locator("#queries li bdi").all_inner_texts() == ["road", "river"]
    page.click("[aria-label='Delete: river']")
    assert page.locator("#queries li bdi").all_inner_texts() == ["road"]
    page.click("#delete-all")
    assert page.locator("#queries li").count() == 0
    assert page.evaluate("localStorage.length") == 0
    search(page, "jaguar")
    assert page.url.endswith("/search?q=jaguar")


def test_a_preferred_topic_goes_along_and_is_off_by_a_click(opened, fake):
    engine, root = fake
    engine.hits, engine.known_topics = [hit("https://a.test/")], ("cats", "ships")
    tab = opened(root)
    page = tab.go("/you")
    turn_on(page, topic="ships")
    engine.said = {"preferred_topic": "ships"}
    search(page, "harbour")
    assert engine.asked[-1].preferred_topic == "ships"
    assert "Your preferred topic affects these results: ships." in page.inner_text(".personal")
    engine.said = {}
    follow(page, "text=Ignore my preferred topic")
    assert engine.asked[-1].preferred_topic == ""
    page = tab.go("/you")
    assert page.input_value("[name=topic]") == "ships"
    engine.known_topics = ()  # a collection without them neither shows nor forgets what was chosen
    page = tab.go("/you")
    page.click(".profile [type=submit]")
    assert kept(page)["topic"] == "ships"
    page.click("#delete-all")
    assert page.evaluate("localStorage.length") == 0
    assert tab.complaints == []


def test_countries_are_named_in_the_language_of_the_page(tab):
    page = tab.go("/you?ui=de")
    names = page.locator("#you-country option").all_inner_texts()
    assert {"Dänemark", "Österreich", "Südkorea"} <= set(names)
    assert names.index("Österreich") < names.index("Polen")  # as Germans sort
    turn_on(page, country="at")
    page = tab.go("/you?ui=en")
    assert page.locator("#you-country option:checked").inner_text() == "Austria"


def test_the_country_that_counts_is_named_in_the_language_of_the_page(opened, fake):
    engine, root = fake
    engine.said = {"country": "GR"}
    for language, name in (("el", "Ελλάδα"), ("de", "Griechenland"), ("en", "Greece")):
        line = opened(root).go(f"/search?q=cats&ui={language}").locator(".personal").first
        assert name in line.inner_text()
    without = opened(root, java_script_enabled=False).go("/search?q=cats&ui=de")
    assert "Greece" in without.locator(".personal").first.inner_text()
    engine.said = {}


def test_a_disabled_profile_is_not_sent(tab):
    page = tab.go("/you")
    turn_on(page)
    search(page, "river")
    page = tab.go("/you")
    page.uncheck("[name=on]")
    page.click(".profile [type=submit]")
    search(page, "jaguar")
    assert "context=" not in page.url
    assert kept(page)["queries"] == ["river"]


def test_the_country_is_turned_off_by_one_click_and_stays_off(opened, fake):
    from gossamer.model import Hit, Snippet

    engine, root = fake
    engine.hits = [Hit(1, "https://a.dk/", "A page", Snippet("Some words"), 1.0, 1)]
    engine.said = {"country": "DK"}
    tab = opened(root, locale="da-DK")
    page = tab.go("/search?q=cats&ui=en")
    assert engine.asked[-1].country == "DK"
    follow(page, "text=Don't use my location")
    assert engine.asked[-1].country == ""
    assert kept(page, COUNTRY) == "none"
    page = tab.go("/?ui=en")
    search(page, "dogs")
    assert (engine.typed[-1], engine.asked[-1].country) == ("dogs", "")
    engine.said = {}
    page = tab.go("/search?q=cats&ui=en&country=none")
    follow(page, "text=Use my location")
    assert engine.asked[-1].country == "DK"
    assert kept(page, COUNTRY) is None
    assert tab.complaints == []


def test_damaged_memory_is_no_trouble(tab):
    page = tab.go("/")
    for value in ("{", "[]", "null", '{"on": true, "queries": [1, {"a": 2}, "river"], "sites": 5}'):
        page.evaluate("value => localStorage.setItem('gossamer.you', value)", value)
        search(tab.go("/"), "jaguar")
    assert kept(page)["queries"] == ["jaguar", "river"]


def test_a_query_is_shown_as_text(tab):
    page = tab.go("/you")
    turn_on(page)
    search(page, "river <img src=x onerror=alert(1)>")
    page = tab.go("/you")
    assert page.locator("#queries bdi").all_inner_texts() == ["river <img src=x onerror=alert(1)>"]


def test_without_scripts_nothing_is_offered(opened, collection):
    tab = opened(collection, java_script_enabled=False)
    page = tab.go("/")
    assert page.is_hidden("text=Your profile")
    page = tab.go("/you")
    assert page.is_visible("text=This needs JavaScript")
    assert page.is_hidden("#profile")
    page = tab.go("/")
    search(page, "jaguar")
    assert page.locator(".hits li").count()
