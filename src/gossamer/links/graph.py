"""Who links to whom, once addresses that stand for another page are seen through?

The log's links become a graph by sorting: no loop over links.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gossamer.links.graph_kernel import locate
from gossamer.model import LinkFlag
from gossamer.model.graph import LinkGraph

# The author does not vouch for the target; a statement about an address that no reader can follow.
NOT_COUNTED = np.uint8(LinkFlag.NOFOLLOW | LinkFlag.CANONICAL)

Fingerprints = NDArray[np.uint64]


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
    representatives = resolve(aliases)
    counted = (flags & NOT_COUNTED) == 0
    origins = replaced(sources, representatives)
    ends = replaced(targets, representatives)[counted]
    known = replaced(np.empty(0, np.uint64) if pages is None else pages, representatives)
    nodes = _distinct(np.concatenate([_distinct(origins), _distinct(ends), known]))
    return _compressed(nodes, _places(nodes, origins[counted]), _places(nodes, ends))


def _compressed(nodes: Fingerprints, origins: NDArray[np.int64], ends: NDArray[np.int64]) -> LinkGraph:
    other = origins != ends
    # target and source in one number: sorting groups by target, and equal links meet
    links = (ends[other].astype(np.uint64) << np.uint64(32)) | origins[other].astype(np.uint64)
    links = _distinct(links)
    sources = (links & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    in_degrees = np.bincount((links >> np.uint64(32)).astype(np.int64), minlength=len(nodes))
    starts = np.concatenate([[0], np.cumsum(in_degrees)]).astype(np.int64)
    out_degrees = np.bincount(sources, minlength=len(nodes)).astype(np.uint32)
    return LinkGraph(nodes, starts, sources, out_degrees)


def resolve(aliases: Mapping[int, int]) -> tuple[Fingerprints, Fingerprints]:
    """Every alias (rising) and the page it stands for in the end.

    By pointer doubling: after k rounds each alias knows the one 2^k steps on, and the smallest fingerprint on
    the way. A chain has then come to its last alias; whoever is still inside a circle takes the circle's
    smallest.
    """
    names = np.fromiter(aliases.keys(), np.uint64, len(aliases))
    order = np.argsort(names)
    names = names[order]
    ends = np.fromiter(aliases.values(), np.uint64, len(aliases))[order]
    if not len(names):
        return names, ends
    following, goes_on = _positions(names, ends)
    jump = np.where(goes_on, following, np.arange(len(names)))
    smallest = names.copy()
    for _ in range(len(names).bit_length()):
        smallest = np.minimum(smallest, smallest[jump])
        jump = jump[jump]
    return names, np.where(goes_on[jump], smallest[jump], ends[jump])


def replaced(values: Fingerprints, representatives: tuple[Fingerprints, Fingerprints]) -> Fingerprints:
    """The pages that these addresses stand for in the end, as `resolve` says."""
    names, ends = representatives
    if not len(names):
        return values
    where, is_alias = _positions(names, values)
    return np.where(is_alias, ends[where], values)


def _positions(names: Fingerprints, values: Fingerprints) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where values stand among rising names, and whether they do."""
    where = np.minimum(_places(names, values), len(names) - 1)
    return where, names[where] == values


def _distinct(values: Fingerprints) -> Fingerprints:
    """Each value once, rising. `np.unique` hashes, and takes 17 times as long on 8 million links."""
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def _places(names: Fingerprints, values: Fingerprints) -> NDArray[np.int64]:
    """Where each value stands among the rising names, or would stand.

    Fingerprints are spread evenly, so their top bits all but say it; a plain binary search misses the cache
    at every step, and takes 8 times as long.
    """
    bits = max(1, len(names).bit_length())
    shift = np.uint64(64 - bits)
    floors = np.arange(1 << bits, dtype=np.uint64) << shift
    bounds = np.append(np.searchsorted(names, floors), len(names)).astype(np.int64)
    places = np.empty(len(values), np.int64)
    locate(names, values, shift, bounds, places)
    return places
