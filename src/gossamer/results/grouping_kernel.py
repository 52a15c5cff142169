# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator, call-overload"
"""Which results belong together, and by which phrases? All in one call: there are many steps, each short."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part
from gossamer.results.clustering_kernel import NOTHING, link
from gossamer.results.likeness_kernel import ALONE, compare
from gossamer.results.phrases_kernel import ASKED, INSIDE, TELLING, find_phrases


@unchecked_part
def weigh(
    names: NDArray[np.int64],
    results: NDArray[np.int64],
    rarity: NDArray[np.float64],
    asked: NDArray[np.int64],
    most: float,
    one: int,
    weights: NDArray[np.int64],
    roles: NDArray[np.int64],
) -> None:
    """Fills what each term weighs, in `one`ths, and where it may stand in a phrase.

    What was asked for weighs nothing, and what more than `most` results hold.
    """
    for term in range(len(names)):
        is_asked = False
        for i in range(len(asked)):
            is_asked = is_asked or asked[i] == names[term]
        weights[term] = 0
        if not is_asked and not results[term] > most:
            weights[term] = np.int64(np.rint(rarity[term] * one))
        roles[term] = TELLING if weights[term] > 0 else INSIDE
        if is_asked and rarity[term] > 0:
            roles[term] = ASKED


@unchecked_part
def name_groups(
    pairs: NDArray[np.int64],
    count: int,
    least: float,
    into: NDArray[np.int64],
    members: NDArray[np.int64],
    group_of: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> int:
    """Numbers the groups of at least so many, the largest first, then that with the best result.

    `pairs` are the results that were joined, the better first; `into` and `members` are room to work in.
    """
    n = len(group_of)
    for result in range(n):
        into[result], members[result], group_of[result] = result, 0, ALONE
    for step in range(count - 1, -1, -1):
        into[pairs[step, 1]] = into[pairs[step, 0]]
    for result in range(n):
        members[into[result]] += 1
    for group in range(len(sizes)):
        largest = 0
        for result in range(1, n):
            if members[result] > members[largest]:
                largest = result
        if members[largest] < least:
            return group
        for result in range(n):
            if into[result] == largest:
                group_of[result] = group
        sizes[group], members[largest] = members[largest], 0
    return len(sizes)


@unchecked_kernel
def group_and_name(
    terms: NDArray[np.int64],
    starts: NDArray[np.int64],
    names: NDArray[np.int64],
    results: NDArray[np.int64],
    rarity: NDArray[np.float64],
    asked: NDArray[np.int64],
    logs: NDArray[np.int64],
    numbers: tuple[int, int, int],
    shares: tuple[float, float, float],
    average: bool,
    group_of: NDArray[np.int64],
    phrases: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> int:
    """Fills the group of each result, and of each group where its best phrases begin, and their lengths.

    How many groups there are comes back. numbers: what a word of a title counts, what an idf of 1 is, what a
    cosine of 1 is. shares: how many results may hold a term, the least likeness, and the fewest results of a
    group. What else is filled is told by the kernels of the steps.
    """
    n, (title, idf_one, one), (most, like, least) = len(group_of), numbers, shares
    weights, roles = np.empty(len(names), np.int64), np.empty(len(names), np.int64)
    weigh(names, results, rarity, asked, most, idf_one, weights, roles)
    between = np.zeros((n, n), np.int64)
    compare(terms, starts, results, weights, logs, title, one, between)
    for result in range(n):
        between[result, result] = NOTHING
    pairs, sizes = np.empty((n, 2), np.int64), np.empty(len(scores), np.int64)
    count = link(between, average, like * one, pairs, np.empty(n, np.float64))
    into, members = np.empty(n, np.int64), np.empty(n, np.int64)
    found = name_groups(pairs, count, least, into, members, group_of, sizes)
    if found:
        firsts, lengths = phrases[0, :found], phrases[1, :found]
        find_phrases(terms, starts, roles, group_of, sizes[:found], firsts, lengths, scores[:found])
    return found
