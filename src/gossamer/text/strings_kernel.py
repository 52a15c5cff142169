# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return, index, call-overload, operator"
"""Strings that are found again by their bytes: open addressing with linear probing.

A slot is two words of 64 bits, the second 0 when it is empty. A short string stands in the slot itself: 8
bytes in the first word, 4 in the upper half of the second. A long one has its hash there (FNV-1a; Fowler,
Noll, Vo) and a mark that no UTF-8 can be, and is believed only when its bytes agree, so no two strings are
ever merged. The lower half of the second word is the string's number plus 1; string s is
arena[bounds[s] : bounds[s + 1]]. A secret seed keeps anybody from writing pages whose words all fall into one
place. No string holds a NUL byte, or a short one could be taken for a shorter one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part
from gossamer.text.borders_kernel import EIGHT, ONE, ZERO
from gossamer.text.kinds_kernel import SMALL

SHORT = np.uint64(12)  # bytes
LONG = np.uint64(0xFFFFFFFF)
PRIME = np.uint64(0x100000001B3)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
LINE_FEED = ord("\n")


@kernel_part
def home_of(first: np.uint64, second: np.uint64, seed: np.uint64) -> np.uint64:
    """Where the search for a slot with this content begins, before the number of slots is known."""
    mixed = (first ^ seed) * GOLDEN
    return ((mixed ^ (mixed >> HALF) ^ second) * GOLDEN) >> HALF


@kernel_part
def key_of(
    data: NDArray[np.uint8], begin: np.uint64, end: np.uint64, small: bool, seed: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """What stands in the slot of a string; `small` makes small letters of its capitals."""
    first, second = ZERO, ZERO
    if end - begin > SHORT:
        first = seed
        for i in range(begin, end):
            first = (first ^ np.uint64(SMALL[data[i]] if small else data[i])) * PRIME
        return first, LONG
    for i in range(begin, end):
        byte = np.uint64(SMALL[data[i]] if small else data[i])
        place = np.uint64(i) - begin
        if place < EIGHT:
            first |= byte << place * EIGHT
        else:
            second |= byte << (place - EIGHT) * EIGHT
    return first, second


@kernel_part
def is_last(
    data: NDArray[np.uint8],
    begin: np.uint64,
    end: np.uint64,
    small: bool,
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    known: np.uint64,
) -> bool:
    """Whether these bytes are the last of so many known strings."""
    start = np.uint64(bounds[known - ONE])
    same = np.uint64(bounds[known]) - start == end - begin
    i = begin
    while same and i < end:
        same = arena[start + i - begin] == (SMALL[data[i]] if small else data[i])
        i += ONE
    return same


@kernel_part
def number_in(
    data: NDArray[np.uint8],
    begin: np.uint64,
    end: np.uint64,
    small: bool,
    first: np.uint64,
    second: np.uint64,
    slots: NDArray[np.uint64],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    seed: np.uint64,
    known: np.uint64,
) -> np.uint64:
    """The number of a string whose key is known; it is `known` when the string has just become the last."""
    mask = np.uint64(len(slots) - 1)
    slot = home_of(first, second, seed) & mask
    content = slots[slot, 1]
    while content != ZERO:
        if (
            slots[slot, 0] == first
            and content >> HALF == second
            and (second != LONG or is_last(data, begin, end, small, arena, bounds, content & LOW))
        ):
            return (content & LOW) - ONE
        slot = (slot + ONE) & mask
        content = slots[slot, 1]
    start = np.uint64(bounds[known])
    for i in range(begin, end):
        arena[start + i - begin] = SMALL[data[i]] if small else data[i]
    bounds[known + ONE] = start + end - begin
    slots[slot, 0] = first
    slots[slot, 1] = second << HALF | (known + ONE)
    return known


@kernel
def number_lines(
    data: NDArray[np.uint8],
    slots: NDArray[np.uint64],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    seed: np.uint64,
    known: int,
    numbers: NDArray[np.uint32],
) -> int:
    """Numbers lines, each ended by a line feed; how many strings are known then. There is room for all."""
    count = np.uint64(known)
    begin = ZERO
    line = ZERO
    for at in range(np.uint64(len(data))):
        if data[at] == LINE_FEED:
            first, second = key_of(data, begin, at, False, seed)
            number = number_in(data, begin, at, False, first, second, slots, arena, bounds, seed, count)
            count += np.uint64(number == count)
            numbers[line] = np.uint32(number)
            line += ONE
            begin = at + ONE
    return count


@kernel
def move_all(old: NDArray[np.uint64], slots: NDArray[np.uint64], known: int, seed: np.uint64) -> None:
    """Puts the strings that are known into empty slots."""
    mask = np.uint64(len(slots) - 1)
    for i in range(len(old)):
        number = np.int64(old[i, 1] & LOW)
        if number == 0 or number > known:
            continue
        slot = home_of(old[i, 0], old[i, 1] >> HALF, seed) & mask
        while slots[slot, 1] != 0:
            slot = (slot + ONE) & mask
        slots[slot, 0] = old[i, 0]
        slots[slot, 1] = old[i, 1]


@kernel
def write_lines(
    arena: NDArray[np.uint8], bounds: NDArray[np.int64], numbers: NDArray[np.uint32]
) -> NDArray[np.uint8]:
    """The strings of these numbers, each ended by a line feed."""
    size = len(numbers)
    for number in numbers:
        size += bounds[number + 1] - bounds[number]
    lines = np.empty(size, np.uint8)
    at = ZERO
    for number in numbers:
        for i in range(np.uint64(bounds[number]), np.uint64(bounds[number + 1])):
            lines[at] = arena[i]
            at += ONE
        lines[at] = LINE_FEED
        at += ONE
    return lines


@kernel
def are_ascii(
    arena: NDArray[np.uint8], bounds: NDArray[np.int64], numbers: NDArray[np.uint32], longest: int
) -> NDArray[np.bool_]:
    """Which of the strings are ASCII, of at most so many bytes."""
    ascii_only = np.empty(len(numbers), np.bool_)
    for i in range(len(numbers)):
        at, end = np.uint64(bounds[numbers[i]]), np.uint64(bounds[numbers[i] + 1])
        ascii_only[i] = end - at <= np.uint64(longest)
        while at < end and arena[at] < 0x80:
            at += ONE
        ascii_only[i] &= at == end
    return ascii_only
