# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value"
"""Which pages hang together by links, each page once as a hub and once as an authority?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part


@unchecked_part
def root_of(node: int, parents: NDArray[np.int64]) -> int:
    """The root of a tree, whose paths are halved on the way."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@unchecked_kernel
def join(out_starts: NDArray[np.int64], targets: NDArray[np.uint32], parents: NDArray[np.int64]) -> None:
    """The component of every hub i, and of every authority i as number n + i: its smallest hub.

    Union and find; every union keeps the smaller root, and hubs are numbered before authorities.
    """
    nodes = len(out_starts) - 1
    for i in range(2 * nodes):
        parents[i] = i
    for i in range(nodes):
        for j in range(out_starts[i], out_starts[i + 1]):
            a = root_of(i, parents)
            b = root_of(nodes + np.int64(targets[j]), parents)
            parents[max(a, b)] = min(a, b)
    for i in range(2 * nodes):
        parents[i] = root_of(i, parents)
