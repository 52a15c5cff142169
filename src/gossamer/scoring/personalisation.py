"""Boosts by the user's country, sites and last queries.

    country   = 1 + country_strength * level
    preferred = 1 + preferred_sites                                      on such a site
    context   = 1 + context * sum over words t of  x(t) * impact(t, d)

`level` is how much a page belongs to the person's country, from 0 to 1 (`search.match.places`). The words are
those that the best pages for the last queries have in common, by the weights of `feedback`; x falls by half
with each query further back, and sums to 1. Factors, because a page that says little of what is asked for
must not come first for what was asked before. All of it counts only among the candidates that get full
scores, and nothing of it where nothing is known of the person.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.model import UNFETCHED
from gossamer.query.conditions import AtPlace
from gossamer.scoring.evidence import neutral
from gossamer.scoring.feedback import NO_FEEDBACK, Feedback, gains
from gossamer.search.match.filters import hosts_below
from gossamer.search.match.places import FULLY
from gossamer.search.searcher import Searcher

FADING = 0.5  # what a query counts relative to the one after it
Floats = NDArray[np.float64]
Reminders = tuple[tuple[str, tuple[str, ...]], ...]  # earlier queries, and the terms that each reminds of


@dataclass(frozen=True, slots=True)
class UserContext:
    """What is known of somebody for one search."""

    country: AtPlace | None = None
    sites: tuple[str, ...] = ()  # hosts that the person prefers
    context: Feedback = NO_FEEDBACK  # of what the last queries remind
    reminders: Reminders = ()

    def by_country(
        self, searcher: Searcher, segment: int, docs: NDArray[np.int64], strength: float
    ) -> Floats:
        """The factors of documents by the country to which they belong."""
        if self.country is None or segment == UNFETCHED:
            return neutral(len(docs))
        levels = searcher.belonging(segment, self.country)[docs]
        return 1 + strength * levels / FULLY

    def by_site(self, searcher: Searcher, segment: int, docs: NDArray[np.int64], strength: float) -> Floats:
        """The factors of documents by whether their sites are preferred."""
        if not self.sites or segment == UNFETCHED:
            return neutral(len(docs))
        preferred = np.zeros(len(docs))
        columns = searcher.snapshot.views[segment].segment.columns
        for site in self.sites:
            preferred[hosts_below(columns.host_names, site)[columns.host_ids[docs]]] = 1.0
        return 1 + strength * preferred

    def by_context(
        self, searcher: Searcher, segment: int, docs: NDArray[np.int64], strength: float
    ) -> Floats:
        """The factors of documents by what they share with that of which the last queries remind."""
        if segment == UNFETCHED or not self.context.terms:
            return neutral(len(docs))
        return 1 + strength * gains(searcher, segment, docs, self.context)


NO_USER_CONTEXT = UserContext()


def context_of(reminders: Sequence[Feedback], known: Collection[str]) -> Feedback:
    """What the last queries remind of, the newest first; `known` are terms that this query has anyway."""
    weights: dict[str, float] = defaultdict(float)
    for back, own in enumerate(reminders):
        whole = sum(own.weights)
        for term, weight in zip(own.terms, own.weights, strict=True):
            if term not in known:
                weights[term] += FADING**back * weight / whole
    whole = sum(weights.values())
    return Feedback(tuple(weights), tuple(one / whole for one in weights.values()))
