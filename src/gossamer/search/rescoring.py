"""Full scores of candidates of all partitions, and what the best of them add to the others'."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.model import UNFETCHED, Candidate, TermStats
from gossamer.search.feedback import BEST, LEAST_WORDS, NO_FEEDBACK, Feedback, feedback_of, gains, strength
from gossamer.search.page_terms import strongest_terms
from gossamer.search.refining import Refining
from gossamer.search.searcher import Searcher


@dataclass(frozen=True, slots=True)
class Rescoring:
    """How candidates are scored in full, in these partitions."""

    refining: Refining
    searchers: Sequence[Searcher]

    def ranked(self, candidates: Sequence[Candidate]) -> tuple[list[tuple[float, Candidate]], Feedback]:
        """The candidates with their scores, best first, ties by fingerprint; and the feedback in these."""
        sums, factors = self._scored(candidates)
        order = _best_first(sums * factors, candidates)
        feedback = self._feedback([candidates[row] for row in order], (sums * factors)[order])
        if feedback.terms:
            for searcher, rows, own in self._parts(candidates):
                sums[rows] += gains(searcher, own, feedback)
            order = _best_first(sums * factors, candidates)
        totals = (sums * factors).tolist()
        return [(totals[row], candidates[row]) for row in order], feedback

    def scores(self, candidates: Sequence[Candidate]) -> list[float]:
        """Their scores, without feedback."""
        sums, factors = self._scored(candidates)
        totals: list[float] = (sums * factors).tolist()
        return totals

    def _scored(self, candidates: Sequence[Candidate]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of each candidate the sum, and what multiplies it."""
        sums, factors = np.zeros(len(candidates)), np.ones(len(candidates))
        for searcher, rows, own in self._parts(candidates):
            sums[rows], factors[rows] = self.refining.scores(searcher, own)
        return sums, factors

    def _parts(
        self, candidates: Sequence[Candidate]
    ) -> Iterator[tuple[Searcher, list[int], list[Candidate]]]:
        """The candidates of each partition."""
        for searcher in self.searchers:
            rows = [row for row, c in enumerate(candidates) if c.address.partition == searcher.partition]
            yield searcher, rows, [candidates[row] for row in rows]

    def _feedback(self, ranked: Sequence[Candidate], scores: NDArray[np.float64]) -> Feedback:
        """What the best of the ranked candidates have in common."""
        plan = self.refining.plan
        believed = strength(scores.tolist(), self.refining.settings.feedback)
        if plan.telling < LEAST_WORDS or not believed:
            return NO_FEEDBACK
        places = [place for place, c in enumerate(ranked) if c.address.segment != UNFETCHED][:BEST]
        owners = {searcher.partition: searcher for searcher in self.searchers}
        addresses = [ranked[place].address for place in places]
        pages = [strongest_terms(owners[address.partition], address) for address in addresses]
        stats = summed_stats(self.searchers, dict.fromkeys(term for page in pages for term in page))
        typed = sum(plan.emphasis) if plan.emphasis else len(plan.words)
        return feedback_of(pages, scores[places].tolist(), stats, believed * typed)


def summed_stats(searchers: Iterable[Searcher], terms: Iterable[str]) -> TermStats:
    """How many documents there are in all partitions, and how many of them hold each term."""
    wanted = tuple(terms)
    return sum((one.snapshot.term_stats(wanted) for one in searchers), TermStats(0, {}))


def _best_first(totals: NDArray[np.float64], candidates: Sequence[Candidate]) -> list[int]:
    falling = (-totals).tolist()
    return sorted(range(len(candidates)), key=lambda row: (falling[row], candidates[row].fingerprint))
