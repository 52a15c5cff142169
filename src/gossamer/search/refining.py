"""Full scores of candidates in the segments of one partition, and the sums behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.weighting import idf
from gossamer.model import Contribution, DocAddress, Explanation, TermStats
from gossamer.search.evidence import evidence
from gossamer.search.feedback import Feedback
from gossamer.search.plan import Plan
from gossamer.search.searcher import Searcher
from gossamer.search.second import FullScores, full_scores
from gossamer.search.settings import SearchSettings
from gossamer.text.analysis import without_language

# What stands in an explanation for the nearness of words, and for what the best pages have in common.
CLOSENESS = "(close together)"
LIKENESS = "(like the best pages)"


@dataclass(frozen=True, slots=True)
class Scored:
    """Documents with their full scores: a sum, and what multiplies it."""

    sums: NDArray[np.float64]
    factors: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Refining:
    """A query, and how its candidates are scored in full."""

    plan: Plan
    stats: TermStats
    settings: SearchSettings
    now: float

    def scores(self, searcher: Searcher, addresses: Sequence[DocAddress]) -> Scored:
        """The full scores of some documents of a partition, in their order."""
        sums, factors = np.zeros(len(addresses)), np.ones(len(addresses))
        for segment, rows, docs in _by_segment(addresses):
            parts = self._parts(searcher, segment, docs)
            sums[rows], factors[rows] = parts.sum, parts.factor
        return Scored(sums, factors)

    def explain(self, searcher: Searcher, address: DocAddress, feedback: Feedback) -> Explanation:
        """The sum behind a document's full score."""
        doc = np.array([address.doc])
        parts = self._parts(searcher, address.segment, doc)
        rows = zip(self.plan.words, self._weights().tolist(), parts.words[0].tolist(), strict=True)
        contributions = [
            Contribution(without_language(word[0]), weight, added / weight, added)
            for word, weight, added in rows
            if added
        ]
        if close := float(parts.proximity[0]):
            share = self.settings.proximity
            contributions.append(Contribution(CLOSENESS, share, close / share, close))
        if alike := float(feedback.gains(searcher, address.segment, doc).sum()):
            share = sum(feedback.weights)
            contributions.append(Contribution(LIKENESS, share, alike / share, alike))
        return Explanation(tuple(contributions), float(parts.static[0]), float(parts.freshness[0]))

    def _weights(self) -> NDArray[np.float64]:
        """The idf of each word times its emphasis; 0 for one that stands nowhere."""
        held, documents = self.stats.frequencies, self.stats.documents
        sums = [sum([held[term] for term in word]) for word in self.plan.words]
        rare = np.array([idf(documents, min(own, documents)) if own else 0.0 for own in sums])
        return rare * self.plan.emphasis if self.plan.emphasis else rare

    def _parts(self, searcher: Searcher, number: int, docs: NDArray[np.int64]) -> FullScores:
        segment, weighting = searcher.snapshot.views[number].segment, searcher.snapshot.weighting
        assert weighting is not None, "documents were found in an index without a weighting"
        terms = self.plan.terms
        places = dict(zip(terms, segment.look_up(terms).numbers, strict=True))
        words = [[places[term] for term in word if places[term] >= 0] for word in self.plan.words]
        published, fetched = segment.columns.published[docs], segment.columns.fetched_at[docs]
        ages = self.now - np.where(np.isnan(published), fetched, published)
        static = searcher.static_factors(number, docs)
        found = evidence(segment, docs, words, weighting)
        return full_scores(found, self._weights(), weighting.k1, static, ages, self.settings)


def gains(searcher: Searcher, addresses: Sequence[DocAddress], feedback: Feedback) -> NDArray[np.float64]:
    """What feedback adds to the sums of some documents of a partition, in their order."""
    added = np.zeros(len(addresses))
    for segment, rows, docs in _by_segment(addresses):
        added[rows] = feedback.gains(searcher, segment, docs).sum(axis=1)
    return added


def _by_segment(
    addresses: Sequence[DocAddress],
) -> Iterator[tuple[int, list[int], NDArray[np.int64]]]:
    """The segments that documents stand in: which of the documents, and their numbers there."""
    for segment in sorted({address.segment for address in addresses}):
        rows = [row for row, address in enumerate(addresses) if address.segment == segment]
        yield segment, rows, np.array([addresses[row].doc for row in rows], np.int64)
