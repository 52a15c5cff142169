"""Date of the next visit; queue of due pages; gone pages.

What pages told is kept with them in the catalogue, what they have in common with the other pages of their
host in the host's notes. See `gossamer.crawl.revisit.schedule` for how a date is found.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from heapq import heappop, heappush
from math import inf

from gossamer.crawl.frontier.frontier import Shard
from gossamer.crawl.frontier.url_order import JUMP
from gossamer.crawl.revisit.change_rate import Evidence, Hints, HostPrior, Visit, seen
from gossamer.crawl.revisit.freshness import KIND, VisitWorth, interval, state_in
from gossamer.crawl.settings import DAY, HOUR, FreshnessSettings
from gossamer.model import CrawlRequest, Url
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.urls import KnownPage, Visits
from gossamer.storage.seen_urls import DONE
from gossamer.web.dates import moment

# When a missing page leaves the index
# ------------------------------------
#
# Only what says so on purpose takes a page out: a 404 or 410 that is still there days later, a
# robots.txt that forbids it, a noindex. Silence, errors of the server and refusals may pass, and
# change nothing.

MISSING_STATUS = {404, 410}


class Sign(StrEnum):
    """What one visit says about whether a page is there."""

    THERE = "there"  # a document, or that it has not changed, or where it has moved
    MISSING = "missing"
    EXCLUDED = "excluded"  # the site does not want it in an index
    NONE = "none"  # no answer, or one that says nothing about the page


class Standing(StrEnum):
    """What follows for the index."""

    KEEP = "keep"
    SUSPECT = "suspect"  # missing, but perhaps not for good: it stays
    GONE = "gone"


def sign_of(status: int, excluded: bool = False) -> Sign:
    """What an answer says; `status` is 0 when none came.

    `excluded` when robots.txt forbids the page (a robots.txt that cannot be read forbids nothing for good and
    does not count), or when the page came with noindex.
    """
    if excluded:
        return Sign.EXCLUDED
    if status in MISSING_STATUS:
        return Sign.MISSING
    return Sign.THERE if 200 <= status < 400 else Sign.NONE


@dataclass(frozen=True, slots=True)
class Presence:
    """What must be remembered of a page to judge the next visit."""

    standing: Standing = Standing.KEEP
    misses: int = 0  # visits in a row that found it missing, those that said nothing aside
    missing_since: float = 0.0  # when the first of them was

    def after(self, sign: Sign, when: float, settings: FreshnessSettings) -> Presence:
        """The presence after a visit. A page that is gone comes back when it is there again."""
        if sign is Sign.NONE:
            return self
        if sign is Sign.THERE:
            return Presence()
        if sign is Sign.EXCLUDED:
            return Presence(Standing.GONE)
        since = self.missing_since if self.misses else when
        misses = self.misses + 1
        gone = self.standing is Standing.GONE or _for_good(misses, when - since, settings)
        return Presence(Standing.GONE if gone else Standing.SUSPECT, misses, since)

    def look_again_at(self, settings: FreshnessSettings) -> float:
        """When the next visit to a suspect can decide; infinitely late for all others."""
        if self.standing is not Standing.SUSPECT:
            return inf
        done = min(1.0, self.misses / max(1, settings.gone_after - 1))
        return self.missing_since + done * settings.gone_days * DAY


def _for_good(misses: int, seconds: float, settings: FreshnessSettings) -> bool:
    if misses < settings.gone_after:
        return False
    return settings.gone_after == 1 or seconds >= settings.gone_days * DAY


# Next visit date from rate
# -------------------------
#
# After each visit the engine keeps two numbers a page (`change_rate.Evidence`) and six a host
# (`host_prior.HostPrior`); every few hours it asks `allocation.allocate` what one more visit is worth
# (mu). From these `next_visit` gives each page its date.


def rate_of(page: Evidence, host: HostPrior, hints: Hints, fetched_at: float) -> float:
    """Changes a second of a page, from everything that is known: never 0, never infinite."""
    return (host.prior() + hints.evidence(fetched_at) + page).rate


def next_visit(
    fetched_at: float,
    now: float,
    page: Evidence,
    host: HostPrior,
    hints: Hints,
    importance: float,
    mu: float,
    settings: FreshnessSettings,
) -> float:
    """When a page that was fetched at `fetched_at` should be fetched again, in seconds since 1970.

    `mu` is the larger of the whole and of the host in the latest allocation. A newer date in a sitemap or
    feed makes the page due as soon as the least interval has passed, as long as the host's dates are true.
    """
    if host.trusts_dates and hints.announces(fetched_at, now):
        return fetched_at + settings.least_interval
    rate = rate_of(page, host, hints, fetched_at)
    return fetched_at + interval(rate, importance, mu, settings)


MOST_HOSTS = 20_000  # hosts whose sums are in memory
NEVER = Visits()
NO_HINTS = Hints()
Clock = Callable[[], float]


@dataclass(slots=True)
class _HostRate:
    prior: HostPrior
    expected: Evidence  # of any of its pages: what the prior says, found once for all of them
    is_written: bool = True

    def learn(self, prior: HostPrior) -> None:
        self.prior = prior
        self.expected = prior.prior()


class Schedule:
    """Gives pages their dates."""

    def __init__(self, worth: VisitWorth, settings: FreshnessSettings, clock: Clock = time.time) -> None:
        self.settings = settings
        self.clock = clock
        self._worth = worth
        self._hosts: dict[str, _HostRate] = {}

    # What a visit leads to

    def answered(
        self, shard: Shard, url: Url, now: float, before: KnownPage | None, changed: bool, last_modified: str
    ) -> float:
        """A document, "not modified" or a redirect came: the page is there. Returns its date."""
        visits = before.visits if before else NEVER
        told = moment(last_modified) if last_modified else None
        evidence = Evidence(visits.changes, visits.seconds)
        if visits.checked_at is not None:
            visit = Visit.between(visits.checked_at, now, changed, told)
            evidence = self._learn(shard, url.authority, visits, visit)
        importance = self._importance(shard, url, visits)
        hints = NO_HINTS if told is None else Hints(told)
        date = self._date(shard, url.authority, now, evidence, hints, importance)
        after = Visits(now, evidence.changes, evidence.seconds, importance=importance, next_visit=date)
        return self._write(shard, url, after)

    def missed(self, shard: Shard, page: KnownPage, status: int, excluded: bool = False) -> Standing:
        """404 or 410 came for a page that was there, or robots.txt forbids it now; what follows from it.

        A page that is only suspect is looked at again some days later, when that can decide.
        """
        now = self.clock()
        presence = _presence(page.visits).after(sign_of(status, excluded), now, self.settings)
        date = min(now + self.settings.most_interval, presence.look_again_at(self.settings))
        after = replace(
            page.visits,
            standing=presence.standing.value,
            misses=presence.misses,
            missing_since=presence.missing_since,
            next_visit=max(date, now + self.settings.least_interval),
        )
        if presence.standing is Standing.GONE:
            after = replace(after, checked_at=None, changes=0.0, seconds=0.0)
            self._forget(shard, page)
        self._write(shard, page.request.url, after)
        return presence.standing

    def unanswered(self, shard: Shard, url: Url, before: KnownPage | None) -> float:
        """Nothing came, or nothing that says whether the page is there: it waits as long again as it did."""
        now, visits = self.clock(), before.visits if before else NEVER
        since = now - DAY if before is None else visits.checked_at or before.first_seen
        wait = min(max(now - since, self.settings.least_interval), self.settings.most_interval)
        return self._write(shard, url, replace(visits, next_visit=now + wait))

    def left(self, shard: Shard, url: Url, before: KnownPage | None) -> float:
        """There is no page here, or none that we may see: somebody looks now and then."""
        visits = before.visits if before else NEVER
        date = self.clock() + self.settings.most_interval
        return self._write(shard, url, replace(visits, next_visit=date))

    def trusts_dates(self, shard: Shard, authority: str) -> bool:
        """Whether the dates in the sitemaps and feeds of a host were true so far."""
        return self._host(shard, authority).prior.trusts_dates

    def _write(self, shard: Shard, url: Url, visits: Visits) -> float:
        shard.batch.then(lambda catalogue: catalogue.set_visits(url.fingerprint, visits), url)
        assert visits.next_visit is not None
        return visits.next_visit

    def _learn(self, shard: Shard, authority: str, visits: Visits, visit: Visit) -> Evidence:
        """What a page's visits tell together with the latest; its host learns from it."""
        assert visits.checked_at is not None
        host = self._host(shard, authority)
        before, hints = Evidence(visits.changes, visits.seconds), Hints(visits.lastmod)
        after = seen(before, host.expected + hints.evidence(visits.checked_at), visit)
        prior = host.prior.learned(before, after)
        if hints.announces(visits.checked_at, visits.checked_at + visit.interval):
            prior = prior.checked(visit.changed)
        host.learn(prior)
        self._note(shard, authority, host)
        return after

    def _forget(self, shard: Shard, page: KnownPage) -> None:
        """What a page told goes with it."""
        authority = page.request.url.authority
        host = self._host(shard, authority)
        host.learn(host.prior.learned(Evidence(page.visits.changes, page.visits.seconds), Evidence()))
        self._note(shard, authority, host)

    def _date(
        self, shard: Shard, authority: str, now: float, page: Evidence, hints: Hints, importance: float
    ) -> float:
        host = self._host(shard, authority)
        mu = self._worth.at(authority)
        if mu is None:
            # Nobody knows yet what a visit is worth: about when a change is to be expected.
            wait = 1 / (host.expected + hints.evidence(now) + page).rate
            return now + min(max(wait, self.settings.least_interval), self.settings.most_interval)
        return next_visit(now, now, page, host.prior, hints, importance, mu, self.settings)

    def _importance(self, shard: Shard, url: Url, visits: Visits) -> float:
        """What the pages that link here gave it since the last visit, smoothed; in OPIC, its cash."""
        cash = JUMP + shard.seen.score(url.fingerprint)
        return (visits.importance + cash) / 2 if visits.importance else cash

    # What is remembered of hosts

    def _host(self, shard: Shard, authority: str) -> _HostRate:
        host = self._hosts.get(authority)
        if host is None:
            if len(self._hosts) >= MOST_HOSTS:
                self._make_room()
            notes = shard.partition.catalogue.notes(authority, KIND)
            prior = HostPrior.restored(state_in(notes))
            host = self._hosts[authority] = _HostRate(prior, prior.prior())
        return host

    def _make_room(self) -> None:
        self._hosts = {authority: host for authority, host in self._hosts.items() if not host.is_written}

    def _note(self, shard: Shard, authority: str, host: _HostRate) -> None:
        """Lets the next commit write what was learned of a host, once for all of its pages."""
        if not host.is_written:
            return
        host.is_written = False

        def write(catalogue: Catalogue) -> None:
            catalogue.set_notes(authority, KIND, json.dumps(host.prior.state()))
            host.is_written = True

        shard.batch.then(write)


def _presence(visits: Visits) -> Presence:
    return Presence(Standing(visits.standing), visits.misses, visits.missing_since)


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


class Token(CrawlRequest):
    """Brings a host to its turn; what is asked for then is found then."""

    __slots__ = ()


@dataclass(slots=True)
class _DueHost:
    """The due pages of one host, the first ones first."""

    shard: Shard
    due: list[Entry] = field(default_factory=list)
    credit: float = 0.0  # the part of a turn that known pages have saved up
    token_at: float = inf  # when the earliest token in the frontier may come
    was_declined: bool = False  # the last turn of the host was to be a new URL's


class Revisits:
    """Known pages on their way to being asked for again: those with dates up to `horizon`."""

    def __init__(
        self, shards: Sequence[Shard], worth: VisitWorth, schedule: Schedule, horizon: float
    ) -> None:
        self._shards = shards
        self._worth = worth
        self._schedule = schedule
        self._settings = schedule.settings
        self._horizon = horizon
        self._hosts: dict[str, _DueHost] = {}
        self._tokens: Counter[str] = Counter()  # in the frontier, by host
        self._held: set[int] = set()  # in memory or being asked for
        self._visiting: dict[int, KnownPage] = {}
        self._dates: list[tuple[float, str, int]] = []  # the first date of hosts, with their shards
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
        await self._worth.find()
        self._find_at = self._schedule.clock() + FIND_EVERY
        for number, shard in enumerate(self._shards):
            for authority, when in shard.partition.catalogue.hosts_to_visit():
                self.expect(number, authority, when)

    def known(self, request: CrawlRequest) -> KnownPage | None:
        """The page that is asked for again with this request; None when the URL is new."""
        return self.page(request.url)

    def page(self, url: Url) -> KnownPage | None:
        """The known page that is being asked for at this address."""
        return self._visiting.get(url.fingerprint)

    # Turns

    def turn(self, shard: Shard, request: CrawlRequest) -> CrawlRequest | None:
        """Who is asked for now that the frontier has chosen this request; None when the host is not asked."""
        host = self._hosts.get(request.url.authority)
        if isinstance(request, Token):
            self.let_go([request])
            if host is not None:
                return self._turn_by_token(host, request)
            shard.frontier.unasked(request.url.authority)
            return None
        return request if host is None else self._turn_by_url(host, request)

    def let_go(self, requests: Iterable[CrawlRequest]) -> None:
        """These were in the frontier, and are not any more."""
        for request in requests:
            if isinstance(request, Token):
                self._tokens[request.url.authority] -= 1
                if not self._tokens[request.url.authority]:
                    del self._tokens[request.url.authority]

    def _turn_by_url(self, host: _DueHost, request: CrawlRequest) -> CrawlRequest:
        host.credit = min(host.credit + self._settings.recrawl_share, 1.0)
        host.was_declined = False
        if host.credit < WHOLE or host.due[0][0] > self._schedule.clock():
            return request
        host.shard.frontier.add(request)
        return self._taken(request.url.authority, host)

    def _turn_by_token(self, host: _DueHost, token: CrawlRequest) -> CrawlRequest | None:
        authority, now, frontier = token.url.authority, self._schedule.clock(), host.shard.frontier
        host.token_at = inf
        is_due = host.due[0][0] <= now
        others = frontier.waiting_at(authority) - self._tokens.get(authority, 0)
        # What has come meanwhile is asked for, until it is the turn of a known page.
        if is_due and (host.credit >= WHOLE or others <= 0):
            return self._taken(authority, host)
        # It does not come: perhaps it only may on a later day.
        host.credit += self._settings.recrawl_share if is_due and host.was_declined else 0.0
        host.was_declined = is_due
        frontier.unasked(authority)
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
        host.shard.frontier.add(Token(request.url, request.depth, request.priority), max(when, 1.0))
        # the frontier says that it waits now, but a crawl that ends here must find it as it was
        host.shard.seen.set_state(request.url.fingerprint, DONE)

    # What became of a visit

    def again(self, shard: Shard, request: CrawlRequest, until: float) -> None:
        """The page could not be asked for, or did not answer: the next try comes with `request`."""
        page = self._visiting.pop(request.url.fingerprint)
        host = self._hosts.setdefault(request.url.authority, _DueHost(shard))
        heappush(host.due, (until, request.url.fingerprint, replace(page, request=request)))
        self._put_token(host, until)

    def finished(self, shard: Shard, url: Url, date: float) -> None:
        """The page was visited, whatever came of it, and comes next at `date`."""
        self._visiting.pop(url.fingerprint, None)
        self._held.discard(url.fingerprint)
        if self.forever:
            self.expect(shard.partition.number, url.authority, date)

    def put_off(self, shard: Shard, authority: str, until: float) -> None:
        """A host does not answer: none of its pages comes before that time, nothing counts against them."""
        if not self._horizon:
            return
        host = self._hosts.pop(authority, None)
        for _, fingerprint, _ in host.due if host else ():
            self._held.discard(fingerprint)
        shard.batch.then(lambda catalogue: catalogue.put_off(authority, until))
        self._next.pop(authority, None)
        self.expect(shard.partition.number, authority, until)

    # Portions

    def feed(self) -> bool:
        """Takes due pages from the catalogues, right after a commit; whether there were any."""
        if not self._horizon:
            return False
        now, before = self._schedule.clock(), len(self._held)
        self._find_worth(now)
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
            self.expect(number, authority, until)
        return len(self._held) > before

    def _feed_host(self, number: int, authority: str, until: float) -> bool:
        """Takes due pages of one host; whether the catalogue may have more of them."""
        shard, host = self._shards[number], self._hosts.get(authority)
        held = len(host.due) if host else 0
        if held > MOST_HELD_A_HOST // 2:
            return True
        # those in memory, and one in flight, may be among the first
        limit = MOST_HELD_A_HOST + held + 1
        pages = shard.partition.catalogue.due(authority, until, limit)
        self._hold(shard, authority, pages)
        if len(pages) == limit:
            return True
        if (first := shard.partition.catalogue.first_visit(authority, until)) is not None:
            self.expect(number, authority, first)
        return False

    @property
    def wants_early(self) -> bool:
        return self.forever and self._schedule.clock() >= self._early_at

    def feed_early(self) -> None:
        """For a crawl that has nothing else to do: pages come ahead of their dates, but none too soon."""
        if not self.wants_early:
            return
        now = self._schedule.clock()
        self._early_at = now + EARLY_EVERY
        for _, authority, number in self._dates[:EARLY_HOSTS]:
            shard = self._shards[number]
            checked_before = now - self._settings.least_interval
            early = shard.partition.catalogue.early(authority, checked_before, EARLY_PAGES)
            self._hold(shard, authority, early, now)

    def _hold(self, shard: Shard, authority: str, pages: Sequence[KnownPage], latest: float = inf) -> None:
        host = self._hosts.get(authority) or _DueHost(shard)
        for page in pages:
            fingerprint = page.request.url.fingerprint
            if fingerprint not in self._held and len(host.due) < MOST_HELD_A_HOST:
                self._held.add(fingerprint)
                heappush(host.due, (min(page.visits.next_visit or 0.0, latest), fingerprint, page))
        if host.due:
            self._hosts[authority] = host
            self._put_token(host, host.due[0][0])

    def expect(self, number: int, authority: str, when: float) -> None:
        """Notes that pages of a host have dates from `when` on."""
        if self._horizon and when < self._next.get(authority, inf):
            self._next[authority] = when
            heappush(self._dates, (when, authority, number))

    def _find_worth(self, now: float) -> None:
        if self._finding is not None and self._finding.done():
            self._finding.result()
            self._finding = None
        if now >= self._find_at and self._finding is None:
            self._find_at = now + FIND_EVERY
            self._finding = asyncio.create_task(self._worth.find())
