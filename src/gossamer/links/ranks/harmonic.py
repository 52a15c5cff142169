"""To which pages is it not far from anywhere?

    H(v) = sum over pages u other than v of 1 / d(u, v)

where d(u, v) is the number of links on the shortest way from u to v, and 1 / d is 0 where there is none. P.
Boldi, S. Vigna, "Axioms for centrality", Internet Mathematics 10, 2014, who find that of all old measures
only this one does what one expects on graphs that are not connected.

On the path 0 -> 1 -> 2 -> 3 the last page has 1 + 1/2 + 1/3:

    >>> from gossamer.links.pairs import graph_of
    >>> harmonic(graph_of([(0, 1), (1, 2), (2, 3)])).round(4).tolist()
    [0.0, 1.0, 1.5, 1.8333]

Costs: a walk over all links for every node that is asked for, so the whole of a graph up to some ten thousand
pages; beyond, `hyperball` estimates it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.links.ranks.harmonic_kernel import sum_up_nearness
from gossamer.links.ranks.teleport import Nodes, as_nodes
from gossamer.model.graph import LinkGraph


def harmonic(graph: LinkGraph, nodes: Nodes | None = None) -> NDArray[np.float64]:
    """The harmonic centrality of these nodes, or of all, exactly. Divide by n - 1 for values up to 1."""
    asked = np.arange(graph.pages) if nodes is None else as_nodes(graph.pages, nodes)
    values = np.empty(len(asked))
    met, queue = np.empty(graph.pages, np.int64), np.empty(graph.pages, np.uint32)
    sum_up_nearness(graph.starts, graph.sources, asked, met, queue, values)
    return values
