"""Which of these documents hold the terms in a row, or rows close to each other?

The documents are those that hold a term of every slot: of no other are positions ever read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment
from gossamer.kernel import kernels_are_loaded
from gossamer.search.condition import Close, Reading, Row
from gossamer.search.hits import Docs, Hits, coded, field_ends, hits_of_slot, positions
from gossamer.search.positional_kernel import check

FEW_POSTINGS = 1_000_000  # compared in less time than it takes to load a kernel

Numbers = Callable[[Reading], Sequence[int]]  # the terms of a slot that the segment has
SlotHits = Mapping[Reading, Hits]
Starts = NDArray[np.int64]  # place of a document in the list, shifted, plus a position

SHIFT = 32  # bits of a position


def holding(
    segment: Segment, condition: Row | Close, numbers: Numbers, docs: Docs, known: SlotHits
) -> NDArray[np.bool_]:
    """Of every document, whether the condition holds in it; each has a term of every slot.

    Of some slots it may be `known` already where they are.
    """
    rows = condition.rows if isinstance(condition, Close) else (condition,)
    slots = list(dict.fromkeys(slot for row in rows for slot in row.slots))
    found = {
        slot: known[slot] if slot in known else hits_of_slot(segment.postings, numbers(slot), docs)
        for slot in slots
    }
    within = condition.within if isinstance(condition, Close) else 0
    if kernels_are_loaded() or sum(len(one.rows) for one in found.values()) > FEW_POSTINGS:
        return _compiled(segment, rows, within, found, docs)
    return _plain(segment, rows, within, found, docs)


def _compiled(
    segment: Segment, rows: Sequence[Row], within: int, found: SlotHits, docs: Docs
) -> NDArray[np.bool_]:
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
        coded(segment.postings),
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


def _plain(
    segment: Segment, rows: Sequence[Row], within: int, found: SlotHits, docs: Docs
) -> NDArray[np.bool_]:
    """The same without a kernel."""
    starts = [_starts_of_row(segment, row, found, docs) for row in rows]
    satisfied = np.zeros(len(docs), np.bool_)
    if len(rows) == 1:
        satisfied[starts[0] >> SHIFT] = True
        return satisfied
    for number, (row, own) in enumerate(zip(rows, starts, strict=True)):
        last = own + len(row.slots) - 1
        limits = np.minimum(last + within, _ends(segment, own, docs, -1) - 1)
        others = [other for place, other in enumerate(starts) if place != number]
        together = np.logical_and.reduce([_begins(other, last, limits) for other in others])
        satisfied[own[together] >> SHIFT] = True
    return satisfied


def _starts_of_row(segment: Segment, row: Row, found: SlotHits, docs: Docs) -> Starts:
    """Where the row begins.

    A term at position p that is the j-th of the row speaks for a row that begins at p - j: the rows are the
    beginnings for which every slot speaks.
    """
    starts: Starts | None = None
    for j, slot in enumerate(row.slots):
        places, read = positions(segment.postings, found[slot])
        spoken = ((places << SHIFT) + read - j)[read >= j]
        starts = np.unique(spoken) if starts is None else np.intersect1d(starts, spoken)
    assert starts is not None
    field = -1 if row.field is None else int(row.field)
    return starts[starts + len(row.slots) <= _ends(segment, starts, docs, field)]


def _ends(segment: Segment, starts: Starts, docs: Docs, field: int) -> Starts:
    """Where the fields end in which rows begin."""
    places = starts >> SHIFT
    ends = field_ends(segment.columns.lengths[docs[places]], starts - (places << SHIFT), field)
    return (places << SHIFT) + ends


def _begins(starts: Starts, last: Starts, limits: Starts) -> NDArray[np.bool_]:
    """Whether anything begins behind the last word of each row, up to its limit."""
    following = np.append(starts, np.iinfo(np.int64).max)[np.searchsorted(starts, last, side="right")]
    return following <= limits
