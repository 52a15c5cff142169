# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""How often, in which fields and how close to each other do the words of a query stand in these documents?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import Field
from gossamer.index.invert_kernel import RANGE_BITS, RANGE_SIZE
from gossamer.index.positions_kernel import BLOCK_BITS, LAST, number_at, place_of
from gossamer.kernel import unchecked_kernel, unchecked_part
from gossamer.search.bounds_kernel import seek
from gossamer.text.prefetch_kernel import prefetch

EMPHASISED = int(Field.EMPHASISED)  # the body tells where its words stand
FIELD = 1 << 40  # what a field adds to its positions, so that none is near to those of another

AHEAD, HALF_AHEAD = 16, 8  # documents


@unchecked_part
def posting_from(
    term: int,
    doc: int,
    reached: NDArray[np.int64],
    at: int,
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
) -> int:
    """The posting of a term in a document, or -1, sought behind those of the documents before it.

    `reached` has, from `at` on, the entry and the posting from which on to look, 0 in the beginning.
    """
    last = np.int64(term_entries[term + 1])
    entry = max(reached[at], np.int64(term_entries[term]))
    entry = seek(entry_ranges, entry, last, doc >> RANGE_BITS)
    reached[at] = entry
    if entry == last or entry_ranges[entry] != doc >> RANGE_BITS:
        return -1
    begin, end = np.int64(entry_postings[entry]), np.int64(entry_postings[entry + 1])
    within = doc & (RANGE_SIZE - 1)
    place = seek(posting_docs, max(reached[at + 1], begin), end, within)
    reached[at + 1] = place
    return place if place < end and posting_docs[place] == within else -1


@unchecked_part
def weigh_positions(
    positions: NDArray[np.uint8],
    place: np.uint64,
    lengths: NDArray[np.uint32],
    shares: NDArray[np.float64],
    doc: int,
    found: NDArray[np.int64],
    count: int,
) -> tuple[float, int]:
    """Adds the positions of a posting to those found; what the frequency gains, and how many there are."""
    frequency = 0.0
    position = np.int64(-1)
    field, end = 0, np.int64(lengths[doc, 0])
    first = np.uint8(0)
    while first & LAST == 0:
        first = positions[place]
        step, place = number_at(positions, place)
        position += step + 1
        while position >= end and field + 1 < lengths.shape[1]:
            field += 1
            end += np.int64(lengths[doc, field])
        frequency += shares[field]
        if field != EMPHASISED:
            found[count] = position + field * FIELD
            count += 1
    return frequency, count


@unchecked_part
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


@unchecked_part
def prefetch_blocks(postings: NDArray[np.int64], i: int, held: int, blocks: NDArray[np.uint32]) -> None:
    """It will soon be asked where the positions of a document stand."""
    for n in range(held):
        prefetch(blocks, np.uint64(postings[i, n] >> BLOCK_BITS))


@unchecked_part
def prefetch_positions(
    postings: NDArray[np.int64], i: int, held: int, blocks: NDArray[np.uint32], positions: NDArray[np.uint8]
) -> None:
    """Then for these themselves."""
    for n in range(held):
        prefetch(positions, np.uint64(blocks[postings[i, n] >> BLOCK_BITS]))


@unchecked_kernel
def gather(
    docs: NDArray[np.int64],
    order: NDArray[np.int64],
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
    weighting: NDArray[np.float64],
    frequencies: NDArray[np.float64],
    distances: NDArray[np.float64],
) -> None:
    """Fills for some documents the weighted frequency of each word and its least distance from the next.

    They are docs[order], which rise; the rows of others stay as they are. Term t, unknown if below 0,
    belongs to word word_of[t], the words rise; each time it stands somewhere it counts counts[t]. `weighting`
    has weights, slopes and pivots, a column a field.
    """
    fields = lengths.shape[1]
    longest = np.int64(0)
    for row in order:
        words = np.int64(0)
        for field in range(fields):
            words += np.int64(lengths[docs[row], field])
        longest = max(longest, words)
    # No two terms stand at one position, so a word has no more positions than its document has words.
    before, found = np.empty(longest, np.int64), np.empty(longest, np.int64)
    shares = np.empty(fields)
    # Of each document the terms that it holds, which are few: a word is read in all languages.
    held = np.zeros(len(order), np.int64)
    held_terms = np.empty((len(order), len(terms)), np.int64)
    postings = np.empty((len(order), len(terms)), np.int64)
    reached = np.empty(2, np.int64)
    for t in range(len(terms)):
        if terms[t] < 0:
            continue
        reached[:] = 0
        for i in range(len(order)):
            posting = posting_from(
                terms[t], docs[order[i]], reached, 0, term_entries, entry_ranges, entry_postings, posting_docs
            )
            if posting >= 0:
                held_terms[i, held[i]], postings[i, held[i]] = t, posting
                held[i] += 1
            elif reached[0] == np.int64(term_entries[terms[t] + 1]):
                break  # no document behind this one holds it
    for i in range(len(order)):
        if i + AHEAD < len(order):  # where positions stand is far away in memory, twice
            prefetch_blocks(postings, i + AHEAD, held[i + AHEAD], position_blocks)
        if i + HALF_AHEAD < len(order):
            prefetch_positions(postings, i + HALF_AHEAD, held[i + HALF_AHEAD], position_blocks, positions)
        row = order[i]
        doc = docs[row]
        for field in range(fields):
            slope = weighting[1, field]
            shares[field] = weighting[0, field] / (
                1.0 - slope + slope * lengths[doc, field] / weighting[2, field]
            )
        word, before_count, count = np.int64(-1), 0, 0
        for n in range(held[i]):
            t = held_terms[i, n]
            if word_of[t] != word:
                if word >= 0 and word_of[t] == word + 1:
                    before, found = found, before
                    before_count = count
                else:
                    before_count = 0
                word, count = word_of[t], 0
            place = place_of(positions, position_blocks, postings[i, n])
            had = count
            added, count = weigh_positions(positions, place, lengths, shares, doc, found, count)
            frequencies[row, word] += counts[t] * added
            if had > 0:
                found[:count].sort()
            if word > 0 and before_count > 0:
                apart = least_distance(before, before_count, found, count)
                distances[row, word - 1] = apart if apart < FIELD // 2 else np.inf
