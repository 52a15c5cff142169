"""One request from the frontier: may the host be asked, what does it say, what follows from it?"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace

from gossamer.engine.discovery import Discovery, Shard
from gossamer.engine.hosts import UNREACHABLE_FOR, Hosts
from gossamer.engine.intake import Intake, Taken
from gossamer.engine.progress import CrawlProgress
from gossamer.engine.settings import CrawlSettings
from gossamer.fetch.fetcher import Fetcher
from gossamer.model import CrawlRequest, Failure, FetchResult, Page, Url, UrlState
from gossamer.store.rows import FetchRow

PATIENCE = 120.0  # seconds: what may only be asked later than that is left for the next crawl
PASSING = {Failure.CONNECT, Failure.TIMEOUT, Failure.DISCONNECTED}  # failures worth another try
PASSING_STATUS = {408, 429, 500, 502, 503, 504}


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
        self._dead: dict[str, FetchResult] = {}  # authorities that did not answer at all in this run
        self._answering: set[str] = set()  # authorities that gave a document
        self.fresh: dict[int, Page] = {}  # kept pages that wait for the index

    async def visit(self, shard: Shard, request: CrawlRequest) -> None:
        """Every way through here tells the frontier that the host is free again."""
        url = request.url
        self._progress.current = url.text
        host = self._hosts.known(shard.batch, url)
        if url.authority in self._dead:
            self._give_up(shard, request, replace(self._dead[url.authority], url=url))
            _release(shard, url)
        elif host is None:
            await self._ask_robots(shard, request)
        elif host.unreachable:
            self._postpone(shard, request, host.fetched_at + UNREACHABLE_FOR, "robots-unreachable")
            _release(shard, url)
        elif not host.rules.allows(url, self._hosts.agent):
            self._refuse(shard, url)
            _release(shard, url)
        else:
            result = await self._fetcher.fetch(request)
            _release(shard, url, result.elapsed, host.crawl_delay)
            await self._take(shard, request, result)

    async def _ask_robots(self, shard: Shard, request: CrawlRequest) -> None:
        """The question for robots.txt is a request too: the page itself waits for its turn again."""
        failed = await self._hosts.ask(shard.batch, request.url)
        host = self._hosts.known(shard.batch, request.url)
        _release(shard, request.url, crawl_delay=host.crawl_delay if host else None)
        if failed is None:
            shard.frontier.add(request)
        elif not self._try_again(shard, request, failed):
            self._dead[request.url.authority] = failed
            self._give_up(shard, request, failed)

    async def _take(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        if result.failure is not None or result.status in PASSING_STATUS:
            if not self._try_again(shard, request, result):
                self._give_up(shard, request, result)
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

    def _fetched(self, request: CrawlRequest, taken: Taken) -> None:
        page, verdict = taken.page, taken.verdict
        assert page is not None
        assert verdict is not None
        self._progress.pages += 1
        self._answering.add(page.url.authority)
        self._progress.hosts = len(self._answering)
        if taken.demoted is not None:
            self.fresh.pop(taken.demoted.fingerprint, None)
            self._progress.duplicates += 1
        elif verdict.keep:
            self._progress.kept += 1
        if verdict.keep:
            self.fresh[page.url.fingerprint] = page
        else:
            self._progress.duplicates += bool(verdict.duplicate_of)
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
        wait = self._settings.retry_delay * 2**request.attempts
        with suppress(ValueError):
            wait = max(wait, float(result.header("retry-after") or 0))
        self._postpone(shard, request, time.time() + wait, _reason(result))
        return True

    def _postpone(self, shard: Shard, request: CrawlRequest, until: float, reason: str) -> None:
        attempts = request.attempts + 1
        fingerprint = request.url.fingerprint
        shard.batch.then(lambda catalogue: catalogue.postpone(fingerprint, until, attempts, reason))
        if until - time.time() <= PATIENCE:
            shard.frontier.add(replace(request, attempts=attempts), until)
        else:
            self._progress.postponed += 1
            self._note_seed(request.url, f"left for later: {reason}")

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


def _release(shard: Shard, url: Url, elapsed: float = 0.0, crawl_delay: float | None = None) -> None:
    shard.frontier.done(url.authority, time.time(), elapsed, crawl_delay)


def _reason(result: FetchResult) -> str:
    return result.failure.value if result.failure else f"http-{result.status}"
