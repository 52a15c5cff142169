"""Which documents hold a term, how strongly, and where in them?

term t        its entries are term_entries[t] : term_entries[t + 1]
entry e       one range of 4,096 documents in which the term occurs: entry_ranges[e], its highest impact
              entry_highest[e], its postings entry_postings[e] : entry_postings[e + 1]
posting p     posting_docs[p] (16 bits within the range), posting_impacts[p] (8 bits)
positions     of posting p begin at entry_positions[e] + posting_offsets[p]
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.fields import GAP
from gossamer.index.files import read_arrays, write_arrays
from gossamer.index.invert_kernel import RANGE_BITS, begin, count, fill
from gossamer.index.merge_kernel import count_living, write_stream
from gossamer.index.weighting import IMPACT_LEVELS, Weighting


@dataclass(frozen=True, slots=True)
class Postings:
    """The postings of a segment, as the module's docstring lays them out."""

    term_entries: NDArray[np.int64]
    entry_ranges: NDArray[np.uint32]
    entry_highest: NDArray[np.uint8]
    entry_postings: NDArray[np.int64]
    entry_positions: NDArray[np.int64]
    posting_docs: NDArray[np.uint16]
    posting_impacts: NDArray[np.uint8]
    posting_offsets: NDArray[np.uint32]
    positions: NDArray[np.uint32]

    def frequency(self, term: int) -> int:
        """How many documents hold the term, deleted ones included."""
        first, last = self.term_entries[term], self.term_entries[term + 1]
        return int(self.entry_postings[last] - self.entry_postings[first])

    def documents(self, term: int) -> NDArray[np.int64]:
        """The documents that hold the term, rising."""
        first, last = int(self.term_entries[term]), int(self.term_entries[term + 1])
        bounds = self.entry_postings[first : last + 1]
        ranges = np.repeat(self.entry_ranges[first:last].astype(np.int64) << RANGE_BITS, np.diff(bounds))
        return ranges + self.posting_docs[bounds[0] : bounds[-1]].astype(np.int64)

    def levels(self, term: int, impacts: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The impacts of a term's postings, in the order of `documents`."""
        first, last = self.term_entries[term], self.term_entries[term + 1]
        return impacts[self.entry_postings[first] : self.entry_postings[last]]

    def places(self, term: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every occurrence of a term: its document, and its position there."""
        first, last = int(self.term_entries[term]), int(self.term_entries[term + 1])
        bounds = self.entry_postings[first : last + 1]
        begun, ended = self.entry_positions[first], self.entry_positions[last]
        bases = np.repeat(self.entry_positions[first:last], np.diff(bounds))
        starts = bases + self.posting_offsets[bounds[0] : bounds[-1]]
        docs = np.repeat(self.documents(term), np.diff(starts, append=ended))
        return docs, self.positions[begun:ended].astype(np.int64)

    def counts(self) -> NDArray[np.int64]:
        """The term frequency of every posting, over all fields."""
        bases = np.repeat(self.entry_positions[:-1], np.diff(self.entry_postings))
        return np.diff(bases + self.posting_offsets, append=len(self.positions))

    def living(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """How often each term occurs in the documents that have a place; the others have -1."""
        return count_living(
            self.term_entries,
            self.entry_ranges,
            self.entry_postings,
            self.entry_positions,
            self.posting_docs,
            self.posting_offsets,
            places,
        )

    def write_back(
        self,
        lengths: NDArray[np.uint32],
        places: NDArray[np.int64],
        numbers: NDArray[np.uint32],
        starts: NDArray[np.int64],
        stream: NDArray[np.uint32],
    ) -> None:
        """The stream that `invert` takes: document d at starts[places[d]], term t as numbers[t]."""
        write_stream(
            self.term_entries,
            self.entry_ranges,
            self.entry_postings,
            self.entry_positions,
            self.posting_docs,
            self.posting_offsets,
            self.positions,
            lengths,
            GAP,
            places,
            numbers,
            starts,
            stream,
        )


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
    cursors = np.zeros((terms, 4), np.int64)
    count(stream, begins, lengths, cursors)
    term_entries = np.zeros(terms + 1, np.int64)
    tokens, postings, entries = begin(cursors, term_entries)
    arrays: dict[str, Any] = {
        "entry_ranges": np.empty(entries, np.uint32),
        "entry_highest": np.zeros(entries, np.uint8),
        "entry_postings": np.empty(entries + 1, np.int64),
        "entry_positions": np.empty(entries + 1, np.int64),
        "posting_docs": np.empty(postings, np.uint16),
        "posting_impacts": np.empty(postings, np.uint8),
        "posting_offsets": np.empty(postings, np.uint32),
        "positions": np.empty(tokens, np.uint32),
    }
    arrays["entry_postings"][-1], arrays["entry_positions"][-1] = postings, tokens
    given = (stream, begins, lengths, weighting.shares(lengths), GAP, weighting.k1, IMPACT_LEVELS)
    fill(*given, cursors, *arrays.values())
    return Postings(term_entries, **arrays)


def write_postings(path: Path, postings: Postings) -> None:
    write_arrays(path, {f.name: getattr(postings, f.name) for f in fields(postings)})


def read_postings(path: Path) -> Postings:
    return Postings(**read_arrays(path))
