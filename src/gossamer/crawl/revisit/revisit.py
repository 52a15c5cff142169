"""Process the result of a revisit: the next date, and changes of the page.

A page leaves the index only if the site clearly wants it: by 404 or 410 twice, days apart, by a robots.txt or
by noindex. Silence and server errors only change the date of the next visit. An unchanged page keeps its
place in the page store and its version, and it is not indexed again.
"""

from __future__ import annotations

import time

import numpy as np

from gossamer.crawl.frontier.frontier import Frontier
from gossamer.crawl.ingest import Ingest, Ingested, check_of
from gossamer.crawl.partition_crawl import OpenVisit, PartitionCrawl
from gossamer.crawl.revisit.freshness import VisitValue
from gossamer.crawl.revisit.schedule import MISSING_STATUS, RevisitQueue, Schedule
from gossamer.crawl.settings import FreshnessSettings
from gossamer.model import FetchResult, Page, UrlState
from gossamer.model.progress import CrawlProgress
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.storage.catalogue.urls import CheckRow, KnownPage
from gossamer.storage.seen_urls import DONE
from gossamer.web.url import redirect_target

NOT_MODIFIED = 304
SOFT_404 = "soft-404"
Dates = list[tuple[int, float]]  # fingerprint, seconds since 1970


class Revisit:
    """Schedules the next visit of new and known pages, and processes what a visit changes."""

    def __init__(
        self,
        frontier: Frontier,
        ingest: Ingest,
        settings: FreshnessSettings,
        horizon: float,
        progress: CrawlProgress,
    ) -> None:
        value = VisitValue(frontier.partition_crawls, settings)
        self._schedule = Schedule(value, settings)
        self.queue = RevisitQueue(frontier.partition_crawls, value, settings, horizon)
        self._settings = settings
        self._partition_crawls = frontier.partition_crawls
        self._ingest = ingest
        self._progress = progress

    def try_settle(self, visit: OpenVisit, result: FetchResult) -> bool:
        """Process a response that needs no ingestion; return False if it must be ingested.

        Such responses are: unchanged, the same redirect, missing for the first time, server errors.
        """
        page = visit.before
        if page is None or page.state not in {UrlState.FETCHED, UrlState.REDIRECT}:
            return False
        if result.status == NOT_MODIFIED or _is_same_redirect(page, result):
            check = check_of(result)
            visit.on_commit(lambda catalogue: catalogue.confirm(check))
            self.queue.finished(visit, self._schedule.answered(visit, result, changed=False))
            self._count(unchanged=True)
        elif result.status in MISSING_STATUS:
            # A page that is gone for good is ingested, as a failure.
            if page.state is not UrlState.FETCHED or self._schedule.missed(visit):
                return False
            self._note(visit, result, f"http-{result.status}")
            self.queue.finished(visit, time.time())
            self._count(unchanged=False)
        elif not result.is_success and not result.is_redirect:
            reason = f"http-{result.status}"
            self._progress.errors[reason] += 1
            self.unanswered(visit, result, reason)
        else:
            return False
        return True

    def taken(self, visit: OpenVisit, result: FetchResult, taken: Ingested) -> None:
        """Schedule the next visit after a response was ingested, and process its changes."""
        if taken.state is UrlState.FAILED:
            date = self._date_of_failure(visit, result.status)
        else:
            date = self._schedule.answered(visit, result, not taken.unchanged)
        if visit.before is not None:
            self.queue.finished(visit, date)
            self._count(taken.unchanged)
            self._compare(visit, visit.before, taken)
        elif taken.state is not UrlState.FAILED:
            self.queue.note_due(visit.partition_crawl.partition.number, visit.url.authority, date)
        for demoted in taken.demoted:
            self._ingest.unindex(demoted)
        for demoted in taken.orphaned:
            self._free_copies(demoted.fingerprint)
        if taken.page is not None and taken.page.modified:
            self._announce(visit.partition_crawl, taken.page)

    def unanswered(self, visit: OpenVisit, result: FetchResult, reason: str) -> None:
        """Schedule the next visit after a failure. A known page stays, and the reason is noted."""
        date = self._schedule.unanswered(visit)
        if visit.before is not None:
            self._note(visit, result, reason)
            self.queue.finished(visit, date)

    def doubted(self, visit: OpenVisit, result: FetchResult, reason: str) -> None:
        """Keep the old version after a response that cannot be read or is a soft 404.

        A page that stays a soft 404 counts as gone, as after a 404.
        """
        fingerprint = visit.url.fingerprint
        self._progress.errors[reason] += 1
        if reason != SOFT_404:
            self.unanswered(visit, result, reason)
            return
        if self._schedule.missed(visit):
            row = FetchRow(fingerprint, result.fetched_at, UrlState.FAILED, result.status, reason=reason)
            visit.on_commit(lambda catalogue: catalogue.record_fetch(row))
            self._leave(visit)
        else:
            self._note(visit, result, reason)
        self.queue.finished(visit, time.time())

    def refused(self, visit: OpenVisit, reason: str) -> None:
        """Process the refusal of a URL, for example by robots.txt; a kept page leaves the index."""
        if visit.before is not None:
            self._schedule.excluded(visit)
            self._leave(visit)
            self.queue.finished(visit, time.time())
        elif reason == "robots":
            self._schedule.left(visit)

    def _date_of_failure(self, visit: OpenVisit, status: int) -> float:
        if status not in MISSING_STATUS:
            return self._schedule.unanswered(visit)
        if visit.before is not None and visit.before.state is UrlState.FETCHED:
            # `Schedule.missed` has noted the same date already.
            return time.time() + self._settings.most_interval
        return self._schedule.left(visit)

    def _compare(self, visit: OpenVisit, before: KnownPage, taken: Ingested) -> None:
        """Update the index and the copies of a page that has changed."""
        if not before.is_kept or taken.unchanged:
            return
        if taken.verdict is None or not taken.verdict.keep:
            self._leave(visit, forget=taken.verdict is None)
        elif taken.digest != before.digest:
            self._free_copies(visit.url.fingerprint)

    def _leave(self, visit: OpenVisit, forget: bool = True) -> None:
        """Remove a page from the index; with `forget`, also drop its verdict."""
        if forget:
            self._ingest.drop_gone_page(visit.partition_crawl.transaction, visit.url)
        if visit.before is not None and visit.before.is_kept:
            self._progress.left += 1
            self._ingest.unindex(visit.url)
            self._free_copies(visit.url.fingerprint)

    def _count(self, unchanged: bool) -> None:
        self._progress.revisits += 1
        self._progress.unchanged += unchanged

    def _note(self, visit: OpenVisit, result: FetchResult, reason: str) -> None:
        failure, number = result.failure.value if result.failure else "", visit.url.fingerprint
        check = CheckRow(number, result.fetched_at, result.status, failure, elapsed=result.elapsed)
        visit.on_commit(lambda catalogue: catalogue.note_check(check))
        visit.explain(reason)

    def _announce(self, partition_crawl: PartitionCrawl, listing: Page) -> None:
        """Visit pages earlier if a sitemap or feed dates them later than their last visit."""
        dates = np.frombuffer(listing.modified, "<f8")
        numbers, now = listing.links.numbers, time.time()
        least = self._settings.least_interval
        trusted = self._schedule.trusts_dates(partition_crawl, listing.url.authority)
        for number, other in enumerate(self._partition_crawls):
            known = np.flatnonzero((dates <= now) & (other.seen.states(numbers) == DONE))
            if not len(known):
                continue
            pairs = list(zip(numbers[known].tolist(), dates[known].tolist(), strict=True))

            def announce(catalogue: Catalogue, pairs: Dates = pairs) -> None:
                catalogue.announce(pairs, least, trusted)

            other.transaction.on_commit(announce)
            texts = listing.links.texts()
            for authority in {texts[place].split("/", 3)[2] for place in known.tolist()}:
                self.queue.note_due(number, authority, now)

    def _free_copies(self, original: int) -> None:
        """Schedule the copies of a page for a visit, because the page has changed."""
        now = time.time()
        for partition_crawl in self._partition_crawls:

            def free(catalogue: Catalogue, number: int = partition_crawl.partition.number) -> None:
                for authority in catalogue.free_copies(original, now):
                    self.queue.note_due(number, authority, now)

            partition_crawl.transaction.on_commit(free)


def _is_same_redirect(page: KnownPage, result: FetchResult) -> bool:
    target = redirect_target(result) if page.state is UrlState.REDIRECT else None
    return target is not None and target.fingerprint == page.redirect_to
