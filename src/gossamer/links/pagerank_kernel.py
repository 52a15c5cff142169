"""One step of the random walk, by target: each page sums up what its in-links bring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel


@unchecked_kernel
def share_out(
    ranks: NDArray[np.float64], out_degrees: NDArray[np.uint32], shares: NDArray[np.float64]
) -> float:
    """What each page gives along each of its links; returns what dead ends keep."""
    stuck = 0.0
    for i in range(len(ranks)):
        if out_degrees[i] == 0:
            shares[i] = 0.0
            stuck += ranks[i]
        else:
            shares[i] = ranks[i] / out_degrees[i]
    return stuck


@unchecked_kernel
def pull(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    shares: NDArray[np.float64],
    beta: float,
    jump: float,
    teleport: NDArray[np.float64],
    ranks: NDArray[np.float64],
) -> float:
    """Replaces the ranks by those after the step; returns the sum of all changes."""
    change = 0.0
    for i in range(len(ranks)):
        brought = 0.0
        for j in range(starts[i], starts[i + 1]):
            brought += shares[sources[j]]
        after = beta * brought + jump * teleport[i]
        change += abs(after - ranks[i])
        ranks[i] = after
    return change
