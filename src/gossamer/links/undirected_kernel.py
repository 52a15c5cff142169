"""Neighbours of a page, whichever of the two links to the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel


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
