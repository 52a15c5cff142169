"""Parts of the results page besides the list: menus, explanations, groups, answers, corrections."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import unquote

import pytest
from fake_engine import FakeEngine, hit, hits

from gossamer.model import Cluster, Contribution, Explanation, InstantAnswer, Sitelink
from gossamer.query.syntax import parse
from gossamer.serve.i18n import translations
from gossamer.serve.request import PageRequest
from gossamer.serve.search_page.result_list import explain_score, hit_views

ENGLISH = translations()["en"]
EXPLANATION = Explanation(
    (
        Contribution("cat", 2.0, 1.5, 3.0),
        Contribution("(close together)", 0.5, 2.0, 1.0),
    ),
    1.25,
    freshness=1.001,
    address=1.1,
)


@pytest.fixture
def page_of(client_of):
    return lambda engine, address: client_of(engine).get(address).text


def test_links_of_a_result(page_of):
    page = page_of(FakeEngine([hit("https://example.org/a?b=1")]), "/search?q=cat&newest=true")
    links = [unescape(link) for link in re.findall(r'<li><a href="([^"]*)" rel="nofollow">', page)]
    assert "/cache?url=https%3A%2F%2Fexample.org%2Fa%3Fb%3D1&q=cat" in links
    assert "/search?q=related%3Ahttps%3A%2F%2Fexample.org%2Fa%3Fb%3D1&newest=true" in links
    assert "/search?q=link%3Ahttps%3A%2F%2Fexample.org%2Fa%3Fb%3D1&newest=true" in links
    assert "/search?q=cat&newest=true&explain=true#hit-1" in links
    assert '<li id="hit-1">' in page


def test_a_stored_copy_is_asked_for_with_what_was_searched(page_of):
    said = {"searched": "a & b", "searched_because": "corrected"}
    engine = FakeEngine([hit("https://example.org/")], said=said)
    page = page_of(engine, "/search?q=a+%26+bb")
    assert '"/cache?url=https%3A%2F%2Fexample.org%2F&amp;q=a%20%26%20b"' in page


def test_a_page_that_nobody_fetched_has_no_copy(page_of):
    assert "Cached page" not in page_of(FakeEngine([hit(unfetched=True)]), "/search?q=cat")
    assert "Cached page" in page_of(FakeEngine([hit()]), "/search?q=cat")


@pytest.mark.parametrize("path", ["a(b)", "a*", "it's", "a~1", "%22x%22", "a,b;c"])
def test_links_quote_any_url(path):
    url = f"https://example.org/{path}"
    ways = dict(hit_views([hit(url)], PageRequest("", "x"), ENGLISH)[0].ways)
    for way in ("similar", "linking"):
        query = re.search(r"q=([^&]*)", ways[way])[1]
        assert [leaf.url for leaf, _ in parse(unquote(query)).leaves()] == [url]


def test_a_score_is_a_sum_with_bars(page_of):
    made = explain_score(EXPLANATION, 5.5, ENGLISH)
    assert [(row.name, row.score, row.width) for row in made.rows] == [
        ("cat", "3.00", 75.0),
        ("query words close together", "1.00", 25.0),
    ]
    assert made.factors == (("by_links", "1.25"), ("by_address", "1.10")), "what changes nothing is left out"
    assert made.score == "5.50"
    engine = FakeEngine(hits(1))
    assert 'class="sum"' not in page_of(engine, "/search?q=cat")
    assert 'class="sum"' in page_of(engine, "/search?q=cat&explain=true")
    assert engine.asked[-1].explain


def test_a_score_of_links_alone_says_so():
    made = explain_score(Explanation((), 1.0, links="2 hubs name it"), 1.0, ENGLISH)
    assert (made.rows, made.factors, made.links) == ((), (), "2 hubs name it")


def test_groups_filter_and_lead_back(page_of):
    engine = FakeEngine(hits(3), said={"clusters": (Cluster("big cats", 9), Cluster("cars & co", 4))})
    page = page_of(engine, "/search?q=jaguar")
    assert engine.asked[-1].clusters
    assert '<a href="/search?q=jaguar&amp;cluster=cars%20%26%20co">' in page
    assert 'class="divided"' in page
    chosen = page_of(engine, "/search?q=jaguar&cluster=big+cats&page=1")
    assert engine.asked[-1].cluster == "big cats"
    assert 'aria-label="Remove filter: big cats"' in chosen
    assert 'cluster=big%20cats" aria-current="true"' in chosen
    assert 'cluster=big%20cats" aria-current="true"' in page_of(engine, "/search?q=jaguar&cluster=BIG+cats")


def test_an_unknown_group_has_no_chip(page_of):
    engine = FakeEngine(hits(3), said={"clusters": (Cluster("big cats", 9),), "notes": ("no such group",)})
    page = page_of(engine, "/search?q=jaguar&cluster=nonsense")
    assert engine.asked[-1].cluster == "nonsense"
    assert "no such group" in page
    assert 'aria-label="Remove' not in page
    assert "&amp;newest=true&amp;cluster=nonsense" not in page


def test_answers_stand_above_the_list_and_related_searches_below(page_of):
    said = {
        "answers": (
            InstantAnswer("units", "5 miles", "8.05 km", "1 mile = 1.61 km", "https://example.org/m"),
        ),
        "related": ("miles in km",),
    }
    page = page_of(FakeEngine(hits(3), said=said), "/search?q=5+miles")
    places = [
        page.index(text) for text in ("8.05 km", '<ol class="hits"', 'href="/search?q=miles%20in%20km"')
    ]
    assert places == sorted(places)
    assert '<a href="https://example.org/m" rel="noopener nofollow">More about this</a>' in page


def test_with_an_instant_answer_there_is_no_advice(page_of):
    said = {"answers": (InstantAnswer("arithmetic", "2 × 4", "8"),)}
    page = page_of(FakeEngine([], said=said), "/search?q=2+*+4")
    assert "2 × 4" in page
    assert "No pages match this query." in page
    assert "Nothing found" not in page
    assert "spelling" not in page
    assert "Search with" not in page


def test_sitelinks_stand_below_the_first_hit_only(page_of):
    said = {
        "sitelinks": (Sitelink("Prices", "https://example.org/p"), Sitelink("Bad", "javascript:alert(1)"))
    }
    page = page_of(FakeEngine(hits(25), said=said), "/search?q=example")
    assert page.count('class="sitelinks"') == 1
    assert "<bdi>Prices</bdi>" in page
    assert "javascript:" not in page
    assert 'class="sitelinks"' not in page_of(FakeEngine(hits(25), said=said), "/search?q=example&page=2")


def test_a_correction_says_so_and_leads_back(page_of):
    engine = FakeEngine(hits(3), said={"searched": "jaguar", "searched_because": "corrected"})
    page = page_of(engine, "/search?q=jagaur")
    assert "No results for" in page
    way_back = 'href="/search?q=jagaur&amp;correct=false">Search for <bdi>jagaur</bdi> anyway</a>'
    assert f'<a class="back" {way_back}' in page
    page_of(engine, "/search?q=jagaur&correct=false")
    assert not engine.asked[-1].correct
    relaxed = FakeEngine(hits(3), said={"searched": "cat", "searched_because": "relaxed"})
    assert "the broader query <strong><bdi>cat</bdi></strong>" in page_of(relaxed, "/search?q=%22cat+x%22")


def test_omitted_results_can_be_shown(page_of):
    page = page_of(FakeEngine(hits(3), total=5, said={"folded": 2}), "/search?q=cat")
    assert "2 similar results are hidden." in page
    assert 'href="/search?q=cat&amp;everything=true"' in page
    everything = page_of(FakeEngine(hits(5)), "/search?q=cat&everything=true")
    assert '<a href="/search?q=cat">Hide similar results</a>' in everything


def test_results_can_be_sorted_by_date(page_of):
    engine = FakeEngine(hits(25))
    page = page_of(engine, "/search?q=cat")
    assert 'href="/search?q=cat&amp;newest=true"' in page
    sorted_page = page_of(engine, "/search?q=cat&newest=true")
    assert engine.asked[-1].newest_first
    assert 'rel="next" href="/search?q=cat&amp;page=2&amp;newest=true"' in sorted_page
    assert 'href="/api/search?q=cat&amp;newest=true"' in sorted_page


def test_nothing_is_not_sorted(page_of):
    assert "Most relevant" in page_of(FakeEngine(hits(1)), "/search?q=cat")
    assert "Most relevant" in page_of(FakeEngine(hits(1)), "/search?q=cat&page=7"), (
        "there is something to sort"
    )
    assert "narrowing" not in page_of(FakeEngine(), "/search?q=cat")
    filtered = page_of(FakeEngine(), "/search?q=cat+site:a.test")
    assert 'aria-label="Remove filter: a.test"' in filtered
    assert "Most relevant" not in filtered


def test_a_topic_is_passed_on(page_of):
    engine = FakeEngine(hits(3))
    assert 'aria-label="Remove filter: cats"' in page_of(engine, "/search?q=x&topic=cats")
    assert engine.asked[-1].topic == "cats"
    page_of(engine, "/search?q=x")
    assert engine.asked[-1].topic is None
