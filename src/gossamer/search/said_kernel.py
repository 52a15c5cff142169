# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Which words do texts of links say of which pages? All terms of a query at once.

A text that holds a term is one number, the text before the word. Sorted, these lead through the texts as they
stand: by page, and there by host (`index.anchors`). So a page is done when the next one begins.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.kernel import unchecked_kernel, unchecked_part
from gossamer.search.bounds_kernel import seek
from gossamer.search.evidence_kernel import posting_from
from gossamer.text.prefetch_kernel import prefetch

SLOPE = 0.5
ORDINARY = 3.0  # words
STEPS = 256.0  # shares are multiples of 1 / STEPS: so sums are exact, in whichever order they are made
WORD_BITS = np.uint64(16)  # of the number of a text and a word
WORD = np.uint64((1 << 16) - 1)
AHEAD = np.uint64(12)  # texts: what is known of one is far away in memory
ONE, ZERO, RANGE = np.uint64(1), np.uint64(0), np.uint64(RANGE_BITS)


@unchecked_kernel
def texts_with(
    terms: NDArray[np.int64],
    word_of: NDArray[np.int64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    keys: NDArray[np.uint64],
) -> None:
    """Fills in every text with a term, and the word to which that belongs; there are as many as postings."""
    n = ZERO
    for j in range(len(terms)):
        word = np.uint64(word_of[j])
        for e in range(np.uint64(term_entries[terms[j]]), np.uint64(term_entries[terms[j] + 1])):
            base = np.uint64(entry_ranges[e]) << RANGE
            for p in range(np.uint64(entry_postings[e]), np.uint64(entry_postings[e + ONE])):
                keys[n] = ((base + np.uint64(posting_docs[p])) << WORD_BITS) | word
                n += ONE


@unchecked_part
def add_best(
    best: NDArray[np.float64], row: np.uint64, frequencies: NDArray[np.float64], holders: NDArray[np.int64]
) -> None:
    """What one host says most clearly, into the sums of a row."""
    for word in range(np.uint64(len(best))):
        if best[word] > 0:
            holders[word] += frequencies[row, word] == 0
            frequencies[row, word] += best[word]
            best[word] = 0


@unchecked_part
def share_of(length: int) -> float:
    """What a word counts in a text of this length."""
    return np.rint(STEPS / (1 - SLOPE + SLOPE * length / ORDINARY)) / STEPS


@unchecked_kernel
def sum_shares(
    keys: NDArray[np.uint64],
    fingerprints: NDArray[np.uint64],
    host_ids: NDArray[np.uint32],
    lengths: NDArray[np.uint32],
    fields: np.uint64,
    column: np.uint64,
    by_host: bool,
    pages: NDArray[np.uint64],
    hosts: NDArray[np.uint32],
    frequencies: NDArray[np.float64],
    holders: NDArray[np.int64],
) -> int:
    """Fills a row for each page, or for each host that speaks of it; returns how many there are.

    `keys` are those of `texts_with`, rising; `lengths` has `fields` numbers a text, of which that in `column`
    counts; `holders` gets how many rows there are with each word.
    """
    rows = ZERO
    best = np.zeros(len(holders))
    count = np.uint64(len(keys))
    for i in range(count):
        if i + AHEAD < count:
            ahead = keys[i + AHEAD] >> WORD_BITS
            prefetch(fingerprints, ahead)
            prefetch(host_ids, ahead)
            prefetch(lengths, ahead * fields + column)
        text, word = keys[i] >> WORD_BITS, keys[i] & WORD
        page, host = fingerprints[text], host_ids[text]
        if rows == ZERO or page != pages[rows - ONE] or host != hosts[rows - ONE]:
            if rows > ZERO:
                add_best(best, rows - ONE, frequencies, holders)
            if rows == ZERO or by_host or page != pages[rows - ONE]:
                pages[rows] = page
                for other in range(np.uint64(len(best))):
                    frequencies[rows, other] = 0.0
                rows += ONE
            hosts[rows - ONE] = host
        best[word] = max(best[word], share_of(lengths[text * fields + column]))
    if rows > ZERO:
        add_best(best, rows - ONE, frequencies, holders)
    return np.int64(rows)


@unchecked_kernel
def say_of(
    pages: NDArray[np.uint64],
    order: NDArray[np.int64],
    terms: NDArray[np.int64],
    word_of: NDArray[np.int64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    fingerprints: NDArray[np.uint64],
    host_ids: NDArray[np.uint32],
    lengths: NDArray[np.uint32],
    column: int,
    weight: float,
    frequencies: NDArray[np.float64],
) -> None:
    """Fills in how often each word is said of these pages, times a weight; only their texts are read.

    pages[order] rise, each once; `frequencies` has zeros; lengths[text, column] counts. Term t, unknown if
    below 0, belongs to word word_of[t].
    """
    reached = np.zeros(2 * len(terms), np.int64)
    best, holders = np.zeros(frequencies.shape[1]), np.zeros(frequencies.shape[1], np.int64)
    text, count = 0, len(fingerprints)
    for row in order:
        text = seek(fingerprints, text, count, pages[row])
        begun = text
        while text < count and fingerprints[text] == pages[row]:
            if text > begun and host_ids[text] != host_ids[text - 1]:
                add_best(best, np.uint64(row), frequencies, holders)
            share = share_of(lengths[text, column])
            for t in range(len(terms)):
                if terms[t] < 0 or best[word_of[t]] >= share:
                    continue
                posting = posting_from(
                    terms[t], text, reached, 2 * t, term_entries, entry_ranges, entry_postings, posting_docs
                )
                if posting >= 0:
                    best[word_of[t]] = share
            text += 1
        if text > begun:
            add_best(best, np.uint64(row), frequencies, holders)
            for word in range(len(best)):
                frequencies[row, word] = np.rint(STEPS * weight * frequencies[row, word]) / STEPS
