# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator"
"""Which two groups are the most alike, again and again?

Every group remembers the one that is most like it, so that a step looks at all pairs only where that one
changed: about n² steps of work for n results instead of n³.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part

NOTHING = -1  # instead of a likeness: of a group to itself, or to one that is no more


@kernel_part
def look_around(
    values: NDArray[np.float64], group: int, nearest: NDArray[np.int64], best: NDArray[np.float64]
) -> None:
    """Finds the first of those that are most like a group."""
    nearest[group], best[group] = NOTHING, NOTHING
    for other in range(len(values)):
        if values[group, other] > best[group]:
            nearest[group], best[group] = other, values[group, other]


@kernel_part
def join(
    between: NDArray[np.int64],
    values: NDArray[np.float64],
    sizes: NDArray[np.int64],
    average: bool,
    kept: int,
    taken: int,
) -> None:
    """Makes one group of two: the first of them holds both, the other is no more."""
    sizes[kept] += sizes[taken]
    for other in range(len(between)):
        if between[kept, other] != NOTHING and other != taken:
            if average:
                between[kept, other] += between[taken, other]
                values[kept, other] = between[kept, other] / (sizes[kept] * sizes[other])
            else:
                between[kept, other] = max(between[kept, other], between[taken, other])
                values[kept, other] = between[kept, other]
            between[other, kept], values[other, kept] = between[kept, other], values[kept, other]
        between[taken, other], values[taken, other] = NOTHING, NOTHING
        between[other, taken], values[other, taken] = NOTHING, NOTHING


@kernel
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
    n = len(between)
    sizes, values = np.ones(n, np.int64), between.astype(np.float64)
    nearest, best = np.empty(n, np.int64), np.empty(n, np.float64)
    for group in range(n):
        look_around(values, group, nearest, best)
    for step in range(n - 1):
        kept = 0
        for group in range(1, n):
            if best[group] > best[kept]:
                kept = group
        taken = nearest[kept]
        if taken == NOTHING or not best[kept] >= least:
            return step
        pairs[step, 0], pairs[step, 1], likenesses[step] = kept, taken, best[kept]
        join(between, values, sizes, average, kept, taken)
        best[taken], nearest[taken] = NOTHING, NOTHING
        look_around(values, kept, nearest, best)
        for other in range(n):
            value = values[other, kept]
            if value == NOTHING:
                continue
            if nearest[other] == taken or nearest[other] == kept:
                look_around(values, other, nearest, best)
            elif value > best[other] or (value == best[other] and kept < nearest[other]):
                nearest[other], best[other] = kept, value
    return n - 1
