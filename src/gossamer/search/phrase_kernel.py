# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment"
"""Which documents hold these terms next to each other?

The rarest term leads; the others are looked up in its documents only, and positions are touched only where
all terms are present.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.kernel import kernel
from gossamer.search.bounds_kernel import lower_bound


@kernel
def _find(values: NDArray[Any], first: int, last: int, wanted: int) -> int:
    """The place of a value in a rising piece of an array, or -1."""
    place = lower_bound(values, first, last, wanted)
    return place if place < last and values[place] == wanted else -1


@kernel
def _stand_in_a_row(
    positions: NDArray[np.uint32], firsts: NDArray[np.int64], lasts: NDArray[np.int64], leader: int
) -> bool:
    """Whether somewhere each term stands one behind the term before it."""
    for i in range(firsts[leader], lasts[leader]):
        start = np.int64(positions[i]) - leader
        together = start >= 0
        for j in range(len(firsts)):
            if together and j != leader:
                together = _find(positions, firsts[j], lasts[j], start + j) >= 0
        if together:
            return True
    return False


@kernel
def mark_phrase(
    terms: NDArray[np.int64],
    leader: int,
    term_entries: NDArray[np.int64],
    entry_ranges: NDArray[np.uint32],
    entry_postings: NDArray[np.int64],
    entry_positions: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_offsets: NDArray[np.uint32],
    positions: NDArray[np.uint32],
    mask: NDArray[np.bool_],
) -> None:
    """Sets the mask for every document in which the terms stand in a row; `leader` is the rarest's place."""
    count = len(terms)
    entries = np.empty(count, np.int64)
    firsts = np.empty(count, np.int64)
    lasts = np.empty(count, np.int64)
    for e in range(term_entries[terms[leader]], term_entries[terms[leader] + 1]):
        complete = True
        for j in range(count):
            entries[j] = _find(
                entry_ranges, term_entries[terms[j]], term_entries[terms[j] + 1], entry_ranges[e]
            )
            complete = complete and entries[j] >= 0
        if not complete:
            continue
        for p in range(entry_postings[e], entry_postings[e + 1]):
            doc = posting_docs[p]
            complete = True
            for j in range(count):
                after = entry_postings[entries[j] + 1]
                q = _find(posting_docs, entry_postings[entries[j]], after, doc)
                if q < 0:
                    complete = False
                    break
                firsts[j] = entry_positions[entries[j]] + posting_offsets[q]
                lasts[j] = entry_positions[entries[j] + 1]
                if q + 1 < after:
                    lasts[j] = entry_positions[entries[j]] + posting_offsets[q + 1]
            if complete and _stand_in_a_row(positions, firsts, lasts, leader):
                mask[(np.int64(entry_ranges[e]) << RANGE_BITS) + doc] = True
