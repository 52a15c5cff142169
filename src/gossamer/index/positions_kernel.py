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

from gossamer.kernel import kernel, kernel_part

MORE, LAST = 0x80, 0x40
BLOCK_BITS = 4  # the place of the positions of every 16th posting is written down
BLOCK = 1 << BLOCK_BITS
ONE = np.uint64(1)


@kernel_part
def size_of(number: int) -> int:
    """How many bytes a number takes."""
    size = 1
    number >>= 6
    while number > 0:
        size += 1
        number >>= 7
    return size


@kernel_part
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


@kernel_part
def behind(data: NDArray[np.uint8], place: np.uint64, postings: int) -> np.uint64:
    """Where the positions of so many postings end that begin here."""
    while postings > 0:
        first = data[place]
        byte = first
        place += ONE
        while byte >= MORE:
            byte = data[place]
            place += ONE
        postings -= (first >> 6) & 1
    return place


@kernel_part
def place_of(data: NDArray[np.uint8], blocks: NDArray[np.uint32], posting: int) -> np.uint64:
    """Where the positions of a posting begin."""
    return behind(data, np.uint64(blocks[posting >> BLOCK_BITS]), posting & (BLOCK - 1))


@kernel_part
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


@kernel_part
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


@kernel
def positions_of(
    data: NDArray[np.uint8], blocks: NDArray[np.uint32], posting: int, into: NDArray[np.int64]
) -> int:
    """Writes the positions of one posting, for which there is room; how many there are."""
    return read(data, place_of(data, blocks, posting), into, 0)
