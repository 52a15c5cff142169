# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
# ruff: noqa: PLR0912, PLR0915
"""AND and phrase queries with bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import BLOCK_BITS, number_at, place_of, read
from gossamer.kernels import prefetch, unchecked_kernel, unchecked_part
from gossamer.search.match.phrases import field_end, follow
from gossamer.search.retrieve.blockmax import (
    BLOCK,
    BLOCKS_A_RANGE,
    CUT_BITS,
    DOCS_A_BLOCK,
    HALF,
    KEY_BITS,
    LOW,
    ONE,
    RANGE,
    ZERO,
    block_spans,
    fetch_rows,
    highest_key,
    least_sum,
    reaching,
)
from gossamer.search.retrieve.top_k import Ranking, Task, empty_ranking, offer, put_best_first
from gossamer.search.retrieve.top_k import count_common as count_kernel

# Kernels: phrase check inside conjunction
# ----------------------------------------
#
# First all documents of a block are looked at at once and roughly, then those that are left one by
# one.

TWO = np.uint64(2)
MODULO = np.uint64(63)  # positions are compared modulo 64: their lowest bits
LAST_BIT = np.uint64(6)
PLACES = np.uint64(BLOCK_BITS)  # of positions: one for so many postings, as a power of 2


@unchecked_part
def place_in(span: int, wanted: int, posting_docs: NDArray[np.uint16]) -> int:
    """The first posting of a span whose document, as its place in the block, is not before the wanted one."""
    begin, length = span >> HALF, span & LOW
    low = begin + max(wanted + length, DOCS_A_BLOCK) - DOCS_A_BLOCK  # behind it is room for few
    high = begin + min(wanted, length)
    while low < high:
        middle = (low + high) >> ONE
        if np.uint64(posting_docs[middle]) & (DOCS_A_BLOCK - ONE) < wanted:
            low = middle + ONE
        else:
            high = middle
    return low


@unchecked_part
def ones(bits: int) -> int:
    """How many of 32 bits are 1."""
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
    """The positions of so many postings modulo 64, as bits of a number each, and where each begins.

    Nothing branches but for distances of more than 63, so that a processor goes on without guessing.
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
    """The 64 bits moved down by so many, those that fall out coming in from above."""
    by = np.uint64(by) & MODULO
    return bits >> by | bits << ((np.uint64(64) - by) & MODULO)


@unchecked_part
def sieve(
    candidates: NDArray[np.uint8],
    good: int,
    spans: NDArray[np.uint64],
    own: int,
    order: NDArray[np.uint64],
    helds: NDArray[np.uint64],
    askeds: NDArray[np.uint64],
    row: NDArray[np.int64],
    leader: int,
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    starts: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    begins: NDArray[np.uint64],
    places: NDArray[np.uint64],
) -> int:
    """Keeps the documents in which the terms may stand in a row; returns how many.

    Positions are compared modulo 64, all of a document at once: of short documents few get through that
    have no such row, and none is lost that has one. `helds` has the documents of each span as bits, or 0
    where one was asked for, whose posting is in `askeds`. Writes where the positions of each term begin.
    """
    for n in range(good):
        starts[n] = ~ZERO
    for i in range(np.uint64(len(order))):
        before_first = helds[i] & ((ONE << np.uint64(candidates[ZERO])) - ONE)
        first = ones(before_first)
        posting, count = (spans[own + i] >> HALF) + first, ONE
        if helds[i] == ZERO:
            posting = askeds[i]
        else:
            count = ones(helds[i] & ((TWO << np.uint64(candidates[good - ONE])) - ONE)) - first
        read_bits(positions, place_of(positions, position_blocks, np.int64(posting)), count, bits, begins)
        kept = ZERO
        for n in range(good):
            d = np.uint64(candidates[n])
            at = ones((helds[i] ^ before_first) & ((ONE << d) - ONE))
            left = starts[n]
            for j in range(len(row)):
                if np.uint64(row[j]) == order[i]:
                    left &= rotated(bits[at], j - leader)
            candidates[kept] = d
            starts[kept] = left
            kept += np.uint64(left != ZERO)
            places[order[i] * DOCS_A_BLOCK + d] = begins[at]
        good = kept
        if good == ZERO:
            break
    return good


@unchecked_part
def stand_in_a_row(
    row: NDArray[np.int64],
    leader: int,
    places: NDArray[np.uint64],
    d: int,
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    doc: int,
    starts: NDArray[np.int64],
    others: NDArray[np.int64],
) -> bool:
    """Whether the terms stand one behind the other within a field: the j-th word of the row is term row[j].

    `places` has where the positions of each term begin in the d-th document of a block, which is `doc`; the
    rarest term is the word `leader` of the row.
    """
    end = read(positions, places[np.uint64(row[leader]) * DOCS_A_BLOCK + d], starts, 0)
    for s in range(end):
        starts[s] -= leader
    for j in range(len(row)):
        if j != leader and end > 0:
            others_end = read(positions, places[np.uint64(row[j]) * DOCS_A_BLOCK + d], others, 0)
            end = follow(starts, 0, end, others, others_end, j)
    for s in range(end):
        if starts[s] >= 0 and starts[s] + len(row) <= field_end(lengths, doc, starts[s], -1):
            return True
    return False


# Kernels: conjunction with bounds
# --------------------------------
#
# Only ranges in which every term occurs are visited, by falling bound, and in them only blocks in
# which every term occurs and whose bound reaches the threshold. The documents of a block that hold a
# term are bits of one number: what is left of all of them are the documents that hold every term. The
# rarest term comes first, and the others are not looked at once nothing is left.

MANY = np.uint64(100)  # documents: if so many are wanted, a guess is worth a sample
FREQUENT = np.uint64(4)  # times as many documents must hold the rarest term
A_SAMPLE = np.uint64(16)  # one of so many ranges
LEAST_RANGES = np.uint64(64)  # of which a sample says something
MARGIN = np.uint64(2)  # times as many as are wanted ought to reach the guess
AHEAD = np.uint64(2)  # blocks whose positions are fetched before they are needed


@unchecked_part
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
    """A key a range, 0 where a term is missing; and the entry of each term there, plus 1."""
    count = np.uint64(len(terms))
    for r in range(np.uint64(len(keys))):
        keys[r] = ZERO
    for j in range(count):
        weight = np.uint64(weights[j])
        for e in range(np.uint64(term_entries[terms[j]]), np.uint64(term_entries[terms[j] + 1])):
            r = np.uint64(entry_ranges[e])
            # Below the bound stands how many terms the range has so far: j, where none is missing.
            if keys[r] & LOW == j:
                keys[r] += ((weight * np.uint64(entry_highest[e])) << KEY_BITS) + ONE
                entries[r * count + j] = e + ONE
    for r in range(np.uint64(len(keys))):
        if keys[r] & LOW == count:
            bound = (keys[r] >> KEY_BITS) * np.uint64(highest_factors[r])
            keys[r] = ((bound >> CUT_BITS) + ONE) << KEY_BITS | r
        else:
            keys[r] = ZERO


@unchecked_part
def rarest_first(
    entries: NDArray[np.uint32], own: int, sizes: NDArray[Any], order: NDArray[np.uint64]
) -> None:
    """Sorts the terms of a range by rising number of postings there."""
    for j in range(np.uint64(len(order))):
        e = np.uint64(entries[own + j]) - ONE
        size = np.uint64(sizes[e + ONE]) - np.uint64(sizes[e])
        i = j
        while i > ZERO:
            other = np.uint64(entries[own + order[i - ONE]]) - ONE
            if np.uint64(sizes[other + ONE]) - np.uint64(sizes[other]) <= size:
                break
            order[i] = order[i - ONE]
            i -= ONE
        order[i] = j


@unchecked_part
def highest_of_blocks(
    begin: int,
    end: int,
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    highest: NDArray[Any],
) -> None:
    """The highest impact of each block, for a term that has no row, from its few postings."""
    for b in range(BLOCKS_A_RANGE):
        highest[b] = 0
    for p in range(begin, end):
        b = np.uint64(posting_docs[p]) >> BLOCK
        highest[b] = max(highest[b], posting_impacts[p])


@unchecked_part
def add_common(
    weight: int, highest: NDArray[Any], row: int, bounds: NDArray[Any], common: NDArray[np.uint8]
) -> None:
    """Adds a term to the bounds of all blocks; those in which it does not occur are common no longer."""
    for b in range(BLOCKS_A_RANGE):
        bounds[b] += weight * np.uint64(highest[row + b])
        common[b] &= highest[row + b] > 0


@unchecked_part
def documents_of(
    span: int,
    weight: int,
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    sums: NDArray[Any],
) -> int:
    """The documents of a span, a bit each; adds what they hold of the term to their sums."""
    held = ZERO
    for p in range(span >> HALF, (span >> HALF) + (span & LOW)):
        d = np.uint64(posting_docs[p]) & (DOCS_A_BLOCK - ONE)
        held |= ONE << d
        sums[d] += weight * np.uint64(posting_impacts[p])
    return held


@unchecked_part
def ask_for(
    wanted: int,
    span: int,
    weight: int,
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    sums: NDArray[Any],
) -> int:
    """The same for one document only: its posting plus 1, or 0 where the span does not have it."""
    p = place_in(span, wanted, posting_docs)
    if p == (span >> HALF) + (span & LOW) or np.uint64(posting_docs[p]) & (DOCS_A_BLOCK - ONE) != wanted:
        return ZERO
    sums[wanted] += weight * np.uint64(posting_impacts[p])
    return p + ONE


@unchecked_part
def list_good(left: int, least: int, sums: NDArray[Any], candidates: NDArray[np.uint8]) -> int:
    """Lists the documents that are left and whose sum is not below the least; returns their number."""
    good = ZERO
    while left > ZERO:
        following = left & (left - ONE)
        d = ones((left ^ following) - ONE)
        candidates[good] = d
        good += np.uint64(np.uint64(sums[d]) >= least)
        left = following
    return good


@unchecked_part
def worth_a_guess(
    k: int, terms: NDArray[np.int64], term_entries: NDArray[Any], entry_postings: NDArray[Any]
) -> bool:
    """Whether many documents are wanted, and many more hold even the rarest term."""
    least = ~ZERO
    for j in range(len(terms)):
        begin, end = term_entries[terms[j]], term_entries[terms[j] + 1]
        least = min(least, np.uint64(entry_postings[end]) - np.uint64(entry_postings[begin]))
    return k >= MANY and least >= FREQUENT * k


@unchecked_part
def take_sample(keys: NDArray[np.uint64], sample: NDArray[np.uint64]) -> bool:
    """Moves the keys of some ranges, evenly spread, into a sample; not if there are too few ranges."""
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

    `floor` is as in `blockmax`. `allowed` may be empty: then every document is. `phrase` may be empty:
    else its words, numbers of terms, must stand one behind the other; that is looked at last, where a
    document is good enough. No document has more than `longest` words.

    The threshold rises slowly where many documents are wanted. There a sample of the ranges says first what
    more than k documents ought to reach, and the other ranges are searched as if k were known that do. If
    fewer are found, the guess was too high, and all ranges are searched without it; and so they are if the
    last of them just reaches it, since the sample let go of documents with the same score.
    """
    starts, others = np.empty(longest, np.int64), np.empty(longest, np.int64)
    row_starts, row_bits = np.empty(DOCS_A_BLOCK, np.uint64), np.empty(DOCS_A_BLOCK, np.uint64)
    begins = np.empty(DOCS_A_BLOCK + ONE, np.uint64)
    places = np.empty(DOCS_A_BLOCK * np.uint64(len(terms)), np.uint64)
    helds, askeds = np.empty(len(terms), np.uint64), np.empty(len(terms), np.uint64)
    candidates = np.empty(DOCS_A_BLOCK + ONE, np.uint8)
    k, size = np.uint64(len(top_scores)), ZERO
    count = np.uint64(len(terms))
    keys = np.empty(len(highest_factors), np.uint64)
    entries = np.zeros(np.uint64(len(highest_factors)) * count, np.uint32)
    bound_common_ranges(terms, weights, term_entries, entry_ranges, entry_highest, highest_factors, keys,
                        entries)  # fmt: skip
    order = np.empty(count, np.uint64)
    sums = np.zeros(DOCS_A_BLOCK, weights.dtype)
    bounds = np.empty(BLOCKS_A_RANGE, weights.dtype)
    common = np.empty(BLOCKS_A_RANGE, np.uint8)
    highest = np.empty(BLOCKS_A_RANGE, posting_impacts.dtype)
    blocks = np.empty(BLOCKS_A_RANGE + ONE, np.uint8)
    spans = np.empty(BLOCKS_A_RANGE * count, np.uint64)
    guess, wanted, top = ZERO, k, top_scores
    unvisited, sample, sampling = keys, np.zeros(len(keys), np.uint64), False
    if worth_a_guess(k, terms, term_entries, entry_postings) and take_sample(keys, sample):
        unvisited, sampling = sample, True
        wanted = MARGIN * k // A_SAMPLE
        top = top_scores[:wanted]
    following = highest_key(unvisited)
    while True:
        threshold = max(floor[0], guess)
        if size == wanted:
            threshold = max(threshold, np.uint64(top[0]))
        key = following
        if key >> KEY_BITS <= threshold >> CUT_BITS:
            if sampling:
                guess = np.uint64(top[0]) if size == wanted else ZERO
                unvisited, sampling, wanted, top = keys, False, k, top_scores
            elif guess > ZERO and (size < k or np.uint64(top[0]) == guess):
                guess, size = ZERO, ZERO
                bound_common_ranges(terms, weights, term_entries, entry_ranges, entry_highest,
                                    highest_factors, keys, entries)  # fmt: skip
            else:
                break
            following = highest_key(unvisited)
            continue
        r = key & LOW
        unvisited[r] = ZERO
        following = highest_key(unvisited)
        fetch_rows(terms, term_entries, entries, (following & LOW) * count, entry_postings, term_rows,
                   block_highest, block_ends)  # fmt: skip
        own = r * count
        factor = np.uint64(highest_factors[r])
        rarest_first(entries, own, entry_postings, order)
        for b in range(BLOCKS_A_RANGE):
            bounds[b] = 0
            common[b] = 1
        for i in range(count):
            j = order[i]
            t, e = np.uint64(terms[j]), np.uint64(entries[own + j]) - ONE
            if term_rows[t] >= 0:
                row = (np.uint64(term_rows[t]) + e - np.uint64(term_entries[t])) * BLOCKS_A_RANGE
                add_common(np.uint64(weights[j]), block_highest, row, bounds, common)
            else:
                highest_of_blocks(np.uint64(entry_postings[e]), np.uint64(entry_postings[e + ONE]),
                                  posting_docs, posting_impacts, highest)  # fmt: skip
                add_common(np.uint64(weights[j]), highest, ZERO, bounds, common)
        for b in range(BLOCKS_A_RANGE):
            bounds[b] *= common[b]
        found = reaching(bounds, least_sum(threshold, factor), blocks)
        block_spans(terms, term_entries, entries, own, entry_postings, posting_docs, posting_impacts,
                    term_rows, block_ends, blocks, found, order, count, spans)  # fmt: skip
        if len(phrase) > 0:
            for i in range(found * count):
                prefetch(position_blocks, spans[i] >> HALF >> PLACES)
        leader = 0
        for place in range(len(phrase)):
            if np.uint64(phrase[place]) == order[ZERO]:
                leader = place
        for c in range(found):
            if len(phrase) > 0 and c + AHEAD < found:
                for i in range((c + AHEAD) * count, (c + AHEAD + ONE) * count):
                    prefetch(positions, np.uint64(position_blocks[spans[i] >> HALF >> PLACES]))
            b = np.uint64(blocks[c])
            least = least_sum(threshold, factor)
            if np.uint64(bounds[b]) < least:
                continue
            left = documents_of(spans[c * count], np.uint64(weights[order[ZERO]]), posting_docs,
                                posting_impacts, sums)  # fmt: skip
            helds[ZERO] = left
            alone = np.uint64(posting_docs[spans[c * count] >> HALF]) & (DOCS_A_BLOCK - ONE)
            for i in range(ONE, count):
                span, weight = spans[c * count + i], np.uint64(weights[order[i]])
                if left == ONE << alone:  # a term that many documents hold is only asked for the one
                    asked = ask_for(alone, span, weight, posting_docs, posting_impacts, sums)
                    helds[i], askeds[i] = ZERO, asked - ONE
                    left *= np.uint64(asked > ZERO)
                else:
                    helds[i] = documents_of(span, weight, posting_docs, posting_impacts, sums)
                    left &= helds[i]
                if left == ZERO:
                    break
            good = list_good(left, least, sums, candidates)
            if len(phrase) > 0 and good > ZERO:
                good = sieve(candidates, good, spans, c * count, order, helds, askeds, phrase, leader,
                             position_blocks, positions, row_starts, row_bits, begins, places)  # fmt: skip
            for n in range(good):
                d = np.uint64(candidates[n])
                doc = (r << RANGE) + (b << BLOCK) + d
                score = np.uint64(sums[d]) * np.uint64(factors[doc])
                if score < threshold or (len(allowed) > 0 and not allowed[doc]):
                    continue
                if len(phrase) == 0 or stand_in_a_row(phrase, leader, places, d, positions, lengths,
                                                      np.int64(doc), starts, others):  # fmt: skip
                    size = offer(top, top_fingerprints, top_docs, size, np.int64(score),
                                 fingerprints[doc], np.int64(doc))  # fmt: skip
                    if size == wanted:
                        threshold = max(threshold, np.uint64(top[0]))
            for d in range(DOCS_A_BLOCK):
                sums[d] = 0
        if size == k:
            floor[0] = max(floor[0], threshold)
    put_best_first(top_scores, top_fingerprints, top_docs, size)
    return np.int64(size)


ANY_PLACE = np.empty(0, np.int64)  # the row of terms that may stand anywhere
NO_LENGTHS = np.empty((0, 0), np.uint32)


@dataclass(frozen=True, slots=True)
class Rows:
    """Words that must stand one behind the other, as places among a task's terms; lengths of documents."""

    row: NDArray[np.int64] = field(default_factory=lambda: ANY_PLACE)
    lengths: NDArray[np.uint32] = field(default_factory=lambda: NO_LENGTHS)  # documents x fields
    longest: int = 0


ANYWHERE = Rows()


def conjunction(task: Task, k: int, rows: Rows = ANYWHERE) -> Ranking:
    """The best k documents; the task has a term or more, and every word of the query is among them."""
    floor = task.floor_for(k)
    k = min(k, len(task.fingerprints))
    scores, fingerprints, docs = empty_ranking(k)
    if not k:
        return scores, fingerprints, docs
    found = conjunction_kernel(
        task.terms,
        task.weights,
        *task.impacts.arrays[:-1],
        task.fingerprints,
        task.allowed,
        task.factors.of_document,
        task.factors.highest,
        rows.row,
        task.postings.position_blocks,
        task.postings.positions,
        rows.lengths,
        rows.longest,
        floor,
        scores,
        fingerprints,
        docs,
    )
    return scores[:found], fingerprints[:found], docs[:found]


def count_common(task: Task) -> int:
    """How many allowed documents hold all terms."""
    postings = task.postings
    rarest_first = sorted(task.terms.tolist(), key=postings.frequency)
    return count_kernel(
        np.array(rarest_first, np.int64),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        len(task.factors.highest),
        task.allowed,
    )
