"""One request from the frontier: may the host be asked, what does it say, what follows from it?"""

from __future__ import annotations

import time
from dataclasses import replace
from email.utils import parsedate_to_datetime

from gossamer.engine.discovery import Discovery, Shard
from gossamer.engine.hosts import GIVE_UP_AFTER, UNREACHABLE_FOR, Hosts, silent_until
from gossamer.engine.intake import Intake, Taken
from gossamer.engine.progress import CrawlProgress
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
        settings: CrawlSettings,
        progress: CrawlProgress,
    ) -> None:
        self._fetcher = fetcher
        self._hosts = hosts
        self._intake = intake
        self._discovery = discovery
        self._settings = settings
        self._progress = progress
        self._heard: set[str] = set()  # authorities that answered anything in this run
        self._answering: set[str] = set()  # authorities that gave a document
        self.fresh: dict[int, Page] = {}  # kept pages that wait for the index

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
        elif not host.rules.allows(url, self._hosts.agent):
            self._refuse(shard, url)
            shard.frontier.unasked(url.authority)
        else:
            result = await self._fetcher.fetch(request)
            # How long a failure took says nothing about how long an answer takes.
            elapsed = 0.0 if result.failure else result.elapsed
            shard.frontier.done(url.authority, time.time(), elapsed, host.crawl_delay)
            if result.status:
                self._hear(shard, url.authority)
            await self._take(shard, request, result)

    async def _ask_robots(self, shard: Shard, request: CrawlRequest) -> None:
        """The question for robots.txt is a request too: the page itself waits for its turn again."""
        begun = time.time()
        failed = await self._hosts.ask(shard.batch, request.url)
        now = time.time()
        host = self._hosts.known(shard.batch, request.url)
        elapsed = 0.0 if failed else now - begun
        shard.frontier.done(request.url.authority, now, elapsed, host.crawl_delay if host else None)
        if failed is None:
            self._hear(shard, request.url.authority)
            shard.frontier.add(request)
        elif not self._try_again(shard, request, failed):
            self._host_is_silent(shard, request, failed)

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
        shard.batch.then(lambda catalogue: catalogue.host_failed(authority, now))
        if failures >= GIVE_UP_AFTER:
            for waiting in [request, *shard.frontier.forget(authority)]:
                self._give_up(shard, waiting, replace(failed, url=waiting.url))
            return
        self._progress.errors[_reason(failed)] += 1
        until = silent_until(now, failures)
        self._wait_for_host(shard, request, until, _reason(failed), failed.detail)

    def _wait_for_host(
        self, shard: Shard, request: CrawlRequest, until: float, reason: str, detail: str = ""
    ) -> None:
        """Leaves a page and all others of its host for later; no try is counted against the page."""
        fingerprint = request.url.fingerprint
        shard.batch.then(lambda catalogue: catalogue.postpone(fingerprint, 0.0, 0, reason))
        shard.frontier.hold(request.url.authority, until)
        shard.frontier.add(replace(request, attempts=0))
        self._note_seed(request.url, detail or f"left for later: {reason}")

    async def _take(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        if result.failure is not None or result.status in PASSING_STATUS:
            if not self._try_again(shard, request, result):
                self._without_answer(shard, request, result)
            return
        taken = await self._intake.take(shard.batch, request, result)
        self._progress.bytes += len(result.body)
        if taken.state is UrlState.FETCHED:
            self._fetched(request, taken)
        elif taken.redirect_to is not None:
            self._redirected(request, taken.redirect_to)
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

    def _fetched(self, request: CrawlRequest, taken: Taken) -> None:
        page, verdict = taken.page, taken.verdict
        assert page is not None
        assert verdict is not None
        self._progress.pages += 1
        self._answering.add(page.url.authority)
        self._progress.hosts = len(self._answering)
        for url in taken.demoted:
            self.fresh.pop(url.fingerprint, None)
        self._progress.kept += verdict.keep - len(taken.demoted)
        self._progress.duplicates += bool(verdict.duplicate_of) + len(taken.demoted)
        if verdict.keep:
            self.fresh[page.url.fingerprint] = page
        else:
            self._note_seed(page.url, f"not indexed: {verdict.reason or verdict.judgement}")
        self._discovery.follow_links(request, page)

    def _redirected(self, request: CrawlRequest, target: Url) -> None:
        self._progress.redirects += 1
        if request.redirects < self._settings.max_redirects:
            self._discovery.follow_redirect(request, target)
        else:
            self._progress.errors["too-many-redirects"] += 1

    def _refuse(self, shard: Shard, url: Url) -> None:
        shard.batch.then(lambda catalogue: catalogue.refuse(url.fingerprint, "robots"))
        self._progress.refused += 1
        self._note_seed(url, "robots.txt forbids it")

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
        shard.batch.then(lambda catalogue: catalogue.postpone(fingerprint, until, attempts, reason))
        shard.frontier.add(replace(request, attempts=attempts), until)
        if until - now > PATIENCE:
            self._note_seed(request.url, f"left for later: {reason}")
        return True

    def _give_up(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        reason = _reason(result)
        self._progress.errors[reason] += 1
        self._note_seed(request.url, result.detail or reason)
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
