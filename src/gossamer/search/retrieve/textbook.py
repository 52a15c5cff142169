# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Textbook algorithms for comparison: exhaustive, MaxScore, threshold algorithm, champion lists.

All but champion lists find the exact best k. The exhaustive algorithm is the reference in tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.cursor import lower_bound
from gossamer.index.postings import RANGE_BITS, Postings
from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.search.retrieve.top_k import (
    ZERO,
    Documents,
    Ranking,
    RetrievalTask,
    ScoreThreshold,
    offer,
    put_best_first,
)

# Champion lists
# --------------
#
# The champion list of a term holds the documents with its highest impacts. The result is the best k of
# the union of the lists of a query, with full scores. A document that holds all terms, but none with a
# high impact, is missed. Results show how many of the exact best were found
# (`two_phase.TwoPhaseSearch.recall`). Reference: Manning, Raghavan, Schütze, "Introduction to Information
# Retrieval", 2008, section 7.1.3.

CHAMPIONS = 1000  # documents in a champion list


def champion(task: RetrievalTask, k: int, champions: int = CHAMPIONS) -> Ranking:
    """Return the best k of the documents in the champion lists."""
    lists = [task.impacts.falling(term)[0][:champions] for term in task.terms.tolist()]
    docs = task.living(np.unique(np.concatenate([np.empty(0, np.int64), *lists])))
    return task.best(docs, _scores(task, docs), k)


def exhaustive(task: RetrievalTask, k: int) -> Ranking:
    """Return the best k documents of the segment."""
    totals = np.zeros(len(task.documents.fingerprints), np.int64)
    for term, weight in zip(task.terms.tolist(), task.weights.tolist(), strict=True):
        held = task.impacts.postings.levels(term).astype(np.int64)
        totals[task.impacts.postings.documents(term)] += weight * held
    docs = task.living(np.flatnonzero(totals))
    return task.best(docs, task.weighted(docs, totals[docs]), k)


# Kernels: MaxScore
# -----------------
#
# Ranges are visited in descending order of their upper bounds: the sum over terms of weight times the
# highest impact in the range, times the highest static factor in the range. A range is skipped only if
# its bound is below the threshold. In a range, the terms are split into weak and essential ones. The
# bounds of the weak terms together are below the threshold, so a document that holds only weak terms
# cannot enter the top k. Therefore only the essential terms are accumulated, and the weak ones are looked
# up for the candidates. References: Turtle, Flood, "Query evaluation: strategies and optimizations", 1995;
# ranges as in Mackenzie et al., "Anytime ranking on document-ordered indexes", 2022.


@unchecked_part
def _order_terms(
    weights: NDArray[Any],
    entries: NDArray[np.int64],
    entry_highest: NDArray[Any],
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> int:
    """Sort the terms of a range by bound and compute the running sums; return the number of terms."""
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
    weights: NDArray[Any],
    entries: NDArray[np.int64],
    postings: Postings,
    accumulator: NDArray[Any],
    candidates: NDArray[np.uint16],
) -> int:
    """Accumulate the essential terms of a range; list the candidates and return their number."""
    found = 0
    for i in range(len(order)):
        j = order[i]
        weight = np.uint64(weights[j])
        begin, end = postings.entry_postings[entries[j]], postings.entry_postings[entries[j] + 1]
        for p in range(np.uint64(begin), np.uint64(end)):
            d = np.uint64(postings.posting_docs[p])
            before = np.uint64(accumulator[d])
            if before == 0:
                candidates[found] = d
                found += 1
            accumulator[d] = before + weight * np.uint64(postings.posting_impacts[p])
    return found


@unchecked_part
def _completed(
    score: int,
    d: int,
    order: NDArray[np.int64],
    weights: NDArray[Any],
    entries: NDArray[np.int64],
    postings: Postings,
    sums: NDArray[np.int64],
    least: int,
) -> int:
    """Add the weak terms to the sum of a candidate; return -1 as soon as it cannot reach `least`."""
    for i in range(len(order) - 1, -1, -1):
        if score + sums[i + 1] < least:
            return np.int64(-1)
        entry = entries[order[i]]
        end = np.int64(postings.entry_postings[entry + 1])
        p = lower_bound(postings.posting_docs, np.int64(postings.entry_postings[entry]), end, d)
        if p < end and postings.posting_docs[p] == d:
            score += np.int64(weights[order[i]]) * np.int64(postings.posting_impacts[p])
    return score


@unchecked_kernel
def maxscore_kernel(
    terms: NDArray[np.int64],
    weights: NDArray[Any],
    postings: Postings,
    documents: Documents,
    floor: ScoreThreshold,
    top: Ranking,
) -> int:
    """Fill `top` with the best documents, best first; return their number.

    `floor` holds a score that the best k of the whole search reach; it is raised.
    """
    allowed, factors, fingerprints = documents.allowed, documents.factors, documents.fingerprints
    k, count, ranges = len(top[0]), len(terms), len(factors.highest)
    entry_of = np.full((ranges, count), -1, np.int64)
    bounds = np.zeros(ranges, np.int64)
    for j in range(count):
        first, last = postings.term_entries[terms[j]], postings.term_entries[terms[j] + 1]
        for e in range(np.int64(first), np.int64(last)):
            entry_of[postings.entry_ranges[e], j] = e
            bounds[postings.entry_ranges[e]] += np.int64(weights[j]) * np.int64(postings.entry_highest[e])
    bounds *= factors.highest
    accumulator = np.zeros(1 << RANGE_BITS, weights.dtype)
    candidates = np.empty(1 << RANGE_BITS, np.uint16)
    order = np.empty(count, np.int64)
    term_bounds = np.empty(count, np.int64)
    sums = np.zeros(count + 1, np.int64)
    size = ZERO
    threshold = np.int64(floor[0])
    for r in np.argsort(-bounds):
        if bounds[r] == 0 or bounds[r] < threshold:
            break
        entries = entry_of[r]
        present = _order_terms(weights, entries, postings.entry_highest, order, term_bounds, sums)
        weak = 0
        while weak < present and sums[weak + 1] * np.int64(factors.highest[r]) < threshold:
            weak += 1
        found = _accumulate(order[weak:present], weights, entries, postings, accumulator, candidates)
        for c in range(found):
            d = np.int64(candidates[c])
            score = np.int64(accumulator[d])
            accumulator[d] = 0
            doc = (np.int64(r) << RANGE_BITS) + d
            factor = np.int64(factors.of_document[doc])
            if (len(allowed) > 0 and not allowed[doc]) or (score + sums[weak]) * factor < threshold:
                continue
            least = (threshold + factor - 1) // factor
            score = factor * _completed(score, d, order[:weak], weights, entries, postings, sums, least)
            if score >= threshold:
                size = offer(top, size, score, fingerprints[doc], doc)
                if size == k:
                    threshold = max(threshold, top[0][0])
    floor[0] = max(floor[0], np.uint64(threshold))
    put_best_first(top, size)
    return np.int64(size)


# MaxScore
# --------


def maxscore(task: RetrievalTask, k: int) -> Ranking:
    """Return the best k documents of the segment."""

    def search(floor: ScoreThreshold, top: Ranking) -> int:
        return maxscore_kernel(task.terms, task.weights, task.impacts.postings, task.documents, floor, top)

    return task.retrieved(k, search)


# Fagin's threshold algorithm
# ---------------------------
#
# All lists are read in parallel from the highest impact down (sorted access). Every document that appears
# gets its full score by look-ups in the other lists (random access). A document that has not appeared when
# all lists are read to some depth scores at most the sum of weight times impact at this depth, times the
# highest static factor. As soon as the k-th best score exceeds this limit, the result is final. If it only
# equals the limit, an unseen document could tie and have a smaller fingerprint.
# Reference: Fagin, Lotem, Naor, "Optimal aggregation algorithms for middleware", PODS 2001.


@dataclass(frozen=True, slots=True)
class ThresholdRun:
    """A ranking, and the depth to which the lists were read."""

    ranking: Ranking
    depth: int


def threshold(task: RetrievalTask, k: int) -> Ranking:
    """Return the best k documents of the segment."""
    return read_until_certain(task, k).ranking


def read_until_certain(task: RetrievalTask, k: int, step: int | None = None) -> ThresholdRun:
    """Return the best k documents and the depth, which grows by `step`, or doubles from k on."""
    terms, weights = task.terms.tolist(), task.weights.tolist()
    lists = [task.impacts.falling(term) for term in terms]
    longest = max((len(docs) for docs, _ in lists), default=0)
    highest_factor = int(task.documents.factors.highest.max(initial=0))
    depth = 0
    seen = np.empty(0, np.int64)
    scores = np.empty(0, np.int64)
    while depth < longest:
        before, depth = depth, min(longest, depth + (step or max(k, depth, 1)))
        new = task.living(np.setdiff1d(np.concatenate([docs[before:depth] for docs, _ in lists]), seen))
        seen = np.concatenate([seen, new])
        scores = np.concatenate([scores, _scores(task, new)])
        unseen = sum(
            weight * _at_depth(levels, depth) for weight, (_, levels) in zip(weights, lists, strict=True)
        )
        if len(scores) >= k and _kth_best(scores, k) > unseen * highest_factor:
            break
    return ThresholdRun(task.best(seen, scores, k), depth)


def _scores(task: RetrievalTask, docs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the full scores of some documents, by random access."""
    sums = np.zeros(len(docs), np.int64)
    for term, weight in zip(task.terms.tolist(), task.weights.tolist(), strict=True):
        sums += weight * task.impacts.at(term, docs)
    return task.weighted(docs, sums)


def _at_depth(levels: NDArray[np.int64], depth: int) -> int:
    """Return the impact at a depth; 0 if the list is shorter."""
    return int(levels[depth - 1]) if depth < len(levels) else 0


def _kth_best(scores: NDArray[np.int64], k: int) -> int:
    return int(np.partition(scores, len(scores) - k)[len(scores) - k])
