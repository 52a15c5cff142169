"""The triad of STREAM."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel


@kernel
def triad(
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    c: NDArray[np.float64],
    factor: float,
    begin: int,
    end: int,
) -> None:
    """a = b + factor * c from `begin` to `end`."""
    for i in range(begin, end):
        a[i] = b[i] + factor * c[i]
