"""Small pure functions: URLs, languages, numbers, paging, error positions."""

from __future__ import annotations

import doctest
import importlib
from datetime import date

import pytest
from fake_engine import FakeEngine
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import MAX_RESULTS
from gossamer.model.notebook import date_of
from gossamer.serve.error_responses import PointedQuery, pointed
from gossamer.serve.i18n import direction, foreign_name
from gossamer.serve.rendering import LONGEST_CRUMB, crumbs, link_of
from gossamer.serve.request import PER_PAGE, paging
from gossamer.serve.searchable import FRESH_FOR, PageCount


@pytest.mark.parametrize(
    "name",
    [
        "rendering",
        "request",
        "i18n",
        "search_page.filter_menus",
        "error_responses",
        "public_forms",
        "owner_pages.crawl",
        "owner_pages.charts",
    ],
)
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(f"gossamer.serve.{name}"))
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/", ("example.org",)),
        ("http://example.org:8080/a", ("example.org:8080", "a")),
        ("http://bank.example@evil.example/", ("evil.example",)),
        ("https://e.org/a/b/c/d/e", ("e.org", "a", "…", "e")),
        ("https://e.org/find?q=caf%C3%A9", ("e.org", "find", "?q=café")),
        ("https://e.org/%E2%80%AEgpj.exe", ("e.org", "%E2%80%AEgpj.exe")),
        ("https://e.org/%FF", ("e.org", "%FF")),
        ("https://e.org/a%0Ab", ("e.org", "a%0Ab")),
        ("http://[broken/", ("http://[broken/",)),
        ("javascript:alert(1)", ("javascript:alert(1)",)),
    ],
)
def test_crumbs(url, expected):
    assert crumbs(url) == expected


@given(st.text(max_size=200))
def test_crumbs_never_fail_and_stay_short(path):
    for url in (path, "https://example.org/" + path):
        assert all(len(crumb) <= LONGEST_CRUMB for crumb in crumbs(url)[1:])


def test_link_of():
    assert link_of("HTTPS://example.org/") == "HTTPS://example.org/"
    assert link_of("ftp://example.org/") is None


def test_languages_are_named_unless_they_are_the_page_s():
    assert [foreign_name(code) for code in ("", "en", "en-GB", "de", "pt_BR", "tlh")] == [
        "",
        "",
        "",
        "Deutsch",
        "Português",
        "tlh",
    ]


def test_direction_needs_language_and_letters():
    assert direction("HTML هي لغة", "ar") == "rtl"
    assert direction("HTML only", "ar") == "auto"
    assert direction("عربي", "en") == "auto"
    assert direction("שלום", "he-IL") == "rtl"


@pytest.mark.parametrize("moment", [None, float("nan"), float("inf"), 1e18, -1e18])
def test_impossible_days_are_not_shown(moment):
    assert date_of(moment) is None


def test_days_before_1970_are_days():
    made = date_of(-86400.0)
    assert made is not None
    assert made.date() == date(1969, 12, 31)


@given(st.integers(1, 100), st.integers(0, 5000))
def test_paging_reaches_every_result_that_may_be_reached(number, total):
    made = paging(number, total)
    assert (made.last - 1) * PER_PAGE < max(1, min(total, MAX_RESULTS)) <= made.last * PER_PAGE
    assert made.next is None or made.next <= made.last
    assert made.previous is None or 1 <= made.previous <= made.last


@given(st.text(max_size=200), st.integers(0, 200))
def test_pointed_keeps_the_place(query, position):
    made = pointed(query, min(position, len(query)))
    assert made.at == query[position : position + 1]
    assert made.before.removeprefix("…") in query
    assert len(made.before) + len(made.after) < 90


def test_pointed_behind_the_end():
    assert pointed("cat", 3) == PointedQuery("cat", "", "")


def test_pages_are_counted_now_and_then():
    now = [0.0]
    engine = FakeEngine(documents=3)
    count = PageCount(engine, lambda: now[0])
    assert [count(), count()] == [3, 3]
    assert engine.counted == 1
    now[0] += FRESH_FOR + 1
    engine.documents = 4
    assert count() == 4
