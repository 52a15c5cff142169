# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Do the terms of a conjunction stand in a row? Looked at for the few documents that are good enough.

First all documents of a block are looked at at once and roughly, then those that are left one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.positions_kernel import BLOCK_BITS, number_at, place_of, read
from gossamer.kernel import unchecked_part
from gossamer.search.blockmax_kernel import DOCS_A_BLOCK, HALF, LOW, ONE, ZERO
from gossamer.search.positional_kernel import field_end, follow

TWO = np.uint64(2)
MODULO = np.uint64(63)  # positions are compared modulo 64: their lowest bits
LAST_BIT = np.uint64(6)
PLACES = np.uint64(BLOCK_BITS)  # of positions: one for so many postings, as a power of 2


@unchecked_part
def place_in(span: int, wanted: int, posting_docs: NDArray[np.uint16]) -> int:
    """The first posting of a span whose document, as its place in the block, is not before the wanted one."""
    begin, length = span >> HALF, span & LOW
    low = begin + max(wanted + length, DOCS_A_BLOCK) - DOCS_A_BLOCK  # behind it is room for few
    high = begin + min(wanted, length)
    while low < high:
        middle = (low + high) >> ONE
        if np.uint64(posting_docs[middle]) & (DOCS_A_BLOCK - ONE) < wanted:
            low = middle + ONE
        else:
            high = middle
    return low


@unchecked_part
def ones(bits: int) -> int:
    """How many of 32 bits are 1."""
    bits -= (bits >> ONE) & np.uint64(0x55555555)
    bits = (bits & np.uint64(0x33333333)) + ((bits >> np.uint64(2)) & np.uint64(0x33333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F)
    return ((bits * np.uint64(0x01010101)) >> np.uint64(24)) & np.uint64(0xFF)


@unchecked_part
def read_bits(
    positions: NDArray[np.uint8],
    place: np.uint64,
    count: int,
    bits: NDArray[np.uint64],
    begins: NDArray[np.uint64],
) -> None:
    """The positions of so many postings modulo 64, as bits of a number each, and where each begins.

    Nothing branches but for distances of more than 63, so that a processor goes on without guessing.
    """
    n, base, held = ZERO, ZERO, ZERO
    begins[ZERO] = place
    while n < count:
        first = np.uint64(positions[place])
        number, place = number_at(positions, place)
        at = base + np.uint64(number)
        held |= ONE << (at & MODULO)
        bits[n] = held
        begins[n + ONE] = place
        last = (first >> LAST_BIT) & ONE
        goes_on = last - ONE  # all bits, or none
        base = (at + ONE) & goes_on
        held &= goes_on
        n += last


@unchecked_part
def rotated(bits: int, by: int) -> int:
    """The 64 bits moved down by so many, those that fall out coming in from above."""
    by = np.uint64(by) & MODULO
    return bits >> by | bits << ((np.uint64(64) - by) & MODULO)


@unchecked_part
def sieve(
    candidates: NDArray[np.uint8],
    good: int,
    spans: NDArray[np.uint64],
    own: int,
    order: NDArray[np.uint64],
    helds: NDArray[np.uint64],
    askeds: NDArray[np.uint64],
    row: NDArray[np.int64],
    leader: int,
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    starts: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    begins: NDArray[np.uint64],
    places: NDArray[np.uint64],
) -> int:
    """Keeps the documents in which the terms may stand in a row; returns how many.

    Positions are compared modulo 64, all of a document at once: of short documents few get through that
    have no such row, and none is lost that has one. `helds` has the documents of each span as bits, or 0
    where one was asked for, whose posting is in `askeds`. Writes where the positions of each term begin.
    """
    for n in range(good):
        starts[n] = ~ZERO
    for i in range(np.uint64(len(order))):
        before_first = helds[i] & ((ONE << np.uint64(candidates[ZERO])) - ONE)
        first = ones(before_first)
        posting, count = (spans[own + i] >> HALF) + first, ONE
        if helds[i] == ZERO:
            posting = askeds[i]
        else:
            count = ones(helds[i] & ((TWO << np.uint64(candidates[good - ONE])) - ONE)) - first
        read_bits(positions, place_of(positions, position_blocks, np.int64(posting)), count, bits, begins)
        kept = ZERO
        for n in range(good):
            d = np.uint64(candidates[n])
            at = ones((helds[i] ^ before_first) & ((ONE << d) - ONE))
            left = starts[n]
            for j in range(len(row)):
                if np.uint64(row[j]) == order[i]:
                    left &= rotated(bits[at], j - leader)
            candidates[kept] = d
            starts[kept] = left
            kept += np.uint64(left != ZERO)
            places[order[i] * DOCS_A_BLOCK + d] = begins[at]
        good = kept
        if good == ZERO:
            break
    return good


@unchecked_part
def stand_in_a_row(
    row: NDArray[np.int64],
    leader: int,
    places: NDArray[np.uint64],
    d: int,
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    doc: int,
    starts: NDArray[np.int64],
    others: NDArray[np.int64],
) -> bool:
    """Whether the terms stand one behind the other within a field: the j-th word of the row is term row[j].

    `places` has where the positions of each term begin in the d-th document of a block, which is `doc`; the
    rarest term is the word `leader` of the row.
    """
    end = read(positions, places[np.uint64(row[leader]) * DOCS_A_BLOCK + d], starts, 0)
    for s in range(end):
        starts[s] -= leader
    for j in range(len(row)):
        if j != leader and end > 0:
            others_end = read(positions, places[np.uint64(row[j]) * DOCS_A_BLOCK + d], others, 0)
            end = follow(starts, 0, end, others, others_end, j)
    for s in range(end):
        if starts[s] >= 0 and starts[s] + len(row) <= field_end(lengths, doc, starts[s], -1):
            return True
    return False
