# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Exact top k of the documents that hold all terms.

Only ranges in which every term occurs are visited, by falling bound. In a range the term with the fewest
postings leads; a block in which another term does not occur, or whose bound is below the threshold, is passed
over, and the other terms are looked up in what is left, the next rarest first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.index.positions_kernel import place_of, read
from gossamer.kernel import kernel, kernel_part
from gossamer.search.blocks_kernel import BLOCK_BITS, BLOCKS
from gossamer.search.heap_kernel import offer, put_best_first
from gossamer.search.positional_kernel import field_end, follow

ZERO, ONE = np.uint64(0), np.uint64(1)
NO_BLOCK = np.uint64(BLOCKS)
RANGE, BLOCK = np.uint64(RANGE_BITS), np.uint64(BLOCK_BITS)
KEY_BITS, CUT_BITS = np.uint64(16), np.uint64(8)  # as in blockmax_kernel
LOW = np.uint64(0xFFFF)


@kernel_part
def bound_common_ranges(
    terms: NDArray[np.int64],
    weights: NDArray[Any],
    term_entries: NDArray[Any],
    entry_ranges: NDArray[Any],
    entry_highest: NDArray[Any],
    highest_factors: NDArray[np.uint16],
    keys: NDArray[np.uint64],
    entries: NDArray[np.uint32],
) -> None:
    """A key a range, 0 where a term is missing, and which entry each term has there."""
    count = np.uint64(len(terms))
    for j in range(count):
        weight = np.uint64(weights[j])
        for e in range(np.uint64(term_entries[terms[j]]), np.uint64(term_entries[terms[j] + 1])):
            r = np.uint64(entry_ranges[e])
            # Below the bound stands how many terms the range has so far: j, where none is missing.
            if keys[r] & LOW == j:
                keys[r] += ((weight * np.uint64(entry_highest[e])) << KEY_BITS) + ONE
                entries[r * count + j] = e
    for r in range(np.uint64(len(keys))):
        if keys[r] & LOW == count:
            bound = (keys[r] >> KEY_BITS) * np.uint64(highest_factors[r])
            keys[r] = ((bound >> CUT_BITS) + ONE) << KEY_BITS | r
        else:
            keys[r] = ZERO


@kernel_part
def rarest_first(
    entries: NDArray[np.uint32], own: int, sizes: NDArray[Any], order: NDArray[np.uint64]
) -> None:
    """Sorts the terms of a range by rising number of postings there."""
    for j in range(np.uint64(len(order))):
        e = np.uint64(entries[own + j])
        size = np.uint64(sizes[e + ONE]) - np.uint64(sizes[e])
        i = j
        while i > ZERO:
            other = np.uint64(entries[own + order[i - ONE]])
            if np.uint64(sizes[other + ONE]) - np.uint64(sizes[other]) <= size:
                break
            order[i] = order[i - ONE]
            i -= ONE
        order[i] = j


@kernel_part
def seek(docs: NDArray[np.uint16], low: int, high: int, wanted: int) -> int:
    """The first place from `low` on, before `high`, whose document is not before the wanted one."""
    step = ONE
    while low + step < high and np.uint64(docs[low + step]) < wanted:
        low += step
        step += step
    high = min(high, low + step)
    while low < high:
        middle = (low + high) >> ONE
        if np.uint64(docs[middle]) < wanted:
            low = middle + ONE
        else:
            high = middle
    return low


@kernel_part
def stand_in_a_row(
    row: NDArray[np.int64],
    leader: int,
    postings: NDArray[np.uint64],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    doc: int,
    starts: NDArray[np.int64],
    others: NDArray[np.int64],
) -> bool:
    """Whether the terms stand one behind the other within a field: the j-th word of the row is term row[j].

    `postings` are the terms' own in this document; the rarest is the word `leader` of the row.
    """
    place = place_of(positions, position_blocks, np.int64(postings[row[leader]]))
    end = read(positions, place, starts, 0)
    for s in range(end):
        starts[s] -= leader
    for j in range(len(row)):
        if j != leader and end > 0:
            place = place_of(positions, position_blocks, np.int64(postings[row[j]]))
            others_end = read(positions, place, others, 0)
            end = follow(starts, 0, end, others, others_end, j)
    for s in range(end):
        if starts[s] >= 0 and starts[s] + len(row) <= field_end(lengths, doc, starts[s], -1):
            return True
    return False


@kernel
def conjunction(
    terms: NDArray[np.int64],
    weights: NDArray[Any],
    term_entries: NDArray[Any],
    entry_ranges: NDArray[Any],
    entry_highest: NDArray[Any],
    entry_postings: NDArray[Any],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    term_rows: NDArray[np.int32],
    block_highest: NDArray[Any],
    block_ends: NDArray[np.uint16],
    fingerprints: NDArray[np.uint64],
    allowed: NDArray[np.bool_],
    factors: NDArray[np.uint16],
    highest_factors: NDArray[np.uint16],
    phrase: NDArray[np.int64],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    longest: int,
    floor: NDArray[np.uint64],
    top_scores: NDArray[np.int64],
    top_fingerprints: NDArray[np.uint64],
    top_docs: NDArray[np.int64],
) -> int:
    """Fills the last three arrays with the best documents, best first; returns how many.

    `floor` is as in `blockmax`. `allowed` may be empty: then every document is. `row` may be empty: else its
    words, numbers of terms, must stand one behind the other; that is looked at last, where a document is good
    enough. No document has more than `longest` words.
    """
    starts, others = np.empty(longest, np.int64), np.empty(longest, np.int64)
    postings = np.empty(len(terms), np.uint64)
    k, size = np.uint64(len(top_scores)), ZERO
    count = np.uint64(len(terms))
    keys = np.zeros(len(highest_factors), np.uint64)
    entries = np.empty(np.uint64(len(highest_factors)) * count, np.uint32)
    bound_common_ranges(terms, weights, term_entries, entry_ranges, entry_highest, highest_factors, keys,
                        entries)  # fmt: skip
    order = np.empty(count, np.uint64)
    cursors = np.empty(count, np.uint64)
    lasts = np.empty(count, np.uint64)  # of a term's postings in the block, or in the range if it has no row
    rows = np.empty(count, np.int64)
    rest = np.zeros(count + ONE, np.uint64)  # bounds of the terms from one on, in the order of looking up
    while True:
        threshold = floor[0]
        key = ZERO
        for r in range(np.uint64(len(keys))):
            key = max(key, keys[r])
        if key >> KEY_BITS <= threshold >> CUT_BITS:
            break
        r = key & LOW
        keys[r] = ZERO
        own = r * count
        factor = np.uint64(highest_factors[r])
        rarest_first(entries, own, entry_postings, order)
        leader = 0
        for place in range(len(phrase)):
            if np.uint64(phrase[place]) == order[ZERO]:
                leader = place
        for back in range(count):
            i = count - ONE - back
            j = order[i]
            t, e = np.uint64(terms[j]), np.uint64(entries[own + j])
            rest[i] = rest[i + ONE] + np.uint64(weights[j]) * np.uint64(entry_highest[e])
            cursors[i] = np.uint64(entry_postings[e])
            lasts[i] = np.uint64(entry_postings[e + ONE])
            rows[i] = -1
            if term_rows[t] >= 0:
                rows[i] = (np.int64(term_rows[t]) + np.int64(e) - np.int64(term_entries[t])) * BLOCKS
        block, possible = NO_BLOCK, False
        for p in range(cursors[ZERO], lasts[ZERO]):
            d = np.uint64(posting_docs[p])
            if d >> BLOCK != block:
                block = d >> BLOCK
                bound, possible = ZERO, True
                for i in range(count):
                    if rows[i] >= 0:
                        highest = np.uint64(block_highest[np.uint64(rows[i]) + block])
                        possible = possible and highest > ZERO
                        bound += np.uint64(weights[order[i]]) * highest
                    else:
                        bound += rest[i] - rest[i + ONE]
                possible = possible and bound * factor >= threshold
                if possible:
                    for i in range(ONE, count):
                        if rows[i] >= 0:
                            row = np.uint64(rows[i])
                            begin = np.uint64(entry_postings[np.uint64(entries[own + order[i]])])
                            lasts[i] = begin + np.uint64(block_ends[row + block])
                            cursors[i] = begin
                            if block > ZERO:
                                cursors[i] += np.uint64(block_ends[row + block - ONE])
            if not possible:
                continue
            score = np.uint64(weights[order[ZERO]]) * np.uint64(posting_impacts[p])
            postings[order[ZERO]] = p
            complete = True
            for i in range(ONE, count):
                if (score + rest[i]) * factor < threshold:
                    complete = False
                    break
                q = seek(posting_docs, cursors[i], lasts[i], d)
                cursors[i] = q
                if q == lasts[i] or np.uint64(posting_docs[q]) != d:
                    complete = False
                    break
                score += np.uint64(weights[order[i]]) * np.uint64(posting_impacts[q])
                postings[order[i]] = q
            doc = (r << RANGE) + d
            if not complete or (len(allowed) > 0 and not allowed[doc]):
                continue
            score *= np.uint64(factors[doc])
            if score < threshold:
                continue
            if len(phrase) == 0 or stand_in_a_row(
                phrase, leader, postings, position_blocks, positions, lengths, np.int64(doc), starts, others
            ):
                size = offer(top_scores, top_fingerprints, top_docs, size, np.int64(score), fingerprints[doc],
                             np.int64(doc))  # fmt: skip
                if size == k:
                    threshold = max(threshold, np.uint64(top_scores[0]))
        floor[0] = max(floor[0], threshold)
    put_best_first(top_scores, top_fingerprints, top_docs, size)
    return np.int64(size)
