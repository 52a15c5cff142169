"""Boosts by the user's country, sites and last queries.

    country   = 1 + country_strength * level
    preferred = 1 + preferred_sites                                      for pages of preferred sites
    context   = 1 + context_boost * sum over words t of  x(t) * impact(t, d)

`level` is how strongly a page belongs to the user's country, from 0 to 1 (`search.match.places`). The words t
are the common words of the best pages of the last queries, with the weights of `feedback`. x is halved with
each earlier query and sums to 1. All boosts are factors, so that a page that hardly matches the query cannot
rank first because of earlier queries. They apply only to candidates with full scores, and only if something
is known about the user.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.query.conditions import AtPlace
from gossamer.scoring.evidence import neutral
from gossamer.scoring.feedback import NO_FEEDBACK, Feedback, gains
from gossamer.search.match.filters import hosts_below
from gossamer.search.match.places import FULLY
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings

FADING = 0.5  # weight of a query relative to the next one
Floats = NDArray[np.float64]
Reminders = tuple[tuple[str, tuple[str, ...]], ...]  # earlier queries, with their feedback terms


@dataclass(frozen=True, slots=True)
class UserContext:
    """What is known about the user of a search."""

    country: AtPlace | None = None
    sites: tuple[str, ...] = ()  # preferred hosts
    context: Feedback = NO_FEEDBACK  # terms of the last queries, see `context_of`
    reminders: Reminders = ()

    def factors(
        self, searcher: Searcher, segment: int, docs: NDArray[np.int64], settings: SearchSettings
    ) -> tuple[Floats, Floats, Floats]:
        """Return the factors of documents by country, by preferred site and by the last queries."""
        by_country = by_site = by_context = neutral(len(docs))
        if self.country is not None:
            levels = searcher.belonging(segment, self.country)[docs]
            by_country = 1 + settings.country_strength * levels / FULLY
        if self.sites:
            columns = searcher.snapshot.views[segment].segment.columns
            below = [hosts_below(columns.host_names, site)[columns.host_ids[docs]] for site in self.sites]
            by_site = 1 + settings.preferred_sites * np.any(below, axis=0).astype(np.float64)
        if self.context.terms:
            by_context = 1 + settings.context_boost * gains(searcher, segment, docs, self.context)
        return by_country, by_site, by_context


NO_USER_CONTEXT = UserContext()


def context_of(reminders: Sequence[Feedback], known: Collection[str]) -> Feedback:
    """Combine the feedback of the last queries, the newest first, without the `known` terms of this query."""
    weights: dict[str, float] = defaultdict(float)
    for back, own in enumerate(reminders):
        whole = sum(own.weights)
        for term, weight in zip(own.terms, own.weights, strict=True):
            if term not in known:
                weights[term] += FADING**back * weight / whole
    whole = sum(weights.values())
    return Feedback(tuple(weights), tuple(one / whole for one in weights.values()))
