"""Walks along links: who is reached, and after how many steps one comes round again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part


@unchecked_kernel
def spread(
    starts: NDArray[np.int64],
    neighbours: NDArray[np.uint32],
    reached: NDArray[np.bool_],
    queue: NDArray[np.uint32],
) -> None:
    """Marks all that can be reached from what is marked; the queue has room for every node."""
    end = 0
    for node in range(len(reached)):
        if reached[node]:
            queue[end] = node
            end += 1
    at = 0
    while at < end:
        node = queue[at]
        at += 1
        for link in range(starts[node], starts[node + 1]):
            neighbour = neighbours[link]
            if not reached[neighbour]:
                reached[neighbour] = True
                queue[end] = neighbour
                end += 1


@unchecked_part
def divisor(one: int, other: int) -> int:
    """The greatest common divisor (Euclid); that of 0 and a number is the number."""
    while other:
        one, other = other, one % other
    return one


@unchecked_kernel
def find_periods(
    starts: NDArray[np.int64],
    neighbours: NDArray[np.uint32],
    labels: NDArray[np.int32],
    depths: NDArray[np.int64],
    queue: NDArray[np.uint32],
    periods: NDArray[np.int64],
) -> None:
    """The greatest common divisor of the lengths of all circles, of each component.

    With d the distance from any node of the component, it is that of d(u) + 1 - d(v) over its links u -> v.
    `depths` begin as -1, `periods` as 0, which is what a component without a circle keeps.
    """
    for root in range(len(labels)):
        if depths[root] >= 0:
            continue
        depths[root] = 0
        queue[0] = root
        at, end = 0, 1
        while at < end:
            node = queue[at]
            at += 1
            for link in range(starts[node], starts[node + 1]):
                neighbour = neighbours[link]
                if depths[neighbour] < 0 and labels[neighbour] == labels[root]:
                    depths[neighbour] = depths[node] + 1
                    queue[end] = neighbour
                    end += 1
    for node in range(len(labels)):
        own = labels[node]
        for link in range(starts[node], starts[node + 1]):
            neighbour = neighbours[link]
            if labels[neighbour] == own:
                periods[own] = divisor(periods[own], abs(depths[node] + 1 - depths[neighbour]))
