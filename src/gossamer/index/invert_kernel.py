# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value"
"""Turns documents around: from the stream of their terms to the postings of every term.

A term's cursor is a row of numbers, so that a token touches one line of the cache: the place of its next
position, its posting, its entry, the document in which it was met last, plus 1, the position it had there,
and where that one is written. Documents rise, so a term is in a new posting when its document is another one:
two passes over the stream need no sorting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.positions_kernel import BLOCK, BLOCK_BITS, LAST, put, size_of
from gossamer.kernel import kernel, kernel_part

RANGE_BITS = 12  # documents in a range: 4,096; 65,536 costs half as much again at query time
RANGE_SIZE = 1 << RANGE_BITS
PLACE, POSTING, ENTRY, MET = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
POSITION, WRITTEN = np.uint64(4), np.uint64(5)
CURSOR = 8  # numbers in a row: 32 bytes, two rows in a line of the cache
ONE = np.uint64(1)


@kernel
def renumber(stream: NDArray[np.uint32], numbers: NDArray[np.uint32], counts: NDArray[np.int64]) -> None:
    """Replaces every number of the stream by what the table says, and counts how often each stood there."""
    for i in range(len(stream)):
        number = stream[i]
        counts[number] += 1
        stream[i] = numbers[number]


@kernel
def count(
    stream: NDArray[np.uint32],
    begins: NDArray[np.int64],
    sizes: NDArray[np.int64],
    cursors: NDArray[np.uint32],
) -> None:
    """Bytes of positions, postings and entries of every term, in the columns of its cursor, 0 at first."""
    for doc in range(len(sizes)):
        begin = np.uint64(begins[doc])
        for position in range(sizes[doc]):
            term = np.uint64(stream[begin + np.uint64(position)])
            met = np.int64(cursors[term, MET])
            number = position
            if met == doc + 1:
                number -= np.int64(cursors[term, POSITION]) + 1
            else:
                cursors[term, POSTING] += np.uint32(1)
                if met == 0 or (met - 1) >> RANGE_BITS != doc >> RANGE_BITS:
                    cursors[term, ENTRY] += np.uint32(1)
                cursors[term, MET] = doc + 1
            cursors[term, POSITION] = position
            cursors[term, PLACE] += np.uint32(size_of(number))


@kernel
def begin(cursors: NDArray[np.uint32], term_entries: NDArray[np.uint32]) -> tuple[int, int, int]:
    """Makes cursors of counts, each at its term's first; the number of bytes, postings and entries."""
    places, postings, entries = np.int64(0), np.int64(0), np.int64(0)
    for term in range(len(cursors)):
        term_entries[term] = entries
        own_places, own_postings, own_entries = cursors[term, 0], cursors[term, 1], cursors[term, 2]
        cursors[term, 0] = places
        cursors[term, 1] = postings
        cursors[term, 2] = entries
        cursors[term, 3] = 0
        places += own_places
        postings += own_postings
        entries += own_entries
    term_entries[len(cursors)] = entries
    return places, postings, entries


@kernel_part
def level_of(tf: float, k1: float, levels: int) -> int:
    """The quantised BM25F impact of a posting whose weighted term frequency is `tf`."""
    return max(1, min(levels, np.int64(np.ceil(levels * tf / (k1 + tf)))))


@kernel_part
def end_posting(
    cursors: NDArray[np.uint32],
    term: np.uint64,
    level: int,
    entry_highest: NDArray[np.uint8],
    posting_impacts: NDArray[np.uint8],
    positions: NDArray[np.uint8],
) -> None:
    """The posting before the cursor is whole: its impact is known, and which position is its last."""
    entry = np.uint64(cursors[term, ENTRY]) - ONE
    posting_impacts[np.uint64(cursors[term, POSTING]) - ONE] = level
    entry_highest[entry] = max(entry_highest[entry], level)
    positions[np.uint64(cursors[term, WRITTEN])] |= LAST


@kernel
def fill(
    stream: NDArray[np.uint32],
    begins: NDArray[np.int64],
    lengths: NDArray[np.uint32],
    shares: NDArray[np.float64],
    k1: float,
    levels: int,
    cursors: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_highest: NDArray[np.uint8],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[np.uint8],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
) -> None:
    """Fills the arrays of postings. One word adds shares[doc, field] to its term's weighted frequency."""
    frequencies = np.zeros(len(cursors), np.float64)
    for doc in range(lengths.shape[0]):
        i = np.uint64(begins[doc])
        position = 0
        for field in range(lengths.shape[1]):
            share = shares[doc, field]
            end = i + np.uint64(lengths[doc, field])
            while i < end:
                term = np.uint64(stream[i])
                place = np.uint64(cursors[term, PLACE])
                met = np.int64(cursors[term, MET])
                number = position
                if met == doc + 1:
                    number -= np.int64(cursors[term, POSITION]) + 1
                    frequencies[term] += share
                else:
                    if met != 0:
                        level = level_of(frequencies[term], k1, levels)
                        end_posting(cursors, term, level, entry_highest, posting_impacts, positions)
                    posting = np.int64(cursors[term, POSTING])
                    if met == 0 or (met - 1) >> RANGE_BITS != doc >> RANGE_BITS:
                        entry = np.uint64(cursors[term, ENTRY])
                        entry_ranges[entry] = doc >> RANGE_BITS
                        entry_postings[entry] = posting
                        cursors[term, ENTRY] = entry + ONE
                    posting_docs[np.uint64(posting)] = doc & (RANGE_SIZE - 1)
                    if posting & (BLOCK - 1) == 0:
                        position_blocks[np.uint64(posting >> BLOCK_BITS)] = place
                    cursors[term, POSTING] = posting + 1
                    cursors[term, MET] = doc + 1
                    frequencies[term] = share
                cursors[term, POSITION] = position
                cursors[term, WRITTEN] = place
                cursors[term, PLACE] = put(positions, place, number)
                position += 1
                i += ONE
    for t in range(len(cursors)):
        if cursors[t, 3] != 0:
            level = level_of(frequencies[t], k1, levels)
            end_posting(cursors, np.uint64(t), level, entry_highest, posting_impacts, positions)
