"""Reading on: results beyond the first page, every page of a collection, every link."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest
from linked_web import CATS, FARM, crawled, settings

from gossamer import Engine
from gossamer.answer.iterate import FIRST, ResultIterator
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.model import BadQuery, Hit, NotRanked, ResultPage, SearchOptions, Snippet, UnknownPage

SHEEP = 450


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    with Engine.open(crawled(tmp_path_factory.mktemp("linked") / "c", 2), settings=settings()) as engine:
        yield engine


@pytest.fixture(scope="module")
def flock(tmp_path_factory):
    """Many pages that one word finds, on many hosts, in two languages."""
    hosts, seeds = {}, []
    for number in range(SHEEP):
        host, path = f"h{number % 9}.test", f"/{number}"
        words = f"sheep number {number} {'wool ' * (number % 7)}" + " ".join(
            f"w{number}x{n}" for n in range(12)
        )
        hosts.setdefault(host, {})[path] = page(f"Sheep {number}", words)
        seeds.append(f"http://{host}{path}")
    hosts["h0.test"]["/schaf"] = page(
        "Schaf", "Das Schaf steht auf der Wiese und frisst das Gras.", language="de"
    )
    web = ScriptedWeb({name: ScriptedHost(pages) for name, pages in hosts.items()})
    folder = tmp_path_factory.mktemp("flock") / "c"
    with Engine.open(folder, create=True, partitions=2, settings=settings()) as engine:
        engine.crawl([*seeds, "http://h0.test/schaf"], transport=ScriptedTransport(web))
        yield engine


# Results


def test_results_go_on_to_the_end_and_are_those_of_one_large_search(flock):
    everything = [hit.url for hit in flock.search("sheep", 1000).hits]
    assert len(everything) == SHEEP
    results = flock.results("sheep")
    assert [hit.url for hit in results] == everything
    assert len(results) == results.total == SHEEP
    assert [hit.rank for hit in results] == list(range(1, SHEEP + 1))


def test_results_are_asked_for_as_they_are_needed(flock):
    asked = []

    def search(options):
        asked.append((options.offset, options.k))
        return flock.search("sheep", options=options)

    results = ResultIterator(search, SearchOptions(explain=True))
    assert asked == [(0, FIRST)]
    assert bool(results)
    assert len(list(islice(results, FIRST))) == FIRST
    assert asked == [(0, FIRST)]
    assert results[FIRST].explanation is not None
    assert asked == [(0, FIRST), (FIRST, 2 * FIRST)]
    assert [hit.rank for hit in results[5:25]] == list(range(6, 26))
    assert len(asked) == 2
    assert results[-1].rank == SHEEP
    assert [hit.rank for hit in results[::-100]] == [450, 350, 250, 150, 50]
    with pytest.raises(IndexError):
        results[SHEEP]


@pytest.mark.parametrize(
    "cut", [slice(None, 3), slice(-3, None), slice(2, -400), slice(8, 2, -2), slice(440, 999)]
)
def test_a_part_of_the_results_is_as_that_of_a_list(flock, cut):
    assert flock.results("sheep")[cut] == list(flock.results("sheep"))[cut]


def test_a_result_that_moved_meanwhile_does_not_come_twice():
    def hit(number):
        return Hit(number, f"http://a.test/{number}", "", Snippet(""), 1.0, number)

    first, second = [hit(n) for n in range(10)], [hit(9), hit(10)]
    pages = iter([ResultPage("q", 12, 1.0, tuple(first)), ResultPage("q", 12, 1.0, tuple(second), offset=10)])
    assert [one.fingerprint for one in ResultIterator(lambda _: next(pages), SearchOptions())] == list(
        range(11)
    )


def test_results_of_nothing(flock):
    results = flock.results("unheardofword", correct=False)
    assert not results
    assert list(results) == []
    assert results.first.total == 0
    with pytest.raises(BadQuery):
        flock.results('"never closed')


def test_an_answer_is_a_sequence(flock):
    answer = flock.search("sheep", 4)
    assert len(answer) == 4
    assert list(answer) == list(answer.hits)
    assert answer[1] is answer.hits[1]
    assert answer[1:3] == answer.hits[1:3]
    assert not flock.search("unheardofword", correct=False)


# Pages


def test_every_page_comes_once(flock):
    found = Counter(one.url for one in flock.pages())
    assert len(found) == SHEEP + 1
    assert set(found.values()) == {1}


def test_pages_by_a_query_are_all_that_match(flock):
    assert sum(1 for _ in flock.pages("sheep")) == SHEEP
    assert [one.url for one in flock.pages("lang:de")] == ["http://h0.test/schaf"]
    of_a_host = {one.url for one in flock.pages("site:h3.test")}
    assert of_a_host == {f"http://h3.test/{number}" for number in range(3, SHEEP, 9)}
    assert list(flock.pages("site:nowhere.test")) == []
    with pytest.raises(BadQuery):
        flock.pages('"never closed')


def test_a_page_has_what_the_index_and_the_graph_know(linked):
    pages = {one.url: one for one in linked.pages("site:cats.test")}
    for cat in CATS:
        alone, own = linked.page(f"cats.test/{cat}"), pages[f"http://cats.test/{cat}"]
        assert (own.title, own.text, own.fetched_at) == (alone.title, alone.text, alone.fetched_at)
        assert (own.in_degree, own.out_degree) == (alone.in_degree, alone.out_degree)


def test_pages_without_a_graph(flock):
    assert {one.in_degree for one in flock.pages("sheep")} == {None}


# Links


def test_all_links_of_a_page(linked):
    into = list(linked.in_links("farm.test/target"))
    assert len(into) == linked.links("farm.test/target").in_degree == FARM
    assert into[:10] == linked.links("farm.test/target", k=10).in_links
    assert [one.rank for one in into] == sorted((one.rank for one in into), reverse=True)
    out = {one.page.url for one in linked.out_links("http://portal.test/cats")}
    assert out == {f"http://cats.test/{cat}" for cat in [*CATS, ""]}
    with pytest.raises(UnknownPage):
        linked.in_links("nowhere.test")


def test_every_link_of_the_graph(linked):
    graph = linked.graph()
    links = [(source.url, target.url) for source, target in graph.links()]
    assert len(links) == graph.inward.links
    assert ("http://fans.test/", "http://cats.test/lion") in links
    assert ("http://fans.test/paid", "http://farm.test/target") not in links


def test_links_before_they_are_counted(flock):
    with pytest.raises(NotRanked):
        flock.out_links("h0.test/0")
