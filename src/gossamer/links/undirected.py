"""Which pages are neighbours, whichever of the two links to the other?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.links.undirected_kernel import count_neighbours, list_neighbours
from gossamer.model.graph import LinkGraph, Outward


def neighbour_counts(graph: LinkGraph, out: Outward) -> NDArray[np.uint32]:
    """How many other pages each page has a link from or to, each counted once."""
    counts = np.empty(graph.pages, np.uint32)
    room = np.empty(graph.pages, np.int64)
    count_neighbours(graph.starts, graph.sources, out.starts, out.targets, room, counts)
    return counts


def undirected(graph: LinkGraph, out: Outward) -> LinkGraph:
    """The graph in which every link goes both ways, once; links of a page to itself are left out.

    >>> from gossamer.links.pairs import graph_of
    >>> from gossamer.links.transpose import outward
    >>> web = graph_of([(0, 1), (1, 0), (2, 1), (2, 2)])
    >>> both = undirected(web, outward(web))
    >>> both.starts.tolist(), both.sources.tolist()
    ([0, 1, 3, 4], [1, 0, 2, 1])
    """
    degrees = neighbour_counts(graph, out)
    starts = np.concatenate([[0], np.cumsum(degrees, dtype=np.int64)]).astype(np.int64)
    neighbours = np.empty(int(starts[-1]), np.uint32)
    room = np.empty(graph.pages, np.int64)
    list_neighbours(graph.starts, graph.sources, out.starts, out.targets, room, neighbours)
    return LinkGraph(graph.fingerprints, starts, neighbours, degrees)
