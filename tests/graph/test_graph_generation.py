"""Generations on disk: the new one counts at once or not at all, and damage is named."""

import os
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_graphs import as_format_2, links_of, source_of, write_generation

from gossamer.graph.generation import FORMAT, forget_anchors, open_generation, verify, write_ranks
from gossamer.graph.pagerank import pagerank
from gossamer.model import DamagedFile, GossamerError, UsageError, WrongFormat
from gossamer.storage import files

LAST = 2**64 - 1
GRAPH = source_of([(5, 9, 0), (5, LAST, 0), (9, 5, 0)], hosts={LAST: "a.org", 5: "b.org", 9: "b.org"})
RANKS = {"pagerank": np.array([0.5, 0.3, 0.2]), "trust": np.array([1.0, 0.0, 0.0])}


def test_what_was_written_is_opened(tmp_path):
    written = write_generation(tmp_path / "graph", GRAPH, RANKS)
    opened = open_generation(tmp_path / "graph")
    for generation in (written, opened):
        assert generation.number == 1
        assert generation.fingerprints.tolist() == [LAST, 5, 9]
        assert generation.rank("pagerank").tolist() == [0.5, 0.3, 0.2]
        assert set(generation.ranks) == {"pagerank", "trust"}
        assert sorted(links_of(generation.graph())) == [(5, 9), (5, LAST), (9, 5)]
        assert generation.graph().out_degrees.tolist() == [0, 2, 1]
    assert sorted(p.name for p in (tmp_path / "graph").iterdir()) == ["MANIFEST", "gen-000001"]
    assert verify(tmp_path / "graph") == []


def test_ranks_can_be_computed_from_what_lies_on_disk(tmp_path):
    write_generation(tmp_path, GRAPH, RANKS)
    opened = open_generation(tmp_path)
    result = pagerank(opened.graph(), start=opened.rank("pagerank"))
    assert result.converged
    assert result.values == pytest.approx(pagerank(opened.graph()).values)


def test_before_the_first_there_is_none(tmp_path):
    assert open_generation(tmp_path / "graph") is None
    assert verify(tmp_path / "graph") == []


def test_ranks_are_looked_up_by_fingerprint(tmp_path):
    generation = write_generation(tmp_path, GRAPH, RANKS)
    asked = np.array([9, 0, LAST, 6, 5, LAST - 1], np.uint64)
    assert generation.lookup("pagerank", asked).tolist() == [0.2, 0.0, 0.5, 0.0, 0.3, 0.0]
    assert generation.lookup("pagerank", asked[:0]).tolist() == []


@settings(max_examples=20, deadline=None)
@given(st.sets(st.integers(0, 50), max_size=20), st.lists(st.integers(0, 60), max_size=20))
def test_lookup_is_that_of_a_dictionary(tmp_path_factory, known, asked):
    pages = np.array(sorted(known), np.uint64)
    ranks = np.arange(1.0, len(pages) + 1)
    source = source_of([], pages=pages)
    generation = write_generation(tmp_path_factory.mktemp("graph"), source, {"r": ranks})
    table = dict(zip(pages.tolist(), ranks.tolist(), strict=True))
    assert generation.lookup("r", np.array(asked, np.uint64)).tolist() == [
        table.get(page, 0.0) for page in asked
    ]


def test_the_next_generation_replaces_the_last(tmp_path):
    old = write_generation(tmp_path, GRAPH, RANKS)
    write_generation(tmp_path, GRAPH, {"pagerank": np.array([0.1, 0.1, 0.8])})
    assert open_generation(tmp_path).number == 2
    assert open_generation(tmp_path).rank("pagerank").tolist() == [0.1, 0.1, 0.8]
    assert [p.name for p in tmp_path.glob("gen-*")] == ["gen-000002"]
    assert old.rank("pagerank").tolist() == [0.5, 0.3, 0.2]
    with pytest.raises(DamagedFile, match="gen-000001"):
        old.graph()


def test_what_a_killed_process_left_is_cleared_away(tmp_path):
    write_generation(tmp_path, GRAPH, RANKS)
    (tmp_path / "gen-000002").mkdir()
    (tmp_path / "gen-000002" / "starts.arrays").write_bytes(b"torn")
    (tmp_path / "MANIFEST.new").write_text("{")
    assert open_generation(tmp_path).number == 1
    assert verify(tmp_path) == []
    assert write_generation(tmp_path, GRAPH, RANKS).number == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["MANIFEST", "gen-000003"]


@pytest.mark.parametrize("name", ["fingerprints", "known", "order", "rank-pagerank", "sources"])
@pytest.mark.parametrize("how", ["first", "last", "short", "missing"])
@pytest.mark.parametrize("old", [False, True])
def test_damage_is_named(tmp_path, name, how, old):
    write_generation(tmp_path, GRAPH, RANKS)
    if old:
        as_format_2(tmp_path)
    path = tmp_path / "gen-000001" / f"{name}{'.npy' if old else '.arrays'}"
    content = bytearray(path.read_bytes())
    if how in {"first", "last"}:
        content[0 if how == "first" else -1] ^= 1
    path.write_bytes(content[:-2] if how == "short" else content)
    if how == "missing":
        path.unlink()
    (problem,) = verify(tmp_path)
    assert path.name in problem
    with pytest.raises(DamagedFile, match=path.name):
        open_generation(tmp_path).graph()


def test_a_damaged_manifest_is_named(tmp_path):
    write_generation(tmp_path, GRAPH, RANKS)
    manifest = tmp_path / "MANIFEST"
    new = manifest.read_text()
    as_format_2(tmp_path)
    old = manifest.read_text()
    for text in (new, old):
        for damaged in (text[:-5], text.replace('"generation": 1', '"generation": 7'), "[]", "\x00", ""):
            manifest.write_text(damaged)
            with pytest.raises(DamagedFile, match="MANIFEST"):
                open_generation(tmp_path)
            assert "MANIFEST" in verify(tmp_path)[0]


def test_another_format_is_refused(tmp_path):
    write_generation(tmp_path, GRAPH, RANKS)
    content = files.read_manifest(tmp_path / "MANIFEST", FORMAT, "")
    files.write_manifest(tmp_path / "MANIFEST", {**content, "format": 9})
    with pytest.raises(WrongFormat, match=r"format 9.*; run: gossamer rank"):
        open_generation(tmp_path)
    assert "format 9" in verify(tmp_path)[0]


def test_a_generation_of_format_2_is_read(tmp_path):
    new = write_generation(tmp_path, GRAPH, RANKS, anchors=(7,))
    write_ranks(tmp_path, {"trust": np.array([0.5, 0.5, 0.0], np.float32)})
    as_format_2(tmp_path)
    assert {path.suffix for path in (tmp_path / "gen-000001").iterdir()} == {".npy"}
    opened = open_generation(tmp_path)
    assert (opened.number, opened.anchor_counts) == (1, (7,))
    assert opened.fingerprints.tolist() == new.fingerprints.tolist()
    assert opened.rank("pagerank").tolist() == [0.5, 0.3, 0.2]
    assert opened.rank("trust").tolist() == [0.5, 0.5, 0.0]
    assert opened.lookup("pagerank", np.array([9, LAST], np.uint64)).tolist() == [0.2, 0.5]
    assert sorted(links_of(opened.graph())) == [(5, 9), (5, LAST), (9, 5)]
    assert opened.outward().targets.tolist() == [0, 2, 1]
    assert [opened.sites("hosts").names[number] for number in range(2)] == ["a.org", "b.org"]
    assert opened.unvouched()[0].links == 0
    assert (opened.has("starts"), opened.has("naming")) == (True, False)
    assert verify(tmp_path) == []


def test_a_generation_of_format_2_takes_new_ranks(tmp_path):
    write_generation(tmp_path, GRAPH, RANKS, anchors=(7,))
    as_format_2(tmp_path)
    after = write_ranks(tmp_path, {"trust": np.array([0.2, 0.3, 0.5]), "harmonic": np.ones(3)})
    forget_anchors(tmp_path)
    for generation in (after, open_generation(tmp_path)):
        assert generation.rank("pagerank").tolist() == [0.5, 0.3, 0.2]
        assert generation.rank("trust").tolist() == [0.2, 0.3, 0.5]
        assert sorted(links_of(generation.graph())) == [(5, 9), (5, LAST), (9, 5)]
    assert (after.anchor_counts, open_generation(tmp_path).anchor_counts) == ((7,), None)
    assert verify(tmp_path) == []
    (tmp_path / "gen-000001" / "order.npy").write_bytes(b"torn")
    assert ["order.npy" in problem for problem in verify(tmp_path)] == [True]


def test_the_generation_after_one_of_format_2_has_no_npy_files(tmp_path):
    write_generation(tmp_path, GRAPH, RANKS)
    as_format_2(tmp_path)
    assert write_generation(tmp_path, GRAPH, RANKS).number == 2
    assert [path.name for path in tmp_path.glob("gen-*")] == ["gen-000002"]
    assert {path.suffix for path in (tmp_path / "gen-000002").iterdir()} == {".arrays"}
    assert "checksums" not in files.read_manifest(tmp_path / "MANIFEST", FORMAT, "")


def test_a_reader_that_meets_the_swap_takes_the_new_one(tmp_path, monkeypatch):
    write_generation(tmp_path, GRAPH, RANKS)
    swapped = []

    def swap_first(path):
        if not swapped:
            swapped.append(path)
            write_generation(tmp_path, GRAPH, RANKS)
        return files.read_arrays(path)

    monkeypatch.setattr("gossamer.graph.generation.read_arrays", swap_first)
    assert open_generation(tmp_path).number == 2


def test_a_full_disk_leaves_the_old_generation(tmp_path, monkeypatch):
    write_generation(tmp_path, GRAPH, RANKS)

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(GossamerError, match=r"gen-000002/known\.arrays: No space left"):
        write_generation(tmp_path, GRAPH, RANKS)
    monkeypatch.undo()
    assert open_generation(tmp_path).number == 1
    assert not (tmp_path / "gen-000002").exists()


def test_a_rank_is_added_or_replaced_without_the_graph(tmp_path):
    before = write_generation(tmp_path, GRAPH, RANKS, anchors=(7,))
    after = write_ranks(
        tmp_path, {"pagerank": np.array([0.1, 0.2, 0.7]), "topic:sport": np.ones(3, np.float32)}
    )
    assert (after.number, after.anchor_counts) == (1, (7,))
    for generation in (after, open_generation(tmp_path)):
        assert set(generation.ranks) == {"pagerank", "trust", "topic:sport"}
        assert generation.rank("pagerank").tolist() == [0.1, 0.2, 0.7]
        assert generation.rank("topic:sport").dtype == np.float32
        assert sorted(links_of(generation.graph())) == [(5, 9), (5, LAST), (9, 5)]
    assert before.rank("pagerank").tolist() == [0.5, 0.3, 0.2]
    write_ranks(tmp_path, {"pagerank": np.array([1.0, 0.0, 0.0])})
    found = sorted(path.name for path in (tmp_path / "gen-000001").glob("rank-*"))
    assert found == ["rank-pagerank.3.arrays", "rank-topic:sport.2.arrays", "rank-trust.arrays"]
    assert verify(tmp_path) == []


def test_ranks_of_sites_are_kept_apart(tmp_path):
    write_generation(tmp_path, GRAPH, RANKS)
    write_ranks(tmp_path, {"pagerank": np.array([0.2, 0.8])}, "hosts")
    write_ranks(tmp_path, {"pagerank": np.array([0.3, 0.7])}, "domains")
    generation = open_generation(tmp_path)
    assert generation.rank("pagerank").tolist() == [0.5, 0.3, 0.2]
    assert generation.site_ranks["hosts"]["pagerank"].tolist() == [0.2, 0.8]
    assert generation.site_ranks["domains"]["pagerank"].tolist() == [0.3, 0.7]
    with pytest.raises(ValueError, match="3 values for 2 hosts"):
        write_ranks(tmp_path, {"trust": np.ones(3)}, "hosts")


def test_a_rank_that_cannot_be_written_changes_nothing(tmp_path, monkeypatch):
    with pytest.raises(GossamerError, match="run: gossamer rank"):
        write_ranks(tmp_path, RANKS)
    write_generation(tmp_path, GRAPH, RANKS)
    with pytest.raises(UsageError, match="not a valid rank name"):
        write_ranks(tmp_path, {"../x": np.ones(3)})

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(GossamerError, match=r"rank-trust\.2\.arrays: No space left"):
        write_ranks(tmp_path, {"trust": np.ones(3)})
    monkeypatch.undo()
    assert open_generation(tmp_path).rank("trust").tolist() == [1.0, 0.0, 0.0]
    assert not list((tmp_path / "gen-000001").glob("rank-trust.*.arrays"))


def test_ranks_must_fit_the_graph(tmp_path):
    with pytest.raises(ValueError, match="2 values for 3 pages"):
        write_generation(tmp_path, GRAPH, {"pagerank": np.ones(2)})
    shutil.rmtree(tmp_path)
