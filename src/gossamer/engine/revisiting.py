"""Which known pages are asked for again now, and how do they share their hosts' patience with new URLs?

The frontier says when a host may be asked; whether that turn goes to a URL that nobody has seen or to a known
page whose date has come is decided here, so that known pages get their share (`recrawl_share`) of every
host's turns while there is both, and all of them while there is nothing new. A host that has nothing new is
brought to its turn by a token: one of its known pages, put into the frontier to be exchanged at its turn.

Dates stand in the catalogue. A portion of each host's due pages is in memory, taken after a commit, when the
catalogue says of every page that was visited when it comes next. So there is nothing to lose.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from math import inf

from gossamer.engine.discovery import Shard
from gossamer.engine.scheduling import Schedule
from gossamer.engine.worth import VisitWorth
from gossamer.frontier.freshness.settings import HOUR
from gossamer.frontier.seen import DONE
from gossamer.model import CrawlRequest, Url
from gossamer.store.revisits import KnownPage

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
class _Host:
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
        self._hosts: dict[str, _Host] = {}
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

    def _turn_by_url(self, host: _Host, request: CrawlRequest) -> CrawlRequest:
        host.credit = min(host.credit + self._settings.recrawl_share, 1.0)
        host.was_declined = False
        if host.credit < WHOLE or host.due[0][0] > self._schedule.clock():
            return request
        host.shard.frontier.add(request)
        return self._taken(request.url.authority, host)

    def _turn_by_token(self, host: _Host, token: CrawlRequest) -> CrawlRequest | None:
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

    def _taken(self, authority: str, host: _Host) -> CrawlRequest:
        _, fingerprint, page = heappop(host.due)
        host.credit = max(host.credit - 1, 0.0)
        self._visiting[fingerprint] = page
        if host.due:
            self._put_token(host, host.due[0][0])
        else:
            del self._hosts[authority]
        return page.request

    def _put_token(self, host: _Host, when: float) -> None:
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
        host = self._hosts.setdefault(request.url.authority, _Host(shard))
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
        host = self._hosts.get(authority) or _Host(shard)
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
