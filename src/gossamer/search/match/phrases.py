# mypy: disable-error-code="arg-type, assignment, index, operator, return-value"
"""Phrases, proximity operators, positions.

Positions are read only of documents that hold a term of every slot.
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
# A slot is one word of a row. A document may hold several terms of a slot, so a slot has a list of
# postings there. The rarest slot of a row leads. The positions of the other slots are read only while
# candidates remain.

EMPHASISED = int(Field.EMPHASISED)  # its words are not adjacent in the body


class RowsInDocuments(NamedTuple):
    """Rows of slots, and the postings of each slot in some documents. Kernels accept this tuple."""

    postings: Postings
    lengths: NDArray[np.uint32]  # documents of the segment x fields
    hits: NDArray[np.int64]  # postings, by slot, then by document
    bounds: NDArray[np.int64]  # slots x (documents + 1): the bounds of the hits of each document
    slots: NDArray[np.int64]  # of each row, the rarest first: the slot and its place in the row
    sizes: NDArray[np.int64]  # number of slots of each row
    field: int  # that must hold the row; -1: any
    within: int  # largest distance between rows, in words


@unchecked_part
def field_end(lengths: NDArray[np.uint32], doc: int, position: int, wanted: int) -> int:
    """Return the end of the field of a position.

    Return 0 if it is not the wanted field (-1: any but emphasised words).
    """
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
    """Find the documents that hold a term, with its postings; return their number.

    `docs` must be in ascending order. Both lists skip what the other lacks.
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
    """Find the documents that hold all terms; return their number. The rarest term must come first.

    A row of `found` receives the postings of a document for the first terms, as many as there are columns.
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
    """Sort by Shell's method, which is fast for a few ascending pieces, one per posting."""
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
    """Write the sorted positions of a slot in the i-th document from `place` on; return their end."""
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
    """Keep the starts with a position of the others j words later; return their end."""
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
    """Keep the starts of rows that lie within one field, the wanted one (-1: any); return their end."""
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
    """Write the sorted starts of a row in the i-th document from `place` on; return their end.

    The row has the `size` slots from `begin` on.
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
    """Return whether all other rows begin after some row, near enough and in the same field."""
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
    """Fill in whether each document holds the rows, near each other if there are several."""
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

Docs = NDArray[np.int64]  # in ascending order


@dataclass(frozen=True, slots=True)
class TermHits:
    """The postings of terms in a list of documents; `rows` are the sorted places of their documents."""

    rows: NDArray[np.int64]
    postings: NDArray[np.int64]

    def bounds(self, documents: int) -> NDArray[np.int64]:
        """Return where the postings of each document begin, and the end."""
        if len(self.rows) == documents:  # each document has exactly one, as each has at least one
            return np.arange(documents + 1)
        return np.searchsorted(self.rows, np.arange(documents + 1))


def conjunction(postings: Postings, terms: Sequence[int], with_hits: bool) -> tuple[Docs, list[TermHits]]:
    """Return the documents that hold all terms, and their postings. The rarest term must come first."""
    most, columns = postings.frequency(terms[0]), len(terms) if with_hits else 0
    docs, found = np.empty(most, np.int64), np.empty((most, columns), np.int64)
    size = conjoin(np.array(terms, np.int64), postings, docs, found)
    rows = np.arange(size)
    return docs[:size], [TermHits(rows, found[:size, j]) for j in range(columns)]


def hits_of_slot(postings: Postings, numbers: Sequence[int], docs: Docs) -> TermHits:
    """Return the postings of all terms of a slot in some documents."""
    found = [hits(postings, number, docs) for number in numbers]
    if len(found) == 1:
        return found[0]
    rows = np.concatenate([one.rows for one in found])
    order = np.argsort(rows, kind="stable")
    return TermHits(rows[order], np.concatenate([one.postings for one in found])[order])


def hits(postings: Postings, number: int, docs: Docs) -> TermHits:
    """Return the postings of a term in some documents."""
    most = min(len(docs), postings.frequency(number))
    rows, found = np.empty(most, np.int64), np.empty(most, np.int64)
    size = locate(docs, number, postings, rows, found)
    return TermHits(rows[:size], found[:size])


def holds_any(postings: Postings, numbers: Iterable[int], docs: Docs) -> NDArray[np.bool_]:
    """Return which documents hold any of some terms."""
    mask = np.zeros(len(docs), np.bool_)
    for number in numbers:
        mask[hits(postings, number, docs).rows] = True
    return mask


Numbers = Callable[[TermVariants], Sequence[int]]  # returns the numbers of a slot's terms in the segment
SlotHits = Mapping[TermVariants, TermHits]


def holding(
    segment: Segment, condition: TermSequence | NearTerms, numbers: Numbers, docs: Docs, known: SlotHits
) -> NDArray[np.bool_]:
    """Return which documents satisfy a sequence or NEAR condition; `docs` must contain a term of every slot.

    `known` has the postings of some slots, if they were found before.
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
