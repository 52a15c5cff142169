# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value"
"""Turns documents around: from the stream of their terms to the postings of every term.

A term's cursor is a row, so that a token touches one line of the cache. Documents rise, so a term is in a new
posting when its document is another one: two passes over the stream need no sorting. Terms follow each other
by no rule, so their cursors and their postings are in no cache: both are asked for some tokens ahead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.positions_kernel import BLOCK, BLOCK_BITS, LAST, put, size_of
from gossamer.kernel import unchecked_kernel, unchecked_part
from gossamer.text.prefetch_kernel import prefetch_to_write

RANGE_BITS = 12  # documents in a range: 4,096; 65,536 costs half as much again at query time
RANGE_SIZE = 1 << RANGE_BITS
CURSOR = np.dtype(
    [
        ("place", np.uint32),  # of the next position; at first the bytes of all positions
        ("posting", np.uint32),  # the next one; at first how many there are
        ("entry", np.uint32),  # the next one; at first how many there are
        ("met", np.uint32),  # the document in which the term was met last, plus 1
        ("position", np.uint32),  # that it had there last
        ("size", np.uint8),  # of that position, in bytes
        ("highest", np.uint8),  # impact in the entry before the next one
        ("unused", np.uint16),
        ("frequency", np.float64),  # in the document, weighted
    ]
)  # 32 bytes, two in a line of the cache
ONE = np.uint64(1)
FAR, NEAR = np.uint64(32), np.uint64(16)  # tokens ahead: of fetching a cursor, and of what it points to

Cursors = NDArray[Any]


@unchecked_kernel
def renumber(
    words: NDArray[np.uint32],
    term_of_word: NDArray[np.uint32],
    counts: NDArray[np.int64],
    terms: NDArray[np.uint32],
) -> None:
    """Writes the terms of words, and counts how often each word came."""
    for i in range(len(words)):
        word = np.uint64(words[i])
        counts[word] += 1
        terms[i] = term_of_word[word]


@unchecked_kernel
def count(
    stream: NDArray[np.uint32], begins: NDArray[np.int64], sizes: NDArray[np.int64], cursors: Cursors
) -> None:
    """Bytes of positions, postings and entries of every term, in its cursor, where all is 0 at first."""
    last = np.uint64(len(stream)) - ONE
    for doc in range(len(sizes)):
        i = np.uint64(begins[doc])
        for position in range(sizes[doc]):
            prefetch_to_write(cursors, np.uint64(stream[min(i + FAR, last)]))
            cursor = cursors[np.uint64(stream[i])]
            met = np.int64(cursor.met)
            number = position
            if met == doc + 1:
                number -= np.int64(cursor.position) + 1
            else:
                cursor.posting += 1
                if met == 0 or (met - 1) >> RANGE_BITS != doc >> RANGE_BITS:
                    cursor.entry += 1
                cursor.met = doc + 1
            cursor.position = position
            cursor.place += size_of(number)
            i += ONE


@unchecked_kernel
def begin(cursors: Cursors, term_entries: NDArray[np.uint32]) -> tuple[int, int, int]:
    """Makes cursors of counts, each at its term's first; the number of bytes, postings and entries."""
    places, postings, entries = np.int64(0), np.int64(0), np.int64(0)
    for term in range(len(cursors)):
        cursor = cursors[term]
        term_entries[term] = entries
        own_places, own_postings, own_entries = cursor.place, cursor.posting, cursor.entry
        cursor.place, cursor.posting, cursor.entry, cursor.met = places, postings, entries, 0
        places += own_places
        postings += own_postings
        entries += own_entries
    term_entries[len(cursors)] = entries
    return places, postings, entries


@unchecked_part
def level_of(tf: float, k1: float, levels: int) -> int:
    """The quantised BM25F impact of a posting whose weighted term frequency is `tf`."""
    return max(1, min(levels, np.int64(np.ceil(levels * tf / (k1 + tf)))))


@unchecked_part
def end_posting(
    cursor: Any, k1: float, levels: int, posting_impacts: NDArray[np.uint8], positions: NDArray[np.uint8]
) -> None:
    """The posting before the cursor is whole: its impact is known, and which position is its last."""
    level = level_of(cursor.frequency, k1, levels)
    posting_impacts[np.uint64(cursor.posting) - ONE] = level
    positions[np.uint64(cursor.place) - np.uint64(cursor.size)] |= LAST
    cursor.highest = max(cursor.highest, np.uint8(level))


@unchecked_part
def begin_entry(
    cursor: Any,
    doc: int,
    entry_ranges: NDArray[np.uint16],
    entry_highest: NDArray[np.uint8],
    entry_postings: NDArray[np.uint32],
) -> None:
    """The document is in another range than the one in which the term was met last, if it was met."""
    entry = np.uint64(cursor.entry)
    if cursor.met != 0:
        entry_highest[entry - ONE] = cursor.highest
    entry_ranges[entry] = doc >> RANGE_BITS
    entry_postings[entry] = cursor.posting
    cursor.entry = entry + ONE
    cursor.highest = 0


@unchecked_kernel
def fill(
    stream: NDArray[np.uint32],
    begins: NDArray[np.int64],
    lengths: NDArray[np.uint32],
    shares: NDArray[np.float64],
    k1: float,
    levels: int,
    cursors: Cursors,
    entry_ranges: NDArray[np.uint16],
    entry_highest: NDArray[np.uint8],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[np.uint8],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
) -> None:
    """Fills the arrays of postings. One word adds shares[doc, field] to its term's weighted frequency."""
    last = np.uint64(len(stream)) - ONE
    for doc in range(lengths.shape[0]):
        i = np.uint64(begins[doc])
        position = 0
        for field in range(lengths.shape[1]):
            share = shares[doc, field]
            end = i + np.uint64(lengths[doc, field])
            while i < end:
                prefetch_to_write(cursors, np.uint64(stream[min(i + FAR, last)]))
                near = cursors[np.uint64(stream[min(i + NEAR, last)])]
                prefetch_to_write(positions, np.uint64(near.place))
                prefetch_to_write(posting_docs, np.uint64(near.posting))
                prefetch_to_write(posting_impacts, np.uint64(near.posting))
                cursor = cursors[np.uint64(stream[i])]
                place, met = np.uint64(cursor.place), np.int64(cursor.met)
                number = position
                if met == doc + 1:
                    number -= np.int64(cursor.position) + 1
                    cursor.frequency += share
                else:
                    if met != 0:
                        end_posting(cursor, k1, levels, posting_impacts, positions)
                    if met == 0 or (met - 1) >> RANGE_BITS != doc >> RANGE_BITS:
                        begin_entry(cursor, doc, entry_ranges, entry_highest, entry_postings)
                    posting = np.uint64(cursor.posting)
                    posting_docs[posting] = doc & (RANGE_SIZE - 1)
                    if posting & np.uint64(BLOCK - 1) == 0:
                        position_blocks[posting >> np.uint64(BLOCK_BITS)] = place
                    cursor.posting = posting + ONE
                    cursor.met = doc + 1
                    cursor.frequency = share
                behind = put(positions, place, number)
                cursor.position, cursor.place, cursor.size = position, behind, behind - place
                position += 1
                i += ONE
    for term in range(len(cursors)):
        cursor = cursors[term]
        if cursor.met != 0:
            end_posting(cursor, k1, levels, posting_impacts, positions)
            entry_highest[np.uint64(cursor.entry) - ONE] = cursor.highest
