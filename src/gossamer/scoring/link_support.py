"""Boost for pages linked from other results.

    support = 1 + strength * (k - 0.7 m) / (m + 12)

m pages link to the candidate; k of them are candidates with at least 0.4 of the best score. Nearly all pages
that link to the page that a query means contain the words of the query. A page in a menu is linked from
everywhere, so that k is a small part of m. Few links prove little, and a page without links keeps its score.
The query alone decides which links count, and many links alone do not raise a page. After Bharat, "Ranking
search results by reranking the results based on local inter-connectivity", US patent 6,526,440, 2003, which
counts links between the best results, one per host.

The constants were chosen on half of the queries of a known-item test. docs/ranking.md has the results for the
other half, measured by `benchmarks/known_items.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.link_counts import LinkCounter

ANSWERS = 0.4  # of the best score; links of candidates with less do not count
EXPECTED = 0.7  # share k / m at which the score does not change
DOUBT = 12.0  # links; a page with so many gets half of the full effect
Floats = NDArray[np.float64]
Pages = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class LinkSupport:
    """The factor of each candidate by links from other candidates."""

    pages: Pages
    factors: Floats

    def of(self, page: int) -> float:
        """Return the factor of one page; 1 if it is no candidate."""
        row = np.flatnonzero(self.pages == np.uint64(page))
        return float(self.factors[row[0]]) if len(row) else 1.0


NO_SUPPORT = LinkSupport(np.empty(0, np.uint64), np.empty(0))


def supported(links: LinkCounter, pages: Pages, scores: Floats, strength: float) -> LinkSupport:
    """Compute how candidates with these scores support each other."""
    if not len(pages) or not len(links.nodes):
        return NO_SUPPORT
    nodes = links.nodes.find(pages)
    known = links.degrees(nodes)
    found = links.among(nodes, scores >= ANSWERS * scores.max())
    return LinkSupport(pages, 1 + strength * (found - EXPECTED * known) / (known + DOUBT))
