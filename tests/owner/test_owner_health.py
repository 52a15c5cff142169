"""What an owner sees of the index and the graph: segments, ages, the generation of ranks."""

from __future__ import annotations

import json
from math import inf

import pytest

from gossamer import Engine
from gossamer import engine as module
from gossamer.owner.health import AGES, DAY

QUIET = {"extract": {"workers": 0}, "quality": {"near_duplicate_threshold": 1.0}}


@pytest.fixture
def engine(tmp_path):
    rows = [
        {"url": f"http://a.test/{n}", "title": f"Page {n}", "text": f"word{n} and more"} for n in range(5)
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with Engine.open(tmp_path / "c", create=True, partitions=2, settings=QUIET) as engine:
        yield engine


def test_an_empty_collection(engine):
    found = engine.health()
    assert found.segments == ()
    assert found.graph is None
    assert found.ages == tuple((days, 0) for days in AGES)


def test_pages_are_counted_once_by_age_and_by_segment(engine, tmp_path, monkeypatch):
    engine.import_files(tmp_path / "corpus.jsonl")
    found = engine.health()
    assert sum(one.documents - one.deleted for one in found.segments) == 5
    assert dict(found.ages) == dict.fromkeys(AGES, 0) | {1: 5}
    for days, expected in ((1, 7), (6.9, 7), (40, 90), (4000, inf)):
        now = module.time.time() + days * DAY
        with monkeypatch.context() as patch:
            patch.setattr(module.time, "time", lambda now=now: now)
            assert dict(engine.health().ages) == dict.fromkeys(AGES, 0) | {expected: 5}, days


def test_the_generation_of_ranks(engine, tmp_path):
    engine.import_files(tmp_path / "corpus.jsonl")
    engine.rank()
    graph = engine.health().graph
    assert graph.generation == 1
    assert graph.pages == 5
    assert graph.links == 0
    assert "pagerank" in graph.ranks
    assert graph.made > 1_700_000_000
