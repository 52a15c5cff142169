# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Weighting schemes (BM25F, tf-idf) and block bounds.

| name         | impact, by document                                      | weight, by collection           |
|--------------|----------------------------------------------------------|---------------------------------|
| `bm25f`      | tf' / (k1 + tf'), tf' over weighted fields               | ln(1 + (N - df + .5)/(df + .5)) |
| `bm25`       | tf / (k1 (1 - b + b length / pivot) + tf), fields alike  | ln(1 + (N - df + .5)/(df + .5)) |
| `tfidf`      | 1 + log10 tf                                             | log10(N / df)                   |
| `tf`         | 1 + log10 tf                                             | 1                               |
| `tfidf-norm` | tf / length                                              | log2(N / df)                    |
| `lnc.ltc`    | (1 + log10 tf) / norm of these over the document's terms | log10(N / df) / norm over query |
| `boolean`    | 1                                                        | 1: the number of query terms    |

Every scheme is a sum over terms, so that one engine serves all of them. The impacts of `bm25f` are stored in
the postings, in 8 bits. Those of the other schemes are computed on first use, in 16 bits if 8 would change
the displayed digits. References: Robertson, Zaragoza, "The probabilistic relevance framework: BM25 and
beyond", 2009; Salton, Buckley, "Term-weighting approaches in automatic text retrieval", 1988 (`lnc.ltc` in
SMART's notation).
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
from gossamer.model.graph import find_keys

# Kernels: block bounds
# ---------------------

BLOCK_BITS = 5  # 32 documents in a block; 64 cause twice the reads of postings, 16 take twice the memory
BLOCK_SIZE = 1 << BLOCK_BITS
BLOCKS = 1 << (RANGE_BITS - BLOCK_BITS)  # blocks in a range


@unchecked_kernel
def number_rows(postings: Postings, least: int, term_rows: NDArray[np.int32]) -> int:
    """Assign rows to terms with at least `least` postings per entry, -1 to others.

    Return the number of rows.
    """
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
    """Fill in the highest impact of each block of every row, and the end of its postings.

    Both are 0 at first.
    """
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
    """Fill in impacts_at[i, t], the impact that depths[i] documents of term t reach; 0 if it has fewer.

    `depths` must be in ascending order.
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
# A frequent term has a row for each of its entries: 128 blocks of 32 documents, each with its highest
# impact and the end of its postings. A block takes 3 bytes and a row 384. Only terms with at least 32
# postings per entry have rows, which take about two thirds of the space of the postings. In addition,
# the impact that 10, 100, 300 and 1,000 documents reach is stored for every term. The best k of a query
# score at least as much as the best k of any of its terms, so a search begins with a threshold.
# References: Ding, Suel, "Faster top-k document retrieval using block-max indexes", SIGIR 2011; blocks of
# documents instead of postings as in Mallia, Suel, Tonellotto, "Faster learned sparse retrieval with
# block-max pruning", SIGIR 2024.

DEPTHS = (10, 100, 300, 1000)  # a page of results; candidates without and with a second phase; all results
LEAST_POSTINGS = 32  # per entry, on average, of a term with rows


class ImpactBlocks(NamedTuple):
    """Postings with bounds of blocks. Kernels accept this tuple.

    Row r has the blocks BLOCKS * r : BLOCKS * (r + 1); the rows of term t begin at term_rows[t].
    """

    postings: Postings
    term_rows: NDArray[np.int32]  # -1 if the term has none
    highest: NDArray[Any]  # highest impact of each block, in the type of impacts
    ends: NDArray[np.uint16]  # end of the postings of each block, within the entry
    impacts_at: NDArray[Any]  # depths x terms

    @classmethod
    def of(cls, postings: Postings) -> ImpactBlocks:
        """Compute the bounds of postings."""
        terms, kind = len(postings.term_entries) - 1, postings.posting_impacts.dtype
        term_rows = np.empty(terms, np.int32)
        rows = number_rows(postings, LEAST_POSTINGS, term_rows)
        # NumPy uses large memory pages and Numba does not: this halves the time of a cold search.
        highest, ends = np.zeros(rows * BLOCKS, kind), np.zeros(rows * BLOCKS, np.uint16)
        fill_rows(postings, term_rows, highest, ends)
        impacts_at = np.zeros((len(DEPTHS), terms), kind)
        fill_depths(postings, int(np.iinfo(kind).max), np.array(DEPTHS, np.int64), impacts_at)
        return cls(postings, term_rows, highest, ends, impacts_at)


def depth_for(k: int) -> int:
    """Return the row of `impacts_at` that is a lower bound for the k-th best; -1 if there is none."""
    row = bisect_left(DEPTHS, k)
    return row if row < len(DEPTHS) else -1


# Impacts of a scheme on one segment
# ----------------------------------
#
# Data that only some algorithms need is computed on first use and kept as long as the segment is open.

KEPT_LISTS = 1000  # terms whose postings, sorted by impact, are cached


class Impacts:
    """Postings with the impacts of a scheme, integers of 8 or 16 bits."""

    def __init__(self, postings: Postings) -> None:
        self.postings = postings
        self.falling = lru_cache(KEPT_LISTS)(partial(_falling, postings))

    @classmethod
    def of(cls, postings: Postings, levels: NDArray[Any]) -> Impacts:
        """Replace the impacts of postings."""
        highest = np.empty(0, levels.dtype)
        if len(levels):
            highest = np.maximum.reduceat(levels, postings.entry_postings[:-1].astype(np.int64))
        return cls(postings._replace(posting_impacts=levels, entry_highest=highest))

    @cached_property
    def blocks(self) -> ImpactBlocks:
        """The postings with bounds of blocks."""
        return ImpactBlocks.of(self.postings)

    def at(self, term: int, docs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the impacts of a term in some documents; 0 for those that do not hold it."""
        own, levels = self.postings.documents(term), self.postings.levels(term)
        return find_keys(own, docs, levels, 0).astype(np.int64)


def _falling(postings: Postings, term: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the documents of a term and their impacts, the highest first, ties by document."""
    own = postings.levels(term).astype(np.int64)
    order = np.argsort(-own, kind="stable")
    return postings.documents(term)[order], own[order]


FINE_LEVELS = 65_535
LARGEST_COUNT = 65_535
LARGEST_LOG_TF = 1 + math.log10(LARGEST_COUNT)
K1, B = 1.2, 0.75  # constants of bm25


@dataclass(frozen=True, slots=True)
class DocumentLengths:
    """The number of words of each document, and of an average one."""

    of_document: NDArray[np.int64]
    pivot: float  # frozen for the collection, so that all segments and partitions agree


Values = Callable[[Postings, DocumentLengths], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class WeightingScheme:
    """A weighting scheme. An impact level of 1 stands for `unit`."""

    name: str
    weight: Callable[[int, int], float]  # (documents, frequency)
    values: Values | None  # computes the value of every posting; None: use the stored impacts
    unit: float
    weight_unit: int = 1 << 14  # the integer for a weight of 1.0
    levels: int = FINE_LEVELS
    normal: bool = False  # whether to normalise the weights of a query to a vector of length 1
    emphatic: bool = False  # whether to multiply weights by the emphasis of words

    def weights(
        self, documents: int, frequencies: Sequence[int], emphasis: Sequence[float] = ()
    ) -> list[int]:
        """Return the integer weights of query words with these document frequencies."""
        plain = [self.weight(documents, frequency) for frequency in frequencies]
        if emphasis:
            plain = [weight * own for weight, own in zip(plain, emphasis, strict=True)]
        unit = self.weight_unit / ((math.hypot(*plain) if self.normal else 1.0) or 1.0)
        return [round(unit * weight) or 1 for weight in plain]

    def impacts(self, postings: Postings, lengths: DocumentLengths) -> Impacts:
        """Return the impacts of this scheme on a segment."""
        if self.values is None:
            return Impacts(postings)
        levels = np.clip(np.rint(self.values(postings, lengths) / self.unit), 1, self.levels)
        return Impacts.of(postings, levels.astype(np.uint8 if self.levels <= IMPACT_LEVELS else np.uint16))

    def shown(self, score: float) -> float:
        """Convert a sum of integer weights times impact levels to the value of the formula."""
        return score * self.unit / self.weight_unit


def _counts(postings: Postings) -> NDArray[np.int64]:
    return np.minimum(postings.counts(), LARGEST_COUNT)


def _documents(postings: Postings) -> NDArray[np.int64]:
    """Return the document of every posting."""
    begins = postings.entry_postings.astype(np.int64)
    bases = np.repeat(postings.entry_ranges.astype(np.int64) << RANGE_BITS, begins[1:] - begins[:-1])
    return bases + postings.posting_docs.astype(np.int64)


def _ones(postings: Postings, _lengths: DocumentLengths) -> NDArray[np.float64]:
    return np.ones(len(postings.posting_docs))


def _log_tf(postings: Postings, _lengths: DocumentLengths) -> NDArray[np.float64]:
    values: NDArray[np.float64] = 1 + np.log10(_counts(postings))
    return values


def _share(postings: Postings, lengths: DocumentLengths) -> NDArray[np.float64]:
    """Return term frequency divided by document length."""
    return _counts(postings) / lengths.of_document[_documents(postings)]


def _log_tf_of_length_1(postings: Postings, lengths: DocumentLengths) -> NDArray[np.float64]:
    values, docs = _log_tf(postings, lengths), _documents(postings)
    norms = np.sqrt(np.bincount(docs, values**2, minlength=len(lengths.of_document)))
    return values / norms[docs]


def _saturated(postings: Postings, lengths: DocumentLengths) -> NDArray[np.float64]:
    """Return the saturated term frequency of BM25, with length normalisation."""
    slowness = K1 * (1 - B + B * lengths.of_document / lengths.pivot)
    counts = _counts(postings)
    return counts / (slowness[_documents(postings)] + counts)


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
