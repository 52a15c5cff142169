"""What are graphs built of, and which of its links count?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.links.aliases import Fingerprints, Representatives
from gossamer.links.finding import Finder
from gossamer.links.numbering import Addresses
from gossamer.links.spill import TARGET, Numbers
from gossamer.model import LinkFlag
from gossamer.model.graph import LinkColumns

NOFOLLOW, CANONICAL = np.uint8(LinkFlag.NOFOLLOW), np.uint8(LinkFlag.CANONICAL)

Mask = NDArray[np.bool_]
Places = tuple[Fingerprints, NDArray[np.int64]]  # pages, and where their links stand in the log


@dataclass(frozen=True, slots=True)
class LinkSource:
    """The links and addresses of a collection. What comes in pieces may be asked for more than once."""

    links: Callable[[], Iterable[LinkColumns]]  # of each page that was fetched; without anchors
    total: int  # how many links that are
    records: Callable[[], Iterable[Places]]
    representatives: Representatives
    pages: Callable[[], Iterable[Fingerprints]]  # that are nodes even without any link
    addresses: Callable[[], Iterable[Addresses]]


def vouched(columns: LinkColumns) -> Mask:
    """The links that count: their author vouches for the target, and a reader can follow them."""
    counts: Mask = (columns.flags & (NOFOLLOW | CANONICAL)) == 0
    return counts


def unvouched(columns: LinkColumns) -> Mask:
    """The links marked nofollow, ugc or sponsored."""
    marked: Mask = (columns.flags & (NOFOLLOW | CANONICAL)) == NOFOLLOW
    return marked


def counts_of(columns: LinkColumns, chosen: Mask) -> NDArray[np.int64]:
    """How many of the chosen links each page has."""
    ends = np.concatenate([[0], np.cumsum(chosen, dtype=np.int64)])
    bounds = np.concatenate([[0], np.cumsum(columns.counts)])
    counts: NDArray[np.int64] = np.diff(ends[bounds])
    return counts


def pairs(
    columns: LinkColumns,
    chosen: Mask,
    representatives: Representatives,
    finder: Finder,
    order: NDArray[np.uint32],
) -> Numbers:
    """The chosen links as numbers, target above and source below, without those of a page to itself.

    The finder knows both ends of all of them; `order` is the node of each page that it knows.
    """
    counts = counts_of(columns, chosen)
    has_any = counts > 0
    origins = order[finder.places(representatives.of(columns.sources[has_any]))]
    sources = np.repeat(origins, counts[has_any])
    targets = order[finder.places(representatives.of(columns.targets[chosen]))]
    is_other = sources != targets
    links: Numbers = (targets[is_other].astype(np.uint64) << TARGET) | sources[is_other]
    return links
