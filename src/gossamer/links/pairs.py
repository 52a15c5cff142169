"""What is the graph of links that somebody wrote down as pairs?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph


def graph_of(pairs: Iterable[tuple[int, int]], pages: int | None = None) -> LinkGraph:
    """The graph of these links, (from, to), between pages numbered from 0, which are their own fingerprints.

    A repeated link counts once; one of a page to itself stays, unlike in the graph of a crawl, since
    examples of spider traps need it. There are as many pages as the links name, unless more are asked for.

    >>> web = graph_of([(0, 1), (0, 2), (1, 1), (0, 1)], pages=4)
    >>> web.pages, web.links, web.out_degrees.tolist()
    (4, 3, [2, 1, 0, 0])
    """
    links = sorted({(target, source) for source, target in pairs})
    named = max((max(link) for link in links), default=-1) + 1
    count = named if pages is None else pages
    if named > count or any(min(link) < 0 for link in links):
        raise UsageError(f"the links must be between pages 0 to {count - 1}")
    ends = np.array([target for target, _ in links], np.int64)
    sources = np.array([source for _, source in links], np.uint32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=count))]).astype(np.int64)
    out_degrees = np.bincount(sources, minlength=count).astype(np.uint32)
    return LinkGraph(np.arange(count, dtype=np.uint64), starts, sources, out_degrees)
