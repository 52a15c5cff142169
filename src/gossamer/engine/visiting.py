"""One request from the frontier: may the host be asked, what does it say, what follows from it?"""

from __future__ import annotations

import time

from gossamer.engine.arriving import Arrivals
from gossamer.engine.discovery import Discovery, Shard
from gossamer.engine.hosts import UNREACHABLE_FOR, HostRules, Hosts
from gossamer.engine.intake import Intake
from gossamer.engine.journal import Journal
from gossamer.engine.learned import Learned
from gossamer.engine.live import LiveIndex
from gossamer.engine.progress import CrawlProgress
from gossamer.engine.rechecking import Rechecking
from gossamer.engine.revisiting import Revisits
from gossamer.engine.setbacks import PASSING_STATUS, SPOKEN, Setbacks, reason_of
from gossamer.engine.settings import CrawlSettings
from gossamer.fetch.fetcher import Fetcher
from gossamer.model import CrawlRequest, FetchResult, Url, UrlState
from gossamer.model.errors import BEYOND_ONE_PAGE, internal_error
from gossamer.store.revisits import KnownPage

BLOCKED = "it is blocked in sites.txt"
BLOCKED_FOR = 86_400.0  # seconds for which known pages of a blocked site are not looked at again


class Visitor:
    """Carries requests out; what it learns goes into batches, frontiers and the progress."""

    def __init__(
        self,
        fetcher: Fetcher,
        hosts: Hosts,
        intake: Intake,
        discovery: Discovery,
        learned: Learned,
        settings: CrawlSettings,
        progress: CrawlProgress,
        live: LiveIndex | None,
        journal: Journal,
        revisits: Revisits,
        rechecking: Rechecking,
    ) -> None:
        self._fetcher = fetcher
        self._hosts = hosts
        self._discovery = discovery
        self._learned = learned
        self._progress = progress
        self._journal = journal
        self._revisits = revisits
        self._rechecking = rechecking
        self._setbacks = Setbacks(
            learned.breakers, revisits, rechecking, settings, progress, journal, self._note_seed
        )
        self._arrivals = Arrivals(
            intake, discovery, learned, revisits, rechecking, live, settings.max_redirects, progress, journal,
            self._note_seed,
        )  # fmt: skip
        self.looking_up = 0  # visits that wait for the address of their host
        for authority, until in learned.breakers.pauses():
            discovery.shards[learned.home(authority)].frontier.hold(authority, until)

    async def visit(self, shard: Shard, request: CrawlRequest) -> None:
        """Carries a request out. An error of ours on the way costs this page, and no other."""
        self._progress.current = request.url.text
        before, result = self._revisits.known(request), None
        try:
            result = await self._ask(shard, request)
            if result is not None:
                await self._take(shard, request, result)
        except BEYOND_ONE_PAGE:
            raise
        except Exception as error:
            if result is None:
                # The host may be free already: then nobody was handed out since, for nothing was awaited.
                shard.frontier.done(request.url.authority, time.time(), 0.0)
            self._break_off(shard, request, before, result, internal_error(error))

    async def _ask(self, shard: Shard, request: CrawlRequest) -> FetchResult | None:
        """The answer to a request; None when it is not asked for now, perhaps for robots.txt instead.

        Every way through here tells the frontier that the host is free again.
        """
        url = request.url
        if self._discovery.blocks(url):
            self._pass_over(shard, request)
            return None
        host = self._hosts.known(shard.batch, url)
        if self._is_left_out(request):
            # By today's filters: it stays queued, and nobody else waits for it.
            self._progress.left_out += 1
            shard.frontier.unasked(url.authority)
        elif host is None:
            await self._ask_robots(shard, request)
        elif host.unreachable:
            until = host.fetched_at + UNREACHABLE_FOR
            self._setbacks.wait_for_host(shard, request, until, "robots-unreachable")
            shard.frontier.unasked(url.authority)
        elif reason := self._refusal(host, request):
            if request.probe:
                self._arrivals.not_probed(shard, url)
            else:
                self._refuse(shard, url, reason)
            shard.frontier.unasked(url.authority)
        elif not await self._queues_up(shard, request):
            result = await self._fetcher.fetch(request)
            self._tell(host, result)
            # How long a failure took says nothing about how long an answer takes.
            elapsed = 0.0 if result.failure else result.elapsed
            shard.frontier.done(url.authority, time.time(), elapsed, host.crawl_delay)
            if result.status or result.failure in SPOKEN:
                self._setbacks.hear(shard, url.authority)
            return result
        return None

    async def _take(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        """Sees to what follows from an answer, or from none."""
        if request.probe:
            await self._arrivals.probed(shard, result)
        elif result.failure is not None or result.status in PASSING_STATUS:
            self._journal.answer(result, reason_of(result))
            self._setbacks.failed(shard, request, result)
        else:
            await self._arrivals.take(shard, request, result)

    def _break_off(
        self,
        shard: Shard,
        request: CrawlRequest,
        before: KnownPage | None,
        result: FetchResult | None,
        reason: str,
    ) -> None:
        result = result or FetchResult(request.url, time.time())
        self._journal.answer(result, reason)
        self._progress.broke(request.url.text, reason)
        if request.probe:
            self._arrivals.not_probed(shard, request.url)
        else:
            self._setbacks.break_off(shard, request, before, result, reason)

    def lost(self, url: Url, reason: str) -> None:
        """A commit had to give a page up."""
        self._journal.note("lost", url=url.text, reason=reason)
        self._progress.broke(url.text, reason)
        self._rechecking.lost(url)

    def _tell(self, host: HostRules, result: FetchResult) -> None:
        """Tells whoever watches what came."""
        authority, size = result.url.authority, len(result.body)
        if result.failure is None:
            self._progress.answered(authority, result.status, "", result.elapsed, size)
        else:
            self._progress.answered(authority, 0, result.failure.value, result.elapsed, size)
        if host.crawl_delay:
            self._progress.wished(authority, host.crawl_delay)

    def _is_left_out(self, request: CrawlRequest) -> bool:
        """Whether it was queued by an earlier crawl, and this one does not want it."""
        if request.probe or self._revisits.known(request) is not None:
            return False
        return self._discovery.leaves_out(request)

    def _pass_over(self, shard: Shard, request: CrawlRequest) -> None:
        """The owner has blocked the site since: all that waits of the host stays queued for a later crawl."""
        url = request.url
        until = time.time() + BLOCKED_FOR
        self._progress.left_out += 1
        self._revisits.let_go(shard.frontier.forget(url.authority))
        if request.probe:
            self._arrivals.not_probed(shard, url)
        elif self._revisits.known(request) is not None:
            self._revisits.finished(shard, url, until)
        self._revisits.put_off(shard, url.authority, until)
        shard.frontier.unasked(url.authority)
        self._journal.note("blocked", url=url.text)
        self._note_seed(url, BLOCKED)

    def _refusal(self, host: HostRules, request: CrawlRequest) -> str:
        """Why it is not asked for: what was learned since it was found may speak against it."""
        if not host.rules.allows(request.url, self._hosts.agent):
            return "robots"
        if request.probe or request.url.fingerprint in self._discovery.seeds:
            return ""
        known = self._revisits.known(request)
        if known is not None and known.state is UrlState.FETCHED:
            return ""
        return self._learned.refusal(request.url, request.depth)

    async def _ask_robots(self, shard: Shard, request: CrawlRequest) -> None:
        """The question for robots.txt is a request too: the page itself waits for its turn again."""
        if await self._queues_up(shard, request):
            return
        begun = time.time()
        failed = await self._hosts.ask(shard.batch, request.url)
        now = time.time()
        host = self._hosts.known(shard.batch, request.url)
        elapsed = host.elapsed if host is not None and failed is None else 0.0
        self._journal.robots(request.url, failed, host, now - begun)
        if failed is not None:
            self._progress.answered(request.url.authority, 0, reason_of(failed), 0.0, 0)
        if host is not None and host.crawl_delay:
            self._progress.wished(request.url.authority, host.crawl_delay)
        shard.frontier.done(request.url.authority, now, elapsed, host.crawl_delay if host else None)
        if failed is None:
            self._setbacks.hear(shard, request.url.authority)
            self._setbacks.put_back(shard, request)
            if host is not None:
                self._setbacks.heed(shard, request.url.authority, host.not_before)
                self._discovery.follow_sitemaps(request, host.rules.sitemaps)
        else:
            self._setbacks.failed(shard, request, failed)

    async def _queues_up(self, shard: Shard, request: CrawlRequest) -> bool:
        """Whether a host has to wait: its address is found only now, and others are asked there, too."""
        host, frontier = request.url.host, shard.frontier
        is_known = self._setbacks.has_heard(request.url.authority)
        if is_known or not host or frontier.takes_turns(host):
            return False
        await self._look_up(host)
        if not frontier.takes_turns(host):
            return False
        self._setbacks.put_back(shard, request)
        frontier.unasked(request.url.authority)
        return True

    async def _look_up(self, host: str) -> None:
        """Finds the host's address; whoever waits for a name server keeps nobody from connecting."""
        self.looking_up += 1
        try:
            await self._fetcher.look_up(host)
        finally:
            self.looking_up -= 1

    def _refuse(self, shard: Shard, url: Url, reason: str) -> None:
        shard.batch.then(lambda catalogue: catalogue.refuse(url.fingerprint, reason), url)
        shard.settle(url.fingerprint)
        self._rechecking.refused(shard, url, reason)
        self._journal.note("refused", url=url.text, reason=reason)
        self._progress.refused += reason == "robots"
        self._progress.left_out += reason != "robots"
        self._note_seed(url, "robots.txt forbids it" if reason == "robots" else reason)

    def _note_seed(self, url: Url, what: str) -> None:
        if url.fingerprint in self._discovery.seeds:
            self._progress.seed_errors[url.text] = what
