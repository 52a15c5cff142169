"""Filters are operators of the query: menus add them, chips remove them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from fake_engine import FakeEngine, hits
from hypothesis import assume, given
from hypothesis import strategies as st

from gossamer.model import After, And, Facet, FileType, Group, Language, Not, Or, Phrase, Query, Site, Word
from gossamer.query.rewrite import side_by_side
from gossamer.query.syntax import parse
from gossamer.serve.i18n import translations
from gossamer.serve.request import PageRequest
from gossamer.serve.search_page.filter_menus import chips, menus, narrowed, with_filter

ENGLISH = translations()["en"]
FACETS = (
    Facet("site", "a.test", 12),
    Facet("site", "b.test:8080", 3),
    Facet("language", "de", 4),
    Facet("type", "pdf", 2),
    Facet("time", "7", 5),
    Facet("topic", "cats", 0),
)
WORDS = st.sampled_from(["cat", "dog", "fish"]).map(Word)
TEXTS = WORDS | st.sampled_from(["big cat", "new world"]).map(Phrase)
CLAUSES = st.one_of(
    TEXTS,
    TEXTS.map(Not),
    st.lists(TEXTS, min_size=2, max_size=3).map(lambda own: Or(tuple(own))),
    st.lists(TEXTS, min_size=2, max_size=3).map(lambda own: And(tuple(own))),
    st.sampled_from([Site("a.test"), Language("de"), FileType("pdf"), After("2024-05")]),
)
QUERIES = st.lists(CLAUSES, min_size=1, max_size=4).map(tuple)
OF_COLUMNS = (Site, Language, FileType, After)
FILTERS = st.sampled_from([Site("b.test"), Language("fr"), FileType("html"), After("2020-01-01")])


def query_of(link):
    return parse_qs(urlsplit(link).query)["q"][0]


@given(QUERIES, FILTERS)
def test_a_filter_takes_the_place_of_another_of_its_kind(clauses, added):
    query = Query("", clauses)
    again = parse(with_filter(query, added)).clauses
    assert again[-1] == added
    assert again[:-1] == tuple(one for one in clauses if type(one) is not type(added))


@given(QUERIES)
def test_removing_a_chip_removes_only_its_filter(clauses):
    query = Query("", clauses)
    for chip in chips(query, PageRequest("", side_by_side(clauses)), ENGLISH):
        left = parse(query_of(chip.link)).clauses
        assert len(set(left)) == len(set(clauses)) - 1
        assert set(left) <= set(clauses)


@given(QUERIES, QUERIES)
def test_within_results_both_queries_hold(first, second):
    assume(all(any(not isinstance(one, Not) for one in own) for own in (first, second)))
    found = parse(narrowed(side_by_side(first), side_by_side(second))).clauses
    filters = [one for one in (*first, *second) if isinstance(one, OF_COLUMNS)]
    assert [one for one in found if isinstance(one, OF_COLUMNS)] == filters
    words = [[one for one in own if not isinstance(one, OF_COLUMNS)] for own in (first, second)]
    if all(len(own) > 1 for own in words):
        assert found[0] == And(tuple(Group(tuple(own)) for own in words))


@pytest.mark.parametrize(
    ("text", "further", "expected"),
    [
        ("jaguar", "cat", "jaguar AND cat"),
        ("jaguar cat", '"new world"', '(jaguar cat) AND "new world"'),
        ("site:a.test", "cat", "cat site:a.test"),
        ("jaguar", " ", "jaguar"),
        ("jaguar", '"cat', 'jaguar "cat'),
        ("cats.test:8080/jaguar.html", "dots", "dots site:cats.test:8080"),
        (" https://cats.test/a?b=(c) ", "dots lang:en", "dots site:cats.test lang:en"),
        ("cats.test", "dots", "(cats.test OR site:cats.test) AND dots"),
        ("setup.py", "dots", "(setup.py OR site:setup.py) AND dots"),
        ("https://cats..test/", "dots", "https://cats..test/ AND dots"),
        ("cats.test/a dogs.test/b", "dots", "(cats.test/a dogs.test/b) AND dots"),
    ],
)
def test_search_within_results_is_a_plain_query(text, further, expected):
    assert narrowed(text, further) == expected


def test_menus_add_operators_and_say_counts():
    made = {
        menu.kind: menu.choices
        for menu in menus(parse("cat site:z.test"), FACETS, PageRequest("", "x"), ENGLISH)
    }
    assert [(one.label, one.count) for one in made["site"]] == [("a.test", 12), ("b.test:8080", 3)]
    assert query_of(made["site"][1].link) == "cat site:b.test:8080"
    assert made["language"][0].label == "Deutsch"
    assert query_of(made["language"][0].link) == "cat site:z.test lang:de"
    assert query_of(made["type"][0].link) == "cat site:z.test filetype:pdf"
    since = (datetime.now(UTC) - timedelta(days=7)).date().isoformat()
    assert (made["time"][0].label, query_of(made["time"][0].link)) == (
        "Past week",
        f"cat site:z.test after:{since}",
    )
    assert made["topic"][0].link == "/search?q=x&topic=cats"


def test_active_filters_are_not_offered():
    kinds = [
        menu.kind for menu in menus(parse("cat lang:de filetype:pdf"), FACETS, PageRequest("", "x"), ENGLISH)
    ]
    assert kinds == ["site", "time", "topic"]
    assert "topic" not in [
        menu.kind for menu in menus(parse("x"), FACETS, PageRequest("", "x", topic="cats"), ENGLISH)
    ]


def test_chips_name_active_filters():
    asked = PageRequest("", "x", cluster="Big cats", topic="cats")
    made = chips(parse("cat site:a.test lang:de filetype:pdf after:2024-05-01 before:2025"), asked, ENGLISH)
    assert [chip.label for chip in made] == [
        "a.test", "Deutsch", "PDF", "since 1 May 2024", "before 2025", "Big cats", "cats",
    ]  # fmt: skip
    assert query_of(made[0].link) == "cat lang:de filetype:pdf after:2024-05-01 before:2025"
    assert made[5].link == "/search?q=x&topic=cats"
    assert chips(parse("site:a.test -cat"), PageRequest("", "x"), ENGLISH) == [], (
        "without it nothing is asked"
    )


def test_the_page_has_menus_and_chips(client_of):
    engine = FakeEngine(hits(3), said={"facets": FACETS})
    page = client_of(engine).get("/search?q=cat+lang:de").text
    assert engine.asked[-1].facets
    assert 'aria-label="Remove filter: Deutsch"' in page
    links = [
        query_of(unescape(link)) for link in re.findall(r'href="(/search\?[^"]*)" rel="nofollow"><bdi>', page)
    ]
    assert links[0] == "cat lang:de site:a.test"


def test_search_within_leads_to_one_query(client_of):
    client = client_of(FakeEngine(hits(3)))
    answer = client.get("/search?within=big+cats&q=river&newest=true", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == "/search?q=%28big%20cats%29%20AND%20river&newest=true"
    page = client.get("/search?q=big+cats").text
    assert '<input type="hidden" name="within" value="big cats">' in page
