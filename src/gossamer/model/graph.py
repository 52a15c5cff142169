"""The link graph as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """Pages and links in compressed sparse rows, by target: who links here?

    Node i is the page `fingerprints[i]` (rising); the sources of its in-links are
    `sources[starts[i]:starts[i + 1]]`.
    """

    fingerprints: NDArray[np.uint64]
    starts: NDArray[np.int64]
    sources: NDArray[np.uint32]
    out_degrees: NDArray[np.uint32]

    @property
    def pages(self) -> int:
        return len(self.fingerprints)

    @property
    def links(self) -> int:
        return len(self.sources)
