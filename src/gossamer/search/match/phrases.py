# mypy: disable-error-code="arg-type, assignment, index, operator, return-value"
"""Phrases, proximity operators, positions.

The documents are those that hold a term of every slot: of no other are positions ever read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import Field
from gossamer.index.cursor import seek
from gossamer.index.postings import RANGE_BITS, Postings, place_of, read
from gossamer.index.segment import Segment
from gossamer.kernels import unchecked_kernel, unchecked_part
from gossamer.query.conditions import Close, Reading, Row

# Kernels: phrases and NEAR
# -------------------------
#
# A slot is one word of a row: in one document several terms may stand for it, so it has a list of
# postings there. The rarest slot of a row leads; the positions of another are read only while
# something is left to compare them with.

EMPHASISED = int(Field.EMPHASISED)  # runs of words that stand apart in the body
Coded = tuple[NDArray[np.uint32], NDArray[np.uint8]]  # where positions stand, and their bytes
Lists = tuple[NDArray[np.int64], NDArray[np.int64]]  # see `hits.Hits`


@unchecked_part
def field_end(lengths: NDArray[np.uint32], doc: int, position: int, wanted: int) -> int:
    """Where the field of a position ends; 0 when it is not the wanted one (-1: any with words in a row)."""
    end = 0
    for field in range(lengths.shape[1]):
        end += np.int64(lengths[doc, field])
        if position < end:
            if wanted < 0:
                return end if field != EMPHASISED else 0
            return end if field == wanted else 0
    return 0


@unchecked_kernel
def locate(
    docs: NDArray[np.int64],
    first: int,
    last: int,
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    rows: NDArray[np.int64],
    postings: NDArray[np.int64],
) -> int:
    """Which of the rising documents the term with these entries has: their places, and its postings.

    Both sides leap over what the other lacks. Returns how many there are.
    """
    found, i = 0, 0
    for e in range(first, last):
        base = np.int64(entry_ranges[e]) << RANGE_BITS
        i = seek(docs, i, len(docs), base)
        p, end = np.int64(entry_postings[e]), np.int64(entry_postings[e + 1])
        while i < len(docs) and p < end:
            doc, held = docs[i] - base, np.int64(posting_docs[p])
            if doc >= 1 << RANGE_BITS:
                break
            if doc == held:
                rows[found], postings[found] = i, p
                found += 1
                i += 1
                p += 1
            elif held < doc:
                p = seek(posting_docs, p + 1, end, doc)
            else:
                i = seek(docs, i + 1, len(docs), base + held)
    return found


@unchecked_kernel
def conjoin(
    terms: NDArray[np.int64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    docs: NDArray[np.int64],
    postings: NDArray[np.int64],
) -> int:
    """The documents that hold all terms, the rarest of which comes first; returns how many there are.

    A line of `postings` says where a document stands in the lists of the first terms, of as many as it is
    long.
    """
    count = len(terms)
    at, places = np.empty(count, np.int64), np.empty(count, np.int64)
    for j in range(count):
        at[j] = term_entries[terms[j]]
    found = 0
    for e in range(np.int64(term_entries[terms[0]]), np.int64(term_entries[terms[0] + 1])):
        at[0], complete = e, True
        for j in range(1, count):
            last = np.int64(term_entries[terms[j] + 1])
            at[j] = seek(entry_ranges, at[j], last, entry_ranges[e])
            if at[j] == last:
                return found
            complete = complete and entry_ranges[at[j]] == entry_ranges[e]
        if not complete:
            continue
        for j in range(count):
            places[j] = entry_postings[at[j]]
        while places[0] < np.int64(entry_postings[e + 1]):
            doc = posting_docs[places[0]]
            j = 1
            while j < count:
                end = np.int64(entry_postings[at[j] + 1])
                places[j] = seek(posting_docs, places[j], end, doc)
                if places[j] == end or posting_docs[places[j]] != doc:
                    break
                j += 1
            if j == count:
                docs[found] = (np.int64(entry_ranges[e]) << RANGE_BITS) + np.int64(doc)
                for column in range(postings.shape[1]):
                    postings[found, column] = places[column]
                found += 1
            elif places[j] == np.int64(entry_postings[at[j] + 1]):
                break
            places[0] += 1
    return found


@unchecked_part
def _sort(values: NDArray[np.int64], low: int, high: int) -> None:
    """Shell's sort: what several postings gave is a few rising pieces."""
    gap = (high - low) >> 1
    while gap > 0:
        for i in range(low + gap, high):
            value, j = values[i], i
            while j >= low + gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap = 1 if gap == 2 else gap * 5 // 11


@unchecked_part
def _read_slot(coded: Coded, lists: Lists, hits: int, i: int, out: NDArray[np.int64], place: int) -> int:
    """Writes the positions of a slot in the i-th document, rising, from `place` on; returns their end."""
    bounds, postings = lists
    blocks, positions = coded
    end = place
    for q in range(bounds[hits, i], bounds[hits, i + 1]):
        end = read(positions, place_of(positions, blocks, postings[q]), out, end)
    if bounds[hits, i + 1] - bounds[hits, i] > 1:
        _sort(out, place, end)
    return end


@unchecked_part
def follow(
    starts: NDArray[np.int64], place: int, end: int, others: NDArray[np.int64], other_end: int, j: int
) -> int:
    """Keeps the starts that have a position of the others j words behind them; returns their end."""
    kept, at = place, 0
    for s in range(place, end):
        at = seek(others, at, other_end, starts[s] + j)
        if at == other_end:
            break
        if others[at] == starts[s] + j:
            starts[kept] = starts[s]
            kept += 1
    return kept


@unchecked_part
def _starts_of_row(
    coded: Coded,
    lists: Lists,
    lengths: NDArray[np.uint32],
    slots: NDArray[np.int64],
    begin: int,
    size: int,
    i: int,
    doc: int,
    field: int,
    starts: NDArray[np.int64],
    place: int,
    scratch: NDArray[np.int64],
) -> int:
    """Writes where a row begins in the i-th document, rising, from `place` on; returns their end.

    slots[begin : begin + size] are its slots, rarest first: the list of hits, and the place in the row.
    """
    end = _read_slot(coded, lists, slots[begin, 0], i, starts, place)
    for s in range(place, end):
        starts[s] -= slots[begin, 1]
    for t in range(begin + 1, begin + size):
        if end == place:
            return end
        other_end = _read_slot(coded, lists, slots[t, 0], i, scratch, 0)
        end = follow(starts, place, end, scratch, other_end, slots[t, 1])
    kept = place
    for s in range(place, end):
        if starts[s] >= 0 and starts[s] + size <= field_end(lengths, doc, starts[s], field):
            starts[kept] = starts[s]
            kept += 1
    return kept


@unchecked_part
def _are_close(
    lengths: NDArray[np.uint32],
    doc: int,
    sizes: NDArray[np.int64],
    within: int,
    starts: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> bool:
    """Whether behind some row every other one begins, near enough and in the same field."""
    for r in range(len(sizes)):
        for s in range(bounds[r], bounds[r + 1]):
            last = starts[s] + sizes[r] - 1
            limit = min(last + within, field_end(lengths, doc, starts[s], -1) - 1)
            together = True
            for other in range(len(sizes)):
                if together and other != r:
                    k = seek(starts, bounds[other], bounds[other + 1], last + 1)
                    together = k < bounds[other + 1] and starts[k] <= limit
            if together:
                return True
    return False


@unchecked_kernel
def check(
    docs: NDArray[np.int64],
    lengths: NDArray[np.uint32],
    coded: Coded,
    lists: Lists,
    slots: NDArray[np.int64],
    sizes: NDArray[np.int64],
    field: int,
    within: int,
    satisfied: NDArray[np.bool_],
) -> None:
    """Says of every document whether it holds the rows, near each other when there are several.

    `sizes` has the number of slots of each row.
    """
    longest = 0
    for i in range(len(docs)):
        words = 0
        for f in range(lengths.shape[1]):
            words += np.int64(lengths[docs[i], f])
        longest = max(longest, words)
    starts = np.empty(longest * len(sizes), np.int64)
    scratch = np.empty(longest, np.int64)
    bounds = np.zeros(len(sizes) + 1, np.int64)
    for i in range(len(docs)):
        begin, complete = 0, True
        for r in range(len(sizes)):
            if complete:
                bounds[r + 1] = _starts_of_row(coded, lists, lengths, slots, begin, sizes[r], i, docs[i],
                                               field, starts, bounds[r], scratch)  # fmt: skip
                complete = bounds[r + 1] > bounds[r]
                begin += sizes[r]
        if complete and len(sizes) > 1:
            complete = _are_close(lengths, docs[i], sizes, within, starts, bounds)
        satisfied[i] = complete


# Posting look-up of documents
# ----------------------------

Docs = NDArray[np.int64]  # rising


@dataclass(frozen=True, slots=True)
class Hits:
    """The postings that terms have in some documents: of which document (its place in the list), in order."""

    rows: NDArray[np.int64]
    postings: NDArray[np.int64]

    def bounds(self, documents: int) -> NDArray[np.int64]:
        """Where the postings of each document begin, and where the last one's end."""
        if len(self.rows) == documents:  # each document has one, as each has any
            return np.arange(documents + 1)
        return np.searchsorted(self.rows, np.arange(documents + 1))


def conjunction(postings: Postings, terms: Sequence[int], with_hits: bool) -> tuple[Docs, list[Hits]]:
    """The documents that hold all of these terms, the rarest of which comes first; if wanted, where."""
    most, columns = postings.frequency(terms[0]), len(terms) if with_hits else 0
    docs, found = np.empty(most, np.int64), np.empty((most, columns), np.int64)
    size = conjoin(
        np.array(terms, np.int64),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        docs,
        found,
    )
    rows = np.arange(size)
    return docs[:size], [Hits(rows, found[:size, j]) for j in range(columns)]


def hits_of_slot(postings: Postings, numbers: Sequence[int], docs: Docs) -> Hits:
    """The postings of all terms of a slot in these documents."""
    found = [hits(postings, number, docs) for number in numbers]
    if len(found) == 1:
        return found[0]
    rows = np.concatenate([one.rows for one in found])
    order = np.argsort(rows, kind="stable")
    return Hits(rows[order], np.concatenate([one.postings for one in found])[order])


def hits(postings: Postings, number: int, docs: Docs) -> Hits:
    """The postings of a term in these documents."""
    first, last = int(postings.term_entries[number]), int(postings.term_entries[number + 1])
    most = min(len(docs), postings.frequency(number))
    rows, found = np.empty(most, np.int64), np.empty(most, np.int64)
    size = locate(
        docs, first, last, postings.entry_ranges, postings.entry_postings, postings.posting_docs, rows, found
    )
    return Hits(rows[:size], found[:size])


Numbers = Callable[[Reading], Sequence[int]]  # the terms of a slot that the segment has
SlotHits = Mapping[Reading, Hits]


def holding(
    segment: Segment, condition: Row | Close, numbers: Numbers, docs: Docs, known: SlotHits
) -> NDArray[np.bool_]:
    """Of every document, whether the condition holds in it; each has a term of every slot.

    Of some slots it may be `known` already where they are.
    """
    rows = condition.rows if isinstance(condition, Close) else (condition,)
    wanted = list(dict.fromkeys(slot for row in rows for slot in row.slots))
    found = {
        slot: known[slot] if slot in known else hits_of_slot(segment.postings, numbers(slot), docs)
        for slot in wanted
    }
    within = condition.within if isinstance(condition, Close) else 0
    satisfied = np.zeros(len(docs), np.bool_)
    place = {slot: number for number, slot in enumerate(found)}
    sizes = np.array([len(one.rows) for one in found.values()], np.int64)
    bounds = np.array([one.bounds(len(docs)) for one in found.values()], np.int64)
    bounds += (np.cumsum(sizes) - sizes)[:, None]
    slots = [
        (place[slot], j)
        for row in rows
        for j, slot in sorted(enumerate(row.slots), key=lambda pair: len(found[pair[1]].rows))
    ]
    check(
        docs,
        segment.columns.lengths,
        (segment.postings.position_blocks, segment.postings.positions),
        (bounds, np.concatenate([one.postings for one in found.values()])),
        np.array(slots, np.int64),
        np.array([len(row.slots) for row in rows], np.int64),
        _field(rows),
        within,
        satisfied,
    )
    return satisfied


def _field(rows: Sequence[Row]) -> int:
    field = rows[0].field
    return -1 if field is None else int(field)
