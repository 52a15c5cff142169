# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Exhaustive, MaxScore, threshold algorithm, champion lists: for comparison.

The computation that the clever ones must agree with, and the quickest where loading compiled code would take
longer than the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.cursor import lower_bound
from gossamer.index.postings import RANGE_BITS
from gossamer.kernels import unchecked_kernel, unchecked_part
from gossamer.search.retrieve.top_k import Ranking, Task, best_first, empty_ranking, offer, put_best_first

# Champion lists
# --------------
#
# A term's champion list holds the documents with its highest impacts. The answer is the best k of the
# union of the query's lists, scored in full; a document that holds all terms, none of them very
# strongly, is missed. How many of the exact best were found is said with the results
# (`phases.Search.recall`). Reference: Manning, Raghavan, Schütze, "Introduction to Information
# Retrieval", 2008, section 7.1.3.

CHAMPIONS = 1000  # documents of a term


def champion(task: Task, k: int, champions: int = CHAMPIONS) -> Ranking:
    """The best k of the documents that are on a champion list."""
    lists = [task.impacts.falling(term)[0][:champions] for term in task.terms.tolist()]
    docs = np.unique(np.concatenate([np.empty(0, np.int64), *lists]))
    docs = docs[task.allowed[docs]] if len(task.allowed) else docs
    sums = np.zeros(len(docs), np.int64)
    for term, weight in zip(task.terms.tolist(), task.weights.tolist(), strict=True):
        sums += weight * task.impacts.at(term, docs)
    scores = sums * task.factors.of_document[docs].astype(np.int64)
    return best_first(scores, task.fingerprints[docs], docs, k)


def exhaustive(task: Task, k: int) -> Ranking:
    """The best k documents of the segment."""
    totals = np.zeros(len(task.fingerprints), np.int64)
    for term, weight in zip(task.terms.tolist(), task.weights.tolist(), strict=True):
        totals[task.postings.documents(term)] += weight * task.impacts.of_term(term).astype(np.int64)
    if len(task.allowed):
        totals[~task.allowed] = 0
    docs = np.flatnonzero(totals)
    scores = totals[docs] * task.factors.of_document[docs].astype(np.int64)
    if 0 < k < len(scores):
        # Only what reaches the k-th best score need be sorted: ties included, as fingerprints decide them.
        reaching = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        docs, scores = docs[reaching], scores[reaching]
    return best_first(scores, task.fingerprints[docs], docs, k)


# Kernels: MaxScore
# -----------------
#
# Ranges are visited by falling upper bound (the sum over terms of weight times the range's highest
# impact, times the range's highest static factor); a range is left out only when its bound is below
# the threshold. Within a range the terms are split: documents that hold only the weak ones, whose
# bounds together stay below the threshold, cannot enter the top k, so only the strong (essential)
# terms are accumulated and the weak ones are looked up for the candidates. References: Turtle, Flood,
# "Query evaluation: strategies and optimizations", 1995; ranges as in Mackenzie et al., "Anytime
# ranking on document-ordered indexes", 2022.


@unchecked_part
def _order_terms(
    weights: NDArray[Any],
    entries: NDArray[np.int64],
    entry_highest: NDArray[Any],
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> int:
    """Sorts the terms that a range has by rising bound and sums the bounds up; returns how many there are."""
    present = 0
    for j in range(len(weights)):
        if entries[j] < 0:
            continue
        bound = np.int64(weights[j]) * np.int64(entry_highest[entries[j]])
        i = present
        while i > 0 and bounds[i - 1] > bound:
            bounds[i] = bounds[i - 1]
            order[i] = order[i - 1]
            i -= 1
        bounds[i] = bound
        order[i] = j
        present += 1
    for i in range(present):
        sums[i + 1] = sums[i] + bounds[i]
    return present


@unchecked_part
def _accumulate(
    order: NDArray[np.int64],
    weak: int,
    present: int,
    weights: NDArray[Any],
    entries: NDArray[np.int64],
    entry_postings: NDArray[Any],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    accumulator: NDArray[Any],
    candidates: NDArray[np.uint16],
) -> int:
    """Adds up the essential terms of a range; fills the list of its candidates and returns their number."""
    found = 0
    for i in range(present - 1, weak - 1, -1):
        e = entries[order[i]]
        weight = np.uint64(weights[order[i]])
        for p in range(np.uint64(entry_postings[e]), np.uint64(entry_postings[e + 1])):
            d = np.uint64(posting_docs[p])
            before = np.uint64(accumulator[d])
            if before == 0:
                candidates[found] = d
                found += 1
            accumulator[d] = before + weight * np.uint64(posting_impacts[p])
    return found


@unchecked_part
def _completed(
    score: int,
    d: int,
    order: NDArray[np.int64],
    weak: int,
    sums: NDArray[np.int64],
    weights: NDArray[Any],
    entries: NDArray[np.int64],
    entry_postings: NDArray[Any],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    factor: int,
    threshold: int,
) -> int:
    """A candidate's score with its weak terms looked up; -1 as soon as it cannot reach the threshold."""
    for i in range(weak - 1, -1, -1):
        if (score + sums[i + 1]) * factor < threshold:
            return np.int64(-1)
        e = entries[order[i]]
        end = np.int64(entry_postings[e + 1])
        p = lower_bound(posting_docs, np.int64(entry_postings[e]), end, d)
        if p < end and posting_docs[p] == d:
            score += np.int64(weights[order[i]]) * np.int64(posting_impacts[p])
    return score * factor


@unchecked_kernel
def maxscore_kernel(
    terms: NDArray[np.int64],
    weights: NDArray[Any],
    term_entries: NDArray[Any],
    entry_ranges: NDArray[Any],
    entry_highest: NDArray[Any],
    entry_postings: NDArray[Any],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    fingerprints: NDArray[np.uint64],
    allowed: NDArray[np.bool_],
    factors: NDArray[np.uint16],
    highest_factors: NDArray[np.uint16],
    floor: NDArray[np.uint64],
    top_scores: NDArray[np.int64],
    top_fingerprints: NDArray[np.uint64],
    top_docs: NDArray[np.int64],
) -> int:
    """Fills the last three arrays with the best documents, best first; returns how many.

    `floor` holds a score that the best k of the whole search reach, and is raised. `allowed` may be empty:
    then every document is.
    """
    k = len(top_scores)
    count = len(terms)
    ranges = len(highest_factors)
    entry_of = np.full((ranges, count), -1, np.int64)
    bounds = np.zeros(ranges, np.int64)
    for j in range(count):
        for e in range(np.int64(term_entries[terms[j]]), np.int64(term_entries[terms[j] + 1])):
            entry_of[entry_ranges[e], j] = e
            bounds[entry_ranges[e]] += np.int64(weights[j]) * np.int64(entry_highest[e])
    for r in range(ranges):
        bounds[r] *= np.int64(highest_factors[r])

    accumulator = np.zeros(1 << RANGE_BITS, weights.dtype)
    candidates = np.empty(1 << RANGE_BITS, np.uint16)
    order = np.empty(count, np.int64)
    term_bounds = np.empty(count, np.int64)
    sums = np.zeros(count + 1, np.int64)
    size = np.uint64(0)
    threshold = np.int64(floor[0])
    for r in np.argsort(-bounds):
        if bounds[r] == 0 or bounds[r] < threshold:
            break
        entries = entry_of[r]
        present = _order_terms(weights, entries, entry_highest, order, term_bounds, sums)
        weak = 0
        while weak < present and sums[weak + 1] * np.int64(highest_factors[r]) < threshold:
            weak += 1
        found = _accumulate(order, weak, present, weights, entries, entry_postings, posting_docs,
                            posting_impacts, accumulator, candidates)  # fmt: skip
        for c in range(found):
            d = np.int64(candidates[c])
            score = np.int64(accumulator[d])
            accumulator[d] = 0
            doc = (np.int64(r) << RANGE_BITS) + d
            if len(allowed) > 0 and not allowed[doc]:
                continue
            factor = np.int64(factors[doc])
            if (score + sums[weak]) * factor < threshold:
                continue
            score = _completed(score, d, order, weak, sums, weights, entries, entry_postings, posting_docs,
                               posting_impacts, factor, threshold)  # fmt: skip
            if score >= threshold:
                size = offer(top_scores, top_fingerprints, top_docs, size, score, fingerprints[doc], doc)
                if size == k:
                    threshold = max(threshold, top_scores[0])
    floor[0] = max(floor[0], np.uint64(threshold))
    put_best_first(top_scores, top_fingerprints, top_docs, size)
    return np.int64(size)


# MaxScore
# --------


def maxscore(task: Task, k: int) -> Ranking:
    """The best k documents of the segment; needs nothing but the postings."""
    floor = task.floor_for(k)
    k = min(k, len(task.fingerprints))
    scores, fingerprints, docs = empty_ranking(k)
    if not k or not len(task.terms):
        return scores[:0], fingerprints[:0], docs[:0]
    found = maxscore_kernel(
        task.terms,
        task.weights,
        task.postings.term_entries,
        task.postings.entry_ranges,
        task.impacts.highest,
        task.postings.entry_postings,
        task.postings.posting_docs,
        task.impacts.levels,
        task.fingerprints,
        task.allowed,
        task.factors.of_document,
        task.factors.highest,
        floor,
        scores,
        fingerprints,
        docs,
    )
    return scores[:found], fingerprints[:found], docs[:found]


# Fagin's threshold algorithm
# ---------------------------
#
# All lists are read from the top in turns (sorted access). Every document that appears is scored in
# full by looking it up in the other lists (random access). What has not appeared when all lists are
# read to some depth scores at most the sum of weight times impact there; as soon as the k-th best
# score lies above that sum, times the highest static factor, nothing can change any more. Where it
# only reaches the sum, an unseen document could still tie and have the smaller fingerprint.
# Reference: Fagin, Lotem, Naor, "Optimal aggregation algorithms for middleware", PODS 2001.


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer and how far the lists were read for it."""

    ranking: Ranking
    depth: int


def threshold(task: Task, k: int) -> Ranking:
    """The best k documents of the segment."""
    return read_until_certain(task, k).ranking


def read_until_certain(task: Task, k: int, step: int | None = None) -> Reading:
    """The best k documents and the depth; it grows by `step`, or doubles from k on."""
    terms, weights = task.terms.tolist(), task.weights.tolist()
    lists = [task.impacts.falling(term) for term in terms]
    longest = max((len(docs) for docs, _ in lists), default=0)
    highest_factor = int(task.factors.highest.max(initial=0))
    depth = 0
    seen = np.empty(0, np.int64)
    scores = np.empty(0, np.int64)
    while depth < longest:
        before, depth = depth, min(longest, depth + (step or max(k, depth, 1)))
        new = np.setdiff1d(np.concatenate([docs[before:depth] for docs, _ in lists]), seen)
        new = new[task.allowed[new]] if len(task.allowed) else new
        seen = np.concatenate([seen, new])
        scores = np.concatenate([scores, _scores(task, new)])
        unseen = sum(
            weight * _at_depth(levels, depth) for weight, (_, levels) in zip(weights, lists, strict=True)
        )
        if len(scores) >= k and _kth_best(scores, k) > unseen * highest_factor:
            break
    return Reading(best_first(scores, task.fingerprints[seen], seen, k), depth)


def _scores(task: Task, docs: NDArray[np.int64]) -> NDArray[np.int64]:
    """The full scores of some documents, by random access."""
    sums = np.zeros(len(docs), np.int64)
    for term, weight in zip(task.terms.tolist(), task.weights.tolist(), strict=True):
        sums += weight * task.impacts.at(term, docs)
    scores: NDArray[np.int64] = sums * task.factors.of_document[docs].astype(np.int64)
    return scores


def _at_depth(levels: NDArray[np.int64], depth: int) -> int:
    """The impact that was read last; a list that ended bounds what it does not hold by 0."""
    return int(levels[depth - 1]) if depth < len(levels) else 0


def _kth_best(scores: NDArray[np.int64], k: int) -> int:
    return int(np.partition(scores, len(scores) - k)[len(scores) - k])
