"""Weighting schemes by name: a document's side in 8 bits, a collection's side at query time.

| name      | document's side (impact)                    | collection's side (weight)   |
|-----------|---------------------------------------------|------------------------------|
| `bm25f`   | tf' / (k1 + tf'), tf' over weighted fields  | ln(1 + (N - df + .5)/(df + .5)) |
| `tfidf`   | 1 + log10 tf, all fields alike              | log10(N / df)                |
| `boolean` | 1                                           | 1: the number of query terms |

Every scheme is a sum over terms, so one engine serves them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import Postings
from gossamer.index.weighting import IMPACT_LEVELS, idf

WEIGHT_UNIT = 1000  # a weight of 1.0 as an integer
LARGEST_LOG_TF = 1 + math.log10(65_536)

Impacts = tuple[NDArray[np.uint8], NDArray[np.uint8]]  # of every posting, and the highest of every entry


@dataclass(frozen=True, slots=True)
class Scheme:
    """A weighting scheme; `unit` is the document-side value that one impact level stands for."""

    name: str
    weight: Callable[[int, int], float]  # (documents, frequency)
    impacts: Callable[[Postings], Impacts]
    unit: float

    def integer_weight(self, documents: int, frequency: int) -> int:
        return max(1, round(WEIGHT_UNIT * self.weight(documents, frequency)))

    def shown(self, score: int) -> float:
        """A sum of integer weight times impact level, as the formula's number."""
        return score * self.unit / WEIGHT_UNIT


def _bm25f_impacts(postings: Postings) -> Impacts:
    return postings.posting_impacts, postings.entry_highest


def _log_tf_impacts(postings: Postings) -> Impacts:
    values = 1 + np.log10(np.minimum(postings.counts(), 65_535))
    levels = np.maximum(1, np.rint(values * IMPACT_LEVELS / LARGEST_LOG_TF)).astype(np.uint8)
    return levels, _highest(postings, levels)


def _boolean_impacts(postings: Postings) -> Impacts:
    ones = np.ones(len(postings.posting_docs), np.uint8)
    return ones, np.ones(len(postings.entry_ranges), np.uint8)


def _highest(postings: Postings, levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    if not len(levels):
        return np.empty(0, np.uint8)
    return np.maximum.reduceat(levels, postings.entry_postings[:-1])


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme("bm25f", idf, _bm25f_impacts, 1 / IMPACT_LEVELS),
        Scheme("tfidf", lambda n, df: math.log10(n / df), _log_tf_impacts, LARGEST_LOG_TF / IMPACT_LEVELS),
        Scheme("boolean", lambda _n, _df: 1.0, _boolean_impacts, 1.0),
    )
}
