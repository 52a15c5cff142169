# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value"
"""Turns documents around: from the stream of their terms to the postings of every term.

A term's cursor is a row of four numbers, so that a token touches one line of the cache: the place of its next
position, its posting, its entry, and the document in which it was met last, plus 1. Documents rise, so a term
is in a new posting when its document is another one: two passes over the stream need no sorting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part

RANGE_BITS = 12  # documents in a range: 4,096; 65,536 costs half as much again at query time
RANGE_SIZE = 1 << RANGE_BITS
PLACE, POSTING, ENTRY, MET = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
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
    lengths: NDArray[np.uint32],
    cursors: NDArray[np.int64],
) -> None:
    """Every term's occurrences, postings and entries, in the columns of its cursor; they begin with 0."""
    for doc in range(lengths.shape[0]):
        i = np.uint64(begins[doc])
        end = i
        for field in range(lengths.shape[1]):
            end += np.uint64(lengths[doc, field])
        while i < end:
            term = np.uint64(stream[i])
            met = cursors[term, MET]
            cursors[term, PLACE] += 1
            cursors[term, POSTING] += met != doc + 1
            cursors[term, ENTRY] += (met - 1) >> RANGE_BITS != doc >> RANGE_BITS
            cursors[term, MET] = doc + 1
            i += ONE


@kernel
def begin(cursors: NDArray[np.int64], term_entries: NDArray[np.int64]) -> tuple[int, int, int]:
    """Makes cursors of counts, each before its term's first; the number of words, postings and entries."""
    places, postings, entries = 0, 0, 0
    for term in range(len(cursors)):
        term_entries[term] = entries
        own_places, own_postings, own_entries = cursors[term, 0], cursors[term, 1], cursors[term, 2]
        cursors[term, 0] = places
        cursors[term, 1] = postings - 1
        cursors[term, 2] = entries - 1
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


@kernel
def fill(
    stream: NDArray[np.uint32],
    begins: NDArray[np.int64],
    lengths: NDArray[np.uint32],
    shares: NDArray[np.float64],
    gap: int,
    k1: float,
    levels: int,
    cursors: NDArray[np.int64],
    entry_ranges: NDArray[np.uint32],
    entry_highest: NDArray[np.uint8],
    entry_postings: NDArray[np.int64],
    entry_positions: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[np.uint8],
    posting_offsets: NDArray[np.uint32],
    positions: NDArray[np.uint32],
) -> None:
    """Fills the arrays of postings. One word adds shares[doc, field] to its term's weighted frequency.

    A posting's impact is known when its term is met in another document, or at the end.
    """
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
                met = cursors[term, MET]
                if met == doc + 1:
                    frequencies[term] += share
                else:
                    posting, entry = cursors[term, POSTING], cursors[term, ENTRY]
                    if met != 0:
                        level = level_of(frequencies[term], k1, levels)
                        posting_impacts[np.uint64(posting)] = level
                        entry_highest[np.uint64(entry)] = max(entry_highest[np.uint64(entry)], level)
                    posting += 1
                    if (met - 1) >> RANGE_BITS != doc >> RANGE_BITS:
                        entry += 1
                        entry_ranges[np.uint64(entry)] = doc >> RANGE_BITS
                        entry_postings[np.uint64(entry)] = posting
                        entry_positions[np.uint64(entry)] = place
                        cursors[term, ENTRY] = entry
                    posting_docs[np.uint64(posting)] = doc & (RANGE_SIZE - 1)
                    posting_offsets[np.uint64(posting)] = place - np.uint64(entry_positions[np.uint64(entry)])
                    cursors[term, POSTING] = posting
                    cursors[term, MET] = doc + 1
                    frequencies[term] = share
                positions[place] = position
                cursors[term, PLACE] = place + ONE
                position += 1
                i += ONE
            position += gap
    for t in range(len(cursors)):
        if cursors[t, 3] != 0:
            level = level_of(frequencies[t], k1, levels)
            posting_impacts[cursors[t, 1]] = level
            entry_highest[cursors[t, 2]] = max(entry_highest[cursors[t, 2]], level)
