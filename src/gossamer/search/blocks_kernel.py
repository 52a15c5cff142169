# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Highest impacts of blocks of documents, and of each term's best documents, from the postings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.kernel import unchecked_kernel

BLOCK_BITS = 5  # documents in a block: 32; 64 touch twice the postings, 16 take twice the memory
BLOCK_SIZE = 1 << BLOCK_BITS
BLOCKS = 1 << (RANGE_BITS - BLOCK_BITS)  # in a range


@unchecked_kernel
def number_rows(
    term_entries: NDArray[Any], entry_postings: NDArray[Any], least: int, term_rows: NDArray[np.int32]
) -> int:
    """Gives rows to the terms that have on average `least` postings an entry, -1 to others; counts rows."""
    rows = 0
    for t in range(len(term_rows)):
        first, last = np.int64(term_entries[t]), np.int64(term_entries[t + 1])
        postings = np.int64(entry_postings[last]) - np.int64(entry_postings[first])
        term_rows[t] = -1
        if last > first and postings >= least * (last - first):
            term_rows[t] = rows
            rows += last - first
    return rows


@unchecked_kernel
def fill_rows(
    term_entries: NDArray[Any],
    entry_postings: NDArray[Any],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    term_rows: NDArray[np.int32],
    highest: NDArray[Any],
    ends: NDArray[np.uint16],
) -> None:
    """Every row's highest impact a block, and where the block's postings end; both begin with 0."""
    for t in range(len(term_rows)):
        if term_rows[t] < 0:
            continue
        for e in range(np.int64(term_entries[t]), np.int64(term_entries[t + 1])):
            base = (np.int64(term_rows[t]) + e - np.int64(term_entries[t])) * BLOCKS
            first = np.int64(entry_postings[e])
            for p in range(first, np.int64(entry_postings[e + 1])):
                block = base + (np.int64(posting_docs[p]) >> BLOCK_BITS)
                highest[block] = max(highest[block], posting_impacts[p])
                ends[block] = p + 1 - first
            for block in range(base + 1, base + BLOCKS):
                ends[block] = max(ends[block], ends[block - 1])


@unchecked_kernel
def fill_depths(
    term_entries: NDArray[Any],
    entry_postings: NDArray[Any],
    posting_impacts: NDArray[Any],
    levels: int,
    depths: NDArray[np.int64],
    impacts_at: NDArray[Any],
) -> None:
    """The impact that so many documents of a term reach: impacts_at[i, t] for depths[i]; 0 if it has fewer.

    `depths` rises; impacts are counted level by level.
    """
    counts = np.zeros(levels + 1, np.int64)
    for t in range(len(term_entries) - 1):
        first = np.int64(entry_postings[np.int64(term_entries[t])])
        last = np.int64(entry_postings[np.int64(term_entries[t + 1])])
        if last - first < depths[0]:
            continue
        highest = 0
        for p in range(first, last):
            counts[posting_impacts[p]] += 1
            highest = max(highest, np.int64(posting_impacts[p]))
        reached = 0
        i = 0
        for level in range(highest, -1, -1):
            reached += counts[level]
            counts[level] = 0
            while i < len(depths) and reached >= depths[i]:
                impacts_at[i, t] = level
                i += 1
