"""Which pages are there? All of them, or all that a query matches, one after the other.

Nothing is ranked and nothing is left out: a search lists a thousand results at most, this goes on to the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.known_pages import PageInfo, indexed_page
from gossamer.engine.newest import Opened
from gossamer.engine.searching import Searching
from gossamer.index.segment import Segment
from gossamer.index.stored_document import StoredDocument
from gossamer.model import SearchRequest

TOGETHER = 256  # documents that are read at once: neighbours are compressed together

Docs = NDArray[np.int64]


def every_page(searching: Searching, text: str) -> Iterator[PageInfo]:
    """The pages that match by their own words, or all where no query is given, as the index has them now."""
    if not text.strip():
        opened = searching.opened()
        return _pages(opened, _all(opened))
    asked = searching.asked(SearchRequest(text))
    search = asked.search
    found = [
        (view.segment, docs)
        for searcher in asked.searchers
        for view, docs in zip(
            searcher.snapshot.views, searcher.matching(search.plan, search.stats, search.scheme), strict=True
        )
    ]
    return _pages(asked.opened, iter(found))


def _all(opened: Opened) -> Iterator[tuple[Segment, Docs]]:
    for searcher in opened.searchers:
        for view in searcher.snapshot.views:
            yield view.segment, np.flatnonzero(view.alive())


def _pages(opened: Opened, found: Iterator[tuple[Segment, Docs]]) -> Iterator[PageInfo]:
    for segment, docs in found:
        for first in range(0, len(docs), TOGETHER):
            some = docs[first : first + TOGETHER]
            degrees = _degrees(opened, segment.columns.fingerprints[some])
            for doc, data, own in zip(some.tolist(), segment.stored.several(some), degrees, strict=True):
                yield indexed_page(StoredDocument.unpacked(data), segment.columns, doc, **own)


def _degrees(opened: Opened, pages: NDArray[np.uint64]) -> list[dict[str, Any]]:
    """How many links lead to and from each; nothing of pages that are not in the graph."""
    if opened.graph is None:
        return [{}] * len(pages)
    graph = opened.graph.inward
    nodes = opened.graph.nodes(pages)
    return [
        {
            "in_degree": int(graph.starts[node + 1] - graph.starts[node]),
            "out_degree": int(graph.out_degrees[node]),
        }
        if node >= 0
        else {}
        for node in nodes.tolist()
    ]
