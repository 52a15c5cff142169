# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
# ruff: noqa: PLR0912, PLR0915
"""Block-max pruning."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import RANGE_BITS
from gossamer.kernels import prefetch, unchecked_kernel, unchecked_part
from gossamer.search.retrieve.top_k import Ranking, Task, empty_ranking, merged, offer, put_best_first
from gossamer.search.weighting import BLOCK_BITS, BLOCK_SIZE, BLOCKS, depth_for

# Kernels: block-max pruning
# --------------------------
#
# Ranges of 4,096 documents are visited by falling upper bound (the sum over terms of weight times
# highest impact, times the highest static factor). In a range the bounds of its 128 blocks are summed
# likewise, and only blocks that reach the threshold are scored, 32 documents at a time, all terms
# together. Whatever is left out has a bound below the threshold, so the answer is exact, ties
# included. Sums have the kind of the weights: 32 bits where they fit, or 64. References: see
# `blocks`.

ZERO, ONE = np.uint64(0), np.uint64(1)
LINE = np.uint64(64)  # bytes that are fetched together
GROUP = np.uint64(16)  # blocks whose bounds are looked at together
BLOCKS_A_RANGE = np.uint64(BLOCKS)
DOCS_A_BLOCK = np.uint64(BLOCK_SIZE)
RANGE, BLOCK = np.uint64(RANGE_BITS), np.uint64(BLOCK_BITS)
KEY_BITS = np.uint64(16)  # of a range's number, below its bound
CUT_BITS = np.uint64(8)  # of the bound, that there be room
HALF, LOW = np.uint64(16), np.uint64(0xFFFF)  # a span of postings: its begin above its length


@unchecked_part
def first_threshold(
    terms: NDArray[np.int64], weights: NDArray[Any], impacts_at: NDArray[Any], depth: int, lowest_factor: int
) -> int:
    """What the k best documents of one term reach, all of them do."""
    highest = ZERO
    if depth >= 0:
        for j in range(np.uint64(len(terms))):
            highest = max(highest, np.uint64(weights[j]) * np.uint64(impacts_at[depth, terms[j]]))
    return highest * np.uint64(lowest_factor)


@unchecked_part
def least_sum(threshold: int, factor: int) -> int:
    """The least sum that reaches the threshold under this factor; at least 1."""
    return max(ONE, (threshold + factor - ONE) // factor)


@unchecked_part
def bound_ranges(
    terms: NDArray[np.int64],
    weights: NDArray[Any],
    term_entries: NDArray[Any],
    entry_ranges: NDArray[Any],
    entry_highest: NDArray[Any],
    highest_factors: NDArray[np.uint16],
    first: int,
    last: int,
    keys: NDArray[np.uint64],
    entries: NDArray[np.uint32],
) -> None:
    """A key a range, of its bound (cut, plus 1) and its number; and the entry of each term there, plus 1."""
    count = np.uint64(len(terms))
    for j in range(count):
        weight = np.uint64(weights[j])
        for e in range(np.uint64(term_entries[terms[j]]), np.uint64(term_entries[terms[j] + 1])):
            r = np.uint64(entry_ranges[e]) - first
            if r < last - first:  # below the first it has wrapped around
                keys[r] += weight * np.uint64(entry_highest[e])
                entries[r * count + j] = e + ONE
    for r in range(last - first):
        bound = keys[r] * np.uint64(highest_factors[first + r])
        keys[r] = ((bound >> CUT_BITS) + np.uint64(bound > ZERO)) << KEY_BITS | r


@unchecked_part
def highest_key(keys: NDArray[np.uint64]) -> int:
    """All keys are looked at anew for each range: no order needs to be kept, and few ranges are visited."""
    highest = ZERO
    for r in range(np.uint64(len(keys))):
        highest = max(highest, keys[r])
    return highest


@unchecked_part
def fetch_rows(
    terms: NDArray[np.int64],
    term_entries: NDArray[Any],
    entries: NDArray[np.uint32],
    own: int,
    entry_postings: NDArray[Any],
    term_rows: NDArray[np.int32],
    block_highest: NDArray[Any],
    block_ends: NDArray[np.uint16],
) -> None:
    """Fetches what the next range will be bounded by while this one is still worked on."""
    for j in range(np.uint64(len(terms))):
        e, t = np.uint64(entries[own + j]), np.uint64(terms[j])
        if e > ZERO:
            prefetch(entry_postings, e - ONE)
        if e > ZERO and term_rows[t] >= 0:
            row = (np.uint64(term_rows[t]) + e - ONE - np.uint64(term_entries[t])) * BLOCKS_A_RANGE
            for b in range(ZERO, BLOCKS_A_RANGE, LINE):
                prefetch(block_highest, row + b)
                prefetch(block_ends, row + b)
                prefetch(block_ends, row + b + (LINE >> ONE))


@unchecked_part
def add_posting_bounds(
    weight: int,
    begin: int,
    end: int,
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    bounds: NDArray[Any],
) -> None:
    """Adds a term's highest impact of each block where it has no row, from its few postings."""
    block, highest = ZERO, ZERO
    for p in range(begin, end):
        own = np.uint64(posting_docs[p]) >> BLOCK
        impact = np.uint64(posting_impacts[p])
        if own != block:
            bounds[block] += weight * highest
            highest = ZERO
            block = own
        highest = max(highest, impact)
    bounds[block] += weight * highest


@unchecked_part
def reaching(bounds: NDArray[Any], least: int, blocks: NDArray[np.uint8]) -> int:
    """Lists the blocks whose bound is not below the least; returns their number."""
    found = ZERO
    for group in range(ZERO, BLOCKS_A_RANGE, GROUP):
        highest = bounds[group]
        for b in range(group, group + GROUP):
            highest = max(highest, bounds[b])
        if np.uint64(highest) >= least:
            for b in range(group, group + GROUP):
                blocks[found] = b
                found += np.uint64(np.uint64(bounds[b]) >= least)
    return found


@unchecked_part
def row_spans(
    begin: int,
    row: int,
    ends: NDArray[np.uint16],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    blocks: NDArray[np.uint8],
    found: int,
    place: int,
    step: int,
    spans: NDArray[np.uint64],
) -> None:
    """Where a term's postings of each listed block stand, from its row; fetches them."""
    for c in range(found):
        b = np.uint64(blocks[c])
        start = np.uint64(ends[row + b - np.uint64(b > ZERO)]) * np.uint64(b > ZERO)
        spans[c * step + place] = (begin + start) << HALF | (np.uint64(ends[row + b]) - start)
        prefetch(posting_docs, begin + start)
        prefetch(posting_impacts, begin + start)


@unchecked_part
def posting_spans(
    begin: int,
    end: int,
    posting_docs: NDArray[np.uint16],
    blocks: NDArray[np.uint8],
    found: int,
    place: int,
    step: int,
    spans: NDArray[np.uint64],
) -> None:
    """The same for a term that has no row there: its postings and the blocks both rise."""
    p = begin
    for c in range(found):
        b = np.uint64(blocks[c])
        while p < end and np.uint64(posting_docs[p]) >> BLOCK < b:
            p += ONE
        start = p
        while p < end and np.uint64(posting_docs[p]) >> BLOCK == b:
            p += ONE
        spans[c * step + place] = start << HALF | (p - start)


@unchecked_part
def block_spans(
    terms: NDArray[np.int64],
    term_entries: NDArray[Any],
    entries: NDArray[np.uint32],
    own: int,
    entry_postings: NDArray[Any],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    term_rows: NDArray[np.int32],
    block_ends: NDArray[np.uint16],
    blocks: NDArray[np.uint8],
    found: int,
    order: NDArray[np.uint64],
    count: int,
    spans: NDArray[np.uint64],
) -> None:
    """Where the postings of each listed block stand: for each block, a span for each of the ordered terms."""
    for i in range(count):
        t, e = np.uint64(terms[order[i]]), np.uint64(entries[own + order[i]]) - ONE
        begin = np.uint64(entry_postings[e])
        if term_rows[t] >= 0:
            row = (np.uint64(term_rows[t]) + e - np.uint64(term_entries[t])) * BLOCKS_A_RANGE
            row_spans(begin, row, block_ends, posting_docs, posting_impacts, blocks, found, i, count,
                      spans)  # fmt: skip
        else:
            posting_spans(begin, np.uint64(entry_postings[e + ONE]), posting_docs, blocks, found, i, count,
                          spans)  # fmt: skip


@unchecked_kernel
def blockmax_kernel(
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
    impacts_at: NDArray[Any],
    depth: int,
    fingerprints: NDArray[np.uint64],
    allowed: NDArray[np.bool_],
    factors: NDArray[np.uint16],
    highest_factors: NDArray[np.uint16],
    block_factors: NDArray[np.uint16],
    lowest_factor: int,
    floor: NDArray[np.uint64],
    first: int,
    last: int,
    top_scores: NDArray[np.int64],
    top_fingerprints: NDArray[np.uint64],
    top_docs: NDArray[np.int64],
) -> int:
    """Fills the last three arrays with the best documents of the ranges first : last, best first; how many.

    `floor` holds a score that the k best documents of the whole search reach, wherever they stand: it is
    raised here, and may be raised by others meanwhile. `allowed` may be empty: then every document is.
    """
    k, size = np.uint64(len(top_scores)), ZERO
    count = np.uint64(len(terms))
    first_range, last_range = np.uint64(first), np.uint64(last)
    floor[0] = max(floor[0], first_threshold(terms, weights, impacts_at, depth, lowest_factor))
    keys = np.zeros(last_range - first_range, np.uint64)
    entries = np.zeros((last_range - first_range) * count, np.uint32)
    bound_ranges(terms, weights, term_entries, entry_ranges, entry_highest, highest_factors, first_range,
                 last_range, keys, entries)  # fmt: skip
    sums = np.zeros(DOCS_A_BLOCK, weights.dtype)
    bounds = np.empty(BLOCKS_A_RANGE, weights.dtype)
    blocks = np.empty(BLOCKS_A_RANGE + ONE, np.uint8)
    spans = np.empty(BLOCKS_A_RANGE * count, np.uint64)
    present = np.empty(count, np.uint64)
    following = highest_key(keys)
    while True:
        threshold = floor[0]
        key = following
        if key >> KEY_BITS <= threshold >> CUT_BITS:
            break
        r = key & LOW
        keys[r] = ZERO
        following = highest_key(keys)
        fetch_rows(terms, term_entries, entries, (following & LOW) * count, entry_postings, term_rows,
                   block_highest, block_ends)  # fmt: skip
        own_entries = r * count
        r += first_range
        here = ZERO
        for b in range(BLOCKS_A_RANGE):
            bounds[b] = 0
        for j in range(count):
            e = np.uint64(entries[own_entries + j])
            if e == ZERO:
                continue
            e -= ONE
            present[here] = j
            here += ONE
            weight = np.uint64(weights[j])
            t = np.uint64(terms[j])
            if term_rows[t] >= 0:
                row = (np.uint64(term_rows[t]) + e - np.uint64(term_entries[t])) * BLOCKS_A_RANGE
                for b in range(BLOCKS_A_RANGE):
                    bounds[b] += weight * np.uint64(block_highest[row + b])
            else:
                add_posting_bounds(weight, np.uint64(entry_postings[e]), np.uint64(entry_postings[e + ONE]),
                                   posting_docs, posting_impacts, bounds)  # fmt: skip
        factor = np.uint64(highest_factors[r])
        alike = factor == np.uint64(lowest_factor)  # all documents of the range have this factor
        least = least_sum(threshold, factor)
        found = reaching(bounds, least, blocks)
        block_spans(terms, term_entries, entries, own_entries, entry_postings, posting_docs, posting_impacts,
                    term_rows, block_ends, blocks, found, present, here, spans)  # fmt: skip
        for c in range(found):
            b = np.uint64(blocks[c])
            block = (r << (RANGE - BLOCK)) + b
            if not alike:
                factor = np.uint64(block_factors[block])
            least = least_sum(threshold, factor)
            if np.uint64(bounds[b]) < least:
                continue
            base = block << BLOCK
            for i in range(here):
                span = spans[c * here + i]
                weight = np.uint64(weights[present[i]])
                for p in range(span >> HALF, (span >> HALF) + (span & LOW)):
                    d = np.uint64(posting_docs[p]) & (DOCS_A_BLOCK - ONE)
                    sums[d] += weight * np.uint64(posting_impacts[p])
            highest = sums[ZERO]
            for d in range(DOCS_A_BLOCK):
                highest = max(highest, sums[d])
            if np.uint64(highest) >= least:
                for d in range(DOCS_A_BLOCK):
                    if np.uint64(sums[d]) < least or (len(allowed) > 0 and not allowed[base + d]):
                        continue
                    doc = base + d
                    score = np.uint64(sums[d]) * (factor if alike else np.uint64(factors[doc]))
                    if score >= threshold:
                        size = offer(top_scores, top_fingerprints, top_docs, size, np.int64(score),
                                     fingerprints[doc], np.int64(doc))  # fmt: skip
                        if size == k:
                            threshold = max(threshold, np.uint64(top_scores[0]))
            for d in range(DOCS_A_BLOCK):
                sums[d] = 0
        floor[0] = max(floor[0], threshold)
    put_best_first(top_scores, top_fingerprints, top_docs, size)
    return np.int64(size)


HEAVY = 5_000_000  # postings of a query that is worth a second thread


def blockmax(task: Task, k: int) -> Ranking:
    """The best k documents of the segment."""
    return _span(task, k, 0, len(task.factors.highest))


@dataclass(frozen=True, slots=True)
class Crew:
    """Threads that share the work of heavy queries."""

    pool: Executor
    size: int


def blockmax_by(crew: Crew, task: Task, k: int) -> Ranking:
    """The same answer by several threads, each on a span of ranges; they share the floor."""
    ranges = len(task.factors.highest)
    threads = min(crew.size, ranges)
    if threads < 2:
        return blockmax(task, k)
    task.impacts.blocks  # noqa: B018  made once, not by every thread
    cuts = [ranges * i // threads for i in range(threads + 1)]
    waiting = [crew.pool.submit(_span, task, k, cuts[i], cuts[i + 1]) for i in range(threads)]
    return merged([future.result() for future in waiting], k)


def _span(task: Task, k: int, first: int, last: int) -> Ranking:
    floor = task.floor_for(k)
    k = min(k, len(task.fingerprints))
    scores, fingerprints, docs = empty_ranking(k)
    if not k or not len(task.terms):
        return scores[:0], fingerprints[:0], docs[:0]
    factors = task.factors
    # A term's best documents may all be ruled out: then they bound nothing.
    depth = -1 if len(task.allowed) else depth_for(k)
    found = blockmax_kernel(
        task.terms,
        task.weights,
        *task.impacts.arrays,
        depth,
        task.fingerprints,
        task.allowed,
        factors.of_document,
        factors.highest,
        factors.of_block,
        factors.lowest,
        floor,
        first,
        last,
        scores,
        fingerprints,
        docs,
    )
    return scores[:found], fingerprints[:found], docs[:found]
