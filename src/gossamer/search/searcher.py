"""Search one snapshot of one partition.

First, the `term_stats` of all partitions are summed. Then each partition is searched with the sum, and the
candidates are merged. So one partition, eight partitions or a cluster give the same ranking.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import EVERY, Columns, SegmentView, Snapshot
from gossamer.model import UNFETCHED, BadSetting, Contribution, DocAddress, Explanation, TermStats
from gossamer.model.graph import RelativeRank
from gossamer.query.conditions import AtPlace, Plan, TermSequence
from gossamer.search.candidates import Candidates, best_first
from gossamer.search.link_rank import NEUTRAL, LinkRankFactors, SiteFactors, factors
from gossamer.search.match.filters import in_order, moments
from gossamer.search.match.phrases import Docs
from gossamer.search.match.places import Levels
from gossamer.search.match.restriction import DocumentMask, PagesOutsideIndex, nowhere
from gossamer.search.retrieve.blockmax import ThreadPool
from gossamer.search.retrieve.choose import (
    SegmentSearch,
    SingleSegmentSearch,
    algorithm_named,
    can_be_alone,
    is_heavy,
)
from gossamer.search.retrieve.top_k import (
    Documents,
    Ranking,
    ScoreThreshold,
    best_ranking,
    concatenated,
    new_floor,
)
from gossamer.search.weighting import SCHEMES, DocumentLengths, Impacts, WeightingScheme
from gossamer.text.terms import without_language


def newest_first(columns: Columns, docs: Docs, k: int) -> Ranking:
    """Return the k newest documents, ties by fingerprint."""
    return best_ranking((in_order(moments(columns, docs)), columns.fingerprints[docs], docs), k)


class PartitionMatches(NamedTuple):
    """The result of one partition: the best documents, best first, and the number of all matches."""

    partition: int
    total: int
    ranking: Ranking
    segments: NDArray[np.int64] | None = None  # of each document; None if there is only one segment

    @property
    def candidates(self) -> Candidates:
        """The best documents as candidates."""
        scores, pages, docs = self.ranking
        partitions = np.full(len(pages), self.partition)
        if self.segments is not None:
            return Candidates(scores, pages, partitions, self.segments, docs)
        return Candidates(
            scores, pages, partitions, np.zeros(len(pages), np.int64), docs, (self.partition, 0)
        )


def scheme_named(name: str) -> WeightingScheme:
    """Return a weighting scheme; raise BadSetting for an unknown name."""
    if name not in SCHEMES:
        raise BadSetting(f"unknown weighting scheme {name!r}; choose from: {', '.join(SCHEMES)}")
    return SCHEMES[name]


def term_weights(plan: Plan, stats: TermStats, scheme: WeightingScheme) -> dict[str, int]:
    """Return the weight of every term that some document holds. All terms of a word have its weight."""
    held, documents = stats.frequencies, stats.documents
    sums = [sum([held[term] for term in word]) for word in plan.words]
    words = [word for word, frequency in zip(plan.words, sums, strict=True) if frequency]
    emphasis = plan.emphasis if scheme.emphatic else ()
    known = [own for own, frequency in zip(emphasis, sums, strict=False) if frequency]
    weights = scheme.weights(documents, [min(frequency, documents) for frequency in sums if frequency], known)
    found = {term: weight for word, weight in zip(words, weights, strict=True) for term in word if held[term]}
    for term, share in plan.shares.items():
        if term in found:
            found[term] = max(1, round(found[term] * share))
    return plan.leaning.of_terms(found)


def shown_scores(scores: NDArray[np.int64], plan: Plan, scheme: str) -> NDArray[np.float64]:
    """Convert integer scores for display; without ranking words, they are the static factors."""
    shown: NDArray[np.float64] = scores / NEUTRAL
    return scheme_named(scheme).shown(1) * shown if plan.ranks else shown


class Searcher:
    """Searches a snapshot with the static factors of its documents. Safe to use from several threads."""

    def __init__(
        self,
        partition: int,
        snapshot: Snapshot,
        rank: RelativeRank | None,
        strength: float,
        anchors: PagesOutsideIndex = nowhere,
        threads: int = 1,
        sites: SiteFactors | None = None,
    ) -> None:
        """`sites` holds the owner's rules for sites, if any. With 0 `threads`, there is one per core."""
        self.partition = partition
        self._rank, self._strength, self._sites = rank, strength, sites
        self.snapshot = snapshot = sites.without_blocked(snapshot) if sites else snapshot
        self._static, self._factors = self._weighed(rank)
        self._alive = [view.alive() if len(view.deleted) else EVERY for view in snapshot.views]
        self._impacts: dict[tuple[int, str], Impacts] = {}
        self._alones: dict[str, SingleSegmentSearch] = {}  # by scheme
        self._restrictions = [DocumentMask(view, anchors) for view in snapshot.views]
        self._threads = threads or os.cpu_count() or 1

    def ranked_by(self, rank: RelativeRank | None) -> Searcher:
        """Return a searcher with the static factors of another rank; everything else is shared."""
        other = copy(self)
        other._rank, other._alones = rank, {}
        other._static, other._factors = self._weighed(rank)
        return other

    def _weighed(self, rank: RelativeRank | None) -> tuple[list[LinkRankFactors], list[LinkRankFactors]]:
        """Return the factors of all documents by a rank, without and with the boosts of their sites."""
        segments = [view.segment for view in self.snapshot.views]
        static = [factors(segment.columns.fingerprints, rank, self._strength) for segment in segments]
        if self._sites is None:
            return static, static
        boosts = map(self._sites.boosts, segments)
        return static, [own.times(by) for own, by in zip(static, boosts, strict=True)]

    def search(
        self, plan: Plan, stats: TermStats | None, k: int, scheme: str, algorithm: str, count: bool = True
    ) -> PartitionMatches:
        """Return the best k documents and, if `count`, the number of all matches.

        `stats` is None if there is no other partition.
        """
        algorithm = algorithm_named(algorithm)
        weighting_scheme = scheme_named(scheme)
        alone = self._alone(plan, weighting_scheme) if stats is None and algorithm == "blockmax" else None
        if alone and not count:
            return self._merged([alone.ranking(plan, k)], k, 0)
        stats = stats or self.snapshot.term_stats(plan.terms)
        weights = term_weights(plan, stats, weighting_scheme)
        floor = new_floor()
        total = 0
        rankings: list[Ranking] = []
        for number in range(len(self.snapshot.views)):
            segment = self._segment(number, plan, weights, weighting_scheme, floor)
            rankings.append(alone.ranking(plan, k) if alone else segment.ranking(algorithm, k))
            total += segment.count(algorithm) if count else 0
        return self._merged(rankings, k, total)

    def newest(self, plan: Plan, stats: TermStats, k: int, scheme: str) -> PartitionMatches:
        """Return the k newest matching documents, with dates as scores, and the number of all matches."""
        rankings, total = [], 0
        for view, docs in zip(self.snapshot.views, self.matching(plan, stats, scheme), strict=True):
            rankings.append(newest_first(view.segment.columns, docs, k))
            total += len(docs)
        return self._merged(rankings, k, total)

    def matching(self, plan: Plan, stats: TermStats, scheme: str) -> Iterator[NDArray[np.int64]]:
        """Yield all matching documents, one segment after the other."""
        weighting_scheme = scheme_named(scheme)
        weights, floor = term_weights(plan, stats, weighting_scheme), new_floor()
        for number in range(len(self.snapshot.views)):
            yield self._segment(number, plan, weights, weighting_scheme, floor).matching()

    def _alone(self, plan: Plan, scheme: WeightingScheme) -> SingleSegmentSearch | None:
        """Return the one-call search of the only segment; None if the query or the index needs more."""
        views = self.snapshot.views
        if len(views) != 1 or not can_be_alone(plan, scheme):
            return None
        if self._crew and is_heavy(plan, views[0].segment):
            return None  # several threads are faster
        if scheme.name not in self._alones:
            segment, impacts = views[0].segment, self._impacts_of(0, views[0], scheme)
            documents = Documents(segment.columns.fingerprints, self._alive[0], self._factors[0])
            self._alones[scheme.name] = SingleSegmentSearch(segment, impacts, documents, scheme)
        return self._alones[scheme.name]

    def _merged(self, rankings: list[Ranking], k: int, total: int) -> PartitionMatches:
        """Return the best k documents of all segments."""
        if len(rankings) == 1:
            return PartitionMatches(self.partition, total, rankings[0])
        scores, fingerprints, docs = concatenated(rankings)
        segments = np.repeat(np.arange(len(rankings)), [len(ranking[0]) for ranking in rankings])
        order = best_first(scores, fingerprints, k)
        ranking = scores[order], fingerprints[order], docs[order]
        return PartitionMatches(self.partition, total, ranking, segments[order])

    def explain(self, plan: Plan, stats: TermStats, address: DocAddress, scheme: str) -> Explanation:
        """Explain the score of a document in the first phase."""
        view = self.snapshot.views[address.segment]
        by = scheme_named(scheme)
        impacts = self._impacts_of(address.segment, view, by)
        contributions = []
        for term, weight in term_weights(plan, stats, by).items():
            number = view.segment.dictionary.number(term)
            level = int(impacts.at(number, np.array([address.doc]))[0]) if number >= 0 else 0
            if level:
                shown = weight / by.weight_unit, level * by.unit, by.shown(weight * level)
                contributions.append(Contribution(without_language(term), *shown))
        factor = self._factors[address.segment].of_document[address.doc] / NEUTRAL
        site = float(self.site_factors(address.segment, np.array([address.doc]))[0])
        return Explanation(tuple(contributions), float(factor) / site, site=site)

    def static_factors(self, segment: int, docs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the static factors of documents: link rank times site boost."""
        static: NDArray[np.float64] = self._static[segment].of_document[docs] / NEUTRAL
        return self.by_site(segment, docs, static)

    def allowed(self, number: int, plan: Plan, docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which documents of a segment are not deleted and satisfy the plan's condition."""
        mask = self.mask(number, plan)
        return mask[docs] if len(mask) else np.ones(len(docs), np.bool_)

    def mask(self, number: int, plan: Plan) -> NDArray[np.bool_]:
        """Return the mask of `allowed` for all documents of a segment; it may be empty if all are allowed."""
        if plan.condition is not None:
            return self._restrictions[number].allowed(plan.condition)
        return self._alive[number]

    def site_factors(self, segment: int, docs: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the factors of documents by the owner's rules.

        Pages of blocked sites that were not fetched have 0.
        """
        if self._sites is None:
            return np.ones(len(docs))
        if segment == UNFETCHED:
            return self._sites.of_unfetched(docs)
        return self._sites.boosts(self.snapshot.views[segment].segment, docs)

    def by_site(
        self, segment: int, docs: NDArray[np.int64], values: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Multiply values of documents by the factors of their sites."""
        return values if self._sites is None else values * self.site_factors(segment, docs)

    @property
    def has_site_rules(self) -> bool:
        """Whether the owner has rules for sites."""
        return self._sites is not None

    def holding(self, number: int, row: TermSequence, docs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which documents of a segment hold some adjacent words."""
        return self._restrictions[number].satisfied(row)[docs]

    def belonging(self, number: int, place: AtPlace) -> Levels:
        """Return how strongly each document of a segment belongs to a place."""
        return self._restrictions[number].belonging(place)

    def static_of(self, pages: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the factors of pages by their ranks; the pages need not be indexed."""
        return factors(pages, self._rank, self._strength).of_document / NEUTRAL

    @cached_property
    def _crew(self) -> ThreadPool | None:
        return ThreadPool(ThreadPoolExecutor(self._threads), self._threads) if self._threads > 1 else None

    def _segment(
        self, number: int, plan: Plan, weights: dict[str, int], scheme: WeightingScheme, floor: ScoreThreshold
    ) -> SegmentSearch:
        view = self.snapshot.views[number]
        return SegmentSearch(
            view,
            plan,
            weights,
            scheme,
            self._impacts_of(number, view, scheme),
            self._factors[number],
            self._alive[number],
            self._restrictions[number],
            floor,
            self._crew,
        )

    def _impacts_of(self, number: int, view: SegmentView, scheme: WeightingScheme) -> Impacts:
        """Return the impacts of a scheme, computed on first use and kept with the snapshot."""
        key = (number, scheme.name)
        if key not in self._impacts:
            lengths = view.segment.columns.lengths.sum(axis=1, dtype=np.int64)
            weighting = self.snapshot.weighting
            pivot = sum(weighting.pivots) if weighting else 1.0
            self._impacts[key] = scheme.impacts(view.segment.postings, DocumentLengths(lengths, pivot))
        return self._impacts[key]
