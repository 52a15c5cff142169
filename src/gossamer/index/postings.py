"""Which documents hold a term, how strongly, and where in them?

term t        its entries are term_entries[t] : term_entries[t + 1]
entry e       one range of 4,096 documents in which the term occurs: entry_ranges[e], its highest impact
              entry_highest[e], its postings entry_postings[e] : entry_postings[e + 1]
posting p     posting_docs[p] (16 bits within the range), posting_impacts[p] (8 bits)
positions     in bytes (`positions_kernel`), posting after posting; those of posting 16 i begin at
              position_blocks[i]

What grows with the postings stands in files of its own, because a merge writes all of them at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index import positions
from gossamer.index.files import Array, read_arrays, write_arrays
from gossamer.index.invert_kernel import CURSOR, RANGE_BITS, begin, count, fill
from gossamer.index.positions_kernel import BLOCK
from gossamer.index.weighting import IMPACT_LEVELS, Weighting
from gossamer.model import GossamerError

# Which arrays stand in which file.
FILES = {
    "entries.arrays": ("term_entries", "entry_ranges", "entry_highest", "entry_postings", "position_blocks"),
    "documents.arrays": ("posting_docs",),
    "impacts.arrays": ("posting_impacts",),
    "positions.arrays": ("positions",),
}
MOST_DOCUMENTS = 1 << (16 + RANGE_BITS)  # in one segment: ranges are numbered in 16 bits
MOST = (1 << 32) - 1  # postings, or bytes of positions, in one segment


@dataclass(frozen=True, slots=True)
class Postings:
    """The postings of a segment, as the module's docstring lays them out."""

    term_entries: NDArray[np.uint32]
    entry_ranges: NDArray[np.uint16]
    entry_highest: NDArray[np.uint8]
    entry_postings: NDArray[np.uint32]
    posting_docs: NDArray[np.uint16]
    posting_impacts: NDArray[np.uint8]
    position_blocks: NDArray[np.uint32]
    positions: NDArray[np.uint8]

    def span(self, term: int) -> tuple[int, int]:
        """A term's first posting, and the one behind its last."""
        first, last = self.term_entries[term], self.term_entries[term + 1]
        return int(self.entry_postings[first]), int(self.entry_postings[last])

    def frequency(self, term: int) -> int:
        """How many documents hold the term, deleted ones included."""
        first, last = self.span(term)
        return last - first

    def frequencies(self) -> NDArray[np.int64]:
        """How many documents hold each term, deleted ones included."""
        return self.frequencies_of(range(len(self.term_entries) - 1))

    def frequencies_of(self, terms: range) -> NDArray[np.int64]:
        """How many documents hold each of these terms, which follow one another."""
        bounds = self.entry_postings[self.term_entries[terms.start : terms.stop + 1]].astype(np.int64)
        return bounds[1:] - bounds[:-1]

    def frequencies_at(self, terms: NDArray[np.uint32] | NDArray[np.int64]) -> NDArray[np.int64]:
        """How many documents hold each of these terms."""
        places = terms.astype(np.int64, copy=False)
        begins, ends = (self.entry_postings[self.term_entries[own]] for own in (places, places + 1))
        return ends.astype(np.int64) - begins

    def documents(self, term: int) -> NDArray[np.int64]:
        """The documents that hold the term, rising."""
        first, last = int(self.term_entries[term]), int(self.term_entries[term + 1])
        bounds = self.entry_postings[first : last + 1]
        ranges = np.repeat(self.entry_ranges[first:last].astype(np.int64) << RANGE_BITS, np.diff(bounds))
        return ranges + self.posting_docs[bounds[0] : bounds[-1]].astype(np.int64)

    def levels(self, term: int, impacts: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The impacts of a term's postings, in the order of `documents`."""
        return impacts[slice(*self.span(term))]

    def places(self, term: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every occurrence of a term: its document, and its position there."""
        first, last = self.span(term)
        found, places = positions.of_postings(self.positions, self.position_blocks, first, last)
        return self.documents(term)[found - first], places

    def counts(self) -> NDArray[np.int64]:
        """The term frequency of every posting, over all fields."""
        return positions.counts(self.positions, self.position_blocks, len(self.posting_docs))


def blocks_for(postings: int) -> int:
    """How many places of positions are written down for so many postings: one more, where they end."""
    return -(-postings // BLOCK) + 1


def invert(
    stream: NDArray[np.uint32],
    terms: int,
    begins: NDArray[np.int64],
    lengths: NDArray[np.uint32],
    weighting: Weighting,
) -> Postings:
    """The postings of a segment with that many terms.

    The terms of document d stand in the stream from begins[d] on; `lengths` says how many of them each of its
    fields has.
    """
    cursors = np.zeros(terms, CURSOR)
    count(stream, begins, lengths.sum(axis=1, dtype=np.int64), cursors)
    term_entries = np.zeros(terms + 1, np.uint32)
    size, postings, entries = begin(cursors, term_entries)
    if max(size, postings) > MOST or len(lengths) > MOST_DOCUMENTS:
        raise GossamerError("this is more than one segment can hold: lower memory_mb in [index]")
    arrays: dict[str, Any] = {
        "entry_ranges": np.empty(entries, np.uint16),
        "entry_highest": np.empty(entries, np.uint8),
        "entry_postings": np.empty(entries + 1, np.uint32),
        "posting_docs": np.empty(postings, np.uint16),
        "posting_impacts": np.empty(postings, np.uint8),
        "position_blocks": np.empty(blocks_for(postings), np.uint32),
        "positions": np.empty(size, np.uint8),
    }
    arrays["entry_postings"][-1], arrays["position_blocks"][-1] = postings, size
    given = (stream, begins, lengths, weighting.shares(lengths), weighting.k1, IMPACT_LEVELS)
    fill(*given, cursors, *arrays.values())
    return Postings(term_entries, **arrays)


def write_postings(folder: Path, postings: Postings) -> None:
    for file, names in FILES.items():
        write_arrays(folder / file, {name: getattr(postings, name) for name in names})


def read_postings(folder: Path) -> Postings:
    arrays: dict[str, Array] = {}
    for file in FILES:
        arrays.update(read_arrays(folder / file))
    return Postings(**arrays)
