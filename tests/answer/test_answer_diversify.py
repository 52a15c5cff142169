"""One host does not fill the page, copies stand behind the best, and no result is lost or comes twice."""

from __future__ import annotations

from collections import Counter

import pytest

from gossamer import Engine
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, html, page

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
STORY = [f"sentence{n} tells of ships" for n in range(40)]
KEYWORDS = '<title>K</title><meta name="keywords" content="zeppelin"><p>nothing of the sort'


def web():
    big = {f"/{n}": page(f"harbour {n}", f"harbour {'quay ' * (n + 1)} page{n}") for n in range(14)}
    hosts = {"big.test": ScriptedHost({"/": page("Big", "big", list(big)), **big})}
    for n in range(9):
        hosts[f"small{n}.test"] = ScriptedHost(
            {"/": page(f"harbour {n}", f"harbour {'boat ' * (n + 3)} small{n}")}
        )
    for n in range(3):  # the share of common runs of words is between 0.8 and 0.9
        words = " ".join([*STORY[: n * 2], *(f"other{n}x{i}" for i in range(3)), *STORY[n * 2 :]])
        hosts[f"story{n}.test"] = ScriptedHost({"/": page("A story", f"voyage {words}")})
    hosts["keywords.test"] = ScriptedHost({"/": html(KEYWORDS)})
    return ScriptedWeb(hosts)


def collection(folder, partitions):
    with Engine.open(folder, create=True, partitions=partitions, settings=SETTINGS) as engine:
        transport = ScriptedTransport(web())
        engine.crawl([f"http://{host}/" for host in web().hosts], transport=transport)
        engine.rank()
    return folder


@pytest.fixture(scope="module", params=[1, 3])
def engine(request, tmp_path_factory):
    folder = collection(tmp_path_factory.mktemp("diverse") / "c", request.param)
    with Engine.open(folder, settings={**SETTINGS, "search": {"fold_threshold": 0.6}}) as engine:
        yield engine


def hosts(hits):
    return Counter(hit.url.split("/")[2] for hit in hits)


def test_one_host_does_not_fill_the_page(engine):
    found = engine.search("harbour")
    assert found.total == 23
    assert hosts(found.hits)["big.test"] == 2
    (more,) = [hit.more_from_host for hit in found.hits if hit.more_from_host]
    assert more == 12
    assert hosts(engine.search("harbour", everything=True).hits)["big.test"] > 2


def test_results_without_snippets_are_the_same(engine):
    found, bare = engine.search("harbour", k=50), engine.search("harbour", k=50, snippets=False)
    assert [(hit.url, hit.score) for hit in found.hits] == [(hit.url, hit.score) for hit in bare.hits]
    assert any(hit.snippet.text for hit in found.hits)
    assert not any(hit.snippet.text for hit in bare.hits)


def test_where_the_site_is_asked_for_it_may(engine):
    assert hosts(engine.search("harbour site:big.test").hits) == {"big.test": 10}
    assert hosts(engine.search("quay").hits) == {"big.test": 10}


@pytest.mark.parametrize("k", [1, 4, 10, 23])
def test_pages_of_results_are_cut_from_one_list(engine, k):
    whole = [hit.url for hit in engine.search("harbour", 100).hits]
    assert len(set(whole)) == len(whole) == 23
    cut = [hit.url for offset in range(0, 23, k) for hit in engine.search("harbour", k, offset).hits]
    assert cut == whole
    ranks = [hit.rank for offset in range(0, 23, k) for hit in engine.search("harbour", k, offset).hits]
    assert ranks == list(range(1, 24))


def test_copies_stand_behind_the_best(engine):
    found = engine.search("voyage")
    assert found.total == 3
    assert found.folded == 2
    (hit,) = found.hits
    assert len({hit.url, *hit.similar}) == 3
    apart = engine.search("voyage", everything=True)
    assert {one.url for one in apart.hits} == {hit.url, *hit.similar}
    assert (apart.folded, apart.hits[0].similar) == (0, ())


def test_keywords_never_count(engine):
    assert engine.search("zeppelin").total == 0


def test_partitions_agree(engine, tmp_path):
    with Engine.open(
        collection(tmp_path / "c", 2), settings={**SETTINGS, "search": {"fold_threshold": 0.6}}
    ) as other:
        for query in ("harbour", "voyage", "harbour voyage", "ships quay"):
            pages = [one.search(query, 30) for one in (engine, other)]
            shown = [[(h.url, h.score, h.similar, h.more_from_host) for h in page.hits] for page in pages]
            assert shown[0] == shown[1]
            assert (pages[0].total, pages[0].folded) == (pages[1].total, pages[1].folded)
