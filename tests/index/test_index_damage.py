"""A damaged file is not merged into a good one: the error names it, and all stays as it is."""

from __future__ import annotations

import shutil

import pytest
from history import COMMITS, PIVOTS, assert_serves, commit, leftovers, made_index, writer_of

from gossamer.index.index import Index
from gossamer.model import DamagedFile

READ_BY_A_COMMIT = ("columns", "deleted", "MANIFEST")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return made_index(tmp_path_factory.mktemp("base") / "index").directory


def files(base):
    """Every file of the segment that has lost documents, and the manifest."""
    (entry,) = [entry for entry in Index(base).manifest().segments if entry.deleted][:1]
    return [*sorted((base / entry.name).iterdir()), base / "MANIFEST"]


def damage(path):
    data = path.read_bytes()
    path.write_bytes(data[:10] + bytes([data[10] ^ 4]) + data[11:])


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def copies(base, folder):
    """For each file a copy of the index in which that one is damaged."""
    for path in files(base):
        shutil.copytree(base, folder)
        damaged = folder / path.relative_to(base)
        good = damaged.read_bytes()
        damage(damaged)
        yield damaged, good
        shutil.rmtree(folder)


def test_a_merge_does_not_spread_damage(base, tmp_path):
    for path, good in copies(base, tmp_path / "index"):
        index, before = Index(tmp_path / "index"), content(tmp_path / "index")
        with pytest.raises(DamagedFile, match=path.name):
            index.merge_all()
        assert content(index.directory) == before
        path.write_bytes(good)
        assert index.merge_all() > 1
        assert_serves(Index(index.directory), COMMITS)
        assert leftovers(index) == set()


def test_a_commit_names_the_damage_or_leaves_it_alone(base, tmp_path):
    for path, good in copies(base, tmp_path / "index"):
        index = Index(tmp_path / "index")
        if path.name.startswith(READ_BY_A_COMMIT):
            with pytest.raises(DamagedFile, match=path.name):
                commit(index, COMMITS + 1)
            path.write_bytes(good)
            assert_serves(Index(index.directory), COMMITS)
            commit(index, COMMITS + 1)
        else:
            commit(index, COMMITS + 1)
            with pytest.raises(DamagedFile, match=path.name):
                Index(index.directory).snapshot()
            path.write_bytes(good)
        assert_serves(Index(index.directory), COMMITS + 1)
        assert leftovers(index) == set()


def test_a_manifest_that_is_lost_is_damage_and_not_an_empty_index(base, tmp_path):
    folder = tmp_path / "index"
    shutil.copytree(base, folder)
    (folder / "MANIFEST").unlink()
    before = content(folder)
    with pytest.raises(DamagedFile, match="MANIFEST: it is missing"):
        Index(folder).snapshot()
    assert content(folder) == before


def test_a_first_segment_that_no_manifest_names_is_no_damage(tmp_path):
    index = Index(tmp_path / "index")
    index.write(writer_of({"http://a.test/": "cat"}, 1), PIVOTS, 1)
    assert index.snapshot().views == ()
    assert [path.name for path in index.tidy()] == ["segment-000001"]
