# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return, index, call-overload, operator"
"""Select the texts of links that count: each once per host, and a few of the texts near links.

The same links count as in the graph: links marked nofollow and links of a page to itself do not count, and a
link to an alias counts for its canonical page. A text that a site repeats on every page counts once.
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
# the linking host.

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
    """Mix the bits of each number, so that every bit of the result depends on all of them."""
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
    """Find the slot of a key, or the empty slot where it belongs. 0 is an empty slot; there is always one."""
    mask = np.uint64(len(slots) - 1)
    slot = key & mask
    while slots[slot] != ZERO and slots[slot] != key:
        slot = (slot + ONE) & mask
    return slot


@kernel
def enter(keys: Keys, slots: Keys, places: Numbers, new: NDArray[np.bool_]) -> None:
    """Put keys into a table; fill in the slot of each, and whether it is new."""
    for i in range(len(keys)):
        slot = slot_of(keys[i], slots)
        places[i], new[i] = np.int64(slot), slots[slot] == ZERO
        slots[slot] = keys[i]


class KeyTable:
    """A hash set of keys above 0 that grows, with a value per key if `valued`. At most half of it is full."""

    def __init__(self, valued: bool = False) -> None:
        self._valued = valued
        self._slots = np.zeros(FIRST_SLOTS, np.uint64)
        self._known = 0
        self.values = self._no_values()  # by slot; the highest number until a value is set

    def enter(self, keys: Keys) -> tuple[Numbers, NDArray[np.bool_]]:
        """Add keys; return the slot of each, and whether it is new."""
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

LinkingHosts = NDArray[np.uint64]  # a number for the host and the language of the page with a link
LinkingHostsOf = Callable[[Fingerprints], LinkingHosts]


@dataclass(frozen=True, slots=True)
class AnchorColumns:
    """Texts of links as columns."""

    targets: Fingerprints
    linking_hosts: LinkingHosts
    texts: list[str]


class LinkTexts:
    """The texts of the links that are counted, as columns. Empty texts are left out.

    `lines` holds a line for each link; `seed` is the start value of the hashes.
    """

    def __init__(
        self,
        links: LinkColumns,
        lines: bytes,
        canonical_pages: CanonicalPages,
        linking_hosts_of: LinkingHostsOf,
        seed: np.uint64,
    ) -> None:
        pages, targets = canonical_pages.of(links.sources), canonical_pages.of(links.targets)
        self._lines = np.frombuffer(lines, np.uint8)
        codes, self._sizes = np.empty(len(targets), np.uint64), np.empty(len(targets), np.int64)
        hash_lines(self._lines, seed, codes, self._sizes)
        counted = ((links.flags & NOT_COUNTED) == 0) & (targets != np.repeat(pages, links.counts))
        self._links = np.flatnonzero(counted & (self._sizes > 1))
        self.targets, self.codes = targets[self._links], codes[self._links]
        self.linking_hosts = np.repeat(linking_hosts_of(pages), links.counts)[self._links]

    def keys(self, codes: Keys) -> Keys:
        """A key above 0 for each row, made from its target, its linking host and these codes."""
        return np.maximum(mixed(codes ^ mixed(self.targets ^ mixed(self.linking_hosts + ONE))), ONE)

    def chosen(self, rows: Numbers | NDArray[np.bool_]) -> AnchorColumns:
        """Take some of the rows, in their order."""
        wanted = np.zeros(len(self._sizes), np.bool_)
        wanted[self._links[rows]] = True
        texts = self._lines[np.repeat(wanted, self._sizes)].tobytes().decode().split("\n")[:-1]
        return AnchorColumns(self.targets[rows], self.linking_hosts[rows], texts)


class AnchorDeduplicator:
    """Drop anchor texts that the same host already used for the same page. Takes 16 to 32 bytes per text.

    Texts are compared by hashes that begin with a secret. Among n different ones, two have the same key with
    a probability of about n^2 / 2^65: 1 in 400,000 for ten million texts. Then one of the two is lost.
    """

    def __init__(self, canonical_pages: CanonicalPages, linking_hosts_of: LinkingHostsOf) -> None:
        self._endpoints = canonical_pages, linking_hosts_of
        self._met = KeyTable()
        self._seed = np.uint64(int.from_bytes(os.urandom(8), "little"))

    def new(self, links: LinkColumns) -> AnchorColumns:
        """The texts of these links that are new for their linking host and target."""
        texts = LinkTexts(links, links.anchors, *self._endpoints, self._seed)
        return texts.chosen(self._met.enter(texts.keys(texts.codes))[1])


# Words near links, few per host
# ------------------------------
#
# A menu has the same text on every page, but the words near a link differ from page to page. A site
# with ten thousand articles that name their author would add the words of all articles to the page of
# the author. So at most `TEXTS` texts per linking host and target count. A hash puts each text into
# one of `TEXTS` buckets, and the text with the lowest hash of each bucket counts. These hashes have no
# secret, so that every run chooses the same texts, in whichever order the links are read.
#
# All links are read twice: `note` finds the lowest hashes, `chosen` returns the texts that have them.

TEXTS = 4
FIRST_CODE = np.uint64(0xCBF29CE484222325)  # FNV's offset
TAKEN = ZERO  # replaces the lowest hash of a bucket when its text was returned


class NearbyTextSampler:
    """Choose the words near links that count. Takes 32 to 64 bytes per text."""

    def __init__(self, canonical_pages: CanonicalPages, linking_hosts_of: LinkingHostsOf) -> None:
        self._endpoints = canonical_pages, linking_hosts_of
        self._buckets = KeyTable(valued=True)  # with the lowest hash of each

    def note(self, links: LinkColumns) -> None:
        """Read the texts of these links for the first time."""
        _, codes, buckets = self._in_buckets(links)
        np.minimum.at(self._buckets.values, buckets, codes)

    def chosen(self, links: LinkColumns) -> AnchorColumns:
        """The texts of these links that count, each once. All links must have been noted before."""
        near, codes, buckets = self._in_buckets(links)
        least = np.flatnonzero(self._buckets.values[buckets] == codes)
        rows = np.sort(least[np.unique(buckets[least], return_index=True)[1]])
        self._buckets.values[buckets[rows]] = TAKEN
        return near.chosen(rows)

    def _in_buckets(self, links: LinkColumns) -> tuple[LinkTexts, Keys, Numbers]:
        """The words near links, their hashes (above 0), and the slots of their buckets."""
        near = LinkTexts(links, links.near, *self._endpoints, FIRST_CODE)
        buckets, _ = self._buckets.enter(near.keys(mixed(near.codes) % TEXTS))
        return near, np.maximum(near.codes, ONE), buckets
