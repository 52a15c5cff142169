"""Links as arrays: of some pages as the log has them, and all of them as a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class LinkColumns:
    """The links of some pages, page after page."""

    sources: NDArray[np.uint64]  # the pages
    counts: NDArray[np.int64]  # how many links each has
    targets: NDArray[np.uint64]
    flags: NDArray[np.uint8]  # a LinkFlag each
    anchors: bytes  # in UTF-8, each ended by a line feed
    near: bytes  # the words near each, likewise


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


@dataclass(frozen=True, slots=True)
class Outward:
    """The links of a graph by source: where does this page link to?

    The pages that node i links to are `targets[starts[i]:starts[i + 1]]`.
    """

    starts: NDArray[np.int64]
    targets: NDArray[np.uint32]
