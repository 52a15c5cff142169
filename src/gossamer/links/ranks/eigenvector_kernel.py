"""One step of the power iteration for eigenvector centrality."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel


@unchecked_kernel
def gather(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    values: NDArray[np.float64],
    after: NDArray[np.float64],
) -> float:
    """Each page's own value and those of all that link to it, to length 1; returns the sum of all changes."""
    squares = 0.0
    for i in range(len(values)):
        total = values[i]
        for j in range(starts[i], starts[i + 1]):
            total += values[sources[j]]
        after[i] = total
        squares += total * total
    length = np.sqrt(squares)
    change = 0.0
    for i in range(len(values)):
        after[i] /= length
        change += abs(after[i] - values[i])
    return change
