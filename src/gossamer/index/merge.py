# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
# ruff: noqa: PLR0912, PLR0915
"""Merge segments: policy, dictionaries, postings.

The policy is tiered: tier n holds the segments whose size is about the n-th power of the merge factor, and a
full tier is merged into one segment of the next. So every document is rewritten once per tier. In every
segment the documents are sorted by host, so posting lists can be merged while they are read, some terms at a
time. The memory of a merge grows only by a few bytes per term and per document.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import BLOCK as DICTIONARY_BLOCK
from gossamer.index.dictionary import (
    END,
    Dictionary,
    dictionary_of,
    merged_lexicon,
    write_dictionary,
    write_lexicon,
)
from gossamer.index.manifest import SegmentEntry
from gossamer.index.postings import (
    BLOCK,
    BLOCK_BITS,
    FILES,
    MOST,
    MOST_DOCUMENTS,
    RANGE_BITS,
    RANGE_SIZE,
    Postings,
    behind,
    room_for,
)
from gossamer.index.segment import (
    COLUMNS,
    STORED,
    TERMS,
    WORDS,
    SegmentView,
    host_ranks,
    merged_columns,
    new_segment,
    write_columns,
)
from gossamer.index.stored_text import merge_stored
from gossamer.kernels.kernel import kernel, kernel_part, unchecked_kernel, unchecked_part
from gossamer.model.graph import starts_of
from gossamer.storage.files import Array, arrays_writer, write_arrays
from gossamer.text.strings import head_of

# Kernels: merge posting lists
# ----------------------------
#
# All segments, including the merged one, sort terms and documents in the same way. So every array is
# read once, from its beginning to its end, and written in the same order. For a batch of terms, the data
# of all segments is concatenated. `bases` holds the offset of each segment in the concatenated arrays. The
# numbers in `cursors` include these offsets.

ZERO, ONE = np.uint64(0), np.uint64(1)
GONE, FAR = np.int64(-1), np.int64(1 << 62)

# The columns of `bases`, and of `cursors`: what is read next of a segment.
ENTRIES, POSTINGS, PLACES = ZERO, ONE, np.uint64(2)
ENTRY, ENTRIES_END, POSTING = ZERO, ONE, np.uint64(2)
DOC, READ, BYTE = np.uint64(3), np.uint64(4), np.uint64(5)


class PostingsInput(NamedTuple):
    """The data of all segments for a batch of terms, one segment after the other, and the read cursors.

    spans[i, s] is the range of entries of the i-th term in segment s, empty if it has none. `places` holds
    the new number of each document, -1 for deleted ones.
    """

    spans: NDArray[np.int64]
    bases: NDArray[np.int64]
    cursors: NDArray[np.int64]
    places: NDArray[np.int64]
    entry_ranges: NDArray[np.uint16]
    entry_postings: NDArray[np.uint32]
    posting_docs: NDArray[np.uint16]
    posting_impacts: NDArray[np.uint8]
    positions: NDArray[np.uint8]


@unchecked_kernel
def count_living(postings: Postings, places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of live documents that hold each term: those whose place is not -1."""
    begins = postings.entry_postings
    counts = np.zeros(len(postings.term_entries) - 1, np.int64)
    for term in range(len(counts)):
        for entry in range(np.int64(postings.term_entries[term]), np.int64(postings.term_entries[term + 1])):
            base = np.int64(postings.entry_ranges[entry]) << RANGE_BITS
            for posting in range(np.int64(begins[entry]), np.int64(begins[entry + 1])):
                counts[term] += places[base + postings.posting_docs[posting]] != GONE
    return counts


@unchecked_part
def advance_list(given: PostingsInput, s: np.uint64) -> bool:
    """Move the cursor of a segment to the next posting of a live document; return whether there is one."""
    cursors = given.cursors
    entry, posting = np.uint64(cursors[s, ENTRY]), np.uint64(cursors[s, POSTING])
    last = np.uint64(cursors[s, ENTRIES_END])
    base = np.uint64(given.bases[s, PLACES])
    while entry < last:
        first = (np.uint64(given.entry_ranges[entry]) << RANGE_BITS) + base
        end = np.uint64(given.entry_postings[entry + ONE]) + np.uint64(given.bases[s, POSTINGS])
        while posting < end:
            doc = given.places[first + np.uint64(given.posting_docs[posting])]
            if doc != GONE:
                cursors[s, ENTRY], cursors[s, POSTING], cursors[s, DOC] = entry, posting, doc
                return True
            posting += ONE
        entry += ONE
    return False


@unchecked_kernel
def merge_posting_lists(
    given: PostingsInput, counts: NDArray[np.int64], out: Postings
) -> tuple[int, int, int, int]:
    """Merge some terms; return the number of entries, postings, blocks and bytes of positions written.

    `counts` holds the entries, postings and bytes that were written for earlier terms. A cursor holds the
    first posting whose positions were not read yet, and their place.
    """
    spans, bases, cursors, positions = given.spans, given.bases, given.cursors, given.positions
    segments = spans.shape[1]
    active = np.empty(segments, np.uint64)
    entries, postings, blocks, size = ZERO, ZERO, ZERO, ZERO
    earlier = np.uint64(counts[1])
    for i in range(spans.shape[0]):
        out.term_entries[i] = np.uint64(counts[0]) + entries
        present = ZERO
        for segment in range(segments):
            if spans[i, segment, 0] < spans[i, segment, 1]:
                s = np.uint64(segment)
                cursors[s, ENTRY] = spans[i, segment, 0] + bases[s, ENTRIES]
                cursors[s, ENTRIES_END] = spans[i, segment, 1] + bases[s, ENTRIES]
                first = np.int64(given.entry_postings[cursors[s, ENTRY]])
                cursors[s, POSTING] = first + bases[s, POSTINGS]
                if advance_list(given, s):
                    active[present] = s
                    present += ONE
        last_range = np.int64(-1)
        while present > ZERO:
            # Documents of a host are adjacent, so a segment often provides many in a row: all those before
            # the first document of the other segments.
            best, limit = ZERO, FAR
            doc = cursors[active[ZERO], DOC]
            j = ONE
            while j < present:
                other = cursors[active[j], DOC]
                if other < doc:
                    best, limit, doc = j, doc, other
                elif other < limit:
                    limit = other
                j += ONE
            s = active[best]
            posting = np.uint64(cursors[s, POSTING])
            read = np.uint64(cursors[s, READ])
            place = np.uint64(cursors[s, BYTE])
            there = True
            while there and doc < limit:
                if read != posting:  # skip the positions of postings that were left out
                    place = behind(positions, place, np.int64(posting - read))
                impact = given.posting_impacts[posting]
                if doc >> RANGE_BITS != last_range:
                    last_range = doc >> RANGE_BITS
                    out.entry_ranges[entries] = last_range
                    out.entry_highest[entries] = impact
                    out.entry_postings[entries] = earlier + postings
                    entries += ONE
                elif impact > out.entry_highest[entries - ONE]:
                    out.entry_highest[entries - ONE] = impact
                out.posting_docs[postings] = doc & (RANGE_SIZE - 1)
                out.posting_impacts[postings] = impact
                if (earlier + postings) & np.uint64(BLOCK - 1) == ZERO:
                    out.position_blocks[blocks] = np.uint64(counts[2]) + size
                    blocks += ONE
                postings += ONE
                begin = place
                place = behind(positions, place, 1)
                for at in range(begin, place):
                    out.positions[size] = positions[at]
                    size += ONE
                read = posting + ONE
                cursors[s, POSTING] = read
                there = advance_list(given, s)
                posting, doc = np.uint64(cursors[s, POSTING]), cursors[s, DOC]
            cursors[s, BYTE], cursors[s, READ] = place, read
            if not there:
                present -= ONE
                active[best] = active[present]
    return np.int64(entries), np.int64(postings), np.int64(blocks), np.int64(size)


# Merge posting lists in batches
# ------------------------------

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
    """Write the postings of a merged segment with `terms` terms; return the number of bytes of its positions.

    Document d of segment s becomes places[s][d], and is left out if that is -1. Term t becomes tables[s][t];
    living[s][t] live documents hold it.
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
                file.append(array_name, getattr(arrays, array_name))
            for name, pieces in kept.items():
                pieces.append(getattr(arrays, name).copy())  # a view would keep the memory of the whole batch
    for name, end in (("term_entries", 0), ("entry_postings", 1), ("position_blocks", 2)):
        kept[name].append(counts[end : end + 1].astype(np.uint32))
    write_arrays(folder / "entries.arrays", kept)
    return int(counts[2])


def _frequencies(inputs: Sequence[_Input], terms: int) -> Numbers:
    """Return the number of documents that hold each merged term."""
    total = np.zeros(terms, np.int64)
    for one in inputs:
        total[one.numbers] += one.frequencies
    return total


def batches(frequencies: Numbers, segments: int) -> Iterator[tuple[int, int]]:
    """Yield spans of terms to merge at once, at least one: neither terms nor postings exceed the limits."""
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
    """The postings of a segment, and the merged numbers of its terms."""

    def __init__(self, postings: Postings, table: NDArray[np.uint32], living: Numbers) -> None:
        self.postings = postings
        self.terms = np.flatnonzero(living)  # those that remain
        self.numbers = table[self.terms]  # their merged numbers, ascending
        self.frequencies = living[self.terms]

    def spans(self, first: int, last: int) -> tuple[NDArray[np.int64], Numbers]:
        """Return the entries of each of the merged terms first : last, and the range of all of them."""
        some = slice(*np.searchsorted(self.numbers, [first, last]))
        terms = self.terms[some]
        spans = np.zeros((last - first, 2), np.int64)
        spans[self.numbers[some] - first, 0] = self.postings.term_entries[terms]
        spans[self.numbers[some] - first, 1] = self.postings.term_entries[terms + 1]
        entries = spans[self.numbers[some] - first]
        return spans, entries[[0, -1], [0, 1]] if len(entries) else np.zeros(2, np.int64)


def _merged(
    inputs: Sequence[_Input], first: int, last: int, places_bases: Numbers, places: Numbers, counts: Numbers
) -> Postings:
    """Merge the terms first : last; return their arrays and add their sizes to `counts`."""
    spans = np.zeros((last - first, len(inputs), 2), np.int64)
    bases = np.zeros((len(inputs), 3), np.int64)
    cursors = np.zeros((len(inputs), 6), np.int64)
    parts: list[list[Array]] = [[] for _ in range(5)]
    ranges, starts, docs, impacts, positions = parts
    for s, one in enumerate(inputs):
        spans[:, s], (entry, entries_end) = one.spans(first, last)
        own = one.postings
        begun, ended = int(own.entry_postings[entry]), int(own.entry_postings[entries_end])
        block, blocks_end = begun >> BLOCK_BITS, -(-ended // BLOCK)
        bases[s] = _size(starts) - entry, _size(docs) - begun, places_bases[s]
        cursors[s, READ] = bases[s, 1] + (block << BLOCK_BITS)
        cursors[s, BYTE] = _size(positions)
        # One additional range, so that `ranges` and `starts` have the same length.
        ranges += [own.entry_ranges[entry:entries_end], np.zeros(1, np.uint16)]
        starts.append(own.entry_postings[entry : entries_end + 1])
        docs.append(own.posting_docs[begun:ended])
        impacts.append(own.posting_impacts[begun:ended])
        positions.append(own.positions[own.position_blocks[block] : own.position_blocks[blocks_end]])
    given = PostingsInput(spans, bases, cursors, places, *map(np.concatenate, parts))
    most = _size(docs)  # postings; each of them may begin an entry
    out = room_for(np.empty(last - first, np.uint32), most, most, _size(positions))
    entries, postings, blocks, size = merge_posting_lists(given, counts, out)
    counts += entries, postings, size
    sizes = (last - first, entries, entries, entries, postings, postings, blocks, size)
    return Postings(*(array[:size] for array, size in zip(out, sizes, strict=True)))


def _size(pieces: Sequence[Array]) -> int:
    return sum(len(piece) for piece in pieces)


# Kernels: merge sorted dictionaries
# ----------------------------------
#
# A cursor points to a live term of each dictionary and holds its bytes. Comparing the first eight
# bytes as one number nearly always decides which term comes first.

LINE_FEED = ord("\n")

# The columns of a cursor: the number of its term, the place to read on, start and end of its form, the length
# of its term in bytes, and the length of the common prefix of its block.
NUMBER, AT, FORM, FORM_END, LENGTH, SHARED = 0, 1, 2, 3, 4, 5
STATE_COLUMNS = 6


@kernel_part
def read_piece(data: NDArray[np.uint8], at: int, term: NDArray[np.uint8], length: int) -> tuple[int, int]:
    """Copy a piece of a block after the first `length` bytes of a term.

    Return the next piece's place and the new length.
    """
    i, end = np.uint64(at), np.uint64(length)
    while data[i] != END:
        term[end] = data[i]
        i += ONE
        end += ONE
    return np.int64(i + ONE), np.int64(end)


class DictionaryInput(NamedTuple):
    """Several dictionaries, one after the other, and a cursor on each.

    Dictionary k has its data from data_starts[k] on, its forms from form_starts[k] on, and its terms in
    first_terms[k] : first_terms[k + 1] of `living`, the number of live documents of each term. Its cursor
    points to the term with the bytes current[k]; heads[k] holds the first eight of them.
    """

    data: NDArray[np.uint8]
    data_starts: NDArray[np.int64]
    forms: NDArray[np.uint8]
    form_starts: NDArray[np.int64]
    living: NDArray[np.int64]
    first_terms: NDArray[np.int64]
    cursors: NDArray[np.int64]
    current: NDArray[np.uint8]
    heads: NDArray[np.uint64]


@kernel_part
def advance_dictionary(given: DictionaryInput, k: int) -> bool:
    """Move a cursor to the next term that a live document holds; return whether there is one."""
    cursors, current, first = given.cursors, given.current[k], given.first_terms[k]
    terms = given.first_terms[k + 1] - first
    number, at, shared = cursors[k, NUMBER], cursors[k, AT], cursors[k, SHARED]
    form, form_end = cursors[k, FORM], cursors[k, FORM_END]
    length = 0
    alive = False
    while not alive:
        number += 1
        if number >= terms:
            break
        if number & (DICTIONARY_BLOCK - 1) == 0:
            at, shared = read_piece(given.data, at, current, 0)
        at, length = read_piece(given.data, at, current, shared)
        form = form_end + 1
        form_end = form
        while given.forms[np.uint64(form_end)] != LINE_FEED:
            form_end += 1
        alive = given.living[first + number] > 0
    cursors[k, NUMBER], cursors[k, AT], cursors[k, SHARED] = number, at, shared
    cursors[k, FORM], cursors[k, FORM_END], cursors[k, LENGTH] = form, form_end, length
    given.heads[k] = head_of(current, ZERO, np.uint64(length))
    return alive


@kernel_part
def order_of(given: DictionaryInput, one: int, other: int) -> int:
    """Compare the terms of two cursors: negative if the first sorts before the other, 0 if they are equal."""
    a, b = given.cursors[one, LENGTH], given.cursors[other, LENGTH]
    for i in range(min(a, b)):
        if given.current[one, i] != given.current[other, i]:
            return np.int64(given.current[one, i]) - np.int64(given.current[other, i])
    return a - b


@kernel
def merge_dictionaries(
    given: DictionaryInput,
    arena: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    merged_forms: NDArray[np.uint8],
    tables: NDArray[np.uint32],
) -> tuple[int, int]:
    """Fill in arena, bounds, forms and tables of the union; return its number of terms and bytes of forms.

    `tables` receives the merged number of each term, in the order of `living`.
    """
    cursors, heads = given.cursors, given.heads
    count = len(given.first_terms) - 1
    left = np.empty(count, np.int64)  # the cursors that still point to a term, in the order of dictionaries
    same = np.empty(count, np.bool_)
    lefts = 0
    for k in range(count):
        cursors[k, NUMBER], cursors[k, AT] = -1, given.data_starts[k]
        cursors[k, FORM_END] = given.form_starts[k] - 1
        if advance_dictionary(given, k):
            left[lefts] = k
            lefts += 1
    terms = 0
    size, form_size = ZERO, ZERO
    while lefts > 0:
        first = left[0]
        same[0] = True
        begin_same = 0
        for i in range(1, lefts):
            k = left[i]
            same[i] = False
            if heads[k] > heads[first]:
                continue
            order = -1 if heads[k] < heads[first] else order_of(given, k, first)
            same[i] = order <= 0
            if order < 0:
                first, begin_same = k, i
        best, most = first, np.int64(0)
        for i in range(begin_same, lefts):
            k = left[i]
            if same[i]:
                number = given.first_terms[k] + cursors[k, NUMBER]
                tables[number] = terms
                if given.living[number] > most:
                    best, most = k, given.living[number]
        for i in range(cursors[first, LENGTH]):
            arena[size] = given.current[first, i]
            size += ONE
        for i in range(np.uint64(cursors[best, FORM]), np.uint64(cursors[best, FORM_END] + 1)):
            merged_forms[form_size] = given.forms[i]
            form_size += ONE
        terms += 1
        bounds[terms] = size
        stay = begin_same
        for i in range(begin_same, lefts):
            k = left[i]
            if not same[i] or advance_dictionary(given, k):
                left[stay] = k
                stay += 1
        lefts = stay
    return terms, np.int64(form_size)


# Merge dictionaries
# ------------------


def union(
    dictionaries: Sequence[Dictionary], living: Sequence[NDArray[np.int64]]
) -> tuple[Dictionary, list[NDArray[np.uint32]]]:
    """Merge dictionaries; return the union and, for each dictionary, the numbers of its terms in the union.

    living[i] is the number of live documents of each term of dictionary i. Terms without live documents are
    not in the union, and the numbers returned for them mean nothing. The written form of a term comes from
    the dictionary in which it is the most frequent.
    """
    sizes = np.array([one.blocks.sizes for one in dictionaries], np.int64).reshape(-1, 3)
    terms, longest, size = int(sizes[:, 0].sum()), int(sizes[:, 1].max(initial=0)), int(sizes[:, 2].sum())
    given = DictionaryInput(
        *_joined([one.blocks.data for one in dictionaries]),
        *_joined([np.frombuffer(one.form_lines, np.uint8) for one in dictionaries]),
        *_joined(living),
        np.zeros((len(dictionaries), STATE_COLUMNS), np.int64),
        np.zeros((len(dictionaries), max(longest, 1)), np.uint8),
        np.zeros(len(dictionaries), np.uint64),
    )
    arena, bounds = np.empty(size, np.uint8), np.zeros(terms + 1, np.int64)
    merged_forms, tables = np.empty(len(given.forms), np.uint8), np.zeros(terms, np.uint32)
    count, form_size = merge_dictionaries(given, arena, bounds, merged_forms, tables)
    merged = dictionary_of(
        arena, bounds, np.arange(count, dtype=np.uint32), merged_forms[:form_size].tobytes()
    )
    return merged, np.split(tables, given.first_terms[1:-1])


def _joined(arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Concatenate arrays; return the result, and where each array begins, with the end."""
    return np.concatenate(arrays), starts_of([len(array) for array in arrays])


SMALLEST_TIER = 1000  # documents; all smaller segments are in one tier


def choose(entries: Sequence[SegmentEntry], factor: int) -> list[SegmentEntry]:
    """Return the segments to merge now, or none.

    A segment with mostly deleted documents is rewritten alone.
    """
    tiers: dict[int, list[SegmentEntry]] = defaultdict(list)
    for entry in entries:
        if entry.deleted_documents * 2 > entry.documents:
            return [entry]
        tiers[int(math.log(max(1.0, entry.alive / SMALLEST_TIER), factor))].append(entry)
    full = [fitting for tier in tiers.values() if len(fitting := fitting_together(tier)) >= factor]
    return min(full, key=lambda tier: sum(entry.alive for entry in tier)) if full else []


def fitting_together(entries: Sequence[SegmentEntry]) -> list[SegmentEntry]:
    """Return the smallest segments, as many as fit in one segment."""
    ordered = sorted(entries, key=lambda entry: entry.size)
    sizes = accumulate(entry.size for entry in ordered)
    documents = accumulate(entry.alive for entry in ordered)
    return [
        entry
        for entry, size, alive in zip(ordered, sizes, documents, strict=True)
        if size <= MOST and alive <= MOST_DOCUMENTS
    ]


def merge_into(folder: Path, views: Sequence[SegmentView]) -> int:
    """Write one segment with the live documents of several; return the number of bytes of its positions."""
    masks = [view.alive() for view in views]
    ranks = host_ranks([view.segment.columns for view in views])
    living_ranks = [own[mask] for own, mask in zip(ranks, masks, strict=True)]
    order = np.argsort(np.concatenate(living_ranks), kind="stable")
    places = _places(masks, order)
    living = [_living(view, own) for view, own in zip(views, places, strict=True)]
    dictionary, tables = union([view.segment.dictionary for view in views], living)
    with new_segment(folder):
        write_dictionary(folder / TERMS, dictionary)
        write_lexicon(folder / WORDS, merged_lexicon([view.segment.lexicon for view in views]))
        all_postings = [view.segment.postings for view in views]
        size = merge_postings(folder, all_postings, places, tables, living, len(dictionary))
        write_columns(folder / COLUMNS, merged_columns([v.segment.columns for v in views], masks, order))
        merge_stored(folder / STORED, [view.segment.stored for view in views], masks, order)
    return size


def _places(masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]) -> list[Numbers]:
    """Return the merged number of every document of each segment, -1 for deleted ones."""
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    places = []
    base = 0
    for mask in masks:
        own = np.full(len(mask), -1, np.int64)
        own[mask] = place[base : base + int(mask.sum())]
        base += int(mask.sum())
        assert (np.diff(own[mask]) > 0).all(), "the documents of a segment are not sorted by host"
        places.append(own)
    return places


def _living(view: SegmentView, places: Numbers) -> NDArray[np.int64]:
    """Return the number of live documents that hold each term of a segment."""
    postings = view.segment.postings
    if not len(view.deleted):
        return postings.frequencies()
    return count_living(postings, places)
