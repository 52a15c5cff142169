"""What do the owner's rules for sites make of documents?

A document of a blocked site counts as deleted: so no way of searching finds it. The factor of a boosted site
multiplies the static factor of its documents, before the highest of ranges and blocks are taken: so all
algorithms stay exact. Rules never enter postings, and new ones need no new index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import Segment
from gossamer.index.snapshot import SegmentView, Snapshot
from gossamer.search.anchors import AnchorIndex

REMEMBERED = 1_000  # segments

Floats = NDArray[np.float64]
OfHost = Callable[[str], float]  # what a host's pages count; 0 where it is blocked


class SiteFactors:
    """The rules as they were at one time, for the documents of one partition. Threads may share it."""

    def __init__(self, of_host: OfHost, anchors: AnchorIndex | None = None) -> None:
        """`anchors` knows the pages that were not fetched."""
        self._of_host = of_host
        self._anchors = anchors
        self._hosts: dict[tuple[int, int], Floats] = {}  # of segments, whose hosts do not change

    def boosts(self, segment: Segment, docs: NDArray[np.int64] | None = None) -> Floats:
        """What multiplies the scores of documents, or of all; 1 also for blocked ones, which nobody sees."""
        factors = self._of_segment(segment)
        ids = segment.columns.host_ids if docs is None else segment.columns.host_ids[docs]
        return np.where(factors > 0, factors, 1.0)[ids]

    def of_unfetched(self, rows: NDArray[np.int64]) -> Floats:
        """The same for pages that nobody has fetched; 0 where their site is blocked."""
        if self._anchors is None or not len(rows):
            return np.ones(len(rows))
        unfetched = self._anchors.unfetched
        numbers, places = np.unique(unfetched.host_ids[rows], return_inverse=True)
        return self._of_names([unfetched.host(number) for number in numbers.tolist()])[places]

    def without_blocked(self, snapshot: Snapshot) -> Snapshot:
        """The same snapshot, in which documents of blocked sites are deleted."""
        return replace(snapshot, views=tuple(self._allowed(view) for view in snapshot.views))

    def _allowed(self, view: SegmentView) -> SegmentView:
        blocked = self._of_segment(view.segment) == 0
        if not blocked.any():
            return view
        docs = np.flatnonzero(blocked[view.segment.columns.host_ids])
        return replace(view, deleted=np.union1d(view.deleted, docs).astype(np.uint32))

    def _of_segment(self, segment: Segment) -> Floats:
        """The factors of its hosts, by their numbers."""
        known = self._hosts.get(segment.identity)
        if known is None:
            if len(self._hosts) >= REMEMBERED:
                self._hosts.clear()
            known = self._hosts[segment.identity] = self._of_names(segment.columns.hosts() or [""])
        return known

    def _of_names(self, names: Sequence[str]) -> Floats:
        return np.array([self._of_host(name) for name in names], np.float64)
