# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Input and output of an algorithm; top-k heap; match counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import RANGE_BITS, RANGE_SIZE, Postings
from gossamer.kernels import unchecked_kernel, unchecked_part
from gossamer.search.link_rank import Factors
from gossamer.search.weighting import Impacts

# Kernels: count matches
# ----------------------
#
# Documents are ticked off in a range of 4,096, which stays in the nearest cache, and counted a range
# at a time.

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


# Kernels: top-k heap
# -------------------
#
# A document stands behind another with a higher score, or with the same score and a smaller
# fingerprint. This order is total, so whoever offers the same documents gets the same best k, in
# whatever order they come.

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)


@unchecked_part
def worse(score: int, fingerprint: int, other_score: int, other_fingerprint: int) -> bool:
    """Whether the first stands behind the other."""
    return score < other_score or (score == other_score and fingerprint > other_fingerprint)


@unchecked_part
def offer(
    scores: NDArray[np.int64],
    fingerprints: NDArray[np.uint64],
    docs: NDArray[np.int64],
    size: int,
    score: int,
    fingerprint: int,
    doc: int,
) -> int:
    """Puts a document into the heap if it belongs there; returns the heap's size, as uint64."""
    if size < np.uint64(len(scores)):
        _rise(scores, fingerprints, docs, size, score, fingerprint, doc)
        return size + ONE
    if worse(scores[ZERO], fingerprints[ZERO], score, fingerprint):
        _sink(scores, fingerprints, docs, size, score, fingerprint, doc)
    return size


@unchecked_part
def _rise(
    scores: NDArray[np.int64],
    fingerprints: NDArray[np.uint64],
    docs: NDArray[np.int64],
    place: int,
    score: int,
    fingerprint: int,
    doc: int,
) -> None:
    """Puts a document at a free place at the end, or as far above it as better ones stand."""
    while place > ZERO:
        parent = (place - ONE) >> ONE
        if not worse(score, fingerprint, scores[parent], fingerprints[parent]):
            break
        scores[place] = scores[parent]
        fingerprints[place] = fingerprints[parent]
        docs[place] = docs[parent]
        place = parent
    scores[place] = score
    fingerprints[place] = fingerprint
    docs[place] = doc


@unchecked_part
def _sink(
    scores: NDArray[np.int64],
    fingerprints: NDArray[np.uint64],
    docs: NDArray[np.int64],
    size: int,
    score: int,
    fingerprint: int,
    doc: int,
) -> None:
    """Puts a document in the place of the top, or as far below it as others are worse."""
    place = ZERO
    while True:
        child = TWO * place + ONE
        if child >= size:
            break
        other = child + ONE
        if other < size and worse(scores[other], fingerprints[other], scores[child], fingerprints[child]):
            child = other
        if not worse(scores[child], fingerprints[child], score, fingerprint):
            break
        scores[place] = scores[child]
        fingerprints[place] = fingerprints[child]
        docs[place] = docs[child]
        place = child
    scores[place] = score
    fingerprints[place] = fingerprint
    docs[place] = doc


@unchecked_part
def put_best_first(
    scores: NDArray[np.int64], fingerprints: NDArray[np.uint64], docs: NDArray[np.int64], size: int
) -> None:
    """Sorts the heap where it stands: the worst goes to the end, again and again."""
    while size > ONE:
        size -= ONE
        score, fingerprint, doc = scores[size], fingerprints[size], docs[size]
        scores[size] = scores[ZERO]
        fingerprints[size] = fingerprints[ZERO]
        docs[size] = docs[ZERO]
        _sink(scores, fingerprints, docs, size, score, fingerprint, doc)


Ranking = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]  # scores, fingerprints, documents
NARROW = 1 << 32  # a sum below this fits 32 bits
Floor = NDArray[np.uint64]  # one number


def new_floor() -> Floor:
    return np.zeros(1, np.uint64)


@dataclass(slots=True)  # not frozen: one is made for every query, and freezing takes three times as long
class Task:
    """A segment's arrays and a query's terms with their integer weights.

    `floor` holds a score that the best k of the whole search are known to reach. The tasks of one search
    share it, so that one segment, or one thread, skips what another has already outdone.
    """

    terms: NDArray[np.int64]
    weights: NDArray[Any]
    postings: Postings
    impacts: Impacts
    fingerprints: NDArray[np.uint64]
    allowed: NDArray[np.bool_]  # empty when nothing is ruled out
    factors: Factors
    floor: Floor = field(default_factory=new_floor)

    def floor_for(self, k: int) -> Floor:
        """What to read the floor from and to raise it in, for the best k.

        A segment with fewer documents cannot know how good the k-th best is: it gets a floor of its own.
        """
        return self.floor if k <= len(self.fingerprints) else self.floor.copy()


Algorithm = Callable[[Task, int], Ranking]


def as_weights(weights: Sequence[int], highest_level: int) -> NDArray[Any]:
    """Integer weights in the kind that sums of weight times impact need: quicker in 32 bits, else 64."""
    return np.array(weights, np.uint32 if sum(weights) * highest_level < NARROW else np.uint64)


def empty_ranking(k: int) -> Ranking:
    """Room for the best k."""
    return np.empty(k, np.int64), np.empty(k, np.uint64), np.empty(k, np.int64)


def best_first(
    scores: NDArray[np.int64], fingerprints: NDArray[np.uint64], docs: NDArray[np.int64], k: int
) -> Ranking:
    """The best k, ties by fingerprint."""
    order = np.lexsort((fingerprints, -scores))[:k]
    return scores[order], fingerprints[order], docs[order]


def merged(rankings: Sequence[Ranking], k: int) -> Ranking:
    """The best k of several rankings."""
    scores, fingerprints, docs = (np.concatenate(column) for column in zip(*rankings, strict=True))
    return best_first(scores, fingerprints, docs, k)
