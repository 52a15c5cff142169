"""How many documents match, without ranking them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.kernel import kernel


@kernel
def count_matches(
    terms: NDArray[np.int64],
    term_entries: NDArray[np.int64],
    entry_ranges: NDArray[np.uint32],
    entry_postings: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    documents: int,
    allowed: NDArray[np.bool_],
) -> int:
    """Counts the documents that hold any of the terms; `allowed` may be empty: then every document is."""
    seen = np.zeros(documents, np.bool_)
    masked = len(allowed) > 0
    count = 0
    for j in range(len(terms)):
        for e in range(term_entries[terms[j]], term_entries[terms[j] + 1]):
            base = np.int64(entry_ranges[e]) << RANGE_BITS
            for p in range(entry_postings[e], entry_postings[e + 1]):
                doc = base + posting_docs[p]
                if not seen[doc] and (not masked or allowed[doc]):
                    seen[doc] = True
                    count += 1
    return count
