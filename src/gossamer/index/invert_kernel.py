# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment"
"""Turns occurrences (term, document, position) around: from document order to posting order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel

RANGE_BITS = 12  # documents in a range: 4,096; 65,536 costs half as much again at query time
RANGE_SIZE = 1 << RANGE_BITS


@kernel
def order_by(keys: NDArray[np.uint32], buckets: int) -> NDArray[np.int64]:
    """The stable order of the keys, by counting; keys are below `buckets`."""
    places = np.zeros(buckets + 1, np.int64)
    for i in range(len(keys)):
        places[keys[i] + 1] += 1
    for b in range(buckets):
        places[b + 1] += places[b]
    order = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        order[places[keys[i]]] = i
        places[keys[i]] += 1
    return order


@kernel
def place_all(
    lengths: NDArray[np.uint32], gap: int, docs: NDArray[np.uint32], places: NDArray[np.uint32]
) -> None:
    """Document and position of every word of documents whose fields have these lengths."""
    i = 0
    for doc in range(lengths.shape[0]):
        place = 0
        for field in range(lengths.shape[1]):
            for _ in range(lengths[doc, field]):
                docs[i] = doc
                places[i] = place
                i += 1
                place += 1
            place += gap


@kernel
def sort_by_term(
    terms: NDArray[np.uint32], docs: NDArray[np.uint32], positions: NDArray[np.uint32], buckets: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
    """The three arrays in the stable order of the terms, by counting; terms are below `buckets`."""
    places = np.zeros(buckets + 1, np.int64)
    for i in range(len(terms)):
        places[terms[i] + 1] += 1
    for b in range(buckets):
        places[b + 1] += places[b]
    sorted_terms, sorted_docs = np.empty_like(terms), np.empty_like(docs)
    sorted_positions = np.empty_like(positions)
    for i in range(len(terms)):
        place = places[terms[i]]
        places[terms[i]] += 1
        sorted_terms[place] = terms[i]
        sorted_docs[place] = docs[i]
        sorted_positions[place] = positions[i]
    return sorted_terms, sorted_docs, sorted_positions


@kernel
def count_groups(terms: NDArray[np.uint32], docs: NDArray[np.uint32]) -> tuple[int, int]:
    """How many postings (term, document) and entries (term, range) sorted occurrences make."""
    postings = 0
    entries = 0
    for i in range(len(terms)):
        new_term = i == 0 or terms[i] != terms[i - 1]
        if new_term or docs[i] != docs[i - 1]:
            postings += 1
            if new_term or (docs[i] >> RANGE_BITS) != (docs[i - 1] >> RANGE_BITS):
                entries += 1
    return postings, entries


@kernel
def group(
    terms: NDArray[np.uint32],
    docs: NDArray[np.uint32],
    term_entries: NDArray[np.int64],
    entry_ranges: NDArray[np.uint32],
    entry_postings: NDArray[np.int64],
    entry_positions: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_offsets: NDArray[np.uint32],
) -> None:
    """Fills the arrays of postings from occurrences sorted by term, document, position."""
    p = 0
    e = 0
    for i in range(len(terms)):
        new_term = i == 0 or terms[i] != terms[i - 1]
        if not new_term and docs[i] == docs[i - 1]:
            continue
        if new_term or (docs[i] >> RANGE_BITS) != (docs[i - 1] >> RANGE_BITS):
            entry_ranges[e] = docs[i] >> RANGE_BITS
            entry_postings[e] = p
            entry_positions[e] = i
            term_entries[terms[i] + 1] += 1
            e += 1
        posting_docs[p] = docs[i] & (RANGE_SIZE - 1)
        posting_offsets[p] = i - entry_positions[e - 1]
        p += 1
    entry_postings[e] = p
    entry_positions[e] = len(terms)
    for t in range(len(term_entries) - 1):
        term_entries[t + 1] += term_entries[t]


@kernel
def impacts(
    entry_ranges: NDArray[np.uint32],
    entry_postings: NDArray[np.int64],
    entry_positions: NDArray[np.int64],
    posting_docs: NDArray[np.uint16],
    posting_offsets: NDArray[np.uint32],
    positions: NDArray[np.uint32],
    lengths: NDArray[np.uint32],
    gap: int,
    weighting: NDArray[np.float64],
    k1: float,
    levels: int,
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The quantised BM25F impact of every posting, and the highest of every entry."""
    fields = weighting.shape[1]
    impact = np.zeros(len(posting_docs), np.uint8)
    highest = np.zeros(len(entry_ranges), np.uint8)
    for e in range(len(entry_ranges)):
        for p in range(entry_postings[e], entry_postings[e + 1]):
            doc = (np.int64(entry_ranges[e]) << RANGE_BITS) + posting_docs[p]
            first = entry_positions[e] + posting_offsets[p]
            last = entry_positions[e + 1]
            if p + 1 < entry_postings[e + 1]:
                last = entry_positions[e] + posting_offsets[p + 1]
            field = 0
            end = np.int64(lengths[doc, 0]) + gap
            tf = 0.0
            for i in range(first, last):
                while positions[i] >= end and field + 1 < fields:
                    field += 1
                    end += np.int64(lengths[doc, field]) + gap
                slope = weighting[1, field]
                tf += weighting[0, field] / (1.0 - slope + slope * lengths[doc, field] / weighting[2, field])
            level = np.int64(np.ceil(levels * tf / (k1 + tf)))
            level = max(1, min(levels, level))
            impact[p] = level
            highest[e] = max(highest[e], level)
    return impact, highest
