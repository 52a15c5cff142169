"""Do the frozen pivot lengths still fit the collection?

They are frozen with the first pages that are committed. In a crawl these are what came in the first seconds,
mostly home pages, which are shorter than what follows, and which of them came first is chance. So when the
index was brought up to date the pivots are compared with the lengths that pages really have, and where they
are off, impacts are made anew from positions (`index.reweigh`), without reading any page. A small collection
follows every change, so that what words count for does not depend on the order in which pages came; a large
one, where this takes longer, only when a pivot is off by more than `TOLERATED`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gossamer.engine.partition import Partition
from gossamer.index.fields import FIELDS
from gossamer.index.weighting import Weighting

SMALL = 100_000  # documents
TOLERATED = 0.1  # of a pivot, in a larger collection


def fit_pivots(partitions: Sequence[Partition], weighting: Weighting) -> bool:
    """Freezes the pivots anew in all partitions where they do not fit; whether they did not."""
    lengths, documents = np.zeros(FIELDS, np.int64), 0
    for partition in partitions:
        own, alive = partition.index.total_lengths()
        lengths, documents = lengths + own, documents + alive
    fresh = replace(weighting, pivots=Weighting.frozen_for(lengths, documents).pivots)
    if not documents or _fits(weighting, fresh, 0.0 if documents <= SMALL else TOLERATED):
        return False
    for partition in partitions:
        partition.index.reweigh(fresh)
    return True


def _fits(weighting: Weighting, fresh: Weighting, tolerated: float) -> bool:
    pairs = zip(weighting.pivots, fresh.pivots, strict=True)
    return all(abs(old - new) <= tolerated * new for old, new in pairs)
