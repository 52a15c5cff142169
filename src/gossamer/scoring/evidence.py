# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Exact field frequencies and proximity from positions.

The first phase ranks by impacts of 8 bits. For a few hundred candidates, the positions are read. They give
the exact frequency of each word in each field, and the distances between the words of the query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import Field, Weighting
from gossamer.index.cursor import posting_from
from gossamer.index.postings import BLOCK_BITS, LAST, Postings, number_at, place_of
from gossamer.index.segment import Segment
from gossamer.kernels.kernel import prefetch, unchecked_kernel, unchecked_part

REMEMBERED = 1024  # arrays of different lengths that are cached
Floats = NDArray[np.float64]


@lru_cache(REMEMBERED)
def neutral(documents: int) -> Floats:
    """Return a read-only array of factors 1: most factors of most queries change nothing."""
    ones = np.ones(documents)
    ones.flags.writeable = False
    return ones


# Kernels: frequencies and distances
# ----------------------------------

EMPHASISED = int(Field.EMPHASISED)  # its words have their positions in the body
FIELD = 1 << 40  # added to positions per field, so that positions in different fields are never near
AHEAD, HALF_AHEAD = 16, 8  # documents ahead that are prefetched


@unchecked_part
def weigh_positions(
    positions: NDArray[np.uint8],
    place: np.uint64,
    lengths: NDArray[np.uint32],
    shares: NDArray[np.float64],
    doc: int,
    found: NDArray[np.int64],
    count: int,
) -> tuple[float, int]:
    """Append the positions of a posting to `found`; return its weighted frequency and the new count."""
    frequency = 0.0
    position = np.int64(-1)
    field, end = 0, np.int64(lengths[doc, 0])
    first = np.uint8(0)
    while first & LAST == 0:
        first = positions[place]
        step, place = number_at(positions, place)
        position += step + 1
        while position >= end and field + 1 < lengths.shape[1]:
            field += 1
            end += np.int64(lengths[doc, field])
        frequency += shares[field]
        if field != EMPHASISED:
            found[count] = position + field * FIELD
            count += 1
    return frequency, count


@unchecked_part
def least_distance(one: NDArray[np.int64], one_count: int, other: NDArray[np.int64], other_count: int) -> int:
    """Return the least distance between a position of one list and one of the other; both ascend."""
    i, j, least = 0, 0, np.int64(FIELD)
    while i < one_count and j < other_count:
        if one[i] < other[j]:
            least = min(least, other[j] - one[i])
            i += 1
        elif other[j] < one[i]:
            least = min(least, one[i] - other[j])
            j += 1
        else:  # the same occurrence counts as both words: compare it with its neighbours only
            if i + 1 < one_count:
                least = min(least, one[i + 1] - other[j])
            if j + 1 < other_count:
                least = min(least, other[j + 1] - one[i])
            i += 1
            j += 1
    return least


@unchecked_part
def prefetch_blocks(hits: NDArray[np.int64], i: int, held: int, blocks: NDArray[np.uint32]) -> None:
    """Prefetch the places of the positions of some postings."""
    for n in range(held):
        prefetch(blocks, np.uint64(hits[i, n] >> BLOCK_BITS))


@unchecked_part
def prefetch_positions(
    hits: NDArray[np.int64], i: int, held: int, blocks: NDArray[np.uint32], positions: NDArray[np.uint8]
) -> None:
    """Prefetch the positions themselves, whose places were prefetched before."""
    for n in range(held):
        prefetch(positions, np.uint64(blocks[hits[i, n] >> BLOCK_BITS]))


@unchecked_part
def find_held(
    docs: NDArray[np.int64],
    order: NDArray[np.int64],
    terms: NDArray[np.int64],
    postings: Postings,
    reached: NDArray[np.int64],
    held: NDArray[np.int64],
    held_terms: NDArray[np.int64],
    hits: NDArray[np.int64],
) -> None:
    """Find the terms that each document holds, and their postings; `held` counts them, 0 at first."""
    for t in range(len(terms)):
        if terms[t] < 0:
            continue
        reached[:] = 0
        for i in range(len(order)):
            posting = posting_from(postings, terms[t], docs[order[i]], reached, 0)
            if posting >= 0:
                held_terms[i, held[i]], hits[i, held[i]] = t, posting
                held[i] += 1
            elif reached[0] == np.int64(postings.term_entries[terms[t] + 1]):
                break  # no later document holds it


@unchecked_kernel
def gather(
    docs: NDArray[np.int64],
    order: NDArray[np.int64],
    terms: NDArray[np.int64],
    word_of: NDArray[np.int64],
    counts: NDArray[np.float64],
    postings: Postings,
    lengths: NDArray[np.uint32],
    weighting: NDArray[np.float64],
    frequencies: NDArray[np.float64],
    distances: NDArray[np.float64],
) -> None:
    """Fill in the weighted frequency of each word in some documents, and its least distance to the next word.

    The documents are docs[order], in ascending order; the rows of others do not change. Term t, unknown if
    negative, belongs to word word_of[t]; words are in ascending order. Each occurrence counts counts[t].
    `weighting` has the rows weights, slopes and pivots, with a column per field.
    """
    position_blocks, positions = postings.position_blocks, postings.positions
    fields = lengths.shape[1]
    longest = np.int64(0)
    for row in order:
        words = np.int64(0)
        for field in range(fields):
            words += np.int64(lengths[docs[row], field])
        longest = max(longest, words)
    # Each position has one term, so a word has no more positions than its document has words.
    before, found = np.empty(longest, np.int64), np.empty(longest, np.int64)
    shares = np.empty(fields)
    # For each document, the terms that it holds, which are few of all readings of a word, and their postings.
    held = np.zeros(len(order), np.int64)
    held_terms = np.empty((len(order), len(terms)), np.int64)
    hits = np.empty((len(order), len(terms)), np.int64)
    reached = np.empty(2, np.int64)
    find_held(docs, order, terms, postings, reached, held, held_terms, hits)
    for i in range(len(order)):
        if i + AHEAD < len(order):  # two memory accesses that miss the cache
            prefetch_blocks(hits, i + AHEAD, held[i + AHEAD], position_blocks)
        if i + HALF_AHEAD < len(order):
            prefetch_positions(hits, i + HALF_AHEAD, held[i + HALF_AHEAD], position_blocks, positions)
        row = order[i]
        doc = docs[row]
        for field in range(fields):
            slope = weighting[1, field]
            shares[field] = weighting[0, field] / (
                1.0 - slope + slope * lengths[doc, field] / weighting[2, field]
            )
        word, before_count, count = np.int64(-1), 0, 0
        for n in range(held[i]):
            t = held_terms[i, n]
            if word_of[t] != word:
                if word >= 0 and word_of[t] == word + 1:
                    before, found = found, before
                    before_count = count
                else:
                    before_count = 0
                word, count = word_of[t], 0
            place = place_of(positions, position_blocks, hits[i, n])
            had = count
            added, count = weigh_positions(positions, place, lengths, shares, doc, found, count)
            frequencies[row, word] += counts[t] * added
            if had > 0:
                found[:count].sort()
            if word > 0 and before_count > 0:
                apart = least_distance(before, before_count, found, count)
                distances[row, word - 1] = apart if apart < FIELD // 2 else np.inf


Words = Sequence[Sequence[int]]  # the terms of each query word, by their numbers in the segment
Shares = Mapping[int, float]  # weights of terms that were not typed, below 1
WHOLE: Shares = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TermEvidence:
    """Frequencies and distances of query words, one row per document."""

    frequencies: Floats  # tf' of each word, weighted over the fields
    distances: Floats  # from each word to the next one, in one field; infinite if no field holds both

    def where(self, counts: NDArray[np.bool_]) -> TermEvidence:
        """Remove the evidence of each word in the documents where it does not count.

        `counts[d, w]` is true if word w counts in document d.
        """
        together = counts[:, :-1] & counts[:, 1:]
        return TermEvidence(self.frequencies * counts, np.where(together, self.distances, np.inf))


def evidence(
    segment: Segment, docs: NDArray[np.int64], words: Words, weighting: Weighting, counted: Shares = WHOLE
) -> TermEvidence:
    """Compute the evidence of some documents of a segment; `counted` has weights of terms, by default 1."""
    terms = [term for own in words for term in own]
    frequencies = np.zeros((len(docs), len(words)))
    distances = np.full((len(docs), max(0, len(words) - 1)), np.inf)
    gather(
        docs,
        np.argsort(docs),
        np.array(terms, np.int64),
        np.array([word for word, own in enumerate(words) for _ in own], np.int64),
        np.array([counted.get(term, 1.0) for term in terms]),
        segment.postings,
        segment.columns.lengths,
        _as_array(weighting),
        frequencies,
        distances,
    )
    return TermEvidence(frequencies, distances)


@lru_cache(16)
def _as_array(weighting: Weighting) -> Floats:
    return np.array([weighting.weights, weighting.slopes, weighting.pivots])
