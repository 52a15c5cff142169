"""Both phases of a search over all partitions: from a plan to ranked documents.

Each partition gives its best candidates by impact; the best of all of them get full scores. How many these
are does not depend on how many results are wanted, so that a page of results is the same whatever was shown
before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Candidate, Explanation, TermStats
from gossamer.search.feedback import (
    BEST,
    LEAST_WORDS,
    NO_FEEDBACK,
    Feedback,
    feedback_of,
    strength,
)
from gossamer.search.page_terms import strongest_terms
from gossamer.search.plan import Plan
from gossamer.search.refining import Refining, gains
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.search.topk import AUTO

REFINED = "bm25f"  # the scheme that has a second phase; the others are shown as their formulas are


@dataclass(frozen=True, slots=True)
class Ranked:
    """What all partitions found together."""

    total: int
    candidates: tuple[Candidate, ...]  # best first
    scores: tuple[float, ...]  # as they are shown
    refined: int  # how many of them have full scores
    feedback: Feedback = NO_FEEDBACK  # what is in these scores


@dataclass(frozen=True, slots=True)
class Search:
    """What is to be found, and how."""

    plan: Plan
    stats: TermStats
    scheme: str
    algorithm: str
    settings: SearchSettings
    now: float

    @property
    def refined(self) -> int:
        """How many candidates get full scores."""
        words_rank = self.plan.ranks and bool(self.plan.words)
        return self.settings.second_phase if self.scheme == REFINED and words_rank else 0

    @property
    def _refining(self) -> Refining:
        return Refining(self.plan, self.stats, self.settings, self.now)

    def ranked(self, searchers: Sequence[Searcher], depth: int) -> Ranked:
        """The best documents, `depth` of them."""
        deep = max(depth, self.refined)
        stats = self.stats if len(searchers) > 1 else None
        found = [one.search(self.plan, stats, deep, self.scheme, self.algorithm) for one in searchers]
        candidates = sorted((c for part in found for c in part.candidates), key=lambda c: c.sort_key)[:deep]
        best, rest = candidates[: self.refined], candidates[self.refined : depth]
        refined, feedback = self._refined(searchers, best)
        scores = [searchers[c.address.partition].shown_score(c, self.plan, self.scheme) for c in rest]
        ordered = [candidate for _, candidate in refined] + rest
        return Ranked(
            sum(part.total for part in found),
            tuple(ordered[:depth]),
            tuple([score for score, _ in refined] + scores)[:depth],
            min(len(refined), depth),
            feedback,
        )

    def recall(self, searchers: Sequence[Searcher], found: Ranked, depth: int) -> tuple[int, int]:
        """How many of the exact best documents were found, and how many of these there are."""
        exact = replace(self, algorithm=AUTO).ranked(searchers, depth)
        known = {candidate.fingerprint for candidate in found.candidates}
        return sum(one.fingerprint in known for one in exact.candidates), len(exact.candidates)

    def explained(self, searcher: Searcher, found: Ranked, place: int) -> Explanation:
        """The sum behind the score of one of the documents found."""
        address = found.candidates[place].address
        if place < found.refined:
            return self._refining.explain(searcher, address, found.feedback)
        return searcher.explain(self.plan, self.stats, address, self.scheme)

    def _refined(
        self, searchers: Sequence[Searcher], candidates: Sequence[Candidate]
    ) -> tuple[list[tuple[float, Candidate]], Feedback]:
        """The candidates with their full scores, best first, ties by fingerprint; the feedback in these."""
        owners = {searcher.partition: searcher for searcher in searchers}
        rows = {
            number: [row for row, c in enumerate(candidates) if c.address.partition == number]
            for number in owners
        }
        sums, factors = np.zeros(len(candidates)), np.ones(len(candidates))
        for number, own in rows.items():
            scored = self._refining.scores(owners[number], [candidates[row].address for row in own])
            sums[own], factors[own] = scored.sums, scored.factors
        order = _best_first(sums * factors, candidates)
        feedback = self._feedback(owners, [candidates[row] for row in order], (sums * factors)[order])
        if feedback.terms:
            for number, own in rows.items():
                sums[own] += gains(owners[number], [candidates[row].address for row in own], feedback)
            order = _best_first(sums * factors, candidates)
        totals = (sums * factors).tolist()
        return [(totals[row], candidates[row]) for row in order], feedback

    def _feedback(
        self, owners: Mapping[int, Searcher], candidates: Sequence[Candidate], scores: NDArray[np.float64]
    ) -> Feedback:
        """What the best of these candidates have in common, best first."""
        believed = strength(scores.tolist(), self.settings.feedback)
        if self.plan.telling < LEAST_WORDS or not believed:
            return NO_FEEDBACK
        best = candidates[:BEST]
        pages = [strongest_terms(owners[one.address.partition], one.address) for one in best]
        terms = dict.fromkeys(term for page in pages for term in page)
        stats = summed_stats(owners.values(), terms)
        typed = sum(self.plan.emphasis) if self.plan.emphasis else len(self.plan.words)
        return feedback_of(pages, scores[: len(best)].tolist(), stats, believed * typed)


def summed_stats(searchers: Iterable[Searcher], terms: Iterable[str]) -> TermStats:
    """How many documents there are in all partitions, and how many of them hold each term."""
    wanted = tuple(terms)
    return sum((one.snapshot.term_stats(wanted) for one in searchers), TermStats(0, {}))


def _best_first(totals: NDArray[np.float64], candidates: Sequence[Candidate]) -> list[int]:
    return sorted(range(len(candidates)), key=lambda row: (-totals[row], candidates[row].fingerprint))
