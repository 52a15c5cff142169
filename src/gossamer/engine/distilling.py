"""The hubs and authorities of a query: good answers that links name, and good lists of them.

`hits` lists the authorities of HITS, `hubs` its hubs, `salsa` the authorities of SALSA.

The best pages by text are the root set; the base set adds what links to them and what they link to. Roots are
as relevant as their text is, the others hardly; an authority counts as far as those who link to it have to do
with the query (`focus`), since what everybody names is an authority on everything. What is shown stands in
the index, whether it holds the words or not, and satisfies what the query demands of every page. Links
between hosts say more than those within one; where there are too few of them, all count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.blending import HUBS, SALSA
from gossamer.engine.graph import CollectionGraph
from gossamer.links.ranks.base_set import BaseSet, base_set
from gossamer.links.ranks.focus import focus
from gossamer.links.ranks.hits import HubsAndAuthorities, hits
from gossamer.links.ranks.salsa import salsa
from gossamer.search.candidates import Candidates, joined
from gossamer.search.phases import Ranked, Search
from gossamer.search.searcher import Searcher

ROOTS = 200
OTHERS = 0.01  # what a page counts that the words did not find
LEAST_LINKS = 1.0  # between hosts, to pages that were read, for every root
LEVELS = 1_000_000

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Distilled:
    """What the links around the best pages by text say of a query."""

    search: Search
    searchers: Sequence[Searcher]
    graph: CollectionGraph

    def ranked(self, way: str) -> Ranked:
        """The best hubs or authorities first, then what only text speaks for."""
        found = self.search.ranked(self.searchers, ROOTS)
        roots = found.candidates[:ROOTS]
        nodes, scores = self.graph.nodes(roots.pages), found.scores[:ROOTS]
        known = nodes >= 0
        if not known.any():
            return found
        base, hosts = self._base(nodes[known])
        if way == SALSA:
            result = salsa(base)
            return self._listed(found, roots, base, result.authorities, _reasons(base, result))
        relevance = _relevance(base, nodes[known], scores[known])
        result = hits(base, relevance=relevance)
        if way == HUBS:
            return self._listed(found, roots, base, result.hubs, _reasons(base, result))
        share = focus(self.graph.inward, base, relevance, hosts)
        focused = result.authorities * share
        values = focused / (np.linalg.norm(focused) or 1.0)
        return self._listed(found, roots, base, values, _reasons(base, result, share))

    def _base(self, roots: NDArray[np.int64]) -> tuple[BaseSet, NDArray[np.uint32] | None]:
        """The base set, and the hosts within which links do not count, unless all do.

        A crawl that keeps to its hosts knows many links to others, and none of what they lead to: only those
        to pages that were read, which have links themselves, tell that hosts name each other.
        """
        inward, outward, hosts = self.graph.inward, self.graph.outward, self.graph.host_numbers
        base = base_set(inward, outward, roots, hosts=hosts)
        read = np.count_nonzero(inward.out_degrees[base.nodes[base.out.targets]])
        enough = read >= LEAST_LINKS * len(roots)
        return (base, hosts) if enough else (base_set(inward, outward, roots), None)

    def _listed(
        self, found: Ranked, roots: Candidates, base: BaseSet, values: Floats, reasons: list[str]
    ) -> Ranked:
        pages = self.graph.generation.fingerprints[base.nodes]
        named = values > 0
        parts = [self._in_index(number, pages[named], values[named]) for number in range(len(self.searchers))]
        linked = joined(parts).best(int(named.sum()))
        rest = roots.taken(np.isin(roots.pages, linked.pages, invert=True))
        new = int(np.isin(linked.pages, roots.pages, invert=True).sum())
        scores = np.concatenate([linked.scores / LEVELS, np.zeros(len(rest))])
        total = found.total + new if len(found.candidates) <= ROOTS else len(linked) + len(rest)
        said = dict(zip(pages.tolist(), reasons, strict=True))
        return Ranked(total, joined([linked, rest]), scores, 0, reasons=said)

    def _in_index(self, number: int, pages: NDArray[np.uint64], values: Floats) -> Candidates:
        """Those of the pages that a partition has, and that the query's conditions allow."""
        searcher, found = self.searchers[number], []
        for segment, view in enumerate(searcher.snapshot.views):
            places = view.segment.places(pages)
            rows = np.flatnonzero(places >= 0)
            rows = rows[np.argsort(places[rows])]
            rows = rows[searcher.allowed(segment, self.search.plan, places[rows])]
            levels = np.rint(values[rows] * LEVELS).astype(np.int64)
            where = (np.full(len(rows), number), np.full(len(rows), segment), places[rows])
            found.append(Candidates(levels, pages[rows], *where))
        return joined(found)


def _relevance(base: BaseSet, roots: NDArray[np.int64], scores: Floats) -> Floats:
    """Roots by how far they stand above the first that was left out, squared: scores fall slowly, and a long
    tail of roots that only mention the words would drag the whole set to what everybody links to."""
    relevance = np.full(len(base.nodes), OTHERS)
    order = np.argsort(base.nodes[: base.roots])
    places = order[np.searchsorted(base.nodes[: base.roots][order], roots)]
    least = float(scores.min()) if len(scores) >= ROOTS else 0.0
    above = (scores - least) / max(float(scores.max()) - least, 1e-12)
    np.maximum.at(relevance, places, above**2)
    return relevance


def _reasons(base: BaseSet, result: HubsAndAuthorities, focus: Floats | None = None) -> list[str]:
    """What is said of each page: its scores as they are in the base set, and the focus that one counts by."""
    within = f"among {len(base.nodes):,} pages and {len(base.sources):,} links around the query"
    times = [""] * len(base.nodes) if focus is None else [f" times focus {own:.3g}" for own in focus.tolist()]
    rows = zip(result.authorities.tolist(), times, result.hubs.tolist(), strict=True)
    return [f"authority {own:.3g}{by}, hub {hub:.3g} {within}" for own, by, hub in rows]
