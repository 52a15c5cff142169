"""Segments, deletions, merges: what goes in comes out."""

from __future__ import annotations

import os
import shutil
import weakref
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.index import postings
from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index, places_of
from gossamer.index.manifest import NAME, Manifest, write_manifest
from gossamer.index.writer import SegmentWriter
from gossamer.model import DamagedFile, GossamerError
from gossamer.storage.files import read_arrays, write_arrays
from gossamer.text.strings import CODING
from gossamer.text.terms import in_language

NOTHING = np.empty(0, np.uint64)
PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))

# The seven documents of the literature, with their printed positions (counted from 1).
JAGUAR = [
    "The jaguar is a New World mammal of the Felidae family.",
    "Jaguar has designed four new engines.",
    "For Jaguar, Atari was keen to use a 68K family device.",
    "The Jacksonville Jaguars are a professional US football team.",
    "Mac OS X Jaguar is available at a price of US $199 for Apple’s new 'family pack'.",
    "One such ruling family to incorporate the jaguar into their name is Jaguar Paw.",
    "It is a big cat.",
]


def writer_of(*pages):
    writer = SegmentWriter("xx")
    for one in pages:
        writer.add(one)
    return writer


def index_of(folder, *batches):
    index = Index(folder)
    for batch in batches:
        index.commit(writer_of(*batch), NOTHING, PIVOTS)
    return index


def holders(index, term):
    """The URLs of the living documents that hold a term."""
    found = set()
    for view in index.snapshot().views:
        number = view.segment.dictionary.number(in_language(term, "xx"))
        if number >= 0:
            docs = view.segment.postings.documents(number)
            alive = view.alive()
            found |= {view.segment.stored.document(int(d)).url for d in docs if alive[d]}
    return found


def positions(index, term):
    """Document name -> body positions of a term, counted from 1 as the literature does."""
    view = index.snapshot().views[0]
    number = view.segment.dictionary.number(in_language(term, "en"))
    found = defaultdict(list)
    for doc, place in zip(*view.segment.postings.places(number), strict=True):
        body = int(view.segment.columns.lengths[doc, :3].sum())
        if place >= body:
            found[view.segment.stored.document(int(doc)).url[-2:]].append(int(place) - body + 1)
    return dict(found)


def test_positions_of_the_seven_documents(tmp_path):
    pages = [page(f"http://h/d{i}", text, language="en") for i, text in enumerate(JAGUAR, 1)]
    index = index_of(tmp_path, pages)
    assert positions(index, "jaguar") == {
        "d1": [2], "d2": [1], "d3": [2], "d4": [3], "d5": [4], "d6": [8, 13]
    }  # fmt: skip
    assert positions(index, "famili") == {"d1": [11], "d3": [10], "d5": [16], "d6": [4]}
    assert positions(index, "new") == {"d1": [5], "d2": [5], "d5": [15]}
    assert positions(index, "us") == {"d4": [7], "d5": [11]}
    assert positions(index, "rule") == {"d6": [3]}
    assert positions(index, "world") == {"d1": [6]}
    assert positions(index, "footbal") == {"d4": [8]}


def test_a_committed_page_can_be_read_back(tmp_path):
    index = index_of(tmp_path, [page("http://a.test/x", "spotted cat", "Jaguar")])
    view = index.snapshot().views[0]
    stored = view.segment.stored.document(0)
    assert (stored.url, stored.title, stored.text) == ("http://a.test/x", "Jaguar", "spotted cat")
    assert holders(index, "spotted") == holders(index, "jaguar") == {"http://a.test/x"}
    assert index.snapshot().languages() == ["xx"]


def test_deleting_hides_and_merging_forgets(tmp_path):
    pages = [page(f"http://h/{i}", f"word w{i}") for i in range(6)]
    index = index_of(tmp_path, pages[:3], pages[3:])
    gone = np.array([pages[1].url.fingerprint, pages[4].url.fingerprint], np.uint64)
    index.commit(SegmentWriter("xx"), gone, PIVOTS)
    expected = {p.url.text for i, p in enumerate(pages) if i not in {1, 4}}
    assert holders(index, "word") == expected
    held = sorted(p.url.fingerprint for i, p in enumerate(pages) if i not in {1, 4})
    assert sorted(index.versions()[0].tolist()) == held
    assert index.snapshot().term_stats(["word"]).documents == 6
    assert index.merge(factor=2) == 2
    assert holders(index, "word") == expected
    assert sorted(index.versions()[0].tolist()) == sorted(Index(tmp_path).versions()[0].tolist()) == held
    word, gone_word = in_language("word", "xx"), in_language("w1", "xx")
    assert index.snapshot().term_stats([word, gone_word]).frequencies == {word: 4, gone_word: 0}
    assert index.snapshot().frequencies(f"{gone_word}\n{word}\n".encode(), 2).tolist() == [0, 4]
    assert len(list(tmp_path.glob("segment-*"))) == 1


def test_all_segments_become_one(tmp_path):
    pages = [page(f"http://h{i % 2}/{i}", f"word w{i}") for i in range(6)]
    index = index_of(tmp_path, pages[:1], pages[1:3], pages[3:])
    index.commit(SegmentWriter("xx"), np.array([pages[1].url.fingerprint], np.uint64), PIVOTS)
    assert index.merge_all() == 3
    assert holders(index, "word") == {p.url.text for p in pages if p is not pages[1]}
    (entry,) = index.manifest().segments
    assert (entry.documents, entry.deleted_documents) == (5, 0)
    assert entry.size == len(index.snapshot().views[0].segment.postings.positions)
    assert index.merge_all() == 0


@given(
    st.lists(st.integers(0, 2**64 - 1), unique=True),
    st.lists(st.integers(0, 2**64 - 1)),
    st.sets(st.integers(0, 9)),
)
def test_documents_are_found_by_their_fingerprints(there, others, chosen):
    fingerprints = np.array(there, np.uint64)
    wanted = np.array(others + [there[place] for place in chosen if place < len(there)], np.uint64)
    expected = [place for place, fingerprint in enumerate(there) if fingerprint in set(wanted.tolist())]
    assert places_of(wanted, fingerprints).tolist() == expected


def test_a_newer_version_replaces_the_older(tmp_path):
    index = index_of(tmp_path, [page("http://h/a", "old")])
    newer = page("http://h/a", "new", fetched_at=5.0)
    index.commit(writer_of(newer), np.array([newer.url.fingerprint], np.uint64), PIVOTS)
    assert holders(index, "old") == set()
    assert holders(index, "new") == {"http://h/a"}
    assert index.versions()[1].tolist() == [5.0]


def test_what_is_gone_already_is_not_deleted_again(tmp_path):
    old = page("http://h/a", "old")
    index = index_of(tmp_path, [old, page("http://h/b", "other")])
    for _ in range(2):
        index.commit(SegmentWriter("xx"), np.array([old.url.fingerprint], np.uint64), PIVOTS)
    (entry,) = index.manifest().segments
    assert (entry.deleted, entry.deleted_documents) == ("deleted-000002.arrays", 1)
    assert Index(tmp_path / "absent").versions()[0].tolist() == []


@given(st.lists(st.binary(max_size=5), max_size=200))
def test_bytes_may_come_in_pieces(tmp_path_factory, pieces):
    path = tmp_path_factory.mktemp("files") / "x.arrays"
    write_arrays(path, {"data": [*pieces, memoryview(b"end")], "behind": np.arange(3)})
    arrays = read_arrays(path)
    assert arrays["data"].tobytes() == b"".join(pieces) + b"end"
    assert arrays["behind"].tolist() == [0, 1, 2]


def test_a_snapshot_stays_as_it_is(tmp_path):
    index = index_of(tmp_path, [page("http://h/a", "one")])
    before = index.snapshot()
    other = Index(tmp_path)
    other.commit(writer_of(page("http://h/b", "two")), NOTHING, PIVOTS)
    other.merge(factor=2)
    assert before.documents == 1
    assert before.views[0].segment.stored.document(0).text == "one"
    assert index.snapshot().documents == 2


def test_segments_that_no_manifest_lists_are_removed(tmp_path):
    index = index_of(tmp_path, [page("http://h/a", "one")])
    index.write(writer_of(page("http://h/b", "two")), PIVOTS, 77)
    assert (tmp_path / "segment-000077").exists()
    assert [path.name for path in index.tidy()] == ["segment-000077"]
    assert holders(index, "one") == {"http://h/a"}


STRUCTURES = ["terms", "words", "entries", "documents", "impacts", "positions", "columns", "stored"]


def test_a_segment_has_a_file_for_every_structure(tmp_path):
    index_of(tmp_path, [page("http://h/a", "some words")])
    found = sorted(path.name for path in (tmp_path / "segment-000001").iterdir())
    assert found == sorted(f"{name}.arrays" for name in STRUCTURES)


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("damage", ["flip the first byte", "flip the directory", "cut", "empty", "remove"])
def test_damage_is_named(tmp_path, name, damage):
    index_of(tmp_path, [page("http://h/a", "some words to store here")])
    path = tmp_path / "segment-000001" / f"{name}.arrays"
    data = bytearray(path.read_bytes())
    if damage == "remove":
        path.unlink()
    else:
        data[0 if damage == "flip the first byte" else -30] ^= 1
        path.write_bytes({"cut": data[: len(data) // 2], "empty": b""}.get(damage, data))
    with pytest.raises(DamagedFile, match=f"{name}.arrays"):
        Index(tmp_path).snapshot()


def test_a_damaged_manifest_is_named(tmp_path):
    index_of(tmp_path, [page("http://h/a", "word")])
    path = tmp_path / "MANIFEST"
    path.write_bytes(path.read_bytes().replace(b'"documents": 1', b'"documents": 2'))
    with pytest.raises(DamagedFile, match="MANIFEST"):
        Index(tmp_path).snapshot()


WORDS = st.lists(st.sampled_from("a b c d e f g".split()), max_size=8).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12), st.data())
def test_merged_segments_equal_one_segment(tmp_path_factory, texts, data):
    pages = [page(f"http://h{i % 3}/{i}", text, title) for i, (text, title) in enumerate(texts)]
    cut = data.draw(st.integers(0, len(pages)))
    batches = [batch for batch in (pages[:cut], pages[cut:]) if batch]
    one = index_of(tmp_path_factory.mktemp("one"), pages)
    many = index_of(tmp_path_factory.mktemp("many"), *batches)
    many.merge(factor=2)
    assert described(one) == described(many)


def described(index):
    """Everything a posting says, independent of numbering."""
    (view,) = index.snapshot().views
    segment, found = view.segment, defaultdict(list)
    fingerprints = segment.columns.fingerprints.tolist()
    for number, term in enumerate(segment.dictionary.terms()):
        for doc, place in zip(*segment.postings.places(number), strict=True):
            found[term, fingerprints[doc]].append(int(place))
        levels = segment.postings.levels(number)
        for doc, level in zip(segment.postings.documents(number), levels, strict=True):
            found[term, fingerprints[doc]].append((int(level), segment.dictionary.form(number)))
    return dict(found)


@given(st.lists(st.text(alphabet="abé京\x00", min_size=1, max_size=12), max_size=60), st.data())
def test_terms_are_looked_up_as_one_by_one(tmp_path_factory, words, data):
    pages = [page(f"http://h/{n}", f"{word} common") for n, word in enumerate(words)]
    index = index_of(tmp_path_factory.mktemp("i"), pages) if pages else Index(tmp_path_factory.mktemp("i"))
    for view in index.snapshot().views:
        segment = view.segment
        known = list(segment.dictionary.terms())
        others = data.draw(st.lists(st.text(alphabet="abé京\x00", max_size=12), max_size=5))
        terms = tuple(data.draw(st.permutations(known)) + others + [term + "a" for term in known])
        found = segment.look_up(terms)
        assert found.numbers == [segment.dictionary.number(term) for term in terms]
        held = [segment.postings.frequency(n) if n >= 0 else 0 for n in found.numbers]
        assert found.frequencies == held
        lines = "".join(f"{term}\n" for term in terms).encode(*CODING)
        assert segment.frequencies(lines, len(terms)).tolist() == held


def test_a_reader_notices_every_swap_even_when_the_clock_stands_still(tmp_path):
    write_manifest(tmp_path, Manifest(1))
    os.utime(tmp_path / NAME, ns=(1 << 61, 1 << 61))  # far ahead of the clock
    reader = Index(tmp_path)
    assert reader.snapshot().generation == 1
    write_manifest(tmp_path, Manifest(2))
    assert (tmp_path / NAME).stat().st_mtime_ns == (1 << 61) + 1
    assert reader.snapshot().generation == 2


def test_a_segment_made_anew_under_the_same_name_is_opened_anew(tmp_path):
    index = index_of(tmp_path / "i", [page("http://h/1", "old")])
    assert index.snapshot().term_stats([in_language("old", "xx")]).frequencies[in_language("old", "xx")] == 1
    shutil.rmtree(tmp_path / "i")
    index_of(tmp_path / "i", [page("http://h/1", "new")])
    assert index.snapshot().term_stats([in_language("old", "xx")]).frequencies[in_language("old", "xx")] == 0


def test_a_snapshot_that_nobody_uses_is_closed_at_once(tmp_path):
    index = index_of(tmp_path / "i", [page("http://h/1", "word")])
    segment = index.snapshot().views[0].segment
    segment.look_up(("word",))
    watched = weakref.ref(segment)
    del index, segment
    assert watched() is None


def test_more_than_a_segment_can_hold_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(postings, "MOST", 2)
    with pytest.raises(GossamerError, match="memory_mb"):
        index_of(tmp_path / "i", [page("http://h/1", "one two three four")])
