"""What a retrieval algorithm is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import Postings
from gossamer.search.impacts import Impacts
from gossamer.search.static import Factors

Ranking = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]  # scores, fingerprints, documents

NARROW = 1 << 32  # a sum below this fits 32 bits


Floor = NDArray[np.uint64]  # one number


def new_floor() -> Floor:
    return np.zeros(1, np.uint64)


@dataclass(slots=True)  # not frozen: one is made for every query, and freezing takes three times as long
class Task:
    """A segment's arrays and a query's terms with their integer weights.

    `floor` holds a score that the best k of the whole search are known to reach. The tasks of one search
    share it, so that one segment, or one thread, skips what another has already outdone.
    """

    terms: NDArray[np.int64]
    weights: NDArray[Any]
    postings: Postings
    impacts: Impacts
    fingerprints: NDArray[np.uint64]
    allowed: NDArray[np.bool_]  # empty when nothing is ruled out
    factors: Factors
    floor: Floor = field(default_factory=new_floor)

    def floor_for(self, k: int) -> Floor:
        """What to read the floor from and to raise it in, for the best k.

        A segment with fewer documents cannot know how good the k-th best is: it gets a floor of its own.
        """
        return self.floor if k <= len(self.fingerprints) else self.floor.copy()


Algorithm = Callable[[Task, int], Ranking]


def as_weights(weights: Sequence[int], highest_level: int) -> NDArray[Any]:
    """Integer weights in the kind that sums of weight times impact need: quicker in 32 bits, else 64."""
    return np.array(weights, np.uint32 if sum(weights) * highest_level < NARROW else np.uint64)


def empty_ranking(k: int) -> Ranking:
    """Room for the best k."""
    return np.empty(k, np.int64), np.empty(k, np.uint64), np.empty(k, np.int64)


def best_first(
    scores: NDArray[np.int64], fingerprints: NDArray[np.uint64], docs: NDArray[np.int64], k: int
) -> Ranking:
    """The best k, ties by fingerprint."""
    order = np.lexsort((fingerprints, -scores))[:k]
    return scores[order], fingerprints[order], docs[order]


def merged(rankings: Sequence[Ranking], k: int) -> Ranking:
    """The best k of several rankings."""
    scores, fingerprints, docs = (np.concatenate(column) for column in zip(*rankings, strict=True))
    return best_first(scores, fingerprints, docs, k)
