"""One request from the frontier: may the host be asked, what does it say, what follows from it?"""

from __future__ import annotations

import time
from dataclasses import replace
from email.utils import parsedate_to_datetime
from secrets import token_hex

from gossamer.engine.discovery import Discovery, Shard
from gossamer.engine.duplicates import NEARLY, SAME
from gossamer.engine.hosts import GIVE_UP_AFTER, UNREACHABLE_FOR, HostRules, Hosts, silent_until
from gossamer.engine.intake import Intake, Taken
from gossamer.engine.journal import Journal
from gossamer.engine.learned import Learned, content_print
from gossamer.engine.live import LiveIndex
from gossamer.engine.progress import CrawlProgress
from gossamer.engine.rechecking import NOT_MODIFIED, Rechecking
from gossamer.engine.revisiting import Revisits
from gossamer.engine.settings import CrawlSettings
from gossamer.fetch.fetcher import Fetcher
from gossamer.model import CrawlRequest, Failure, FetchResult, Page, Url, UrlState
from gossamer.store.rows import FetchRow

PATIENCE = 120.0  # seconds: what may only be asked later than that is left for the next crawl
PASSING = {Failure.CONNECT, Failure.TIMEOUT, Failure.DISCONNECTED}  # failures worth another try
AWAY = {Failure.DNS, Failure.CONNECT}  # failures of the host or of our network, never of one page
PASSING_STATUS = {408, 429, 500, 502, 503, 504}
OVERLOADED = {429, 503}  # with these a server may say how long it wants to be left alone


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
        self._intake = intake
        self._discovery = discovery
        self._learned = learned
        self._settings = settings
        self._progress = progress
        self._live = live
        self._journal = journal
        self._revisits = revisits
        self._rechecking = rechecking
        self._heard: set[str] = set()  # authorities that answered anything in this run
        self.looking_up = 0  # visits that wait for the address of their host
        self._answering: set[str] = set()  # authorities that gave a document

    async def visit(self, shard: Shard, request: CrawlRequest) -> None:
        """Every way through here tells the frontier that the host is free again."""
        url = request.url
        self._progress.current = url.text
        host = self._hosts.known(shard.batch, url)
        if host is None:
            await self._ask_robots(shard, request)
        elif host.unreachable:
            until = host.fetched_at + UNREACHABLE_FOR
            self._wait_for_host(shard, request, until, "robots-unreachable")
            shard.frontier.unasked(url.authority)
        elif reason := self._refusal(host, request):
            self._refuse(shard, url, reason)
            shard.frontier.unasked(url.authority)
        else:
            result = await self._fetcher.fetch(request)
            self._tell(host, result)
            # How long a failure took says nothing about how long an answer takes.
            elapsed = 0.0 if result.failure else result.elapsed
            shard.frontier.done(url.authority, time.time(), elapsed, host.crawl_delay)
            if result.status:
                self._hear(shard, url.authority)
            if request.probe:
                await self._probed(shard, result)
            else:
                await self._take(shard, request, result)

    def _tell(self, host: HostRules, result: FetchResult) -> None:
        """Tells whoever watches what came."""
        authority, size = result.url.authority, len(result.body)
        if result.failure is None:
            self._progress.answered(authority, result.status, "", result.elapsed, size)
        else:
            self._progress.answered(authority, 0, result.failure.value, result.elapsed, size)
        if host.crawl_delay:
            self._progress.wished(authority, host.crawl_delay)

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
        await self._look_up(request.url.host)
        begun = time.time()
        failed = await self._hosts.ask(shard.batch, request.url)
        now = time.time()
        host = self._hosts.known(shard.batch, request.url)
        elapsed = 0.0 if failed else now - begun
        self._journal.robots(request.url, failed, host, now - begun)
        if failed is not None:
            self._progress.answered(request.url.authority, 0, _reason(failed), 0.0, 0)
        if host is not None and host.crawl_delay:
            self._progress.wished(request.url.authority, host.crawl_delay)
        shard.frontier.done(request.url.authority, now, elapsed, host.crawl_delay if host else None)
        if failed is None:
            self._hear(shard, request.url.authority)
            self._put_back(shard, request)
            if host is not None:
                self._discovery.follow_sitemaps(request, host.rules.sitemaps)
        elif not self._try_again(shard, request, failed):
            self._host_is_silent(shard, request, failed)

    async def _look_up(self, host: str) -> None:
        """Finds the host's address; whoever waits for a name server keeps nobody from connecting."""
        self.looking_up += 1
        try:
            await self._fetcher.look_up(host)
        finally:
            self.looking_up -= 1

    def _hear(self, shard: Shard, authority: str) -> None:
        """Whoever answers is no longer silent."""
        if authority not in self._heard:
            self._heard.add(authority)
            shard.batch.then(lambda catalogue: catalogue.host_answered(authority))

    def _host_is_silent(self, shard: Shard, request: CrawlRequest, failed: FetchResult) -> None:
        """A host that does not answer at all: its pages wait, for hours at first, given up after days.

        It may be the host's trouble or ours (no network): nothing that was found is lost by it.
        """
        authority = request.url.authority
        failures = shard.partition.catalogue.host_failures(authority) + 1
        now = time.time()
        until = silent_until(now, failures)
        self._heard.discard(authority)
        shard.batch.then(lambda catalogue: catalogue.host_failed(authority, now))
        if failures >= GIVE_UP_AFTER:
            self._give_up(shard, request, failed)
            self._give_up_host(shard, authority, _reason(failed))
            self._revisits.put_off(shard, authority, until)
            return
        self._progress.errors[_reason(failed)] += 1
        self._wait_for_host(shard, request, until, _reason(failed), failed.detail)

    def _give_up_host(self, shard: Shard, authority: str, reason: str) -> None:
        """What waits of a host fails with it."""
        self._revisits.let_go(shard.frontier.forget(authority))
        shard.batch.write_urls()
        for fingerprint in shard.partition.catalogue.give_up_host(authority, reason):
            shard.settle(fingerprint)
            self._progress.errors[reason] += 1
        shard.batch.changed = True

    def _wait_for_host(
        self, shard: Shard, request: CrawlRequest, until: float, reason: str, detail: str = ""
    ) -> None:
        """Leaves a page and all others of its host for later; no try is counted against the page."""
        fingerprint = request.url.fingerprint
        shard.frontier.hold(request.url.authority, until)
        if self._revisits.known(request) is None:
            shard.batch.then(lambda catalogue: catalogue.postpone(fingerprint, 0.0, 0, reason))
            shard.frontier.add(replace(request, attempts=0))
        else:
            shard.batch.then(lambda catalogue: catalogue.explain(fingerprint, reason))
            self._revisits.finished(shard, request.url, until)
        self._revisits.put_off(shard, request.url.authority, until)
        self._note_seed(request.url, detail or f"left for later: {reason}")

    async def _take(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        if result.failure is not None or result.status in PASSING_STATUS:
            self._journal.answer(result, _reason(result))
            if not self._try_again(shard, request, result):
                self._without_answer(shard, request, result)
            return
        before = self._revisits.known(request)
        if before is not None and self._rechecking.settled(shard, before, result):
            self._journal.answer(result, "unchanged" if result.status == NOT_MODIFIED else _reason(result))
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
        else:
            self._progress.errors[taken.reason] += 1
            self._note_seed(request.url, f"the server answered {taken.reason.removeprefix('http-')}")

    def _without_answer(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        """Is it this page that fails, or does nobody answer there at all?"""
        silent = result.failure is not None and request.url.authority not in self._heard
        if silent or result.failure in AWAY:
            self._host_is_silent(shard, request, result)
        else:
            self._give_up(shard, request, result)

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

    async def _probed(self, shard: Shard, result: FetchResult) -> None:
        """The answer to a question for what cannot exist; nothing of it is kept."""
        self._journal.answer(result, "probe")
        page = await self._intake.look_at(result) if result.is_success else None
        content = content_print(page) if page is not None and not page.problem else None
        self._learned.soft_404.of(result.url.authority).learn(result.url, result.status, content)
        self._learned.soft_404.settle(result.url.authority)
        shard.settle(result.url.fingerprint)

    def _redirected(self, shard: Shard, request: CrawlRequest, target: Url) -> None:
        self._progress.redirects += 1
        if request.redirects < self._settings.max_redirects:
            self._discovery.follow_redirect(request, target)
            return
        self._progress.errors["too-many-redirects"] += 1
        fingerprint = request.url.fingerprint
        shard.batch.then(lambda catalogue: catalogue.explain(fingerprint, "too-many-redirects"))

    def _refuse(self, shard: Shard, url: Url, reason: str) -> None:
        shard.batch.then(lambda catalogue: catalogue.refuse(url.fingerprint, reason))
        shard.settle(url.fingerprint)
        self._rechecking.refused(shard, url, reason)
        self._journal.note("refused", url=url.text, reason=reason)
        self._progress.refused += reason == "robots"
        self._progress.left_out += reason != "robots"
        self._note_seed(url, "robots.txt forbids it" if reason == "robots" else reason)

    def _try_again(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> bool:
        passing = result.failure in PASSING or result.status in PASSING_STATUS
        if not passing or request.attempts >= self._settings.retries:
            return False
        now = time.time()
        until = now + self._settings.retry_delay * 2**request.attempts
        if result.status in OVERLOADED and (wished := _retry_after(result, now)) is not None:
            # Whoever asks for a pause asks for it in the name of the whole host.
            until = max(until, wished)
            shard.frontier.hold(request.url.authority, wished)
        attempts, fingerprint, reason = request.attempts + 1, request.url.fingerprint, _reason(result)
        if self._revisits.known(request) is None:
            shard.batch.then(lambda catalogue: catalogue.postpone(fingerprint, until, attempts, reason))
        self._put_back(shard, replace(request, attempts=attempts), until)
        if until - now > PATIENCE:
            self._note_seed(request.url, f"left for later: {reason}")
        return True

    def _put_back(self, shard: Shard, request: CrawlRequest, until: float = 0.0) -> None:
        """Lets a request wait again."""
        if self._revisits.known(request) is None:
            shard.frontier.add(request, until)
        else:
            self._revisits.again(shard, request, until)

    def _give_up(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        reason = _reason(result)
        self._progress.errors[reason] += 1
        self._note_seed(request.url, result.detail or reason)
        before = self._revisits.known(request)
        self._rechecking.unanswered(shard, request.url, before, result, reason)
        if before is not None:
            return
        row = FetchRow(
            fingerprint=request.url.fingerprint,
            fetched_at=result.fetched_at,
            state=UrlState.FAILED,
            status=result.status,
            failure=result.failure,
            reason=reason,
            attempts=request.attempts,
            elapsed=result.elapsed,
        )
        shard.batch.then(lambda catalogue: catalogue.record_fetch(row))
        shard.settle(row.fingerprint)

    def _note_seed(self, url: Url, what: str) -> None:
        if url.fingerprint in self._discovery.seeds:
            self._progress.seed_errors[url.text] = what


def _retry_after(result: FetchResult, now: float) -> float | None:
    """The time before which a server does not want to be asked: seconds, or a date (RFC 9110, 10.2.3)."""
    value = result.header("retry-after").strip()
    if value.isdigit():
        return now + int(value)
    try:
        return parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None


def _reason(result: FetchResult) -> str:
    return result.failure.value if result.failure else f"http-{result.status}"
