# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value"
"""Cuts UTF-8 into runs and numbers them: open addressing with linear probing.

A slot is two words of 64 bits, the second 0 when it is empty. A short run stands in the slot itself: 8 bytes
in the first word, 4 in the upper half of the second. A long one has its hash there (FNV-1a; Fowler, Noll, Vo)
and a mark that no UTF-8 can be, and is believed only when its bytes agree, so no two runs are ever merged.
The lower half of the second word is the run's number plus 1; run r is arena[bounds[r] : bounds[r + 1]]. A
secret seed keeps anybody from writing pages whose runs all fall into one place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel
from gossamer.text.kinds_kernel import (
    APOSTROPHE,
    BYTES,
    HIGH,
    LETTER,
    PARTING,
    SMALL,
    UNSPACED,
    WIDTHS,
    kind_of,
    may_be_s,
)

BEHIND = b"\n\n\n"  # behind the last text: a character is read with the two bytes that follow
SHORT = 12  # bytes
LONG = np.uint64(0xFFFFFFFF)
PRIME = np.uint64(0x100000001B3)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
ZERO, ONE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)


@kernel
def home_of(first: np.uint64, second: np.uint64, seed: np.uint64) -> int:
    """Where the search for a slot with this content begins, before the number of slots is known."""
    mixed = (first ^ seed) * GOLDEN
    return np.int64(((mixed ^ (mixed >> HALF) ^ second) * GOLDEN) >> HALF)


@kernel
def cut(
    data: NDArray[np.uint8],
    text_ends: NDArray[np.int64],
    slots: NDArray[np.uint64],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    seed: np.uint64,
    found: NDArray[np.uint32],
    found_ends: NDArray[np.int64],
    state: NDArray[np.int64],
) -> None:
    """The runs of several texts in one piece of UTF-8, each text ended by a line feed, the last by `BEHIND`.

    A border is right when no word and no composition can reach over it. ASCII never composes with what stands
    before it, so that the possessive is left: an apostrophe belongs to the run when an s may follow, and an
    underscore when it may decide whether that s ends a word. Han and kana become pairs of characters here,
    unless what follows may belong to them.

    state: where to read, where the pairs end, the runs known, the runs found, the text. All go on from call
    to call, as the kernel stops when half of the slots are taken. Arena and bounds have room for all runs.
    One function, though it is long: with the arrays passed on to others it takes three times as long.
    """
    at, pairs_end, known, filled, text = state[0], state[1], state[2], state[3], state[4]
    size = text_ends[-1]
    mask = len(slots) - 1
    while at < size:
        if 2 * known >= len(slots):
            break
        kind = BYTES[data[at]]
        if kind == HIGH:
            kind = kind_of(data[at], data[at + 1], data[at + 2])
        if kind < LETTER:
            at += WIDTHS[data[at]]
            continue
        while at >= text_ends[text]:
            found_ends[text] = filled
            text += 1
        plain = True
        if kind == UNSPACED and at >= pairs_end:
            pairs_end = at
            while kind_of(data[pairs_end], data[pairs_end + 1], data[pairs_end + 2]) == UNSPACED:
                pairs_end += 3
            after = kind_of(data[pairs_end], data[pairs_end + 1], data[pairs_end + 2])
            if after == HIGH or (after == APOSTROPHE and may_be_s(data[pairs_end + 1])):
                pairs_end = at
                plain = False
        begin = at
        end = at
        ascii_only = True
        if at < pairs_end:
            ascii_only = False
            end = min(begin + 6, pairs_end)
            at = pairs_end if end == pairs_end else begin + 3
        else:
            while end < size:
                kind = BYTES[data[end]]
                if kind == HIGH:
                    kind = kind_of(data[end], data[end + 1], data[end + 2])
                    if kind == PARTING or (kind == UNSPACED and plain):
                        break
                    ascii_only = False
                    plain = False
                elif kind == APOSTROPHE:
                    if not may_be_s(data[end + 1]):
                        break
                    plain = False
                elif kind != LETTER and (kind == PARTING or plain):
                    break
                end += 1
            at = end
        # Capitals are small letters, but not where marks may compose with them.
        first, second = ZERO, ZERO
        if end - begin <= SHORT:
            for i in range(end - 1, begin + 7, -1):
                second = second << EIGHT | np.uint64(SMALL[data[i]] if ascii_only else data[i])
            for i in range(min(end, begin + 8) - 1, begin - 1, -1):
                first = first << EIGHT | np.uint64(SMALL[data[i]] if ascii_only else data[i])
        else:
            second = LONG
            first = seed
            for i in range(begin, end):
                first = (first ^ np.uint64(SMALL[data[i]] if ascii_only else data[i])) * PRIME
        slot = home_of(first, second, seed) & mask
        while slots[slot, 1] != 0:
            same = slots[slot, 0] == first and slots[slot, 1] >> HALF == second
            if same and second == LONG:
                start = bounds[np.int64(slots[slot, 1] & LOW) - 1]
                same = bounds[np.int64(slots[slot, 1] & LOW)] - start == end - begin
                i = begin
                while same and i < end:
                    same = arena[start + i - begin] == (SMALL[data[i]] if ascii_only else data[i])
                    i += 1
            if same:
                break
            slot = (slot + 1) & mask
        if slots[slot, 1] == 0:
            for i in range(begin, end):
                arena[bounds[known] + i - begin] = SMALL[data[i]] if ascii_only else data[i]
            bounds[known + 1] = bounds[known] + end - begin
            known += 1
            slots[slot, 0] = first
            slots[slot, 1] = second << HALF | np.uint64(known)
        found[filled] = np.uint32((slots[slot, 1] & LOW) - ONE)
        filled += 1
    if at >= size:
        found_ends[text:] = filled
    state[0], state[1], state[2], state[3], state[4] = at, pairs_end, known, filled, text


@kernel
def move_all(old: NDArray[np.uint64], slots: NDArray[np.uint64], known: int, seed: np.uint64) -> None:
    """Puts the runs that are known into empty slots."""
    mask = len(slots) - 1
    for i in range(len(old)):
        number = np.int64(old[i, 1] & LOW)
        if number == 0 or number > known:
            continue
        slot = home_of(old[i, 0], old[i, 1] >> HALF, seed) & mask
        while slots[slot, 1] != 0:
            slot = (slot + 1) & mask
        slots[slot, 0] = old[i, 0]
        slots[slot, 1] = old[i, 1]


@kernel
def expand(
    found: NDArray[np.uint32],
    found_ends: NDArray[np.int64],
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    counts: NDArray[np.uint32],
) -> NDArray[np.uint32]:
    """The words of runs: run r has words[starts[r] : starts[r + 1]]; `counts` gets the words of each text."""
    total = 0
    for i in range(len(found)):
        total += starts[found[i] + 1] - starts[found[i]]
    out = np.empty(total, np.uint32)
    filled = 0
    i = 0
    for text in range(len(found_ends)):
        before = filled
        while i < found_ends[text]:
            for w in range(starts[found[i]], starts[found[i] + 1]):
                out[filled] = words[w]
                filled += 1
            i += 1
        counts[text] = filled - before
    return out


@kernel
def number_anew(numbers: NDArray[np.uint32], places: NDArray[np.uint32], taken: int) -> NDArray[np.uint32]:
    """Replaces numbers by their places in the order of first appearance; returns those that are new.

    `places` holds each number's place plus 1, or 0 as long as it did not appear; `taken` places are given.
    """
    new = np.empty(len(numbers), np.uint32)
    appeared = 0
    for i in range(len(numbers)):
        number = numbers[i]
        if places[number] == 0:
            new[appeared] = number
            appeared += 1
            places[number] = taken + appeared
        numbers[i] = places[number] - np.uint32(1)
    return new[:appeared].copy()
