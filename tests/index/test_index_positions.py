"""Positions in bytes, against plain Python."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index import postings as positions
from gossamer.index.postings import BLOCK, LAST, MORE, positions_of

POSTING = st.lists(st.integers(0, 2**22), min_size=1, max_size=9, unique=True).map(sorted)
SHORT = st.lists(st.integers(0, 70), min_size=1, max_size=3, unique=True).map(sorted)
POSTINGS = st.lists(POSTING | SHORT, max_size=3 * BLOCK)


def in_bytes(posting):
    """The positions of one posting by the book."""
    data, before = bytearray(), -1
    for place in posting:
        number, before = place - before - 1, place
        rest = number >> 6
        data.append(number & 0x3F | (LAST if place == posting[-1] else 0) | (MORE if rest else 0))
        while rest:
            data.append(rest & 0x7F | (MORE if rest > 0x7F else 0))
            rest >>= 7
    return bytes(data)


def written(postings):
    pieces = [in_bytes(posting) for posting in postings]
    ends = np.cumsum([0, *map(len, pieces)])
    blocks = [*ends[:-1:BLOCK].tolist(), int(ends[-1])]
    return np.frombuffer(b"".join(pieces), np.uint8), np.array(blocks, np.uint32)


@given(POSTINGS)
def test_every_posting_is_read_back(postings):
    data, blocks = written(postings)
    for number, posting in enumerate(postings):
        into = np.zeros(16, np.int64)
        assert positions_of(data, blocks, number, into) == len(posting)
        assert into[: len(posting)].tolist() == posting


@given(POSTINGS, st.data())
def test_many_postings_are_read_at_once_without_a_kernel(postings, data):
    stream, blocks = written(postings)
    first = data.draw(st.integers(0, len(postings)))
    last = data.draw(st.integers(first, len(postings)))
    found = positions.of_postings(stream, blocks, first, last)
    expected = [(number, place) for number in range(first, last) for place in postings[number]]
    assert list(zip(*(array.tolist() for array in found), strict=True)) == expected
    assert positions.counts(stream, blocks, len(postings)).tolist() == [len(posting) for posting in postings]


def test_postings_are_counted_some_at_a_time(monkeypatch):
    monkeypatch.setattr(positions, "AT_ONCE", 7)
    stream, blocks = written([[1, 2]] * 40 + [[5]] * 3)
    assert positions.counts(stream, blocks, 43).tolist() == [2] * 40 + [1] * 3
