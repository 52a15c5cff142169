"""Breadth first from a page against the direction of links: who is how far away?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel


@unchecked_kernel
def sum_up_nearness(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    nodes: NDArray[np.int64],
    met: NDArray[np.int64],
    queue: NDArray[np.uint32],
    values: NDArray[np.float64],
) -> None:
    """The sum of 1 / distance over all pages from which each of these nodes can be reached.

    `met` and `queue` are room for a number of every page of the graph.
    """
    for i in range(len(met)):
        met[i] = -1
    for k in range(len(nodes)):
        met[nodes[k]] = k
        queue[0] = np.uint32(nodes[k])
        first, last, distance, total = 0, 1, 0, 0.0
        while first < last:
            distance += 1
            level = last
            for place in range(first, level):
                page = queue[place]
                for j in range(starts[page], starts[page + 1]):
                    if met[sources[j]] != k:
                        met[sources[j]] = k
                        queue[last] = sources[j]
                        last += 1
            total += (last - level) / distance
            first = level
        values[k] = total
