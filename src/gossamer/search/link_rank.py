"""Static factors of documents: link rank and site boosts.

    factor = 1 + strength * x,   x = (log10(n * rank) + 1) / 3, clipped to [0, 1]

`n * rank` is the rank relative to the average page: a tenth of the average gives no boost, a hundred times
the average gives the full boost. Scores are multiplied by factors at query time. Factors are not in the
postings, so a new rank needs no new index. The owner's boost of a site (`SiteFactors`) multiplies them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.index.postings import RANGE_SIZE
from gossamer.index.segment import Segment, SegmentView, Snapshot
from gossamer.model.graph import RelativeRank
from gossamer.search.weighting import BLOCK_SIZE

# Block and boost factors of sites
# --------------------------------
#
# A document of a blocked site counts as deleted, so no search finds it. The factor of a boosted site
# multiplies the static factor of its documents before the maxima of ranges and blocks are computed, so all
# algorithms remain exact. Rules are not in the postings, so new rules need no new index.

REMEMBERED = 1_000  # segments that are cached
Floats = NDArray[np.float64]
OfHost = Callable[[str], float]  # returns the factor of a host; 0 if it is blocked


class UnfetchedHosts(Protocol):
    """The hosts of pages that were not fetched."""

    @property
    def host_ids(self) -> NDArray[np.uint32]: ...
    def host(self, number: int) -> str: ...


class SiteFactors:
    """The site rules at one time, for the documents of one partition. Safe to use from several threads."""

    def __init__(self, of_host: OfHost, unfetched: Callable[[], UnfetchedHosts] | None = None) -> None:
        """`unfetched` returns the pages that are known only from links; it is called when one is found."""
        self._of_host = of_host
        self._unfetched = unfetched
        self._hosts: dict[tuple[int, ...], Floats] = {}  # factors of hosts, by the identity of a segment

    def boosts(self, segment: Segment, docs: NDArray[np.int64] | None = None) -> Floats:
        """Return the factors of some documents, or of all.

        Blocked ones have 1, because no search finds them.
        """
        factors = self._of_segment(segment)
        ids = segment.columns.host_ids if docs is None else segment.columns.host_ids[docs]
        return np.where(factors > 0, factors, 1.0)[ids]

    def of_unfetched(self, rows: NDArray[np.int64]) -> Floats:
        """Return the factors of pages that were not fetched; 0 for blocked sites."""
        if self._unfetched is None or not len(rows):
            return np.ones(len(rows))
        unfetched = self._unfetched()
        numbers, places = np.unique(unfetched.host_ids[rows], return_inverse=True)
        return self._of_names([unfetched.host(number) for number in numbers.tolist()])[places]

    def without_blocked(self, snapshot: Snapshot) -> Snapshot:
        """Return the snapshot with the documents of blocked sites deleted."""
        return replace(snapshot, views=tuple(self._allowed(view) for view in snapshot.views))

    def _allowed(self, view: SegmentView) -> SegmentView:
        blocked = self._of_segment(view.segment) == 0
        if not blocked.any():
            return view
        docs = np.flatnonzero(blocked[view.segment.columns.host_ids])
        return replace(view, deleted=np.union1d(view.deleted, docs).astype(np.uint32))

    def _of_segment(self, segment: Segment) -> Floats:
        """Return the factors of a segment's hosts, by their numbers."""
        known = self._hosts.get(segment.identity)
        if known is None:
            if len(self._hosts) >= REMEMBERED:
                self._hosts.clear()
            known = self._hosts[segment.identity] = self._of_names(segment.columns.hosts() or [""])
        return known

    def _of_names(self, names: Sequence[str]) -> Floats:
        return np.array([self._of_host(name) for name in names], np.float64)


NEUTRAL = 256  # the factor 1.0 as an integer
MOST = np.iinfo(np.uint16).max


class LinkRankFactors(NamedTuple):
    """The factor of every document of a segment, the highest of every range and block, and the lowest."""

    of_document: NDArray[np.uint16]
    highest: NDArray[np.uint16]
    of_block: NDArray[np.uint16]
    lowest: int

    @classmethod
    def of(cls, levels: NDArray[np.uint16]) -> LinkRankFactors:
        """Compute the maxima and the minimum of some factors."""
        lowest = int(levels.min(initial=MOST))
        return cls(levels, _highest(levels, RANGE_SIZE), _highest(levels, BLOCK_SIZE), lowest)

    def times(self, boosts: NDArray[np.float64]) -> LinkRankFactors:
        """Multiply each factor by a boost; none becomes 0, which would mean no match."""
        return LinkRankFactors.of(np.clip(np.rint(self.of_document * boosts), 1, MOST).astype(np.uint16))


def factors(fingerprints: NDArray[np.uint64], rank: RelativeRank | None, strength: float) -> LinkRankFactors:
    """Return the factors of documents by a link rank; neutral ones without a rank."""
    if rank is None or not len(fingerprints):
        return LinkRankFactors.of(np.full(len(fingerprints), NEUTRAL, np.uint16))
    relative = np.maximum(rank(fingerprints), 1e-12)
    lift = np.clip((np.log10(relative) + 1) / 3, 0, 1)
    return LinkRankFactors.of(np.rint(NEUTRAL * (1 + strength * lift)).astype(np.uint16))


def _highest(levels: NDArray[np.uint16], size: int) -> NDArray[np.uint16]:
    """Return the highest factor of every `size` documents."""
    if not len(levels):
        return levels
    return np.maximum.reduceat(levels, np.arange(0, len(levels), size))
