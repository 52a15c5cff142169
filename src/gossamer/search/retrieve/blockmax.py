# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
# ruff: noqa: PLR0912, PLR0915
"""Block-max pruning."""

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
# Ranges of 4,096 documents are visited by falling upper bound (the sum over terms of weight times
# highest impact, times the highest static factor). In a range the bounds of its 128 blocks are summed
# likewise, and only blocks that reach the threshold are scored, 32 documents at a time, all terms
# together. Whatever is left out has a bound below the threshold, so the answer is exact, ties
# included. Sums have the kind of the weights: 32 bits where they fit, or 64. References: see
# `blocks`.

LINE = np.uint64(64)  # bytes that are fetched together
GROUP = np.uint64(16)  # blocks whose bounds are looked at together
BLOCKS_A_RANGE = np.uint64(BLOCKS)
DOCS_A_BLOCK = np.uint64(BLOCK_SIZE)
RANGE, BLOCK = np.uint64(RANGE_BITS), np.uint64(BLOCK_BITS)
KEY_BITS = np.uint64(16)  # of a range's number, below its bound
CUT_BITS = np.uint64(8)  # of the bound, that there be room
HALF, LOW = np.uint64(16), np.uint64(0xFFFF)  # a span of postings: its begin above its length


class Terms(NamedTuple):
    """A query's terms in the lists of a segment, and the entry of each in each range, plus 1; 0 for none."""

    numbers: NDArray[np.int64]
    weights: NDArray[Any]
    lists: ImpactBlocks
    entries: NDArray[np.uint32]  # ranges x terms


class Blocks(NamedTuple):
    """Room for what is known of the blocks of one range."""

    bounds: NDArray[Any]  # of the sums over terms
    listed: NDArray[np.uint8]  # those that are scored, and room for one more
    spans: NDArray[np.uint64]  # of postings: listed blocks x terms


@unchecked_part
def first_threshold(
    terms: NDArray[np.int64], weights: NDArray[Any], lists: ImpactBlocks, depth: int, lowest_factor: int
) -> int:
    """What the k best documents of one term reach, all of them do."""
    highest = ZERO
    if depth >= 0:
        for j in range(np.uint64(len(terms))):
            highest = max(highest, np.uint64(weights[j]) * np.uint64(lists.impacts_at[depth, terms[j]]))
    return highest * np.uint64(lowest_factor)


@unchecked_part
def least_sum(threshold: int, factor: int) -> int:
    """The least sum that reaches the threshold under this factor; at least 1."""
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
    """Makes a key a range, of its bound (cut, plus 1) and its number, and notes the entries of terms there.

    The key is 0 where no term occurs; where every one has to, also if any is missing.
    """
    count, postings = np.uint64(len(terms.numbers)), terms.lists.postings
    keys[:] = ZERO
    for j in range(count):
        t, weight = terms.numbers[j], np.uint64(terms.weights[j])
        for e in range(np.uint64(postings.term_entries[t]), np.uint64(postings.term_entries[t + 1])):
            r = np.uint64(postings.entry_ranges[e]) - first
            # Below the bound stands how many terms the range has so far: j, where none is missing.
            if r < last - first and (
                not every or keys[r] & LOW == j
            ):  # below the first it has wrapped around
                keys[r] += ((weight * np.uint64(postings.entry_highest[e])) << KEY_BITS) + ONE
                terms.entries[r * count + j] = e + ONE
    for r in range(last - first):
        bound = (keys[r] >> KEY_BITS) * np.uint64(highest_factors[first + r])
        occurs = keys[r] & LOW == count if every else keys[r] > ZERO
        keys[r] = (((bound >> CUT_BITS) + ONE) << KEY_BITS | r) if occurs else ZERO


@unchecked_part
def highest_key(keys: NDArray[np.uint64]) -> int:
    """All keys are looked at anew for each range: no order needs to be kept, and few ranges are visited."""
    highest = ZERO
    for r in range(np.uint64(len(keys))):
        highest = max(highest, keys[r])
    return highest


@unchecked_part
def row_of(terms: Terms, j: int, entry: int) -> int:
    """The first block of the row that the j-th term has for an entry, if it has any."""
    t = np.uint64(terms.numbers[j])
    first = np.uint64(terms.lists.postings.term_entries[t])
    return (np.uint64(terms.lists.term_rows[t]) + entry - first) * BLOCKS_A_RANGE


@unchecked_part
def fetch_rows(terms: Terms, own: int) -> None:
    """Fetches what the next range will be bounded by while this one is still worked on."""
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
    """Adds a term's highest impact of each block where it has no row, from its few postings."""
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
    """Adds the j-th term to the bounds of the blocks of a range."""
    weight = np.uint64(terms.weights[j])
    if terms.lists.term_rows[np.uint64(terms.numbers[j])] >= 0:
        row, highest = row_of(terms, j, entry), terms.lists.highest
        for b in range(BLOCKS_A_RANGE):
            bounds[b] += weight * np.uint64(highest[row + b])
    else:
        add_posting_bounds(weight, terms.lists.postings, entry, bounds)


@unchecked_part
def reaching(blocks: Blocks, least: int) -> int:
    """Lists the blocks whose bound is not below the least; returns their number."""
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
    """Where a term's postings of each listed block stand, from its row; fetches them."""
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
    """The same for a term that has no row there: its postings and the blocks both rise."""
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
    """Where the postings of each listed block stand: for each block, a span for each of the ordered terms."""
    for i in range(count):
        j = order[i]
        e = np.uint64(terms.entries[own + j]) - ONE
        if terms.lists.term_rows[np.uint64(terms.numbers[j])] >= 0:
            row_spans(terms.lists, e, row_of(terms, j, e), blocks, found, i, count)
        else:
            posting_spans(terms.lists.postings, e, blocks, found, i, count)


@unchecked_part
def documents_of(span: int, weight: int, postings: Postings, sums: NDArray[Any]) -> int:
    """The documents of a span, a bit each; adds what they hold of the term to their sums."""
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
    """Fills `top` with the best documents of the ranges first : last, best first; returns how many.

    `floor` holds a score that the k best documents of the whole search reach, wherever they stand: it is
    raised here, and may be raised by others meanwhile. `depth` is as `depth_for` says.
    """
    # Taken out of their tuples once: in a loop each access would count references.
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
        alike = factor == np.uint64(factors.lowest)  # all documents of the range have this factor
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


HEAVY = 5_000_000  # postings of a query that is worth a second thread


def blockmax(task: RetrievalTask, k: int) -> Ranking:
    """The best k documents of the segment."""
    return _span(task, k, 0, len(task.documents.factors.highest))


@dataclass(frozen=True, slots=True)
class ThreadPool:
    """Threads that share the work of heavy queries."""

    pool: Executor
    size: int


def blockmax_by(crew: ThreadPool, task: RetrievalTask, k: int) -> Ranking:
    """The same answer by several threads, each on a span of ranges; they share the floor."""
    ranges = len(task.documents.factors.highest)
    threads = min(crew.size, ranges)
    if threads < 2:
        return blockmax(task, k)
    task.impacts.blocks  # noqa: B018  made once, not by every thread
    cuts = [ranges * i // threads for i in range(threads + 1)]
    waiting = [crew.pool.submit(_span, task, k, cuts[i], cuts[i + 1]) for i in range(threads)]
    return merged([future.result() for future in waiting], k)


def _span(task: RetrievalTask, k: int, first: int, last: int) -> Ranking:
    def search(floor: ScoreThreshold, top: Ranking) -> int:
        # A term's best documents may all be ruled out: then they bound nothing.
        depth = -1 if len(task.documents.allowed) else depth_for(len(top[0]))
        lists = task.impacts.blocks
        return blockmax_kernel(
            task.terms, task.weights, lists, task.documents, floor, depth, first, last, top
        )

    return task.retrieved(k, search)
