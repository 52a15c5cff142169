# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Sorted terms into the blocks of a dictionary; what a block looks like is told in `dictionary`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part

BLOCK_BITS = 4
BLOCK = 1 << BLOCK_BITS  # terms
END = 0xFF  # behind each piece of a block: a byte that no UTF-8 holds
KEY_END = ord("\n")  # behind each term that is looked up: no word holds it
ZERO, ONE, EIGHT, TOP_BYTE = np.uint64(0), np.uint64(1), np.uint64(8), np.uint64(56)


@kernel_part
def shared_bytes(arena: NDArray[np.uint8], bounds: NDArray[np.int64], one: int, other: int) -> int:
    """How many bytes two terms have in common at their beginnings."""
    a, b = np.uint64(bounds[one]), np.uint64(bounds[other])
    size = min(np.uint64(bounds[one + 1]) - a, np.uint64(bounds[other + 1]) - b)
    same = ZERO
    while same < size and arena[a + same] == arena[b + same]:
        same += ONE
    return np.int64(same)


@kernel_part
def copy_bytes(
    source: NDArray[np.uint8], begin: int, end: int, target: NDArray[np.uint8], at: np.uint64
) -> np.uint64:
    """Copies bytes, and the end of a piece behind them; where the next piece begins."""
    for i in range(np.uint64(begin), np.uint64(end)):
        target[at] = source[i]
        at += ONE
    target[at] = END
    return at + ONE


@kernel
def write_blocks(
    arena: NDArray[np.uint8], bounds: NDArray[np.int64], order: NDArray[np.uint32]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """Heads, starts and data of the blocks, and the sizes: the terms, the longest one's bytes, all bytes.

    Term number n is arena[bounds[order[n]] : bounds[order[n] + 1]]; they rise.
    """
    terms = len(order)
    blocks = (terms + BLOCK - 1) >> BLOCK_BITS
    heads, starts = np.zeros(blocks, np.uint64), np.zeros(blocks + 1, np.int64)
    prefixes = np.empty(blocks, np.int64)
    longest, total = 0, 0
    for block in range(blocks):
        first, last = block << BLOCK_BITS, min((block + 1) << BLOCK_BITS, terms)
        prefix = shared_bytes(arena, bounds, np.int64(order[first]), np.int64(order[last - 1]))
        size = prefix + 1
        for n in range(first, last):
            length = bounds[order[n] + 1] - bounds[order[n]]
            size += length - prefix + 1
            longest = max(longest, length)
            total += length
        prefixes[block] = prefix
        starts[block + 1] = starts[block] + size
        shift = TOP_BYTE
        for i in range(bounds[order[first]], min(bounds[order[first]] + 8, bounds[order[first] + 1])):
            heads[block] |= np.uint64(arena[i]) << shift
            shift -= EIGHT
    data = np.empty(starts[blocks], np.uint8)
    at = ZERO
    for n in range(terms):
        begin, end = bounds[order[n]], bounds[order[n] + 1]
        prefix = prefixes[n >> BLOCK_BITS]
        if n & (BLOCK - 1) == 0:
            at = copy_bytes(arena, begin, begin + prefix, data, at)
        at = copy_bytes(arena, begin + prefix, end, data, at)
    return heads, starts, data, np.array([terms, longest, total], np.int64)


@kernel_part
def number_in(
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    block: np.uint64,
    keys: NDArray[np.uint8],
    begin: np.uint64,
    end: np.uint64,
) -> int:
    """The number of the term keys[begin:end] if this block holds it, else -1."""
    at, last = np.uint64(starts[block]), np.uint64(starts[block + ONE])
    while data[at] != END:
        if begin == end or data[at] != keys[begin]:
            return np.int64(-1)
        at += ONE
        begin += ONE
    at += ONE
    number = np.int64(block) << BLOCK_BITS
    while at < last:
        place = begin
        while place < end and data[at] == keys[place]:
            at += ONE
            place += ONE
        if place == end and data[at] == END:
            return number
        while data[at] != END:
            at += ONE
        at += ONE
        number += 1
    return np.int64(-1)


@kernel
def find_terms(
    heads: NDArray[np.uint64],
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    keys: NDArray[np.uint8],
    term_entries: NDArray[np.uint32],
    entry_postings: NDArray[np.uint32],
    numbers: NDArray[np.int64],
    frequencies: NDArray[np.int64],
) -> None:
    """Numbers of terms, -1 for unknown ones, and how many documents hold each; a key ends in a line feed."""
    begin = ZERO
    for i in range(len(numbers)):
        end, head = begin, ZERO
        while keys[end] != KEY_END:
            if end - begin < EIGHT:
                head |= np.uint64(keys[end]) << (TOP_BYTE - (end - begin) * EIGHT)
            end += ONE
        low, high = ZERO, np.uint64(len(heads))
        while low < high:
            middle = (low + high) >> ONE
            if heads[middle] <= head:
                low = middle + ONE
            else:
                high = middle
        numbers[i], frequencies[i] = -1, 0
        # Several blocks may begin with the same eight bytes.
        goes_on = low > ZERO
        while goes_on:
            low -= ONE
            numbers[i] = number_in(starts, data, low, keys, begin, end)
            goes_on = numbers[i] < 0 and low > ZERO and heads[low] == head
        if numbers[i] >= 0:
            first, last = term_entries[numbers[i]], term_entries[numbers[i] + 1]
            frequencies[i] = np.int64(entry_postings[last]) - np.int64(entry_postings[first])
        begin = end + ONE
