# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Weighting schemes (BM25F, tf-idf) and block bounds.

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
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import IMPACT_LEVELS, idf
from gossamer.index.cursor import frequency_of
from gossamer.index.postings import RANGE_BITS, Postings
from gossamer.kernels.kernel import unchecked_kernel

# Kernels: block bounds
# ---------------------

BLOCK_BITS = 5  # documents in a block: 32; 64 touch twice the postings, 16 take twice the memory
BLOCK_SIZE = 1 << BLOCK_BITS
BLOCKS = 1 << (RANGE_BITS - BLOCK_BITS)  # in a range


@unchecked_kernel
def number_rows(postings: Postings, least: int, term_rows: NDArray[np.int32]) -> int:
    """Gives rows to the terms that have on average `least` postings an entry, -1 to others; counts rows."""
    rows = 0
    for t in range(len(term_rows)):
        entries = np.int64(postings.term_entries[t + 1]) - np.int64(postings.term_entries[t])
        term_rows[t] = -1
        if entries > 0 and frequency_of(postings, t) >= least * entries:
            term_rows[t] = rows
            rows += entries
    return rows


@unchecked_kernel
def fill_rows(
    postings: Postings, term_rows: NDArray[np.int32], highest: NDArray[Any], ends: NDArray[np.uint16]
) -> None:
    """Every row's highest impact a block, and where the block's postings end; both begin with 0."""
    for t in range(len(term_rows)):
        if term_rows[t] < 0:
            continue
        for e in range(np.int64(postings.term_entries[t]), np.int64(postings.term_entries[t + 1])):
            base = (np.int64(term_rows[t]) + e - np.int64(postings.term_entries[t])) * BLOCKS
            first = np.int64(postings.entry_postings[e])
            for p in range(first, np.int64(postings.entry_postings[e + 1])):
                block = base + (np.int64(postings.posting_docs[p]) >> BLOCK_BITS)
                highest[block] = max(highest[block], postings.posting_impacts[p])
                ends[block] = p + 1 - first
            for block in range(base + 1, base + BLOCKS):
                ends[block] = max(ends[block], ends[block - 1])


@unchecked_kernel
def fill_depths(postings: Postings, levels: int, depths: NDArray[np.int64], impacts_at: NDArray[Any]) -> None:
    """The impact that so many documents of a term reach: impacts_at[i, t] for depths[i]; 0 if it has fewer.

    `depths` rises; impacts are counted level by level.
    """
    counts = np.zeros(levels + 1, np.int64)
    for t in range(len(postings.term_entries) - 1):
        first = np.int64(postings.entry_postings[postings.term_entries[t]])
        last = first + frequency_of(postings, t)
        if last - first < depths[0]:
            continue
        highest = 0
        for p in range(first, last):
            level = np.int64(postings.posting_impacts[p])
            counts[level] += 1
            highest = max(highest, level)
        reached = 0
        i = 0
        for level in range(highest, -1, -1):
            reached += counts[level]
            counts[level] = 0
            while i < len(depths) and reached >= depths[i]:
                impacts_at[i, t] = level
                i += 1


# Block bounds of impacts
# -----------------------
#
# A term that is frequent enough has a row for each of its entries: 128 blocks of 32 documents, each
# with its highest impact and the place where its postings end. 3 bytes a block make 384 bytes a row;
# only terms with 32 postings an entry or more have rows, which add about two thirds to the room that
# postings take. Besides, of every term the impact that 10, 100, 300 and 1,000 documents reach: the
# best k of a query cannot score less than the best k of any of its terms, so a search begins with a
# threshold. References: Ding, Suel, "Faster top-k document retrieval using block-max indexes", SIGIR
# 2011; blocks of documents instead of postings as in Mallia, Suel, Tonellotto, "Faster learned sparse
# retrieval with block-max pruning", SIGIR 2024.

DEPTHS = (10, 100, 300, 1000)  # a page; what is known together, without a second phase and with one; all
LEAST_POSTINGS = 32  # an entry, on average, of a term that has rows


class ImpactBlocks(NamedTuple):
    """Postings with bounds of blocks; kernels take them as they are.

    Row r has the blocks BLOCKS * r : BLOCKS * (r + 1); the rows of term t begin at term_rows[t].
    """

    postings: Postings
    term_rows: NDArray[np.int32]  # -1: none
    highest: NDArray[Any]  # of the impacts of a block; of their kind
    ends: NDArray[np.uint16]  # of the postings of a block, counted within the entry
    impacts_at: NDArray[Any]  # depths x terms

    @classmethod
    def of(cls, postings: Postings) -> ImpactBlocks:
        terms, kind = len(postings.term_entries) - 1, postings.posting_impacts.dtype
        term_rows = np.empty(terms, np.int32)
        rows = number_rows(postings, LEAST_POSTINGS, term_rows)
        # Memory of NumPy stands in large pages, that of Numba does not: half the time of a cold search.
        highest, ends = np.zeros(rows * BLOCKS, kind), np.zeros(rows * BLOCKS, np.uint16)
        fill_rows(postings, term_rows, highest, ends)
        impacts_at = np.zeros((len(DEPTHS), terms), kind)
        fill_depths(postings, int(np.iinfo(kind).max), np.array(DEPTHS, np.int64), impacts_at)
        return cls(postings, term_rows, highest, ends, impacts_at)


def depth_for(k: int) -> int:
    """Which row of `impacts_at` bounds the k-th best from below; -1 where none does."""
    row = bisect_left(DEPTHS, k)
    return row if row < len(DEPTHS) else -1


# Impacts of a scheme on one segment
# ----------------------------------
#
# What only some algorithms need is made when it is first asked for and kept as long as the segment is
# open.

KEPT_LISTS = 1000  # terms whose postings in falling order are remembered


class Impacts:
    """Postings with the impacts of a scheme, integers of 8 bits or 16."""

    def __init__(self, postings: Postings) -> None:
        self.postings = postings
        self.falling = lru_cache(KEPT_LISTS)(partial(_falling, postings))

    @classmethod
    def of(cls, postings: Postings, levels: NDArray[Any]) -> Impacts:
        """The same postings with other impacts."""
        highest = np.empty(0, levels.dtype)
        if len(levels):
            highest = np.maximum.reduceat(levels, postings.entry_postings[:-1].astype(np.int64))
        return cls(postings._replace(posting_impacts=levels, entry_highest=highest))

    @cached_property
    def blocks(self) -> ImpactBlocks:
        return ImpactBlocks.of(self.postings)

    def at(self, term: int, docs: NDArray[np.int64]) -> NDArray[np.int64]:
        """How strongly these documents hold the term; 0 where they do not."""
        own, levels = self.postings.documents(term), self.postings.levels(term)
        places = np.minimum(np.searchsorted(own, docs), len(own) - 1)
        return np.where(own[places] == docs, levels[places], 0).astype(np.int64)


def _falling(postings: Postings, term: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A term's documents and their impacts, the strongest first; equals in the order of documents."""
    own = postings.levels(term).astype(np.int64)
    order = np.argsort(-own, kind="stable")
    return postings.documents(term)[order], own[order]


FINE_LEVELS = 65_535
LARGEST_COUNT = 65_535
LARGEST_LOG_TF = 1 + math.log10(LARGEST_COUNT)
K1, B = 1.2, 0.75  # of bm25


@dataclass(frozen=True, slots=True)
class DocumentLengths:
    """How many words each document has, and how many one has that is neither long nor short."""

    of_document: NDArray[np.int64]
    pivot: float  # frozen for the collection, so that all segments and partitions agree


Values = Callable[[Postings, DocumentLengths], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class WeightingScheme:
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

    def impacts(self, postings: Postings, lengths: DocumentLengths) -> Impacts:
        """The document's side of a segment."""
        if self.values is None:
            return Impacts(postings)
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


def _ones(postings: Postings, _lengths: DocumentLengths) -> NDArray[np.float64]:
    return np.ones(len(postings.posting_docs))


def _log_tf(postings: Postings, _lengths: DocumentLengths) -> NDArray[np.float64]:
    values: NDArray[np.float64] = 1 + np.log10(_counts(postings))
    return values


def _share(postings: Postings, lengths: DocumentLengths) -> NDArray[np.float64]:
    """The part of its document's words that a term makes."""
    values: NDArray[np.float64] = _counts(postings) / lengths.of_document[_documents(postings)]
    return values


def _log_tf_of_length_1(postings: Postings, lengths: DocumentLengths) -> NDArray[np.float64]:
    values, docs = _log_tf(postings, lengths), _documents(postings)
    norms = np.sqrt(np.bincount(docs, values**2, minlength=len(lengths.of_document)))
    normal: NDArray[np.float64] = values / norms[docs]
    return normal


def _saturated(postings: Postings, lengths: DocumentLengths) -> NDArray[np.float64]:
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
        WeightingScheme(
            "bm25f", idf, None, 1 / IMPACT_LEVELS, weight_unit=1000, levels=IMPACT_LEVELS, emphatic=True
        ),
        WeightingScheme("bm25", idf, _saturated, 1 / IMPACT_LEVELS, weight_unit=1000, levels=IMPACT_LEVELS),
        WeightingScheme("tfidf", _log10_idf, _log_tf, _LOG_TF_UNIT),
        WeightingScheme("tf", _one, _log_tf, _LOG_TF_UNIT),
        WeightingScheme("tfidf-norm", _log2_idf, _share, 1 / FINE_LEVELS),
        WeightingScheme("lnc.ltc", _log10_idf, _log_tf_of_length_1, 1 / FINE_LEVELS, normal=True),
        WeightingScheme("boolean", _one, _ones, 1.0, weight_unit=1, levels=1),
    )
}
