"""Links by the other end: a counting sort."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel


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
