# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Which of the pages that links speak of does a segment have, and which of them say nothing themselves?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.prefetch_kernel import prefetch
from gossamer.kernel import kernel
from gossamer.search.bounds_kernel import lower_bound
from gossamer.search.evidence_kernel import posting_from

ROW_BITS = 32  # of the number of a document and the row of its page
ROW = (1 << 32) - 1
AHEAD = 8  # pages: where they stand is far away in memory


@kernel
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


@kernel
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


@kernel
def find_silent(
    docs: NDArray[np.int64],
    rows: NDArray[np.int64],
    said: NDArray[np.float64],
    terms: NDArray[np.int64],
    word_of: NDArray[np.int64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    silent: NDArray[np.bool_],
) -> None:
    """Fills in which documents hold none of the terms; they rise.

    said[rows[i]] has what links say of docs[i], a column a word: what is said of a page it mostly says
    itself, so these words are looked for first. Term t belongs to word word_of[t].
    """
    reached = np.zeros(2 * len(terms), np.int64)
    for i in range(len(docs)):
        holds = False
        for wanted in (True, False):
            for t in range(len(terms)):
                if holds or (said[rows[i], word_of[t]] > 0) != wanted:
                    continue
                posting = posting_from(
                    terms[t],
                    docs[i],
                    reached,
                    2 * t,
                    term_entries,
                    entry_ranges,
                    entry_postings,
                    posting_docs,
                )
                holds = posting >= 0
        silent[i] = not holds
