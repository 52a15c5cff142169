"""What do links say about the pages they lead to, each thing once from each who says it?

The same links count as in the graph: not those marked nofollow, none of a page to itself, and what is said
of an address is said of the page that it stands for. A site that has the same words on every page says them
once.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.links.aliases import Fingerprints, Representatives
from gossamer.links.anchors_kernel import move_keys, take_new
from gossamer.links.graph import NOT_COUNTED
from gossamer.model.graph import LinkColumns

FIRST_SLOTS = 1 << 16

Speakers = NDArray[np.uint64]  # numbers of those who speak: what they say is not told apart any further
SpeakersOf = Callable[[Fingerprints], Speakers]


@dataclass(frozen=True, slots=True)
class Anchors:
    """Texts of links as columns."""

    targets: Fingerprints
    speakers: Speakers
    texts: list[str]


def voices(
    links: LinkColumns, representatives: Representatives, speakers_of: SpeakersOf
) -> tuple[Fingerprints, Speakers, NDArray[np.bool_]]:
    """Of each link the page that it leads to, who speaks, and whether it counts."""
    pages = representatives.of(links.sources)
    targets = representatives.of(links.targets)
    speakers = np.repeat(speakers_of(pages), links.counts)
    counted = ((links.flags & NOT_COUNTED) == 0) & (targets != np.repeat(pages, links.counts))
    return targets, speakers, counted


class AnchorSieve:
    """Lets every anchor through once. It takes 16 to 32 bytes for each that it let through."""

    def __init__(self, representatives: Representatives, speakers_of: SpeakersOf) -> None:
        self._representatives = representatives
        self._speakers_of = speakers_of
        self._slots = np.zeros(FIRST_SLOTS, np.uint64)
        self._known = 0
        self._seed = np.uint64(int.from_bytes(os.urandom(8), "little"))

    def new(self, links: LinkColumns) -> Anchors:
        """What these links say that was not said before."""
        targets, speakers, counted = voices(links, self._representatives, self._speakers_of)
        self._make_room(int(np.count_nonzero(counted)))
        lines = np.frombuffer(links.anchors, np.uint8)
        chosen, words = np.empty(len(targets), np.int64), np.empty(len(lines), np.uint8)
        count, size = take_new(lines, targets, speakers, counted, self._seed, self._slots, chosen, words)
        self._known += count
        own = chosen[:count]
        texts = words[:size].tobytes().decode().split("\n")[:-1]
        return Anchors(targets[own], speakers[own], texts)

    def _make_room(self, more: int) -> None:
        """At most half of the slots are taken when so many have come."""
        size = len(self._slots)
        while 2 * (self._known + more) > size:
            size *= 2
        if size > len(self._slots):
            old, self._slots = self._slots, np.zeros(size, np.uint64)
            move_keys(old, self._slots)
