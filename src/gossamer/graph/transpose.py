"""Reversed and undirected graphs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels import unchecked_kernel
from gossamer.model.graph import LinkGraph, Outward

# Kernel: counting sort by other end
# ----------------------------------


@unchecked_kernel
def turn(
    starts: NDArray[np.int64],
    ends: NDArray[np.uint32],
    turned_starts: NDArray[np.int64],
    turned_ends: NDArray[np.uint32],
) -> None:
    """Fills the rows of the transposed graph; its starts come as zeros, one more than there are nodes.

    Nodes enter the new rows in rising order, whatever their order was.
    """
    nodes = len(starts) - 1
    # The row of node i is counted one place further on, so that filling it moves its start to where it is.
    for j in range(len(ends)):
        place = np.int64(ends[j]) + 2
        if place <= nodes:
            turned_starts[place] += 1
    for i in range(2, nodes + 1):
        turned_starts[i] += turned_starts[i - 1]
    for i in range(nodes):
        for j in range(starts[i], starts[i + 1]):
            row = np.int64(ends[j]) + 1
            turned_ends[turned_starts[row]] = np.uint32(i)
            turned_starts[row] += 1


def outward(graph: LinkGraph) -> Outward:
    """The links by source, targets rising.

    >>> from gossamer.graph.build import graph_of
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


# Kernels: undirected neighbours
# ------------------------------


@unchecked_kernel
def count_neighbours(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    out_starts: NDArray[np.int64],
    targets: NDArray[np.uint32],
    met: NDArray[np.int64],
    counts: NDArray[np.uint32],
) -> None:
    """How many other pages each page has a link from or to. `met` is room for a number of every page."""
    for i in range(len(counts)):
        met[i] = -1
    for i in range(len(counts)):
        met[i] = i
        count = 0
        for j in range(starts[i], starts[i + 1]):
            if met[sources[j]] != i:
                met[sources[j]] = i
                count += 1
        for j in range(out_starts[i], out_starts[i + 1]):
            if met[targets[j]] != i:
                met[targets[j]] = i
                count += 1
        counts[i] = count


@unchecked_kernel
def list_neighbours(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    out_starts: NDArray[np.int64],
    targets: NDArray[np.uint32],
    met: NDArray[np.int64],
    neighbours: NDArray[np.uint32],
) -> None:
    """The pages that `count_neighbours` counts, page after page."""
    place = 0
    for i in range(len(met)):
        met[i] = -1
    for i in range(len(met)):
        met[i] = i
        for j in range(starts[i], starts[i + 1]):
            if met[sources[j]] != i:
                met[sources[j]] = i
                neighbours[place] = sources[j]
                place += 1
        for j in range(out_starts[i], out_starts[i + 1]):
            if met[targets[j]] != i:
                met[targets[j]] = i
                neighbours[place] = targets[j]
                place += 1


# Undirected neighbours
# ---------------------


def neighbour_counts(graph: LinkGraph, out: Outward) -> NDArray[np.uint32]:
    """How many other pages each page has a link from or to, each counted once."""
    counts = np.empty(graph.pages, np.uint32)
    room = np.empty(graph.pages, np.int64)
    count_neighbours(graph.starts, graph.sources, out.starts, out.targets, room, counts)
    return counts


def undirected(graph: LinkGraph, out: Outward) -> LinkGraph:
    """The graph in which every link goes both ways, once; links of a page to itself are left out.

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.transpose import outward
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
