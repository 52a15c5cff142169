"""Merged postings, against the postings of all documents at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from history import writer_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_index_invert import DOCUMENTS, PIVOTS, TERMS, assert_same, stream_of

from gossamer.index import merge as merging
from gossamer.index.index import Index
from gossamer.index.manifest import SegmentEntry
from gossamer.index.merge import batches, choose, count_living, fitting_together, merge_postings
from gossamer.index.postings import MOST, MOST_DOCUMENTS, Postings, invert, read_postings


def inverted(documents, terms=TERMS):
    stream, begins, lengths = stream_of(documents)
    return invert(stream, terms, begins, lengths, PIVOTS)


def merged(folder, segments, places):
    """Merges segments that all number the same terms; unused ones fall away."""
    inputs = [inverted(documents) for documents in segments]
    living = [count_living(postings, own) for postings, own in zip(inputs, places, strict=True)]
    used = np.flatnonzero(sum(living))
    table = np.zeros(TERMS, np.uint32)
    table[used] = np.arange(len(used))
    merge_postings(folder, inputs, places, [table] * len(inputs), living, len(used))
    return read_postings(folder), used


@pytest.mark.parametrize("at_once", [(1, 1), (merging.POSTINGS_AT_ONCE, merging.SPANS_AT_ONCE)])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(documents=DOCUMENTS, random=st.randoms(use_true_random=False), count=st.integers(1, 4))
def test_merged_postings_equal_those_of_all_living_documents(
    tmp_path, monkeypatch, at_once, documents, random, count
):
    monkeypatch.setattr(merging, "POSTINGS_AT_ONCE", at_once[0])
    monkeypatch.setattr(merging, "SPANS_AT_ONCE", at_once[1])
    owners = [random.randrange(count) for _ in documents]
    alive = [random.random() < 0.8 for _ in documents]
    segments = [[d for d, owner in zip(documents, owners, strict=True) if owner == s] for s in range(count)]
    new = np.where(alive, np.cumsum(alive) - 1, -1)
    places = [new[np.array(owners, int) == s].astype(np.int64) for s in range(count)]
    found, used = merged(tmp_path, segments, places)
    numbers = {term: number for number, term in enumerate(used.tolist())}
    kept = [
        [[numbers[term] for term in field] for field in document]
        for document, lives in zip(documents, alive, strict=True)
        if lives
    ]
    assert_same(found, inverted(kept, len(used)))


def test_segments_of_many_ranges_are_merged(tmp_path):
    documents = [[[], [], [], [0] if d % 3 else [1, 0], [], []] for d in range(9000)]
    even, odd = np.arange(0, 9000, 2), np.arange(1, 9000, 2)
    found, _ = merged(tmp_path, [documents[::2], documents[1::2]], [even, odd])
    assert_same(found, inverted(documents, 2))


@given(st.lists(st.integers(1, 20), max_size=30), st.integers(1, 5))
def test_batches_cover_all_terms_in_order(frequencies, segments):
    spans = list(batches(np.array(frequencies, np.int64), segments))
    assert [n for first, last in spans for n in range(first, last)] == list(range(len(frequencies)))


def test_nothing_is_merged_into_nothing(tmp_path):
    found, _ = merged(tmp_path, [[]], [np.empty(0, np.int64)])
    assert isinstance(found, Postings)
    assert found.term_entries.tolist() == [0]
    assert found.entry_postings.tolist() == [0]
    assert found.position_blocks.tolist() == [0]


def entries_of(*sizes):
    return [SegmentEntry(f"segment-{n:06d}", 10, size=size) for n, size in enumerate(sizes, 1)]


def test_no_segment_becomes_larger_than_it_can_be():
    half = MOST // 2
    assert choose(entries_of(half, half, half), 2) == entries_of(half, half)
    assert choose(entries_of(half + 2, half, half), 3) == []
    assert fitting_together(entries_of(MOST, 1, 2)) == entries_of(0, 1, 2)[1:]
    many = [replace(entry, documents=MOST_DOCUMENTS // 2) for entry in entries_of(1, 2, 3)]
    assert fitting_together(many) == many[:2]


@pytest.mark.parametrize(
    ("sizes", "merged"), [((3, 4, 5), True), ((5, 9, 2), False), ((8, 8), False), ((7,), False)]
)
def test_segments_of_which_none_holds_half_become_one(tmp_path, sizes, merged):
    index, begin = Index(tmp_path), 0
    for size in sizes:
        texts = {f"http://a.test/{number}": f"cat {number}" for number in range(begin, begin + size)}
        index.commit(writer_of(texts, 1), np.empty(0, np.uint64), PIVOTS)
        begin += size
    index.merge_if_fragmented()
    assert len(index.manifest().segments) == (1 if merged else len(sizes))
    assert sum(entry.alive for entry in index.manifest().segments) == begin
