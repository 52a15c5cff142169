# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value"
"""How many pages of other hosts link to a page?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel


@unchecked_kernel
def count_strangers(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    hosts: NDArray[np.uint32],
    nodes: NDArray[np.uint32],
    most: int,
    found: NDArray[np.float64],
) -> None:
    """Estimates them for each node, from at most so many links to it, each as far from the next."""
    for i in range(len(nodes)):
        node = np.int64(nodes[i])
        begin, end = starts[node], starts[node + 1]
        step = max((end - begin + most - 1) // most, 1)
        seen = strangers = 0
        for j in range(begin, end, step):
            seen += 1
            if hosts[np.int64(sources[j])] != hosts[node]:
                strangers += 1
        found[i] = strangers * (end - begin) / max(seen, 1)
