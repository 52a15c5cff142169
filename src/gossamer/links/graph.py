"""Who links to whom, once addresses that stand for another page are seen through?

Links that fit into memory become a graph by sorting: no loop over links. Those of a collection are divided
before they are sorted (`building`).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gossamer.links.aliases import Fingerprints, Representatives
from gossamer.links.finding import Finder
from gossamer.links.spill import distinct
from gossamer.model import LinkFlag
from gossamer.model.graph import LinkGraph

# The author does not vouch for the target; a statement about an address that no reader can follow.
NOT_COUNTED = np.uint8(LinkFlag.NOFOLLOW | LinkFlag.CANONICAL)


def build(
    sources: Fingerprints,
    targets: Fingerprints,
    flags: NDArray[np.uint8],
    aliases: Mapping[int, int],
    pages: Fingerprints | None = None,
) -> LinkGraph:
    """The graph of these links.

    `aliases` (redirects, canonical addresses) are followed to their end at both ends of a link, a circle of
    them is one page; then links of a page to itself are dropped, and repeated ones count once. Links marked
    nofollow are left out. A page that is linked to but was never fetched is a node; `pages` are nodes even
    without any link.
    """
    stands_for = Representatives.by(aliases).of
    counted = (flags & NOT_COUNTED) == 0
    origins = stands_for(sources)
    ends = stands_for(targets)[counted]
    known = stands_for(np.empty(0, np.uint64) if pages is None else pages)
    nodes = distinct(np.concatenate([origins, ends, known]))
    finder = Finder(nodes)
    return _compressed(nodes, finder.places(origins[counted]), finder.places(ends))


def _compressed(nodes: Fingerprints, origins: NDArray[np.int64], ends: NDArray[np.int64]) -> LinkGraph:
    other = origins != ends
    # target and source in one number: sorting groups by target, and equal links meet
    links = (ends[other].astype(np.uint64) << np.uint64(32)) | origins[other].astype(np.uint64)
    links = distinct(links)
    sources = (links & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    in_degrees = np.bincount((links >> np.uint64(32)).astype(np.int64), minlength=len(nodes))
    starts = np.concatenate([[0], np.cumsum(in_degrees)]).astype(np.int64)
    out_degrees = np.bincount(sources, minlength=len(nodes)).astype(np.uint32)
    return LinkGraph(nodes, starts, sources, out_degrees)
