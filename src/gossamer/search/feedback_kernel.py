# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index"
"""How strongly do these documents hold these terms?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel
from gossamer.search.evidence_kernel import posting_from


@unchecked_kernel
def impacts_of(
    docs: NDArray[np.int64],
    order: NDArray[np.int64],
    terms: NDArray[np.int64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[np.uint8],
    held: NDArray[np.float64],
) -> None:
    """Fills a row a document and a column a term; a term that is unknown, below 0, is left out.

    docs[order] rise.
    """
    reached = np.empty(2, np.int64)
    for column in range(len(terms)):
        if terms[column] < 0:
            continue
        reached[:] = 0
        for row in order:
            posting = posting_from(
                terms[column],
                docs[row],
                reached,
                0,
                term_entries,
                entry_ranges,
                entry_postings,
                posting_docs,
            )
            if posting >= 0:
                held[row, column] = posting_impacts[posting]
