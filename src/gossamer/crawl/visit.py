"""One visit to a URL: check robots.txt, fetch, and process the response or the failure.

A visit connects the four parts of a crawl: the frontier chooses the URL, the fetcher requests it, the
response is ingested, and the next visit is scheduled.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from gossamer.crawl.fetch.fetcher import Fetcher
from gossamer.crawl.fetch.retry import (
    RETRY_WITHIN_SECONDS,
    SPOKEN,
    RetryPolicy,
    is_failure_or_transient,
    reason_of,
)
from gossamer.crawl.fetch.robots_cache import RobotsEntry
from gossamer.crawl.frontier.frontier import BLOCKED, Frontier
from gossamer.crawl.hosts.circuit_breaker import GIVE_UP_AFTER, UNREACHABLE_FOR, back_off_until
from gossamer.crawl.hosts.knowledge import sketch_of_page
from gossamer.crawl.ingest import Ingest, Ingested
from gossamer.crawl.log import CrawlReport
from gossamer.crawl.partition_crawl import OpenVisit, PartitionCrawl
from gossamer.crawl.revisit.revisit import NOT_MODIFIED, Revisit
from gossamer.duplicates.verdict import NEARLY, SAME
from gossamer.model import CrawlRequest, FetchResult, Page, Url, UrlState
from gossamer.model.errors import BEYOND_ONE_PAGE, internal_error
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.text.shingles import ContentSketch

BLOCKED_FOR = 86_400.0  # seconds after which the known pages of a blocked site are due again


class FollowUp:
    """Processes a response or a failure: the page, its host and its links."""

    def __init__(
        self, frontier: Frontier, retries: RetryPolicy, ingest: Ingest, revisit: Revisit, report: CrawlReport
    ) -> None:
        self._frontier = frontier
        self._knowledge = frontier.knowledge
        self._retries = retries
        self._ingest = ingest
        self._revisit = revisit
        self._report = report
        self._progress = report.progress
        self._log = report.log
        self._answering: set[str] = set()  # authorities that sent a document

    async def take(self, visit: OpenVisit, result: FetchResult) -> None:
        """Process the result of a request."""
        if visit.request.probe:
            await self._probed(visit, result)
        elif is_failure_or_transient(result):
            self._log.answer(result, reason_of(result))
            self.failed(visit, result)
        else:
            await self._answered(visit, result)

    # A response

    async def _answered(self, visit: OpenVisit, result: FetchResult) -> None:
        """Process a response that is neither a failure nor a transient server error."""
        self._retries.breakers.succeed(visit.url.authority)
        if self._revisit.try_settle(visit, result):
            self._log.answer(result, "unchanged" if result.status == NOT_MODIFIED else reason_of(result))
            return
        taken = await self._ingest.take(
            visit.partition_crawl.transaction, visit.request, result, visit.before
        )
        if taken.stays:
            self._log.answer(result, taken.reason)
            self._revisit.doubted(visit, result, taken.reason)
            return
        visit.mark_done()
        self._revisit.taken(visit, result, taken)
        target = taken.redirect_to if taken.state is UrlState.REDIRECT else None
        self._log.answer(result, taken.reason, taken.verdict, target)
        if taken.state is UrlState.FETCHED:
            self._fetched(visit, taken)
        elif taken.redirect_to is not None:
            self._redirected(visit, taken.redirect_to)
            if taken.page is not None:  # a redirect by <meta>; the page may also have links
                self._frontier.follow_links(visit.request, taken.page)
        else:
            self._progress.errors[taken.reason] += 1
            status = taken.reason.removeprefix("http-")
            self._report.seed_failed(visit.url, f"the server answered {status}")

    def _fetched(self, visit: OpenVisit, taken: Ingested) -> None:
        page, verdict = taken.page, taken.verdict
        assert page is not None
        assert verdict is not None
        if taken.unchanged:
            self._frontier.follow_links(visit.request, page)
            return
        self._progress.pages += 1
        self._answering.add(page.url.authority)
        self._progress.hosts = len(self._answering)
        self._progress.kept += verdict.keep - len(taken.demoted)
        self._progress.duplicates += bool(verdict.duplicate_of) + len(taken.demoted)
        self._progress.near_duplicates += verdict.reason == NEARLY
        if verdict.keep:
            self._ingest.index(page)
        else:
            self._report.seed_failed(page.url, f"not indexed: {verdict.reason or verdict.judgement}")
        new_links = self._frontier.follow_links(visit.request, page)
        if visit.before is None:  # changes of a known page prove nothing about the pattern of its URL
            self._learn(taken, page, new_links)

    def _learn(self, taken: Ingested, page: Page, new_links: int) -> None:
        """Add what the page tells about its host to the notes on hosts."""
        exact = taken.verdict is not None and taken.verdict.reason == SAME
        self._knowledge.observe(page, new_links, taken.copy_of, exact)
        for url in taken.demoted:
            self._knowledge.mirrors.observe(url, page.url, again=True)
        if (probe := self._knowledge.soft_404.probe(page.url)) is not None:
            self._frontier.add_probe(probe)

    def _redirected(self, visit: OpenVisit, target: Url) -> None:
        self._progress.redirects += 1
        if visit.request.redirects < self._report.settings.max_redirects:
            self._frontier.follow_redirect(visit.request, target)
            return
        self._progress.errors["too-many-redirects"] += 1
        visit.explain("too-many-redirects")

    async def _probed(self, visit: OpenVisit, result: FetchResult) -> None:
        """Learn from the response to a probe, a URL that cannot exist; it is not stored."""
        self._log.answer(result, "probe")
        page = await self._ingest.look_at(result) if result.is_success else None
        content = sketch_of_page(page) if page is not None and not page.problem else None
        self._learn_from_probe(visit, result.status, content)

    def not_probed(self, visit: OpenVisit) -> None:
        """Record that a probe may not be fetched, so that no response will come."""
        self._log.note("refused", url=visit.url.text, reason="probe")
        self._learn_from_probe(visit, 0, None)

    def _learn_from_probe(self, visit: OpenVisit, status: int, content: ContentSketch | None) -> None:
        self._knowledge.soft_404.of(visit.url.authority).learn(visit.url, status, content)
        self._knowledge.soft_404.account(visit.url.authority)
        visit.mark_done()

    # A failure, or a transient error

    def failed(self, visit: OpenVisit, result: FetchResult) -> None:
        """Retry a page later, alone or with all pages of its host, or give it up."""
        authority, reason = visit.url.authority, reason_of(result)
        retry = self._retries.decide(visit.request, result)
        until = retry.host_until
        self.honour_retry_after(visit, retry.asked_until)
        if retry.is_silent:
            silent_until = self._host_is_silent(visit, result)
            if until:
                until = silent_until
                self._retries.breakers.extend(authority, until)
        else:
            if until:
                visit.partition_crawl.queues.delay_until(authority, until)
            if retry.again is not None:
                self._postpone(replace(visit, request=retry.again), reason, retry.again_at)
            else:
                self._give_up(visit, result)
        if until:
            self._log.note("pause", host=authority, reason=reason, until=until)

    def honour_retry_after(self, visit: OpenVisit, until: float) -> None:
        """Obey a Retry-After: it holds for the whole host, and for later crawls."""
        authority = visit.url.authority
        if until:
            visit.partition_crawl.queues.delay_until(authority, until)
            visit.partition_crawl.transaction.on_commit(
                lambda catalogue: catalogue.leave_host(authority, until)
            )

    def _postpone(self, visit: OpenVisit, reason: str, until: float) -> None:
        self._note_delay(visit, until, visit.request.attempts, reason)
        self.put_back(visit, until)
        if until - time.time() > RETRY_WITHIN_SECONDS:
            self._report.seed_failed(visit.url, f"left for later: {reason}")

    def _note_delay(self, visit: OpenVisit, until: float, attempts: int, reason: str) -> None:
        if visit.before is not None:  # a known page keeps its date in the catalogue
            visit.explain(reason)
            return
        number = visit.url.fingerprint
        visit.on_commit(lambda catalogue: catalogue.postpone(number, until, attempts, reason))

    def put_back(self, visit: OpenVisit, until: float = 0.0) -> None:
        """Put a request back into its queue."""
        if visit.before is None:
            visit.partition_crawl.queues.add(visit.request, until)
        else:
            self._revisit.queue.again(visit, until)

    def hear(self, visit: OpenVisit) -> None:
        """Record that the host has answered, so that it no longer counts as silent."""
        authority = visit.url.authority
        if authority not in self._retries.heard:
            self._retries.heard.add(authority)
            visit.partition_crawl.transaction.on_commit(lambda catalogue: catalogue.host_answered(authority))

    def _host_is_silent(self, visit: OpenVisit, failed: FetchResult) -> float:
        """Delay all pages of a host that does not answer at all, and give them up after days.

        The delay is an hour at first and doubles. The cause may be the host or our own network, so no page is
        lost. Returns the time at which the host may get a request again.
        """
        partition_crawl, authority, reason = visit.partition_crawl, visit.url.authority, reason_of(failed)
        failures = partition_crawl.partition.catalogue.host_failures(authority) + 1
        now = time.time()
        until = back_off_until(now, failures)
        self._retries.heard.discard(authority)
        partition_crawl.transaction.on_commit(lambda catalogue: catalogue.host_failed(authority, now))
        if failures >= GIVE_UP_AFTER:
            self._give_up(visit, failed)
            self._give_up_host(partition_crawl, authority, reason)
            self._revisit.queue.put_off(partition_crawl, authority, until)
        else:
            self._progress.errors[reason] += 1
            self.wait_for_host(visit, until, reason, failed)
        return until

    def _give_up_host(self, partition_crawl: PartitionCrawl, authority: str, reason: str) -> None:
        """Mark all waiting pages of a host as failed, after its pending changes are written."""
        self._revisit.queue.let_go(partition_crawl.queues.forget(authority))

        def give_up(catalogue: Catalogue) -> None:
            for fingerprint in catalogue.give_up_host(authority, reason):
                partition_crawl.mark_done(fingerprint)
                self._progress.errors[reason] += 1

        partition_crawl.transaction.on_commit(give_up)

    def wait_for_host(
        self, visit: OpenVisit, until: float, reason: str, failed: FetchResult | None = None
    ) -> None:
        """Delay a page and all others of its host; this does not count as a try."""
        partition_crawl, authority = visit.partition_crawl, visit.url.authority
        partition_crawl.queues.delay_until(authority, until)
        self._note_delay(visit, 0.0, 0, reason)
        if visit.before is None:
            partition_crawl.queues.add(replace(visit.request, attempts=0))
        else:
            self._revisit.queue.finished(visit, until)
        self._revisit.queue.put_off(partition_crawl, authority, until)
        detail = failed.detail if failed else ""
        self._report.seed_failed(visit.url, detail or f"left for later: {reason}")

    def _give_up(self, visit: OpenVisit, result: FetchResult) -> None:
        reason = reason_of(result)
        self._progress.errors[reason] += 1
        self._report.seed_failed(visit.url, result.detail or reason)
        self._record(visit, result, reason)

    def break_off(self, visit: OpenVisit, result: FetchResult, reason: str) -> None:
        """End a visit after an internal error: a known page stays as it was, a new one is undone."""
        self._log.answer(result, reason)
        self._progress.broke(visit.url.text, reason)
        if visit.request.probe:
            self.not_probed(visit)
            return
        self._report.seed_failed(visit.url, reason)
        if visit.before is None:
            self._ingest.undo_new_page(visit.partition_crawl.transaction, visit.url)
        self._record(visit, result, reason)

    def _record(self, visit: OpenVisit, result: FetchResult, reason: str) -> None:
        """Record that a page failed, and when it is visited again."""
        self._revisit.unanswered(visit, result, reason)
        if visit.before is not None:
            return
        row = FetchRow(
            fingerprint=visit.url.fingerprint,
            fetched_at=result.fetched_at,
            state=UrlState.FAILED,
            status=result.status,
            failure=result.failure,
            reason=reason,
            attempts=visit.request.attempts,
            elapsed=result.elapsed,
        )
        visit.on_commit(lambda catalogue: catalogue.record_fetch(row))
        visit.mark_done()


@dataclass(eq=False)
class Visitor:
    """Carries out requests; each is an `OpenVisit` until it ends."""

    _frontier: Frontier
    _fetcher: Fetcher
    _retries: RetryPolicy
    _ingest: Ingest
    _revisit: Revisit
    _report: CrawlReport

    def __post_init__(self) -> None:
        self._progress = self._report.progress
        self._follow_up = FollowUp(self._frontier, self._retries, self._ingest, self._revisit, self._report)

    async def visit(self, partition_crawl: PartitionCrawl, request: CrawlRequest) -> None:
        """Carry out a request. An internal error costs only this page."""
        self._progress.current = request.url.text
        visit, result = OpenVisit(partition_crawl, request, self._revisit.queue.known(request.url)), None
        try:
            result = await self._ask(visit)
            if result is not None:
                await self._follow_up.take(visit, result)
        except BEYOND_ONE_PAGE:
            raise
        except Exception as error:
            if result is None:
                # If the host is already free, this does no harm: no other request was handed out since,
                # because nothing was awaited.
                partition_crawl.queues.done(request.url.authority, time.time(), 0.0)
                result = FetchResult(request.url, time.time())
            self._follow_up.break_off(visit, result, internal_error(error))

    async def _ask(self, visit: OpenVisit) -> FetchResult | None:
        """Fetch a page. Return None if it is not fetched now, for example because robots.txt comes first.

        Every path through this method reports to the frontier that the host is free again.
        """
        url, queues = visit.url, visit.partition_crawl.queues
        if self._frontier.blocks(url.host):
            self._pass_over(visit)
            return None
        robots = self._fetcher.robots.known(visit.partition_crawl.transaction, url)
        if self._is_left_out(visit):
            # The filters of this crawl exclude it. It stays queued for a later crawl.
            self._progress.left_out += 1
            queues.unasked(url.authority)
        elif robots is None:
            await self._ask_robots(visit)
        elif robots.unreachable:
            until = robots.fetched_at + UNREACHABLE_FOR
            self._follow_up.wait_for_host(visit, until, "robots-unreachable")
            queues.unasked(url.authority)
        elif reason := self._refusal(robots, visit):
            if visit.request.probe:
                self._follow_up.not_probed(visit)
            else:
                self._refuse(visit, reason)
            queues.unasked(url.authority)
        elif not await self._requeue_for_address_turn(visit):
            result = await self._fetcher.fetch(visit.request)
            failure = result.failure.value if result.failure else ""
            self._progress.answered(
                url.authority, 0 if failure else result.status, failure, result.elapsed, len(result.body)
            )
            # The duration of a failure says nothing about the response time of the host.
            self._free(visit, 0.0 if failure else result.elapsed, robots)
            if result.status or result.failure in SPOKEN:
                self._follow_up.hear(visit)
            return result
        return None

    def _free(self, visit: OpenVisit, elapsed: float, robots: RobotsEntry | None) -> None:
        """Tell the frontier that a request to the host has ended; its politeness delay begins."""
        authority, crawl_delay = visit.url.authority, robots.crawl_delay if robots else None
        if crawl_delay:
            self._progress.wished(authority, crawl_delay)
        visit.partition_crawl.queues.done(authority, time.time(), elapsed, crawl_delay)

    def _is_left_out(self, visit: OpenVisit) -> bool:
        """Return whether an earlier crawl queued the URL and the filters of this one exclude it."""
        is_new = not visit.request.probe and visit.before is None
        return is_new and self._frontier.is_filtered(visit.request)

    def _pass_over(self, visit: OpenVisit) -> None:
        """Skip a host that the owner has blocked since: its URLs stay queued for a later crawl."""
        partition_crawl, url, queue = visit.partition_crawl, visit.url, self._revisit.queue
        until = time.time() + BLOCKED_FOR
        self._progress.left_out += 1
        queue.let_go(partition_crawl.queues.forget(url.authority))
        if visit.request.probe:
            self._follow_up.not_probed(visit)
        elif visit.before is not None:
            queue.finished(visit, until)
        queue.put_off(partition_crawl, url.authority, until)
        partition_crawl.queues.unasked(url.authority)
        self._report.log.note("blocked", url=url.text)
        self._report.seed_failed(url, BLOCKED)

    def _refusal(self, robots: RobotsEntry, visit: OpenVisit) -> str:
        """Return why the URL is not fetched ("" if it is); the crawl may have learned this since."""
        if not robots.rules.allows(visit.url, self._fetcher.robots.agent):
            return "robots"
        if visit.request.probe or visit.url.fingerprint in self._report.seeds:
            return ""
        if visit.before is not None and visit.before.state is UrlState.FETCHED:
            return ""
        return self._frontier.refusal(visit.url, visit.request.depth)

    async def _ask_robots(self, visit: OpenVisit) -> None:
        """Fetch robots.txt. This is a request to the host too, so the page waits for another turn."""
        if await self._requeue_for_address_turn(visit):
            return
        url, transaction, begun = visit.url, visit.partition_crawl.transaction, time.time()
        failed = await self._fetcher.robots.ask(transaction, url)
        robots = self._fetcher.robots.known(transaction, url)
        self._report.log.robots(url, failed, robots, time.time() - begun)
        if failed is not None:
            self._progress.answered(url.authority, 0, reason_of(failed), 0.0, 0)
        self._free(visit, robots.elapsed if robots is not None and failed is None else 0.0, robots)
        if failed is None:
            self._follow_up.hear(visit)
            self._follow_up.put_back(visit)
            if robots is not None:
                self._follow_up.honour_retry_after(visit, robots.not_before)
                self._frontier.follow_sitemaps(visit.request, robots.rules.sitemaps)
        else:
            self._follow_up.failed(visit, failed)

    async def _requeue_for_address_turn(self, visit: OpenVisit) -> bool:
        """Put a request back if its host must wait for a turn at its IP address; return whether it must.

        The address becomes known only here, and other hosts may share it.
        """
        host, authority, queues = visit.url.host, visit.url.authority, visit.partition_crawl.queues
        if authority in self._retries.heard or not host or queues.takes_turns(host):
            return False
        await self._fetcher.look_up(host)
        if not queues.takes_turns(host):
            return False
        self._follow_up.put_back(visit)
        queues.unasked(authority)
        return True

    def _refuse(self, visit: OpenVisit, reason: str) -> None:
        url = visit.url
        visit.on_commit(lambda catalogue: catalogue.refuse(url.fingerprint, reason))
        visit.mark_done()
        self._revisit.refused(visit, reason)
        self._report.log.note("refused", url=url.text, reason=reason)
        self._progress.refused += reason == "robots"
        self._progress.left_out += reason != "robots"
        self._report.seed_failed(url, "robots.txt forbids it" if reason == "robots" else reason)
