# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment"
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
    entry_of = np.full((count, ranges), -1, np.int64)
    bounds = np.zeros(ranges, np.int64)
    for j in range(count):
        for e in range(term_entries[terms[j]], term_entries[terms[j] + 1]):
            r = entry_ranges[e]
            entry_of[j, r] = e
            bounds[r] += weights[j] * np.int64(entry_highest[e])
    for r in range(ranges):
        bounds[r] *= np.int64(highest_factors[r])
    visit = np.argsort(-bounds)

    accumulator = np.zeros(1 << RANGE_BITS, np.uint32)
    candidates = np.empty(1 << RANGE_BITS, np.uint16)
    order = np.empty(count, np.int64)
    term_bound = np.empty(count, np.int64)
    weak_sum = np.zeros(count + 1, np.int64)
    masked = len(allowed) > 0
    size = 0
    threshold = np.int64(0)  # the worst score in a full heap

    for v in range(ranges):
        r = visit[v]
        if bounds[r] == 0 or (size == k and bounds[r] < threshold):
            break
        factor_bound = np.int64(highest_factors[r])
        present = 0
        for j in range(count):  # terms of this range, by rising bound
            e = entry_of[j, r]
            if e < 0:
                continue
            bound = weights[j] * np.int64(entry_highest[e])
            i = present
            while i > 0 and term_bound[i - 1] > bound:
                term_bound[i] = term_bound[i - 1]
                order[i] = order[i - 1]
                i -= 1
            term_bound[i] = bound
            order[i] = j
            present += 1
        for i in range(present):
            weak_sum[i + 1] = weak_sum[i] + term_bound[i]
        weak = 0
        if size == k:
            while weak < present and weak_sum[weak + 1] * factor_bound < threshold:
                weak += 1

        found = 0
        for i in range(present - 1, weak - 1, -1):
            e = entry_of[order[i], r]
            weight = np.uint32(weights[order[i]])
            for p in range(entry_postings[e], entry_postings[e + 1]):
                d = posting_docs[p]
                before = accumulator[d]
                if before == 0:
                    candidates[found] = d
                    found += 1
                accumulator[d] = before + weight * np.uint32(posting_impacts[p])

        for c in range(found):
            d = candidates[c]
            score = np.int64(accumulator[d])
            accumulator[d] = 0
            doc = (np.int64(r) << RANGE_BITS) + np.int64(d)
            if masked and not allowed[doc]:
                continue
            factor = np.int64(factors[doc])
            i = weak - 1
            while i >= 0:
                if size == k and (score + weak_sum[i + 1]) * factor < threshold:
                    break
                e = entry_of[order[i], r]
                low = entry_postings[e]
                end = entry_postings[e + 1]
                high = end
                while low < high:
                    middle = (low + high) >> 1
                    if posting_docs[middle] < d:
                        low = middle + 1
                    else:
                        high = middle
                if low < end and posting_docs[low] == d:
                    score += weights[order[i]] * np.int64(posting_impacts[low])
                i -= 1
            if i >= 0:
                continue
            score *= factor
            fingerprint = fingerprints[doc]
            if size < k:
                top_scores[size] = score
                top_fingerprints[size] = fingerprint
                top_docs[size] = doc
                _sift_up(top_scores, top_fingerprints, top_docs, size)
                size += 1
            elif _worse(top_scores[0], top_fingerprints[0], score, fingerprint):
                top_scores[0] = score
                top_fingerprints[0] = fingerprint
                top_docs[0] = doc
                _sift_down(top_scores, top_fingerprints, top_docs, k)
            if size == k:
                threshold = top_scores[0]
    return size
