"""link:, related:, info: operators."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.ranks.cocitation import CocitedPages, cocited
from gossamer.graph.reader import CollectionGraph, node_for_address
from gossamer.model import BadUrl, ByLinks, Query
from gossamer.scoring.two_phase import RankedCandidates
from gossamer.search.candidates import best_first
from gossamer.web.url import repair

REMEMBERED = 64
Pages = NDArray[np.uint64]


class LinkQueries:
    """Find pages for link operators. Without a link graph, only `info:` finds pages."""

    def __init__(self, graph: CollectionGraph | None) -> None:
        self._graph = graph
        self._related = lru_cache(REMEMBERED)(self._found)

    def pages(self, asked: ByLinks) -> Pages:
        """The fingerprints of the pages that an operator finds."""
        if asked.way == "info":
            return _addressed(self._graph, asked.url)
        node = node_for_address(self._graph, asked.url) if self._graph else None
        if self._graph is None or node is None:
            return np.empty(0, np.uint64)
        fingerprints = self._graph.generation.fingerprints
        if asked.way == "related":
            return fingerprints[self._related(node).nodes]
        return fingerprints[self._graph.inward.sources_of(node)]

    def likeness(self, url: str, pages: Pages) -> NDArray[np.float64]:
        """The similarity of pages to the page of an address; 0 for unrelated pages."""
        node = node_for_address(self._graph, url) if self._graph else None
        if self._graph is None or node is None:
            return np.zeros(len(pages))
        found = self._related(node)
        likeness = dict(zip(found.nodes.tolist(), found.likeness.tolist(), strict=True))
        return np.array([likeness.get(one, 0.0) for one in self._graph.nodes(pages).tolist()], np.float64)

    def notes(self, query: Query) -> list[str]:
        """Notes on the link operators of a query: facts for `info:`, and addresses that the graph lacks."""
        asked = [leaf for leaf, wanted in query.leaves() if wanted and isinstance(leaf, ByLinks)]
        return [note for leaf in asked for note in self._notes(leaf)]

    def _notes(self, leaf: ByLinks) -> list[str]:
        if self._graph is None:
            return [] if leaf.way == "info" else [f"{leaf.way}: finds nothing yet; run: gossamer rank"]
        node = node_for_address(self._graph, leaf.url)
        if node is None:
            return [f"the page {leaf.url} is not in the link graph"]
        if leaf.way != "info":
            return []
        into, away = self._graph.degrees(node)
        places = [f"{one.name} {one.value:.3g} (place {one.place:,})" for one in self._graph.standings(node)]
        arriving = "1 page links" if into == 1 else f"{into:,} pages link"
        return [f"the page {leaf.url}: {arriving} to it, it links to {away:,}; {', '.join(places)}"]

    def _found(self, node: int) -> CocitedPages:
        assert self._graph is not None
        return cocited(self._graph.inward, self._graph.outward, node)


def by_likeness(found: RankedCandidates, likeness: NDArray[np.float64]) -> RankedCandidates:
    """Order candidates by their similarity, the most similar first."""
    order = best_first(likeness, found.candidates.pages, len(likeness))
    reasons = {
        page: f"linked from the same pages, similarity {alike:.3f} of 1"
        for page, alike in zip(found.candidates.pages.tolist(), likeness.tolist(), strict=True)
    }
    return RankedCandidates(found.total, found.candidates.taken(order), likeness[order], 0, reasons=reasons)


def _addressed(graph: CollectionGraph | None, typed: str) -> Pages:
    """The page of an address: the canonical page from the graph, or else the address itself."""
    node = node_for_address(graph, typed) if graph else None
    if graph is not None and node is not None:
        return graph.generation.fingerprints[node : node + 1]
    try:
        return np.array([repair(typed)[0].fingerprint], np.uint64)
    except BadUrl:
        return np.empty(0, np.uint64)
