# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
"""How the positions of a posting stand in bytes, and how they are read back.

A position is written as its distance from the one before it in the same document, less 1; the first as it is.
The first byte of a number has 6 bits of it, lowest first, a bit that says that more bytes follow, and a bit
that says that this is the posting's last position; each further byte has 7 bits and one that says that more
follow. So nothing has to tell how many positions a posting has, and half of all words take one byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part

MORE, LAST = 0x80, 0x40
BLOCK_BITS = 4  # the place of the positions of every 16th posting is written down
BLOCK = 1 << BLOCK_BITS
ONE, EIGHT = np.uint64(1), np.uint64(8)
EACH = np.uint64(0x0101010101010101)  # the lowest bit of each of eight bytes
HIGHEST_BITS = np.uint64(0x8080808080808080)
TOP_BYTE = np.uint64(56)  # the bits below it


@unchecked_part
def size_of(number: int) -> int:
    """How many bytes a number takes."""
    size = 1
    number >>= 6
    while number > 0:
        size += 1
        number >>= 7
    return size


@unchecked_part
def put(data: NDArray[np.uint8], place: np.uint64, number: int) -> np.uint64:
    """Writes a number, and says where the next one goes."""
    byte = number & 0x3F
    number >>= 6
    if number > 0:
        data[place] = byte | MORE
        place += ONE
        while number > 0x7F:
            data[place] = number & 0x7F | MORE
            number >>= 7
            place += ONE
        byte = number
    data[place] = byte
    return place + ONE


@unchecked_part
def eight_bytes(data: NDArray[np.uint8], place: np.uint64) -> np.uint64:
    """Eight bytes as one number, the first one lowest: one instruction once it is compiled."""
    word = np.uint64(0)
    for i in range(np.uint64(8)):
        word |= np.uint64(data[place + i]) << (i << np.uint64(3))
    return word


@unchecked_part
def behind(data: NDArray[np.uint8], place: np.uint64, postings: int) -> np.uint64:
    """Where the positions of so many postings end that begin here.

    Eight bytes at a time: those that begin a number and say that it is the last one are counted without a
    branch, which no processor could foretell.
    """
    if postings == 0:
        return place
    left = np.uint64(postings)
    inside = np.uint64(0)  # 1 where the byte before says that its number goes on
    while place + EIGHT <= np.uint64(len(data)):
        word = eight_bytes(data, place)
        more = (word >> np.uint64(7)) & EACH
        lasts = (word >> np.uint64(6)) & EACH & ~(more << EIGHT | inside)
        counts = lasts * EACH  # each byte has how many there are up to it
        if counts >> TOP_BYTE >= left:
            # Bytes up to which enough were counted keep their highest bit; the first of them is the place.
            reached = ((counts | HIGHEST_BITS) - left * EACH) & HIGHEST_BITS
            place += EIGHT - (((reached >> np.uint64(7)) * EACH) >> TOP_BYTE)
            left, inside = ONE, np.uint64(0)
            break
        left -= counts >> TOP_BYTE
        inside = more >> TOP_BYTE
        place += EIGHT
    while inside > 0:
        inside = np.uint64(data[place]) >> np.uint64(7)
        place += ONE
    while left > 0:
        first = data[place]
        byte = first
        place += ONE
        while byte >= MORE:
            byte = data[place]
            place += ONE
        left -= np.uint64(first >> 6) & ONE
    return place


@unchecked_part
def place_of(data: NDArray[np.uint8], blocks: NDArray[np.uint32], posting: int) -> np.uint64:
    """Where the positions of a posting begin."""
    return behind(data, np.uint64(blocks[posting >> BLOCK_BITS]), posting & (BLOCK - 1))


@unchecked_part
def number_at(data: NDArray[np.uint8], place: np.uint64) -> tuple[np.int64, np.uint64]:
    """The number that begins here, and where the next one does."""
    byte = data[place]
    place += ONE
    number, shift = np.int64(byte & 0x3F), 6
    while byte >= MORE:
        byte = data[place]
        place += ONE
        number |= np.int64(byte & 0x7F) << shift
        shift += 7
    return number, place


@unchecked_part
def read(data: NDArray[np.uint8], place: np.uint64, into: NDArray[Any], at: int) -> int:
    """Writes the positions of the posting that begins here from into[at] on, their end."""
    position = np.int64(-1)
    first = np.uint8(0)
    while first & LAST == 0:
        first = data[place]
        number, place = number_at(data, place)
        position += number + 1
        into[at] = position
        at += 1
    return at


@unchecked_kernel
def positions_of(
    data: NDArray[np.uint8], blocks: NDArray[np.uint32], posting: int, into: NDArray[np.int64]
) -> int:
    """Writes the positions of one posting, for which there is room; how many there are."""
    return read(data, place_of(data, blocks, posting), into, 0)
