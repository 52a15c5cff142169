"""Which URL may be fetched now, and which is worth it?

After Heydon and Najork, "Mercator: A scalable, extensible Web crawler" (World Wide Web 2, 1999): front queues
decide what is worth it, back queues what is polite. Each host has one back queue. A host that may be asked
stands in the front queue of its best URL's priority, and the front queue to serve is drawn at random, each
with twice the weight of the one below. A host that must be left alone stands in a heap by the time when it
may be asked again.

Nothing here reads a clock or does I/O: the caller says what time it is.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf
from random import Random

from gossamer.frontier.backqueue import BackQueue
from gossamer.frontier.settings import FrontierSettings
from gossamer.model import CrawlRequest

# (when, ticket, host) and (priority, number, ticket, host): entries of old tickets are passed over
Sleeper = tuple[float, int, str]
Ready = tuple[float, int, int, str]


class Frontier:
    """All URLs that wait. At most one request at a time goes to a host: `next` hands it out, `done` ends it.

    Priorities from 0 to 1 spread over the front queues, others count into the nearest. Inside a front queue
    the highest priority comes first: with a single one the order is exact, with more it holds in most draws,
    and low priorities are never starved by high ones of other hosts.
    """

    def __init__(self, settings: FrontierSettings, seed: int = 0) -> None:
        self._settings = settings
        self._random = Random(seed)
        self._hosts: dict[str, BackQueue] = {}
        self._front: list[list[Ready]] = [[] for _ in range(max(1, settings.front_queues))]
        self._asleep: list[Sleeper] = []
        self._resting: list[tuple[float, str]] = []  # hosts without URLs, kept until their delay has passed
        self._added = 0
        self._tickets = 0
        self._waiting = 0

    def add(self, request: CrawlRequest, not_before: float = 0.0) -> None:
        """A URL that waits from now on, and at least until `not_before`."""
        queue = self._host(request.url.authority)
        before = (queue.may_come_at, queue.best if queue.awake else None)
        self._waiting += 1
        self._added += 1
        queue.add(request, not_before, self._added)
        if before != (queue.may_come_at, queue.best if queue.awake else None):
            self._place(queue)

    def next(self, now: float) -> CrawlRequest | None:
        """A URL whose host may be asked now; the host is busy until `done` is called for it."""
        self._wake(now)
        self._drop_rested(now)
        queue = self._draw()
        if queue is None:
            return None
        queue.release(now)
        queue.busy, queue.awake, queue.ticket = True, False, 0
        request = queue.pop()
        self._waiting -= 1
        return request

    def done(self, authority: str, now: float, elapsed: float, crawl_delay: float | None = None) -> None:
        """The request to a host has ended after `elapsed` seconds, whatever came of it."""
        queue = self._host(authority)
        queue.busy = False
        queue.may_be_asked_at = max(queue.may_be_asked_at, now + self.pause(elapsed, crawl_delay))
        self._place(queue)

    def unasked(self, authority: str) -> None:
        """The host was not asked after all: the next of its URLs need not wait."""
        queue = self._host(authority)
        queue.busy = False
        self._place(queue)

    def pause(self, elapsed: float, crawl_delay: float | None = None) -> float:
        """Seconds for which a host is left alone after an answer that took `elapsed`.

        The largest of the delay, the Crawl-delay of its robots.txt and a multiple of the time it took;
        nothing, where the owner wants no delay and the host asks for none.
        """
        asked_for = min(crawl_delay or 0.0, self._settings.max_crawl_delay)
        polite = max(self._settings.delay, asked_for)
        return max(polite, self._settings.response_time_factor * elapsed) if polite > 0 else 0.0

    def hold(self, authority: str, until: float) -> None:
        """Does not ask a host before that time."""
        queue = self._host(authority)
        queue.may_be_asked_at = max(queue.may_be_asked_at, until)
        self._place(queue)

    def wake(self, authority: str, now: float) -> None:
        """Somebody asks for this host by name: what waits for a later day may come after the usual pause."""
        queue = self._host(authority)
        queue.may_be_asked_at = min(queue.may_be_asked_at, now + self._settings.delay)
        queue.release(inf)
        self._place(queue)

    def wait(self, now: float) -> float | None:
        """Seconds until a URL may be handed out; None when nothing waits, or only for hosts that are busy."""
        if self._levels():
            return 0.0
        while self._asleep and not self._counts(*self._asleep[0][1:]):
            heappop(self._asleep)
        return max(0.0, self._asleep[0][0] - now) if self._asleep else None

    def forget(self, authority: str) -> list[CrawlRequest]:
        """Takes all waiting URLs of a host out; how it must be treated stays known."""
        queue = self._host(authority)
        requests = queue.clear()
        self._waiting -= len(requests)
        self._place(queue)
        return requests

    def __len__(self) -> int:
        """URLs that wait; those that were handed out do not count."""
        return self._waiting

    def _host(self, authority: str) -> BackQueue:
        queue = self._hosts.get(authority)
        if queue is None:
            queue = self._hosts[authority] = BackQueue(authority)
        return queue

    def _place(self, queue: BackQueue) -> None:
        """Puts a host where it belongs after something about it has changed."""
        if queue.busy:
            return
        self._tickets += 1
        queue.ticket = self._tickets
        queue.awake = False
        if len(queue):
            heappush(self._asleep, (queue.may_come_at, queue.ticket, queue.authority))
        else:
            heappush(self._resting, (queue.may_be_asked_at, queue.authority))

    def _wake(self, now: float) -> None:
        """Hosts that may be asked move to the front queues."""
        while self._asleep and self._asleep[0][0] <= now:
            _, ticket, authority = heappop(self._asleep)
            if self._counts(ticket, authority):
                queue = self._hosts[authority]
                queue.release(now)
                queue.awake = True
                if queue.best is not None:
                    heappush(self._front[self._level(-queue.best[0])], (*queue.best, ticket, authority))

    def _draw(self) -> BackQueue | None:
        """The first host of a front queue that is drawn by weight."""
        levels = self._levels()
        if not levels:
            return None
        level = self._random.choices(levels, [2.0**level for level in levels])[0]
        return self._hosts[heappop(self._front[level])[3]]

    def _levels(self) -> list[int]:
        """The front queues that are not empty, once entries that no longer count are off their tops."""
        for front in self._front:
            while front and not self._counts(*front[0][2:]):
                heappop(front)
        return [level for level, front in enumerate(self._front) if front]

    def _level(self, priority: float) -> int:
        queues = len(self._front)
        return int(min(max(priority, 0.0) * queues, queues - 1))

    def _counts(self, ticket: int, authority: str) -> bool:
        queue = self._hosts.get(authority)
        return queue is not None and queue.ticket == ticket

    def _drop_rested(self, now: float) -> None:
        """Hosts without URLs are forgotten once they may be asked again: there is nothing left to know."""
        while self._resting and self._resting[0][0] <= now:
            queue = self._hosts.get(heappop(self._resting)[1])
            if queue is not None and not (len(queue) or queue.busy or queue.may_be_asked_at > now):
                del self._hosts[queue.authority]
