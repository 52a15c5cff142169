# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, index, call-overload"
"""Which documents hold any of some terms?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.kernel import unchecked_kernel


@unchecked_kernel
def mark_documents(
    terms: NDArray[np.int64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    mask: NDArray[np.bool_],
) -> None:
    """Marks them in a mask of all documents; a term that is unknown is below 0."""
    for term in terms:
        if term < 0:
            continue
        for e in range(np.int64(term_entries[term]), np.int64(term_entries[term + 1])):
            base = np.int64(entry_ranges[e]) << RANGE_BITS
            for p in range(np.int64(entry_postings[e]), np.int64(entry_postings[e + 1])):
                mask[base + posting_docs[p]] = True
