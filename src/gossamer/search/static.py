"""How far does a page's static rank lift its score?

    factor = 1 + strength * x,   x = (log10(n * rank) + 1) / 3, cut to [0, 1]

`n * rank` is the rank relative to the average page: a tenth of it lifts nothing, a hundred times it lifts
fully. Factors multiply at query time and never enter postings, so a new rank needs no new index.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_SIZE

NEUTRAL = 256  # the factor 1.0 as an integer

RelativeRank = Callable[[NDArray[np.uint64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Factors:
    """The factor of every document of a segment, and the highest of every range."""

    of_document: NDArray[np.uint16]
    highest: NDArray[np.uint16]


def factors(fingerprints: NDArray[np.uint64], rank: RelativeRank | None, strength: float) -> Factors:
    """The factors of these documents; all neutral where nothing was ranked yet."""
    if rank is None or not len(fingerprints):
        levels = np.full(len(fingerprints), NEUTRAL, np.uint16)
    else:
        relative = np.maximum(rank(fingerprints), 1e-12)
        lift = np.clip((np.log10(relative) + 1) / 3, 0, 1)
        levels = np.rint(NEUTRAL * (1 + strength * lift)).astype(np.uint16)
    starts = np.arange(0, len(levels), RANGE_SIZE)
    highest = np.maximum.reduceat(levels, starts) if len(levels) else np.empty(0, np.uint16)
    return Factors(levels, highest)
