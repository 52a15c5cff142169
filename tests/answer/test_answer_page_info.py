"""Suggestions, single pages, pages like them, and related searches, on a crawled web."""

from __future__ import annotations

import json
import time

import pytest
from linked_web import FARM, crawled, settings

from gossamer import AsyncEngine, Engine
from gossamer.model import BadUrl, NotRanked, UnknownPage


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return crawled(tmp_path_factory.mktemp("known") / "c", partitions=2)


@pytest.fixture(scope="module")
def engine(folder):
    with Engine.open(folder, settings=settings()) as engine:
        yield engine


def test_a_page(engine):
    page = engine.page("cats.test/lion")
    assert (page.url, page.state, page.title) == ("http://cats.test/lion", "indexed", "The lion")
    assert "A lion is a large cat of the wild." in page.text
    assert page.in_degree == 3
    assert page.out_degree == 1
    assert page.standings[0].name == "pagerank"
    assert page.fetched_at <= time.time()
    told = json.loads(json.dumps(page.as_dict()))
    assert told["fetched"].startswith("20")
    assert told["published"] is None


def test_pages_that_nobody_knows(engine):
    for ask in (engine.page, engine.similar, engine.links):
        with pytest.raises(UnknownPage):
            ask("http://nowhere.test/")
        with pytest.raises(BadUrl):
            ask("http://")


def test_a_page_that_was_not_kept(tmp_path):
    from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html

    hidden = html("<title>Hidden</title><meta name='robots' content='noindex'><p>Nothing to see.</p>")
    start = html("<title>Start</title><p>Words.</p><a href='/hidden'>hidden</a><a href='/gone'>gone</a>")
    web = ScriptedWeb({"a.test": ScriptedHost({"/": start, "/hidden": hidden})})
    with Engine.open(tmp_path / "c", create=True, settings=settings()) as engine:
        engine.crawl("http://a.test/", transport=ScriptedTransport(web))
        page = engine.page("a.test/hidden")
        assert (page.title, page.text, page.in_degree) == ("", "", None)
        assert page.state != "indexed"
        assert page.reason.startswith("noindex")
        with pytest.raises(UnknownPage):
            engine.similar("a.test/hidden")
        with pytest.raises(NotRanked):
            engine.links("a.test/")


def test_pages_like_another(engine):
    found = engine.similar("http://cats.test/lion", 3)
    urls = [hit.url for hit in found.hits]
    assert "http://cats.test/lion" not in urls
    assert {"http://cats.test/tiger", "http://cats.test/lynx"} <= set(urls)
    assert [hit.rank for hit in found.hits] == [1, 2, 3]
    assert "cat" in found.query


def test_pages_like_another_join_without_a_seam(engine):
    whole = [(hit.rank, hit.url) for hit in engine.similar("http://cats.test/lion", 100)]
    assert len(whole) > 3
    for k in (1, 2, 3):
        parts = [engine.similar("http://cats.test/lion", k, at) for at in range(0, len(whole), k)]
        assert [(hit.rank, hit.url) for part in parts for hit in part] == whole
        assert {part.total for part in parts} == {parts[0].total}


def test_much_is_shown_in_one_short_line(engine):
    links = engine.links("cats.test/lion")
    assert (
        repr(links)
        == f"<PageLinks http://cats.test/lion: {links.in_degree} to it, {links.out_degree} from it>"
    )
    report = engine.graph_report()
    assert repr(report) == f"<GraphReport of {report.pages:,} pages, {report.links:,} links>"
    assert repr(engine.host_status("cats.test")).startswith("<HostStatus cats.test: ")
    assert repr(AsyncEngine(engine)) == f"<AsyncEngine {str(engine.directory)!r}>"
    assert "np." not in repr(links.standings)


def test_links_from_an_offset_on(engine):
    whole = engine.links("http://farm.test/target", 100)
    part = engine.links("http://farm.test/target", 3, 5)
    assert part.in_degree == FARM
    assert [link.page.url for link in part.in_links] == [link.page.url for link in whole.in_links[5:8]]
    assert len(part.out_links) == 3


def test_suggestions_of_titles_and_of_what_links_say(engine):
    assert engine.suggest("the li") == ["The lion"]
    assert "The frigate" in engine.suggest("frig")
    assert "a fine lion" in engine.suggest("fine")  # only a link says so
    assert "cheap cats" in [one.lower() for one in engine.suggest("cats ch")]
    assert engine.suggest("lino")[0] == "lion"
    assert engine.suggest("offer n", 3) == []
    assert len(engine.suggest("offer", 3)) == 3
    assert engine.suggest("") == []


def test_the_number_of_partitions_changes_no_suggestion(engine, tmp_path):
    folder = crawled(tmp_path / "one")
    with Engine.open(folder, settings=settings()) as one:
        for text in ("the", "li", "cats", "a", "lsit of"):
            assert one.suggest(text, 20) == engine.suggest(text, 20)


def test_nobody_waits_who_does_not_want_to(folder):
    with Engine.open(folder, settings=settings()) as engine:
        assert engine.suggest("lion", wait=False) == []
        deadline = time.monotonic() + 20
        while not (found := engine.suggest("the li", wait=False)) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert found == ["The lion"]


def test_new_pages_appear(folder, monkeypatch):
    from gossamer.answer.completion import suggestions as completing

    monkeypatch.setattr(completing, "LEAST_PATIENCE", 0.0)
    monkeypatch.setattr(completing, "PATIENCE", 0)
    with Engine.open(folder, settings=settings()) as engine:
        engine.suggest("the li")
        first = engine._searching.completing._gathered
        engine._searching.completing.start()
        assert engine._searching.completing._gathered is first  # nothing has changed
        with Engine.open(folder, settings=settings()) as writer:
            writer.rank()
        engine.suggest("the li")
        deadline = time.monotonic() + 20
        while engine._searching.completing._gathered is first and time.monotonic() < deadline:
            time.sleep(0.01)
        assert engine._searching.completing._gathered is not first


def test_past_queries_are_offered_where_they_are_counted(folder):
    counted = settings() | {"serve": {"query_log": True}}
    with Engine.open(folder, settings=counted) as engine:
        for _ in range(3):
            engine.query_log.note("lions of africa", True)
        assert "lions of africa" in engine.suggest("lions")
    with Engine.open(folder, settings=settings()) as engine:
        assert "lions of africa" not in engine.suggest("lions")


def test_related_searches(engine):
    engine.suggest("wait until phrases are gathered")
    found = engine.search("cats")
    assert found.related
    assert all("cats" in one.lower() for one in found.related)
    assert engine.search("cats", offset=1).related == ()
    assert engine.search("cats site:cats.test").related == ()
    assert engine.search("cats", snippets=False).related == ()
