"""Retry back-off of pages; giving up on pages and hosts.

It waits for another try, alone or with everything of its host, or it is given up. Whatever is the fault of a
host or of the network counts against no page.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from gossamer.crawl.frontier.frontier import Shard
from gossamer.crawl.hosts.circuit_breaker import (
    GIVE_UP_AFTER,
    OVERLOADED,
    BreakerBook,
    silent_until,
    wished_until,
)
from gossamer.crawl.log import Journal
from gossamer.crawl.recheck import Rechecking
from gossamer.crawl.revisit.schedule import Revisits
from gossamer.crawl.settings import CrawlSettings
from gossamer.model import CrawlRequest, Failure, FetchResult, Url, UrlState
from gossamer.model.progress import CrawlProgress
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.storage.catalogue.urls import KnownPage

PATIENCE = 120.0  # seconds: what may only be asked later than that is left for the next crawl
PASSING = {Failure.CONNECT, Failure.TIMEOUT, Failure.DISCONNECTED}  # failures worth another try
AWAY = {Failure.DNS, Failure.CONNECT}  # failures of the host or of our network, never of one page
SPOKEN = {Failure.PROTOCOL, Failure.DECODING, Failure.LOGIN}  # somebody answered, and made no sense
PASSING_STATUS = {408, 425, 429, *range(500, 1000)}
NoteSeed = Callable[[Url, str], None]  # what became of a URL, if somebody asked for it by name


class Setbacks:
    """Decides who waits, and for how long."""

    def __init__(
        self,
        breakers: BreakerBook,
        revisits: Revisits,
        rechecking: Rechecking,
        settings: CrawlSettings,
        progress: CrawlProgress,
        journal: Journal,
        note_seed: NoteSeed,
    ) -> None:
        self._breakers = breakers
        self._revisits = revisits
        self._rechecking = rechecking
        self._settings = settings
        self._progress = progress
        self._journal = journal
        self._note_seed = note_seed
        self._heard: set[str] = set()  # authorities that answered anything in this run

    def failed(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        """A page for which no answer came, or one that may pass."""
        if not self.try_again(shard, request, result):
            self._without_answer(shard, request, result)

    def try_again(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> bool:
        """Whether it waits for another try: by itself, or with all others of its host."""
        if result.failure not in PASSING and result.status not in PASSING_STATUS:
            return False
        now, authority = time.time(), request.url.authority
        wished = wished_until(result.status, result.header("retry-after"), now)
        self.heed(shard, authority, wished)
        until = self._breakers.fail(authority, now, reason_of(result), not request.attempts, wished)
        if until:
            self._leave_alone(shard, request, result, until)
            return True
        if request.attempts >= self._settings.retries:
            return False
        until = max(now + self._settings.retry_delay * 2**request.attempts, wished)
        self._postpone(shard, replace(request, attempts=request.attempts + 1), reason_of(result), until)
        return True

    def heed(self, shard: Shard, authority: str, until: float) -> None:
        """Whoever asks for a pause asks for it in the name of the whole host, and of crawls to come."""
        if until:
            shard.frontier.hold(authority, until)
            shard.batch.then(lambda catalogue: catalogue.leave_host(authority, until))

    def _leave_alone(self, shard: Shard, request: CrawlRequest, result: FetchResult, until: float) -> None:
        """A host that keeps failing: everything of it waits."""
        authority, reason = request.url.authority, reason_of(result)
        if result.failure is not None and not self.has_heard(authority):
            until = self.host_is_silent(shard, request, result)
            self._breakers.extend(authority, until)
        else:
            shard.frontier.hold(authority, until)
            self._let_others_go_first(shard, request, result, until)
        self._journal.note("pause", host=authority, reason=reason, until=until)

    def _let_others_go_first(
        self, shard: Shard, request: CrawlRequest, result: FetchResult, until: float
    ) -> None:
        """If it is the page that is broken, they will do better; and if only such are left, they have an end.

        Silence, and the word of a server that it is overloaded, count against no page.
        """
        counts = result.failure is None and result.status not in OVERLOADED
        if counts and request.attempts >= self._settings.retries:
            self._give_up(shard, request, result)
        else:
            later = replace(request, attempts=request.attempts + counts)
            self._postpone(shard, later, reason_of(result), until + self._settings.retry_delay)

    def _postpone(self, shard: Shard, request: CrawlRequest, reason: str, until: float) -> None:
        attempts, url = request.attempts, request.url
        if self._revisits.known(request) is None:
            shard.batch.then(
                lambda catalogue: catalogue.postpone(url.fingerprint, until, attempts, reason), url
            )
        else:
            shard.batch.then(lambda catalogue: catalogue.explain(url.fingerprint, reason), url)
        self.put_back(shard, request, until)
        if until - time.time() > PATIENCE:
            self._note_seed(request.url, f"left for later: {reason}")

    def put_back(self, shard: Shard, request: CrawlRequest, until: float = 0.0) -> None:
        """Lets a request wait again."""
        if self._revisits.known(request) is None:
            shard.frontier.add(request, until)
        else:
            self._revisits.again(shard, request, until)

    def _without_answer(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        """Is it this page that fails, or does nobody answer there any more, or not at all?"""
        authority = request.url.authority
        if result.failure is not None and authority not in self._heard:
            self.host_is_silent(shard, request, result)
        elif result.failure in AWAY:
            until = self._breakers.open(authority, time.time(), reason_of(result))
            self._leave_alone(shard, request, result, until)
        else:
            self._give_up(shard, request, result)

    def has_heard(self, authority: str) -> bool:
        """Whether a host answered anything in this run."""
        return authority in self._heard

    def hear(self, shard: Shard, authority: str) -> None:
        """Whoever answers is no longer silent."""
        if authority not in self._heard:
            self._heard.add(authority)
            shard.batch.then(lambda catalogue: catalogue.host_answered(authority))

    def host_is_silent(self, shard: Shard, request: CrawlRequest, failed: FetchResult) -> float:
        """A host that does not answer at all: its pages wait, for hours at first, given up after days.

        It may be the host's trouble or ours (no network): nothing that was found is lost by it. Returns the
        time at which it may be asked again.
        """
        authority = request.url.authority
        failures = shard.partition.catalogue.host_failures(authority) + 1
        now = time.time()
        until = silent_until(now, failures)
        self._heard.discard(authority)
        shard.batch.then(lambda catalogue: catalogue.host_failed(authority, now))
        if failures >= GIVE_UP_AFTER:
            self._give_up(shard, request, failed)
            self._give_up_host(shard, authority, reason_of(failed))
            self._revisits.put_off(shard, authority, until)
        else:
            self._progress.errors[reason_of(failed)] += 1
            self.wait_for_host(shard, request, until, reason_of(failed), failed.detail)
        return until

    def _give_up_host(self, shard: Shard, authority: str, reason: str) -> None:
        """What waits of a host fails with it, after all that is still to be written about it."""
        self._revisits.let_go(shard.frontier.forget(authority))

        def give_up(catalogue: Catalogue) -> None:
            for fingerprint in catalogue.give_up_host(authority, reason):
                shard.settle(fingerprint)
                self._progress.errors[reason] += 1

        shard.batch.then(give_up)

    def wait_for_host(
        self, shard: Shard, request: CrawlRequest, until: float, reason: str, detail: str = ""
    ) -> None:
        """Leaves a page and all others of its host for later; no try is counted against the page."""
        url = request.url
        shard.frontier.hold(url.authority, until)
        if self._revisits.known(request) is None:
            shard.batch.then(lambda catalogue: catalogue.postpone(url.fingerprint, 0.0, 0, reason), url)
            shard.frontier.add(replace(request, attempts=0))
        else:
            shard.batch.then(lambda catalogue: catalogue.explain(url.fingerprint, reason), url)
            self._revisits.finished(shard, url, until)
        self._revisits.put_off(shard, url.authority, until)
        self._note_seed(url, detail or f"left for later: {reason}")

    def _give_up(self, shard: Shard, request: CrawlRequest, result: FetchResult) -> None:
        reason = reason_of(result)
        self._progress.errors[reason] += 1
        self._note_seed(request.url, result.detail or reason)
        self._record(shard, request, self._revisits.known(request), result, reason)

    def break_off(
        self,
        shard: Shard,
        request: CrawlRequest,
        before: KnownPage | None,
        result: FetchResult,
        reason: str,
    ) -> None:
        """An error of ours came up at this page. A known page stays; of a new one all is taken back."""
        self._note_seed(request.url, reason)
        if before is None:
            self._rechecking.retract(shard, request.url)
        self._record(shard, request, before, result, reason)

    def _record(
        self,
        shard: Shard,
        request: CrawlRequest,
        before: KnownPage | None,
        result: FetchResult,
        reason: str,
    ) -> None:
        """Notes that a page failed, and when it is asked for again."""
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
        shard.batch.then(lambda catalogue: catalogue.record_fetch(row), request.url)
        shard.settle(row.fingerprint)


def reason_of(result: FetchResult) -> str:
    """The name under which a failure, or a status, is counted."""
    return result.failure.value if result.failure else f"http-{result.status}"
