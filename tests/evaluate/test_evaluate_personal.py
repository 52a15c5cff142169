"""Queries of one word on the demo web, by people of whom something is known: what they mean comes first.

What each means is judged already: it is what another query, which says so, is after.
"""

from __future__ import annotations

import re
from math import log2
from pathlib import Path

import pytest

from gossamer import Engine
from gossamer.demo.bundled_web import PORT, SEEDS, demo_web
from gossamer.demo.scripted_web import ScriptedTransport
from gossamer.demo.tour import settings
from gossamer.evaluate.judged_collection import NamedParts, read_parts

DEMO = Path(__import__("gossamer.demo").demo.__file__).parent
RANKING = Path(__file__).parents[2] / "docs" / "ranking.md"
ROW = re.compile(r"^\| `([^`]+)` \| (\w+) `([^`]+)` \| (q\d+) \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)
MEAN = re.compile(r"the average rises from (\d+\.\d+) to (\d+\.\d+)")
WITHIN = 0.2  # how far a crawl gets into the endless hosts changes the answers a bit
LEAST_BETTER = 0.1


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    with Engine.open(tmp_path_factory.mktemp("demo") / "c", create=True, settings=settings(PORT)) as engine:
        engine.crawl(SEEDS, transport=ScriptedTransport(demo_web()))
        engine.rank()
        yield engine


@pytest.fixture(scope="module")
def gains():
    gains = {}
    for one in read_parts(
        NamedParts(topics=DEMO / "queries.jsonl", qrels=DEMO / "qrels.tsv").alone()
    ).judgements:
        gains.setdefault(one.query, {})[one.document] = max(one.score, 0)
    return gains


@pytest.fixture(scope="module")
def measured(engine, gains):
    """Of each row of the documentation: nDCG@10 without and with what is known, and what is told of them."""
    rows = ROW.findall(RANKING.read_text("utf-8"))
    found = {}
    for query, kind, known, judged, *told in rows:
        how = {"country": known} if kind == "country" else {"context": [known]}
        plain, personal = engine.search(query, country=""), engine.search(query, **{"country": "", **how})
        reached = ndcg(plain, gains[judged]), ndcg(personal, gains[judged])
        found[query, kind, known] = reached, tuple(map(float, told))
    return found


def ndcg(found, gains):
    """nDCG@10 (Järvelin, Kekäläinen, 2002)."""
    reached = sum(gains.get(hit.url, 0) / log2(hit.rank + 1) for hit in found.hits)
    ideal = sorted(gains.values(), reverse=True)[:10]
    return reached / sum(gain / log2(place + 1) for place, gain in enumerate(ideal, 1))


def test_the_figures_are_those_that_are_told(measured):
    assert {kind for _, kind, _ in measured} == {"context", "country"}
    wrong = {asked: own for asked, (own, told) in measured.items() if own != pytest.approx(told, abs=WITHIN)}
    assert not wrong


@pytest.mark.parametrize("kind", ["context", "country"])
def test_what_is_known_helps(measured, kind):
    reached = [own for (_, own_kind, _), (own, _) in measured.items() if own_kind == kind]
    before, after = (sum(side) / len(reached) for side in zip(*reached, strict=True))
    assert after >= before + LEAST_BETTER
    if kind == "context":
        told = MEAN.search(" ".join(RANKING.read_text("utf-8").split())).groups()
        assert (before, after) == pytest.approx(tuple(map(float, told)), abs=WITHIN)
