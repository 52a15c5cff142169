# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Input and output of an algorithm; top-k heap; match counts."""

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
NARROW = 1 << 32  # a sum below this fits 32 bits
ScoreThreshold = NDArray[np.uint64]  # one number
ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
DOCS_A_RANGE = np.uint64(RANGE_SIZE)

# Kernels: count matches
# ----------------------
#
# Documents are ticked off in a range of 4,096, which stays in the nearest cache, and counted a range
# at a time.


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


@unchecked_part
def tick(postings: Postings, entry: int, before: int, ticks: NDArray[np.uint16]) -> None:
    """Ticks the documents of an entry off, those with as many ticks as there were terms before it."""
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
    """Counts the documents that hold any of the terms, or every one; `allowed` may be empty: then all are.

    Of every term, a document has the j-th tick if it had those before; of any, it has the first one once.
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
# A document stands behind another with a higher score, or with the same score and a smaller
# fingerprint. This order is total, so whoever offers the same documents gets the same best k, in
# whatever order they come.


@unchecked_part
def worse(score: int, fingerprint: int, other_score: int, other_fingerprint: int) -> bool:
    """Whether the first stands behind the other."""
    return score < other_score or (score == other_score and fingerprint > other_fingerprint)


@unchecked_part
def offer(top: Ranking, size: int, score: int, fingerprint: int, doc: int) -> int:
    """Puts a document into the heap if it belongs there; returns the heap's size, as uint64."""
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
    """Puts a document at a free place at the end, or as far above it as better ones stand."""
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
    """Puts a document in the place of the top, or as far below it as others are worse."""
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
    """Sorts the heap where it stands: the worst goes to the end, again and again."""
    scores, fingerprints, docs = top
    while size > ONE:
        size -= ONE
        score, fingerprint, doc = scores[size], fingerprints[size], docs[size]
        _put(top, size, scores[ZERO], fingerprints[ZERO], docs[ZERO])
        _sink(top, size, score, fingerprint, doc)


def new_floor() -> ScoreThreshold:
    return np.zeros(1, np.uint64)


class Documents(NamedTuple):
    """What a segment's documents are ranked by besides their terms; kernels take it as it is."""

    fingerprints: NDArray[np.uint64]
    allowed: NDArray[np.bool_]  # empty when nothing is ruled out
    factors: LinkRankFactors


@dataclass(slots=True)  # not frozen: one is made for every query, and freezing takes three times as long
class RetrievalTask:
    """A query's terms with their integer weights, and the segment in which they are sought.

    `floor` holds a score that the best k of the whole search are known to reach. The tasks of one search
    share it, so that one segment, or one thread, skips what another has already outdone.
    """

    terms: NDArray[np.int64]
    weights: NDArray[Any]
    impacts: Impacts
    documents: Documents
    floor: ScoreThreshold = field(default_factory=new_floor)

    def retrieved(self, k: int, search: Callable[[ScoreThreshold, Ranking], int]) -> Ranking:
        """The best k by a search that fills a ranking, best first, and says how many it found.

        It is given the floor to read and to raise. A segment with fewer than k documents cannot know how good
        the k-th best is: it gets a floor of its own.
        """
        size = len(self.documents.fingerprints)
        floor = self.floor if k <= size else self.floor.copy()
        top = empty_ranking(min(k, size))
        found = search(floor, top) if len(top[0]) and len(self.terms) else 0
        return first_of(top, found)

    def count(self, every: bool = False) -> int:
        """How many allowed documents hold any of the terms, or every one."""
        postings, allowed = self.impacts.postings, self.documents.allowed
        if len(self.terms) == 1 and not len(allowed):
            return postings.frequency(int(self.terms[0]))
        terms, ranges = self.terms, len(self.documents.factors.highest)
        if every:
            terms = np.array(sorted(terms.tolist(), key=postings.frequency), np.int64)  # the rarest first
        return count_holding(terms, every, postings, ranges, allowed)

    def best(self, docs: NDArray[np.int64], scores: NDArray[np.int64], k: int) -> Ranking:
        """The best k of these documents, ties by fingerprint."""
        return best_ranking((scores, self.documents.fingerprints[docs], docs), k)

    def weighted(self, docs: NDArray[np.int64], sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """The scores of documents that have these sums over terms: times their static factors."""
        scores: NDArray[np.int64] = sums * self.documents.factors.of_document[docs].astype(np.int64)
        return scores

    def living(self, docs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of these documents that are allowed."""
        allowed = self.documents.allowed
        return docs[allowed[docs]] if len(allowed) else docs


Algorithm = Callable[[RetrievalTask, int], Ranking]


def as_weights(weights: Sequence[int], highest_level: int) -> NDArray[Any]:
    """Integer weights in the kind that sums of weight times impact need: quicker in 32 bits, else 64."""
    return np.array(weights, np.uint32 if sum(weights) * highest_level < NARROW else np.uint64)


def empty_ranking(k: int) -> Ranking:
    """Room for the best k."""
    return np.empty(k, np.int64), np.empty(k, np.uint64), np.empty(k, np.int64)


def first_of(ranking: Ranking, size: int) -> Ranking:
    """The first so many of a ranking."""
    scores, fingerprints, docs = ranking
    return ranking if size == len(docs) else (scores[:size], fingerprints[:size], docs[:size])


def best_ranking(ranking: Ranking, k: int) -> Ranking:
    """Return the best k of a ranking in any order, best first, ties by fingerprint."""
    scores, fingerprints, docs = ranking
    rows = best_first(scores, fingerprints, k)
    return scores[rows], fingerprints[rows], docs[rows]


def concatenated(rankings: Iterable[Ranking]) -> Ranking:
    """Join rankings one behind the other; there may be none."""
    scores, fingerprints, docs = map(np.concatenate, zip(empty_ranking(0), *rankings, strict=True))
    return scores, fingerprints, docs


def merged(rankings: Sequence[Ranking], k: int) -> Ranking:
    """Return the best k of several rankings; there may be none."""
    return rankings[0] if len(rankings) == 1 else best_ranking(concatenated(rankings), k)
