"""Links by target become links by source: each goes to the next free place of its source."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel


@unchecked_kernel
def turn_round(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    weights: NDArray[np.uint32],
    free: NDArray[np.int64],
    out_targets: NDArray[np.uint32],
    out_weights: NDArray[np.uint32],
) -> None:
    """`free` is where the links of each source begin; as targets come rising, so they go."""
    for target in range(len(starts) - 1):
        for j in range(starts[target], starts[target + 1]):
            place = free[sources[j]]
            free[sources[j]] = place + 1
            out_targets[place] = target
            out_weights[place] = weights[j]
