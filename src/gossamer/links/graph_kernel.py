"""Finding many fingerprints in a rising list of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel


@unchecked_kernel
def locate(
    names: NDArray[np.uint64],
    values: NDArray[np.uint64],
    shift: np.uint64,
    bounds: NDArray[np.int64],
    places: NDArray[np.int64],
) -> None:
    """Binary search for each value among the names that share its top bits.

    Names whose bits above `shift` are b stand from `bounds[b]` to `bounds[b + 1]`.
    """
    for i in range(len(values)):
        bucket = np.int64(values[i] >> shift)
        low = bounds[bucket]
        high = bounds[bucket + np.int64(1)]
        while low < high:
            middle = (low + high) >> np.int64(1)
            if names[middle] < values[i]:
                low = middle + np.int64(1)
            else:
                high = middle
        places[i] = low
