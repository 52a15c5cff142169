# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Posting cursors: parts of kernels that walk posting lists.

The cursor of a term is two adjacent numbers in an array: the entry and the posting that it has reached, both
0 at first. A cursor only moves forward, so all calls together pass over a list once. It skips postings by
galloping search: in steps that double.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import RANGE_BITS, RANGE_SIZE, Postings, place_of, read
from gossamer.kernels.kernel import unchecked_part

END = np.int64(1 << 62)  # the document of a cursor that has passed the last posting


@unchecked_part
def advance(postings: Postings, term: int, doc: int, cursors: NDArray[np.int64], at: int) -> int:
    """Move the cursor at cursors[at] to the first document from `doc` on that holds the term.

    Return that document, or END. Its posting is in cursors[at + 1].
    """
    last, wanted = np.int64(postings.term_entries[term + 1]), doc >> RANGE_BITS
    entry = max(cursors[at], np.int64(postings.term_entries[term]))
    entry = seek(postings.entry_ranges, entry, last, wanted)
    place = max(cursors[at + 1], np.int64(postings.entry_postings[entry]))
    if entry < last and postings.entry_ranges[entry] == wanted:
        end = np.int64(postings.entry_postings[entry + 1])
        place = seek(postings.posting_docs, place, end, doc & (RANGE_SIZE - 1))
        entry += place == end  # the next entry begins at this posting
    cursors[at], cursors[at + 1] = entry, place
    if entry == last:
        return END
    return (np.int64(postings.entry_ranges[entry]) << RANGE_BITS) + np.int64(postings.posting_docs[place])


@unchecked_part
def posting_from(postings: Postings, term: int, doc: int, cursors: NDArray[np.int64], at: int) -> int:
    """Move the cursor at cursors[at] to a document; return the term's posting there, or -1."""
    return cursors[at + 1] if advance(postings, term, doc, cursors, at) == doc else np.int64(-1)


@unchecked_part
def next_common(postings: Postings, terms: NDArray[np.int64], doc: int, cursors: NDArray[np.int64]) -> int:
    """Return the first document from `doc` on that holds all terms, or END.

    Term j has the cursor at cursors[2 j]. The rarest term should come first: its documents are looked up in
    the lists of the others.
    """
    j = 0
    while j < len(terms):
        held = advance(postings, terms[j], doc, cursors, 2 * j)
        j = 0 if held > doc and j > 0 else j + 1
        doc = held
    return doc


@unchecked_part
def frequency_of(postings: Postings, term: int) -> int:
    """Return the number of documents that hold a term."""
    first, last = postings.term_entries[term], postings.term_entries[term + 1]
    return np.int64(postings.entry_postings[last]) - np.int64(postings.entry_postings[first])


@unchecked_part
def read_positions(postings: Postings, posting: int, into: NDArray[np.int64], at: int) -> int:
    """Write the positions of a posting in ascending order from into[at] on; return where they end."""
    place = place_of(postings.positions, postings.position_blocks, posting)
    return read(postings.positions, place, into, at)


@unchecked_part
def lower_bound(values: NDArray[Any], low: int, high: int, wanted: int) -> int:
    """Return the first place in low : high whose value is at least `wanted`, or `high`, by binary search."""
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@unchecked_part
def seek(values: NDArray[Any], low: int, high: int, wanted: int) -> int:
    """Return the same as `lower_bound` by galloping search, which is faster if the place is near `low`."""
    bound, step = low, 1
    while bound < high and values[bound] < wanted:
        low = bound + 1
        bound += step
        step += step
    return lower_bound(values, low, min(bound, high), wanted)
