"""Boost for pages linked from other results.

    support = 1 + strength * (k - 0.7 m) / (m + 12)

m pages link to the candidate, k of them are candidates with at least 0.4 of the best score. A page that is
meant by the words is linked to where they are written: nearly all that link to it hold them. What stands in
a menu is linked to from everywhere, and k is a small part of m. Where few links are known, they say little,
and a page without any stays as it is. So nothing but the query tells which links count, and no number of
links alone lifts a page. After Bharat, "Ranking search results by reranking the results based on local
inter-connectivity", US patent 6,526,440, 2003, who counts links between the best results, one a host.

The constants were chosen on one half of the queries of a known-item test; docs/ranking.md has what the other
half says, and `benchmarks/known_items.py` measures what they do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.link_counts import LinkCounter

ANSWERS = 0.4  # of the best score: what has less does not answer, and its links say nothing of the query
EXPECTED = 0.7  # of the links to a page: the part from pages that answer by which it neither rises nor falls
DOUBT = 12.0  # links: with so many, half of what they say is believed
Floats = NDArray[np.float64]
Pages = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class LinkSupport:
    """What links from other answers make of each candidate: a factor."""

    pages: Pages
    factors: Floats

    def of(self, page: int) -> float:
        """The factor of one page; 1 where it is not among them."""
        row = np.flatnonzero(self.pages == np.uint64(page))
        return float(self.factors[row[0]]) if len(row) else 1.0


NO_SUPPORT = LinkSupport(np.empty(0, np.uint64), np.empty(0))


def supported(links: LinkCounter, pages: Pages, scores: Floats, strength: float) -> LinkSupport:
    """The support of candidates with these scores by each other."""
    if not len(pages) or not len(links.nodes):
        return NO_SUPPORT
    nodes = links.nodes.find(pages)
    known = links.degrees(nodes)
    found = links.among(nodes, scores >= ANSWERS * scores.max())
    return LinkSupport(pages, 1 + strength * (found - EXPECTED * known) / (known + DOUBT))
