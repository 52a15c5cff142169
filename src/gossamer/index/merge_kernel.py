# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, no-any-return"
"""Turns postings back into the streams of their documents, for merging.

Each word of a document has one position, and fields stand in one line with gaps between them: so a position
tells the word's place in the stream, and nothing has to be sorted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.kernel import kernel, kernel_part


@kernel_part
def end_of(
    posting: int,
    entry: int,
    entry_postings: NDArray[np.int64],
    entry_positions: NDArray[np.int64],
    posting_offsets: NDArray[np.uint32],
) -> int:
    """Where the positions of a posting of this entry end."""
    if posting + 1 < entry_postings[entry + 1]:
        return entry_positions[entry] + posting_offsets[posting + 1]
    return entry_positions[entry + 1]


@kernel
def count_living(
    term_entries: NDArray[np.int64],
    entry_ranges: NDArray[np.uint32],
    entry_postings: NDArray[np.int64],
    entry_positions: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_offsets: NDArray[np.uint32],
    places: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How often each term occurs in the documents that have a place; the others have -1."""
    counts = np.zeros(len(term_entries) - 1, np.int64)
    for term in range(len(counts)):
        for entry in range(term_entries[term], term_entries[term + 1]):
            for posting in range(entry_postings[entry], entry_postings[entry + 1]):
                doc = (np.int64(entry_ranges[entry]) << RANGE_BITS) + posting_docs[posting]
                if places[doc] >= 0:
                    last = end_of(posting, entry, entry_postings, entry_positions, posting_offsets)
                    counts[term] += last - entry_positions[entry] - posting_offsets[posting]
    return counts


@kernel
def write_stream(
    term_entries: NDArray[np.int64],
    entry_ranges: NDArray[np.uint32],
    entry_postings: NDArray[np.int64],
    entry_positions: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_offsets: NDArray[np.uint32],
    positions: NDArray[np.uint32],
    lengths: NDArray[np.uint32],
    gap: int,
    places: NDArray[np.int64],
    numbers: NDArray[np.uint32],
    starts: NDArray[np.int64],
    stream: NDArray[np.uint32],
) -> None:
    """Writes numbers[term] wherever a term stands: document d begins at starts[places[d]] of the stream."""
    for term in range(len(term_entries) - 1):
        for entry in range(term_entries[term], term_entries[term + 1]):
            for posting in range(entry_postings[entry], entry_postings[entry + 1]):
                doc = (np.int64(entry_ranges[entry]) << RANGE_BITS) + posting_docs[posting]
                if places[doc] < 0:
                    continue
                start = starts[places[doc]]
                first = entry_positions[entry] + posting_offsets[posting]
                last = end_of(posting, entry, entry_postings, entry_positions, posting_offsets)
                field = 0
                end = np.int64(lengths[doc, 0]) + gap
                for i in range(first, last):
                    while positions[i] >= end and field + 1 < lengths.shape[1]:
                        field += 1
                        end += np.int64(lengths[doc, field]) + gap
                    stream[start + positions[i] - field * gap] = numbers[term]
