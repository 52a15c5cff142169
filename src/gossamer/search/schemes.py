"""Weighting schemes by name: a document's side as integers, a collection's side at query time.

| name         | document's side (impact)                                 | collection's side (weight)      |
|--------------|----------------------------------------------------------|---------------------------------|
| `bm25f`      | tf' / (k1 + tf'), tf' over weighted fields               | ln(1 + (N - df + .5)/(df + .5)) |
| `bm25`       | tf / (k1 (1 - b + b length / pivot) + tf), fields alike  | ln(1 + (N - df + .5)/(df + .5)) |
| `tfidf`      | 1 + log10 tf                                             | log10(N / df)                   |
| `tf`         | 1 + log10 tf                                             | 1                               |
| `tfidf-norm` | tf / length                                              | log2(N / df)                    |
| `lnc.ltc`    | (1 + log10 tf) / norm of these over the document's terms | log10(N / df) / norm over query |
| `boolean`    | 1                                                        | 1: the number of query terms    |

Every scheme is a sum over terms, so one engine serves them all. `bm25f` has its impacts in the postings, in 8
bits; the others' are computed when first asked for, in 16 bits where 8 would show in the printed digits.
References: Robertson, Zaragoza, "The probabilistic relevance framework: BM25 and beyond", 2009; Salton,
Buckley, "Term-weighting approaches in automatic text retrieval", 1988 (`lnc.ltc` in SMART's notation).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.index.postings import Postings
from gossamer.index.weighting import IMPACT_LEVELS, idf
from gossamer.search.impacts import Impacts

FINE_LEVELS = 65_535
LARGEST_COUNT = 65_535
LARGEST_LOG_TF = 1 + math.log10(LARGEST_COUNT)
K1, B = 1.2, 0.75  # of bm25


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many words each document has, and how many one has that is neither long nor short."""

    of_document: NDArray[np.int64]
    pivot: float  # frozen for the collection, so that all segments and partitions agree


Values = Callable[[Postings, Lengths], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Scheme:
    """A weighting scheme; `unit` is the document-side value that one impact level stands for."""

    name: str
    weight: Callable[[int, int], float]  # (documents, frequency)
    values: Values | None  # of every posting; None: those that the postings hold
    unit: float
    weight_unit: int = 1 << 14  # a weight of 1.0 as an integer
    levels: int = FINE_LEVELS
    normal: bool = False  # whether the weights of a query form a vector of length 1
    emphatic: bool = False  # whether words of a query count by their emphasis; else all alike

    def weights(
        self, documents: int, frequencies: Sequence[int], emphasis: Sequence[float] = ()
    ) -> list[int]:
        """The integer weights of a query's words, given how many documents hold each."""
        plain = [self.weight(documents, frequency) for frequency in frequencies]
        if emphasis:
            plain = [weight * own for weight, own in zip(plain, emphasis, strict=True)]
        unit = self.weight_unit / ((math.hypot(*plain) if self.normal else 1.0) or 1.0)
        return [round(unit * weight) or 1 for weight in plain]

    def impacts(self, postings: Postings, lengths: Lengths) -> Impacts:
        """The document's side of a segment."""
        if self.values is None:
            return Impacts(postings, postings.posting_impacts, postings.entry_highest)
        levels = np.clip(np.rint(self.values(postings, lengths) / self.unit), 1, self.levels)
        return Impacts.of(postings, levels.astype(np.uint8 if self.levels <= IMPACT_LEVELS else np.uint16))

    def shown(self, score: float) -> float:
        """A sum of integer weight times impact level, as the formula's number."""
        return score * self.unit / self.weight_unit


def _counts(postings: Postings) -> NDArray[Any]:
    return np.minimum(postings.counts(), LARGEST_COUNT)


def _documents(postings: Postings) -> NDArray[np.int64]:
    """The document of every posting."""
    begins = postings.entry_postings.astype(np.int64)
    bases = np.repeat(postings.entry_ranges.astype(np.int64) << RANGE_BITS, begins[1:] - begins[:-1])
    docs: NDArray[np.int64] = bases + postings.posting_docs.astype(np.int64)
    return docs


def _ones(postings: Postings, _lengths: Lengths) -> NDArray[np.float64]:
    return np.ones(len(postings.posting_docs))


def _log_tf(postings: Postings, _lengths: Lengths) -> NDArray[np.float64]:
    values: NDArray[np.float64] = 1 + np.log10(_counts(postings))
    return values


def _share(postings: Postings, lengths: Lengths) -> NDArray[np.float64]:
    """The part of its document's words that a term makes."""
    values: NDArray[np.float64] = _counts(postings) / lengths.of_document[_documents(postings)]
    return values


def _log_tf_of_length_1(postings: Postings, lengths: Lengths) -> NDArray[np.float64]:
    values, docs = _log_tf(postings, lengths), _documents(postings)
    norms = np.sqrt(np.bincount(docs, values**2, minlength=len(lengths.of_document)))
    normal: NDArray[np.float64] = values / norms[docs]
    return normal


def _saturated(postings: Postings, lengths: Lengths) -> NDArray[np.float64]:
    """How far a term's frequency goes towards 1, more slowly in a long document."""
    slowness = K1 * (1 - B + B * lengths.of_document / lengths.pivot)
    counts = _counts(postings)
    values: NDArray[np.float64] = counts / (slowness[_documents(postings)] + counts)
    return values


def _one(_documents: int, _frequency: int) -> float:
    return 1.0


def _log10_idf(documents: int, frequency: int) -> float:
    return math.log10(documents / frequency)


def _log2_idf(documents: int, frequency: int) -> float:
    return math.log2(documents / frequency)


_LOG_TF_UNIT = LARGEST_LOG_TF / FINE_LEVELS

SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme("bm25f", idf, None, 1 / IMPACT_LEVELS, weight_unit=1000, levels=IMPACT_LEVELS, emphatic=True),
        Scheme("bm25", idf, _saturated, 1 / IMPACT_LEVELS, weight_unit=1000, levels=IMPACT_LEVELS),
        Scheme("tfidf", _log10_idf, _log_tf, _LOG_TF_UNIT),
        Scheme("tf", _one, _log_tf, _LOG_TF_UNIT),
        Scheme("tfidf-norm", _log2_idf, _share, 1 / FINE_LEVELS),
        Scheme("lnc.ltc", _log10_idf, _log_tf_of_length_1, 1 / FINE_LEVELS, normal=True),
        Scheme("boolean", _one, _ones, 1.0, weight_unit=1, levels=1),
    )
}
