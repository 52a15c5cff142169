"""Every rank of a crawled web is a column: by its settings, of pages, hosts and domains, each for itself."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from linked_web import CATS, SHIPS, crawled, settings

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html
from gossamer.graph.ranks.registry import OF_LINKS, stored
from gossamer.model import BadSetting, GossamerError, Url, UsageError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return crawled(tmp_path_factory.mktemp("ranks") / "c", partitions=2)


@pytest.fixture
def engine(folder):
    with Engine.open(folder, settings=settings()) as engine:
        yield engine


def value(engine, column, url):
    graph = engine.graph()
    return float(stored(graph.generation)[column][graph.node(Url.parsed(url))])


def test_all_ranks_are_there_for_pages_hosts_and_domains(engine):
    known = stored(engine.graph().generation)
    topics = ["topic:cats", "topic:ships", "topic:harbours"]
    names = [*OF_LINKS, "trust", "spam-mass", "distrust", *topics]
    everywhere = {prefix + name for prefix in ("", "hosts:", "domains:") for name in names}
    assert set(known) == {*everywhere, "editorial"}
    for name in ("pagerank", "trust", "distrust", *topics):
        for prefix in ("", "hosts:", "domains:"):
            assert known[prefix + name].sum() == pytest.approx(1, abs=1e-5)


def test_trust_comes_from_hosts_and_gets_to_the_farm_late(engine):
    target = "http://farm.test/target"
    best = [page.url for page in engine.top(3, "pagerank")]
    assert target in best
    assert value(engine, "trust", "http://portal.test/ships") > value(engine, "trust", target)
    assert value(engine, "trust", target) == 0
    assert value(engine, "spam-mass", target) == pytest.approx(1)
    assert value(engine, "distrust", "http://farm.test/p2") > 0


def test_topics_are_named_by_pages_files_directories_and_queries(engine):
    best = {page.url for page in engine.top(2, "topic:cats")}
    assert best == {"http://cats.test/", "http://cats.test/lion"}
    for ship in ("http://ships.test/tug", "http://portal.test/"):
        assert value(engine, "topic:ships", ship) > value(engine, "topic:cats", ship) == 0
    assert [page.title for page in engine.top(1, "topic:harbours")] == ["A harbour"]
    assert [page.url for page in engine.top(1, "hosts:topic:cats")] == ["cats.test"]


def test_the_menu_of_a_directory_is_no_part_of_a_topic(engine, folder):
    """The list of ships also leads back to the portal; the cat site names nothing but its own pages."""

    def ranked(pages):
        return {page.url: pytest.approx(page.value, abs=1e-6) for page in pages}

    ships = [f"http://ships.test/{ship}" for ship in SHIPS]
    assert ranked(engine.top(50, "topic:ships")[:5]) == ranked(engine.personal(ships, 50)[:5])
    own = [{"name": "cats", "directory": "http://cats.test/"}]
    with Engine.open(folder, settings=settings(topics=own)) as other:
        other.rank(only=["topic:cats"])
        cats = [f"http://cats.test/{cat}" for cat in CATS]
        assert ranked(other.top(4, "topic:cats")) == ranked(other.personal(cats, 4))
    engine.rank(only=["topic:cats"])


def test_one_rank_is_replaced_alone(engine, folder):
    before = stored(engine.graph().generation)
    number = engine.graph().generation.number
    with Engine.open(folder, settings=settings(trusted=["http://ships.test/harbour"])) as other:
        done = other.rank(only=["trust", "hosts:trust"])
    assert (done.ranks, done.notes, done.converged) == (("trust", "hosts:trust"), (), True)
    assert done.steps > 1
    assert 0 < done.residual <= 1e-9
    counted = engine.rank(only=["indegree"])
    assert (counted.steps, counted.residual, counted.converged) == (0, 0.0, True)
    after = stored(engine.graph().generation)
    assert engine.graph().generation.number == number
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert changed == {"trust", "hosts:trust"}
    assert engine.top(1, "hosts:trust")[0].url == "ships.test"
    engine.rank(only=["trust", "hosts:trust"])
    assert np.allclose(stored(engine.graph().generation)["trust"], before["trust"])


def test_seeds_that_nobody_knows_are_told(folder):
    unknown = settings(trusted=["nowhere.test", "http://cats.test/lion"], spam=["http://"], topics=[])
    with Engine.open(folder, settings=unknown) as engine:
        done = engine.rank(only=["trust"])
        assert done.notes == (
            "trusted: the graph has no page of nowhere.test",
            "spam: the graph has no page of http://",
        )
        with pytest.raises(BadSetting, match="name pages of the graph as `spam`"):
            engine.rank(only=["distrust"])
        with pytest.raises(BadSetting, match="there is no rank 'fame'; choose from: pagerank"):
            engine.rank(only=["fame"])
        only_of_pages = "also with the prefix hosts: or domains:; and for pages only: editorial$"
        for wrong in ("fame", "hosts:editorial"):
            with pytest.raises(BadSetting, match=only_of_pages):
                engine.rank(only=[wrong])
    with Engine.open(folder, settings=settings()) as engine:
        engine.rank(only=["trust"])


@pytest.mark.parametrize(
    ("topics", "said"),
    [
        ([{"name": "a b", "pages": ["x.test"]}], "not a valid topic name"),
        ([{"name": "a"}], "needs pages, a directory or a query"),
        ([{"name": "a", "pages": "x.test"}], "must be a list"),
        ([{"name": "a", "pages": ["x.test"]}, {"name": "a", "query": "x"}], "two topics named a"),
    ],
)
def test_topics_that_cannot_be_are_told_when_settings_are_read(folder, topics, said):
    with pytest.raises(BadSetting, match=said):
        Engine.open(folder, settings=settings(topics=topics))


def test_files_of_topics_that_are_not_there(folder):
    topics = [{"name": "a", "pages": ["@no.txt"]}]
    with (
        Engine.open(folder, settings=settings(topics=topics)) as engine,
        pytest.raises(BadSetting, match=r"no.txt.*read"),
    ):
        engine.rank(only=["trust"])


def test_seeds_are_proposed_by_where_they_lead(engine):
    proposed = [page.url for page in engine.propose_seeds(3)]
    assert "http://farm.test/target" in proposed  # a person has to look


def test_a_host_proposes_two_pages_before_the_others_have_their_turn(engine):
    """Thirty pages of the farm lead further than most."""
    proposed = engine.propose_seeds(50)
    hosts = [page.url.split("/")[2] for page in proposed]
    assert max(Counter(hosts[:10]).values()) == 2
    assert set(hosts[:10]) == {f"{name}.test" for name in ("portal", "cats", "ships", "farm", "fans")}
    assert set(hosts[20:]) == {"farm.test"}
    values = [page.value for page in proposed[:10]]
    assert values == sorted(values, reverse=True)


def test_what_was_not_kept_is_not_proposed(tmp_path):
    """The first page leads to all others, and wants not to be indexed: nobody could look at it."""
    pages = {f"/{number}": html(f"<title>{number}</title><p>{number}</p>") for number in range(1, 5)}
    links = "".join(f'<a href="{path}">more</a>' for path in pages)
    pages["/"] = html(f'<meta name="robots" content="noindex"><title>All</title><p>{links}</p>')
    pages["/1"] = html('<title>One</title><p><a href="/2">two</a></p>')
    web = ScriptedWeb({"a.test": ScriptedHost(pages)})
    with Engine.open(tmp_path / "c", create=True, settings=settings(topics=[])) as engine:
        engine.crawl(["http://a.test/"], transport=ScriptedTransport(web))
        engine.rank()
        proposed = [page.url for page in engine.propose_seeds(10)]
        assert engine.graph().inward.pages == 5
    assert proposed[0] == "http://a.test/1"
    assert "http://a.test/" not in proposed


def test_by_spam_mass_come_only_pages_that_stand_high(engine):
    """Every page of the farm has as much of it as the target, and fools nobody."""
    assert value(engine, "spam-mass", "http://farm.test/p1") == pytest.approx(1)
    found = engine.top(50, "spam-mass")
    ranks = stored(engine.graph().generation)["pagerank"]
    assert found[0].url == "http://farm.test/target"
    high = [value(engine, "pagerank", page.url) for page in found]
    assert min(high) >= 10 * ranks.min()
    assert len(found) == np.count_nonzero(ranks >= 10 * ranks.min()) < len(ranks)


def test_ranks_of_nothing(tmp_path):
    with Engine.open(tmp_path / "c", create=True, settings=settings(topics=[])) as engine:
        with pytest.raises(GossamerError, match="run: gossamer rank"):
            engine.top(3)
        done = engine.rank()
        assert done.pages == 0
        assert engine.top(3, "harmonic") == []
        with pytest.raises(BadSetting, match="there is no rank 'trust'"):
            engine.top(3, "trust")


def test_harmonic_centrality_of_many_pages_is_computed_when_it_is_asked_for(tmp_path):
    folder = crawled(tmp_path / "c", harmonic_pages=3, topics=[], trusted=[], spam=[])
    with Engine.open(folder, settings=settings(harmonic_pages=3, topics=[], trusted=[], spam=[])) as engine:
        assert "harmonic" not in engine.graph().generation.ranks
        engine.rank(only=["harmonic"])
        assert engine.top(1, "harmonic")[0].value > 1


def test_eigenvector_centrality_is_computed_from_when_it_is_first_named(tmp_path):
    folder = crawled(tmp_path / "c", topics=[], trusted=[], spam=[])
    with Engine.open(folder, settings=settings(topics=[], trusted=[], spam=[])) as engine:
        with pytest.raises(BadSetting, match="there is no rank 'eigenvector'"):
            engine.top(1, "eigenvector")
        engine.rank(only=["eigenvector", "hosts:eigenvector"])
        first = [page.url for page in engine.top(5, "eigenvector")]
        graph = engine.graph()
        values = graph.generation.rank("eigenvector").astype(float)
        inward = graph.inward
        given = np.array([values[inward.sources[a:b]].sum() for a, b in pairwise(inward.starts)])
        assert given == pytest.approx(given.sum() / values.sum() * values, abs=1e-4)
        assert values.max() > 0.1
        engine.rank()
        assert [page.url for page in engine.top(5, "eigenvector")] == first
        assert "hosts:eigenvector" in stored(engine.graph().generation)


def test_degree_centrality_is_the_share_of_other_pages_that_have_to_do_with_one(tmp_path):
    folder = crawled(tmp_path / "c", topics=[], trusted=[], spam=[])
    with Engine.open(folder, settings=settings(topics=[], trusted=[], spam=[])) as engine:
        done = engine.rank(only=["degree", "hosts:degree"])
        assert done.ranks == ("degree", "hosts:degree")
        known = stored(engine.graph().generation)
        for level in ("", "hosts:"):
            popular = known[level + "popularity"]
            assert known[level + "degree"] == pytest.approx(popular / (len(popular) - 1))
        assert engine.top(1, "degree")[0].url == "http://farm.test/target"
        engine.rank()
        assert engine.top(1, "hosts:degree")


def test_persons_see_what_their_pages_lead_to(engine):
    liked = engine.personal(["http://cats.test/lion", "ships.test"], 50)
    assert [page.rank for page in liked] == list(range(1, 51))[: len(liked)]
    own = {page.url: page.value for page in liked}
    assert sum(own.values()) == pytest.approx(1)
    assert min(own["http://cats.test/lion"], own["http://ships.test/tug"]) > 0.02
    assert own.get("http://farm.test/target", 0) == 0  # no liked page leads there
    cats = engine.personal(["http://cats.test/lion"], 1)
    assert cats[0].url in {"http://cats.test/", "http://cats.test/lion"}
    assert [page.url for page in engine.personal(["@feline.txt"], 5)] == [
        page.url for page in engine.personal("http://cats.test/lion", 5)
    ]
    for nowhere in (["nowhere.test"], [], ["cats.test", "http://cats.test/dog"]):
        with pytest.raises(UsageError, match="the graph has no page of"):
            engine.personal(nowhere)
