# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return, index, call-overload, operator"
"""String table: number strings, sort them.

All strings are in one array of bytes. A kernel looks them up by their bytes, so a million strings need no
Python objects.
"""

from __future__ import annotations

import os
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel, kernel_part
from gossamer.text.utf8 import EIGHT, ONE, SMALL, TOP_BYTE, ZERO

# Kernels: sort byte strings
# --------------------------
#
# The first eight bytes of a string, as one number, nearly always decide. Only strings with the same
# first eight bytes are compared byte by byte. String s is arena[bounds[s] : bounds[s + 1]].


@kernel_part
def head_of(data: NDArray[np.uint8], begin: np.uint64, end: np.uint64) -> np.uint64:
    """Return the first eight bytes of data[begin:end] as a number with the same order."""
    head, shift = ZERO, TOP_BYTE
    for at in range(begin, min(end, begin + EIGHT)):
        head |= np.uint64(data[at]) << shift
        shift -= EIGHT
    return head


@kernel
def heads_of(
    arena: NDArray[np.uint8], bounds: NDArray[np.int64], numbers: NDArray[np.uint32]
) -> NDArray[np.uint64]:
    """Return the heads of some strings."""
    heads = np.empty(len(numbers), np.uint64)
    for i in range(len(numbers)):
        heads[i] = head_of(arena, np.uint64(bounds[numbers[i]]), np.uint64(bounds[numbers[i] + 1]))
    return heads


@kernel_part
def comes_before(arena: NDArray[np.uint8], bounds: NDArray[np.int64], one: int, other: int) -> bool:
    """Return whether a string sorts before another one with the same first eight bytes."""
    a, b = np.uint64(bounds[one]) + EIGHT, np.uint64(bounds[other]) + EIGHT
    a_end, b_end = np.uint64(bounds[one + 1]), np.uint64(bounds[other + 1])
    while a < a_end and b < b_end and arena[a] == arena[b]:
        a += ONE
        b += ONE
    if a >= a_end or b >= b_end:
        return a >= a_end and b < b_end
    return arena[a] < arena[b]


@kernel_part
def merge_halves(
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    source: NDArray[np.uint32],
    target: NDArray[np.uint32],
    begin: int,
    middle: int,
    end: int,
) -> None:
    """Merge two sorted ranges of the source into the target."""
    left, right = begin, middle
    for at in range(begin, end):
        if right < end and (
            left == middle or comes_before(arena, bounds, np.int64(source[right]), np.int64(source[left]))
        ):
            target[at] = source[right]
            right += 1
        else:
            target[at] = source[left]
            left += 1


@kernel
def sort_alike(
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    heads: NDArray[np.uint64],
    numbers: NDArray[np.uint32],
) -> None:
    """Sort strings that are sorted by their heads: merge sort each range of equal heads."""
    source, target = numbers, np.empty_like(numbers)
    first = 0
    while first < len(numbers):
        last = first + 1
        while last < len(numbers) and heads[last] == heads[first]:
            last += 1
        width = 1
        while width < last - first:
            for begin in range(first, last, 2 * width):
                middle, end = min(begin + width, last), min(begin + 2 * width, last)
                merge_halves(arena, bounds, source, target, begin, middle, end)
            for place in range(first, last):
                source[place] = target[place]
            width *= 2
        first = last


# Kernels: hash table of byte strings
# -----------------------------------
#
# A slot is two 64-bit words; the second is 0 if the slot is empty. A short string is stored in the
# slot itself: 8 bytes in the first word, 4 in the upper half of the second. For a long string,
# these are its hash (FNV-1a; Fowler, Noll, Vo) and a mark that cannot occur in UTF-8. A long string
# matches only if its bytes are equal too, so no two strings are ever merged. The lower half of the
# second word is the number of the string plus 1. String s is arena[bounds[s] : bounds[s + 1]]. The
# seed is secret, so nobody can write pages whose words all collide. No string contains a NUL byte,
# because then a short one could be taken for a shorter one.

SHORT = np.uint64(12)  # bytes
LONG = np.uint64(0xFFFFFFFF)
PRIME = np.uint64(0x100000001B3)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
LINE_FEED = ord("\n")


@kernel_part
def home_of(first: np.uint64, second: np.uint64, seed: np.uint64) -> np.uint64:
    """Return the hash of a slot's content. The search for the slot starts there, modulo the table size."""
    mixed = (first ^ seed) * GOLDEN
    return ((mixed ^ (mixed >> HALF) ^ second) * GOLDEN) >> HALF


@kernel_part
def key_of(
    data: NDArray[np.uint8], begin: np.uint64, end: np.uint64, small: bool, seed: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """Return the slot content of a string. `small` converts it to lower case."""
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
    """Return whether these bytes are the last of `known` strings."""
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
    """Return the number of a string with this key. A new string is added and gets the number `known`."""
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
    """Number lines, each with a line feed at its end. Return how many strings are known then."""
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
    """Move the known strings into empty slots."""
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
    """Return the strings of these numbers, with a line feed after each."""
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
    """Return which of the strings are ASCII and have at most `longest` bytes."""
    ascii_only = np.empty(len(numbers), np.bool_)
    for i in range(len(numbers)):
        at, end = np.uint64(bounds[numbers[i]]), np.uint64(bounds[numbers[i] + 1])
        ascii_only[i] = end - at <= np.uint64(longest)
        while at < end and arena[at] < 0x80:
            at += ONE
        ascii_only[i] &= at == end
    return ascii_only


CODING = ("utf-8", "surrogatepass")
FIRST_SLOTS = 1 << 12
Scalar = TypeVar("Scalar", bound=np.generic)


class Strings:
    """Numbered strings of UTF-8 without line feeds and NUL bytes. Only one thread at a time may add strings.

    Numbered strings never change, so other threads may read them meanwhile.
    """

    def __init__(self) -> None:
        self.known = 0
        self.slots = np.zeros((FIRST_SLOTS, 2), np.uint64)
        self.arena = np.empty(0, np.uint8)
        self.bounds = np.zeros(1, np.int64)
        self.seed = np.uint64(int.from_bytes(os.urandom(8), "little"))

    def __len__(self) -> int:
        return self.known

    def __getitem__(self, number: int) -> str:
        return self.arena[self.bounds[number] : self.bounds[number + 1]].tobytes().decode(*CODING)

    @property
    def memory(self) -> int:
        """Approximate memory in bytes. Reserved memory that is not used yet does not count."""
        return self.slots.nbytes + 8 * self.known + int(self.bounds[self.known])

    def number(self, lines: bytes, count: int) -> NDArray[np.uint32]:
        """Return the numbers of lines, each with a line feed at its end.

        >>> strings = Strings()
        >>> strings.number(b"jaguar\\ncat\\njaguar\\n", 3).tolist(), strings[1]
        ([0, 1, 0], 'cat')
        """
        self.make_room(count, len(lines))
        self.make_slots(self.known + count)
        numbers = np.empty(count, np.uint32)
        data, known = np.frombuffer(lines, np.uint8), self.known
        try:
            self.known = number_lines(data, self.slots, self.arena, self.bounds, self.seed, known, numbers)
        except BaseException:
            self.keep(known, len(self.slots))  # after an interruption, no slot may hold an invalid number
            raise
        return numbers

    def lines(self, numbers: NDArray[np.uint32]) -> bytes:
        """Return the strings of these numbers, with a line feed after each."""
        return write_lines(self.arena, self.bounds, numbers).tobytes()

    def in_order(self, numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the numbers in the order of the strings' bytes."""
        arena, bounds = self.arena, self.bounds
        heads = heads_of(arena, bounds, numbers)
        order = np.argsort(heads)
        ordered = numbers[order]
        sort_alike(arena, bounds, heads[order], ordered)
        return ordered

    def make_room(self, strings: int, size: int) -> None:
        """Make room for more strings and for their bytes."""
        self.bounds = with_room(self.bounds, self.known + 1, strings)
        self.arena = with_room(self.arena, int(self.bounds[self.known]), size)

    def make_slots(self, known: int) -> None:
        """Make so many slots that at most half of them are used for `known` strings."""
        slots = len(self.slots)
        while 2 * known >= slots:
            slots *= 2
        if slots > len(self.slots):
            self.keep(known, slots)

    def keep(self, known: int, slots: int) -> None:
        """Keep the first `known` strings, in a new table, and forget the others."""
        self.known = min(self.known, known)
        old, self.slots = self.slots, np.zeros((slots, 2), np.uint64)
        move_all(old, self.slots, known, self.seed)


def with_room(array: NDArray[Scalar], used: int, wanted: int) -> NDArray[Scalar]:
    """Return the array, or a larger copy if fewer than `wanted` positions are free."""
    if len(array) - used >= wanted:
        return array
    larger = np.empty(max(2 * len(array), used + wanted), array.dtype)
    larger[:used] = array[:used]
    return larger
