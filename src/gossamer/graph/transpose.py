"""Links by source; reversed graphs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import unchecked_kernel
from gossamer.model.graph import LinkGraph, OutLinks


@unchecked_kernel
def turned(links: OutLinks) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Transpose a graph by a counting sort; return the starts and the ends of its new rows.

    Each new row is in ascending order, even if the old rows were not.
    """
    nodes = len(links.starts) - 1
    starts, ends = np.zeros(nodes + 1, np.int64), np.empty(len(links.targets), np.uint32)
    # Row i is counted at starts[i + 2]; filling the row advances starts[i + 1] to its final value.
    for j in range(len(links.targets)):
        place = np.int64(links.targets[j]) + 2
        if place <= nodes:
            starts[place] += 1
    for i in range(2, nodes + 1):
        starts[i] += starts[i - 1]
    for i in range(nodes):
        for j in range(links.starts[i], links.starts[i + 1]):
            row = np.int64(links.targets[j]) + 1
            ends[starts[row]] = np.uint32(i)
            starts[row] += 1
    return starts, ends


def outward(graph: LinkGraph) -> OutLinks:
    """Return the links by source, targets in ascending order.

    >>> from gossamer.graph.build import graph_of
    >>> out = outward(graph_of([(0, 1), (0, 2), (2, 1)]))
    >>> out.starts.tolist(), out.targets.tolist()
    ([0, 2, 2, 3], [1, 2, 1])
    """
    return OutLinks(*turned(OutLinks(graph.starts, graph.sources)))


def reversed_graph(graph: LinkGraph, out: OutLinks) -> LinkGraph:
    """Return the graph with every link reversed. No link is copied."""
    return LinkGraph(graph.fingerprints, out.starts, out.targets, np.diff(graph.starts).astype(np.uint32))
