# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Which of the pages that links speak of does a segment have, and which of them say nothing themselves?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS, RANGE_SIZE
from gossamer.kernel import unchecked_kernel, unchecked_part
from gossamer.search.bounds_kernel import lower_bound, seek
from gossamer.text.prefetch_kernel import prefetch

ROW_BITS = 32  # of the number of a document and the row of its page
ROW = (1 << 32) - 1
AS_QUICK = 40  # postings that are ticked off in the time in which one document is looked for
AHEAD = 8  # pages: where they stand is far away in memory


@unchecked_kernel
def worth_of(
    frequencies: NDArray[np.float64],
    share: float,
    weights: NDArray[np.float64],
    k1: float,
    worth: NDArray[np.float64],
) -> None:
    """Fills in what links add to the score of each page; see `linked`."""
    for row in range(np.uint64(len(frequencies))):
        total = 0.0
        for word in range(np.uint64(len(weights))):
            said = share * frequencies[row, word]
            total += weights[word] * said / (k1 + said)
        worth[row] = total


@unchecked_kernel
def find_new(pages: NDArray[np.uint64], known: NDArray[np.uint64], rows: NDArray[np.int64]) -> int:
    """Fills in the rows of pages that are not among the known ones; returns how many there are.

    Fingerprints are as good as random: their last bits tell where each stands in a hash table.
    """
    slots = np.uint64(4)
    while slots < np.uint64(2 * len(known)):
        slots += slots
    last = slots - np.uint64(1)
    table = np.zeros(slots, np.int64)  # rows of the known ones, from 1
    for row in range(len(known)):
        slot = known[row] & last
        while table[slot] > 0:
            slot = (slot + np.uint64(1)) & last
        table[slot] = row + 1
    found = 0
    for row in range(len(pages)):
        slot = pages[row] & last
        while table[slot] > 0 and known[table[slot] - 1] != pages[row]:
            slot = (slot + np.uint64(1)) & last
        if table[slot] == 0:
            rows[found] = row
            found += 1
    return found


@unchecked_kernel
def find_pages(
    pages: NDArray[np.uint64],
    fingerprints: NDArray[np.uint64],
    docs: NDArray[np.int64],
    begins: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    keys: NDArray[np.int64],
) -> int:
    """Fills in documents before the rows of their pages; returns how many there are.

    `fingerprints` rise, docs[i] is the document with fingerprints[i], begins[h] the first place whose leading
    bits are h. Where `allowed` is empty every document is.
    """
    found, every = 0, len(allowed) == 0
    shift = np.uint64(64)
    while len(begins) - 1 > 1 << (np.uint64(64) - shift):
        shift -= np.uint64(1)
    for row in range(len(pages)):
        if row + AHEAD < len(pages) and shift < np.uint64(64):
            ahead = np.uint64(begins[pages[row + AHEAD] >> shift])
            prefetch(fingerprints, ahead)
            prefetch(docs, ahead)
        head = np.uint64(0)
        if shift < np.uint64(64):
            head = pages[row] >> shift
        place = lower_bound(fingerprints, begins[head], begins[head + np.uint64(1)], pages[row])
        if place == len(fingerprints) or fingerprints[place] != pages[row]:
            continue
        if every or allowed[docs[place]]:
            keys[found] = (docs[place] << ROW_BITS) | row
            found += 1
    return found


@unchecked_part
def tick(
    begin: int, end: int, posting_docs: NDArray[np.uint16], docs: NDArray[np.int64], first: int, last: int,
    ticks: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Ticks off the documents of a range that postings name: at least those from `first` to before `last`."""
    if end - begin <= AS_QUICK * (last - first):
        for posting in range(np.uint64(begin), np.uint64(end)):
            ticks[posting_docs[posting]] = True
        return
    for i in range(first, last):
        within = docs[i] & (RANGE_SIZE - 1)
        begin = seek(posting_docs, begin, end, within)
        if begin < end and posting_docs[begin] == within:
            ticks[within] = True


@unchecked_kernel
def find_silent(
    docs: NDArray[np.int64],
    terms: NDArray[np.int64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    silent: NDArray[np.bool_],
) -> int:
    """Fills in which documents hold none of the terms, and says how many; they rise.

    Range by range, what the terms have there is ticked off in an array that stays in the nearest cache: that
    takes less time than to look for each document among the postings.
    """
    ticks = np.empty(RANGE_SIZE, np.bool_)
    entries = np.empty(len(terms), np.int64)
    for t in range(len(terms)):
        entries[t] = term_entries[terms[t]]
    first, count = 0, 0
    while first < len(docs):
        number = docs[first] >> RANGE_BITS
        last = first + 1
        while last < len(docs) and docs[last] >> RANGE_BITS == number:
            last += 1
        ticks[:] = False
        for t in range(len(terms)):
            end = np.int64(term_entries[terms[t] + 1])
            entry = seek(entry_ranges, entries[t], end, number)
            entries[t] = entry
            if entry < end and entry_ranges[entry] == number:
                begin, behind = np.int64(entry_postings[entry]), np.int64(entry_postings[entry + 1])
                tick(begin, behind, posting_docs, docs, first, last, ticks)
        for i in range(first, last):
            silent[i] = not ticks[docs[i] & (RANGE_SIZE - 1)]
            count += silent[i]
        first = last
    return count
