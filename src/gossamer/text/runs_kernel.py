# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
"""Cuts UTF-8 into runs and numbers them: open addressing with linear probing.

A slot is two words of 64 bits, the second 0 when it is empty. A short run stands in the slot itself: 8 bytes
in the first word, 4 in the upper half of the second. A long one has its hash there (FNV-1a; Fowler, Noll, Vo)
and a mark that no UTF-8 can be, and is believed only when its bytes agree, so no two runs are ever merged.
The lower half of the second word is the run's number plus 1; run r is arena[bounds[r] : bounds[r + 1]]. A
secret seed keeps anybody from writing pages whose runs all fall into one place.

Nearly all runs are short words of ASCII, which are read eight bytes at a time. Indices are unsigned, as Numba
looks at every signed one whether it counts from the end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part
from gossamer.text.borders_kernel import (
    EIGHT,
    FIRST_TOP,
    FIVE_TOPS,
    ONE,
    SIX,
    SMALL_BITS,
    THREE,
    TOPS,
    TWO,
    ZERO,
    before_stop,
    eight_at,
    pairs_from,
    run_from,
    stops_in,
)
from gossamer.text.kinds_kernel import PARTING, SMALL, UNSPACED, WIDTHS, kind_of, may_be_s

BEHIND = b"\n" * 16  # behind the last text: two words of 64 bits are read where a run begins
SHORT = np.uint64(12)  # bytes
LONG = np.uint64(0xFFFFFFFF)
PRIME = np.uint64(0x100000001B3)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
BEYOND_ASCII, QUOTE = 0x80, ord("'")
SEVERAL = np.uint32(0xFFFFFFFF)  # instead of a word: the run has none, or more than one


@kernel_part
def home_of(first: np.uint64, second: np.uint64, seed: np.uint64) -> np.uint64:
    """Where the search for a slot with this content begins, before the number of slots is known."""
    mixed = (first ^ seed) * GOLDEN
    return ((mixed ^ (mixed >> HALF) ^ second) * GOLDEN) >> HALF


@kernel_part
def key_of(
    data: NDArray[np.uint8], begin: np.uint64, end: np.uint64, ascii_only: bool, seed: np.uint64
) -> tuple[np.uint64, np.uint64]:
    """What stands in the slot of a run. Capitals are small letters, but not where marks may compose."""
    first, second = ZERO, ZERO
    if end - begin > SHORT:
        first = seed
        for i in range(begin, end):
            first = (first ^ np.uint64(SMALL[data[i]] if ascii_only else data[i])) * PRIME
        return first, LONG
    for i in range(begin, end):
        byte = np.uint64(SMALL[data[i]] if ascii_only else data[i])
        place = np.uint64(i) - begin
        if place < EIGHT:
            first |= byte << place * EIGHT
        else:
            second |= byte << (place - EIGHT) * EIGHT
    return first, second


@kernel_part
def is_run(
    data: NDArray[np.uint8],
    begin: np.uint64,
    end: np.uint64,
    ascii_only: bool,
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    known: np.uint64,
) -> bool:
    """Whether a run of the text is the last of so many known ones."""
    start = np.uint64(bounds[known - ONE])
    same = np.uint64(bounds[known]) - start == end - begin
    i = begin
    while same and i < end:
        same = arena[start + i - begin] == (SMALL[data[i]] if ascii_only else data[i])
        i += ONE
    return same


@kernel
def cut(
    data: NDArray[np.uint8],
    text_ends: NDArray[np.uint64],
    slots: NDArray[np.uint64],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    seed: np.uint64,
    found: NDArray[np.uint32],
    found_ends: NDArray[np.uint64],
    state: NDArray[np.uint64],
) -> None:
    """The runs of several texts in one piece of UTF-8, each text ended by a line feed, the last by `BEHIND`.

    A border is right when no word and no composition can reach over it. ASCII never composes with what stands
    before it, so that the possessive is left: an apostrophe belongs to the run when an s may follow, and an
    underscore when it may decide whether that s ends a word. Han and kana become pairs of characters here,
    unless what follows may belong to them.

    state: where to read, where the pairs end, the runs known, the runs found, the text. All go on from call
    to call, as the kernel stops when half of the slots are taken. Arena and bounds have room for all runs.
    """
    at, pairs_end, known, filled, text = state[0], state[1], state[2], state[3], state[4]
    size = text_ends[-1]
    text_end = text_ends[text]
    mask = np.uint64(len(slots) - 1)
    most = np.uint64(len(slots) // 2)
    while at < size and known < most:
        eight = eight_at(data, at)
        stops = stops_in(eight)
        if stops & FIRST_TOP != ZERO:
            if data[at] < BEYOND_ASCII:
                others = (~stops | eight) & TOPS
                at += before_stop(others)[0] if others != ZERO else EIGHT
                continue
            if kind_of(data[at], data[at + ONE], data[at + TWO]) == PARTING:
                at += np.uint64(WIDTHS[data[at]])
                continue
        while at >= text_end:
            found_ends[text] = filled
            text += ONE
            text_end = text_ends[text]
        begin = at
        ascii_only = True
        first, second = eight | SMALL_BITS, ZERO
        if stops != ZERO:
            length, bits = before_stop(stops)
            first &= bits
            end = begin + length
        else:
            eight = eight_at(data, at + EIGHT)
            stops = stops_in(eight) & FIVE_TOPS
            length, bits = before_stop(stops)
            second = (eight | SMALL_BITS) & bits
            end = begin + EIGHT + length if stops != ZERO else begin
        behind = data[end]
        if end == begin or behind >= BEYOND_ASCII or (behind == QUOTE and may_be_s(data[end + ONE])):
            plain = True
            if at >= pairs_end and kind_of(data[at], data[at + ONE], data[at + TWO]) == UNSPACED:
                pairs_end = pairs_from(data, at)
                plain = pairs_end > at
            if at < pairs_end:
                ascii_only = False
                end = min(begin + SIX, pairs_end)
                at = pairs_end if end == pairs_end else begin + THREE
            else:
                end, ascii_only = run_from(data, begin, size, plain)
                at = end
            first, second = key_of(data, begin, end, ascii_only, seed)
        else:
            at = end + ONE
        slot = home_of(first, second, seed) & mask
        content = slots[slot, 1]
        while content != ZERO:
            if (
                slots[slot, 0] == first
                and content >> HALF == second
                and (second != LONG or is_run(data, begin, end, ascii_only, arena, bounds, content & LOW))
            ):
                break
            slot = (slot + ONE) & mask
            content = slots[slot, 1]
        if content == ZERO:
            start = np.uint64(bounds[known])
            for i in range(begin, end):
                arena[start + i - begin] = SMALL[data[i]] if ascii_only else data[i]
            known += ONE
            bounds[known] = start + end - begin
            content = second << HALF | known
            slots[slot, 0] = first
            slots[slot, 1] = content
        found[filled] = np.uint32((content & LOW) - ONE)
        filled += ONE
    if at >= size:
        found_ends[text:] = filled
    state[0], state[1], state[2], state[3], state[4] = at, pairs_end, known, filled, text


@kernel
def move_all(old: NDArray[np.uint64], slots: NDArray[np.uint64], known: int, seed: np.uint64) -> None:
    """Puts the runs that are known into empty slots."""
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
def expand(
    found: NDArray[np.uint32],
    found_ends: NDArray[np.uint64],
    only: NDArray[np.uint32],
    starts: NDArray[np.int64],
    words: NDArray[np.uint32],
    counts: NDArray[np.uint32],
) -> NDArray[np.uint32]:
    """The words of runs; `counts` gets the words of each text.

    Run r has the word only[r], or words[starts[r] : starts[r + 1]] when that is `SEVERAL`.
    """
    total = len(found)
    for i in range(len(found)):
        if only[found[i]] == SEVERAL:
            total += starts[found[i] + 1] - starts[found[i]] - 1
    out = np.empty(total, np.uint32)
    filled, i = ZERO, ZERO
    for text in range(len(found_ends)):
        before = filled
        while i < found_ends[text]:
            word = only[found[i]]
            if word != SEVERAL:
                out[filled] = word
                filled += ONE
            else:
                for w in range(starts[found[i]], starts[found[i] + 1]):
                    out[filled] = words[w]
                    filled += ONE
            i += ONE
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
