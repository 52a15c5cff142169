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

from gossamer.graph.build import NOT_COUNTED, CanonicalPages
from gossamer.graph.numbering import Fingerprints
from gossamer.kernels.kernel import kernel, kernel_part
from gossamer.model.graph import LinkColumns

# Hashes of texts, and a table of them
# ------------------------------------
#
# A text is hashed by FNV-1a (Fowler, Noll, Vo). Its key is mixed (D. Steele, D. Lea, C. Flood, "Fast
# splittable pseudorandom number generators", OOPSLA 2014) from that hash, from the target and from
# who speaks.

ZERO = np.uint64(0)
ONE = np.uint64(1)
PRIME = np.uint64(0x100000001B3)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_30, BY_27, BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)
LINE_FEED = ord("\n")
FIRST_SLOTS = 1 << 16
Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]


def mixed(values: Keys) -> Keys:
    """Another number for each, all of whose bits depend on all bits."""
    values = (values ^ (values >> BY_30)) * FIRST
    values = (values ^ (values >> BY_27)) * SECOND
    return values ^ (values >> BY_31)


@kernel
def hash_lines(lines: NDArray[np.uint8], seed: np.uint64, codes: Keys, sizes: Numbers) -> None:
    """Fill in the hash of each line, and its size with the line feed that ends it."""
    line, begin, code = ZERO, ZERO, seed
    for at in range(np.uint64(len(lines))):
        if lines[at] != LINE_FEED:
            code = (code ^ np.uint64(lines[at])) * PRIME
            continue
        codes[line], sizes[line] = code, np.int64(at + ONE - begin)
        line, begin, code = line + ONE, at + ONE, seed


@kernel_part
def slot_of(key: np.uint64, slots: Keys) -> np.uint64:
    """Where a key stands, or the empty slot where it belongs. A slot of 0 is empty, and one always is."""
    mask = np.uint64(len(slots) - 1)
    slot = key & mask
    while slots[slot] != ZERO and slots[slot] != key:
        slot = (slot + ONE) & mask
    return slot


@kernel
def enter(keys: Keys, slots: Keys, places: Numbers, new: NDArray[np.bool_]) -> None:
    """Put keys into a table, and fill in the place of each and whether it was not there before."""
    for i in range(len(keys)):
        slot = slot_of(keys[i], slots)
        places[i], new[i] = np.int64(slot), slots[slot] == ZERO
        slots[slot] = keys[i]


class KeyTable:
    """A growing set of keys above 0, each with a value if `valued`; at most half of its slots are taken."""

    def __init__(self, valued: bool = False) -> None:
        self._valued = valued
        self._slots = np.zeros(FIRST_SLOTS, np.uint64)
        self._known = 0
        self.values = self._no_values()  # by place; the highest number where nothing was said yet

    def enter(self, keys: Keys) -> tuple[Numbers, NDArray[np.bool_]]:
        """Where each key stands in the table now, and whether it is new there."""
        size, old = len(self._slots), self._slots
        while 2 * (self._known + len(keys)) > size:
            size *= 2
        if size > len(old):
            self._slots, values = np.zeros(size, np.uint64), self.values
            self.values = self._no_values()
            taken = np.flatnonzero(old)
            places, _ = self._entered(old[taken])
            if self._valued:
                self.values[places] = values[taken]
        places, new = self._entered(keys)
        self._known += int(np.count_nonzero(new))
        return places, new

    def _entered(self, keys: Keys) -> tuple[Numbers, NDArray[np.bool_]]:
        places, new = np.empty(len(keys), np.int64), np.empty(len(keys), np.bool_)
        enter(keys, self._slots, places, new)
        return places, new

    def _no_values(self) -> Keys:
        return np.full(len(self._slots) if self._valued else 0, np.iinfo(np.uint64).max)


# Texts of links, each once per host
# ----------------------------------

Speakers = NDArray[np.uint64]  # numbers of those who speak: what they say is not told apart any further
SpeakersOf = Callable[[Fingerprints], Speakers]


@dataclass(frozen=True, slots=True)
class AnchorColumns:
    """Texts of links as columns."""

    targets: Fingerprints
    speakers: Speakers
    texts: list[str]


class LinkTexts:
    """The texts of links that count and say anything: a row each, with who says it of which page.

    `lines` has a text for each link; `seed` is where its hash begins.
    """

    def __init__(
        self,
        links: LinkColumns,
        lines: bytes,
        canonical_pages: CanonicalPages,
        speakers_of: SpeakersOf,
        seed: np.uint64,
    ) -> None:
        pages, targets = canonical_pages.of(links.sources), canonical_pages.of(links.targets)
        self._lines = np.frombuffer(lines, np.uint8)
        codes, self._sizes = np.empty(len(targets), np.uint64), np.empty(len(targets), np.int64)
        hash_lines(self._lines, seed, codes, self._sizes)
        counted = ((links.flags & NOT_COUNTED) == 0) & (targets != np.repeat(pages, links.counts))
        self._links = np.flatnonzero(counted & (self._sizes > 1))
        self.targets, self.codes = targets[self._links], codes[self._links]
        self.speakers = np.repeat(speakers_of(pages), links.counts)[self._links]

    def keys(self, codes: Keys) -> Keys:
        """A key above 0 for each row, by its target, by who speaks, and by these codes."""
        return np.maximum(mixed(codes ^ mixed(self.targets ^ mixed(self.speakers + ONE))), ONE)

    def chosen(self, rows: Numbers | NDArray[np.bool_]) -> AnchorColumns:
        """Some of the rows, in their order."""
        wanted = np.zeros(len(self._sizes), np.bool_)
        wanted[self._links[rows]] = True
        texts = self._lines[np.repeat(wanted, self._sizes)].tobytes().decode().split("\n")[:-1]
        return AnchorColumns(self.targets[rows], self.speakers[rows], texts)


class AnchorDeduplicator:
    """Lets every anchor through once. It takes 16 to 32 bytes for each that it let through.

    Hashes begin with a secret. Two different anchors among n have the same key with a probability of about
    n^2 / 2^65: one in 400,000 for ten million of them, and then one of the two is missing.
    """

    def __init__(self, canonical_pages: CanonicalPages, speakers_of: SpeakersOf) -> None:
        self._endpoints = canonical_pages, speakers_of
        self._met = KeyTable()
        self._seed = np.uint64(int.from_bytes(os.urandom(8), "little"))

    def new(self, links: LinkColumns) -> AnchorColumns:
        """The texts of these links that their speakers did not have before."""
        texts = LinkTexts(links, links.anchors, *self._endpoints, self._seed)
        return texts.chosen(self._met.enter(texts.keys(texts.codes))[1])


# Words near links, few per host
# ------------------------------
#
# A menu is one text on every page, but the words near a link are others on each: a site that names
# its authors under ten thousand articles would say all that these are about of each author. So of the
# texts that one speaker has for one page `TEXTS` at most are taken: they are dealt into as many heaps
# by a hash, and the least hash of each heap counts. Hashes have no secret here: whichever way the
# links come, and in every run, the same are taken.
#
# All links are looked at twice: first each is noted, then those that count are given out.

TEXTS = 4
FIRST_CODE = np.uint64(0xCBF29CE484222325)  # FNV's offset
TAKEN = ZERO  # instead of the least hash of a heap


class NearbyTextSampler:
    """Lets the words near links through that count. It takes 32 to 64 bytes for each text."""

    def __init__(self, canonical_pages: CanonicalPages, speakers_of: SpeakersOf) -> None:
        self._endpoints = canonical_pages, speakers_of
        self._heaps = KeyTable(valued=True)  # with the least hash of each

    def note(self, links: LinkColumns) -> None:
        """Remembers which of these may count."""
        _, codes, heaps = self._dealt(links)
        np.minimum.at(self._heaps.values, heaps, codes)

    def chosen(self, links: LinkColumns) -> AnchorColumns:
        """Those of these, which were noted before, that count; each once."""
        near, codes, heaps = self._dealt(links)
        least = np.flatnonzero(self._heaps.values[heaps] == codes)
        rows = np.sort(least[np.unique(heaps[least], return_index=True)[1]])
        self._heaps.values[heaps[rows]] = TAKEN
        return near.chosen(rows)

    def _dealt(self, links: LinkColumns) -> tuple[LinkTexts, Keys, Numbers]:
        """The words near links, their hashes, which are above 0, and the places of their heaps."""
        near = LinkTexts(links, links.near, *self._endpoints, FIRST_CODE)
        heaps, _ = self._heaps.enter(near.keys(mixed(near.codes) % TEXTS))
        return near, np.maximum(near.codes, ONE), heaps
