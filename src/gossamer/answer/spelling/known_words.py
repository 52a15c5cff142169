# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Known words near a typed one.

A word's letters as bits (see `lexicon.bags_of`) tell in a few instructions that a word is too far away: each
mistake takes away one bit at most and brings one in at most, for no less than the cheapest mistake costs. Of
what is left the cost is computed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.spelling.error_model import (
    ANY_FOR_ANY,
    ANY_IN,
    ANY_OUT,
    DIGRAPH,
    FAR,
    ROOM,
    TWIN_IN,
    TWIN_OUT,
    VOWEL_FOR_VOWEL,
    alone,
    cost_of,
)
from gossamer.kernels import kernel, kernel_part

TWOS, FOURS, EIGHTS, EACH = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)


@kernel_part
def bits_in(bits: np.uint64) -> int:
    """How many bits are set. Compilers know this sum, and make one instruction of it."""
    bits -= (bits >> np.uint64(1)) & TWOS
    bits = (bits & FOURS) + ((bits >> np.uint64(2)) & FOURS)
    bits = (bits + (bits >> np.uint64(4))) & EIGHTS
    return np.int64((bits * EACH) >> np.uint64(56))


@kernel
def scan(
    letters: NDArray[np.uint16],
    bounds: NDArray[np.uint32],
    bags: NDArray[np.uint64],
    priors: NDArray[np.int16],
    by_length: NDArray[np.int64],
    typed: NDArray[np.uint16],
    bag: np.uint64,
    reach: int,
    most: int,
    behind: int,
    rarest: int,
    numbers: NDArray[np.uint8],
    put: NDArray[np.int64],
    vowels: NDArray[np.bool_],
    quiet: NDArray[np.uint8],
    digraphs: NDArray[np.uint8],
    costs: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of words that cost at most so much, and what they cost; the typed one among them.

    Words whose score lies farther than `behind` behind the best one may be missing: as those with as many
    letters as the typed one come first, and of these the frequent ones, most words are soon given up. Those
    with a lower prior than `rarest` are not looked at. All words, and the typed one, have fewer than `ROOM`
    letters.
    """
    size = len(typed)
    longest = len(by_length) - 2
    rows = np.empty((ROOM, ROOM), np.int64)
    come_in = np.empty(size, np.int64)
    typed_numbers, typed_sounds = np.empty(size, np.uint8), np.zeros(size, np.uint8)
    rows[0, 0] = 0
    for j in range(size):
        typed_numbers[j] = numbers[typed[j]]
        if j:
            typed_sounds[j] = digraphs[typed_numbers[j - 1], typed_numbers[j]]
        come_in[j] = alone(typed, 0, size, j, TWIN_IN, numbers, vowels, quiet, costs)
        rows[0, j + 1] = rows[0, j] + come_in[j]
    found, found_costs = np.empty(len(bags), np.int64), np.empty(len(bags), np.int64)
    count = 0
    best = np.int64(-FAR)
    least_put = min(costs[VOWEL_FOR_VOWEL : ANY_FOR_ANY + 1].min(), costs[DIGRAPH] >> 1)
    least_out = min(costs[TWIN_OUT : ANY_OUT + 1].min(), costs[DIGRAPH])
    least_in = min(costs[TWIN_IN : ANY_IN + 1].min(), costs[DIGRAPH])
    for step in range(2 * reach + 1):
        length = size + ((step + 1) >> 1 if step & 1 else -(step >> 1))
        if length < 0 or length > longest:
            continue
        for word in range(by_length[length], by_length[length + 1]):
            if priors[word] < rarest:
                break
            missing, added = bits_in(bags[word] & ~bag), bits_in(bag & ~bags[word])
            if missing > reach or added > reach:
                continue
            prior = np.int64(priors[word])
            room = min(most, max(0, prior - best + behind))
            if missing * min(least_out, least_put) > room or added * min(least_in, least_put) > room:
                continue
            cost = cost_of(
                rows,
                letters,
                np.int64(bounds[word]),
                np.int64(bounds[word + 1]),
                typed,
                typed_numbers,
                typed_sounds,
                come_in,
                least_out,
                least_in,
                reach,
                room,
                numbers,
                put,
                vowels,
                quiet,
                digraphs,
                costs,
            )
            if cost < FAR:
                found[count], found_costs[count] = word, cost
                count += 1
                if cost > 0:
                    best = max(best, prior - cost)
    return found[:count].copy(), found_costs[:count].copy()
