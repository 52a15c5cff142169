# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator"
"""Which sketches agree in a group of four bytes, and which of these in so many bytes that they are copies?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part

NOBODY = -1
MIX = np.uint64(0x9E3779B1)  # spreads numbers over the high ones of 32 bits (Knuth, vol. 3, 6.4)
LOW = np.uint64(0xFFFFFFFF)


@unchecked_part
def mark_alike(
    groups: NDArray[np.uint32],
    column: int,
    table: NDArray[np.int64],
    shift: np.uint64,
    alike: NDArray[np.bool_],
) -> None:
    """Marks the rows that have the same number in a column as another; 0 is none.

    The table has 2^(32 - shift) places, more than there are rows.
    """
    table[:] = NOBODY
    last = len(table) - 1
    for row in range(len(groups)):
        value = groups[row, column]
        if value == 0:
            continue
        place = np.int64(((np.uint64(value) * MIX) & LOW) >> shift)
        while table[place] != NOBODY and groups[table[place], column] != value:
            place = (place + 1) & last
        if table[place] == NOBODY:
            table[place] = row
        else:
            alike[row] = True
            alike[table[place]] = True


@unchecked_part
def agreeing(sketches: NDArray[np.uint8], one: int, other: int) -> int:
    """In how many bytes two rows agree."""
    same = 0
    for byte in range(sketches.shape[1]):
        same += sketches[one, byte] == sketches[other, byte]
    return same


@unchecked_kernel
def find_copies(
    sketches: NDArray[np.uint8],
    groups: NDArray[np.uint32],
    needed: float,
    table: NDArray[np.int64],
    shift: np.uint64,
    original: NDArray[np.int64],
) -> int:
    """Fills for every row the first one before it that it is a copy of, -1 where it is none.

    How many copies there are comes back. `groups` are the same bytes as numbers; for the table see
    `mark_alike`. A row that is a copy has no copies itself.
    """
    alike = np.zeros(len(groups), np.bool_)
    for column in range(groups.shape[1]):
        mark_alike(groups, column, table, shift, alike)
    kept, count, copies = np.empty(len(groups), np.int64), 0, 0
    for row in range(len(groups)):
        original[row] = NOBODY
        if not alike[row]:
            continue
        for n in range(count):
            if agreeing(sketches, row, kept[n]) >= needed:
                original[row] = kept[n]
                copies += 1
                break
        if original[row] == NOBODY:
            kept[count] = row
            count += 1
    return copies
