# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""How many documents match, without ranking them.

Documents are ticked off in a range of 4,096, which stays in the nearest cache, and counted a range at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS, RANGE_SIZE
from gossamer.kernel import unchecked_kernel, unchecked_part

ONE = np.uint64(1)
DOCS_A_RANGE = np.uint64(RANGE_SIZE)


@unchecked_part
def take_ticks(ticks: NDArray[np.uint16], wanted: int, allowed: NDArray[np.bool_], base: int) -> int:
    """How many allowed documents have the wanted number of ticks; there are none afterwards."""
    count = np.uint16(0)  # as narrow as a tick, so that many are counted at once; a range fits
    if len(allowed) > 0:
        for d in range(min(DOCS_A_RANGE, np.uint64(len(allowed)) - base)):
            count = np.uint16(count + np.uint16(ticks[d] == wanted and allowed[base + d]))
    else:
        for d in range(DOCS_A_RANGE):
            count = np.uint16(count + np.uint16(ticks[d] == wanted))
    for d in range(DOCS_A_RANGE):
        ticks[d] = 0
    return np.uint64(count)


@unchecked_kernel
def count_matches(
    terms: NDArray[np.int64],
    term_entries: NDArray[Any],
    entry_ranges: NDArray[Any],
    entry_postings: NDArray[Any],
    posting_docs: NDArray[np.uint16],
    ranges: int,
    allowed: NDArray[np.bool_],
) -> int:
    """Counts the documents that hold any of the terms; `allowed` may be empty: then every document is."""
    ticks = np.zeros(DOCS_A_RANGE, np.uint16)
    cursors = np.empty(len(terms), np.uint64)
    for j in range(len(terms)):
        cursors[j] = np.uint64(term_entries[terms[j]])
    count = np.uint64(0)
    for r in range(ranges):
        ticked = False
        for j in range(len(terms)):
            e = cursors[j]
            if e == np.uint64(term_entries[terms[j] + 1]) or np.int64(entry_ranges[e]) != r:
                continue
            cursors[j] = e + ONE
            ticked = True
            for p in range(np.uint64(entry_postings[e]), np.uint64(entry_postings[e + ONE])):
                ticks[np.uint64(posting_docs[p])] = 1
        if ticked:
            count += take_ticks(ticks, np.uint16(1), allowed, np.uint64(r << RANGE_BITS))
    return np.int64(count)


@unchecked_kernel
def count_common(
    terms: NDArray[np.int64],
    term_entries: NDArray[Any],
    entry_ranges: NDArray[Any],
    entry_postings: NDArray[Any],
    posting_docs: NDArray[np.uint16],
    ranges: int,
    allowed: NDArray[np.bool_],
) -> int:
    """Counts the documents that hold all terms; a document has the j-th tick if it had those before."""
    ticks = np.zeros(DOCS_A_RANGE, np.uint16)
    terms_count = len(terms)
    cursors = np.empty(terms_count, np.uint64)
    for j in range(terms_count):
        cursors[j] = np.uint64(term_entries[terms[j]])
    count = np.uint64(0)
    for r in range(ranges):
        ticked = 0
        for j in range(terms_count):
            last = np.uint64(term_entries[terms[j] + 1])
            while cursors[j] < last and np.int64(entry_ranges[cursors[j]]) < r:
                cursors[j] += ONE
            e = cursors[j]
            if e == last or np.int64(entry_ranges[e]) != r:
                break
            for p in range(np.uint64(entry_postings[e]), np.uint64(entry_postings[e + ONE])):
                d = np.uint64(posting_docs[p])
                ticks[d] += ticks[d] == j
            ticked += 1
        if ticked > 0:
            count += take_ticks(ticks, np.uint16(terms_count), allowed, np.uint64(r << RANGE_BITS))
    return np.int64(count)
