"""Both phases of a search over all partitions: from a plan to ranked documents.

Each partition gives its best candidates by impact; the best of all of them get full scores. How many these
are does not depend on how many results are wanted, so that a page of results is the same whatever was shown
before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gossamer.model import Candidate, Explanation, TermStats
from gossamer.search.plan import Plan
from gossamer.search.refining import Refining
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
        refined = self._refined(searchers, best)
        scores = [searchers[c.address.partition].shown_score(c, self.plan, self.scheme) for c in rest]
        ordered = [candidate for _, candidate in refined] + rest
        return Ranked(
            sum(part.total for part in found),
            tuple(ordered[:depth]),
            tuple([score for score, _ in refined] + scores)[:depth],
            min(len(refined), depth),
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
            return self._refining.explain(searcher, address)
        return searcher.explain(self.plan, self.stats, address, self.scheme)

    def _refined(
        self, searchers: Sequence[Searcher], candidates: Sequence[Candidate]
    ) -> list[tuple[float, Candidate]]:
        """The candidates with their full scores, best first, ties by fingerprint."""
        totals = np.zeros(len(candidates))
        for searcher in searchers:
            own = [n for n, c in enumerate(candidates) if c.address.partition == searcher.partition]
            addresses = [candidates[n].address for n in own]
            totals[own] = self._refining.scores(searcher, addresses)
        pairs = zip(totals.tolist(), candidates, strict=True)
        return sorted(pairs, key=lambda pair: (-pair[0], pair[1].fingerprint))
