# mypy: disable-error-code="no-any-return, arg-type, assignment, return-value"
"""Kernels: character classes and run ends in UTF-8 bytes.

ASCII letters and digits are recognised eight bytes at a time, in the bytes of one number (Lamport, "Multiple
byte processing with full-word instructions", 1975). Other characters are handled byte by byte.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel, kernel_part

# Kernels: class of a UTF-8 character
# -----------------------------------
#
# Only clear cases are distinguished. The tables are constants of compiled code, so they are in a
# kernel file.


# Kinds of characters. A run can start with one of the last three.
PARTING, APOSTROPHE, UNDERSCORE, LETTER, HIGH, UNSPACED = 0, 1, 2, 3, 4, 5


def _kinds() -> NDArray[np.uint8]:
    """Return the kind of each character of the basic plane. Beyond ASCII, unclear cases are HIGH.

    PARTING: neither the character nor what it normalises to or composes with occurs in a word or is an
    apostrophe. UNSPACED: a character of Han, kana or Hangul that normalisation does not change and that
    composes with nothing before it.
    """
    kinds = np.full(0x10000, HIGH, np.uint8)
    kinds[:0x80] = [LETTER if chr(point).isalnum() else PARTING for point in range(0x80)]
    kinds[ord("'")] = APOSTROPHE
    kinds[ord("_")] = UNDERSCORE
    for first, last in (
        (0xA0, 0xA1), (0xA6, 0xA7), (0xAB, 0xAC), (0xAE, 0xAE), (0xB0, 0xB1), (0xB6, 0xB7), (0xBB, 0xBB),
        (0xBF, 0xBF), (0xD7, 0xD7), (0x60C, 0x60C), (0x61B, 0x61B), (0x61F, 0x61F), (0x964, 0x965),
        (0x2000, 0x200A), (0x2010, 0x2016), (0x2018, 0x2018), (0x201A, 0x2029), (0x202F, 0x2032),
        (0x2039, 0x203A), (0x2190, 0x2193), (0x2500, 0x25FF), (0x3000, 0x3003), (0x3008, 0x3011),
        (0x3014, 0x301B), (0xFF01, 0xFF06), (0xFF08, 0xFF0F), (0xFF1A, 0xFF1B), (0xFF1F, 0xFF20),
        (0xFF3B, 0xFF3D), (0xFF5B, 0xFF5D), (0xFF61, 0xFF64),
    ):  # fmt: skip
        kinds[first : last + 1] = PARTING
    for first, last in (
        (0x3005, 0x3007), (0x3041, 0x3096), (0x30A1, 0x30FE), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
        (0xAC00, 0xD7A3),
    ):  # fmt: skip
        kinds[first : last + 1] = UNSPACED
    return kinds


KINDS = _kinds()

# By the first byte of a character. Continuation bytes are LETTER, so that they do not end a run.
BYTES = np.concatenate((KINDS[:0x80], np.full(0x40, LETTER, np.uint8), np.full(0x40, HIGH, np.uint8)))
WIDTHS = np.array([1] * 0xC0 + [2] * 0x20 + [3] * 0x10 + [4] * 0x10, np.int64)
SMALL = np.frombuffer(bytes(range(256)).lower(), np.uint8)  # ASCII to lower case
SMALL_S, SMALL_N = ord("s"), ord("n")
DOT, COMMA, PLUS, SHARP, AT, QUOTE = (ord(one) for one in ".,+#@'")
ZERO_DIGIT, NINE_DIGIT = ord("0"), ord("9")


def _joints() -> NDArray[np.bool_]:
    """Return for each byte whether a run of ASCII letters and digits may continue across it."""
    joints = np.arange(0x100) >= 0x80
    joints[[DOT, COMMA, PLUS, SHARP, QUOTE]] = True
    return joints


JOINTS = _joints()
SIGNS = np.isin(np.arange(0x100), (SHARP, AT, DOT))  # before a word


@kernel
def kind_of(first: int, second: int, third: int) -> int:
    """Return the kind of the character that starts with these bytes."""
    if first < 0x80:
        return KINDS[first]
    if first < 0xE0:
        return KINDS[(first & 0x1F) << 6 | second & 0x3F]
    if first < 0xF0:
        return KINDS[(first & 0xF) << 12 | (second & 0x3F) << 6 | third & 0x3F]
    return HIGH


@kernel_part
def is_digit(byte: int) -> bool:
    return ZERO_DIGIT <= byte <= NINE_DIGIT


@kernel_part
def may_be_letter(byte: int) -> bool:
    """Return whether a character with this first byte may be a letter or, beyond ASCII, a digit."""
    return byte >= 0x80 or (BYTES[byte] == LETTER and not is_digit(byte))


@kernel
def may_be_s(byte: int) -> bool:
    """Return whether a character with this first byte may be the s of a possessive after normalisation."""
    return byte >= 0x80 or SMALL[byte] == SMALL_S


ZERO, ONE, TWO, THREE = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
FOUR, FIVE, SIX, SEVEN, EIGHT = np.uint64(4), np.uint64(5), np.uint64(6), np.uint64(7), np.uint64(8)

# Eight bytes at once: their highest bits, and the bits that distinguish lower case from capitals.
TOPS, SMALL_BITS = np.uint64(0x8080808080808080), np.uint64(0x2020202020202020)
FIRST_TOP, FIVE_TOPS = np.uint64(0x80), np.uint64(0x8080808080)

# If this is added, a byte of 7 bits gets its highest bit set: from "0" on, after "9", from "a" on,
# after "z".
FROM_0, BEHIND_9 = np.uint64(0x5050505050505050), np.uint64(0x4646464646464646)
FROM_A, BEHIND_Z = np.uint64(0x1F1F1F1F1F1F1F1F), np.uint64(0x0505050505050505)
PLACES, TOP_BYTE = np.uint64(0x0001020304050607), np.uint64(56)


@kernel_part
def eight_at(data: NDArray[np.uint8], at: np.uint64) -> np.uint64:
    """Read eight bytes as one number, the first byte lowest; the compiler makes one load of it."""
    low = np.uint64(data[at]) | np.uint64(data[at + ONE]) << EIGHT
    low |= np.uint64(data[at + TWO]) << np.uint64(16) | np.uint64(data[at + THREE]) << np.uint64(24)
    low |= np.uint64(data[at + FOUR]) << np.uint64(32) | np.uint64(data[at + FIVE]) << np.uint64(40)
    return low | np.uint64(data[at + SIX]) << np.uint64(48) | np.uint64(data[at + SEVEN]) << TOP_BYTE


@kernel_part
def stops_in(eight: np.uint64) -> np.uint64:
    """Return the highest bit of each byte that is not an ASCII letter or digit."""
    seven_bits = eight & ~TOPS
    small = seven_bits | SMALL_BITS
    digits = (seven_bits + FROM_0) & ~(seven_bits + BEHIND_9)
    letters = (small + FROM_A) & ~(small + BEHIND_Z)
    return (~(digits | letters) | eight) & TOPS


@kernel_part
def nuls_in(eight: np.uint64) -> np.uint64:
    """Return the highest bit of each byte that is 0; the other bits are undefined."""
    return ~(((eight & ~TOPS) + ~TOPS) | eight)


@kernel_part
def before_stop(stops: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return how many bytes are before the first stop, and the mask of their bits."""
    stop = (stops & (ZERO - stops)) >> SEVEN  # 256 to the power of the place of the first stop
    return (PLACES * stop) >> TOP_BYTE, stop - ONE


@kernel_part
def pairs_from(data: NDArray[np.uint8], at: np.uint64) -> np.uint64:
    """Return the end of the Han and kana that start here; `at` if the next character may belong to them."""
    end = at
    while kind_of(data[end], data[end + ONE], data[end + TWO]) == UNSPACED:
        end += THREE
    after = kind_of(data[end], data[end + ONE], data[end + TWO])
    if after == HIGH or (after == APOSTROPHE and may_be_s(data[end + ONE])):
        return at
    return end


@kernel_part
def goes_on(data: NDArray[np.uint8], piece: np.uint64, end: np.uint64) -> bool:
    """Return whether a run of letters and digits continues across the byte at `end`, one of `JOINTS`.

    It continues if `words` may find a word across the byte, or must see the byte to reject a word: 3.14,
    1,000, U.S.A., C++, C#, and the apostrophe of a possessive. The letters and digits directly before the
    byte start at `piece`; there may be none if the byte before is + or #.
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
    """Return the same for a run that is not only ASCII, where the character before the byte is unknown."""
    byte, after = data[end], data[end + ONE]
    if byte == DOT:
        return after >= 0x80 or BYTES[after] == LETTER
    if byte == COMMA:
        return after >= 0x80 or is_digit(after)
    return byte in (PLUS, SHARP, AT)


@kernel_part
def begins_tag(data: NDArray[np.uint8], at: np.uint64) -> bool:
    """Return whether the sign before the word that starts here is part of it: # or @, or the dot of .NET."""
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
    """Return where the run that starts at `begin` ends, and whether it is ASCII only.

    A plain run ends before an underscore and before Han, kana or Hangul. It is no longer plain after an
    apostrophe, # or @, or a character beyond ASCII.
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
                plain = data[end] not in (SHARP, AT)  # may start a tag, which may contain underscores
            elif not joins_beyond_ascii(data, end):
                break
            piece = end + ONE
        end += ONE
    return end, ascii_only
