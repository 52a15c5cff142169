# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""How often, in which fields and how close to each other do the words of a query stand in these documents?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS, RANGE_SIZE
from gossamer.index.positions_kernel import LAST, number_at, place_of
from gossamer.kernel import kernel, kernel_part
from gossamer.search.bounds_kernel import lower_bound

FIELD = 1 << 40  # what a field adds to its positions, so that none is near to those of another


@kernel_part
def find(values: NDArray[Any], low: int, high: int, wanted: int) -> int:
    """The place of a value in a rising piece of an array, or -1."""
    place = lower_bound(values, low, high, wanted)
    return place if place < high and values[place] == wanted else -1


@kernel_part
def posting_of(
    term: int,
    doc: int,
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
) -> int:
    """The posting of a term in a document, or -1."""
    first, last = np.int64(term_entries[term]), np.int64(term_entries[term + 1])
    entry = find(entry_ranges, first, last, doc >> RANGE_BITS)
    if entry < 0:
        return -1
    begin, end = np.int64(entry_postings[entry]), np.int64(entry_postings[entry + 1])
    return find(posting_docs, begin, end, doc & (RANGE_SIZE - 1))


@kernel_part
def weigh_positions(
    positions: NDArray[np.uint8],
    place: np.uint64,
    lengths: NDArray[np.uint32],
    shares: NDArray[np.float64],
    row: int,
    found: NDArray[np.int64],
    count: int,
) -> tuple[float, int]:
    """Adds the positions of a posting to those found; what the frequency gains, and how many there are."""
    frequency = 0.0
    position = np.int64(-1)
    field, end = 0, np.int64(lengths[row, 0])
    first = np.uint8(0)
    while first & LAST == 0:
        first = positions[place]
        step, place = number_at(positions, place)
        position += step + 1
        while position >= end and field + 1 < lengths.shape[1]:
            field += 1
            end += np.int64(lengths[row, field])
        frequency += shares[row, field]
        found[count] = position + field * FIELD
        count += 1
    return frequency, count


@kernel_part
def least_distance(one: NDArray[np.int64], one_count: int, other: NDArray[np.int64], other_count: int) -> int:
    """The least distance of two positions; both lists rise."""
    i, j, least = 0, 0, np.int64(FIELD)
    while i < one_count and j < other_count:
        if one[i] < other[j]:
            least = min(least, other[j] - one[i])
            i += 1
        elif other[j] < one[i]:
            least = min(least, one[i] - other[j])
            j += 1
        else:  # one word is both: it is no neighbour of itself
            if i + 1 < one_count:
                least = min(least, one[i + 1] - other[j])
            if j + 1 < other_count:
                least = min(least, other[j + 1] - one[i])
            i += 1
            j += 1
    return least


@kernel
def gather(
    docs: NDArray[np.int64],
    terms: NDArray[np.int64],
    word_of: NDArray[np.int64],
    counts: NDArray[np.float64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    shares: NDArray[np.float64],
    frequencies: NDArray[np.float64],
    distances: NDArray[np.int64],
) -> None:
    """Fills for every document the weighted frequency of each word and its least distance from the next.

    Term t belongs to word word_of[t], the words rise; each time it stands somewhere it counts counts[t].
    `lengths` and `shares` have a row for each of the documents.
    """
    longest = np.int64(0)
    for row in range(len(docs)):
        longest = max(longest, np.int64(lengths[row].sum()))
    # No two terms stand at one position, so a word has no more positions than its document has words.
    before, found = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for row in range(len(docs)):
        word, before_count, count = np.int64(-1), 0, 0
        for t in range(len(terms)):
            if word_of[t] != word:
                if word >= 0 and word_of[t] == word + 1:
                    before, found = found, before
                    before_count = count
                else:
                    before_count = 0
                word, count = word_of[t], 0
            posting = posting_of(
                terms[t], docs[row], term_entries, entry_ranges, entry_postings, posting_docs
            )
            if posting < 0:
                continue
            place = place_of(positions, position_blocks, posting)
            had = count
            added, count = weigh_positions(positions, place, lengths, shares, row, found, count)
            frequencies[row, word] += counts[t] * added
            if had > 0:
                found[:count].sort()
            if word > 0:
                distances[row, word - 1] = least_distance(before, before_count, found, count)
