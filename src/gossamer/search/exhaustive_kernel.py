"""Every posting of every query term: the plain computation that the clever algorithms must agree with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.kernel import kernel


@kernel
def accumulate(
    terms: NDArray[np.int64],
    weights: NDArray[np.int64],
    term_entries: NDArray[np.int64],
    entry_ranges: NDArray[np.uint32],
    entry_postings: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[np.uint8],
    scores: NDArray[np.int64],
) -> None:
    """Adds weight times impact of every posting to its document's score."""
    for j in range(len(terms)):
        for e in range(term_entries[terms[j]], term_entries[terms[j] + 1]):
            base = np.int64(entry_ranges[e]) << RANGE_BITS
            for p in range(entry_postings[e], entry_postings[e + 1]):
                scores[base + posting_docs[p]] += weights[j] * np.int64(posting_impacts[p])


@kernel
def count_matches(
    terms: NDArray[np.int64],
    term_entries: NDArray[np.int64],
    entry_ranges: NDArray[np.uint32],
    entry_postings: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    allowed: NDArray[np.bool_],
) -> int:
    """How many allowed documents hold any of the terms."""
    seen = np.zeros(len(allowed), np.bool_)
    count = 0
    for j in range(len(terms)):
        for e in range(term_entries[terms[j]], term_entries[terms[j] + 1]):
            base = np.int64(entry_ranges[e]) << RANGE_BITS
            for p in range(entry_postings[e], entry_postings[e + 1]):
                doc = base + posting_docs[p]
                if allowed[doc] and not seen[doc]:
                    seen[doc] = True
                    count += 1
    return count
