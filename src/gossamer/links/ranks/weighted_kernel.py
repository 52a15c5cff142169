"""One step of a random walk that prefers heavy links."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel


@unchecked_kernel
def give_weights(
    sources: NDArray[np.uint32], weights: NDArray[np.float64], totals: NDArray[np.float64]
) -> None:
    """Adds up the weights of each page's out-links; the totals come as zeros."""
    for j in range(len(sources)):
        totals[sources[j]] += weights[j]


@unchecked_kernel
def pull_weighted(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    weights: NDArray[np.float64],
    shares: NDArray[np.float64],
    beta: float,
    jump: float,
    teleport: NDArray[np.float64],
    ranks: NDArray[np.float64],
) -> float:
    """Replaces the ranks by those after the step; returns the sum of all changes.

    A share is what a page gives along a link of weight 1.
    """
    change = 0.0
    for i in range(len(ranks)):
        brought = 0.0
        for j in range(starts[i], starts[i + 1]):
            brought += weights[j] * shares[sources[j]]
        after = beta * brought + jump * teleport[i]
        change += abs(after - ranks[i])
        ranks[i] = after
    return change
