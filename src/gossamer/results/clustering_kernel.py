# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator"
"""Which two groups are the most alike, again and again?

Every group remembers the one that is most like it, so that a step looks at all pairs only where that one
changed: about n² steps of work for n results instead of n³.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part

NOTHING = -1  # instead of a likeness: of a group to itself, or to one that is no more


@unchecked_part
def look_around(
    values: NDArray[np.float64],
    alive: NDArray[np.int64],
    count: int,
    group: int,
    nearest: NDArray[np.int64],
    best: NDArray[np.float64],
) -> None:
    """Finds the first of those that are most like a group."""
    near, most = np.int64(NOTHING), float(NOTHING)
    for i in range(count):
        if values[group, alive[i]] > most:
            near, most = alive[i], values[group, alive[i]]
    nearest[group], best[group] = near, most


@unchecked_part
def join(
    between: NDArray[np.int64],
    values: NDArray[np.float64],
    alive: NDArray[np.int64],
    count: int,
    sizes: NDArray[np.int64],
    average: bool,
    kept: int,
    taken: int,
) -> None:
    """Makes one group of two: the first of them holds both, the other is no more."""
    sizes[kept] += sizes[taken]
    for i in range(count):
        other = alive[i]
        if other == kept:
            continue
        if average:
            between[kept, other] += between[taken, other]
            values[kept, other] = between[kept, other] / (sizes[kept] * sizes[other])
        else:
            between[kept, other] = max(between[kept, other], between[taken, other])
            values[kept, other] = between[kept, other]
        between[other, kept], values[other, kept] = between[kept, other], values[kept, other]


@unchecked_part
def without(alive: NDArray[np.int64], count: int, taken: int) -> int:
    """Takes a group out of those that are left; how many there are then."""
    place = 0
    while alive[place] != taken:
        place += 1
    for i in range(place, count - 1):
        alive[i] = alive[i + 1]
    return count - 1


@unchecked_kernel
def link(
    between: NDArray[np.int64],
    average: bool,
    least: float,
    pairs: NDArray[np.int64],
    likenesses: NDArray[np.float64],
) -> int:
    """Joins groups until no two are as alike as `least`; how many times it did.

    `between` is symmetric: for average linkage it holds sums over pairs of results, for single linkage the
    highest; `NOTHING` where a group is compared with itself. It is used up.
    """
    n = count = len(between)
    alive, sizes, values = np.arange(n), np.ones(n, np.int64), between.astype(np.float64)
    nearest, best = np.empty(n, np.int64), np.empty(n, np.float64)
    for group in range(n):
        look_around(values, alive, n, group, nearest, best)
    for step in range(n - 1):
        kept = alive[0]
        for i in range(1, count):
            if best[alive[i]] > best[kept]:
                kept = alive[i]
        taken = nearest[kept]
        if taken == NOTHING or not best[kept] >= least:
            return step
        pairs[step, 0], pairs[step, 1], likenesses[step] = kept, taken, best[kept]
        count = without(alive, count, taken)
        join(between, values, alive, count, sizes, average, kept, taken)
        look_around(values, alive, count, kept, nearest, best)
        for i in range(count):
            other = alive[i]
            value = values[other, kept]
            if other == kept:
                continue
            if nearest[other] == taken or nearest[other] == kept:
                look_around(values, alive, count, other, nearest, best)
            elif value > best[other] or (value == best[other] and kept < nearest[other]):
                nearest[other], best[other] = kept, value
    return n - 1
