# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment"
"""Which documents hold these terms next to each other?

The rarest term leads; the others are looked up in its documents only, and positions are touched only where
all terms are present.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.kernel import kernel


@kernel
def _find_entry(
    entry_ranges: NDArray[np.uint32], term_entries: NDArray[np.int64], term: int, wanted: int
) -> int:
    """The entry of a term for a range, or -1."""
    low = term_entries[term]
    end = term_entries[term + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if entry_ranges[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and entry_ranges[low] == wanted else -1


@kernel
def _find_posting(
    posting_docs: NDArray[np.uint16], entry_postings: NDArray[np.int64], entry: int, wanted: int
) -> int:
    """The posting of an entry for a document within the range, or -1."""
    low = entry_postings[entry]
    end = entry_postings[entry + 1]
    high = end
    while low < high:
        middle = (low + high) >> 1
        if posting_docs[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and posting_docs[low] == wanted else -1


@kernel
def _holds_position(positions: NDArray[np.uint32], first: int, last: int, wanted: int) -> bool:
    low = first
    high = last
    while low < high:
        middle = (low + high) >> 1
        if positions[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < last and positions[low] == wanted


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
            entries[j] = _find_entry(entry_ranges, term_entries, terms[j], entry_ranges[e])
            complete = complete and entries[j] >= 0
        if not complete:
            continue
        for p in range(entry_postings[e], entry_postings[e + 1]):
            d = posting_docs[p]
            complete = True
            for j in range(count):
                q = _find_posting(posting_docs, entry_postings, entries[j], d)
                if q < 0:
                    complete = False
                    break
                base = entry_positions[entries[j]]
                firsts[j] = base + posting_offsets[q]
                lasts[j] = entry_positions[entries[j] + 1]
                if q + 1 < entry_postings[entries[j] + 1]:
                    lasts[j] = base + posting_offsets[q + 1]
            if not complete:
                continue
            for i in range(firsts[leader], lasts[leader]):
                start = np.int64(positions[i]) - leader
                together = start >= 0
                for j in range(count):
                    if not together:
                        break
                    together = _holds_position(positions, firsts[j], lasts[j], start + j)
                if together:
                    mask[(np.int64(entry_ranges[e]) << RANGE_BITS) + d] = True
                    break
