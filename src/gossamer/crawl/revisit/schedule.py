"""Date of the next visit; queue of due pages; gone pages.

What pages told is kept with them in the catalogue, what they have in common with the other pages of their
host in the host's notes.
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
from gossamer.crawl.revisit.change_rate import ChangeEvidence, ChangeHints, HostPrior, Visit, updated_evidence
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
# Only what says so on purpose takes a page out: a 404 or 410 that is still there days later, a
# robots.txt that forbids it, a noindex. Silence, errors of the server and refusals may pass, and
# change nothing.

MISSING_STATUS = {404, 410}


# Of a page that was missing, in `VisitHistory.standing`.
SUSPECT = "suspect"  # perhaps not for good: it stays
GONE = "gone"


def after_miss(visits: VisitHistory, when: float, settings: FreshnessSettings) -> VisitHistory:
    """What is remembered of a page that was found missing once more. One that is gone stays so."""
    since = visits.missing_since if visits.misses else when
    misses = visits.misses + 1
    is_long = settings.gone_after == 1 or when - since >= settings.gone_days * DAY
    gone = visits.standing == GONE or (misses >= settings.gone_after and is_long)
    return replace(visits, standing=GONE if gone else SUSPECT, misses=misses, missing_since=since)


def look_again_at(visits: VisitHistory, settings: FreshnessSettings) -> float:
    """When the next visit to a suspect can decide; infinitely late for all others."""
    if visits.standing != SUSPECT:
        return inf
    done = min(1.0, visits.misses / max(1, settings.gone_after - 1))
    return visits.missing_since + done * settings.gone_days * DAY


# Next visit date from rate
# -------------------------
#
# After each visit two numbers a page (`ChangeEvidence`) and six a host (`HostPrior`) are kept; every few
# hours `allocate` finds what one more visit is worth (mu). From these each page gets its date.

MOST_HOSTS = 20_000  # hosts whose sums are in memory
NEVER = VisitHistory()


@dataclass(slots=True)
class _HostRate:
    prior: HostPrior
    is_written: bool = True


class Schedule:
    """Gives pages their dates."""

    def __init__(self, value: VisitValue, settings: FreshnessSettings) -> None:
        self._settings = settings
        self._value = value
        self._hosts: dict[str, _HostRate] = {}

    # What a visit leads to

    def answered(self, visit: OpenVisit, result: FetchResult, changed: bool) -> float:
        """A document, "not modified" or a redirect came: the page is there. Returns its date."""
        visits, now = _history(visit), result.fetched_at
        last_modified = result.header("last-modified")
        told = moment(last_modified) if last_modified else None
        evidence = ChangeEvidence(visits.changes, visits.seconds)
        if visits.checked_at is not None:
            evidence = self._learn(visit, Visit.between(visits.checked_at, now, changed, told))
        importance = self._importance(visit)
        expected = self._host(visit.partition_crawl, visit.url.authority).prior.prior()
        rate = (expected + ChangeHints(told).evidence(now) + evidence).rate
        mu = self._value.at(visit.url.authority)
        date = now + interval(rate, importance, mu, self._settings)
        after = VisitHistory(now, evidence.changes, evidence.seconds, importance=importance, next_visit=date)
        return self._write(visit, after)

    def missed(self, visit: OpenVisit) -> bool:
        """404 or 410 came for a page that was there; whether it is gone for good.

        A page that is only suspect is looked at again some days later, when that can decide.
        """
        now = time.time()
        return self._leave(visit, after_miss(_history(visit), now, self._settings), now)

    def excluded(self, visit: OpenVisit) -> None:
        """The site does not want a page in an index: robots.txt forbids it now."""
        gone = replace(_history(visit), standing=GONE, misses=0, missing_since=0.0)
        self._leave(visit, gone, time.time())

    def _leave(self, visit: OpenVisit, after: VisitHistory, now: float) -> bool:
        date = min(now + self._settings.most_interval, look_again_at(after, self._settings))
        after = replace(after, next_visit=max(date, now + self._settings.least_interval))
        is_gone = after.standing == GONE
        if is_gone:  # what it told goes with it
            told = ChangeEvidence(after.changes, after.seconds)
            prior = self._host(visit.partition_crawl, visit.url.authority).prior
            self._note(visit, prior.learned(told, ChangeEvidence()))
            after = replace(after, checked_at=None, changes=0.0, seconds=0.0)
        self._write(visit, after)
        return is_gone

    def unanswered(self, visit: OpenVisit) -> float:
        """Nothing came, or nothing that says whether the page is there: it waits as long again as it did."""
        now, visits, before = time.time(), _history(visit), visit.before
        since = now - DAY if before is None else visits.checked_at or before.first_seen
        wait = min(max(now - since, self._settings.least_interval), self._settings.most_interval)
        return self._write(visit, replace(visits, next_visit=now + wait))

    def left(self, visit: OpenVisit) -> float:
        """There is no page here, or none that we may see: somebody looks now and then."""
        date = time.time() + self._settings.most_interval
        return self._write(visit, replace(_history(visit), next_visit=date))

    def trusts_dates(self, partition_crawl: PartitionCrawl, authority: str) -> bool:
        """Whether the dates in the sitemaps and feeds of a host were true so far."""
        return self._host(partition_crawl, authority).prior.trusts_dates

    def _write(self, visit: OpenVisit, visits: VisitHistory) -> float:
        visit.on_commit(lambda catalogue: catalogue.set_visits(visit.url.fingerprint, visits))
        assert visits.next_visit is not None
        return visits.next_visit

    def _learn(self, visit: OpenVisit, latest: Visit) -> ChangeEvidence:
        """What a page's visits tell together with the latest; its host learns from it."""
        visits = _history(visit)
        assert visits.checked_at is not None
        known = self._host(visit.partition_crawl, visit.url.authority).prior
        before, hints = ChangeEvidence(visits.changes, visits.seconds), ChangeHints(visits.lastmod)
        after = updated_evidence(before, known.prior() + hints.evidence(visits.checked_at), latest)
        prior = known.learned(before, after)
        if hints.announces(visits.checked_at, visits.checked_at + latest.interval):
            prior = prior.checked(latest.changed)
        self._note(visit, prior)
        return after

    def _importance(self, visit: OpenVisit) -> float:
        """What the pages that link here gave it since the last visit, smoothed; in OPIC, its cash."""
        cash, before = (
            JUMP + visit.partition_crawl.seen.score(visit.url.fingerprint),
            _history(visit).importance,
        )
        return (before + cash) / 2 if before else cash

    # What is remembered of hosts

    def _host(self, partition_crawl: PartitionCrawl, authority: str) -> _HostRate:
        host = self._hosts.get(authority)
        if host is None:
            if len(self._hosts) >= MOST_HOSTS:
                self._hosts = {name: host for name, host in self._hosts.items() if not host.is_written}
            notes = partition_crawl.partition.catalogue.notes(authority, KIND)
            host = self._hosts[authority] = _HostRate(HostPrior.restored(state_in(notes)))
        return host

    def _note(self, visit: OpenVisit, prior: HostPrior) -> None:
        """Lets the next commit write what was learned of a host, once for all of its pages."""
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


# Due pages share host turns with new URLs
# ----------------------------------------
#
# The frontier says when a host may be asked; whether that turn goes to a URL that nobody has seen or
# to a known page whose date has come is decided here, so that known pages get their share
# (`recrawl_share`) of every host's turns while there is both, and all of them while there is nothing
# new. A host that has nothing new is brought to its turn by a token: one of its known pages, put into
# the frontier to be exchanged at its turn.
#
# Dates stand in the catalogue. A portion of each host's due pages is in memory, taken after a commit,
# when the catalogue says of every page that was visited when it comes next. So there is nothing to
# lose.

MOST_HELD = 20_000  # known pages in memory, over all hosts
MOST_HELD_A_HOST = 1_000
HOSTS_AT_ONCE = 256  # whose due pages are read after one commit
EARLY_EVERY = 10.0  # seconds: how often an idle crawl looks for pages ahead of their dates
EARLY_HOSTS = 64
EARLY_PAGES = 32  # of a host
FIND_EVERY = 4 * HOUR  # how often the worth of a visit is found anew
WHOLE = 1 - 1e-9  # a turn, for sums of shares
Entry = tuple[float, int, KnownPage]  # when it may be asked for, its fingerprint


class HostToken(CrawlRequest):
    """Brings a host to its turn; what is asked for then is found then."""

    __slots__ = ()


@dataclass(slots=True)
class _DueHost:
    """The due pages of one host, the first ones first."""

    partition_crawl: PartitionCrawl
    due: list[Entry] = field(default_factory=list)
    credit: float = 0.0  # the part of a turn that known pages have saved up
    token_at: float = inf  # when the earliest token in the frontier may come
    was_declined: bool = False  # the last turn of the host was to be a new URL's


class RevisitQueue:
    """Known pages on their way to being asked for again: those with dates up to `horizon`."""

    def __init__(
        self,
        partition_crawls: Sequence[PartitionCrawl],
        value: VisitValue,
        settings: FreshnessSettings,
        horizon: float,
    ) -> None:
        self._partition_crawls = partition_crawls
        self._value = value
        self._settings = settings
        self._horizon = horizon
        self._hosts: dict[str, _DueHost] = {}
        self._tokens: Counter[str] = Counter()  # in the frontier, by host
        self._held: set[int] = set()  # in memory or being asked for
        self._visiting: dict[int, KnownPage] = {}
        self._dates: list[
            tuple[float, str, int]
        ] = []  # the first date of hosts, with the numbers of their partitions
        self._next: dict[str, float] = {}  # the entry in `_dates` that counts
        self._finding: asyncio.Task[None] | None = None
        self._find_at = 0.0
        self._early_at = 0.0

    @property
    def forever(self) -> bool:
        """Whether there is always something to wait for."""
        return self._horizon == inf

    async def begin(self) -> None:
        """Reads the dates of all hosts, and finds what a visit is worth."""
        if not self._horizon:
            return
        await self._value.find()
        self._find_at = time.time() + FIND_EVERY
        for number, partition_crawl in enumerate(self._partition_crawls):
            for authority, when in partition_crawl.partition.catalogue.hosts_to_visit():
                self.note_due(number, authority, when)

    def known(self, url: Url) -> KnownPage | None:
        """The known page that is being asked for again at this address; None when the URL is new."""
        return self._visiting.get(url.fingerprint)

    # Turns

    def turn(self, partition_crawl: PartitionCrawl, request: CrawlRequest) -> CrawlRequest | None:
        """Who is asked for now that the frontier has chosen this request; None when the host is not asked."""
        host = self._hosts.get(request.url.authority)
        if isinstance(request, HostToken):
            self.let_go([request])
            if host is not None:
                return self._turn_by_token(host, request)
            partition_crawl.queues.unasked(request.url.authority)
            return None
        return request if host is None else self._turn_by_url(host, request)

    def let_go(self, requests: Iterable[CrawlRequest]) -> None:
        """These were in the frontier, and are not any more."""
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
        # What has come meanwhile is asked for, until it is the turn of a known page.
        if is_due and (host.credit >= WHOLE or others <= 0):
            return self._taken(authority, host)
        # It does not come: perhaps it only may on a later day.
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
        """Sees to it that the host comes to its turn."""
        if host.token_at <= when:
            return
        host.token_at = when
        request = host.due[0][2].request
        self._tokens[request.url.authority] += 1
        host.partition_crawl.queues.add(
            HostToken(request.url, request.depth, request.priority), max(when, 1.0)
        )
        # the frontier says that it waits now, but a crawl that ends here must find it as it was
        host.partition_crawl.seen.set_state(request.url.fingerprint, DONE)

    # What became of a visit

    def again(self, visit: OpenVisit, until: float) -> None:
        """The page could not be asked for, or did not answer: the next try comes with this request."""
        page = self._visiting.pop(visit.url.fingerprint)
        host = self._hosts.setdefault(visit.url.authority, _DueHost(visit.partition_crawl))
        heappush(host.due, (until, visit.url.fingerprint, replace(page, request=visit.request)))
        self._put_token(host, until)

    def finished(self, visit: OpenVisit, date: float) -> None:
        """The page was visited, whatever came of it, and comes next at `date`."""
        self._visiting.pop(visit.url.fingerprint, None)
        self._held.discard(visit.url.fingerprint)
        if self.forever:
            self.note_due(visit.partition_crawl.partition.number, visit.url.authority, date)

    def put_off(self, partition_crawl: PartitionCrawl, authority: str, until: float) -> None:
        """A host does not answer: none of its pages comes before that time, nothing counts against them."""
        if not self._horizon:
            return
        host = self._hosts.pop(authority, None)
        for _, fingerprint, _ in host.due if host else ():
            self._held.discard(fingerprint)
        partition_crawl.transaction.on_commit(lambda catalogue: catalogue.put_off(authority, until))
        self._next.pop(authority, None)
        self.note_due(partition_crawl.partition.number, authority, until)

    # Portions

    def feed(self) -> bool:
        """Takes due pages from the catalogues, right after a commit; whether there were any."""
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
        """Takes due pages of one host; whether the catalogue may have more of them."""
        partition_crawl, host = self._partition_crawls[number], self._hosts.get(authority)
        held = len(host.due) if host else 0
        if held > MOST_HELD_A_HOST // 2:
            return True
        # those in memory, and one in flight, may be among the first
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
        """For a crawl that has nothing else to do: pages come ahead of their dates, but none too soon."""
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
        """Notes that pages of a host have dates from `when` on."""
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
