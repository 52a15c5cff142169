"""Order of the result list: score, date, HITS, similarity.

By default results are ordered by score. A request may ask for the newest first, or for the ranks of HITS or
SALSA on the link graph around the query (`hits`, `hubs`, `salsa`). `related:` orders by similarity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gossamer.answer.diversify import ResultOrder, diversified, only, without
from gossamer.answer.link_operators import by_likeness
from gossamer.answer.navigational import put_target_first
from gossamer.answer.prepare import PreparedQuery
from gossamer.graph.blend import HUBS, OF_A_QUERY, SALSA
from gossamer.graph.ranks.hits import BaseSet, HubsAndAuthorities, base_set, focus, hits, salsa
from gossamer.graph.reader import CollectionGraph
from gossamer.model import MAX_RESULTS, UNFETCHED, ByLinks, Candidate
from gossamer.scoring.two_phase import RankedCandidates, TwoPhaseSearch
from gossamer.search.candidates import Candidates, joined
from gossamer.search.searcher import Searcher

# Order by HITS or SALSA
# ----------------------
#
# `hits` lists the authorities of HITS, `hubs` its hubs, `salsa` the authorities of SALSA.
#
# The root set consists of the best pages by text; the base set adds the pages that link to them and
# the pages that they link to. The relevance of a root is its score by text, that of other pages is
# nearly 0. Pages that everybody links to would be authorities on every query, so the authority of a
# page is multiplied by the relevance of the pages that link to it (`focus`). Only pages of the index
# that satisfy the conditions of the query are listed, but they need not have its words. Links within a
# host do not count, unless there are too few links between hosts.

ROOTS = 200
OTHERS = 0.01  # the relevance of a page that is no root
LEAST_LINKS = 1.0  # links between hosts to fetched pages that are needed for each root
LEVELS = 1_000_000  # for a score of 1: the scores of candidates are whole numbers
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class HitsRanking:
    """Rank by HITS or SALSA on the link graph around the best pages by text."""

    search: TwoPhaseSearch
    searchers: Sequence[Searcher]
    graph: CollectionGraph

    def ranked(self, way: str) -> RankedCandidates:
        """Rank the best hubs or authorities first, then the roots that have no such score."""
        found = self.search.ranked(self.searchers, ROOTS)
        roots = found.candidates[:ROOTS]
        nodes, scores = self.graph.nodes(roots.pages), found.scores[:ROOTS]
        known = nodes >= 0
        if not known.any():
            return found
        base, hosts = self._base(nodes[known])
        relevance, share = _relevance(base, nodes[known], scores[known]), None
        result = salsa(base) if way == SALSA else hits(base, relevance=relevance)
        values = result.hubs if way == HUBS else result.authorities
        if way not in (SALSA, HUBS):
            share = focus(self.graph.inward, base, relevance, hosts)
            values = values * share
            values /= np.linalg.norm(values) or 1.0
        return self._listed(found, roots, base, values, _reasons(base, result, share))

    def _base(self, roots: NDArray[np.int64]) -> tuple[BaseSet, NDArray[np.uint32] | None]:
        """The base set, and the host numbers if links within a host do not count.

        A crawl that stays on its hosts knows many links to other hosts, but not the pages there. So only
        links to pages that have links themselves show that hosts link to each other.
        """
        inward, outward, hosts = self.graph.inward, self.graph.outward, self.graph.host_numbers
        base = base_set(inward, outward, roots, hosts=hosts)
        fetched = np.count_nonzero(inward.out_degrees[base.nodes[base.out.targets]])
        enough = fetched >= LEAST_LINKS * len(roots)
        return (base, hosts) if enough else (base_set(inward, outward, roots), None)

    def _listed(
        self, found: RankedCandidates, roots: Candidates, base: BaseSet, values: Floats, reasons: list[str]
    ) -> RankedCandidates:
        pages = self.graph.generation.fingerprints[base.nodes]
        named = values > 0
        parts = [self._in_index(number, pages[named], values[named]) for number in range(len(self.searchers))]
        linked = joined(parts).best(int(named.sum()))
        rest = roots.taken(np.isin(roots.pages, linked.pages, invert=True))
        new = int(np.isin(linked.pages, roots.pages, invert=True).sum())
        scores = np.concatenate([linked.scores / LEVELS, np.zeros(len(rest))])
        total = found.total + new if len(found.candidates) <= ROOTS else len(linked) + len(rest)
        by_page = dict(zip(pages.tolist(), reasons, strict=True))
        return RankedCandidates(total, joined([linked, rest]), scores, 0, reasons=by_page)

    def _in_index(self, number: int, pages: NDArray[np.uint64], values: Floats) -> Candidates:
        """The pages that a partition has and that satisfy the conditions of the query."""
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
    """Relevance of each page: for a root, its distance above the lowest score, squared.

    Scores fall slowly. Without the square, many roots that only mention the words would outweigh the best.
    """
    relevance = np.full(len(base.nodes), OTHERS)
    order = np.argsort(base.nodes[: base.roots])
    places = order[np.searchsorted(base.nodes[: base.roots][order], roots)]
    least = float(scores.min()) if len(scores) >= ROOTS else 0.0
    above = (scores - least) / max(float(scores.max()) - least, 1e-12)
    np.maximum.at(relevance, places, above**2)
    return relevance


def _reasons(base: BaseSet, result: HubsAndAuthorities, focus: Floats | None = None) -> list[str]:
    """Explain the score of each page: its authority and hub score in the base set, and its focus."""
    within = f"among {len(base.nodes):,} pages and {len(base.sources):,} links around the query"
    times = [""] * len(base.nodes) if focus is None else [f" times focus {own:.3g}" for own in focus.tolist()]
    rows = zip(result.authorities.tolist(), times, result.hubs.tolist(), strict=True)
    return [f"authority {own:.3g}{by}, hub {hub:.3g} {within}" for own, by, hub in rows]


NeverFetched = Callable[[Sequence[int]], dict[int, str]]  # addresses of the pages that are still unfetched


@dataclass(frozen=True, slots=True)
class ResultList:
    """The ranked candidates, and the order in which they are listed."""

    found: RankedCandidates
    arranged: ResultOrder
    addresses: dict[int, str]  # of unfetched pages, by fingerprint

    def cut(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield candidates from `begin` to `end`, each with the number of postponed results of its host."""
        more = self.arranged.more
        for number, place in enumerate(self.arranged.places[begin:end], begin):
            yield place, more[number] if number < len(more) else 0


class Listing:
    """Find documents and list them in the order that the request asks for."""

    def __init__(self, never_fetched: Sequence[NeverFetched]) -> None:
        self._never_fetched = never_fetched

    def of(self, prepared: PreparedQuery) -> ResultList:
        """List the results of a request, as many as it needs."""
        ranked, depth = _ranking(prepared), prepared.depth
        deep = depth
        while True:
            found, addresses = self._still_unfetched(ranked(deep))
            listed = self._arranged(prepared, found)
            is_all = len(found.candidates) >= found.total
            if is_all or len(listed.places) >= depth or deep > depth or not listed.folded:
                return ResultList(found, listed, addresses)
            deep = depth + listed.folded  # more results, to replace the folded ones

    def best(self, prepared: PreparedQuery, listed: ResultList) -> ResultList:
        """List the best results, for clusters and facets, even if the request asks for the newest first."""
        options = prepared.options
        if not (options.newest_first and (options.clusters or options.cluster or options.facets)):
            return listed
        # k is 1 because clusters and facets use the first `rerank_depth` results in any case.
        return self.of(replace(prepared, options=replace(options, newest_first=False, k=1, offset=0)))

    def narrowed(self, prepared: PreparedQuery, best: ResultList, members: Sequence[int]) -> ResultList:
        """List only these of the best results, in the order of the request."""
        if prepared.options.newest_first:
            own = best.found.candidates.taken(np.array(members, np.int64))
            found = prepared.search.newest_of(prepared.searchers, own)
        else:
            found = only(best.found, best.arranged, members)
        return replace(best, found=found, arranged=self._arranged(prepared, found))

    def with_target_first(
        self, prepared: PreparedQuery, listed: ResultList, page: Candidate | None
    ) -> ResultList:
        """Put the target of a navigational query first, unless the request asks for another order."""
        if page is None or prepared.as_found or prepared.link_rank in OF_A_QUERY:
            return listed
        found, places = put_target_first(listed.found, listed.arranged, page)
        return replace(listed, found=found, arranged=places)

    def _arranged(self, prepared: PreparedQuery, found: RankedCandidates) -> ResultOrder:
        if prepared.as_found:
            return ResultOrder(range(len(found.candidates)))
        return diversified(found, prepared)

    def _still_unfetched(self, found: RankedCandidates) -> tuple[RankedCandidates, dict[int, str]]:
        """Drop unfetched pages that were fetched, refused or given up since anchor text was indexed.

        Also return the addresses of those that are left.
        """
        if found.candidates.home and found.candidates.home[1] != UNFETCHED:
            return found, {}
        places = np.flatnonzero(found.candidates.segments == UNFETCHED)
        if not len(places):
            return found, {}
        unfetched = found.candidates.taken(places)
        addresses: dict[int, str] = {}
        for partition, _, rows in unfetched.by_segment():
            addresses |= self._never_fetched[partition](unfetched.pages[rows].tolist())
        gone = [page not in addresses for page in unfetched.pages.tolist()]
        return without(found, places[gone]), addresses


def _ranking(prepared: PreparedQuery) -> Callable[[int], RankedCandidates]:
    """Choose the ranking of a request: a function from the number of results to these."""
    search, searchers, opened = prepared.search, prepared.searchers, prepared.opened
    if prepared.options.newest_first:
        return lambda deep: search.newest(searchers, deep)
    if prepared.link_rank in OF_A_QUERY and opened.graph and search.plan.ranks:
        by_links = HitsRanking(search, searchers, opened.graph).ranked(prepared.link_rank)
        return lambda _: by_links
    links = [leaf for leaf, wanted in prepared.query.leaves() if wanted and isinstance(leaf, ByLinks)]
    related = [leaf.url for leaf in links if leaf.way == "related"]
    if related and not search.plan.ranks:
        found = search.ranked(searchers, MAX_RESULTS)
        likeness = opened.link_queries.likeness(related[0], found.candidates.pages)
        alike = by_likeness(found, likeness)
        return lambda _: alike
    return lambda deep: search.ranked(searchers, deep)
