# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value"
"""Exact top k by MaxScore over ranges of documents.

Ranges are visited by falling upper bound (the sum over terms of weight times the range's highest impact,
times the range's highest static factor); a range is left out only when its bound is below the threshold.
Within a range the terms are split: documents that hold only the weak ones, whose bounds together stay below
the threshold, cannot enter the top k, so only the strong (essential) terms are accumulated and the weak
ones are looked up for the candidates. References: Turtle, Flood, "Query evaluation: strategies and
optimizations", 1995; ranges as in Mackenzie et al., "Anytime ranking on document-ordered indexes", 2022.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.kernel import kernel
from gossamer.search.bounds_kernel import lower_bound


@kernel
def _worse(score: int, fingerprint: int, other_score: int, other_fingerprint: int) -> bool:
    """Whether the first stands behind the other: lower score, or the same and a larger fingerprint."""
    if score != other_score:
        return score < other_score
    return fingerprint > other_fingerprint


@kernel
def _sift_up(scores: NDArray[np.int64], fps: NDArray[np.uint64], docs: NDArray[np.int64], i: int) -> None:
    while i > 0:
        parent = (i - 1) >> 1
        if not _worse(scores[i], fps[i], scores[parent], fps[parent]):
            break
        scores[i], scores[parent] = scores[parent], scores[i]
        fps[i], fps[parent] = fps[parent], fps[i]
        docs[i], docs[parent] = docs[parent], docs[i]
        i = parent


@kernel
def _sift_down(
    scores: NDArray[np.int64], fps: NDArray[np.uint64], docs: NDArray[np.int64], size: int
) -> None:
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and _worse(scores[child + 1], fps[child + 1], scores[child], fps[child]):
            child += 1
        if not _worse(scores[child], fps[child], scores[i], fps[i]):
            break
        scores[i], scores[child] = scores[child], scores[i]
        fps[i], fps[child] = fps[child], fps[i]
        docs[i], docs[child] = docs[child], docs[i]
        i = child


@kernel
def _offer(
    scores: NDArray[np.int64],
    fps: NDArray[np.uint64],
    docs: NDArray[np.int64],
    size: int,
    score: int,
    fingerprint: int,
    doc: int,
) -> int:
    """Puts a document into the heap of the best, if it belongs there; returns the heap's size."""
    if size < len(scores):
        scores[size], fps[size], docs[size] = score, fingerprint, doc
        _sift_up(scores, fps, docs, size)
        return size + 1
    if _worse(scores[0], fps[0], score, fingerprint):
        scores[0], fps[0], docs[0] = score, fingerprint, doc
        _sift_down(scores, fps, docs, size)
    return size


@kernel
def _order_terms(
    weights: NDArray[np.int64],
    entries: NDArray[np.int64],
    entry_highest: NDArray[np.uint8],
    order: NDArray[np.int64],
    bounds: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> int:
    """Sorts the terms that a range has by rising bound and sums the bounds up; returns how many there are."""
    present = 0
    for j in range(len(weights)):
        if entries[j] < 0:
            continue
        bound = weights[j] * np.int64(entry_highest[entries[j]])
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


@kernel
def _accumulate(
    order: NDArray[np.int64],
    weak: int,
    present: int,
    weights: NDArray[np.int64],
    entries: NDArray[np.int64],
    entry_postings: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[np.uint8],
    accumulator: NDArray[np.uint32],
    candidates: NDArray[np.uint16],
) -> int:
    """Adds up the essential terms of a range; fills the list of its candidates and returns their number."""
    found = 0
    for i in range(present - 1, weak - 1, -1):
        e = entries[order[i]]
        weight = np.uint32(weights[order[i]])
        for p in range(entry_postings[e], entry_postings[e + 1]):
            d = posting_docs[p]
            before = accumulator[d]
            if before == 0:
                candidates[found] = d
                found += 1
            accumulator[d] = before + weight * np.uint32(posting_impacts[p])
    return found


@kernel
def _completed(
    score: int,
    d: int,
    order: NDArray[np.int64],
    weak: int,
    sums: NDArray[np.int64],
    weights: NDArray[np.int64],
    entries: NDArray[np.int64],
    entry_postings: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[np.uint8],
    factor: int,
    threshold: int,
) -> int:
    """A candidate's score with its weak terms looked up; -1 as soon as it cannot reach the threshold."""
    for i in range(weak - 1, -1, -1):
        if (score + sums[i + 1]) * factor < threshold:
            return np.int64(-1)
        e = entries[order[i]]
        end = entry_postings[e + 1]
        p = lower_bound(posting_docs, entry_postings[e], end, d)
        if p < end and posting_docs[p] == d:
            score += weights[order[i]] * np.int64(posting_impacts[p])
    return score * factor


@kernel
def maxscore(
    terms: NDArray[np.int64],
    weights: NDArray[np.int64],
    term_entries: NDArray[np.int64],
    entry_ranges: NDArray[np.uint32],
    entry_highest: NDArray[np.uint8],
    entry_postings: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[np.uint8],
    fingerprints: NDArray[np.uint64],
    allowed: NDArray[np.bool_],
    factors: NDArray[np.uint16],
    highest_factors: NDArray[np.uint16],
    top_scores: NDArray[np.int64],
    top_fingerprints: NDArray[np.uint64],
    top_docs: NDArray[np.int64],
) -> int:
    """Fills the three arrays with the best documents, as a heap with the worst on top; returns how many.

    `allowed` may be empty: then every document is.
    """
    k = len(top_scores)
    count = len(terms)
    ranges = len(highest_factors)
    entry_of = np.full((ranges, count), -1, np.int64)
    bounds = np.zeros(ranges, np.int64)
    for j in range(count):
        for e in range(term_entries[terms[j]], term_entries[terms[j] + 1]):
            entry_of[entry_ranges[e], j] = e
            bounds[entry_ranges[e]] += weights[j] * np.int64(entry_highest[e])
    for r in range(ranges):
        bounds[r] *= np.int64(highest_factors[r])

    accumulator = np.zeros(1 << RANGE_BITS, np.uint32)
    candidates = np.empty(1 << RANGE_BITS, np.uint16)
    order = np.empty(count, np.int64)
    term_bounds = np.empty(count, np.int64)
    sums = np.zeros(count + 1, np.int64)
    size = 0
    threshold = np.int64(0)  # the worst score in a full heap
    for r in np.argsort(-bounds):
        if bounds[r] == 0 or (size == k and bounds[r] < threshold):
            break
        entries = entry_of[r]
        present = _order_terms(weights, entries, entry_highest, order, term_bounds, sums)
        weak = 0
        while size == k and weak < present and sums[weak + 1] * np.int64(highest_factors[r]) < threshold:
            weak += 1
        found = _accumulate(order, weak, present, weights, entries, entry_postings, posting_docs,
                            posting_impacts, accumulator, candidates)  # fmt: skip
        for c in range(found):
            d = candidates[c]
            score = np.int64(accumulator[d])
            accumulator[d] = 0
            doc = (np.int64(r) << RANGE_BITS) + np.int64(d)
            if len(allowed) > 0 and not allowed[doc]:
                continue
            factor = np.int64(factors[doc])
            if (score + sums[weak]) * factor < threshold:
                continue
            score = _completed(score, d, order, weak, sums, weights, entries, entry_postings, posting_docs,
                               posting_impacts, factor, threshold)  # fmt: skip
            if score >= threshold:
                size = _offer(top_scores, top_fingerprints, top_docs, size, score, fingerprints[doc], doc)
                if size == k:
                    threshold = top_scores[0]
    return size
