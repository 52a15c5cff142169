"""The same index under other weights of fields, other slopes, another k1: what would it answer?

Positions tell how often a term stands in each field, so impacts follow from them without reading any text.
The pivots stay: they are facts of the collection. Nothing is written; a snapshot in memory shares all but
its impacts with the one that it was made from.
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
    """The snapshot under these weights; itself where they are what it has."""
    if snapshot.weighting is None or (weighting := snapshot.weighting.by(settings)) == snapshot.weighting:
        return snapshot
    views = tuple(replace(view, segment=_reweighed(view.segment, weighting)) for view in snapshot.views)
    return replace(snapshot, views=views, weighting=weighting)


def _reweighed(segment: Segment, weighting: Weighting) -> Segment:
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
