# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
"""Cuts UTF-8 into runs and numbers them, and tells the words of runs.

Nearly all runs are short words of ASCII, which are read eight bytes at a time and stand in a slot of
`strings_kernel` as they are. Most slots are in no near cache: they are fetched while the next runs are cut.
Indices are unsigned, as Numba looks at every signed one whether it counts from the end.
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
    SEVEN,
    SIX,
    SMALL_BITS,
    THREE,
    TOPS,
    TWO,
    ZERO,
    before_stop,
    begins_tag,
    eight_at,
    goes_on,
    nuls_in,
    pairs_from,
    run_from,
    stops_in,
)
from gossamer.text.kinds_kernel import (
    BYTES,
    JOINTS,
    LETTER,
    PARTING,
    SIGNS,
    UNSPACED,
    WIDTHS,
    is_digit,
    kind_of,
)
from gossamer.text.prefetch_kernel import prefetch
from gossamer.text.strings_kernel import HALF, LONG, LOW, home_of, key_of, number_in

END = "\0"  # behind each text
BEHIND = "\n" * 16  # behind the last one: two words of 64 bits are read where a run begins
NUL, BEYOND_ASCII = ord(END), 0x80
MANY = np.uint32(1 << 31)  # and a place in a list, instead of a word: the run has none, or more than one
AHEAD = 32  # runs that are cut before the first of them is looked up


@kernel_part
def number_all(
    data: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    spans: NDArray[np.uint64],
    are_ascii: NDArray[np.bool_],
    slots: NDArray[np.uint64],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    seed: np.uint64,
    known: np.uint64,
    found: NDArray[np.uint32],
    filled: np.uint64,
    count: np.uint64,
) -> np.uint64:
    """Fills the numbers of the last runs that were cut, so many of them; how many runs are known then."""
    mask = np.uint64(len(slots) - 1)
    for i in range(count):
        first, second = keys[i, ZERO], keys[i, ONE]
        slot = home_of(first, second, seed) & mask
        content = slots[slot, 1]
        # Nearly always it is here, short and known; a call would cost a quarter of all the time.
        if slots[slot, 0] == first and content >> HALF == second and second != LONG and content != ZERO:
            run = (content & LOW) - ONE
        else:
            begin, end = spans[i, ZERO], spans[i, ONE]
            run = number_in(data, begin, end, are_ascii[i], first, second, slots, arena, bounds, seed, known)
            known += np.uint64(run == known)
        found[filled - count + i] = np.uint32(run)
    return known


@kernel
def cut(
    data: NDArray[np.uint8],
    slots: NDArray[np.uint64],
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    seed: np.uint64,
    found: NDArray[np.uint32],
    found_ends: NDArray[np.uint64],
    state: NDArray[np.uint64],
) -> None:
    """The runs of several texts in one piece of UTF-8, each text ended by `END`, the last by `BEHIND` too.

    A border is right when no word and no composition can reach over it. ASCII never composes with what stands
    before it, so that few are left over which a run goes on (`goes_on`), among them the apostrophe when an s
    may follow, and an underscore when it may decide whether that s ends a word. A sign before a word may make
    a tag of it. Han, kana and Hangul become pairs of characters here, unless what follows may belong to them.

    state: where to read, where the pairs end, the runs known, the runs found, the text. All go on from call
    to call, as the kernel stops soon after half of the slots are taken. Arena and bounds have room for all.
    """
    at, pairs_end, known, filled, text = state[0], state[1], state[2], state[3], state[4]
    size = np.uint64(len(data) - len(BEHIND))
    mask = np.uint64(len(slots) - 1)
    most = np.uint64(len(slots) // 2)
    keys, spans = np.empty((AHEAD, 2), np.uint64), np.empty((AHEAD, 2), np.uint64)
    are_ascii, cut_ahead, ahead = np.empty(AHEAD, np.bool_), ZERO, np.uint64(AHEAD)
    is_tag = False
    while at < size and known < most:
        eight = eight_at(data, at)
        stops = stops_in(eight)
        if stops & FIRST_TOP != ZERO:
            if data[at] == NUL:
                found_ends[text] = filled
                text += ONE
                at += ONE
                continue
            if data[at] < BEYOND_ASCII:
                others = (~stops | eight | nuls_in(eight)) & TOPS
                if others == ZERO:
                    # A sign before a word is looked at together with the word.
                    at += SEVEN if SIGNS[data[at + SEVEN]] else EIGHT
                    continue
                at += before_stop(others)[0]
                if not SIGNS[data[at - ONE]] or not begins_tag(data, at):
                    continue
                is_tag = True
            elif kind_of(data[at], data[at + ONE], data[at + TWO]) == PARTING:
                at += np.uint64(WIDTHS[data[at]])
                continue
        begin = at
        ascii_only = True
        first, second = eight | SMALL_BITS, ZERO
        if is_tag:
            begin = at - ONE
            end, ascii_only = run_from(data, at, size, False)
            first, second = key_of(data, begin, end, ascii_only, seed)
            at = end
            is_tag = False
        else:
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
            if end == begin or (JOINTS[data[end]] and goes_on(data, begin, end)):
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
                at = end + np.uint64(data[end] != NUL)
        prefetch(slots, TWO * (home_of(first, second, seed) & mask))
        keys[cut_ahead, 0], keys[cut_ahead, 1], are_ascii[cut_ahead] = first, second, ascii_only
        spans[cut_ahead, 0], spans[cut_ahead, 1] = begin, end
        cut_ahead += ONE
        filled += ONE
        if cut_ahead == ahead:
            known = number_all(
                data, keys, spans, are_ascii, slots, arena, bounds, seed, known, found, filled, cut_ahead
            )
            cut_ahead = ZERO
    known = number_all(
        data, keys, spans, are_ascii, slots, arena, bounds, seed, known, found, filled, cut_ahead
    )
    state[0], state[1], state[2], state[3], state[4] = at, pairs_end, known, filled, text


@kernel
def learn(
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    before: int,
    known: int,
    words: NDArray[np.uint32],
    others: NDArray[np.uint32],
) -> int:
    """Runs of letters and digits of ASCII are their own words; lists the others; how many there are.

    A number with letters behind it is listed too: they may be a unit.
    """
    count = ZERO
    for run in range(np.uint64(before), np.uint64(known)):
        at, end = np.uint64(bounds[run]), np.uint64(bounds[run + ONE])
        while at < end and arena[at] < BEYOND_ASCII and BYTES[arena[at]] == LETTER:
            at += ONE
        words[run] = np.uint32(run)
        if at < end or (is_digit(arena[bounds[run]]) and not is_digit(arena[end - ONE])):
            others[count] = np.uint32(run)
            count += ONE
    return count


@kernel
def expand(
    found: NDArray[np.uint32],
    found_ends: NDArray[np.uint64],
    words: NDArray[np.uint32],
    many_starts: NDArray[np.int64],
    many_words: NDArray[np.uint32],
    counts: NDArray[np.uint32],
) -> NDArray[np.uint32]:
    """The words of runs; `counts` gets the words of each text.

    Run r has the word words[r], or many_words[many_starts[m] : many_starts[m + 1]] when that is MANY + m.
    """
    total = len(found)
    for i in range(len(found)):
        if words[found[i]] >= MANY:
            many = words[found[i]] - MANY
            total += many_starts[many + 1] - many_starts[many] - 1
    out = np.empty(total, np.uint32)
    filled, i = ZERO, ZERO
    for text in range(len(found_ends)):
        before = filled
        while i < found_ends[text]:
            word = words[found[i]]
            if word < MANY:
                out[filled] = word
                filled += ONE
            else:
                for w in range(many_starts[word - MANY], many_starts[word - MANY + 1]):
                    out[filled] = many_words[w]
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
