"""Which documents of a segment may answer at all? Deletions, sites, phrases and exclusions as one mask."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import Postings
from gossamer.index.segment import Segment
from gossamer.index.snapshot import SegmentView
from gossamer.kernel import kernels_are_loaded
from gossamer.search.phrase_kernel import mark_phrase
from gossamer.search.plan import Plan, Reading

Mask = NDArray[np.bool_]

FEW_POSTINGS = 1_000_000  # sorted in less time than it takes to load a kernel


def restricts(view: SegmentView, plan: Plan) -> bool:
    """Whether any document of the segment could be ruled out."""
    return bool(len(view.deleted) or plan.phrases or plan.without or plan.sites or plan.without_sites)


def allowed(view: SegmentView, plan: Plan) -> Mask:
    """The documents that satisfy everything but the ranking words."""
    mask = view.alive()
    columns = view.segment.columns
    if plan.sites:
        mask &= np.logical_or.reduce([columns.host_mask(site) for site in plan.sites])
    for site in plan.without_sites:
        mask &= ~columns.host_mask(site)
    for readings in plan.phrases:
        mask &= holding(view.segment, readings)
    for readings in plan.without:
        mask &= ~holding(view.segment, readings)
    return mask


def holding(segment: Segment, readings: tuple[Reading, ...]) -> Mask:
    """The documents that hold the terms of any of the readings in a row."""
    mask = np.zeros(segment.documents, dtype=np.bool_)
    for reading in readings:
        numbers = np.array([segment.dictionary.number(term) for term in reading], dtype=np.int64)
        if (numbers < 0).any():
            continue
        if len(numbers) == 1:
            mask[segment.postings.documents(int(numbers[0]))] = True
        else:
            _mark(segment, numbers, mask)
    return mask


def _mark(segment: Segment, numbers: NDArray[np.int64], mask: Mask) -> None:
    postings = segment.postings
    frequencies = [postings.frequency(number) for number in numbers.tolist()]
    if not kernels_are_loaded() and sum(frequencies) <= FEW_POSTINGS:
        mask[side_by_side(postings, numbers)] = True
        return
    mark_phrase(
        numbers,
        int(np.argmin(frequencies)),
        postings.term_entries,
        postings.entry_ranges,
        postings.entry_postings,
        postings.entry_positions,
        postings.posting_docs,
        postings.posting_offsets,
        postings.positions,
        mask,
    )


def side_by_side(postings: Postings, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The documents in which the terms stand in a row, without a kernel.

    An occurrence of the j-th term at position p speaks for a phrase that begins at p - j: the phrases are the
    beginnings for which every term speaks.
    """
    beginnings: NDArray[np.int64] | None = None
    for j, number in enumerate(numbers.tolist()):
        docs, places = postings.places(number)
        spoken = (docs << 32) + (places - j + len(numbers))
        beginnings = spoken if beginnings is None else np.intersect1d(beginnings, spoken, assume_unique=True)
    assert beginnings is not None
    return np.unique(beginnings >> 32)
