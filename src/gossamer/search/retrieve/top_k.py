# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Input and output of retrieval algorithms; top-k heap; match counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import RANGE_BITS, RANGE_SIZE, Postings
from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.search.candidates import best_first
from gossamer.search.link_rank import LinkRankFactors
from gossamer.search.weighting import Impacts

Ranking = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64]]  # scores, fingerprints, documents
NARROW = 1 << 32  # lower sums fit in 32 bits
ScoreThreshold = NDArray[np.uint64]  # one number, shared and raised during a search
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
DOCS_A_RANGE = np.uint64(RANGE_SIZE)

# Kernels: count matches
# ----------------------
#
# The terms of documents are counted in one range of 4,096 documents at a time, so that the counters remain
# in the first-level cache.


@unchecked_part
def take_ticks(ticks: NDArray[np.uint16], wanted: int, allowed: NDArray[np.bool_], base: int) -> int:
    """Count the allowed documents with the wanted number of ticks, and clear the ticks."""
    count = np.uint16(0)  # 16 bits like ticks, for vector instructions; the count of a range fits
    if len(allowed) > 0:
        for d in range(min(DOCS_A_RANGE, np.uint64(len(allowed)) - base)):
            count = np.uint16(count + np.uint16(ticks[d] == wanted and allowed[base + d]))
    else:
        for d in range(DOCS_A_RANGE):
            count = np.uint16(count + np.uint16(ticks[d] == wanted))
    for d in range(DOCS_A_RANGE):
        ticks[d] = 0
    return np.uint64(count)


@unchecked_part
def tick(postings: Postings, entry: int, before: int, ticks: NDArray[np.uint16]) -> None:
    """Add a tick to the documents of an entry that have exactly `before` ticks."""
    begin, end = np.uint64(postings.entry_postings[entry]), np.uint64(postings.entry_postings[entry + ONE])
    if before == 0:
        for p in range(begin, end):
            ticks[np.uint64(postings.posting_docs[p])] = 1
    else:
        for p in range(begin, end):
            d = np.uint64(postings.posting_docs[p])
            ticks[d] += ticks[d] == before


@unchecked_kernel
def count_holding(
    terms: NDArray[np.int64], every: bool, postings: Postings, ranges: int, allowed: NDArray[np.bool_]
) -> int:
    """Count the documents that hold any of the terms, or every one. If `allowed` is empty, all are allowed.

    With `every`, a document gets the tick of the j-th term only if it has those of all terms before.
    Otherwise it gets only one tick.
    """
    ticks = np.zeros(DOCS_A_RANGE, np.uint16)
    term_entries, entry_ranges = postings.term_entries, postings.entry_ranges
    reached = term_entries[terms].astype(np.uint64)
    count = ZERO
    for r in range(ranges):
        ticked = False
        for j in range(len(terms)):
            last = np.uint64(term_entries[terms[j] + 1])
            while reached[j] < last and np.int64(entry_ranges[reached[j]]) < r:
                reached[j] += ONE
            if reached[j] < last and np.int64(entry_ranges[reached[j]]) == r:
                tick(postings, reached[j], j if every else 0, ticks)
                ticked = True
            elif every:
                break
        if ticked:
            wanted = np.uint16(len(terms) if every else 1)
            count += take_ticks(ticks, wanted, allowed, np.uint64(r << RANGE_BITS))
    return np.int64(count)


# Kernels: top-k heap
# -------------------
#
# Documents are ordered by descending score, ties by ascending fingerprint. This order is total, so the best
# k do not depend on the order in which documents are offered.


@unchecked_part
def worse(score: int, fingerprint: int, other_score: int, other_fingerprint: int) -> bool:
    """Return whether a document ranks below another one."""
    return score < other_score or (score == other_score and fingerprint > other_fingerprint)


@unchecked_part
def offer(top: Ranking, size: int, score: int, fingerprint: int, doc: int) -> int:
    """Insert a document into the heap if it belongs there; return the size of the heap, as uint64."""
    scores, fingerprints, _ = top
    if size < np.uint64(len(scores)):
        _rise(top, size, score, fingerprint, doc)
        return size + ONE
    if worse(scores[ZERO], fingerprints[ZERO], score, fingerprint):
        _sink(top, size, score, fingerprint, doc)
    return size


@unchecked_part
def _put(top: Ranking, place: int, score: int, fingerprint: int, doc: int) -> None:
    scores, fingerprints, docs = top
    scores[place] = score
    fingerprints[place] = fingerprint
    docs[place] = doc


@unchecked_part
def _rise(top: Ranking, place: int, score: int, fingerprint: int, doc: int) -> None:
    """Insert a document at the free place at the end, and move it up past better ones."""
    scores, fingerprints, docs = top
    while place > ZERO:
        parent = (place - ONE) >> ONE
        if not worse(score, fingerprint, scores[parent], fingerprints[parent]):
            break
        _put(top, place, scores[parent], fingerprints[parent], docs[parent])
        place = parent
    _put(top, place, score, fingerprint, doc)


@unchecked_part
def _sink(top: Ranking, size: int, score: int, fingerprint: int, doc: int) -> None:
    """Replace the top by a document, and move it down past worse ones."""
    scores, fingerprints, docs = top
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
        _put(top, place, scores[child], fingerprints[child], docs[child])
        place = child
    _put(top, place, score, fingerprint, doc)


@unchecked_part
def put_best_first(top: Ranking, size: int) -> None:
    """Sort the heap in place, best first, by moving the worst to the end repeatedly."""
    scores, fingerprints, docs = top
    while size > ONE:
        size -= ONE
        score, fingerprint, doc = scores[size], fingerprints[size], docs[size]
        _put(top, size, scores[ZERO], fingerprints[ZERO], docs[ZERO])
        _sink(top, size, score, fingerprint, doc)


def new_floor() -> ScoreThreshold:
    """Return a threshold of 0."""
    return np.zeros(1, np.uint64)


class Documents(NamedTuple):
    """Properties of the documents of a segment, other than terms, that rank. Kernels accept this tuple."""

    fingerprints: NDArray[np.uint64]
    allowed: NDArray[np.bool_]  # empty if all are allowed
    factors: LinkRankFactors


@dataclass(slots=True)  # not frozen: every query makes one, and a frozen one takes three times as long
class RetrievalTask:
    """The terms of a query with their integer weights, and the segment to search.

    `floor` holds a lower bound of the k-th best score of the whole search. The tasks of a search share
    it, so that a segment or thread can skip documents below the results of another one.
    """

    terms: NDArray[np.int64]
    weights: NDArray[Any]
    impacts: Impacts
    documents: Documents
    floor: ScoreThreshold = field(default_factory=new_floor)

    def retrieved(self, k: int, search: Callable[[ScoreThreshold, Ranking], int]) -> Ranking:
        """Return the best k by a function that fills a ranking, best first, and returns its size.

        The function may raise the floor. A segment with fewer than k documents does not know the score of the
        k-th best, so it gets a copy of the floor.
        """
        size = len(self.documents.fingerprints)
        floor = self.floor if k <= size else self.floor.copy()
        top = empty_ranking(min(k, size))
        found = search(floor, top) if len(top[0]) and len(self.terms) else 0
        return first_of(top, found)

    def count(self, every: bool = False) -> int:
        """Return the number of allowed documents that hold any of the terms, or all of them if `every`."""
        postings, allowed = self.impacts.postings, self.documents.allowed
        if len(self.terms) == 1 and not len(allowed):
            return postings.frequency(int(self.terms[0]))
        terms, ranges = self.terms, len(self.documents.factors.highest)
        if every:
            terms = np.array(sorted(terms.tolist(), key=postings.frequency), np.int64)  # the rarest first
        return count_holding(terms, every, postings, ranges, allowed)

    def best(self, docs: NDArray[np.int64], scores: NDArray[np.int64], k: int) -> Ranking:
        """Return the best k of some documents, ties by fingerprint."""
        return best_ranking((scores, self.documents.fingerprints[docs], docs), k)

    def weighted(self, docs: NDArray[np.int64], sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Multiply the sums of documents by their static factors."""
        return sums * self.documents.factors.of_document[docs].astype(np.int64)

    def living(self, docs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the documents that are allowed."""
        allowed = self.documents.allowed
        return docs[allowed[docs]] if len(allowed) else docs


Algorithm = Callable[[RetrievalTask, int], Ranking]


def as_weights(weights: Sequence[int], highest_level: int) -> NDArray[Any]:
    """Return weights in the type that sums of weight times impact need: 32 bits if possible, else 64."""
    return np.array(weights, np.uint32 if sum(weights) * highest_level < NARROW else np.uint64)


def empty_ranking(k: int) -> Ranking:
    """Allocate a ranking of k documents."""
    return np.empty(k, np.int64), np.empty(k, np.uint64), np.empty(k, np.int64)


def first_of(ranking: Ranking, size: int) -> Ranking:
    """Return the first `size` documents of a ranking."""
    scores, fingerprints, docs = ranking
    return ranking if size == len(docs) else (scores[:size], fingerprints[:size], docs[:size])


def best_ranking(ranking: Ranking, k: int) -> Ranking:
    """Return the best k of a ranking in any order, best first, ties by fingerprint."""
    scores, fingerprints, docs = ranking
    rows = best_first(scores, fingerprints, k)
    return scores[rows], fingerprints[rows], docs[rows]


def concatenated(rankings: Iterable[Ranking]) -> Ranking:
    """Join rankings one after the other; there may be none."""
    scores, fingerprints, docs = map(np.concatenate, zip(empty_ranking(0), *rankings, strict=True))
    return scores, fingerprints, docs


def merged(rankings: Sequence[Ranking], k: int) -> Ranking:
    """Return the best k of several rankings; there may be none."""
    return rankings[0] if len(rankings) == 1 else best_ranking(concatenated(rankings), k)
