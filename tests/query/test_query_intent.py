"""What is wanted, and which pages of a site stand below its home page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.sitelinks import LONGEST, MOST, chosen, short_titles
from gossamer.query.intent import (
    begins_with_name,
    intent,
    is_title_of,
    named,
    names_of,
    surely_address,
    typed_address,
)
from gossamer.text.stopwords import languages, section


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("buy lantern", "transactional"),
        ("how to buy a lantern", "informational"),
        ("lantern login", "navigational"),
        ("history of lanterns", "informational"),
        ("laterne kaufen", "transactional"),
        ("wie kauft man eine laterne", "informational"),
        ("τιμή φαναριού", "transactional"),
        ("acheter lanterne", "transactional"),
        ("lantern", "informational"),
    ],
)
def test_words_tell(query, wanted):
    assert intent(query.split(), ["en", "de", "el", "fr"]) == wanted


def test_only_languages_that_are_spoken_tell():
    assert intent(["kaufen"], ["en"]) == "informational"
    assert intent([], ["en"]) == ""


def test_the_list_knows_only_intents():
    kinds = {line.split()[0] for code in languages("intent") for line in section("intent", code)}
    assert kinds == {"transactional", "navigational", "informational", "question"}


def test_names_of_hosts():
    assert names_of("www.harbour-herald.co.uk:8080") == {"harbourherald", "harbourheraldcouk"}
    assert names_of("news.bbc.co.uk") == {"newsbbc", "bbcnews"}
    assert names_of("127.0.0.1") == frozenset()
    assert names_of("x.org") == {"xorg"}
    assert named(["example", "org"], ["example.org"]) == "example.org"
    assert begins_with_name(["harbour", "herald", "sport"], "harbour-herald.test")
    assert not begins_with_name(["harbour", "herald", "of", "all", "the", "news"], "harbour-herald.test")
    assert not begins_with_name(["python", "lists"], "python.org")


@given(st.text(max_size=40))
def test_any_host_has_names(host):
    assert all(name.isalnum() for name in names_of(host))


def test_titles():
    assert is_title_of(["wildcats"], "Wildcats")
    assert is_title_of(["harbour", "herald"], "News | The Harbour Herald")
    assert not is_title_of(["herald"], "The Harbour Herald")
    assert not is_title_of([], "")


@pytest.mark.parametrize(
    ("text", "typed", "sure"),
    [
        ("https://example.org/guide?a=b", True, True),
        ("example.org/guide", True, True),
        ("www.example.org", True, True),
        ("example.org", True, False),
        ("wildcats.localhost:8808", True, False),
        ("πίτα.ελ", True, False),
        ("setup.py", True, False),
        ("version 3.5", False, False),
        ("3.5", False, False),
        ("a.b c.d", False, False),
        ("hello", False, False),
    ],
)
def test_addresses(text, typed, sure):
    assert (typed_address(text), surely_address(text)) == (typed, sure)


def test_short_titles():
    titles = ["Sport - Harbour Herald", "Culture | Harbour Herald", "Local: all of it - Harbour Herald"]
    assert short_titles("Harbour Herald", titles) == ["Sport", "Culture", "Local: all of it"]
    assert short_titles("Home", ["A - Site", "B - Site", "C - Site"]) == ["A", "B", "C"]
    assert short_titles("Home", ["A - Site", "B - Site"]) == ["A", "B"]
    assert short_titles("Site", ["Site"]) == [""]


def test_titles_lose_nothing_but_the_name_of_the_site():
    titles = [
        "Site | Tides: high - and low",
        "Inquiry: who did it? - Site",
        "Site: Sport | Site",
        "Lynx |Puma",
    ]
    expected = ["Tides: high - and low", "Inquiry: who did it?", "Sport", "Lynx |Puma"]
    assert short_titles("Site", titles) == expected
    assert short_titles("Site", ["A - Site - B", "| | C -"]) == ["A - Site - B", "C -"]
    assert short_titles("Site", [f"{'long ' * 9} - Site"]) == ["long long long long long long long long…"]


def test_no_link_comes_twice():
    titles = ["Site", "Sport - Site", "sport - Site", "", *(f"Page {n} - Site" for n in range(20))]
    found = list(chosen("Site", titles))
    assert [place for place, _ in found] == [1, 4, 5, 6, 7, 8]
    assert len(found) == MOST


@given(st.lists(st.text(max_size=60), max_size=10))
def test_titles_stay_short_whatever_they_are(titles):
    assert all(0 < len(title) <= LONGEST for _, title in chosen("Home", titles))
