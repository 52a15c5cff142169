# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator, call-overload"
"""Which phrases tell the results of a group from all others?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part
from gossamer.results.likeness_kernel import ALONE, MIX

# Where a term may stand: function words inside of a phrase only; what was asked for anywhere, but not alone.
INSIDE, ASKED, TELLING = 0, 1, 2
LONGEST = 3  # words of a phrase
SEVERAL = 1.3  # what a phrase of several words counts beside one word
WITH_ASKED = 1.3  # what it counts if one of them was asked for
IN_TITLES = 0.5  # what it counts more if it stands in titles only
BITS = np.int64(20)  # of a term's number


@unchecked_part
def longest_from(
    terms: NDArray[np.int64], roles: NDArray[np.int64], begin: int, end: int, keys: NDArray[np.int64]
) -> None:
    """Fills for each length the key of the phrase that begins here, with no word that stands inside only."""
    key, telling = np.int64(0), False
    for length in range(LONGEST):
        keys[length] = ALONE
    for length in range(min(LONGEST, end - begin)):
        term = terms[begin + length]
        if term == ALONE:
            return
        telling = telling or roles[term] == TELLING
        key = key << BITS | (term + 1)
        if telling and roles[term] != INSIDE:
            keys[length] = key


@unchecked_part
def worth_of(terms: NDArray[np.int64], roles: NDArray[np.int64], begin: int, end: int) -> float:
    """What a phrase counts, wherever it stands."""
    worth = SEVERAL if end - begin > 1 else 1.0
    for at in range(begin, end):
        if roles[terms[at]] == ASKED:
            return worth * WITH_ASKED
    return worth


@unchecked_part
def count_in(counts: NDArray[np.int16], group_of: NDArray[np.int64], stretch: int) -> None:
    """Counts a result that has a phrase, first in this stretch: in its group, and if that is its title."""
    counts[group_of[stretch // 2] + 1] += 1
    counts[len(counts) - 1] += stretch % 2 == 0


@unchecked_kernel
def find_phrases(
    terms: NDArray[np.int64],
    starts: NDArray[np.int64],
    roles: NDArray[np.int64],
    group_of: NDArray[np.int64],
    sizes: NDArray[np.int64],
    firsts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    scores: NDArray[np.float64],
) -> None:
    """Fills for each group its best phrases, best first: place of the first one, length and score.

    `group_of` holds groups from 0, or ALONE. Scores are 0 where there are no more; what they are is told in
    `phrases`.
    """
    keys = np.empty(LONGEST, np.int64)
    many = 0
    for at in range(len(terms)):
        many += LONGEST * (terms[at] != ALONE and roles[terms[at]] != INSIDE)
    size = 2
    while size < many + many // 2:
        size *= 2
    slots, mask = np.zeros(size, np.int32), np.uint64(size - 1)
    own, place = np.empty(many, np.int64), np.empty(many, np.int32)
    # Most phrases stand in one result, and need no row of counts.
    last, rows = np.empty(many, np.int32), np.empty(many, np.int32)
    held, count = np.empty((many // 2 + 1, len(sizes) + 2), np.int16), 0
    met = 0
    for stretch in range(len(starts) - 1):
        for at in range(starts[stretch], starts[stretch + 1]):
            if terms[at] == ALONE or roles[terms[at]] == INSIDE:
                continue
            longest_from(terms, roles, at, starts[stretch + 1], keys)
            for length in range(LONGEST):
                if keys[length] == ALONE:
                    continue
                slot = ((np.uint64(keys[length]) * MIX) >> np.uint64(32)) & mask
                while slots[slot] != 0 and own[slots[slot] - 1] != keys[length]:
                    slot = (slot + np.uint64(1)) & mask
                if slots[slot] == 0:
                    own[met], place[met], last[met] = keys[length], at * LONGEST + length, stretch
                    rows[met] = ALONE
                    met += 1
                    slots[slot] = met
                    continue
                phrase = slots[slot] - 1
                if last[phrase] // 2 == stretch // 2:
                    continue
                if rows[phrase] == ALONE:
                    held[count] = 0
                    count_in(held[count], group_of, last[phrase])
                    rows[phrase] = count
                    count += 1
                count_in(held[rows[phrase]], group_of, stretch)
                last[phrase] = stretch
    firsts[:], lengths[:], scores[:] = ALONE, 0, 0.0
    for phrase in range(met):
        if rows[phrase] == ALONE:
            continue
        counts, total = held[rows[phrase]], 0
        for group in range(len(sizes) + 1):
            total += counts[group]
        first, length = place[phrase] // LONGEST, place[phrase] % LONGEST + 1
        worth = worth_of(terms, roles, first, first + length) * (
            1 + IN_TITLES * counts[len(sizes) + 1] / total
        )
        for group in range(len(sizes)):
            inside = counts[group + 1]
            if inside < 2:
                continue
            score = worth * 2 * inside / (sizes[group] + total)
            rank = scores.shape[1]
            while rank > 0 and score > scores[group, rank - 1]:
                rank -= 1
            if rank == scores.shape[1]:
                continue
            for lower in range(scores.shape[1] - 1, rank, -1):
                scores[group, lower] = scores[group, lower - 1]
                firsts[group, lower] = firsts[group, lower - 1]
                lengths[group, lower] = lengths[group, lower - 1]
            scores[group, rank] = score
            firsts[group, rank] = first
            lengths[group, rank] = length
