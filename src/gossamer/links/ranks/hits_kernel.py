"""Hubs and authorities make each other: the whole iteration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part

SMALLEST = 1e-300  # nothing divided by it stays nothing


@unchecked_part
def gather(
    starts: NDArray[np.int64],
    ends: NDArray[np.uint32],
    given: NDArray[np.float64],
    values: NDArray[np.float64],
) -> float:
    """Each value becomes the sum of what the other ends give; returns the length of the vector."""
    squares = 0.0
    for i in range(len(values)):
        total = 0.0
        for j in range(starts[i], starts[i + 1]):
            total += given[ends[j]]
        values[i] = total
        squares += total * total
    return float(np.sqrt(squares))


@unchecked_kernel
def reinforce(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    out_starts: NDArray[np.int64],
    targets: NDArray[np.uint32],
    weights: NDArray[np.float64],
    tolerance: float,
    max_steps: int,
    before: NDArray[np.float64],
    given: NDArray[np.float64],
    authorities: NDArray[np.float64],
    hubs: NDArray[np.float64],
) -> tuple[int, float]:
    """Steps until authorities move by no more than the tolerance; returns how many, and the last move.

    `hubs` is where to begin; `before` holds the authorities of the step before, zeros at first; `given` is
    room for what a page gives, its score times its weight. Where no link has any weight, all becomes 0.
    """
    moved, steps = 0.0, 0
    while steps < max_steps:
        steps += 1
        for i in range(len(hubs)):
            given[i] = hubs[i] * weights[i]
        length = gather(starts, sources, given, authorities)
        squares = 0.0
        for i in range(len(authorities)):
            authorities[i] /= max(length, SMALLEST)
            squares += (authorities[i] - before[i]) ** 2
            before[i] = authorities[i]
            given[i] = authorities[i] * weights[i]
        length = gather(out_starts, targets, given, hubs)
        for i in range(len(hubs)):
            hubs[i] /= max(length, SMALLEST)
        moved = float(np.sqrt(squares))
        if moved <= tolerance:
            break
    return steps, moved
