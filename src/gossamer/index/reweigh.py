"""The same index under other weights of fields, other slopes, another k1: what would it answer?

Positions tell how often a term stands in each field, so impacts follow from them without reading any text.
Nothing is written; what is made in memory shares all but its impacts with what it was made from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gossamer.index.reweigh_kernel import weigh
from gossamer.index.segment import Segment
from gossamer.index.settings import WeightingSettings
from gossamer.index.snapshot import Snapshot
from gossamer.index.weighting import IMPACT_LEVELS, Weighting


def reweighed(snapshot: Snapshot, settings: WeightingSettings) -> Snapshot:
    """The snapshot under these weights and its own pivots; itself where they are what it has."""
    if snapshot.weighting is None or (weighting := snapshot.weighting.by(settings)) == snapshot.weighting:
        return snapshot
    views = tuple(replace(view, segment=segment_under(weighting, view.segment)) for view in snapshot.views)
    return replace(snapshot, views=views, weighting=weighting)


def segment_under(weighting: Weighting, segment: Segment) -> Segment:
    """The segment with the impacts that it would have been given under this weighting."""
    postings, lengths = segment.postings, segment.columns.lengths
    impacts, highest = np.empty_like(postings.posting_impacts), np.empty_like(postings.entry_highest)
    weigh(
        postings.entry_ranges,
        postings.entry_postings,
        postings.posting_docs,
        postings.positions,
        lengths,
        weighting.shares(lengths),
        weighting.k1,
        IMPACT_LEVELS,
        impacts,
        highest,
    )
    return replace(segment, postings=replace(postings, posting_impacts=impacts, entry_highest=highest))
