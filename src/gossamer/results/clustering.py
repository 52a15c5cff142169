"""Which results belong together, by how alike they are?

Agglomerative clustering: at first every result is a group of its own; then, again and again, the two groups
that are most alike become one, until no two are alike enough. The linkage says how alike two groups are:

    single     max   over a in A, b in B of  s(a, b)
    average    mean  over a in A, b in B of  s(a, b)

Single linkage joins what a chain of neighbours joins, average linkage what is alike as a whole. s is the
cosine of two results' vectors (`likeness`), as a whole number of `ONE`ths: sums of whole numbers are the same
in any order, so groups are the same wherever they are made. Ties go to the groups with the better results.

References: Lance, Williams, "A general theory of classificatory sorting strategies", Computer Journal 9,
1967; Manning, Raghavan, Schütze, "Introduction to information retrieval", 2008, chapter 17.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.results.clustering_kernel import NOTHING, link

ONE = 1 << 20  # a cosine of 1

Likenesses = NDArray[np.int64]  # of every two results; what the diagonal holds does not matter
Group = tuple[int, ...]  # places of results, the best first

# How alike two groups must be to become one: chosen on the demo web and on 48 words of an encyclopaedia
# (benchmarks/clusters.py). With a bit less, groups agree better with large subjects and lose rare senses.
LINKAGES = {"average": 0.1, "single": 0.3}


class Merge(NamedTuple):
    """Two groups became one. A group is named by its best result, and so is what they become."""

    kept: int
    taken: int
    likeness: float  # a cosine


def merged(likenesses: Likenesses, linkage: str, least: float) -> list[Merge]:
    """What is joined, in this order, until no two groups have a cosine of `least`.

    >>> likenesses = np.array([[0, 9, 2], [9, 0, 5], [2, 5, 0]]) * ONE // 10
    >>> [(kept, taken, round(cosine, 2)) for kept, taken, cosine in merged(likenesses, "average", 0.0)]
    [(0, 1, 0.9), (0, 2, 0.35)]
    """
    between = likenesses.astype(np.int64)
    between.reshape(-1)[:: len(between) + 1] = NOTHING  # the diagonal
    average = linkage == "average"
    if not kernels_are_loaded():
        return _without_kernel(between, average, least * ONE)
    pairs, values = np.empty((len(between), 2), np.int64), np.empty(len(between))
    count = link(between, average, least * ONE, pairs, values)
    return list(map(Merge, *pairs[:count].T.tolist(), (values[:count] / ONE).tolist()))


def _without_kernel(between: Likenesses, average: bool, least: float) -> list[Merge]:
    """The same by arrays of all pairs of groups."""
    found: list[Merge] = []
    sizes = np.ones(len(between), np.int64)
    while len(found) + 1 < len(between):
        values = between / np.outer(sizes, sizes) if average else between.astype(np.float64)
        values[between == NOTHING] = -np.inf
        kept, taken = divmod(int(np.argmax(values)), len(between))
        if not values[kept, taken] >= least:
            break
        found.append(Merge(kept, taken, float(values[kept, taken]) / ONE))
        rows = between[[kept, taken]]
        joined = rows.sum(axis=0) if average else rows.max(axis=0)
        joined[(rows == NOTHING).any(axis=0)] = NOTHING
        between[kept], between[:, kept] = joined, joined
        between[taken], between[:, taken] = NOTHING, NOTHING
        sizes[kept] += sizes[taken]
    return found


def groups(merges: Sequence[Merge]) -> list[Group]:
    """What was joined, the largest first, then that with the best result; results that were not are left out.

    >>> groups([Merge(1, 3, 0.5), Merge(0, 4, 0.4), Merge(1, 2, 0.3)])
    [(1, 2, 3), (0, 4)]
    """
    into: dict[int, int] = {}  # the last group of each that was joined to another
    for kept, taken, _ in reversed(merges):
        into[taken] = into.get(kept, kept)
    members: dict[int, list[int]] = {}
    for other, best in into.items():
        members.setdefault(best, [best]).append(other)
    whole = [tuple(sorted(group)) for group in members.values()]
    return sorted(whole, key=lambda group: (-len(group), group))
