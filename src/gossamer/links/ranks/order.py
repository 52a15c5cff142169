"""Which nodes have the highest values?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.model.graph import LinkGraph


def best(graph: LinkGraph, values: NDArray[Any], count: int) -> NDArray[np.int64]:
    """The nodes of the highest values, highest first, equal ones by fingerprint.

    >>> from gossamer.links.pairs import graph_of
    >>> best(graph_of([], pages=4), np.array([0.1, 0.3, 0.2, 0.3]), 3).tolist()
    [1, 3, 2]
    """
    count = max(0, min(count, len(values)))
    if not count:
        return np.empty(0, np.int64)
    last = np.partition(values, len(values) - count)[len(values) - count]
    candidates = np.flatnonzero(values >= last)
    falling = -values[candidates].astype(np.float64)  # degrees come without a sign
    return candidates[np.lexsort((graph.fingerprints[candidates], falling))][:count]
