"""Pivot lengths follow the pages: in which order they came changes no score."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gossamer import Engine
from gossamer.index.manifest import read_manifest
from gossamer.jobs import sync_index as pivots

SHORT = [(f"http://short{n}.test/", f"cat {n}", "cat moon" + " cat" * (n % 3)) for n in range(9)]
LONG = [
    (f"http://long{n}.test/", f"moon {n}", " ".join(["moon river cat stone"] * (10 + 7 * n)))
    for n in range(9)
]
QUERIES = ["cat", "moon", "cat moon", "river stone cat"]


def corpus(path, rows):
    lines = [json.dumps({"url": url, "title": title, "text": text}) for url, title, text in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def engine_of(folder, partitions, *imports):
    settings = {"extract": {"workers": 0}}
    engine = Engine.open(folder / "collection", create=True, partitions=partitions, settings=settings)
    for number, rows in enumerate(imports):
        engine.import_files([corpus(folder / f"{number}.jsonl", rows)])
    return engine


def answers(engine):
    return {
        query: [(hit.url, hit.score) for hit in engine.search(query, k=20, everything=True).hits]
        for query in QUERIES
    }


def weighting(engine):
    return read_manifest(engine.directory / "partition-000" / "index").weighting


@pytest.mark.parametrize("partitions", [1, 3])
def test_the_order_in_which_pages_come_changes_no_score(tmp_path, partitions):
    told = []
    for name, imports in (("at-once", [SHORT + LONG]), ("short", [SHORT, LONG]), ("long", [LONG, SHORT])):
        (tmp_path / name).mkdir()
        with engine_of(tmp_path / name, partitions, *imports) as engine:
            told.append(answers(engine))
            assert engine.check().problems == ()
    assert told[0]["cat moon"]
    assert told[1] == told[2] == told[0]


def test_a_large_collection_follows_only_what_is_far_off(tmp_path, monkeypatch):
    monkeypatch.setattr(pivots, "SMALL", 3)
    with engine_of(tmp_path, 1, LONG) as engine:
        begun = weighting(engine)
        engine.import_files([corpus(tmp_path / "near.jsonl", [(*LONG[4][:1], "moon four", LONG[4][2])])])
        assert weighting(engine) == begun
        engine.import_files([corpus(tmp_path / "far.jsonl", SHORT)])
        assert weighting(engine) != begun


def test_weights_stay_as_they_were_frozen(tmp_path):
    with engine_of(tmp_path, 1, SHORT) as engine:
        begun = weighting(engine)
    settings = {"extract": {"workers": 0}, "weighting": {"title_weight": 9.0}}
    with Engine.open(tmp_path / "collection", settings=settings) as engine:
        engine.import_files([corpus(tmp_path / "more.jsonl", LONG)])
        now = weighting(engine)
        assert now.pivots != begun.pivots
        assert replace(now, pivots=begun.pivots) == begun
        engine.index(rebuild=True)
        assert weighting(engine) != now
