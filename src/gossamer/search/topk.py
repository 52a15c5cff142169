"""The retrieval algorithms by name, on one segment: the best k documents, exactly.

Both return (scores, fingerprints, documents), best first; ties by fingerprint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import Postings
from gossamer.kernel import kernels_are_loaded
from gossamer.search.count_kernel import count_matches as count_kernel
from gossamer.search.maxscore_kernel import maxscore as maxscore_kernel
from gossamer.search.schemes import Impacts
from gossamer.search.static import Factors

Ranking = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Task:
    """What an algorithm works on: a segment's arrays and a query's terms with their integer weights."""

    terms: NDArray[np.int64]
    weights: NDArray[np.int64]
    postings: Postings
    impacts: Impacts
    fingerprints: NDArray[np.uint64]
    allowed: NDArray[np.bool_]  # empty when nothing is ruled out
    factors: Factors


def maxscore(task: Task, k: int) -> Ranking:
    """MaxScore over ranges: skips what cannot enter the top k."""
    k = min(k, len(task.fingerprints))
    scores, fingerprints, docs = np.empty(k, np.int64), np.empty(k, np.uint64), np.empty(k, np.int64)
    found = 0
    if k and len(task.terms):
        found = maxscore_kernel(
            task.terms,
            task.weights,
            task.postings.term_entries,
            task.postings.entry_ranges,
            task.impacts[1],
            task.postings.entry_postings,
            task.postings.posting_docs,
            task.impacts[0],
            task.fingerprints,
            task.allowed,
            task.factors.of_document,
            task.factors.highest,
            scores,
            fingerprints,
            docs,
        )
    return best_first(scores[:found], fingerprints[:found], docs[:found], k)


def exhaustive(task: Task, k: int) -> Ranking:
    """Every posting of every term, in plain NumPy: the computation that the clever ones must agree with."""
    totals = np.zeros(len(task.fingerprints), np.int64)
    for term, weight in zip(task.terms.tolist(), task.weights.tolist(), strict=True):
        levels = task.postings.levels(term, task.impacts[0])
        totals[task.postings.documents(term)] += weight * levels.astype(np.int64)
    if len(task.allowed):
        totals[~task.allowed] = 0
    docs = np.flatnonzero(totals)
    scores = totals[docs] * task.factors.of_document[docs].astype(np.int64)
    return best_first(scores, task.fingerprints[docs], docs, k)


def count_matches(task: Task) -> int:
    """How many allowed documents hold any of the terms."""
    postings = task.postings
    if len(task.terms) == 1 and not len(task.allowed):
        return postings.frequency(int(task.terms[0]))
    if kernels_are_loaded():
        return count_kernel(
            task.terms,
            postings.term_entries,
            postings.entry_ranges,
            postings.entry_postings,
            postings.posting_docs,
            len(task.fingerprints),
            task.allowed,
        )
    found = np.zeros(len(task.fingerprints), np.bool_)
    for term in task.terms.tolist():
        found[postings.documents(term)] = True
    return int(np.count_nonzero(found & task.allowed if len(task.allowed) else found))


def by_factor(task: Task, k: int) -> Ranking:
    """For a query that only restricts: the allowed documents by static rank alone."""
    docs = np.flatnonzero(task.allowed) if len(task.allowed) else np.arange(len(task.fingerprints))
    scores = task.factors.of_document[docs].astype(np.int64)
    return best_first(scores, task.fingerprints[docs], docs, k)


def best_first(
    scores: NDArray[np.int64], fingerprints: NDArray[np.uint64], docs: NDArray[np.int64], k: int
) -> Ranking:
    order = np.lexsort((fingerprints, -scores))[:k]
    return scores[order], fingerprints[order], docs[order]


AUTO = "auto"  # whichever of the exact ones answers sooner

ALGORITHMS: dict[str, Callable[[Task, int], Ranking]] = {"maxscore": maxscore, "exhaustive": exhaustive}
