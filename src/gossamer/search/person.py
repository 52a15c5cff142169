"""What counts because of who asks: where they are, which sites they prefer, what they looked for before.

    factor = (1 + country * level) * (1 + preferred_sites, on such a site)
    gain   = context * q * sum over words t of  x(t) * idf(t) * impact(t, d)

`level` is how much a page belongs to the person's country, from 0 to 1 (`located`); x falls by half with each
query further back, is shared among the words of a query, and sums to 1 over all of them; q is the sum of the
emphases of the words of this query. The rest are settings. All of it counts only among the candidates that
get full scores, and nothing of it where nothing is known of the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.weighting import idf
from gossamer.model import UNFETCHED, TermStats
from gossamer.search.condition import Located, Reading
from gossamer.search.feedback import NO_FEEDBACK, Feedback
from gossamer.search.filters import hosts_below
from gossamer.search.located import FULLY
from gossamer.search.searcher import Searcher

FADING = 0.5  # what a query counts relative to the one after it

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Person:
    """What is known of somebody for one search."""

    country: Located | None = None
    sites: tuple[str, ...] = ()  # hosts that the person prefers
    context: Feedback = NO_FEEDBACK  # the words of the last queries

    def by_country(
        self, searcher: Searcher, segment: int, docs: NDArray[np.int64], strength: float
    ) -> Floats:
        """The factors of documents by the country to which they belong."""
        if self.country is None or segment == UNFETCHED:
            return np.ones(len(docs))
        levels = searcher.belonging(segment, self.country)[docs]
        factors: Floats = 1 + strength * levels / FULLY
        return factors

    def by_site(self, searcher: Searcher, segment: int, docs: NDArray[np.int64], strength: float) -> Floats:
        """The factors of documents by whether their sites are preferred."""
        preferred = np.zeros(len(docs))
        if self.sites and segment != UNFETCHED:
            columns = searcher.snapshot.views[segment].segment.columns
            for site in self.sites:
                preferred[hosts_below(columns.host_names, site)[columns.host_ids[docs]]] = 1.0
        factors: Floats = 1 + strength * preferred
        return factors


NOBODY_KNOWN = Person()


def context_of(queries: Sequence[Sequence[Reading]], stats: TermStats, strength: float) -> Feedback:
    """What the words of the last queries add, the newest query first; `strength` holds context and q.

    A word that stood in several queries counts once, as in the newest.
    """
    shares: dict[Reading, float] = {}
    for back, words in enumerate(queries):
        for word in words:
            shares.setdefault(word, FADING**back / len(words))
    held = {word: sum([stats.frequencies.get(term, 0) for term in word]) for word in shares}
    rare = {word: idf(stats.documents, min(n, stats.documents)) for word, n in held.items() if n}
    whole = sum(shares[word] for word in rare)
    weights = {
        term: strength * shares[word] / whole * own for word, own in rare.items() for term in word
    }
    return Feedback(tuple(weights), tuple(weights.values()))
