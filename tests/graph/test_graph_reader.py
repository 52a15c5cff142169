"""The link graph of a crawled collection, read again; and ranks that keep up with a crawl."""

from __future__ import annotations

import fcntl
import json
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from small_graphs import as_format_2

from gossamer import Engine
from gossamer.crawl.background_ranking import RankJob
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html, redirect, text
from gossamer.graph.generation import open_generation
from gossamer.model import GossamerError, Url

GUARD = 600  # seconds: only against hanging
SETTINGS = {
    "frontier": {"delay": 0.0},
    "extract": {"workers": 0},
    "crawl": {"commit_seconds": 0.02, "exclude": ["left-out"]},
}
SEEDS = ["http://a.test/", "http://www.b.test/"]


UNVOUCHED = ["http://www.b.test/more", "http://a.test/", "http://c.test/unknown", "http://www.b.test/"]


def page(title, links):
    body = "".join(
        f'<p>{title} says a few words here. <a href="{href}"{rel}>{words}</a></p>'
        for href, words, rel in links
    )
    return html(f"<title>{title}</title><h1>{title}</h1>{body}")


def web():
    home = [
        ("http://www.b.test/", "the best cats", ""),
        ("/old", "moved cats", ""),
        ("/new", "fresh cats", ""),
        ("http://www.b.test/spam", "buy now", ' rel="sponsored"'),
        ("http://c.test/left-out", "elsewhere", ""),
    ]
    a = {
        "/": page("Home", home),
        "/old": redirect("/new"),
        "/new": page("New", [("/", "home", ""), ("/", "front door", ""), ("http://www.b.test/", "cats", "")]),
        "/robots.txt": text(""),
    }
    b = {
        "/": page("Cats", [("/more", "more of it", ""), ("/spam", "odd", "")]),
        "/more": page("More", []),
        "/robots.txt": text(""),
    }
    b["/spam"] = page("Spam", [(href, "paid", ' rel="nofollow"') for href in UNVOUCHED])
    return ScriptedWeb({"a.test": ScriptedHost(a), "www.b.test": ScriptedHost(b)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    directory = tmp_path_factory.mktemp("graph") / "c"
    with Engine.open(directory, create=True, partitions=3, settings=SETTINGS) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(web()))
        engine.rank()
    return directory


@pytest.fixture
def graph(folder):
    with Engine.open(folder, settings=SETTINGS) as engine:
        yield engine.graph()


def of(graph, url):
    return graph.node(Url.parsed(url))


def test_pages_are_found_by_address_and_by_those_that_stand_for_them(graph):
    new = of(graph, "http://a.test/new")
    assert of(graph, "http://a.test/old") == new
    assert graph.node(Url.parsed("http://a.test/new").fingerprint) == new
    assert of(graph, "http://nobody.test/") is None
    found = graph.page(new)
    assert (found.node, found.url, found.title, found.host) == (new, "http://a.test/new", "New", "a.test")
    left_out = graph.page(of(graph, "http://c.test/left-out"))
    assert (left_out.url, left_out.title, left_out.host) == ("", "", "")
    assert left_out.name == f"(not in the catalogue: {left_out.fingerprint:016x})"
    assert found.name == found.url


def test_links_come_with_what_they_say(graph):
    cats = of(graph, "http://www.b.test/")
    found = {link.page.url: (link.texts, link.vouched) for link in graph.in_links(cats)}
    assert found == {
        "http://a.test/": (("the best cats",), True),
        "http://a.test/new": (("cats",), True),
    }
    home = of(graph, "http://a.test/")
    out = {link.page.url: link.texts for link in graph.out_links(home)}
    assert out.pop("http://a.test/new") == ("moved cats", "fresh cats")
    assert out.pop("http://www.b.test/") == ("the best cats",)
    assert list(out.values()) == [("elsewhere",)]
    ranks = [link.rank for link in graph.out_links(home)]
    assert ranks == sorted(ranks, reverse=True)
    assert [link.page.url for link in graph.in_links(cats, k=1)] == [
        max(graph.in_links(cats), key=lambda link: link.rank).page.url
    ]
    assert graph.in_links(cats, k=0) == []


def test_links_that_nobody_vouches_for_are_kept_apart(graph):
    home, spam = of(graph, "http://a.test/"), Url.parsed("http://www.b.test/spam").fingerprint
    (link,) = graph.unvouched_out_links(home)
    assert (link.page.url, link.texts, link.vouched) == ("http://www.b.test/spam", ("buy now",), False)
    (link,) = graph.unvouched_in_links(spam)
    assert (link.page.url, link.texts) == ("http://a.test/", ("buy now",))
    assert graph.unvouched_in_links(1) == []
    assert graph.unvouched_out_links(of(graph, "http://www.b.test/")) == []


def test_links_that_nobody_vouches_for_come_by_pagerank_too(graph):
    spam = of(graph, "http://www.b.test/spam")
    found = graph.unvouched_out_links(spam)
    ranks = [link.rank for link in found]
    assert len(found) == len(UNVOUCHED)
    assert ranks == sorted(ranks, reverse=True)
    assert (ranks[-1], found[-1].page.node) == (0.0, -1)
    for most in range(len(found)):
        assert graph.unvouched_out_links(spam, most) == found[:most]


def test_standings_and_sites(graph):
    found = {standing.name: standing for standing in graph.standings(of(graph, "http://www.b.test/"))}
    assert set(found) == {"pagerank", "indegree", "popularity", "harmonic", "editorial"}
    assert found["indegree"].value == 2.0
    assert 0 < found["pagerank"].percentile < 100
    best = int(np.argmax(graph.generation.rank("pagerank")))
    assert [standing.place for standing in graph.standings(best) if standing.name == "pagerank"] == [1]
    assert [graph.hosts.names[n] for n in range(len(graph.hosts))] == ["a.test", "www.b.test"]
    assert [graph.domains.names[n] for n in range(len(graph.domains))] == ["a.test", "b.test"]
    assert graph.hosts.weights.tolist() == [2]
    assert graph.host(of(graph, "http://www.b.test/more")) == "www.b.test"


def test_a_notebook_shows_what_there_is(graph):
    shown = graph._repr_html_()
    for part in ("CollectionGraph", f">{graph.inward.pages}<", f">{graph.inward.links}<", "pagerank"):
        assert part in shown


def test_before_ranking_there_is_no_graph(tmp_path):
    with (
        Engine.open(tmp_path / "c", create=True) as engine,
        pytest.raises(GossamerError, match="gossamer rank"),
    ):
        engine.graph()


def test_a_warm_start_saves_steps_and_changes_nothing(folder):
    with Engine.open(folder, settings=SETTINGS) as engine:
        before = engine.graph().generation
        again = engine.rank()
        after = engine.graph().generation
        assert again.steps <= 2
        assert after.fingerprints.tolist() == before.fingerprints.tolist()
        assert after.rank("pagerank") == pytest.approx(before.rank("pagerank"), abs=1e-8)


def test_format_2_is_read_and_replaced(folder):
    graph = folder / "graph"
    with Engine.open(folder, settings=SETTINGS) as engine:
        hits, health, best = engine.search("cats").hits, engine.health().graph, engine.top(9)
    as_format_2(graph)
    with Engine.open(folder, settings=SETTINGS) as engine:
        assert engine.search("cats").hits == hits
        assert engine.health().graph.links == health.links
        assert engine.top(9) == best
        assert engine.check().problems == ()
        engine.rank()
        assert engine.search("cats").hits == hits
        assert engine.check().problems == ()
    assert {path.suffix for path in graph.glob("gen-*/*")} == {".arrays"}


def test_an_old_format_is_told_and_replaced(folder):
    as_format_2(folder / "graph", number=1)
    with Engine.open(folder, settings=SETTINGS) as engine:
        with pytest.raises(GossamerError, match=r"format 1.*run: gossamer rank"):
            engine.search("cats")
        engine.rank()
        assert engine.search("cats").hits
        assert engine.check().problems == ()


def crawl_until(directory, wanted, **settings):
    """A crawl without end, until something was told."""
    begun = time.monotonic()
    reasons = []

    def watch(progress):
        assert time.monotonic() - begun < GUARD
        progress.stopping = progress.stopping or wanted(progress)
        reasons[:] = progress.troubles

    with Engine.open(directory, create=True, settings=SETTINGS | settings) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(web()), continuous=True, observer=watch)
    return reasons


def test_ranks_keep_up_with_a_crawl(tmp_path):
    reasons = crawl_until(
        tmp_path / "c", lambda progress: progress.ranked >= 1, rank={"rerank_minutes": 0.001}
    )
    assert reasons == []
    assert open_generation(tmp_path / "c" / "graph").number >= 1
    with Engine.open(tmp_path / "c", settings=SETTINGS) as engine:
        assert engine.check().problems == ()
        assert [hit.url for hit in engine.search('inanchor:"best cats"').hits] == ["http://www.b.test/"]
    (log,) = (tmp_path / "c" / "logs").iterdir()
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [event["converged"] for event in events if event["event"] == "ranked"][:1] == [True]


def test_a_failure_to_rank_does_not_end_the_crawl(tmp_path):
    directory = tmp_path / "c"
    with Engine.open(directory, create=True, settings=SETTINGS) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(web()))
    (directory / "graph").write_text("in the way")
    reasons = crawl_until(directory, lambda progress: progress.troubles, rank={"rerank_minutes": 0.001})
    assert "ranks were not computed: cannot write" in reasons[0]


def test_a_process_that_nobody_waits_for_ends_and_leaves_nothing(folder):
    with Engine.open(folder, settings=SETTINGS) as engine:
        assignment = pickle.dumps(RankJob(folder, engine.config))
    command = [sys.executable, "-m", "gossamer.jobs.rank_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdin.write(assignment)
        child.stdin.close()
        assert child.wait(GUARD) in {0, 1}
    assert len(list((folder / "graph").glob("gen-*"))) == 1
    with Engine.open(folder, settings=SETTINGS) as engine:
        assert engine.search("cats").hits


def test_a_process_that_has_ranked_ends_in_good_order_while_somebody_waits(folder):
    with Engine.open(folder, settings=SETTINGS) as engine:
        assignment = pickle.dumps(RankJob(folder, engine.config))
    command = [sys.executable, "-m", "gossamer.jobs.rank_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdin.write(assignment)
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["converged"]
        assert child.wait(GUARD) == 0


def test_two_do_not_rank_at_once(folder):
    with (folder / "graph.lock").open("a+") as lock, Engine.open(folder, settings=SETTINGS) as engine:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(GossamerError, match="are being computed by another process"):
            engine.rank()
