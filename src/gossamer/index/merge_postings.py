"""The postings of several segments into the files of one, some terms at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.files import Array, arrays_writer, write_arrays
from gossamer.index.merge_kernel import BYTE, READ, merge_terms
from gossamer.index.positions_kernel import BLOCK, BLOCK_BITS
from gossamer.index.postings import FILES, Postings

POSTINGS_AT_ONCE = 1 << 21
SPANS_AT_ONCE = 1 << 18  # terms times segments

Numbers = NDArray[np.int64]


def merge_postings(
    folder: Path,
    segments: Sequence[Postings],
    places: Sequence[Numbers],
    tables: Sequence[NDArray[np.uint32]],
    living: Sequence[Numbers],
    terms: int,
) -> int:
    """Writes the postings of a merged segment with that many terms; returns the bytes of its positions.

    Document d of segment s becomes places[s][d], or goes when that is -1; its term t becomes tables[s][t],
    and has living[s][t] documents.
    """
    inputs = [_Input(*parts) for parts in zip(segments, tables, living, strict=True)]
    places_bases = np.cumsum([0, *map(len, places)])
    all_places = np.concatenate([*places, np.empty(0, np.int64)])
    counts = np.zeros(3, np.int64)
    kept: dict[str, list[Array]] = {name: [] for name in FILES["entries.arrays"]}
    with ExitStack() as stack:
        files = {name: stack.enter_context(arrays_writer(folder / name)) for name in list(FILES)[1:]}
        for first, last in batches(_frequencies(inputs, terms), len(segments)):
            arrays = _merged(inputs, first, last, places_bases, all_places, counts)
            for name, file in files.items():
                (array_name,) = FILES[name]
                file.append(array_name, arrays[array_name])
            for name, pieces in kept.items():
                pieces.append(arrays[name].copy())  # a view would keep the room of the whole batch
    for name, end in (("term_entries", 0), ("entry_postings", 1), ("position_blocks", 2)):
        kept[name].append(counts[end : end + 1].astype(np.uint32))
    write_arrays(folder / "entries.arrays", kept)
    return int(counts[2])


def _frequencies(inputs: Sequence[_Input], terms: int) -> Numbers:
    """How many documents hold each merged term."""
    total = np.zeros(terms, np.int64)
    for one in inputs:
        total[one.numbers] += one.frequencies
    return total


def batches(frequencies: Numbers, segments: int) -> Iterator[tuple[int, int]]:
    """Spans of terms that are merged at once: neither terms nor postings are too many. At least one."""
    ends = np.cumsum(frequencies)
    most_terms = max(1, SPANS_AT_ONCE // max(1, segments))
    first = 0
    while True:
        before = int(ends[first - 1]) if first else 0
        enough = int(np.searchsorted(ends, before + POSTINGS_AT_ONCE, "right"))
        last = min(max(first + 1, enough), first + most_terms, len(frequencies))
        yield first, last
        if last == len(frequencies):
            return
        first = last


class _Input:
    """A segment's postings, and which merged terms they are for."""

    def __init__(self, postings: Postings, table: NDArray[np.uint32], living: Numbers) -> None:
        self.postings = postings
        self.terms = np.flatnonzero(living)  # that go on
        self.numbers = table[self.terms]  # of these, merged: they rise as the terms do
        self.frequencies = living[self.terms]

    def spans(self, first: int, last: int) -> tuple[NDArray[np.int64], Numbers]:
        """The entries of the merged terms from `first` to before `last`, and those terms' first and end."""
        some = slice(*np.searchsorted(self.numbers, [first, last]))
        terms = self.terms[some]
        spans = np.zeros((last - first, 2), np.int64)
        spans[self.numbers[some] - first, 0] = self.postings.term_entries[terms]
        spans[self.numbers[some] - first, 1] = self.postings.term_entries[terms + 1]
        entries = spans[self.numbers[some] - first]
        return spans, entries[[0, -1], [0, 1]] if len(entries) else np.zeros(2, np.int64)


def _merged(
    inputs: Sequence[_Input], first: int, last: int, places_bases: Numbers, places: Numbers, counts: Numbers
) -> dict[str, Array]:
    """The arrays of some merged terms; `counts` goes on by what they hold."""
    spans = np.zeros((last - first, len(inputs), 2), np.int64)
    bases = np.zeros((len(inputs), 3), np.int64)
    cursors = np.zeros((len(inputs), 6), np.int64)
    ranges: list[Array] = []
    starts: list[Array] = []
    docs: list[Array] = []
    impacts: list[Array] = []
    positions: list[Array] = []
    for s, one in enumerate(inputs):
        spans[:, s], (entry, entries_end) = one.spans(first, last)
        own = one.postings
        begun, ended = int(own.entry_postings[entry]), int(own.entry_postings[entries_end])
        block, blocks_end = begun >> BLOCK_BITS, -(-ended // BLOCK)
        bases[s] = _size(starts) - entry, _size(docs) - begun, places_bases[s]
        cursors[s, READ] = bases[s, 1] + (block << BLOCK_BITS)
        cursors[s, BYTE] = _size(positions)
        # One range more, so that entries and their ends are found at the same places.
        ranges += [own.entry_ranges[entry:entries_end], np.zeros(1, np.uint16)]
        starts.append(own.entry_postings[entry : entries_end + 1])
        docs.append(own.posting_docs[begun:ended])
        impacts.append(own.posting_impacts[begun:ended])
        positions.append(own.positions[own.position_blocks[block] : own.position_blocks[blocks_end]])
    out = _room(last - first, _size(docs), _size(positions))
    given = [np.concatenate(pieces) for pieces in (ranges, starts, docs, impacts, positions)]
    arguments: tuple[Any, ...] = (spans, bases, *given, places, cursors, counts, *out.values())
    entries, postings, blocks, size = merge_terms(*arguments)
    counts += entries, postings, size
    sizes = (last - first, entries, entries, entries, postings, postings, blocks, size)
    return {name: array[:size] for (name, array), size in zip(out.items(), sizes, strict=True)}


def _size(pieces: Sequence[Array]) -> int:
    return sum(len(piece) for piece in pieces)


def _room(terms: int, postings: int, size: int) -> dict[str, Array]:
    """Arrays for what some terms can give at most, in the order in which the kernel takes them."""
    return {
        "term_entries": np.empty(terms, np.uint32),
        "entry_ranges": np.empty(postings, np.uint16),
        "entry_highest": np.empty(postings, np.uint8),
        "entry_postings": np.empty(postings, np.uint32),
        "posting_docs": np.empty(postings, np.uint16),
        "posting_impacts": np.empty(postings, np.uint8),
        "position_blocks": np.empty(postings // BLOCK + 1, np.uint32),
        "positions": np.empty(size, np.uint8),
    }
