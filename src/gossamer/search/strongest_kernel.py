# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return, call-overload"
"""Which terms of a page count the most, and which have several pages in common? By numbers of terms.

Of equals the one comes first that stands first in the order of bytes, which is that of characters. String s
is arena[bounds[s] : bounds[s + 1]].
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part

TELLS = 1  # of a term: worth naming
EMPTY = -1  # of a slot
MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio: spreads numbers over the slots
TOP = np.uint64(32)
ONE = np.uint64(1)


@unchecked_part
def slot_of(slots: NDArray[np.int64], known: NDArray[np.uint32], number: int) -> np.uint64:
    """The slot of a number, taken or to be taken; there are a power of 2 of them."""
    mask = np.uint64(len(slots) - 1)
    slot = ((np.uint64(number) * MIX) >> TOP) & mask
    while slots[slot] != EMPTY and known[slots[slot]] != number:
        slot = (slot + ONE) & mask
    return slot


@unchecked_part
def sorts_before(arena: NDArray[np.uint8], bounds: NDArray[np.int64], one: int, other: int) -> bool:
    """Whether a string stands before another one."""
    a, b = np.uint64(bounds[one]), np.uint64(bounds[other])
    a_end, b_end = np.uint64(bounds[one + 1]), np.uint64(bounds[other + 1])
    while a < a_end and b < b_end and arena[a] == arena[b]:
        a += ONE
        b += ONE
    if a == a_end or b == b_end:
        return b < b_end
    return arena[a] < arena[b]


@unchecked_part
def keep(
    best: NDArray[np.int64],
    size: int,
    place: int,
    values: NDArray[np.float64],
    numbers: NDArray[np.uint32],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
) -> int:
    """Puts a place among the best by value if it belongs there; returns how many there are now."""
    at = size
    while at > 0:
        other = best[at - 1]
        if values[other] > values[place]:
            break
        if values[other] == values[place] and sorts_before(arena, bounds, numbers[other], numbers[place]):
            break
        if at < len(best):
            best[at] = other
        at -= 1
    if at < len(best):
        best[at] = place
    return min(size + 1, len(best))


@unchecked_kernel
def strongest(
    terms: NDArray[np.uint32],
    titled: int,
    shares: NDArray[np.float64],
    k1: float,
    tells: NDArray[np.uint8],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    numbers: NDArray[np.uint32],
    impacts: NDArray[np.float64],
) -> int:
    """Fills in the strongest terms of a page, as many as there is room for, and their impacts; how many.

    The first `titled` terms stand in the title, the others in the text.
    """
    size, known = 2, 0
    while size < 2 * len(terms):
        size *= 2
    slots = np.full(size, EMPTY, np.int64)
    own, frequencies = np.empty(len(terms), np.uint32), np.empty(len(terms))
    for i in range(len(terms)):
        slot = slot_of(slots, own, terms[i])
        if slots[slot] == EMPTY:
            slots[slot] = known
            own[known], frequencies[known] = terms[i], 0.0
            known += 1
        frequencies[slots[slot]] += shares[0] if i < titled else shares[1]
    best, count = np.empty(len(numbers), np.int64), 0
    for place in range(known):
        if tells[own[place]] == TELLS:
            count = keep(best, count, place, frequencies, own, arena, bounds)
    for i in range(count):
        frequency = frequencies[best[i]]
        numbers[i], impacts[i] = own[best[i]], frequency / (k1 + frequency)
    return count


@unchecked_kernel
def in_common(
    numbers: NDArray[np.uint32],
    impacts: NDArray[np.float64],
    counts: NDArray[np.int64],
    shares: NDArray[np.float64],
    found: NDArray[np.uint32],
    said: NDArray[np.float64],
) -> int:
    """Fills in each term once, and its impacts, each times its page's share; returns how many there are.

    Page p has the terms numbers[p, : counts[p]].
    """
    size, known = 2, 0
    while size < 2 * len(found):
        size *= 2
    slots = np.full(size, EMPTY, np.int64)
    for page in range(len(counts)):
        for i in range(counts[page]):
            slot = slot_of(slots, found, numbers[page, i])
            if slots[slot] == EMPTY:
                slots[slot] = known
                found[known], said[known] = numbers[page, i], 0.0
                known += 1
            said[slots[slot]] += shares[page] * impacts[page, i]
    return known


@unchecked_kernel
def most_telling(
    numbers: NDArray[np.uint32],
    said: NDArray[np.float64],
    frequencies: NDArray[np.int64],
    documents: int,
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    best: NDArray[np.int64],
    rare: NDArray[np.float64],
) -> int:
    """Fills in the best places by what is said times idf, and the idf of each term; returns how many.

    What is said becomes what it is worth.
    """
    count = 0
    for i in range(len(numbers)):
        if frequencies[i] > 0:
            held = min(frequencies[i], documents)
            rare[i] = math.log(1 + (documents - held + 0.5) / (held + 0.5))
            said[i] *= rare[i]
            count = keep(best, count, i, said, numbers, arena, bounds)
    return count
