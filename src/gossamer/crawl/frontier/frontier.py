"""Frontier of all partitions: which URLs enter it (seeds, links, sitemaps) and which are refused.

Most links of a page lead to known URLs. So all links of a page are looked up by fingerprint at once, and only
new URLs are parsed and checked.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.partition import Partition
from gossamer.crawl.frontier.url_order import SEED_SCORE, UrlOrder
from gossamer.crawl.hosts.knowledge import HostKnowledge
from gossamer.crawl.hosts.notes import drop_oldest
from gossamer.crawl.log import CrawlReport
from gossamer.crawl.partition_crawl import PartitionCrawl
from gossamer.crawl.settings import CrawlSettings
from gossamer.model import CrawlRequest, LinkFlag, Page, Url, UrlState
from gossamer.model.url import host_of
from gossamer.web.host import registrable_domain
from gossamer.web.sitemap import speaks_for
from gossamer.web.url import canonical
from gossamer.web.url_filter import UrlFilter


def url_filter(settings: CrawlSettings, seeds: Iterable[Url], partitions: Sequence[Partition]) -> UrlFilter:
    """Build the URL filter from the owner's settings."""
    sites = None
    if settings.stay_on_site:
        # A crawl without seeds stays on the sites of all earlier crawls.
        hosts = {url.host for url in seeds} or {
            host for partition in partitions for host in partition.catalogue.seed_hosts()
        }
        sites = frozenset(registrable_domain(host) for host in hosts)
    depth = None if settings.depth < 0 else settings.depth
    return UrlFilter(
        tuple(settings.include),
        tuple(settings.exclude),
        depth,
        sites,
        tuple(settings.hosts),
        tuple(settings.exclude_hosts),
        frozenset(ending.lower().lstrip(".") for ending in settings.exclude_endings),
        frozenset(settings.schemes),
    )


# Limits on sitemaps
# ------------------
#
# A sitemap index may name further indexes without end, so their levels and their number are limited. The
# origins of sitemaps are kept in memory only. The level of a sitemap that an earlier crawl queued is not
# known.

MOST_SITEMAPS = 500  # sitemaps that are read in one crawl for one authority that names them
DEEPEST = 2  # largest number of sitemap indexes between a robots.txt and a sitemap
MOST_NAMED = 50_000  # sitemaps whose origin is remembered


class SitemapOrigin(NamedTuple):
    """The authority that vouches for a sitemap."""

    by: str  # the authority whose robots.txt names the sitemap or its index
    level: int = 0  # sitemap indexes between the two


class SitemapSources:
    """The sitemaps of this crawl, with their origins."""

    def __init__(self) -> None:
        self._named: dict[int, SitemapOrigin] = {}  # by fingerprint, the latest last
        self.read: Counter[str] = Counter()  # number of sitemaps read, by the authority that vouches for them

    def __contains__(self, fingerprint: int) -> bool:
        return fingerprint in self._named

    def named_by(self, sitemap: Url) -> str | None:
        """Return the authority that vouches for a sitemap, or None."""
        named = self._named.get(sitemap.fingerprint)
        return named.by if named else None

    def below(self, index: Url) -> SitemapOrigin:
        """Return the origin of the sitemaps in a sitemap index.

        Below an index of unknown origin, only one more level is read.
        """
        named = self._named.get(index.fingerprint)
        return SitemapOrigin(named.by, named.level + 1) if named else SitemapOrigin(index.authority, DEEPEST)

    def has_room(self, named: SitemapOrigin) -> bool:
        return named.level <= DEEPEST and self.read[named.by] < MOST_SITEMAPS

    def add(self, sitemap: Url, named: SitemapOrigin) -> None:
        self._named[sitemap.fingerprint] = named
        drop_oldest(self._named, MOST_NAMED)


BLOCKED = "it is blocked in sites.txt"
TOO_DEEP = "too-deep"
MIRROR_TRIES = 50  # one in so many URLs of a mirror is fetched, to notice when it stops being a mirror
FARTHEST = 1 << 30  # depth of an unknown host
MOST_REFUSED = 200_000  # refused URLs that are remembered, so that they are not checked again on every page
MOST_NEAREST = 200_000  # waiting URLs whose least depth is tracked, if the depth is limited
_SITEMAP = LinkFlag.SITEMAP.value


class Frontier:
    """The queues of all partitions; decides which new URLs enter them."""

    def __init__(
        self,
        partition_crawls: Sequence[PartitionCrawl],
        route: Callable[[str], int],
        *,
        url_filter: UrlFilter,
        order: UrlOrder,
        knowledge: HostKnowledge,
        report: CrawlReport,
        prefetch: Callable[[Iterable[str]], None],
        blocks: Callable[[str], bool],
    ) -> None:
        self.partition_crawls = partition_crawls
        self.blocks = blocks  # whether the owner has blocked a host; may change during the crawl
        self._route = route
        self._filter = url_filter
        self._order = order
        self.knowledge = knowledge
        self._report = report
        self._settings = report.settings
        self._prefetch = prefetch  # looks up host names in advance
        self._refused: set[int] = set()
        self._nearest: dict[int, int] = {}  # the least depth of waiting URLs, if the depth is limited
        self._sitemaps = SitemapSources()
        self._pages: dict[str, int] = {}  # number of known URLs by authority, if it is limited
        self._depths: dict[str, int] = {}  # the least depth of each authority in this crawl
        self._asked_depths: set[str] = set()  # authorities whose depth was read from the catalogue, too
        self._mirrored = 0  # URLs of mirrors seen so far
        for authority, until in knowledge.breakers.pauses():
            self._home(authority).queues.delay_until(authority, until)

    def __len__(self) -> int:
        """Return the number of waiting URLs in all partitions."""
        return sum(len(partition_crawl.queues) for partition_crawl in self.partition_crawls)

    def wait(self) -> float:
        """Return the seconds until a URL may be handed out; infinity if none waits or all hosts are busy."""
        now = time.time()
        waits = (partition_crawl.queues.wait(now) for partition_crawl in self.partition_crawls)
        return min((wait for wait in waits if wait is not None), default=inf)

    def add_seeds(self, seeds: Iterable[Url]) -> None:
        """Add seeds, even if they failed before; seeds of blocked sites are refused."""
        for url in seeds:
            if self.blocks(url.host):
                self._report.progress.seed_errors[url.text] = BLOCKED
                continue
            self._make_own(url)
            self._depths[url.authority] = 0
            request = CrawlRequest(url, priority=self._order.score(url.fingerprint, 0))
            partition_crawl = self.partition_crawl(url)
            if not self._admit(partition_crawl, request):
                self._revive(partition_crawl, request)
            else:
                self._wake(partition_crawl, url.authority)

    def partition_crawl(self, url: Url) -> PartitionCrawl:
        """Return the partition that a URL belongs to."""
        return self.partition_crawls[self._route(url.host)]

    def _home(self, authority: str) -> PartitionCrawl:
        return self.partition_crawls[self._route(host_of(authority))]

    def host_depth(self, url: Url) -> int:
        """Return the depth of a host: the least number of links from a seed to one of its pages."""
        known = self._depths.get(url.authority, FARTHEST)
        if url.authority not in self._asked_depths:
            self._asked_depths.add(url.authority)
            stored = self.partition_crawl(url).partition.catalogue.host_depth(url.authority)
            known = self._depths[url.authority] = min(known, FARTHEST if stored is None else stored)
        return known

    def follow_links(self, request: CrawlRequest, page: Page) -> int:
        """Add the URLs that a page links to; return the number of links to new URLs.

        They are its links without nofollow, its canonical URL, its feeds and its translations.
        """
        depth = self._depth(request) + 1
        for url in (page.canonical, *page.feeds, *(url for _, url in page.alternates)):
            if url is not None:
                self._follow(url, depth, found_on=page.url)
        if page.nofollow or not len(page.links):
            return 0
        followed = page.links.followed
        numbers, texts, flags = page.links.numbers, page.links.texts(), page.links.flags
        unknown = followed & self._are_unknown(numbers)
        new = np.flatnonzero(unknown)
        refused = sum(not self._follow_new(int(numbers[i]), texts[i], flags[i], depth, page) for i in new)
        if self._settings.depth >= 0:
            self._shorten(numbers[followed & ~unknown], depth)
        self._come_nearer(texts, page.url.origin, depth)
        self._pay(request.url, numbers[followed], refused)
        return len(new)

    def is_filtered(self, request: CrawlRequest) -> bool:
        """Return whether the filters of this crawl exclude a URL that an earlier one has queued."""
        url = request.url
        if url.fingerprint in self._report.seeds or url.fingerprint in self._sitemaps:
            return False
        if url.path.endswith((".xml", ".xml.gz")):  # probably a sitemap: the filters of pages do not apply
            return self._filter.refuses_place(url)
        return bool(self._filter.refusal(url, request.depth))

    def refusal(self, url: Url, depth: int, found_on: Url | None = None) -> str:
        """Return why the notes on its host speak against a URL, or ""."""
        reason = self.knowledge.traps.refusal(url, depth, found_on) or self._too_deep(url, depth, found_on)
        if reason:
            self._report.trap_found(url, reason)
        elif (original := self.knowledge.mirrors.mirror_of(url.authority)) is not None:
            self._mirrored += 1
            return f"mirror of {original}" if self._mirrored % MIRROR_TRIES else ""
        return reason

    def _too_deep(self, url: Url, depth: int, found_on: Url | None) -> str:
        """Return the reason if a URL is too much deeper than the least deep page of its host, or "".

        A URL that another host links to is exempt.
        """
        limit = self._settings.host_depth
        if not limit or depth <= limit or found_on is None or found_on.authority != url.authority:
            return ""
        if depth - self.host_depth(url) <= limit:
            return ""
        self.knowledge.traps.leave_out(url.authority, TOO_DEEP)
        return TOO_DEEP

    def follow_sitemaps(self, request: CrawlRequest, addresses: Iterable[str]) -> None:
        """Add the sitemaps in the robots.txt of a host."""
        if not self._settings.sitemaps or self._settings.depth >= 0:
            return
        for address in addresses:
            url = canonical(address, request.url)
            if url is not None and url.fingerprint not in self._sitemaps:
                self._add_sitemap(url, request.depth, SitemapOrigin(request.url.authority))

    def _add_sitemap(self, url: Url, depth: int, named: SitemapOrigin) -> bool:
        """Queue a sitemap with a high score. Only the filters of hosts and schemes apply to it."""
        if not self._sitemaps.has_room(named) or self._filter.refuses_place(url) or self.blocks(url.host):
            return False
        self._sitemaps.add(url, named)
        score = max(SEED_SCORE, self._order.score(url.fingerprint, 0))
        is_new = self._admit(self.partition_crawl(url), CrawlRequest(url, depth, score))
        if is_new:
            self._sitemaps.read[named.by] += 1
        return is_new

    def add_probe(self, url: Url) -> None:
        """Queue a probe, a URL that cannot exist; it is not written to the catalogue."""
        self.partition_crawl(url).queues.add_new(CrawlRequest(url, priority=SEED_SCORE, probe=True))

    def _make_own(self, seed: Url) -> None:
        """Register a seed; if the crawl stays on the sites of its seeds, admit its site."""
        self._report.seeds.add(seed.fingerprint)
        wider = self._filter.admitting(registrable_domain(seed.host))
        if wider is not self._filter:
            self._filter = wider
            self._refused.clear()

    def follow_redirect(self, request: CrawlRequest, target: Url) -> None:
        if request.url.fingerprint in self._report.seeds:
            self._make_own(target)
        self._follow(target, self._depth(request), request.redirects + 1, request.url)

    def _depth(self, request: CrawlRequest) -> int:
        """Return the depth of a fetched page; a shorter path may have been found while it waited."""
        return min(request.depth, self._nearest.pop(request.url.fingerprint, FARTHEST))

    def _shorten(self, known: NDArray[np.uint64], depth: int) -> None:
        """Record shorter paths to waiting URLs. The links of fetched pages were already followed."""
        for fingerprint in known.tolist():
            if self._nearest.get(fingerprint, -1) > depth:
                self._nearest[fingerprint] = depth

    def _are_unknown(self, numbers: NDArray[np.uint64]) -> NDArray[np.bool_]:
        unknown = np.ones(len(numbers), np.bool_)
        for partition_crawl in self.partition_crawls:
            unknown &= partition_crawl.seen.states(numbers) == 0
        return unknown

    def _follow_new(self, fingerprint: int, text: str, flag: int, depth: int, page: Page) -> bool:
        """Check a new URL and queue it; return whether it was queued."""
        is_sitemap = flag & _SITEMAP and page.kind == "sitemap"
        if 0 <= self._settings.depth < depth or (fingerprint in self._refused and not is_sitemap):
            return False
        try:
            url = Url.parsed(text)
        except (ValueError, KeyError):  # a compromised worker process may send anything
            return False
        if page.kind == "sitemap":
            if not speaks_for(page.url, self._sitemaps.named_by(page.url), url):
                return False
            if is_sitemap:
                return self._add_sitemap(url, depth, self._sitemaps.below(page.url))
        return self._follow(self.knowledge.equivalences.rewritten(url) or url, depth, found_on=page.url)

    def _follow(self, url: Url, depth: int, redirects: int = 0, found_on: Url | None = None) -> bool:
        if reason := self._filter.refusal(url, depth):
            if reason != "depth":  # there may be a shorter path to it
                self._refuse(url.fingerprint)
            return False
        if self.blocks(url.host):  # not remembered, because the owner may unblock it
            return False
        if self.refusal(url, depth, found_on) or self._has_enough(url.authority):
            return False
        if url.authority not in self._depths:
            self._prefetch([url.host])
        self._depths[url.authority] = min(depth, self._depths.get(url.authority, FARTHEST))
        score = self._order.score(url.fingerprint, depth)
        is_new = self._admit(self.partition_crawl(url), CrawlRequest(url, depth, score, redirects))
        if is_new:
            self._note(url, depth)
        return is_new

    def _refuse(self, fingerprint: int) -> None:
        if len(self._refused) >= MOST_REFUSED:
            self._refused.clear()
        self._refused.add(fingerprint)

    def _note(self, url: Url, depth: int) -> None:
        """Update the counters of a new URL that the limits of this crawl need."""
        if url.authority in self._pages:
            self._pages[url.authority] += 1
        if self._settings.depth >= 0:
            if len(self._nearest) >= MOST_NEAREST:
                self._nearest.clear()
            self._nearest[url.fingerprint] = depth

    def _has_enough(self, authority: str) -> bool:
        """Return whether a host has reached the limit of pages for one host."""
        limit = self._settings.max_pages_per_host
        if not limit:
            return False
        if authority not in self._pages:
            home = self._home(authority)
            home.transaction.write_urls()
            self._pages[authority] = home.partition.catalogue.urls_of(authority)
        return self._pages[authority] >= limit

    def _come_nearer(self, texts: Iterable[str], origin: str, depth: int) -> None:
        """Lower the depths of the hosts that a page links to, except its own."""
        own = f"{origin}/"
        elsewhere = [text for text in texts if not text.startswith(own)]
        for authority in {text.partition("://")[2].partition("/")[0] for text in elsewhere}:
            if self._depths.get(authority, -1) > depth:
                self._depths[authority] = depth

    def _pay(self, source: Url, targets: NDArray[np.uint64], refused: int) -> None:
        """Share the score of a page among the known URLs that it links to."""
        amount = self._order.share(
            self.partition_crawl(source).seen, source.fingerprint, len(targets) - refused
        )
        if amount:
            for partition_crawl in self.partition_crawls:
                partition_crawl.seen.pay(targets, amount)

    def _admit(self, partition_crawl: PartitionCrawl, request: CrawlRequest) -> bool:
        if not partition_crawl.queues.add_new(request):
            return False
        partition_crawl.transaction.add(request)
        return True

    def _revive(self, partition_crawl: PartitionCrawl, request: CrawlRequest) -> None:
        """Queue a known seed again if it failed or was refused before."""
        fingerprint = request.url.fingerprint
        row = partition_crawl.partition.catalogue.url(fingerprint)
        if row is None:
            return
        if row.state in {UrlState.FAILED, UrlState.REFUSED}:
            partition_crawl.transaction.on_commit(
                lambda catalogue: catalogue.postpone(fingerprint, 0.0, 0, ""), request.url
            )
            partition_crawl.seen.set_score(fingerprint, request.priority)
            partition_crawl.transaction.moved.append(fingerprint)
            partition_crawl.queues.add(request)
        if row.state is not UrlState.FETCHED:
            self._wake(partition_crawl, request.url.authority)

    def _wake(self, partition_crawl: PartitionCrawl, authority: str) -> None:
        """End the back-off of a seed's host, but not a pause by Retry-After."""
        catalogue = partition_crawl.partition.catalogue
        host = catalogue.host(authority)
        if host is not None:
            catalogue.hasten(authority)
            partition_crawl.queues.wake(authority, time.time(), host.crawl_delay)
            partition_crawl.queues.delay_until(authority, catalogue.host_not_before(authority))
