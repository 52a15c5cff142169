# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""From the terms of a query to the best documents in one call, where one segment is the whole collection.

Terms are looked up, weighed by how many documents hold them, and searched for, as `find_terms`, `idf` and the
algorithms do one after the other elsewhere.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary_kernel import find_terms
from gossamer.kernel import unchecked_kernel, unchecked_part
from gossamer.search.blockmax_kernel import blockmax
from gossamer.search.conjunction_kernel import conjunction


@unchecked_part
def weigh(
    numbers: NDArray[np.int64],
    frequencies: NDArray[np.int64],
    emphasis: NDArray[np.float64],
    documents: int,
    unit: int,
    weights: NDArray[np.uint32],
) -> int:
    """Moves the terms that are known to the front and weighs them; how many there are."""
    known = 0
    for i in range(len(numbers)):
        if numbers[i] >= 0:
            idf = math.log(1 + (documents - frequencies[i] + 0.5) / (frequencies[i] + 0.5))
            numbers[known] = numbers[i]
            weights[known] = max(1, np.int64(np.rint(unit * (idf * emphasis[i]))))
            known += 1
    return known


@unchecked_kernel
def any_alone(
    keys: NDArray[np.uint8],
    count: int,
    emphasis: NDArray[np.float64],
    unit: int,
    depth: int,
    heads: NDArray[np.uint64],
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_highest: NDArray[Any],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    term_rows: NDArray[np.int32],
    block_highest: NDArray[Any],
    block_ends: NDArray[np.uint16],
    impacts_at: NDArray[Any],
    fingerprints: NDArray[np.uint64],
    allowed: NDArray[np.bool_],
    factors: NDArray[np.uint16],
    highest_factors: NDArray[np.uint16],
    block_factors: NDArray[np.uint16],
    lowest_factor: int,
    top_scores: NDArray[np.int64],
    top_fingerprints: NDArray[np.uint64],
    top_docs: NDArray[np.int64],
) -> int:
    """Fills the last three arrays with the best documents that hold any of the terms; returns how many."""
    numbers, frequencies = np.empty(count, np.int64), np.empty(count, np.int64)
    weights, floor = np.empty(count, np.uint32), np.zeros(1, np.uint64)
    find_terms(heads, starts, data, keys, term_entries, entry_postings, numbers, frequencies)
    known = weigh(numbers, frequencies, emphasis, len(fingerprints), unit, weights)
    if known == 0:
        return 0
    return blockmax(numbers[:known], weights[:known], term_entries, entry_ranges, entry_highest,
                    entry_postings, posting_docs, posting_impacts, term_rows, block_highest, block_ends,
                    impacts_at, depth, fingerprints, allowed, factors, highest_factors, block_factors,
                    lowest_factor, floor, 0, len(highest_factors), top_scores, top_fingerprints,
                    top_docs)  # fmt: skip


@unchecked_kernel
def all_alone(
    keys: NDArray[np.uint8],
    count: int,
    emphasis: NDArray[np.float64],
    unit: int,
    phrase: NDArray[np.int64],
    heads: NDArray[np.uint64],
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_highest: NDArray[Any],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[Any],
    term_rows: NDArray[np.int32],
    block_highest: NDArray[Any],
    block_ends: NDArray[np.uint16],
    fingerprints: NDArray[np.uint64],
    allowed: NDArray[np.bool_],
    factors: NDArray[np.uint16],
    highest_factors: NDArray[np.uint16],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    longest: int,
    top_scores: NDArray[np.int64],
    top_fingerprints: NDArray[np.uint64],
    top_docs: NDArray[np.int64],
) -> int:
    """The same for documents that hold all of the terms, and hold them in a row where `phrase` says how."""
    numbers, frequencies = np.empty(count, np.int64), np.empty(count, np.int64)
    weights, floor = np.empty(count, np.uint32), np.zeros(1, np.uint64)
    find_terms(heads, starts, data, keys, term_entries, entry_postings, numbers, frequencies)
    if weigh(numbers, frequencies, emphasis, len(fingerprints), unit, weights) < count:
        return 0
    return conjunction(numbers, weights, term_entries, entry_ranges, entry_highest, entry_postings,
                       posting_docs, posting_impacts, term_rows, block_highest, block_ends, fingerprints,
                       allowed, factors, highest_factors, phrase, position_blocks, positions, lengths,
                       longest, floor, top_scores, top_fingerprints, top_docs)  # fmt: skip
