"""Pages cited together (related:).

Two pages are related if the same pages link to both. With C(p) the set of pages that link to p,

    likeness(p, q) = |C(p) & C(q)| / sqrt(|C(p)| |C(q)|)

is the cosine between two columns of the link matrix. H. Small, "Co-citation in the scientific literature: a
new measure of the relationship between two documents", JASIS 24, 1973. Citing pages with more than 300 links
are skipped: they say little about any two of their targets. If a page has very many citing pages, an evenly
spaced sample of them is used, always the same.

Pages 0 and 1 link to both 3 and 4; page 2 links to 4 and 5:

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.transpose import outward
    >>> web = graph_of([(0, 3), (0, 4), (1, 3), (1, 4), (2, 4), (2, 5)])
    >>> found = cocited(web, outward(web), 3)
    >>> found.nodes.tolist(), found.likeness.round(4).tolist()  # 2 / sqrt(2 * 3)
    ([4], [0.8165])

Costs: a pass over the links of the citing pages that are used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.ranks.teleport import as_nodes
from gossamer.model.graph import LinkGraph, OutLinks

MOST_CITERS = 2_000
MOST_NAMED = 300  # links of a citing page that is used


@dataclass(frozen=True, slots=True)
class CocitedPages:
    """Pages cited together with another page, most similar first, and the similarity of each."""

    nodes: NDArray[np.int64]
    likeness: NDArray[np.float64]


def cocited(graph: LinkGraph, out: OutLinks, page: int, most: int = 100) -> CocitedPages:
    """Return the pages cited together with a page: at least twice, or else once."""
    node = int(as_nodes(graph.pages, [page])[0])
    citers = graph.sources_of(node)
    short = citers[graph.out_degrees[citers] <= MOST_NAMED]
    asked = short[:: max(1, -(-len(short) // MOST_CITERS))]
    together = np.concatenate([np.empty(0, np.int64), *map(out.targets_of, asked.tolist())])
    nodes, common = np.unique(together[together != node], return_counts=True)
    if (common > 1).any():
        nodes, common = nodes[common > 1], common[common > 1]
    likeness = common / np.sqrt(max(len(asked), 1) * np.maximum(graph.in_degrees(nodes), 1))
    best = np.lexsort((graph.fingerprints[nodes], -likeness))[:most]
    return CocitedPages(nodes[best], likeness[best])
