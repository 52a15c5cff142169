"""What the links of a page show, and why it ranks as it does."""

from __future__ import annotations

import json

import pytest
from linked_web import FARM, crawled, settings

from gossamer import Engine
from gossamer.model import BadUrl, UsageError


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    folder = crawled(
        tmp_path_factory.mktemp("links") / "c", partitions=2, trusted=["portal.test", "fans.test"]
    )
    with Engine.open(folder, settings=settings()) as engine:
        yield engine


def test_where_pagerank_comes_from_adds_up(engine):
    for url in ("http://farm.test/target", "http://cats.test/", "http://ships.test/harbour"):
        found = engine.links(url, 3)
        parts = found.from_links + found.from_jumps + found.from_dead_ends
        assert parts == pytest.approx(found.pagerank, rel=1e-6)
        assert [flow.flows for flow in found.flows] == sorted((f.flows for f in found.flows), reverse=True)
        for flow in found.flows:
            assert flow.flows == pytest.approx(0.85 * flow.rank / flow.out_degree)
            assert flow.share == pytest.approx(flow.flows / found.pagerank)


def test_links_with_what_they_say_vouched_and_not(engine):
    found = engine.links("http://farm.test/target", 100)
    assert (found.in_degree, found.out_degree) == (FARM, FARM - 1)
    said = {link.page.url: link.texts for link in found.in_links}
    assert said["http://fans.test/guest"] == ("cheap cats",)
    (paid,) = found.unvouched_in
    assert (paid.page.url, paid.texts) == ("http://fans.test/paid", ("an advertisement",))
    assert (found.unvouched_in_degree, found.unvouched_out_degree) == (1, 0)
    paying = engine.links("http://fans.test/paid", 1, 1)
    assert (paying.unvouched_out, paying.unvouched_in_degree, paying.unvouched_out_degree) == ([], 0, 1)
    assert engine.links("http://fans.test/paid").unvouched_out[0].page.url == "http://farm.test/target"
    assert {one.name for one in found.standings} >= {"pagerank", "trust", "spam-mass", "topic:cats"}
    assert next(one for one in found.standings if one.name == "pagerank").place <= 3
    json.dumps(found.as_dict())


def test_a_farm_that_trust_hardly_reaches_is_told(engine):
    (why, usual) = engine.links("http://farm.test/target").why
    assert f"comes from {FARM - 1} pages that trust hardly reaches" in why
    assert "the 1 that trust does reach give" in why
    assert "times the trust that is usual for its PageRank" in usual
    assert engine.links("http://portal.test/").why == []


def test_a_farm_that_no_trust_reaches_is_told(tmp_path):
    with Engine.open(crawled(tmp_path / "c"), settings=settings()) as engine:
        (why, _) = engine.links("http://farm.test/target").why
    assert f"comes from {FARM} pages that no trusted page reaches." in why


@pytest.mark.parametrize("typed", ["cats.test/lion", "https://cats.test/lion", "http://www.cats.test/lion/"])
def test_addresses_as_people_type_them(engine, typed):
    assert engine.links(typed).page.url == "http://cats.test/lion"


def test_a_page_that_nobody_knows(engine):
    with pytest.raises(
        UsageError, match=r"not in the link graph; the nearest known is http://cats.test/lion"
    ):
        engine.links("http://cats.test/lions")
    with pytest.raises(UsageError, match="gossamer rank"):
        engine.links("http://elsewhere.test/")
    with pytest.raises(BadUrl):
        engine.links("http://")
