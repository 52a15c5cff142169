"""Which URLs enter the frontier: seeds, links, redirects, each routed to the partition of its host."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gossamer.engine.batch import Batch
from gossamer.engine.partition import Partition
from gossamer.frontier.frontier import Frontier
from gossamer.frontier.seen import SeenTable
from gossamer.model import CrawlRequest, Page, Url, UrlState
from gossamer.web.filters import UrlFilter
from gossamer.web.host import registrable_domain

SEED_PRIORITY = 1.0
FARTHEST = 1 << 30  # the depth of a host that nothing is known of


@dataclass(slots=True)
class Shard:
    """A partition at work: its frontier, the URLs it has seen, what it commits next."""

    batch: Batch
    frontier: Frontier
    seen: SeenTable

    @property
    def partition(self) -> Partition:
        return self.batch.partition


class Discovery:
    """Puts what nobody has seen yet into the right frontier."""

    def __init__(self, shards: Sequence[Shard], route: Callable[[str], int], url_filter: UrlFilter) -> None:
        self.shards = shards
        self._route = route
        self._filter = url_filter
        self.seeds: set[int] = set()  # fingerprints, with those that seeds redirect to
        self._depths: dict[str, int] = {}  # the least depth of each authority met so far
        self._asked_depths: set[str] = set()  # authorities for which the catalogue was asked, too

    def add_seeds(self, seeds: Iterable[Url]) -> None:
        for url in seeds:
            self.seeds.add(url.fingerprint)
            self._depths[url.authority] = 0
            shard = self.shards[self._route(url.host)]
            request = CrawlRequest(url, priority=SEED_PRIORITY)
            if not self._admit(shard, request):
                self._revive(shard, request)

    def host_depth(self, url: Url) -> int:
        """How many links a host is away from the seeds, at its nearest page."""
        known = self._depths.get(url.authority, FARTHEST)
        if url.authority not in self._asked_depths:
            self._asked_depths.add(url.authority)
            stored = self.shards[self._route(url.host)].partition.catalogue.host_depth(url.authority)
            known = self._depths[url.authority] = min(known, FARTHEST if stored is None else stored)
        return known

    def follow_links(self, request: CrawlRequest, page: Page) -> None:
        self._follow(_targets(page), request.depth + 1)

    def follow_redirect(self, request: CrawlRequest, target: Url) -> None:
        if request.url.fingerprint in self.seeds:
            self.seeds.add(target.fingerprint)
            self._filter = self._filter.admitting(registrable_domain(target.host))
        self._follow([target], request.depth, request.redirects + 1)

    def _follow(self, targets: Iterable[Url], depth: int, redirects: int = 0) -> None:
        for url in targets:
            if not self._filter.refusal(url, depth):
                # Also of URLs that are known: a shorter way to a host may be found later than a longer one.
                self._depths[url.authority] = min(depth, self._depths.get(url.authority, FARTHEST))
                request = CrawlRequest(url, depth=depth, priority=1.0 / (1.0 + depth), redirects=redirects)
                self._admit(self.shards[self._route(url.host)], request)

    def _admit(self, shard: Shard, request: CrawlRequest) -> bool:
        if not shard.seen.add(request.url.fingerprint):
            return False
        shard.batch.add(request)
        shard.frontier.add(request)
        return True

    def _revive(self, shard: Shard, request: CrawlRequest) -> None:
        """Somebody asks for it by name: what went wrong before is tried again."""
        fingerprint = request.url.fingerprint
        row = shard.partition.catalogue.url(fingerprint)
        if row is None:
            return
        if row.state in {UrlState.FAILED, UrlState.REFUSED}:
            shard.batch.then(lambda catalogue: catalogue.postpone(fingerprint, 0.0, 0, ""))
            shard.frontier.add(request)
        elif row.state is UrlState.QUEUED:
            shard.frontier.wake(request.url.authority, time.time())


def _targets(page: Page) -> list[Url]:
    """Where a page leads: its canonical address, a refresh, links that may be followed."""
    links = [] if page.nofollow else [link.target for link in page.links if not link.nofollow]
    return [*(url for url in (page.canonical, page.refresh) if url is not None), *links]
