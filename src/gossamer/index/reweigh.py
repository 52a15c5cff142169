# mypy: disable-error-code="arg-type, assignment, index, operator, return-value"
"""Recompute impacts with other weights.

Positions give the frequency of a term in each field, so impacts can be computed without reading any text.
Nothing is written to disk. The new snapshot shares everything but the impacts with the old one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import IMPACT_LEVELS, Weighting
from gossamer.index.postings import LAST, RANGE_BITS, Postings, level_of, number_at
from gossamer.index.segment import Segment, Snapshot
from gossamer.index.settings import WeightingSettings
from gossamer.kernels.kernel import unchecked_kernel

# Kernels: recompute impacts
# --------------------------


@unchecked_kernel
def weigh(
    postings: Postings, lengths: NDArray[np.uint32], shares: NDArray[np.float64], k1: float, levels: int
) -> None:
    """Fill in the impacts of postings.

    One occurrence adds shares[doc, field] to the weighted frequency of its term. Positions are stored in the
    order of postings, so one pass over them is enough.
    """
    positions, begins = postings.positions, postings.entry_postings
    place = np.uint64(0)
    for entry in range(len(postings.entry_ranges)):
        base = np.int64(postings.entry_ranges[entry]) << RANGE_BITS
        highest = 0
        for posting in range(np.int64(begins[entry]), np.int64(begins[entry + 1])):
            doc = base + np.int64(postings.posting_docs[posting])
            frequency, position = 0.0, np.int64(-1)
            field, end = 0, np.int64(lengths[doc, 0])
            first = np.uint8(0)
            while first & LAST == 0:
                first = positions[place]
                step, place = number_at(positions, place)
                position += step + 1
                while position >= end and field + 1 < lengths.shape[1]:
                    field += 1
                    end += np.int64(lengths[doc, field])
                frequency += shares[doc, field]
            level = level_of(frequency, k1, levels)
            postings.posting_impacts[posting] = level
            highest = max(highest, level)
        postings.entry_highest[entry] = highest


def reweighed(snapshot: Snapshot, settings: WeightingSettings) -> Snapshot:
    """Return the snapshot with these weights and its own pivots; the same object if nothing changes."""
    if snapshot.weighting is None or (weighting := snapshot.weighting.by(settings)) == snapshot.weighting:
        return snapshot
    views = tuple(replace(view, segment=segment_under(weighting, view.segment)) for view in snapshot.views)
    return replace(snapshot, views=views, weighting=weighting)


def segment_under(weighting: Weighting, segment: Segment) -> Segment:
    """Return the segment with the impacts of this weighting."""
    old, lengths = segment.postings, segment.columns.lengths
    impacts, highest = np.empty_like(old.posting_impacts), np.empty_like(old.entry_highest)
    postings = old._replace(posting_impacts=impacts, entry_highest=highest)
    weigh(postings, lengths, weighting.shares(lengths), weighting.k1, IMPACT_LEVELS)
    return replace(segment, postings=postings)
