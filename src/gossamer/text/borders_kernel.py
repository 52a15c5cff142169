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
from gossamer.text.kinds_kernel import APOSTROPHE, BYTES, HIGH, LETTER, PARTING, UNSPACED, kind_of, may_be_s

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
def run_from(
    data: NDArray[np.uint8], begin: np.uint64, size: np.uint64, plain: bool
) -> tuple[np.uint64, bool]:
    """Where the run that begins here ends, and whether it is ASCII only.

    `plain` is lost with the first character that a word or a composition may reach over.
    """
    end = begin
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
        elif kind != LETTER and (kind == PARTING or plain):
            break
        end += ONE
    return end, ascii_only
