"""What speaks for the best candidates, beyond the one byte a word that found them?

The first phase ranks by impacts of 8 bits. For a few hundred candidates the positions are read: how often
each word stands in each field, exactly, and how close the words of the query stand to each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import Field
from gossamer.index.segment import Segment
from gossamer.index.weighting import Weighting
from gossamer.kernel import kernels_are_loaded
from gossamer.search.evidence_kernel import FIELD, gather

FEW_OCCURRENCES = 1_000_000  # sorted in less time than it takes to load a kernel
ROW_BITS = 44  # behind them the row of a document, before them its fields and positions

Words = Sequence[Sequence[int]]  # the terms of each word of the query, as numbers of the segment
Shares = Mapping[int, float]  # of terms that count less than what was typed
WHOLE: Shares = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Evidence:
    """A row a document."""

    frequencies: NDArray[np.float64]  # of each word: tf', weighted over the fields
    distances: NDArray[
        np.float64
    ]  # of each word from the next one, in one field; infinite where not together

    def where(self, counts: NDArray[np.bool_]) -> Evidence:
        """The same without words that do not count in a document: a row a document, a column a word."""
        together = counts[:, :-1] & counts[:, 1:]
        return Evidence(self.frequencies * counts, np.where(together, self.distances, np.inf))


def evidence(
    segment: Segment, docs: NDArray[np.int64], words: Words, weighting: Weighting, counted: Shares = WHOLE
) -> Evidence:
    """The evidence for some documents of a segment; of some terms only a share is counted."""
    terms = [term for own in words for term in own]
    if not kernels_are_loaded() and _occurrences(segment, terms) <= FEW_OCCURRENCES:
        return _without_kernel(segment, docs, words, weighting, counted)
    frequencies = np.zeros((len(docs), len(words)))
    distances = np.full((len(docs), max(0, len(words) - 1)), np.inf)
    postings = segment.postings
    gather(
        docs,
        np.argsort(docs),
        np.array(terms, np.int64),
        np.array([word for word, own in enumerate(words) for _ in own], np.int64),
        np.array([counted.get(term, 1.0) for term in terms]),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        postings.position_blocks,
        postings.positions,
        segment.columns.lengths,
        np.array([weighting.weights, weighting.slopes, weighting.pivots]),
        frequencies,
        distances,
    )
    return Evidence(frequencies, distances)


def _infinite(distances: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.where(distances >= FIELD // 2, np.inf, distances)


def _occurrences(segment: Segment, terms: Sequence[int]) -> int:
    return sum(segment.postings.frequency(term) for term in terms)


def _without_kernel(
    segment: Segment, docs: NDArray[np.int64], words: Words, weighting: Weighting, counted: Shares
) -> Evidence:
    """The same by arrays of all occurrences."""
    lengths = segment.columns.lengths[docs]
    shares = weighting.shares(lengths)
    rising = np.argsort(docs)
    ends = np.cumsum(lengths, axis=1, dtype=np.int64)
    frequencies = np.zeros((len(docs), len(words)))
    distances = np.full((len(docs), max(0, len(words) - 1)), FIELD, np.int64)
    before = np.empty(0, np.int64)
    for word, terms in enumerate(words):
        rows, places, counts = _places(segment, docs, rising, terms, counted)
        fields = (places[:, None] >= ends[rows]).sum(axis=1).clip(max=lengths.shape[1] - 1)
        np.add.at(frequencies[:, word], rows, counts * shares[rows, fields])
        told = fields != Field.EMPHASISED  # the body tells where its words stand
        own = np.sort(((rows << ROW_BITS) + fields * FIELD + places)[told])
        if len(before) and len(own):
            np.minimum.at(distances[:, word - 1], before >> ROW_BITS, _apart(before, own))
        before = own
    return Evidence(frequencies, _infinite(distances))


def _places(
    segment: Segment,
    docs: NDArray[np.int64],
    rising: NDArray[np.int64],
    terms: Sequence[int],
    counted: Shares,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Where the terms of a word stand in the documents: the row of each, the position, and what it counts."""
    found = [(np.empty(0, np.int64), np.empty(0, np.int64)), *map(segment.postings.places, terms)]
    held, places = (np.concatenate(column) for column in zip(*found, strict=True))
    counts = np.repeat([1.0, *(counted.get(term, 1.0) for term in terms)], [len(own) for own, _ in found])
    at = np.searchsorted(docs, held, sorter=rising).clip(max=len(docs) - 1)
    rows = rising[at]
    wanted = docs[rows] == held
    return rows[wanted], places[wanted], counts[wanted]


def _apart(places: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """How far each place is from the nearest other one that is not the same."""
    after = np.searchsorted(others, places)
    near = [others[(after + step).clip(0, len(others) - 1)] for step in (-1, 0, 1)]
    apart = np.abs(np.array(near) - places)
    least: NDArray[np.int64] = np.where(apart > 0, apart, FIELD).min(axis=0)
    return least
