# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
# ruff: noqa: PLR0912, PLR0915
"""Block-max pruning: the default retrieval algorithm."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import RANGE_BITS, Postings
from gossamer.kernels.kernel import prefetch, unchecked_kernel, unchecked_part
from gossamer.search.retrieve.top_k import (
    ONE,
    ZERO,
    Documents,
    Ranking,
    RetrievalTask,
    ScoreThreshold,
    merged,
    offer,
    put_best_first,
)
from gossamer.search.weighting import BLOCK_BITS, BLOCK_SIZE, BLOCKS, ImpactBlocks, depth_for

# Kernels: block-max pruning
# --------------------------
#
# Ranges of 4,096 documents are visited in descending order of their upper bounds: the sum over terms of
# weight times highest impact, times the highest static factor. In a range, the bounds of its 128 blocks
# are computed in the same way. Only blocks that reach the threshold are scored, 32 documents at a time,
# all terms together. Everything that is skipped has a bound below the threshold, so the result is exact,
# ties included. Sums have the type of the weights: 32 bits if they fit, else 64. References: see
# `search.weighting`, block bounds.

LINE = np.uint64(64)  # bytes in a cache line
GROUP = np.uint64(16)  # blocks whose bounds are compared together
BLOCKS_A_RANGE = np.uint64(BLOCKS)
DOCS_A_BLOCK = np.uint64(BLOCK_SIZE)
RANGE, BLOCK = np.uint64(RANGE_BITS), np.uint64(BLOCK_BITS)
KEY_BITS = np.uint64(16)  # of the number of a range, below its bound in a key
CUT_BITS = np.uint64(8)  # lowest bits of a bound that a key leaves out
HALF, LOW = np.uint64(16), np.uint64(0xFFFF)  # a span of postings: begin << HALF | length


class Terms(NamedTuple):
    """The terms of a query in a segment, with the entry of each term in each range plus 1; 0 for none."""

    numbers: NDArray[np.int64]
    weights: NDArray[Any]
    lists: ImpactBlocks
    entries: NDArray[np.uint32]  # ranges x terms


class Blocks(NamedTuple):
    """Working memory for the blocks of one range."""

    bounds: NDArray[Any]  # upper bounds of sums over terms
    listed: NDArray[np.uint8]  # blocks to score; has one additional element
    spans: NDArray[np.uint64]  # spans of postings: listed blocks x terms


@unchecked_part
def first_threshold(
    terms: NDArray[np.int64], weights: NDArray[Any], lists: ImpactBlocks, depth: int, lowest_factor: int
) -> int:
    """Return a score that the k best documents of some term reach: a lower bound for the query."""
    highest = ZERO
    if depth >= 0:
        for j in range(np.uint64(len(terms))):
            highest = max(highest, np.uint64(weights[j]) * np.uint64(lists.impacts_at[depth, terms[j]]))
    return highest * np.uint64(lowest_factor)


@unchecked_part
def least_sum(threshold: int, factor: int) -> int:
    """Return the least sum that reaches the threshold with this factor; at least 1."""
    return max(ONE, (threshold + factor - ONE) // factor)


@unchecked_part
def bound_ranges(
    terms: Terms,
    every: bool,
    highest_factors: NDArray[np.uint16],
    first: int,
    last: int,
    keys: NDArray[np.uint64],
) -> None:
    """Fill in a key for each range, and the entries of the terms that occur in it.

    The high bits of a key are the score bound of the range without its CUT_BITS lowest bits, plus 1. The low
    bits are the number of the range. The key is 0 if no term occurs in the range, or, with `every`, if a term
    is missing.
    """
    count, postings = np.uint64(len(terms.numbers)), terms.lists.postings
    keys[:] = ZERO
    for j in range(count):
        t, weight = terms.numbers[j], np.uint64(terms.weights[j])
        for e in range(np.uint64(postings.term_entries[t]), np.uint64(postings.term_entries[t + 1])):
            r = np.uint64(postings.entry_ranges[e]) - first
            # The lowest bits count the terms in the range so far: j, if none is missing.
            if r < last - first and (
                not every or keys[r] & LOW == j
            ):  # r wraps around if it is below `first`
                keys[r] += ((weight * np.uint64(postings.entry_highest[e])) << KEY_BITS) + ONE
                terms.entries[r * count + j] = e + ONE
    for r in range(last - first):
        bound = (keys[r] >> KEY_BITS) * np.uint64(highest_factors[first + r])
        occurs = keys[r] & LOW == count if every else keys[r] > ZERO
        keys[r] = (((bound >> CUT_BITS) + ONE) << KEY_BITS | r) if occurs else ZERO


@unchecked_part
def highest_key(keys: NDArray[np.uint64]) -> int:
    """Return the highest key by a scan of all keys: few ranges are visited, so no order is kept."""
    highest = ZERO
    for r in range(np.uint64(len(keys))):
        highest = max(highest, keys[r])
    return highest


@unchecked_part
def row_of(terms: Terms, j: int, entry: int) -> int:
    """Return the first block of the j-th term's row for an entry; the term must have rows."""
    t = np.uint64(terms.numbers[j])
    first = np.uint64(terms.lists.postings.term_entries[t])
    return (np.uint64(terms.lists.term_rows[t]) + entry - first) * BLOCKS_A_RANGE


@unchecked_part
def fetch_rows(terms: Terms, own: int) -> None:
    """Prefetch the rows of the next range while the current one is processed."""
    for j in range(np.uint64(len(terms.numbers))):
        e = np.uint64(terms.entries[own + j])
        if e > ZERO:
            prefetch(terms.lists.postings.entry_postings, e - ONE)
        if e > ZERO and terms.lists.term_rows[np.uint64(terms.numbers[j])] >= 0:
            row = row_of(terms, j, e - ONE)
            for b in range(ZERO, BLOCKS_A_RANGE, LINE):
                prefetch(terms.lists.highest, row + b)
                prefetch(terms.lists.ends, row + b)
                prefetch(terms.lists.ends, row + b + (LINE >> ONE))


@unchecked_part
def add_posting_bounds(weight: int, postings: Postings, entry: int, bounds: NDArray[Any]) -> None:
    """Add the bounds of a term without rows, from its few postings."""
    block, highest = ZERO, ZERO
    begin, end = postings.entry_postings[entry], postings.entry_postings[entry + ONE]
    for p in range(np.uint64(begin), np.uint64(end)):
        own = np.uint64(postings.posting_docs[p]) >> BLOCK
        impact = np.uint64(postings.posting_impacts[p])
        if own != block:
            bounds[block] += weight * highest
            highest = ZERO
            block = own
        highest = max(highest, impact)
    bounds[block] += weight * highest


@unchecked_part
def add_bounds(terms: Terms, j: int, entry: int, bounds: NDArray[Any]) -> None:
    """Add the j-th term to the bounds of the blocks of a range."""
    weight = np.uint64(terms.weights[j])
    if terms.lists.term_rows[np.uint64(terms.numbers[j])] >= 0:
        row, highest = row_of(terms, j, entry), terms.lists.highest
        for b in range(BLOCKS_A_RANGE):
            bounds[b] += weight * np.uint64(highest[row + b])
    else:
        add_posting_bounds(weight, terms.lists.postings, entry, bounds)


@unchecked_part
def reaching(blocks: Blocks, least: int) -> int:
    """List the blocks whose bound is at least `least`; return their number."""
    bounds, listed = blocks.bounds, blocks.listed
    found = ZERO
    for group in range(ZERO, BLOCKS_A_RANGE, GROUP):
        highest = bounds[group]
        for b in range(group, group + GROUP):
            highest = max(highest, bounds[b])
        if np.uint64(highest) >= least:
            for b in range(group, group + GROUP):
                listed[found] = b
                found += np.uint64(np.uint64(bounds[b]) >= least)
    return found


@unchecked_part
def row_spans(
    lists: ImpactBlocks, entry: int, row: int, blocks: Blocks, found: int, place: int, step: int
) -> None:
    """Find the span of a term's postings in each listed block from its row, and prefetch the postings."""
    postings, ends = lists.postings, lists.ends
    begin = np.uint64(postings.entry_postings[entry])
    for c in range(found):
        b = np.uint64(blocks.listed[c])
        start = np.uint64(ends[row + b - np.uint64(b > ZERO)]) * np.uint64(b > ZERO)
        blocks.spans[c * step + place] = (begin + start) << HALF | (np.uint64(ends[row + b]) - start)
        prefetch(postings.posting_docs, begin + start)
        prefetch(postings.posting_impacts, begin + start)


@unchecked_part
def posting_spans(postings: Postings, entry: int, blocks: Blocks, found: int, place: int, step: int) -> None:
    """Find the span of a term's postings in each listed block, for a term without rows, in one pass."""
    p, end = np.uint64(postings.entry_postings[entry]), np.uint64(postings.entry_postings[entry + ONE])
    for c in range(found):
        b = np.uint64(blocks.listed[c])
        while p < end and np.uint64(postings.posting_docs[p]) >> BLOCK < b:
            p += ONE
        start = p
        while p < end and np.uint64(postings.posting_docs[p]) >> BLOCK == b:
            p += ONE
        blocks.spans[c * step + place] = start << HALF | (p - start)


@unchecked_part
def block_spans(
    terms: Terms, own: int, order: NDArray[np.uint64], count: int, blocks: Blocks, found: int
) -> None:
    """Find the spans of postings in the listed blocks: for each block, one span per ordered term."""
    for i in range(count):
        j = order[i]
        e = np.uint64(terms.entries[own + j]) - ONE
        if terms.lists.term_rows[np.uint64(terms.numbers[j])] >= 0:
            row_spans(terms.lists, e, row_of(terms, j, e), blocks, found, i, count)
        else:
            posting_spans(terms.lists.postings, e, blocks, found, i, count)


@unchecked_part
def documents_of(span: int, weight: int, postings: Postings, sums: NDArray[Any]) -> int:
    """Add a term's postings in a span to the sums of their documents; return the documents as bits."""
    held = ZERO
    for p in range(span >> HALF, (span >> HALF) + (span & LOW)):
        d = np.uint64(postings.posting_docs[p]) & (DOCS_A_BLOCK - ONE)
        held |= ONE << d
        sums[d] += weight * np.uint64(postings.posting_impacts[p])
    return held


@unchecked_kernel
def blockmax_kernel(
    numbers: NDArray[np.int64],
    weights: NDArray[Any],
    lists: ImpactBlocks,
    documents: Documents,
    floor: ScoreThreshold,
    depth: int,
    first: int,
    last: int,
    top: Ranking,
) -> int:
    """Fill `top` with the best documents of the ranges first : last, best first; return their number.

    `floor` holds a score that the k best documents of the whole search reach. It is raised here, and other
    threads may raise it at the same time. `depth` is a result of `depth_for`.
    """
    # Read from the tuples once: each access in a loop would count references.
    top_scores, postings = top[0], lists.postings
    fingerprints, allowed, factors = documents.fingerprints, documents.allowed, documents.factors
    of_document, of_block, of_range = factors.of_document, factors.of_block, factors.highest
    k, size = np.uint64(len(top_scores)), ZERO
    count = np.uint64(len(numbers))
    first_range, last_range = np.uint64(first), np.uint64(last)
    floor[0] = max(floor[0], first_threshold(numbers, weights, lists, depth, factors.lowest))
    keys = np.empty(last_range - first_range, np.uint64)
    entries = np.zeros((last_range - first_range) * count, np.uint32)
    terms = Terms(numbers, weights, lists, entries)
    bound_ranges(terms, False, of_range, first_range, last_range, keys)
    sums = np.zeros(DOCS_A_BLOCK, weights.dtype)
    bounds = np.empty(BLOCKS_A_RANGE, weights.dtype)
    listed, spans = np.empty(BLOCKS_A_RANGE + ONE, np.uint8), np.empty(BLOCKS_A_RANGE * count, np.uint64)
    blocks = Blocks(bounds, listed, spans)
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
        fetch_rows(terms, (following & LOW) * count)
        own = r * count
        r += first_range
        here = ZERO
        for b in range(BLOCKS_A_RANGE):
            bounds[b] = 0
        for j in range(count):
            e = np.uint64(entries[own + j])
            if e > ZERO:
                present[here] = j
                here += ONE
                add_bounds(terms, j, e - ONE, bounds)
        factor = np.uint64(of_range[r])
        alike = factor == np.uint64(factors.lowest)  # all documents of the range have the same factor
        found = reaching(blocks, least_sum(threshold, factor))
        block_spans(terms, own, present, here, blocks, found)
        for c in range(found):
            b = np.uint64(listed[c])
            block = (r << (RANGE - BLOCK)) + b
            if not alike:
                factor = np.uint64(of_block[block])
            least = least_sum(threshold, factor)
            if np.uint64(bounds[b]) < least:
                continue
            base = block << BLOCK
            for i in range(here):
                documents_of(spans[c * here + i], np.uint64(weights[present[i]]), postings, sums)
            highest = sums[ZERO]
            for d in range(DOCS_A_BLOCK):
                highest = max(highest, sums[d])
            if np.uint64(highest) >= least:
                for d in range(DOCS_A_BLOCK):
                    doc = base + d
                    if np.uint64(sums[d]) < least or (len(allowed) > 0 and not allowed[doc]):
                        continue
                    score = np.uint64(sums[d]) * (factor if alike else np.uint64(of_document[doc]))
                    if score >= threshold:
                        size = offer(top, size, np.int64(score), fingerprints[doc], np.int64(doc))
                        if size == k:
                            threshold = max(threshold, np.uint64(top_scores[0]))
            for d in range(DOCS_A_BLOCK):
                sums[d] = 0
        floor[0] = max(floor[0], threshold)
    put_best_first(top, size)
    return np.int64(size)


HEAVY = 5_000_000  # least number of postings of a query for which threads are worth their cost


def blockmax(task: RetrievalTask, k: int) -> Ranking:
    """Return the best k documents of the segment."""
    return _span(task, k, 0, len(task.documents.factors.highest))


@dataclass(frozen=True, slots=True)
class ThreadPool:
    """Threads that share the work of heavy queries, and their number."""

    pool: Executor
    size: int


def blockmax_by(crew: ThreadPool, task: RetrievalTask, k: int) -> Ranking:
    """Return the result of `blockmax`, computed by several threads that share the floor."""
    ranges = len(task.documents.factors.highest)
    threads = min(crew.size, ranges)
    if threads < 2:
        return blockmax(task, k)
    task.impacts.blocks  # noqa: B018  computed here once, not in every thread
    cuts = [ranges * i // threads for i in range(threads + 1)]
    waiting = [crew.pool.submit(_span, task, k, cuts[i], cuts[i + 1]) for i in range(threads)]
    return merged([future.result() for future in waiting], k)


def _span(task: RetrievalTask, k: int, first: int, last: int) -> Ranking:
    """Return the best k documents of some ranges."""

    def search(floor: ScoreThreshold, top: Ranking) -> int:
        # The best documents of a term may be excluded, and then they are no lower bound.
        depth = -1 if len(task.documents.allowed) else depth_for(len(top[0]))
        lists = task.impacts.blocks
        return blockmax_kernel(
            task.terms, task.weights, lists, task.documents, floor, depth, first, last, top
        )

    return task.retrieved(k, search)
