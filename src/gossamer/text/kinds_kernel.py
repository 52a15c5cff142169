# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="no-any-return"
"""What kind of character begins with these bytes: does it part words, or may it belong to one?

Only what is sure is told apart. The tables are constants of compiled code, so they stand in a kernel file.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part

# Kinds of characters; a run can begin with the last three.
PARTING, APOSTROPHE, UNDERSCORE, LETTER, HIGH, UNSPACED = 0, 1, 2, 3, 4, 5


def _kinds() -> NDArray[np.uint8]:
    """The kind of each character of the basic plane. Beyond ASCII only what is sure is told apart from HIGH.

    PARTING: neither it nor what it normalises to or composes with is in a word or an apostrophe.
    UNSPACED: a character of Han, kana or Hangul that stays what it is and composes with nothing before it.
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
# By the first byte of a character; the bytes after it only continue what was decided there.
BYTES = np.concatenate((KINDS[:0x80], np.full(0x40, LETTER, np.uint8), np.full(0x40, HIGH, np.uint8)))
WIDTHS = np.array([1] * 0xC0 + [2] * 0x20 + [3] * 0x10 + [4] * 0x10, np.int64)
SMALL = np.frombuffer(bytes(range(256)).lower(), np.uint8)  # ASCII capitals as small letters
SMALL_S, SMALL_N = ord("s"), ord("n")
DOT, COMMA, PLUS, SHARP, AT, QUOTE = (ord(one) for one in ".,+#@'")
ZERO_DIGIT, NINE_DIGIT = ord("0"), ord("9")


def _joints() -> NDArray[np.bool_]:
    """Of each byte, whether a run of letters and digits of ASCII may go on over it."""
    joints = np.arange(0x100) >= 0x80
    joints[[DOT, COMMA, PLUS, SHARP, QUOTE]] = True
    return joints


JOINTS = _joints()
SIGNS = np.isin(np.arange(0x100), (SHARP, AT, DOT))  # before a word


@kernel
def kind_of(first: int, second: int, third: int) -> int:
    """The kind of the character that begins with these bytes."""
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
    """Whether a character that begins with this byte may be a letter or, if beyond ASCII, a digit."""
    return byte >= 0x80 or (BYTES[byte] == LETTER and not is_digit(byte))


@kernel
def may_be_s(byte: int) -> bool:
    """Whether a character that begins with this byte may, normalised, be the s of a possessive."""
    return byte >= 0x80 or SMALL[byte] == SMALL_S
