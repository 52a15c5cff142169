"""Where does a page link to, and what is the web with all links turned round?"""

from __future__ import annotations

import numpy as np

from gossamer.links.transpose_kernel import turn
from gossamer.model.graph import LinkGraph, Outward


def outward(graph: LinkGraph) -> Outward:
    """The links by source, targets rising.

    >>> from gossamer.links.pairs import graph_of
    >>> out = outward(graph_of([(0, 1), (0, 2), (2, 1)]))
    >>> out.starts.tolist(), out.targets.tolist()
    ([0, 2, 2, 3], [1, 2, 1])
    """
    starts, targets = np.zeros(graph.pages + 1, np.int64), np.empty(graph.links, np.uint32)
    turn(graph.starts, graph.sources, starts, targets)
    return Outward(starts, targets)


def reversed_graph(graph: LinkGraph, out: Outward) -> LinkGraph:
    """The same pages with every link turned round. No link is copied."""
    return LinkGraph(graph.fingerprints, out.starts, out.targets, np.diff(graph.starts).astype(np.uint32))
