"""`threshold`: Fagin's algorithm over lists in falling impact. Exact.

All lists are read from the top in turns (sorted access). Every document that appears is scored in full by
looking it up in the other lists (random access). What has not appeared when all lists are read to some depth
scores at most the sum of weight times impact there; as soon as the k-th best score lies above that sum,
times the highest static factor, nothing can change any more. Where it only reaches the sum, an unseen
document could still tie and have the smaller fingerprint. Reference: Fagin, Lotem, Naor, "Optimal aggregation
algorithms for middleware", PODS 2001.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.search.task import Ranking, Task, best_first


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
