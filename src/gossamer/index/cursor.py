# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Kernels: posting cursor shared by all retrieval kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import RANGE_BITS, RANGE_SIZE
from gossamer.kernels import unchecked_part


@unchecked_part
def posting_from(
    term: int,
    doc: int,
    reached: NDArray[np.int64],
    at: int,
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
) -> int:
    """The posting of a term in a document, or -1, sought behind those of the documents before it.

    `reached` has, from `at` on, the entry and the posting from which on to look, 0 in the beginning.
    """
    last = np.int64(term_entries[term + 1])
    entry = max(reached[at], np.int64(term_entries[term]))
    entry = seek(entry_ranges, entry, last, doc >> RANGE_BITS)
    reached[at] = entry
    if entry == last or entry_ranges[entry] != doc >> RANGE_BITS:
        return -1
    begin, end = np.int64(entry_postings[entry]), np.int64(entry_postings[entry + 1])
    within = doc & (RANGE_SIZE - 1)
    place = seek(posting_docs, max(reached[at + 1], begin), end, within)
    reached[at + 1] = place
    return place if place < end and posting_docs[place] == within else -1


@unchecked_part
def lower_bound(values: NDArray[Any], low: int, high: int, wanted: int) -> int:
    """The first place from `low` on, before `high`, whose value is not below the wanted one; else `high`."""
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@unchecked_part
def seek(values: NDArray[Any], low: int, high: int, wanted: int) -> int:
    """The first place from `low` on whose value is not below the wanted one, in steps that double."""
    bound, step = low, 1
    while bound < high and values[bound] < wanted:
        low = bound + 1
        bound += step
        step += step
    return lower_bound(values, low, min(bound, high), wanted)
