# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
"""Where does a run of UTF-8 end?

Letters and digits of ASCII are told from all others eight bytes at a time, in the bytes of one number
(Lamport, "Multiple byte processing with full-word instructions", 1975). All else goes byte by byte.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel_part
from gossamer.text.kinds_kernel import (
    APOSTROPHE,
    AT,
    BYTES,
    COMMA,
    DOT,
    HIGH,
    JOINTS,
    LETTER,
    PARTING,
    PLUS,
    QUOTE,
    SHARP,
    SMALL,
    SMALL_N,
    UNDERSCORE,
    UNSPACED,
    is_digit,
    kind_of,
    may_be_letter,
    may_be_s,
)

ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
FOUR, FIVE, SIX, SEVEN, EIGHT = np.uint64(4), np.uint64(5), np.uint64(6), np.uint64(7), np.uint64(8)
# Eight bytes at once: their highest bits, and the bits that tell small letters from capitals.
TOPS, SMALL_BITS = np.uint64(0x8080808080808080), np.uint64(0x2020202020202020)
FIRST_TOP, FIVE_TOPS = np.uint64(0x80), np.uint64(0x8080808080)
# With this added, a byte of 7 bits has its highest bit set: from "0", behind "9", from "a", behind "z".
FROM_0, BEHIND_9 = np.uint64(0x5050505050505050), np.uint64(0x4646464646464646)
FROM_A, BEHIND_Z = np.uint64(0x1F1F1F1F1F1F1F1F), np.uint64(0x0505050505050505)
PLACES, TOP_BYTE = np.uint64(0x0001020304050607), np.uint64(56)


@kernel_part
def eight_at(data: NDArray[np.uint8], at: np.uint64) -> np.uint64:
    """Eight bytes as one number, the first byte lowest; the compiler makes one load of it."""
    low = np.uint64(data[at]) | np.uint64(data[at + ONE]) << EIGHT
    low |= np.uint64(data[at + TWO]) << np.uint64(16) | np.uint64(data[at + THREE]) << np.uint64(24)
    low |= np.uint64(data[at + FOUR]) << np.uint64(32) | np.uint64(data[at + FIVE]) << np.uint64(40)
    return low | np.uint64(data[at + SIX]) << np.uint64(48) | np.uint64(data[at + SEVEN]) << TOP_BYTE


@kernel_part
def stops_in(eight: np.uint64) -> np.uint64:
    """The highest bit of each byte that is neither a letter nor a digit of ASCII."""
    seven_bits = eight & ~TOPS
    small = seven_bits | SMALL_BITS
    digits = (seven_bits + FROM_0) & ~(seven_bits + BEHIND_9)
    letters = (small + FROM_A) & ~(small + BEHIND_Z)
    return (~(digits | letters) | eight) & TOPS


@kernel_part
def nuls_in(eight: np.uint64) -> np.uint64:
    """The highest bit of each byte that is 0; the other bits mean nothing."""
    return ~(((eight & ~TOPS) + ~TOPS) | eight)


@kernel_part
def before_stop(stops: np.uint64) -> tuple[np.uint64, np.uint64]:
    """How many bytes stand before the first stop, and the bits of these bytes."""
    stop = (stops & (ZERO - stops)) >> SEVEN  # 256 to the power of the place of the first stop
    return (PLACES * stop) >> TOP_BYTE, stop - ONE


@kernel_part
def pairs_from(data: NDArray[np.uint8], at: np.uint64) -> np.uint64:
    """Where the Han and kana that begin here end, or here when what follows may belong to them."""
    end = at
    while kind_of(data[end], data[end + ONE], data[end + TWO]) == UNSPACED:
        end += THREE
    after = kind_of(data[end], data[end + ONE], data[end + TWO])
    if after == HIGH or (after == APOSTROPHE and may_be_s(data[end + ONE])):
        return at
    return end


@kernel_part
def goes_on(data: NDArray[np.uint8], piece: np.uint64, end: np.uint64) -> bool:
    """Whether a run goes on over this byte, one of `JOINTS`; what it ends in, in ASCII, begins at `piece`.

    It does where `words` may find a word that reaches over it, or must see it to find none: 3.14, 1,000,
    U.S.A., C++, C#, and the apostrophe of a possessive. The piece may be empty behind + and #.
    """
    byte, before, after = data[end], data[end - ONE], data[end + ONE]
    if byte >= 0x80:
        return True
    if byte == QUOTE:
        return may_be_s(after)
    if byte in (DOT, COMMA):
        if is_digit(before):
            return is_digit(after) or after >= 0x80
        return byte == DOT and end - piece == ONE and (may_be_letter(after) or is_digit(after))
    if before in (PLUS, SHARP):
        return True
    if is_digit(before):
        return False
    if byte == PLUS:
        return after >= 0x80 or BYTES[after] != LETTER
    return end - piece == ONE and (after >= 0x80 or not may_be_letter(after))


@kernel_part
def joins_beyond_ascii(data: NDArray[np.uint8], end: np.uint64) -> bool:
    """The same where the run is not only ASCII, so that nobody knows what stands before the byte."""
    byte, after = data[end], data[end + ONE]
    if byte == DOT:
        return after >= 0x80 or BYTES[after] == LETTER
    if byte == COMMA:
        return after >= 0x80 or is_digit(after)
    return byte in (PLUS, SHARP, AT)


@kernel_part
def begins_tag(data: NDArray[np.uint8], at: np.uint64) -> bool:
    """Whether # or @, and no word before it, makes a tag of the word that begins here; or a dot .NET."""
    if at == ZERO:
        return False
    sign = data[at - ONE]
    if sign not in (SHARP, AT, DOT):
        return False
    if at > ONE and data[at - TWO] < 0x80 and BYTES[data[at - TWO]] == LETTER:
        return False
    if data[at] >= 0x80:
        return kind_of(data[at], data[at + ONE], data[at + TWO]) == HIGH
    return SMALL[data[at]] == SMALL_N if sign == DOT else BYTES[data[at]] == LETTER and not is_digit(data[at])


@kernel_part
def run_from(
    data: NDArray[np.uint8], begin: np.uint64, size: np.uint64, plain: bool
) -> tuple[np.uint64, bool]:
    """Where the run ends whose word begins here, and whether it is ASCII only.

    `plain` is lost with the first character that a word or a composition may reach over.
    """
    end, piece = begin, begin
    ascii_only = True
    while end < size:
        kind = BYTES[data[end]]
        if kind == HIGH:
            kind = kind_of(data[end], data[end + ONE], data[end + TWO])
            if kind == PARTING or (kind == UNSPACED and plain):
                break
            ascii_only = False
            plain = False
        elif kind == APOSTROPHE:
            if not may_be_s(data[end + ONE]):
                break
            plain = False
        elif kind == UNDERSCORE:
            if plain:
                break
        elif kind == PARTING:
            if not JOINTS[data[end]] and data[end] != AT:
                break
            if plain:
                if end == begin or not goes_on(data, piece, end):
                    break
                plain = data[end] not in (SHARP, AT)  # it may begin a tag, in which underscores stand
            elif not joins_beyond_ascii(data, end):
                break
            piece = end + ONE
        end += ONE
    return end, ascii_only
