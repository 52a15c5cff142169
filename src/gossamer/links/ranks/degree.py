"""How many pages link to a page, and how many have anything to do with it?

The oldest ranks: in-degree counts votes; the undirected popularity of a page counts its neighbours, whichever
of the two links to the other. Degree centrality is a degree as a share of the most that it could be,

    C(v) = d(v) / (n - 1)

L. C. Freeman, "Centrality in social networks: conceptual clarification", Social Networks 1, 1979.

Page 1 has links from both others and answers one of them:

    >>> from gossamer.links.pairs import graph_of
    >>> from gossamer.links.transpose import outward
    >>> web = graph_of([(0, 1), (2, 1), (1, 2)])
    >>> in_degree(web).tolist(), popularity(web, outward(web)).tolist()
    ([0, 2, 1], [1, 2, 1])
    >>> degree_centrality(in_degree(web)).tolist()
    [0.0, 1.0, 0.5]

Costs: one pass over the starts for in-degree, one over all links both ways for popularity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.links.undirected import neighbour_counts
from gossamer.model.graph import LinkGraph, Outward


def in_degree(graph: LinkGraph) -> NDArray[np.uint32]:
    """How many pages link to each page."""
    return np.diff(graph.starts).astype(np.uint32)


def popularity(graph: LinkGraph, out: Outward) -> NDArray[np.uint32]:
    """How many other pages link to each page or are linked from it, each counted once."""
    return neighbour_counts(graph, out)


def degree_centrality(degrees: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Degrees (of any kind) as shares of all other pages; a lone page has none."""
    return degrees / max(len(degrees) - 1, 1)
