# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Which pages does a page point to, when several addresses lead to one? Each once, with its first words.

Links that are nofollow give a page no words where another vouches for it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.fingerprint_kernel import fingerprint
from gossamer.extract.reference_kernel import copy_bytes
from gossamer.extract.tag_kernel import find_byte
from gossamer.kernel import kernel, kernel_part

START, END, WORDS, WORDS_END, NEAR, NEAR_END, FLAG = range(7)
WIDTH = 7


@kernel_part
def _find(number: np.uint64, numbers: NDArray[np.uint64], slots: NDArray[np.int32]) -> int:
    """The slot of a fingerprint, or the empty one where it belongs: open addressing, linear probing."""
    mask = np.uint64(len(slots) - 1)
    slot = number & mask
    while slots[slot] != 0 and numbers[slots[slot] - 1] != number:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@kernel_part
def _joined_size(found: NDArray[np.int64], count: int, column: int) -> int:
    size = 0
    for k in range(count):
        size += found[k, column + 1] - found[k, column] + 1
    return size


@kernel
def _joined(
    source: NDArray[np.uint8], found: NDArray[np.int64], count: int, column: int
) -> NDArray[np.uint8]:
    """Pieces of the source, divided by line feeds."""
    out = np.empty(_joined_size(found, count, column), np.uint8)
    p = np.int64(0)
    for k in range(count):
        p = copy_bytes(source, found[k, column], found[k, column + 1], out, p)
        out[p] = 10
        p += 1
    return out[: max(p - 1, 0)]


@kernel
def merge(
    targets: NDArray[np.uint8],
    places: NDArray[np.int64],
    anchors: NDArray[np.uint8],
    near: NDArray[np.uint8],
    flags: NDArray[np.uint8],
    own: np.uint64,
    every_flag: int,
    most: int,
) -> tuple[NDArray[np.uint64], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Fingerprints, flags, targets, anchors and words nearby; the last three divided by line feeds.

    Link k leads to `targets` from places[k, 0] to places[k, 1], nowhere if that is empty; `anchors` and
    `near` have a line for each. A link to the page that is `own` is none; pages beyond the first `most` are
    left out. A flag is 1 where a link is nofollow.
    """
    count = len(places)
    numbers = np.empty(count, np.uint64)
    found = np.empty((count, WIDTH), np.int64)
    size = 4
    while size < 2 * count:
        size *= 2
    slots = np.zeros(size, np.int32)
    words, chain = np.empty(16, np.uint64), np.empty(8, np.uint64)
    kept = 0
    end, near_end = np.int64(-1), np.int64(-1)
    for k in range(count):
        start, near_start = end + 1, near_end + 1
        end = find_byte(anchors, start, len(anchors), 10)
        near_end = find_byte(near, near_start, len(near), 10)
        if places[k, 0] == places[k, 1]:
            continue
        number = fingerprint(targets, places[k, 0], places[k, 1], words, chain)
        if number == own:
            continue
        slot = _find(number, numbers, slots)
        if slots[slot] != 0:
            first = slots[slot] - 1
            flag = flags[k] | every_flag
            if flag > found[first, FLAG]:
                continue
            vouched = flag < found[first, FLAG]
            found[first, FLAG] = flag
            if vouched or found[first, WORDS] == found[first, WORDS_END]:
                found[first, WORDS] = start
                found[first, WORDS_END] = end
            if vouched or found[first, NEAR] == found[first, NEAR_END]:
                found[first, NEAR] = near_start
                found[first, NEAR_END] = near_end
        elif kept < most:
            numbers[kept] = number
            found[kept, START] = places[k, 0]
            found[kept, END] = places[k, 1]
            found[kept, WORDS] = start
            found[kept, WORDS_END] = end
            found[kept, NEAR] = near_start
            found[kept, NEAR_END] = near_end
            found[kept, FLAG] = flags[k] | every_flag
            kept += 1
            slots[slot] = kept
    addresses = _joined(targets, found, kept, START)
    said = _joined(anchors, found, kept, WORDS)
    around = _joined(near, found, kept, NEAR)
    wishes = np.empty(kept, np.uint8)
    for k in range(kept):
        wishes[k] = found[k, FLAG]
    return numbers[:kept], wishes, addresses, said, around
