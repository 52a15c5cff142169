"""Full scores of candidates of all partitions, and what the best of them add to the others'."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.model import UNFETCHED, TermStats
from gossamer.search.candidates import Candidates, Part, best_first
from gossamer.search.common_terms import feedback_from
from gossamer.search.feedback import (
    BEST,
    LEAST_WORDS,
    NO_FEEDBACK,
    Feedback,
    feedback_of,
    gains,
    strength,
    words_among,
)
from gossamer.search.page_terms import strongest_terms
from gossamer.search.refining import Refining
from gossamer.search.scoring import Scores
from gossamer.search.searcher import Searcher
from gossamer.search.support import NO_SUPPORT, Links, Support, supported
from gossamer.search.typed import to_be_read

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rescoring:
    """How candidates are scored in full, in these partitions."""

    refining: Refining
    searchers: Sequence[Searcher]
    links: Links | None = None  # those by which candidates support each other, where they count

    def ranked(self, candidates: Candidates) -> tuple[Candidates, Floats, Feedback, Support]:
        """The candidates and their scores, best first, ties by fingerprint; feedback and support in these."""
        parts = candidates.by_segment()
        found = Scores.of(self.refining, self.searchers, candidates, parts)
        sums, factors, words = found.sums, found.factors, found.words
        totals = sums * factors
        feedback = self._feedback(candidates, totals)
        if feedback.terms:
            for partition, segment, rows in parts:
                sums[rows] += gains(self.searchers[partition], segment, candidates.docs[rows], feedback)
            totals = sums * factors
        support = self._support(candidates, totals)
        if len(support.pages):
            factors *= support.factors
            totals = sums * factors
        order = best_first(totals, candidates.pages, len(candidates))
        if reads := self.reads:
            head = order[:reads]
            own = candidates.taken(head)
            homes = parts if len(parts) == 1 else own.by_segment()
            totals[head] += self._as_typed(own, homes, words[head]) * factors[head]
            order[:reads] = head[best_first(totals[head], candidates.pages[head], reads)]
        return candidates.taken(order), totals[order], feedback, support

    @property
    def reads(self) -> int:
        """How many of the best are read for words as they were typed."""
        return to_be_read(self.refining.plan.forms) if self.refining.settings.exact else 0

    def _as_typed(self, candidates: Candidates, parts: Sequence[Part], words: Floats) -> Floats:
        """What each gains by words that it holds as they were typed."""
        gains = np.empty(len(candidates))
        for partition, segment, rows in parts:
            searcher, docs = self.searchers[partition], candidates.docs[rows]
            gains[rows] = self.refining.as_typed(searcher, segment, docs, words[rows])
        return gains

    def scores(self, candidates: Candidates) -> Floats:
        """Their scores, without feedback."""
        found = Scores.of(self.refining, self.searchers, candidates, candidates.by_segment())
        return found.sums * found.factors

    def _support(self, candidates: Candidates, totals: Floats) -> Support:
        strength = self.refining.settings.support
        if self.links is None or not strength:
            return NO_SUPPORT
        return supported(self.links, candidates.pages, totals, strength)

    def _feedback(self, candidates: Candidates, totals: Floats) -> Feedback:
        """What the best candidates have in common."""
        plan = self.refining.plan
        settings = self.refining.settings
        if not settings.feedback or words_among(plan.words[: plan.telling]) < LEAST_WORDS:
            return NO_FEEDBACK
        read = np.flatnonzero(candidates.segments != UNFETCHED)
        best = read[best_first(totals[read], candidates.pages[read], BEST)]
        scores = totals[best].tolist()
        believed = strength(scores, settings.feedback)
        if not believed:
            return NO_FEEDBACK
        addresses = [candidates[row].address for row in best.tolist()]
        typed = sum(plan.emphasis) if plan.emphasis else len(plan.words)
        if kernels_are_loaded():
            return feedback_from(self.searchers, addresses, scores, believed * typed)
        pages = [strongest_terms(self.searchers[address.partition], address) for address in addresses]
        stats = summed_stats(self.searchers, dict.fromkeys(term for page in pages for term in page))
        return feedback_of(pages, scores, stats, believed * typed)


def summed_stats(searchers: Iterable[Searcher], terms: Iterable[str]) -> TermStats:
    """How many documents there are in all partitions, and how many of them hold each term."""
    wanted = tuple(terms)
    return sum((one.snapshot.term_stats(wanted) for one in searchers), TermStats(0, {}))
