"""Where does a fingerprint stand among many?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.links.graph_kernel import locate

NAMES_A_FLOOR = 8  # so many are left to search among: a line of the cache


class Finder:
    """Finds values among rising names.

    Fingerprints are spread evenly, so their top bits all but say where one stands; a plain binary search
    misses the cache at every step, and takes 8 times as long.
    """

    def __init__(self, names: NDArray[np.uint64]) -> None:
        bits = max(1, (len(names) // NAMES_A_FLOOR).bit_length())
        self.names = names
        self._shift = np.uint64(64 - bits)
        floors = np.arange(1 << bits, dtype=np.uint64) << self._shift
        self._bounds = np.append(np.searchsorted(names, floors), len(names)).astype(np.int64)

    def places(self, values: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Where each value stands, or would stand."""
        places = np.empty(len(values), np.int64)
        locate(self.names, values, self._shift, self._bounds, places)
        return places

    def found(self, values: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where values stand, and whether they do; some place or other for those that do not."""
        if not len(self.names):
            return np.zeros(len(values), np.int64), np.zeros(len(values), np.bool_)
        where = np.minimum(self.places(values), len(self.names) - 1)
        return where, self.names[where] == values
