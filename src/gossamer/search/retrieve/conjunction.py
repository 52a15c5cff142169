# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
# ruff: noqa: PLR0912, PLR0915
"""Conjunctions and phrases with block-max bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.cursor import frequency_of
from gossamer.index.postings import BLOCK_BITS, Postings, number_at, place_of, read
from gossamer.kernels.kernel import prefetch, unchecked_kernel, unchecked_part
from gossamer.search.match.phrases import follow, keep_whole
from gossamer.search.retrieve.blockmax import (
    BLOCK,
    BLOCKS_A_RANGE,
    CUT_BITS,
    DOCS_A_BLOCK,
    HALF,
    KEY_BITS,
    LOW,
    RANGE,
    Blocks,
    Terms,
    block_spans,
    bound_ranges,
    documents_of,
    fetch_rows,
    highest_key,
    least_sum,
    reaching,
    row_of,
)
from gossamer.search.retrieve.top_k import (
    ONE,
    TWO,
    ZERO,
    Documents,
    Ranking,
    RetrievalTask,
    ScoreThreshold,
    offer,
    put_best_first,
)
from gossamer.search.weighting import ImpactBlocks

# Kernels: phrase check inside conjunction
# ----------------------------------------
#
# First, an approximate check covers all documents of a block at once. Then the remaining documents are
# checked exactly, one by one.

MODULO = np.uint64(63)  # mask: positions are compared modulo 64
LAST_BIT = np.uint64(6)
PLACES = np.uint64(BLOCK_BITS)  # one place of positions is stored per 2^PLACES postings
ANY_PLACE = np.empty(0, np.int64)  # the row of a conjunction that is no phrase


class WordRows(NamedTuple):
    """Adjacent words, as places among the terms of a task, and the lengths of documents."""

    row: NDArray[np.int64] = ANY_PLACE
    lengths: NDArray[np.uint32] = np.empty((0, 0), np.uint32)  # documents x fields
    longest: int = 0  # words of the longest document


ANYWHERE = WordRows()


class BlockDocuments(NamedTuple):
    """Working memory for the documents of one block."""

    candidates: NDArray[np.uint8]  # remaining documents, as places in the block
    held: NDArray[np.uint64]  # documents of each term, as bits; 0 if only one document was looked up
    asked: NDArray[np.uint64]  # the posting of that document
    starts: NDArray[np.uint64]  # possible starts of the row in each candidate: a bit per position modulo 64
    bits: NDArray[np.uint64]  # positions of each posting modulo 64, as bits
    begins: NDArray[np.uint64]  # places of the positions of each posting
    places: NDArray[np.uint64]  # terms x documents: places of positions


@unchecked_part
def place_in(span: int, wanted: int, postings: Postings) -> int:
    """Return the first posting of a span whose document, as place in the block, is at least `wanted`."""
    begin, length = span >> HALF, span & LOW
    low = begin + max(wanted + length, DOCS_A_BLOCK) - DOCS_A_BLOCK  # few documents can follow `wanted`
    high = begin + min(wanted, length)
    while low < high:
        middle = (low + high) >> ONE
        if np.uint64(postings.posting_docs[middle]) & (DOCS_A_BLOCK - ONE) < wanted:
            low = middle + ONE
        else:
            high = middle
    return low


@unchecked_part
def ones(bits: int) -> int:
    """Return the number of ones in 32 bits."""
    bits -= (bits >> ONE) & np.uint64(0x55555555)
    bits = (bits & np.uint64(0x33333333)) + ((bits >> np.uint64(2)) & np.uint64(0x33333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F)
    return ((bits * np.uint64(0x01010101)) >> np.uint64(24)) & np.uint64(0xFF)


@unchecked_part
def read_bits(
    positions: NDArray[np.uint8],
    place: np.uint64,
    count: int,
    bits: NDArray[np.uint64],
    begins: NDArray[np.uint64],
) -> None:
    """Fill `bits` with the positions of `count` postings, and `begins` with the places of these positions.

    A number of `bits` has one bit for each position modulo 64 of its posting. The code branches only for
    distances above 63, because the processor would often mispredict other branches.
    """
    n, base, held = ZERO, ZERO, ZERO
    begins[ZERO] = place
    while n < count:
        first = np.uint64(positions[place])
        number, place = number_at(positions, place)
        at = base + np.uint64(number)
        held |= ONE << (at & MODULO)
        bits[n] = held
        begins[n + ONE] = place
        last = (first >> LAST_BIT) & ONE
        goes_on = last - ONE  # all bits, or none
        base = (at + ONE) & goes_on
        held &= goes_on
        n += last


@unchecked_part
def rotated(bits: int, by: int) -> int:
    """Rotate 64 bits to the right."""
    by = np.uint64(by) & MODULO
    return bits >> by | bits << ((np.uint64(64) - by) & MODULO)


@unchecked_part
def sieve(
    postings: Postings,
    row: NDArray[np.int64],
    leader: int,
    order: NDArray[np.uint64],
    spans: NDArray[np.uint64],
    own: int,
    docs: BlockDocuments,
    good: int,
) -> int:
    """Keep the candidates in which the terms may be adjacent; return their number.

    Positions are compared modulo 64, all of a document at once. Every document with adjacent terms passes; of
    short documents, few others do. The places of the positions of each term are stored.
    """
    for n in range(good):
        docs.starts[n] = ~ZERO
    for i in range(np.uint64(len(order))):
        held = docs.held[i]
        before_first = held & ((ONE << np.uint64(docs.candidates[ZERO])) - ONE)
        first = ones(before_first)
        posting, count = (spans[own + i] >> HALF) + first, ONE
        if held == ZERO:
            posting = docs.asked[i]
        else:
            count = ones(held & ((TWO << np.uint64(docs.candidates[good - ONE])) - ONE)) - first
        place = place_of(postings.positions, postings.position_blocks, np.int64(posting))
        read_bits(postings.positions, place, count, docs.bits, docs.begins)
        kept = ZERO
        for n in range(good):
            d = np.uint64(docs.candidates[n])
            at = ones((held ^ before_first) & ((ONE << d) - ONE))
            left = docs.starts[n]
            for j in range(len(row)):
                if np.uint64(row[j]) == order[i]:
                    left &= rotated(docs.bits[at], j - leader)
            docs.candidates[kept] = d
            docs.starts[kept] = left
            kept += np.uint64(left != ZERO)
            docs.places[order[i] * DOCS_A_BLOCK + d] = docs.begins[at]
        good = kept
        if good == ZERO:
            break
    return good


@unchecked_part
def stand_in_a_row(
    rows: WordRows,
    leader: int,
    positions: NDArray[np.uint8],
    places: NDArray[np.uint64],
    d: int,
    doc: int,
    starts: NDArray[np.int64],
    others: NDArray[np.int64],
) -> bool:
    """Return whether the terms are adjacent within a field; the j-th word of the row is term row[j].

    `places` has the places of the positions of each term in the d-th document of a block, which is `doc`.
    Word `leader` of the row is the rarest term.
    """
    row = rows.row
    end = read(positions, places[np.uint64(row[leader]) * DOCS_A_BLOCK + d], starts, 0)
    for s in range(end):
        starts[s] -= leader
    for j in range(len(row)):
        if j != leader and end > 0:
            others_end = read(positions, places[np.uint64(row[j]) * DOCS_A_BLOCK + d], others, 0)
            end = follow(starts, 0, end, others, others_end, j)
    return keep_whole(rows.lengths, doc, -1, len(row), starts, 0, end) > 0


# Kernels: conjunction with bounds
# --------------------------------
#
# Only ranges in which every term occurs are visited, in descending order of their bounds. In a range, only
# blocks are visited in which every term occurs and whose bound reaches the threshold. The documents of a
# block that hold a term are the bits of one number; the bitwise AND of these numbers gives the documents
# that hold every term. The rarest term comes first, and the others are skipped as soon as no document
# remains.

MANY = np.uint64(100)  # least k for which a sample is taken to guess the threshold
FREQUENT = np.uint64(4)  # least ratio of the frequency of the rarest term to k for a sample
A_SAMPLE = np.uint64(16)  # one range in A_SAMPLE is in the sample
LEAST_RANGES = np.uint64(64)  # ranges that a sample needs
MARGIN = np.uint64(2)  # the guess is a score that about MARGIN * k documents reach
AHEAD = np.uint64(2)  # blocks ahead whose positions are prefetched


@unchecked_part
def rarest_first(terms: Terms, own: int, order: NDArray[np.uint64]) -> None:
    """Sort the terms of a range by their number of postings there."""
    sizes = terms.lists.postings.entry_postings
    for j in range(np.uint64(len(order))):
        e = np.uint64(terms.entries[own + j]) - ONE
        size = np.uint64(sizes[e + ONE]) - np.uint64(sizes[e])
        i = j
        while i > ZERO:
            other = np.uint64(terms.entries[own + order[i - ONE]]) - ONE
            if np.uint64(sizes[other + ONE]) - np.uint64(sizes[other]) <= size:
                break
            order[i] = order[i - ONE]
            i -= ONE
        order[i] = j


@unchecked_part
def highest_of_blocks(postings: Postings, entry: int, highest: NDArray[Any]) -> None:
    """Compute the highest impact of each block for a term without rows, from its few postings."""
    for b in range(BLOCKS_A_RANGE):
        highest[b] = 0
    begin, end = postings.entry_postings[entry], postings.entry_postings[entry + ONE]
    for p in range(np.uint64(begin), np.uint64(end)):
        b = np.uint64(postings.posting_docs[p]) >> BLOCK
        highest[b] = max(highest[b], postings.posting_impacts[p])


@unchecked_part
def add_common(weight: int, highest: NDArray[Any], row: int, bounds: NDArray[Any]) -> None:
    """Add a term to the bounds of blocks that hold all terms before it; set them to 0 if it is missing."""
    for b in range(BLOCKS_A_RANGE):
        own = np.uint64(highest[row + b])
        bounds[b] = (bounds[b] + weight * own) * ((bounds[b] > 0) & (own > ZERO))


@unchecked_part
def bound_common_blocks(terms: Terms, own: int, bounds: NDArray[Any], highest: NDArray[Any]) -> None:
    """Compute the bounds of the blocks of a range; 0 if a term is missing. `highest` is working memory."""
    postings = terms.lists.postings
    for b in range(BLOCKS_A_RANGE):
        bounds[b] = 1  # subtracted below, so that until then 0 means a missing term
    for j in range(np.uint64(len(terms.numbers))):
        e, weight = np.uint64(terms.entries[own + j]) - ONE, np.uint64(terms.weights[j])
        if terms.lists.term_rows[np.uint64(terms.numbers[j])] >= 0:
            add_common(weight, terms.lists.highest, row_of(terms, j, e), bounds)
        else:
            highest_of_blocks(postings, e, highest)
            add_common(weight, highest, ZERO, bounds)
    for b in range(BLOCKS_A_RANGE):
        bounds[b] -= bounds[b] > 0


@unchecked_part
def ask_for(wanted: int, span: int, weight: int, postings: Postings, sums: NDArray[Any]) -> int:
    """Add the posting of one document to its sum; return the posting plus 1, or 0 if the span lacks it."""
    p = place_in(span, wanted, postings)
    held = np.uint64(postings.posting_docs[p]) & (DOCS_A_BLOCK - ONE)
    if p == (span >> HALF) + (span & LOW) or held != wanted:
        return ZERO
    sums[wanted] += weight * np.uint64(postings.posting_impacts[p])
    return p + ONE


@unchecked_part
def list_good(left: int, least: int, sums: NDArray[Any], candidates: NDArray[np.uint8]) -> int:
    """List the remaining documents whose sum is at least `least`; return their number."""
    good = ZERO
    while left > ZERO:
        following = left & (left - ONE)
        d = ones((left ^ following) - ONE)
        candidates[good] = d
        good += np.uint64(np.uint64(sums[d]) >= least)
        left = following
    return good


@unchecked_part
def holding_all(
    terms: Terms, order: NDArray[np.uint64], spans: NDArray[np.uint64], own: int, docs: BlockDocuments,
    sums: NDArray[Any],
) -> int:  # fmt: skip
    """Return the documents of a block that hold every term, as bits; compute their sums."""
    postings = terms.lists.postings
    left = documents_of(spans[own], np.uint64(terms.weights[order[ZERO]]), postings, sums)
    docs.held[ZERO] = left
    alone = np.uint64(postings.posting_docs[spans[own] >> HALF]) & (DOCS_A_BLOCK - ONE)
    for i in range(ONE, np.uint64(len(order))):
        span, weight = spans[own + i], np.uint64(terms.weights[order[i]])
        if left == ONE << alone:  # look up the only remaining document
            asked = ask_for(alone, span, weight, postings, sums)
            docs.held[i], docs.asked[i] = ZERO, asked - ONE
            left *= np.uint64(asked > ZERO)
        else:
            docs.held[i] = documents_of(span, weight, postings, sums)
            left &= docs.held[i]
        if left == ZERO:
            break
    return left


@unchecked_part
def worth_a_guess(k: int, terms: Terms) -> bool:
    """Return whether k is large and the rarest term is much more frequent than k."""
    least = ~ZERO
    for j in range(len(terms.numbers)):
        least = min(least, np.uint64(frequency_of(terms.lists.postings, terms.numbers[j])))
    return k >= MANY and least >= FREQUENT * k


@unchecked_part
def take_sample(keys: NDArray[np.uint64], sample: NDArray[np.uint64]) -> bool:
    """Move the keys of some ranges, evenly chosen, into a sample.

    Return False if there are too few ranges.
    """
    common = ZERO
    for r in range(np.uint64(len(keys))):
        common += np.uint64(keys[r] > ZERO)
    if common < LEAST_RANGES:
        return False
    place = A_SAMPLE >> ONE
    for r in range(np.uint64(len(keys))):
        if keys[r] > ZERO:
            place -= ONE
            if place == ZERO:
                sample[r] = keys[r]
                keys[r] = ZERO
                place = A_SAMPLE
    return True


@unchecked_kernel
def conjunction_kernel(
    numbers: NDArray[np.int64],
    weights: NDArray[Any],
    lists: ImpactBlocks,
    documents: Documents,
    floor: ScoreThreshold,
    rows: WordRows,
    top: Ranking,
) -> int:
    """Fill `top` with the best documents, best first; return their number.

    `floor` is as in `blockmax_kernel`. If the row is not empty, its words, as numbers of terms, must be
    adjacent. This is checked last, for documents with a sufficient score.

    If k is large, the threshold rises slowly. In this case a sample of the ranges is searched first, to guess
    a score that more than k documents reach. The guess is the threshold for the other ranges. If fewer than k
    documents are found, the guess was too high, and all ranges are searched without it. The same is done if
    the k-th document only equals the guess, because the sample dropped documents with the same score.
    """
    # Read from the tuples once: each access in a loop would count references.
    postings, row, top_scores = lists.postings, rows.row, top[0]
    positions, position_blocks = postings.positions, postings.position_blocks
    fingerprints, allowed, factors = documents.fingerprints, documents.allowed, documents.factors
    of_document, of_range = factors.of_document, factors.highest
    count, ranges = np.uint64(len(numbers)), np.uint64(len(of_range))
    starts, others = np.empty(rows.longest, np.int64), np.empty(rows.longest, np.int64)
    candidates, places = np.empty(DOCS_A_BLOCK + ONE, np.uint8), np.empty(DOCS_A_BLOCK * count, np.uint64)
    docs = BlockDocuments(
        candidates,
        np.empty(count, np.uint64),
        np.empty(count, np.uint64),
        np.empty(DOCS_A_BLOCK, np.uint64),
        np.empty(DOCS_A_BLOCK, np.uint64),
        np.empty(DOCS_A_BLOCK + ONE, np.uint64),
        places,
    )
    k, size = np.uint64(len(top_scores)), ZERO
    keys = np.empty(ranges, np.uint64)
    terms = Terms(numbers, weights, lists, np.zeros(ranges * count, np.uint32))
    bound_ranges(terms, True, of_range, ZERO, ranges, keys)
    order = np.empty(count, np.uint64)
    sums = np.zeros(DOCS_A_BLOCK, weights.dtype)
    bounds = np.empty(BLOCKS_A_RANGE, weights.dtype)
    highest = np.empty(BLOCKS_A_RANGE, postings.posting_impacts.dtype)
    spans = np.empty(BLOCKS_A_RANGE * count, np.uint64)
    listed = np.empty(BLOCKS_A_RANGE + ONE, np.uint8)
    blocks = Blocks(bounds, listed, spans)
    guess, wanted, best = ZERO, k, top
    unvisited, sample, sampling = keys, np.zeros(ranges, np.uint64), False
    if worth_a_guess(k, terms) and take_sample(keys, sample):
        unvisited, sampling = sample, True
        wanted = MARGIN * k // A_SAMPLE
        best = (top[0][:wanted], top[1][:wanted], top[2][:wanted])
    following = highest_key(unvisited)
    while True:
        threshold = max(floor[0], guess)
        if size == wanted:
            threshold = max(threshold, np.uint64(top_scores[0]))
        key = following
        if key >> KEY_BITS <= threshold >> CUT_BITS:
            if sampling:
                guess = np.uint64(top_scores[0]) if size == wanted else ZERO
                unvisited, sampling, wanted, best = keys, False, k, top
            elif guess > ZERO and (size < k or np.uint64(top_scores[0]) == guess):
                guess, size = ZERO, ZERO
                bound_ranges(terms, True, of_range, ZERO, ranges, keys)
            else:
                break
            following = highest_key(unvisited)
            continue
        r = key & LOW
        unvisited[r] = ZERO
        following = highest_key(unvisited)
        fetch_rows(terms, (following & LOW) * count)
        own = r * count
        factor = np.uint64(of_range[r])
        rarest_first(terms, own, order)
        bound_common_blocks(terms, own, bounds, highest)
        found = reaching(blocks, least_sum(threshold, factor))
        block_spans(terms, own, order, count, blocks, found)
        if len(row) > 0:
            for i in range(found * count):
                prefetch(position_blocks, spans[i] >> HALF >> PLACES)
        leader = 0
        for place in range(len(row)):
            if np.uint64(row[place]) == order[ZERO]:
                leader = place
        for c in range(found):
            if len(row) > 0 and c + AHEAD < found:
                for i in range((c + AHEAD) * count, (c + AHEAD + ONE) * count):
                    prefetch(positions, np.uint64(position_blocks[spans[i] >> HALF >> PLACES]))
            b = np.uint64(listed[c])
            least = least_sum(threshold, factor)
            if np.uint64(bounds[b]) < least:
                continue
            left = holding_all(terms, order, spans, c * count, docs, sums)
            good = list_good(left, least, sums, candidates)
            if len(row) > 0 and good > ZERO:
                good = sieve(postings, row, leader, order, spans, c * count, docs, good)
            for n in range(good):
                d = np.uint64(candidates[n])
                doc = (r << RANGE) + (b << BLOCK) + d
                score = np.uint64(sums[d]) * np.uint64(of_document[doc])
                if score < threshold or (len(allowed) > 0 and not allowed[doc]):
                    continue
                if len(row) == 0 or stand_in_a_row(rows, leader, positions, places, d,
                                                   np.int64(doc), starts, others):  # fmt: skip
                    size = offer(best, size, np.int64(score), fingerprints[doc], np.int64(doc))
                    if size == wanted:
                        threshold = max(threshold, np.uint64(top_scores[0]))
            for d in range(DOCS_A_BLOCK):
                sums[d] = 0
        if size == k:
            floor[0] = max(floor[0], threshold)
    put_best_first(top, size)
    return np.int64(size)


def conjunction(task: RetrievalTask, k: int, rows: WordRows = ANYWHERE) -> Ranking:
    """Return the best k documents that hold all terms of the task. There must be at least one term."""

    def search(floor: ScoreThreshold, top: Ranking) -> int:
        lists = task.impacts.blocks
        return conjunction_kernel(task.terms, task.weights, lists, task.documents, floor, rows, top)

    return task.retrieved(k, search)
