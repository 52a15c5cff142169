# mypy: disable-error-code="arg-type, assignment, index, operator, return-value"
"""Phrases, proximity operators, positions.

The documents are those that hold a term of every slot: of no other are positions ever read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import Field
from gossamer.index.cursor import END, advance, next_common, read_positions, seek
from gossamer.index.postings import Postings
from gossamer.index.segment import Segment
from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.query.conditions import NearTerms, TermSequence, TermVariants

# Kernels: phrases and NEAR
# -------------------------
#
# A slot is one word of a row: in one document several terms may stand for it, so it has a list of
# postings there. The rarest slot of a row leads; the positions of another are read only while
# something is left to compare them with.

EMPHASISED = int(Field.EMPHASISED)  # runs of words that stand apart in the body


class RowsInDocuments(NamedTuple):
    """Rows of slots, and where the terms of each slot stand in some documents; kernels take it as it is."""

    postings: Postings
    lengths: NDArray[np.uint32]  # documents of the segment x fields
    hits: NDArray[np.int64]  # postings, slot after slot, and there document after document
    bounds: NDArray[np.int64]  # of the hits: slots x documents, and where those of the last one end
    slots: NDArray[np.int64]  # of each row, the rarest first: a slot, and its place in the row
    sizes: NDArray[np.int64]  # slots of each row
    field: int  # in which a row must stand; -1: in any
    within: int  # words from one row to the next


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
    term: int,
    postings: Postings,
    rows: NDArray[np.int64],
    found: NDArray[np.int64],
) -> int:
    """Which of the rising documents hold a term: their places, and its postings; returns how many do.

    Both sides leap over what the other lacks.
    """
    cursor = np.zeros(2, np.int64)
    size, i = 0, 0
    while i < len(docs):
        doc = advance(postings, term, docs[i], cursor, 0)
        if doc == docs[i]:
            rows[size], found[size] = i, cursor[1]
            size += 1
        i = seek(docs, i + 1, len(docs), doc)
    return size


@unchecked_kernel
def conjoin(
    terms: NDArray[np.int64], postings: Postings, docs: NDArray[np.int64], found: NDArray[np.int64]
) -> int:
    """The documents that hold all terms, the rarest of which comes first; returns how many there are.

    A line of `found` says where a document stands in the lists of the first terms, of as many as it is long.
    """
    cursors = np.zeros(2 * len(terms), np.int64)
    size = 0
    doc = next_common(postings, terms, 0, cursors)
    while doc < END:
        docs[size] = doc
        for j in range(found.shape[1]):
            found[size, j] = cursors[2 * j + 1]
        size += 1
        doc = next_common(postings, terms, doc + 1, cursors)
    return size


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
def _read_slot(rows: RowsInDocuments, slot: int, i: int, out: NDArray[np.int64], place: int) -> int:
    """Writes the positions of a slot in the i-th document, rising, from `place` on; returns their end."""
    end = place
    for q in range(rows.bounds[slot, i], rows.bounds[slot, i + 1]):
        end = read_positions(rows.postings, rows.hits[q], out, end)
    if rows.bounds[slot, i + 1] - rows.bounds[slot, i] > 1:
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
def keep_whole(
    lengths: NDArray[np.uint32],
    doc: int,
    field: int,
    size: int,
    starts: NDArray[np.int64],
    place: int,
    end: int,
) -> int:
    """Keeps the starts of rows that stand within one field, the wanted one (-1: any); returns their end."""
    kept = place
    for s in range(place, end):
        if starts[s] >= 0 and starts[s] + size <= field_end(lengths, doc, starts[s], field):
            starts[kept] = starts[s]
            kept += 1
    return kept


@unchecked_part
def _starts_of_row(
    rows: RowsInDocuments,
    begin: int,
    size: int,
    i: int,
    doc: int,
    starts: NDArray[np.int64],
    place: int,
    scratch: NDArray[np.int64],
) -> int:
    """Writes where a row begins in the i-th document, rising, from `place` on; returns their end.

    Its slots are those from `begin` on, `size` of them.
    """
    end = _read_slot(rows, rows.slots[begin, 0], i, starts, place)
    for s in range(place, end):
        starts[s] -= rows.slots[begin, 1]
    for t in range(begin + 1, begin + size):
        if end == place:
            return end
        other_end = _read_slot(rows, rows.slots[t, 0], i, scratch, 0)
        end = follow(starts, place, end, scratch, other_end, rows.slots[t, 1])
    return keep_whole(rows.lengths, doc, rows.field, size, starts, place, end)


@unchecked_part
def _are_close(rows: RowsInDocuments, doc: int, starts: NDArray[np.int64], bounds: NDArray[np.int64]) -> bool:
    """Whether behind some row every other one begins, near enough and in the same field."""
    for r in range(len(rows.sizes)):
        for s in range(bounds[r], bounds[r + 1]):
            last = starts[s] + rows.sizes[r] - 1
            limit = min(last + rows.within, field_end(rows.lengths, doc, starts[s], -1) - 1)
            together = True
            for other in range(len(rows.sizes)):
                if together and other != r:
                    k = seek(starts, bounds[other], bounds[other + 1], last + 1)
                    together = k < bounds[other + 1] and starts[k] <= limit
            if together:
                return True
    return False


@unchecked_kernel
def check(docs: NDArray[np.int64], rows: RowsInDocuments, satisfied: NDArray[np.bool_]) -> None:
    """Says of every document whether it holds the rows, near each other when there are several."""
    longest = 0
    for i in range(len(docs)):
        words = 0
        for f in range(rows.lengths.shape[1]):
            words += np.int64(rows.lengths[docs[i], f])
        longest = max(longest, words)
    count = len(rows.sizes)
    starts = np.empty(longest * count, np.int64)
    scratch = np.empty(longest, np.int64)
    bounds = np.zeros(count + 1, np.int64)
    for i in range(len(docs)):
        begin, complete = 0, True
        for r in range(count):
            if complete:
                size = rows.sizes[r]
                bounds[r + 1] = _starts_of_row(rows, begin, size, i, docs[i], starts, bounds[r], scratch)
                complete = bounds[r + 1] > bounds[r]
                begin += size
        if complete and count > 1:
            complete = _are_close(rows, docs[i], starts, bounds)
        satisfied[i] = complete


# Posting look-up of documents
# ----------------------------

Docs = NDArray[np.int64]  # rising


@dataclass(frozen=True, slots=True)
class TermHits:
    """The postings that terms have in some documents: of which document (its place in the list), in order."""

    rows: NDArray[np.int64]
    postings: NDArray[np.int64]

    def bounds(self, documents: int) -> NDArray[np.int64]:
        """Where the postings of each document begin, and where the last one's end."""
        if len(self.rows) == documents:  # each document has one, as each has any
            return np.arange(documents + 1)
        return np.searchsorted(self.rows, np.arange(documents + 1))


def conjunction(postings: Postings, terms: Sequence[int], with_hits: bool) -> tuple[Docs, list[TermHits]]:
    """The documents that hold all of these terms, the rarest of which comes first; if wanted, where."""
    most, columns = postings.frequency(terms[0]), len(terms) if with_hits else 0
    docs, found = np.empty(most, np.int64), np.empty((most, columns), np.int64)
    size = conjoin(np.array(terms, np.int64), postings, docs, found)
    rows = np.arange(size)
    return docs[:size], [TermHits(rows, found[:size, j]) for j in range(columns)]


def hits_of_slot(postings: Postings, numbers: Sequence[int], docs: Docs) -> TermHits:
    """The postings of all terms of a slot in these documents."""
    found = [hits(postings, number, docs) for number in numbers]
    if len(found) == 1:
        return found[0]
    rows = np.concatenate([one.rows for one in found])
    order = np.argsort(rows, kind="stable")
    return TermHits(rows[order], np.concatenate([one.postings for one in found])[order])


def hits(postings: Postings, number: int, docs: Docs) -> TermHits:
    """The postings of a term in these documents."""
    most = min(len(docs), postings.frequency(number))
    rows, found = np.empty(most, np.int64), np.empty(most, np.int64)
    size = locate(docs, number, postings, rows, found)
    return TermHits(rows[:size], found[:size])


def holds_any(postings: Postings, numbers: Iterable[int], docs: Docs) -> NDArray[np.bool_]:
    """Which of these documents hold any of some terms."""
    mask = np.zeros(len(docs), np.bool_)
    for number in numbers:
        mask[hits(postings, number, docs).rows] = True
    return mask


Numbers = Callable[[TermVariants], Sequence[int]]  # the terms of a slot that the segment has
SlotHits = Mapping[TermVariants, TermHits]


def holding(
    segment: Segment, condition: TermSequence | NearTerms, numbers: Numbers, docs: Docs, known: SlotHits
) -> NDArray[np.bool_]:
    """Of every document, whether the condition holds in it; each has a term of every slot.

    Of some slots it may be `known` already where they are.
    """
    rows = condition.rows if isinstance(condition, NearTerms) else (condition,)
    wanted = list(dict.fromkeys(slot for row in rows for slot in row.slots))
    found = {
        slot: known[slot] if slot in known else hits_of_slot(segment.postings, numbers(slot), docs)
        for slot in wanted
    }
    place = {slot: number for number, slot in enumerate(found)}
    sizes = np.array([len(one.rows) for one in found.values()], np.int64)
    bounds = np.array([one.bounds(len(docs)) for one in found.values()], np.int64)
    bounds += (np.cumsum(sizes) - sizes)[:, None]
    slots = [
        (place[slot], j)
        for row in rows
        for j, slot in sorted(enumerate(row.slots), key=lambda pair: len(found[pair[1]].rows))
    ]
    sought = RowsInDocuments(
        segment.postings,
        segment.columns.lengths,
        np.concatenate([one.postings for one in found.values()]),
        bounds,
        np.array(slots, np.int64),
        np.array([len(row.slots) for row in rows], np.int64),
        -1 if (field := rows[0].field) is None else int(field),
        condition.within if isinstance(condition, NearTerms) else 0,
    )
    satisfied = np.zeros(len(docs), np.bool_)
    check(docs, sought, satisfied)
    return satisfied
