"""Searches one snapshot of one partition: the second half of the two-phase search.

First `term_stats` of all partitions are summed, then each partition is searched with the sum, then the
candidates are merged. One partition, eight or a cluster give the same ranking.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gossamer.index.snapshot import SegmentView, Snapshot
from gossamer.kernel import kernels_are_loaded
from gossamer.model import BadSetting, Candidate, Contribution, DocAddress, Explanation, TermStats
from gossamer.search.plan import Plan
from gossamer.search.restrict import allowed, restricts
from gossamer.search.schemes import SCHEMES, WEIGHT_UNIT, Impacts, Scheme
from gossamer.search.static import NEUTRAL, RelativeRank, factors
from gossamer.search.topk import ALGORITHMS, AUTO, Ranking, Task, by_factor, count_matches
from gossamer.text.analysis import without_language

SMALL = 200_000  # documents that are searched exhaustively in less time than it takes to load a kernel


@dataclass(frozen=True, slots=True)
class Matches:
    """What one partition found."""

    total: int
    candidates: tuple[Candidate, ...]


def scheme_named(name: str) -> Scheme:
    if name not in SCHEMES:
        raise BadSetting(f"unknown weighting scheme {name!r}; there are: {', '.join(SCHEMES)}")
    return SCHEMES[name]


def term_weights(plan: Plan, stats: TermStats, scheme: Scheme) -> dict[str, int]:
    """The collection's side of every term: all readings of a word weigh as the word does."""
    weights: dict[str, int] = {}
    for word in plan.words:
        frequency = sum(stats.frequencies[term] for term in word)
        weight = scheme.integer_weight(stats.documents, max(1, min(frequency, stats.documents)))
        weights.update({term: weight for term in word if stats.frequencies[term]})
    return weights


class Searcher:
    """A snapshot with the static factors of its documents. Safe to use from several threads."""

    def __init__(
        self, partition: int, snapshot: Snapshot, rank: RelativeRank | None, strength: float
    ) -> None:
        self.partition = partition
        self.snapshot = snapshot
        self._factors = [
            factors(view.segment.columns.fingerprints, rank, strength) for view in snapshot.views
        ]
        self._impacts: dict[tuple[int, str], Impacts] = {}

    def search(self, plan: Plan, stats: TermStats, k: int, scheme: str, algorithm: str) -> Matches:
        """The best k documents and the number of all that match."""
        if algorithm == AUTO:
            algorithm = "exhaustive" if self._is_quicker_without_kernels() else "maxscore"
        if algorithm not in ALGORITHMS:
            raise BadSetting(f"unknown algorithm {algorithm!r}; there are: {', '.join(ALGORITHMS)}, {AUTO}")
        weighting = scheme_named(scheme)
        total = 0
        found: list[Candidate] = []
        for number, view in enumerate(self.snapshot.views):
            task = self._task(number, view, plan, stats, weighting)
            ranking = ALGORITHMS[algorithm](task, k) if plan.ranks else by_factor(task, k)
            found.extend(self._candidates(number, ranking))
            total += self._count(task, plan)
        return Matches(total, tuple(sorted(found, key=lambda candidate: candidate.sort_key)[:k]))

    def _is_quicker_without_kernels(self) -> bool:
        """Loading compiled code takes most of a second, which only a large collection or a server earns."""
        return not kernels_are_loaded() and self.snapshot.documents <= SMALL

    def explain(self, plan: Plan, stats: TermStats, address: DocAddress, scheme: str) -> Explanation:
        """The sum behind a document's score."""
        view = self.snapshot.views[address.segment]
        weighting = scheme_named(scheme)
        levels = self._impacts_of(address.segment, view, weighting)[0]
        contributions = []
        for term, weight in term_weights(plan, stats, weighting).items():
            number = view.segment.dictionary.number(term)
            if number < 0:
                continue
            docs = view.segment.postings.documents(number)
            place = int(np.searchsorted(docs, address.doc))
            if place == len(docs) or docs[place] != address.doc:
                continue
            postings = view.segment.postings
            first = postings.entry_postings[postings.term_entries[number]]
            level = int(levels[first + place])
            contributions.append(
                Contribution(
                    without_language(term),
                    weight / WEIGHT_UNIT,
                    level * weighting.unit,
                    weighting.shown(weight * level),
                )
            )
        factor = self._factors[address.segment].of_document[address.doc] / NEUTRAL
        return Explanation(tuple(contributions), float(factor))

    def shown_score(self, candidate: Candidate, plan: Plan, scheme: str) -> float:
        """The score as the formulas give it; the static factor alone where no word ranks."""
        score = candidate.score / NEUTRAL
        return scheme_named(scheme).shown(1) * score if plan.ranks else score

    def _task(self, number: int, view: SegmentView, plan: Plan, stats: TermStats, scheme: Scheme) -> Task:
        segment = view.segment
        weights = term_weights(plan, stats, scheme)
        numbers = {term: segment.dictionary.number(term) for term in weights}
        known = [term for term in weights if numbers[term] >= 0]
        return Task(
            np.array([numbers[term] for term in known], dtype=np.int64),
            np.array([weights[term] for term in known], dtype=np.int64),
            segment.postings,
            self._impacts_of(number, view, scheme),
            segment.columns.fingerprints,
            allowed(view, plan) if restricts(view, plan) else np.empty(0, np.bool_),
            self._factors[number],
        )

    def _impacts_of(self, number: int, view: SegmentView, scheme: Scheme) -> Impacts:
        """A scheme's impacts are computed when it is first asked for and kept with the snapshot."""
        key = (number, scheme.name)
        if key not in self._impacts:
            self._impacts[key] = scheme.impacts(view.segment.postings)
        return self._impacts[key]

    def _candidates(self, segment: int, ranking: Ranking) -> list[Candidate]:
        rows = zip(*(column.tolist() for column in ranking), strict=True)
        return [
            Candidate(score, fingerprint, DocAddress(self.partition, segment, doc))
            for score, fingerprint, doc in rows
        ]

    def _count(self, task: Task, plan: Plan) -> int:
        if plan.ranks:
            return count_matches(task)
        return int(task.allowed.sum()) if len(task.allowed) else len(task.fingerprints)
