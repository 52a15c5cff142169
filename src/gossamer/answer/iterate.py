"""Iterate over results and over all pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.index_reader import SearchableState
from gossamer.answer.page_info import PageInfo, degrees, indexed_page
from gossamer.answer.pipeline import AnswerPipeline
from gossamer.index.segment import Segment
from gossamer.index.stored_text import StoredDocument
from gossamer.model import Hit, ResultPage, SearchOptions

# Iterate over all pages of a query
# ---------------------------------
#
# A search lists 1,000 results at most. This iterates over all matching pages, without ranking them.

TOGETHER = 256  # documents that are read at once, because neighbours are compressed together
Docs = NDArray[np.int64]


def iterate_pages(searching: AnswerPipeline, text: str) -> Iterator[PageInfo]:
    """Iterate over the pages whose own words match a query, or over all pages if it is empty.

    Pages come from the index as it is when this function is called.
    """
    if not text.strip():
        opened = searching.opened()
        return _pages(opened, _all(opened))
    prepared = searching.prepare(text, SearchOptions())
    how = prepared.search.plan, prepared.search.stats, prepared.search.scheme
    found: list[tuple[Segment, Docs]] = []
    for searcher in prepared.searchers:
        segments = [view.segment for view in searcher.snapshot.views]
        found += zip(segments, searcher.matching(*how), strict=True)
    return _pages(prepared.opened, iter(found))


def _all(opened: SearchableState) -> Iterator[tuple[Segment, Docs]]:
    for searcher in opened.searchers:
        for view in searcher.snapshot.views:
            yield view.segment, np.flatnonzero(view.alive())


def _pages(opened: SearchableState, found: Iterator[tuple[Segment, Docs]]) -> Iterator[PageInfo]:
    for segment, docs in found:
        for first in range(0, len(docs), TOGETHER):
            some = docs[first : first + TOGETHER]
            degrees = _degrees(opened, segment.columns.fingerprints[some])
            for doc, data, own in zip(some.tolist(), segment.stored.several(some), degrees, strict=True):
                yield indexed_page(StoredDocument.unpacked(data), segment.columns, doc, **own)


def _degrees(opened: SearchableState, pages: NDArray[np.uint64]) -> list[dict[str, Any]]:
    """The in-degree and out-degree of each page; empty for pages that are not in the graph."""
    graph = opened.graph
    if graph is None:
        return [{}] * len(pages)
    return [degrees(graph, node) if node >= 0 else {} for node in graph.nodes(pages).tolist()]


FIRST = 10  # results of the first fetch; each further fetch asks for twice as many, up to `MOST`
MOST = 160


class ResultIterator(Sequence[Hit]):
    """Read the results of a query, best first; more are fetched as they are needed.

    A sequence of `Hit` with at most 1,000 items. If a crawl commits while results are read, results may
    change places, but none comes twice. `len` and negative indexes fetch all results.

    Attributes:
        first: The first `ResultPage`, with `total`, `did_you_mean`, `facets` and so on.

    Example:
        >>> results = engine.results("site:example.org")
        >>> results.total, results[0].title, len(results)
        (4, 'Visit us', 4)
    """

    def __init__(self, search: Callable[[SearchOptions], ResultPage], options: SearchOptions) -> None:
        self._search = search
        self._options = replace(options, k=FIRST, offset=0)
        self._hits: list[Hit] = []
        self._known: set[int] = set()
        self._is_all = False
        self.first = self._next_page()

    @property
    def total(self) -> int:
        """How many pages match. This may be more than the iterator returns."""
        return self.first.total

    def more(self) -> list[Hit]:
        """Fetch the next results; an empty list if there are no more."""
        while not self._is_all:
            before = len(self._hits)
            self._next_page()
            if len(self._hits) > before:
                return self._hits[before:]
        return []

    def _next_page(self) -> ResultPage:
        page = self._search(self._options)
        self._hits += [hit for hit in page.hits if hit.fingerprint not in self._known]
        self._known.update(hit.fingerprint for hit in page.hits)
        self._is_all = len(page.hits) < self._options.k
        reached = self._options.offset + self._options.k
        self._options = replace(self._options, offset=reached, k=min(2 * self._options.k, MOST))
        return page

    def __iter__(self) -> Iterator[Hit]:
        place = 0
        while place < len(self._hits) or self.more():
            yield self._hits[place]
            place += 1

    def __len__(self) -> int:
        while self.more():
            pass
        return len(self._hits)

    def __bool__(self) -> bool:
        return bool(self._hits)

    @overload
    def __getitem__(self, place: int) -> Hit: ...

    @overload
    def __getitem__(self, place: slice) -> list[Hit]: ...

    def __getitem__(self, place: int | slice) -> Hit | list[Hit]:
        if isinstance(place, slice):
            is_plain = place.stop is not None and min(place.start or 0, place.stop, place.step or 1) >= 0
            wanted = place.stop if is_plain else -1
        else:
            wanted = place + 1
        if wanted <= 0:
            len(self)
        while len(self._hits) < wanted and self.more():
            pass
        return self._hits[place]

    def __repr__(self) -> str:
        return f"<Results {self.first.query!r}: {self.total:,} pages match>"

    def _repr_html_(self) -> str:
        return self.first._repr_html_()
