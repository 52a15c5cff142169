"""Schedule revisits: date of the next visit, gone pages, queue of due pages.

The evidence about each page is kept with it in the catalogue. The sums over the pages of a host are kept in
the notes about the host.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from heapq import heappop, heappush
from math import inf

from gossamer.crawl.frontier.url_order import JUMP
from gossamer.crawl.partition_crawl import OpenVisit, PartitionCrawl
from gossamer.crawl.revisit.change_rate import (
    ChangeEvidence,
    HostPrior,
    Visit,
    hinted_evidence,
    is_announced,
    updated_evidence,
)
from gossamer.crawl.revisit.freshness import KIND, VisitValue, interval, state_in
from gossamer.crawl.settings import DAY, HOUR, FreshnessSettings
from gossamer.model import CrawlRequest, FetchResult, Url
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.urls import KnownPage, VisitHistory
from gossamer.storage.seen_urls import DONE
from gossamer.web.dates import moment

# When a missing page leaves the index
# ------------------------------------
#
# A page leaves the index only if the site clearly wants it: by a 404 or 410 that persists for days, by
# robots.txt, or by noindex. Silence, server errors and refusals may be temporary and change nothing.

MISSING_STATUS = {404, 410}


# States of a missing page, in `VisitHistory.standing`.
SUSPECT = "suspect"  # perhaps temporarily missing; it stays in the index
GONE = "gone"


def after_miss(visits: VisitHistory, when: float, settings: FreshnessSettings) -> VisitHistory:
    """Return the history after a page was found missing once more. A gone page stays gone."""
    since = visits.missing_since if visits.misses else when
    misses = visits.misses + 1
    is_long = settings.gone_after == 1 or when - since >= settings.gone_days * DAY
    gone = visits.standing == GONE or (misses >= settings.gone_after and is_long)
    return replace(visits, standing=GONE if gone else SUSPECT, misses=misses, missing_since=since)


def look_again_at(visits: VisitHistory, settings: FreshnessSettings) -> float:
    """Return when the next visit to a suspect page can decide; infinity for all other pages."""
    if visits.standing != SUSPECT:
        return inf
    done = min(1.0, visits.misses / max(1, settings.gone_after - 1))
    return visits.missing_since + done * settings.gone_days * DAY


# Next visit date from rate
# -------------------------
#
# Two numbers for each page (`ChangeEvidence`) and six for each host (`HostPrior`) are kept. Every few
# hours, `allocate` computes the value of one more visit (mu). The date of a page follows from these.

MOST_HOSTS = 20_000  # hosts whose sums are kept in memory
NEVER = VisitHistory()


@dataclass(slots=True)
class _HostRate:
    prior: HostPrior
    is_written: bool = True


class Schedule:
    """Computes the date of the next visit to a page."""

    def __init__(self, value: VisitValue, settings: FreshnessSettings) -> None:
        self._settings = settings
        self._value = value
        self._hosts: dict[str, _HostRate] = {}

    # Results of a visit

    def answered(self, visit: OpenVisit, result: FetchResult, changed: bool) -> float:
        """Schedule the next visit after a document, "not modified" or a redirect; return its date."""
        visits, now = _history(visit), result.fetched_at
        last_modified = result.header("last-modified")
        told = moment(last_modified) if last_modified else None
        evidence = ChangeEvidence(visits.changes, visits.seconds)
        if visits.checked_at is not None:
            evidence = self._learn(visit, Visit.between(visits.checked_at, now, changed, told))
        importance = self._importance(visit)
        expected = self._host(visit.partition_crawl, visit.url.authority).prior.prior()
        rate = (expected + hinted_evidence(told, now) + evidence).rate
        date = now + interval(rate, importance, self._value.at(visit.url.authority), self._settings)
        after = VisitHistory(now, evidence.changes, evidence.seconds, importance=importance, next_visit=date)
        return self._write(visit, after)

    def missed(self, visit: OpenVisit) -> bool:
        """Schedule a page after a 404 or 410; return whether it is gone for good.

        A page that is only suspect is visited again some days later, when the visit can decide.
        """
        now = time.time()
        return self._leave(visit, after_miss(_history(visit), now, self._settings), now)

    def excluded(self, visit: OpenVisit) -> None:
        """Schedule a page that robots.txt now forbids; it counts as gone."""
        gone = replace(_history(visit), standing=GONE, misses=0, missing_since=0.0)
        self._leave(visit, gone, time.time())

    def _leave(self, visit: OpenVisit, after: VisitHistory, now: float) -> bool:
        date = min(now + self._settings.most_interval, look_again_at(after, self._settings))
        after = replace(after, next_visit=max(date, now + self._settings.least_interval))
        is_gone = after.standing == GONE
        if is_gone:  # its evidence no longer counts for the host
            told = ChangeEvidence(after.changes, after.seconds)
            prior = self._host(visit.partition_crawl, visit.url.authority).prior
            self._note(visit, prior.learned(told, ChangeEvidence()))
            after = replace(after, checked_at=None, changes=0.0, seconds=0.0)
        self._write(visit, after)
        return is_gone

    def unanswered(self, visit: OpenVisit) -> float:
        """Schedule a page after a failure. It waits for the time that has passed since its last visit."""
        now, visits, before = time.time(), _history(visit), visit.before
        since = now - DAY if before is None else visits.checked_at or before.first_seen
        wait = min(max(now - since, self._settings.least_interval), self._settings.most_interval)
        return self._write(visit, replace(visits, next_visit=now + wait))

    def left(self, visit: OpenVisit) -> float:
        """Schedule a URL without a page; it is visited after the longest interval."""
        date = time.time() + self._settings.most_interval
        return self._write(visit, replace(_history(visit), next_visit=date))

    def trusts_dates(self, partition_crawl: PartitionCrawl, authority: str) -> bool:
        """Return whether the dates in the sitemaps and feeds of a host were correct so far."""
        return self._host(partition_crawl, authority).prior.trusts_dates

    def _write(self, visit: OpenVisit, visits: VisitHistory) -> float:
        visit.on_commit(lambda catalogue: catalogue.set_visits(visit.url.fingerprint, visits))
        assert visits.next_visit is not None
        return visits.next_visit

    def _learn(self, visit: OpenVisit, latest: Visit) -> ChangeEvidence:
        """Return the evidence about a page with its latest visit, and update the sums of its host."""
        visits = _history(visit)
        assert visits.checked_at is not None
        known = self._host(visit.partition_crawl, visit.url.authority).prior
        before = ChangeEvidence(visits.changes, visits.seconds)
        expected = known.prior() + hinted_evidence(visits.lastmod, visits.checked_at)
        after = updated_evidence(before, expected, latest)
        prior = known.learned(before, after)
        if is_announced(visits.lastmod, visits.checked_at, visits.checked_at + latest.interval):
            prior = prior.checked(latest.changed)
        self._note(visit, prior)
        return after

    def _importance(self, visit: OpenVisit) -> float:
        """Return the importance of a page: its OPIC cash since the last visit, smoothed."""
        cash = JUMP + visit.partition_crawl.seen.score(visit.url.fingerprint)
        before = _history(visit).importance
        return (before + cash) / 2 if before else cash

    # Sums over the pages of hosts

    def _host(self, partition_crawl: PartitionCrawl, authority: str) -> _HostRate:
        host = self._hosts.get(authority)
        if host is None:
            if len(self._hosts) >= MOST_HOSTS:
                self._hosts = {name: host for name, host in self._hosts.items() if not host.is_written}
            notes = partition_crawl.partition.catalogue.notes(authority, KIND)
            host = self._hosts[authority] = _HostRate(HostPrior.restored(state_in(notes)))
        return host

    def _note(self, visit: OpenVisit, prior: HostPrior) -> None:
        """Set the sums of a host; the next commit writes them, once for all of its pages."""
        authority = visit.url.authority
        host = self._host(visit.partition_crawl, authority)
        host.prior = prior
        if not host.is_written:
            return
        host.is_written = False

        def write(catalogue: Catalogue) -> None:
            catalogue.set_notes(authority, KIND, json.dumps(asdict(host.prior)))
            host.is_written = True

        visit.partition_crawl.transaction.on_commit(write)


def _history(visit: OpenVisit) -> VisitHistory:
    return visit.before.visits if visit.before else NEVER


# Due pages share the turns of a host with new URLs
# --------------------------------------------------
#
# The frontier decides when a host may get a request. The revisit queue decides whether this turn goes to
# a new URL or to a known page that is due. Known pages get a share of the turns of a host (`recrawl_share`)
# while it has both, and all turns while it has no new URLs. A host without new URLs gets its turns by a
# token: one of its known pages in the frontier, which is exchanged for a due page at its turn.
#
# Dates are in the catalogue. A portion of the due pages of each host is in memory. It is read after a
# commit, when the catalogue has the next dates of all visited pages. So no date can be lost.

MOST_HELD = 20_000  # known pages in memory, over all hosts
MOST_HELD_A_HOST = 1_000  # known pages in memory of one host
HOSTS_AT_ONCE = 256  # hosts whose due pages are read after one commit
EARLY_EVERY = 10.0  # seconds between two times at which an idle crawl visits pages before their dates
EARLY_HOSTS = 64  # hosts at a time
EARLY_PAGES = 32  # pages of a host at a time
FIND_EVERY = 4 * HOUR  # seconds between two computations of the value of a visit
WHOLE = 1 - 1e-9  # one turn; tolerates rounding in sums of shares
Entry = tuple[float, int, KnownPage]  # (when it may be visited, its fingerprint, the page)


class HostToken(CrawlRequest):
    """A request in the frontier that is exchanged for a due page at its turn."""

    __slots__ = ()


@dataclass(slots=True)
class _DueHost:
    """The due pages of one host, as a heap by date."""

    partition_crawl: PartitionCrawl
    due: list[Entry] = field(default_factory=list)
    credit: float = 0.0  # the part of a turn that known pages have saved
    token_at: float = inf  # the time of the earliest token in the frontier
    was_declined: bool = False  # the last token left its turn to a new URL


@dataclass(eq=False)
class RevisitQueue:
    """The known pages that are due until the horizon, and their turns."""

    _partition_crawls: Sequence[PartitionCrawl]
    _value: VisitValue
    _settings: FreshnessSettings
    _horizon: float

    def __post_init__(self) -> None:
        self._hosts: dict[str, _DueHost] = {}
        self._tokens: Counter[str] = Counter()  # in the frontier, by host
        self._held: set[int] = set()  # fingerprints of pages in memory or being visited
        self._visiting: dict[int, KnownPage] = {}
        self._dates: list[tuple[float, str, int]] = []  # heap: first date of a host, host, partition
        self._next: dict[str, float] = {}  # the valid date in `_dates` by host
        self._finding: asyncio.Task[None] | None = None
        self._find_at = 0.0
        self._early_at = 0.0

    @property
    def forever(self) -> bool:
        """Whether the crawl is continuous."""
        return self._horizon == inf

    async def begin(self) -> None:
        """Read the dates of all hosts, and compute the value of a visit."""
        if not self._horizon:
            return
        await self._value.find()
        self._find_at = time.time() + FIND_EVERY
        for number, partition_crawl in enumerate(self._partition_crawls):
            for authority, when in partition_crawl.partition.catalogue.hosts_to_visit():
                self.note_due(number, authority, when)

    def known(self, url: Url) -> KnownPage | None:
        """Return the known page that is being visited at this URL; None if the URL is new."""
        return self._visiting.get(url.fingerprint)

    # Turns

    def turn(self, partition_crawl: PartitionCrawl, request: CrawlRequest) -> CrawlRequest | None:
        """Return the request to send in the turn of a request from the frontier; None for no request."""
        host = self._hosts.get(request.url.authority)
        if isinstance(request, HostToken):
            self.let_go([request])
            if host is not None:
                return self._turn_by_token(host, request)
            partition_crawl.queues.unasked(request.url.authority)
            return None
        return request if host is None else self._turn_by_url(host, request)

    def let_go(self, requests: Iterable[CrawlRequest]) -> None:
        """Record that these requests have left the frontier."""
        for request in requests:
            if isinstance(request, HostToken):
                self._tokens[request.url.authority] -= 1
                if not self._tokens[request.url.authority]:
                    del self._tokens[request.url.authority]

    def _turn_by_url(self, host: _DueHost, request: CrawlRequest) -> CrawlRequest:
        host.credit = min(host.credit + self._settings.recrawl_share, 1.0)
        host.was_declined = False
        if host.credit < WHOLE or host.due[0][0] > time.time():
            return request
        host.partition_crawl.queues.add(request)
        return self._taken(request.url.authority, host)

    def _turn_by_token(self, host: _DueHost, token: CrawlRequest) -> CrawlRequest | None:
        authority, now, queues = token.url.authority, time.time(), host.partition_crawl.queues
        host.token_at = inf
        is_due = host.due[0][0] <= now
        others = queues.waiting_at(authority) - self._tokens.get(authority, 0)
        # New URLs that came meanwhile are fetched first, until known pages have saved a whole turn.
        if is_due and (host.credit >= WHOLE or others <= 0):
            return self._taken(authority, host)
        # No new URL came since the last declined token: perhaps all of them are due on a later day.
        host.credit += self._settings.recrawl_share if is_due and host.was_declined else 0.0
        host.was_declined = is_due
        queues.unasked(authority)
        self._put_token(host, now + 1 if is_due else host.due[0][0])
        return None

    def _taken(self, authority: str, host: _DueHost) -> CrawlRequest:
        _, fingerprint, page = heappop(host.due)
        host.credit = max(host.credit - 1, 0.0)
        self._visiting[fingerprint] = page
        if host.due:
            self._put_token(host, host.due[0][0])
        else:
            del self._hosts[authority]
        return page.request

    def _put_token(self, host: _DueHost, when: float) -> None:
        """Put a token into the frontier, so that the host gets a turn."""
        if host.token_at <= when:
            return
        host.token_at = when
        request = host.due[0][2].request
        self._tokens[request.url.authority] += 1
        host.partition_crawl.queues.add(
            HostToken(request.url, request.depth, request.priority), max(when, 1.0)
        )
        # The frontier has marked the page as waiting. It must stay done, in case the crawl ends here.
        host.partition_crawl.seen.set_state(request.url.fingerprint, DONE)

    # Ends of visits

    def again(self, visit: OpenVisit, until: float) -> None:
        """Put a page back for another try after `until`, because it was not visited or did not answer."""
        page = self._visiting.pop(visit.url.fingerprint)
        host = self._hosts.setdefault(visit.url.authority, _DueHost(visit.partition_crawl))
        heappush(host.due, (until, visit.url.fingerprint, replace(page, request=visit.request)))
        self._put_token(host, until)

    def finished(self, visit: OpenVisit, date: float) -> None:
        """Record that a page was visited, with any result, and is due next at `date`."""
        self._visiting.pop(visit.url.fingerprint, None)
        self._held.discard(visit.url.fingerprint)
        if self.forever:
            self.note_due(visit.partition_crawl.partition.number, visit.url.authority, date)

    def put_off(self, partition_crawl: PartitionCrawl, authority: str, until: float) -> None:
        """Delay all known pages of a host that does not answer; this does not count as a miss."""
        if not self._horizon:
            return
        host = self._hosts.pop(authority, None)
        for _, fingerprint, _ in host.due if host else ():
            self._held.discard(fingerprint)
        partition_crawl.transaction.on_commit(lambda catalogue: catalogue.put_off(authority, until))
        self._next.pop(authority, None)
        self.note_due(partition_crawl.partition.number, authority, until)

    # Loading due pages from the catalogues

    def feed(self) -> bool:
        """Load due pages from the catalogues, right after a commit; return whether there were any."""
        if not self._horizon:
            return False
        now, before = time.time(), len(self._held)
        self._find_value(now)
        until = min(now, self._horizon)
        unfinished = []
        for _ in range(HOSTS_AT_ONCE):
            if not self._dates or self._dates[0][0] > until or len(self._held) >= MOST_HELD:
                break
            when, authority, number = heappop(self._dates)
            if self._next.get(authority) == when:
                del self._next[authority]
                if self._feed_host(number, authority, until):
                    unfinished.append((number, authority))
        for number, authority in unfinished:
            self.note_due(number, authority, until)
        return len(self._held) > before

    def _feed_host(self, number: int, authority: str, until: float) -> bool:
        """Load due pages of one host; return whether the catalogue may have more of them."""
        partition_crawl, host = self._partition_crawls[number], self._hosts.get(authority)
        held = len(host.due) if host else 0
        if held > MOST_HELD_A_HOST // 2:
            return True
        # The first rows may include the pages in memory and one that is being visited.
        limit = MOST_HELD_A_HOST + held + 1
        pages = partition_crawl.partition.catalogue.due(authority, until, limit)
        self._keep_in_memory(partition_crawl, authority, pages)
        if len(pages) == limit:
            return True
        if (first := partition_crawl.partition.catalogue.first_visit(authority, until)) is not None:
            self.note_due(number, authority, first)
        return False

    @property
    def wants_early(self) -> bool:
        return self.forever and time.time() >= self._early_at

    def feed_early(self) -> None:
        """Load pages before their dates, for an idle crawl, but not before their shortest interval."""
        if not self.wants_early:
            return
        now = time.time()
        self._early_at = now + EARLY_EVERY
        for _, authority, number in self._dates[:EARLY_HOSTS]:
            partition_crawl = self._partition_crawls[number]
            checked_before = now - self._settings.least_interval
            early = partition_crawl.partition.catalogue.early(authority, checked_before, EARLY_PAGES)
            self._keep_in_memory(partition_crawl, authority, early, now)

    def _keep_in_memory(
        self, partition_crawl: PartitionCrawl, authority: str, pages: Sequence[KnownPage], latest: float = inf
    ) -> None:
        host = self._hosts.get(authority) or _DueHost(partition_crawl)
        for page in pages:
            fingerprint = page.request.url.fingerprint
            if fingerprint not in self._held and len(host.due) < MOST_HELD_A_HOST:
                self._held.add(fingerprint)
                heappush(host.due, (min(page.visits.next_visit or 0.0, latest), fingerprint, page))
        if host.due:
            self._hosts[authority] = host
            self._put_token(host, host.due[0][0])

    def note_due(self, number: int, authority: str, when: float) -> None:
        """Record that pages of a host are due from `when` on."""
        if self._horizon and when < self._next.get(authority, inf):
            self._next[authority] = when
            heappush(self._dates, (when, authority, number))

    def _find_value(self, now: float) -> None:
        if self._finding is not None and self._finding.done():
            self._finding.result()
            self._finding = None
        if now >= self._find_at and self._finding is None:
            self._find_at = now + FIND_EVERY
            self._finding = asyncio.create_task(self._value.find())
