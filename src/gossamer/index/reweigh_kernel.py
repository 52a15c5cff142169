# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, return-value"
"""The impacts of all postings anew, by what their positions say of the fields."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS, level_of
from gossamer.index.positions_kernel import LAST, number_at
from gossamer.kernel import unchecked_kernel


@unchecked_kernel
def weigh(
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    shares: NDArray[np.float64],
    k1: float,
    levels: int,
    posting_impacts: NDArray[np.uint8],
    entry_highest: NDArray[np.uint8],
) -> None:
    """Fills the impacts; one word adds shares[doc, field] to its term's weighted frequency.

    Positions stand posting after posting, so one walk over them meets every posting in its order.
    """
    place = np.uint64(0)
    for entry in range(len(entry_ranges)):
        base = np.int64(entry_ranges[entry]) << RANGE_BITS
        highest = 0
        for posting in range(np.int64(entry_postings[entry]), np.int64(entry_postings[entry + 1])):
            doc = base + np.int64(posting_docs[posting])
            frequency, position = 0.0, np.int64(-1)
            field, end = 0, np.int64(lengths[doc, 0])
            first = np.uint8(0)
            while first & LAST == 0:
                first = positions[place]
                step, place = number_at(positions, place)
                position += step + 1
                while position >= end and field + 1 < lengths.shape[1]:
                    field += 1
                    end += np.int64(lengths[doc, field])
                frequency += shares[doc, field]
            level = level_of(frequency, k1, levels)
            posting_impacts[posting] = level
            highest = max(highest, level)
        entry_highest[entry] = highest
