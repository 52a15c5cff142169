"""What an answer changes for a known page.

A page leaves the index when the site says so on purpose: 404 or 410 twice, days apart, a robots.txt or a
noindex. Silence and errors of a server change nothing but the date of the next try. A page that is as it was
keeps its place in the page store and its version: nothing is indexed again.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from gossamer.crawl.discover import Discovery
from gossamer.crawl.frontier.frontier import Shard
from gossamer.crawl.ingest import Taken
from gossamer.crawl.live_index import LiveIndex
from gossamer.crawl.revisit.schedule import MISSING_STATUS, Revisits, Schedule, Standing
from gossamer.duplicates.verdict import Duplicates
from gossamer.model import CrawlRequest, FetchResult, Page, Url, UrlState
from gossamer.model.progress import CrawlProgress
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import FetchRow
from gossamer.storage.catalogue.urls import CheckRow, KnownPage
from gossamer.storage.seen_urls import DONE
from gossamer.web.url import canonical

NOT_MODIFIED = 304
NOT_FOUND = 404
SOFT_404 = "soft-404"
Dates = list[tuple[int, float]]  # fingerprints, seconds since 1970


class Rechecking:
    """Sees to pages after an answer came, or none; of a new URL too, which gets its first date."""

    def __init__(
        self,
        discovery: Discovery,
        schedule: Schedule,
        revisits: Revisits,
        duplicates: Duplicates,
        live: LiveIndex | None,
        progress: CrawlProgress,
    ) -> None:
        self._discovery = discovery
        self._schedule = schedule
        self._revisits = revisits
        self._duplicates = duplicates
        self._live = live
        self._progress = progress

    def settled(self, shard: Shard, page: KnownPage, result: FetchResult) -> bool:
        """Whether all there is to do after this answer is to note it: the page stays what it is."""
        if page.state not in {UrlState.FETCHED, UrlState.REDIRECT}:
            return False
        if result.status == NOT_MODIFIED or _is_same_redirect(page, result):
            self._confirm(shard, page, result)
        elif result.status in MISSING_STATUS:
            return page.state is UrlState.FETCHED and self._is_missed(shard, page, result)
        elif not result.is_success and not result.is_redirect:
            reason = f"http-{result.status}"
            self._progress.errors[reason] += 1
            self.unanswered(shard, page.request.url, page, result, reason)
        else:
            return False
        return True

    def taken(
        self, shard: Shard, request: CrawlRequest, before: KnownPage | None, result: FetchResult, taken: Taken
    ) -> None:
        """An answer was taken in: of a new URL, or of a known one that is not what it was."""
        url = request.url
        if taken.state is UrlState.FAILED:
            self._failed(shard, url, before, result.status)
        else:
            when, modified = result.fetched_at, result.header("last-modified")
            date = self._schedule.answered(shard, url, when, before, not taken.unchanged, modified)
            if before is not None:
                self._revisits.finished(shard, url, date)
            else:
                self._revisits.expect(shard.partition.number, url.authority, date)
        if before is not None:
            self._count(taken.unchanged)
            self._compare(shard, url, before, taken)
        for demoted in taken.demoted:
            self._remove(demoted)
        for demoted in taken.orphaned:
            self._free_copies(demoted.fingerprint)
        if taken.page is not None and taken.page.modified:
            self._announce(shard, taken.page)

    def unanswered(
        self, shard: Shard, url: Url, before: KnownPage | None, result: FetchResult, reason: str
    ) -> None:
        """Nothing came that says whether the page is there. A known page stays, with the reason noted."""
        date = self._schedule.unanswered(shard, url, before)
        if before is not None:
            self._note(shard, url, result, reason)
            self._revisits.finished(shard, url, date)

    def doubted(self, shard: Shard, page: KnownPage, result: FetchResult, reason: str) -> None:
        """A page came that cannot be read, or says in its own words that it is not there: the old one stays.

        One that goes on to say so is as gone as after a 404.
        """
        url = page.request.url
        self._progress.errors[reason] += 1
        if reason != SOFT_404:
            self.unanswered(shard, url, page, result, reason)
            return
        if self._schedule.missed(shard, page, NOT_FOUND) is Standing.GONE:
            row = FetchRow(url.fingerprint, result.fetched_at, UrlState.FAILED, result.status, reason=reason)
            shard.batch.then(lambda catalogue: catalogue.record_fetch(row), url)
            self._leave(shard, url, page)
        else:
            self._note(shard, url, result, reason)
        self._revisits.finished(shard, url, self._schedule.clock())

    def refused(self, shard: Shard, url: Url, reason: str) -> None:
        """It may not be asked for; a page that was kept leaves the index."""
        before = self._revisits.page(url)
        if before is not None:
            self._schedule.missed(shard, before, 0, excluded=True)
            self._leave(shard, url, before)
            self._revisits.finished(shard, url, self._schedule.clock())
        elif reason == "robots":
            self._schedule.left(shard, url, None)

    def _confirm(self, shard: Shard, page: KnownPage, result: FetchResult) -> None:
        url, modified = page.request.url, result.header("last-modified")
        check = CheckRow(
            url.fingerprint,
            result.fetched_at,
            result.status,
            elapsed=result.elapsed,
            etag=result.header("etag"),
            last_modified=modified,
        )
        shard.batch.then(lambda catalogue: catalogue.confirm(check), url)
        date = self._schedule.answered(shard, url, result.fetched_at, page, False, modified)
        self._revisits.finished(shard, url, date)
        self._count(unchanged=True)

    def _is_missed(self, shard: Shard, page: KnownPage, result: FetchResult) -> bool:
        """Whether a page that is not there stays for now; one that is gone is for the intake to record."""
        standing = self._schedule.missed(shard, page, result.status)
        if standing is Standing.GONE:
            return False
        self._note(shard, page.request.url, result, f"http-{result.status}")
        self._revisits.finished(shard, page.request.url, self._schedule.clock())
        self._count(unchanged=False)
        return True

    def _failed(self, shard: Shard, url: Url, before: KnownPage | None, status: int) -> None:
        settings, now = self._schedule.settings, self._schedule.clock()
        was_there = before is not None and before.state is UrlState.FETCHED
        if status in MISSING_STATUS and was_there:
            date = now + settings.most_interval  # as the schedule has noted already
        elif status in MISSING_STATUS:
            date = self._schedule.left(shard, url, before)
        else:
            date = self._schedule.unanswered(shard, url, before)
        if before is not None:
            self._revisits.finished(shard, url, date)

    def _compare(self, shard: Shard, url: Url, before: KnownPage, taken: Taken) -> None:
        """What follows for the index, and for pages that this one stood for."""
        if not before.is_kept or taken.unchanged:
            return
        if taken.verdict is None or not taken.verdict.keep:
            self._leave(shard, url, before, forget=taken.verdict is None)
        elif taken.digest != before.digest:
            self._free_copies(url.fingerprint)

    def _leave(self, shard: Shard, url: Url, before: KnownPage, forget: bool = True) -> None:
        """The page is not in the index any more; with `forget` it is no page any more."""
        if forget:
            self._forget(shard, url)
        if before.is_kept:
            self._progress.left += 1
            self._remove(url)
            self._free_copies(url.fingerprint)

    def retract(self, shard: Shard, url: Url) -> None:
        """Takes back whatever was made of a new page, however far that has come."""
        shard.batch.then(lambda catalogue: catalogue.drop(url.fingerprint), url)
        self._duplicates.retract(url)
        self._remove(url)

    def lost(self, url: Url) -> None:
        """Lets a page go that a commit had to give up: the catalogues say so already."""
        self._duplicates.leave(url)
        self._remove(url)

    def _forget(self, shard: Shard, url: Url) -> None:
        shard.batch.then(lambda catalogue: catalogue.drop(url.fingerprint), url)
        self._duplicates.leave(url)

    def _remove(self, url: Url) -> None:
        if self._live is not None:
            self._live.remove(url)

    def _count(self, unchanged: bool) -> None:
        self._progress.revisits += 1
        self._progress.unchanged += unchanged

    def _note(self, shard: Shard, url: Url, result: FetchResult, reason: str) -> None:
        failure = result.failure.value if result.failure else ""
        check = CheckRow(url.fingerprint, result.fetched_at, result.status, failure, elapsed=result.elapsed)
        shard.batch.then(lambda catalogue: catalogue.note_check(check), url)
        shard.batch.then(lambda catalogue: catalogue.explain(url.fingerprint, reason), url)

    def _announce(self, shard: Shard, listing: Page) -> None:
        """A sitemap or feed was read: pages that it dates later than we saw them come sooner."""
        dates = np.frombuffer(listing.modified, "<f8")
        numbers, now = listing.links.numbers, self._schedule.clock()
        least = self._schedule.settings.least_interval
        trusted = self._schedule.trusts_dates(shard, listing.url.authority)
        for number, other in enumerate(self._discovery.shards):
            known = np.flatnonzero((dates <= now) & (other.seen.states(numbers) == DONE))
            if not len(known):
                continue
            pairs = list(zip(numbers[known].tolist(), dates[known].tolist(), strict=True))
            other.batch.then(partial(_announce, pairs, least, trusted))
            texts = listing.links.texts()
            for authority in {texts[place].split("/", 3)[2] for place in known.tolist()}:
                self._revisits.expect(number, authority, now)

    def _free_copies(self, original: int) -> None:
        """A page is not what it was: others that it stood for are looked at again."""
        now = self._schedule.clock()
        for shard in self._discovery.shards:

            def free(catalogue: Catalogue, number: int = shard.partition.number) -> None:
                for authority in catalogue.free_copies(original, now):
                    self._revisits.expect(number, authority, now)

            shard.batch.then(free)


def _announce(pairs: Dates, least: float, trusted: bool, catalogue: Catalogue) -> None:
    catalogue.announce(pairs, least, trusted)


def _is_same_redirect(page: KnownPage, result: FetchResult) -> bool:
    if page.state is not UrlState.REDIRECT or not result.is_redirect:
        return False
    target = canonical(result.header("location"), result.url)
    return target is not None and target.fingerprint == page.redirect_to
