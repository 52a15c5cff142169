# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return, index, call-overload, operator"
"""Which anchor texts count: once per host, words nearby.

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

from gossamer.graph.build import NOT_COUNTED, Representatives
from gossamer.graph.numbering import Fingerprints
from gossamer.kernels import kernel, kernel_part
from gossamer.model.graph import LinkColumns

# Kernels: hash set of anchors
# ----------------------------
#
# The key is mixed (D. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
# OOPSLA 2014) from the target, from who speaks, and from the hash of the words (FNV-1a; Fowler, Noll,
# Vo) with a secret seed. Two different anchors among n have the same key with a probability of about
# n^2 / 2^65: one in 400,000 for ten million of them, and then one of the two is missing.

ZERO = np.uint64(0)
ONE = np.uint64(1)
PRIME = np.uint64(0x100000001B3)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_30, BY_27, BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)
LINE_FEED = ord("\n")


@kernel_part
def mixed(value: np.uint64) -> np.uint64:
    """Another number for each, all of whose bits depend on all bits."""
    value = (value ^ (value >> BY_30)) * FIRST
    value = (value ^ (value >> BY_27)) * SECOND
    return value ^ (value >> BY_31)


@kernel_part
def is_new(key: np.uint64, slots: NDArray[np.uint64]) -> bool:
    """Whether the key was not there; it is now. A slot of 0 is empty, and one is always left."""
    mask = np.uint64(len(slots) - 1)
    slot = key & mask
    while slots[slot] != ZERO:
        if slots[slot] == key:
            return False
        slot = (slot + ONE) & mask
    slots[slot] = key
    return True


@kernel
def take_new(
    lines: NDArray[np.uint8],
    targets: NDArray[np.uint64],
    speakers: NDArray[np.uint64],
    counted: NDArray[np.bool_],
    seed: np.uint64,
    slots: NDArray[np.uint64],
    chosen: NDArray[np.int64],
    words: NDArray[np.uint8],
) -> tuple[int, int]:
    """Which of these anchors count, say anything, and were not met before.

    Anchor i is a line, ended by a line feed. The numbers of the new ones go to `chosen`, their lines to
    `words`; returned is how many they are, and how many bytes their lines have.
    """
    found, size = ZERO, ZERO
    line, begin, code = ZERO, ZERO, seed
    for at in range(np.uint64(len(lines))):
        if lines[at] != LINE_FEED:
            code = (code ^ np.uint64(lines[at])) * PRIME
            continue
        if counted[line] and at > begin:
            key = mixed(code ^ mixed(targets[line] ^ mixed(speakers[line] + ONE)))
            if is_new(max(key, ONE), slots):
                chosen[found] = np.int64(line)
                found += ONE
                for i in range(begin, at + ONE):
                    words[size] = lines[i]
                    size += ONE
        line, begin, code = line + ONE, at + ONE, seed
    return found, size


@kernel
def move_keys(old: NDArray[np.uint64], slots: NDArray[np.uint64]) -> None:
    """Puts all keys into empty slots, of which there are more."""
    for key in old:
        if key != ZERO:
            is_new(key, slots)


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


# Kernels: sample of nearby texts
# -------------------------------
#
# Hash and mixing are those of `anchors_kernel`, but without a secret: so every run takes the same
# texts.

FIRST_CODE = np.uint64(0xCBF29CE484222325)  # FNV's offset


@kernel_part
def _slot(key: np.uint64, keys: NDArray[np.uint64]) -> np.uint64:
    """Where a key stands, or the empty slot where it belongs; one is always empty."""
    mask = np.uint64(len(keys) - 1)
    slot = key & mask
    while keys[slot] != ZERO and keys[slot] != key:
        slot = (slot + ONE) & mask
    return slot


@kernel_part
def _heap(code: np.uint64, target: np.uint64, speaker: np.uint64, heaps: int) -> np.uint64:
    """The key of the heap that a text belongs to; never 0."""
    number = mixed(code) % np.uint64(heaps)
    return max(mixed(number ^ mixed(target ^ mixed(speaker + ONE))), ONE)


@kernel
def note_least(
    lines: NDArray[np.uint8],
    targets: NDArray[np.uint64],
    speakers: NDArray[np.uint64],
    counted: NDArray[np.bool_],
    heaps: int,
    keys: NDArray[np.uint64],
    least: NDArray[np.uint64],
) -> int:
    """Notes the texts of links that count, each a line; returns how many heaps are new."""
    new = 0
    line, begin, code = ZERO, ZERO, FIRST_CODE
    for at in range(np.uint64(len(lines))):
        if lines[at] != LINE_FEED:
            code = (code ^ np.uint64(lines[at])) * PRIME
            continue
        if counted[line] and at > begin:
            key = _heap(code, targets[line], speakers[line], heaps)
            slot = _slot(key, keys)
            if keys[slot] == ZERO:
                keys[slot] = key
                least[slot] = max(code, ONE)
                new += 1
            else:
                least[slot] = min(least[slot], max(code, ONE))
        line, begin, code = line + ONE, at + ONE, FIRST_CODE
    return new


@kernel
def take_least(
    lines: NDArray[np.uint8],
    targets: NDArray[np.uint64],
    speakers: NDArray[np.uint64],
    counted: NDArray[np.bool_],
    heaps: int,
    keys: NDArray[np.uint64],
    least: NDArray[np.uint64],
    chosen: NDArray[np.int64],
    words: NDArray[np.uint8],
) -> tuple[int, int]:
    """Which of these texts are the least of their heaps, and were not taken before.

    Their numbers go to `chosen`, their lines to `words`; returned is how many they are, and how many bytes
    their lines have.
    """
    found, size = ZERO, ZERO
    line, begin, code = ZERO, ZERO, FIRST_CODE
    for at in range(np.uint64(len(lines))):
        if lines[at] != LINE_FEED:
            code = (code ^ np.uint64(lines[at])) * PRIME
            continue
        if counted[line] and at > begin:
            slot = _slot(_heap(code, targets[line], speakers[line], heaps), keys)
            if least[slot] == max(code, ONE):
                least[slot] = ZERO
                chosen[found] = np.int64(line)
                found += ONE
                for i in range(begin, at + ONE):
                    words[size] = lines[i]
                    size += ONE
        line, begin, code = line + ONE, at + ONE, FIRST_CODE
    return found, size


@kernel
def move_least(
    old_keys: NDArray[np.uint64],
    old_least: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    least: NDArray[np.uint64],
) -> None:
    """Puts all keys into empty slots, of which there are more."""
    for k in range(np.uint64(len(old_keys))):
        if old_keys[k] != ZERO:
            slot = _slot(old_keys[k], keys)
            keys[slot] = old_keys[k]
            least[slot] = old_least[k]


# Words near links, few per host
# ------------------------------
#
# A menu is one text on every page, but the words near a link are others on each: a site that names
# its authors under ten thousand articles would say all that these are about of each author. So of the
# texts that one speaker has for one page `TEXTS` at most are taken: they are dealt into as many heaps
# by a hash, and the least hash of each heap counts. Whichever way the links come, the same are taken.
#
# All links are looked at twice: first each is noted, then those that count are given out.

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
