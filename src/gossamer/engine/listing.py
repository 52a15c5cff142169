"""Which documents answer, and in which order are they listed?

Most are found by words, best first. Asked for so, they come by date, by the links of a query's own small
graph (`hits`, `hubs`, `salsa`), or by how alike they are linked (`related:`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gossamer.engine.arranging import Arranged, arranged, as_ranked, only, without
from gossamer.engine.asking import DEEPEST, Asked
from gossamer.engine.blending import OF_A_QUERY
from gossamer.engine.distilling import Distilled
from gossamer.engine.link_queries import by_likeness
from gossamer.engine.wanting import first
from gossamer.model import UNFETCHED, ByLinks, Candidate
from gossamer.search.phases import Ranked
from gossamer.search.settings import SearchSettings

NeverFetched = Callable[[Sequence[int]], dict[int, str]]  # the addresses of those pages that still are not


@dataclass(frozen=True, slots=True)
class Listed:
    """What was found, and what is listed of it."""

    found: Ranked
    arranged: Arranged
    addresses: dict[int, str]  # of pages that were not fetched yet

    def cut(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Places of what is shown, and how many of the host of each were put off."""
        more = self.arranged.more
        for number, place in enumerate(self.arranged.places[begin:end], begin):
            yield place, more[number] if number < len(more) else 0


class Listing:
    """Finds and lists documents."""

    def __init__(self, settings: SearchSettings, never_fetched: Sequence[NeverFetched]) -> None:
        self._settings = settings
        self._never_fetched = never_fetched

    def of(self, asked: Asked) -> Listed:
        """What is listed for a request, as deep as it wants."""
        ranked, depth = _way(asked), asked.depth
        deep = depth
        while True:
            found, addresses = self._still_unfetched(ranked(deep))
            listed = self._arranged(asked, found)
            is_all = len(found.candidates) >= found.total
            if is_all or len(listed.places) >= depth or deep > depth or not listed.folded:
                return Listed(found, listed, addresses)
            deep = depth + listed.folded  # others come in the place of what was folded

    def best(self, asked: Asked, listed: Listed) -> Listed:
        """The best results, of which groups and filters are made, where the newest are listed."""
        request = asked.request
        if not (request.newest_first and (request.clusters or request.cluster or request.facets)):
            return listed
        # What is known together is the same however few are wanted.
        return self.of(replace(asked, request=replace(request, newest_first=False, k=1, offset=0)))

    def narrowed(self, asked: Asked, best: Listed, members: Sequence[int]) -> Listed:
        """Only these of the best results, in the order that was asked for."""
        if asked.request.newest_first:
            own = best.found.candidates.taken(np.array(members, np.int64))
            found = asked.search.newest_of(asked.searchers, own)
        else:
            found = only(best.found, best.arranged, members)
        return replace(best, found=found, arranged=self._arranged(asked, found))

    def led(self, asked: Asked, listed: Listed, page: Candidate | None) -> Listed:
        """The same with the page first that is surely wanted, unless another order was asked for."""
        if page is None or asked.as_found or asked.by in OF_A_QUERY:
            return listed
        found, places = first(listed.found, listed.arranged, page)
        return replace(listed, found=found, arranged=places)

    def _arranged(self, asked: Asked, found: Ranked) -> Arranged:
        if asked.as_found:
            return as_ranked(found)
        anchors, of_one_site = asked.search.anchors, asked.of_one_site
        return arranged(found, asked.searchers, anchors, self._settings, of_one_site, asked.depth)

    def _still_unfetched(self, found: Ranked) -> tuple[Ranked, dict[int, str]]:
        """Without pages that were fetched, refused or given up since the texts of links were indexed."""
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


def _way(asked: Asked) -> Callable[[int], Ranked]:
    """What gives the best documents, or the newest, as many as are asked for."""
    search, searchers, opened = asked.search, asked.searchers, asked.opened
    if asked.request.newest_first:
        return lambda deep: search.newest(searchers, deep)
    if asked.by in OF_A_QUERY and opened.graph and search.plan.ranks:
        distilled = Distilled(search, searchers, opened.graph).ranked(asked.by)
        return lambda _: distilled
    links = [leaf for leaf, wanted in asked.query.leaves() if wanted and isinstance(leaf, ByLinks)]
    related = [leaf.url for leaf in links if leaf.way == "related"]
    if related and not search.plan.ranks:
        found = search.ranked(searchers, DEEPEST)
        likeness = opened.link_queries.likeness(related[0], found.candidates.pages)
        alike = by_likeness(found, likeness)
        return lambda _: alike
    return lambda deep: search.ranked(searchers, deep)
