"""How far does a page's static rank lift its score?

    factor = 1 + strength * x,   x = (log10(n * rank) + 1) / 3, cut to [0, 1]

`n * rank` is the rank relative to the average page: a tenth of it lifts nothing, a hundred times it lifts
fully. Factors multiply at query time and never enter postings, so a new rank needs no new index. What the
owner makes of a site (`site_factors`) multiplies them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_SIZE
from gossamer.search.blocks_kernel import BLOCK_SIZE

NEUTRAL = 256  # the factor 1.0 as an integer
MOST = np.iinfo(np.uint16).max

RelativeRank = Callable[[NDArray[np.uint64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Factors:
    """The factor of every document of a segment; the highest of every range and block; the lowest of all."""

    of_document: NDArray[np.uint16]
    highest: NDArray[np.uint16]
    of_block: NDArray[np.uint16]
    lowest: int

    @classmethod
    def of(cls, levels: NDArray[np.uint16]) -> Factors:
        lowest = int(levels.min(initial=MOST))
        return cls(levels, _highest(levels, RANGE_SIZE), _highest(levels, BLOCK_SIZE), lowest)

    def times(self, boosts: NDArray[np.float64]) -> Factors:
        """The same, each multiplied; none becomes 0, which would stand for no match."""
        return Factors.of(np.clip(np.rint(self.of_document * boosts), 1, MOST).astype(np.uint16))


def factors(fingerprints: NDArray[np.uint64], rank: RelativeRank | None, strength: float) -> Factors:
    """The factors of these documents; all neutral where nothing was ranked yet."""
    if rank is None or not len(fingerprints):
        return Factors.of(np.full(len(fingerprints), NEUTRAL, np.uint16))
    relative = np.maximum(rank(fingerprints), 1e-12)
    lift = np.clip((np.log10(relative) + 1) / 3, 0, 1)
    return Factors.of(np.rint(NEUTRAL * (1 + strength * lift)).astype(np.uint16))


def _highest(levels: NDArray[np.uint16], size: int) -> NDArray[np.uint16]:
    """The highest of each stretch of that many documents."""
    if not len(levels):
        return levels
    return np.maximum.reduceat(levels, np.arange(0, len(levels), size))
