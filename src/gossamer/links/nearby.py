"""Which of the words that stand near links count? Of each who links to a page, a few texts.

A menu is one text on every page, but the words near a link are others on each: a site that names its authors
under ten thousand articles would say all that these are about of each author. So of the texts that one
speaker has for one page `TEXTS` at most are taken: they are dealt into as many heaps by a hash, and the least
hash of each heap counts. Whichever way the links come, the same are taken.

All links are looked at twice: first each is noted, then those that count are given out.
"""

from __future__ import annotations

import numpy as np

from gossamer.links.aliases import Representatives
from gossamer.links.anchors import FIRST_SLOTS, Anchors, SpeakersOf, voices
from gossamer.links.nearby_kernel import move_least, note_least, take_least
from gossamer.model.graph import LinkColumns

TEXTS = 4


class NearbySieve:
    """Lets the words near links through that count. It takes 32 to 64 bytes for each text."""

    def __init__(self, representatives: Representatives, speakers_of: SpeakersOf) -> None:
        self._representatives = representatives
        self._speakers_of = speakers_of
        self._keys, self._least = np.zeros(FIRST_SLOTS, np.uint64), np.zeros(FIRST_SLOTS, np.uint64)
        self._known = 0

    def note(self, links: LinkColumns) -> None:
        """Remembers which of these may count."""
        targets, speakers, counted = voices(links, self._representatives, self._speakers_of)
        lines = np.frombuffer(links.near, np.uint8)
        self._make_room(int(np.count_nonzero(counted)))
        self._known += note_least(lines, targets, speakers, counted, TEXTS, self._keys, self._least)

    def chosen(self, links: LinkColumns) -> Anchors:
        """Those of these, which were noted before, that count; each once."""
        targets, speakers, counted = voices(links, self._representatives, self._speakers_of)
        lines = np.frombuffer(links.near, np.uint8)
        rows, words = np.empty(len(targets), np.int64), np.empty(len(lines), np.uint8)
        count, size = take_least(
            lines, targets, speakers, counted, TEXTS, self._keys, self._least, rows, words
        )
        own = rows[:count]
        texts = words[:size].tobytes().decode().split("\n")[:-1]
        return Anchors(targets[own], speakers[own], texts)

    def _make_room(self, more: int) -> None:
        """At most half of the slots are taken when so many have come."""
        size = len(self._keys)
        while 2 * (self._known + more) > size:
            size *= 2
        if size > len(self._keys):
            keys, least = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
            move_least(self._keys, self._least, keys, least)
            self._keys, self._least = keys, least
