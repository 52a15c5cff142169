# mypy: disable-error-code="arg-type, assignment, index, operator, return-value, no-any-return"
"""Exact field frequencies and proximity from positions.

The first phase ranks by impacts of 8 bits. For a few hundred candidates the positions are read: how often
each word stands in each field, exactly, and how close the words of the query stand to each other.
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

REMEMBERED = 1024  # numbers of candidates
Floats = NDArray[np.float64]


@lru_cache(REMEMBERED)
def neutral(documents: int) -> Floats:
    """Factors that change nothing: most are such, for most queries. Nobody may write into it."""
    ones = np.ones(documents)
    ones.flags.writeable = False
    return ones


# Kernels: frequencies and distances
# ----------------------------------

EMPHASISED = int(Field.EMPHASISED)  # the body tells where its words stand
FIELD = 1 << 40  # what a field adds to its positions, so that none is near to those of another
AHEAD, HALF_AHEAD = 16, 8  # documents


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
    """Adds the positions of a posting to those found; what the frequency gains, and how many there are."""
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
    """The least distance of two positions; both lists rise."""
    i, j, least = 0, 0, np.int64(FIELD)
    while i < one_count and j < other_count:
        if one[i] < other[j]:
            least = min(least, other[j] - one[i])
            i += 1
        elif other[j] < one[i]:
            least = min(least, one[i] - other[j])
            j += 1
        else:  # one word is both: it is no neighbour of itself
            if i + 1 < one_count:
                least = min(least, one[i + 1] - other[j])
            if j + 1 < other_count:
                least = min(least, other[j + 1] - one[i])
            i += 1
            j += 1
    return least


@unchecked_part
def prefetch_blocks(hits: NDArray[np.int64], i: int, held: int, blocks: NDArray[np.uint32]) -> None:
    """It will soon be asked where the positions of some postings stand."""
    for n in range(held):
        prefetch(blocks, np.uint64(hits[i, n] >> BLOCK_BITS))


@unchecked_part
def prefetch_positions(
    hits: NDArray[np.int64], i: int, held: int, blocks: NDArray[np.uint32], positions: NDArray[np.uint8]
) -> None:
    """Then for these themselves."""
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
    """Adds to each document the terms that it holds and their postings; `held` counts them, 0 at first."""
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
                break  # no document behind this one holds it


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
    """Fills for some documents the weighted frequency of each word and its least distance from the next.

    They are docs[order], which rise; the rows of others stay as they are. Term t, unknown if below 0,
    belongs to word word_of[t], the words rise; each time it stands somewhere it counts counts[t]. `weighting`
    has weights, slopes and pivots, a column a field.
    """
    position_blocks, positions = postings.position_blocks, postings.positions
    fields = lengths.shape[1]
    longest = np.int64(0)
    for row in order:
        words = np.int64(0)
        for field in range(fields):
            words += np.int64(lengths[docs[row], field])
        longest = max(longest, words)
    # No two terms stand at one position, so a word has no more positions than its document has words.
    before, found = np.empty(longest, np.int64), np.empty(longest, np.int64)
    shares = np.empty(fields)
    # Of each document the terms that it holds, which are few, as a word is read in all languages; and where.
    held = np.zeros(len(order), np.int64)
    held_terms = np.empty((len(order), len(terms)), np.int64)
    hits = np.empty((len(order), len(terms)), np.int64)
    reached = np.empty(2, np.int64)
    find_held(docs, order, terms, postings, reached, held, held_terms, hits)
    for i in range(len(order)):
        if i + AHEAD < len(order):  # where positions stand is far away in memory, twice
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


Words = Sequence[Sequence[int]]  # the terms of each word of the query, as numbers of the segment
Shares = Mapping[int, float]  # of terms that count less than what was typed
WHOLE: Shares = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class TermEvidence:
    """A row a document."""

    frequencies: Floats  # of each word: tf', weighted over the fields
    distances: Floats  # of each word from the next one, in one field; infinite where not together

    def where(self, counts: NDArray[np.bool_]) -> TermEvidence:
        """The same without words that do not count in a document: a row a document, a column a word."""
        together = counts[:, :-1] & counts[:, 1:]
        return TermEvidence(self.frequencies * counts, np.where(together, self.distances, np.inf))


def evidence(
    segment: Segment, docs: NDArray[np.int64], words: Words, weighting: Weighting, counted: Shares = WHOLE
) -> TermEvidence:
    """The evidence for some documents of a segment; of some terms only a share is counted."""
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
