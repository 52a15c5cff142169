"""Which page does an address stand for in the end, by redirects, copies and canonical addresses?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from gossamer.links.finding import Finder

Fingerprints = NDArray[np.uint64]
Aliases = tuple[Fingerprints, Fingerprints]  # addresses, and what each leads to


def resolve(aliases: Aliases) -> Aliases:
    """Every alias (rising) and the page it stands for in the end.

    By pointer doubling: after k rounds each alias knows the one 2^k steps on, and the smallest fingerprint on
    the way. A chain has then come to its last alias; whoever is still inside a circle takes the circle's
    smallest.
    """
    order = np.argsort(aliases[0])
    names, ends = aliases[0][order], aliases[1][order]
    if not len(names):
        return names, ends
    following, goes_on = Finder(names).found(ends)
    jump = np.where(goes_on, following, np.arange(len(names)))
    smallest = names.copy()
    for _ in range(len(names).bit_length()):
        smallest = np.minimum(smallest, smallest[jump])
        jump = jump[jump]
    return names, np.where(goes_on[jump], smallest[jump], ends[jump])


class Representatives:
    """Which page an address stands for in the end."""

    def __init__(self, aliases: Aliases) -> None:
        names, self._ends = resolve(aliases)
        self._finder = Finder(names)

    @classmethod
    def by(cls, aliases: Mapping[int, int]) -> Representatives:
        """The same from a dictionary."""
        count = len(aliases)
        return cls((np.fromiter(aliases, np.uint64, count), np.fromiter(aliases.values(), np.uint64, count)))

    def of(self, addresses: Fingerprints) -> Fingerprints:
        """The pages that these addresses stand for; most for themselves."""
        if not len(self._ends):
            return addresses
        where, is_alias = self._finder.found(addresses)
        return np.where(is_alias, self._ends[where], addresses)

    def pairs(self) -> Aliases:
        """Every alias, rising, and its page."""
        return self._finder.names, self._ends
