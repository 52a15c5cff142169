"""One visit: robots check, fetch, redirect limit, follow-up."""

from __future__ import annotations

import time
from secrets import token_hex

from gossamer.crawl.discover import Discovery
from gossamer.crawl.fetch.fetcher import Fetcher
from gossamer.crawl.frontier.frontier import Shard
from gossamer.crawl.hosts.circuit_breaker import UNREACHABLE_FOR
from gossamer.crawl.hosts.knowledge import Learned, content_print
from gossamer.crawl.ingest import Intake, Taken
from gossamer.crawl.live_index import LiveIndex
from gossamer.crawl.log import Journal
from gossamer.crawl.recheck import NOT_MODIFIED, Rechecking
from gossamer.crawl.retry import PASSING_STATUS, SPOKEN, NoteSeed, Setbacks, reason_of
from gossamer.crawl.revisit.schedule import Revisits
from gossamer.crawl.robots_cache import HostRules, Hosts
from gossamer.crawl.settings import CrawlSettings
from gossamer.duplicates.verdict import NEARLY, SAME
from gossamer.model import CrawlRequest, FetchResult, Page, Url, UrlState
from gossamer.model.errors import BEYOND_ONE_PAGE, internal_error
from gossamer.model.progress import CrawlProgress
from gossamer.storage.catalogue.urls import KnownPage
from gossamer.text.shingles import ContentPrint


class Arrivals:
    """Takes answers in; what is found in them goes into batches, frontiers and the progress."""

    def __init__(
        self,
        intake: Intake,
        discovery: Discovery,
        learned: Learned,
        revisits: Revisits,
        rechecking: Rechecking,
        live: LiveIndex | None,
        max_redirects: int,
        progress: CrawlProgress,
        journal: Journal,
        note_seed: NoteSeed,
    ) -> None:
        self._intake = intake
        self._discovery = discovery
        self._learned = learned
        self._revisits = revisits
        self._rechecking = rechecking
        self._live = live
        self._max_redirects = max_redirects
        self._progress = progress
        self._journal = journal
        self._note_seed = note_seed
        self._answering: set[str] = set()  # authorities that gave a document

    async def take(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        """An answer that is neither a failure nor a passing trouble of the server."""
        self._learned.breakers.succeed(request.url.authority)
        before = self._revisits.known(request)
        if before is not None and self._rechecking.settled(shard, before, result):
            self._journal.answer(result, "unchanged" if result.status == NOT_MODIFIED else reason_of(result))
            return
        taken = await self._intake.take(shard.batch, request, result, before)
        if before is not None and taken.stays:
            self._journal.answer(result, taken.reason)
            self._rechecking.doubted(shard, before, result, taken.reason)
            return
        shard.settle(request.url.fingerprint)
        self._rechecking.taken(shard, request, before, result, taken)
        target = taken.redirect_to if taken.state is UrlState.REDIRECT else None
        self._journal.answer(result, taken.reason, taken.verdict, target)
        if taken.state is UrlState.FETCHED:
            self._fetched(request, taken, before is None)
        elif taken.redirect_to is not None:
            self._redirected(shard, request, taken.redirect_to)
            if taken.page is not None:  # it leads on by <meta>, and may have links for those who stay
                self._discovery.follow_links(request, taken.page)
        else:
            self._progress.errors[taken.reason] += 1
            self._note_seed(request.url, f"the server answered {taken.reason.removeprefix('http-')}")

    def _fetched(self, request: CrawlRequest, taken: Taken, is_new: bool) -> None:
        page, verdict = taken.page, taken.verdict
        assert page is not None
        assert verdict is not None
        if taken.unchanged:
            self._discovery.follow_links(request, page)
            return
        self._progress.pages += 1
        self._answering.add(page.url.authority)
        self._progress.hosts = len(self._answering)
        self._progress.kept += verdict.keep - len(taken.demoted)
        self._progress.duplicates += bool(verdict.duplicate_of) + len(taken.demoted)
        self._progress.near_duplicates += verdict.reason == NEARLY
        if verdict.keep:
            if self._live is not None:
                self._live.add(page)
        else:
            self._note_seed(page.url, f"not indexed: {verdict.reason or verdict.judgement}")
        new_links = self._discovery.follow_links(request, page)
        if is_new:  # of a page that was known, what is new on it says nothing about its address
            self._learn(taken, page, new_links)

    def _learn(self, taken: Taken, page: Page, new_links: int) -> None:
        """What the page says about its host."""
        exact = taken.verdict is not None and taken.verdict.reason == SAME
        self._learned.observe(page, new_links, taken.copy_of, exact)
        for url in taken.demoted:
            self._learned.mirrors.observe(url, page.url, again=True)
        if self._learned.soft_404.should_probe(page.url):
            notes = self._learned.soft_404.of(page.url.authority)
            self._discovery.add_probe(notes.probe(page.url, token_hex(8)))

    def _redirected(self, shard: Shard, request: CrawlRequest, target: Url) -> None:
        self._progress.redirects += 1
        if request.redirects < self._max_redirects:
            self._discovery.follow_redirect(request, target)
            return
        self._progress.errors["too-many-redirects"] += 1
        url = request.url
        shard.batch.then(lambda catalogue: catalogue.explain(url.fingerprint, "too-many-redirects"), url)

    async def probed(self, shard: Shard, result: FetchResult) -> None:
        """The answer to a question for what cannot exist; nothing of it is kept."""
        self._journal.answer(result, "probe")
        page = await self._intake.look_at(result) if result.is_success else None
        content = content_print(page) if page is not None and not page.problem else None
        self._learn_from_probe(shard, result.url, result.status, content)

    def not_probed(self, shard: Shard, url: Url) -> None:
        """The question may not be asked, so there will be no answer."""
        self._journal.note("refused", url=url.text, reason="probe")
        self._learn_from_probe(shard, url, 0, None)

    def _learn_from_probe(self, shard: Shard, url: Url, status: int, content: ContentPrint | None) -> None:
        self._learned.soft_404.of(url.authority).learn(url, status, content)
        self._learned.soft_404.settle(url.authority)
        shard.settle(url.fingerprint)


# One visit: robots check, fetch, follow up
# -----------------------------------------

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
