"""How strongly can any of 32 neighbouring documents hold a term? The bounds that `blockmax` skips by.

A term that is frequent enough has a row for each of its entries: 128 blocks of 32 documents, each with its
highest impact and the place where its postings end. 3 bytes a block make 384 bytes a row; only terms with 32
postings an entry or more have rows, which add about two thirds to the room that postings take. Besides, of
every term the impact that 10, 100, 300 and 1,000 documents reach: the best k of a query cannot score less
than the best k of any of its terms, so a search begins with a threshold. References: Ding, Suel, "Faster
top-k document retrieval using block-max indexes", SIGIR 2011; blocks of documents instead of postings as in
Mallia, Suel, Tonellotto, "Faster learned sparse retrieval with block-max pruning", SIGIR 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import Postings
from gossamer.search.blocks_kernel import BLOCKS, fill_depths, fill_rows, number_rows

DEPTHS = (10, 100, 300, 1000)  # a page; what is known together, without a second phase and with one; all
LEAST_POSTINGS = 32  # an entry, on average, of a term that has rows


@dataclass(frozen=True, slots=True)
class Blocks:
    """Row r has the blocks BLOCKS * r : BLOCKS * (r + 1); the rows of term t begin at term_rows[t]."""

    term_rows: NDArray[np.int32]  # -1: none
    highest: NDArray[Any]  # of the impacts of a block; of their kind
    ends: NDArray[np.uint16]  # of the postings of a block, counted within the entry
    impacts_at: NDArray[Any]  # depths x terms

    @classmethod
    def of(cls, postings: Postings, levels: NDArray[Any]) -> Blocks:
        """The blocks of a segment whose postings have these impacts."""
        terms = len(postings.term_entries) - 1
        term_rows = np.empty(terms, np.int32)
        rows = number_rows(postings.term_entries, postings.entry_postings, LEAST_POSTINGS, term_rows)
        # Memory of NumPy stands in large pages, that of Numba does not: half the time of a cold search.
        highest, ends = np.zeros(rows * BLOCKS, levels.dtype), np.zeros(rows * BLOCKS, np.uint16)
        impacts_at = np.zeros((len(DEPTHS), terms), levels.dtype)
        begun = postings.term_entries, postings.entry_postings
        fill_rows(*begun, postings.posting_docs, levels, term_rows, highest, ends)
        top = np.iinfo(levels.dtype).max
        fill_depths(*begun, levels, int(top), np.array(DEPTHS, np.int64), impacts_at)
        return cls(term_rows, highest, ends, impacts_at)


def depth_for(k: int) -> int:
    """Which row of `impacts_at` bounds the k-th best from below; -1 where none does."""
    for i, depth in enumerate(DEPTHS):
        if k <= depth:
            return i
    return -1
