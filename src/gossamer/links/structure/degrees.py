"""How many pages have how many links?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Degrees:
    """A distribution: `counts[i]` pages have `values[i]` links; pages without any stand apart."""

    values: NDArray[np.int64]  # rising, from 1 on
    counts: NDArray[np.int64]
    without: int

    @property
    def pages(self) -> int:
        return self.without + int(self.counts.sum())

    @property
    def mean(self) -> float:
        return float(self.values @ self.counts) / max(self.pages, 1)

    @property
    def highest(self) -> int:
        return int(self.values[-1]) if len(self.values) else 0

    def at_least(self) -> NDArray[np.float64]:
        """Of each value, the share of all pages that have so many links or more."""
        return self.counts[::-1].cumsum()[::-1] / max(self.pages, 1)


def degrees(of_pages: NDArray[Any]) -> Degrees:
    """The distribution of the numbers of links that pages have."""
    found = np.bincount(of_pages.astype(np.int64), minlength=1)
    values = np.flatnonzero(found[1:]) + 1
    return Degrees(values, found[values], int(found[0]))
