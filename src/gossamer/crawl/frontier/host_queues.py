"""Queues of one partition: front queues, back queues and URLs that wait on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from math import inf, log2
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.commit import Transaction
from gossamer.crawl.frontier.politeness import AddressRateLimit, Turn, politeness_delay
from gossamer.crawl.settings import FrontierSettings
from gossamer.model import CrawlRequest
from gossamer.storage.seen_urls import HELD, WAITING, SeenTable

# URLs that wait on disk
# ----------------------

LOOKED_AT = 2_560  # candidates read for a host, by their first score; the best by current score are taken
CHOICE = 128  # candidates for each URL that is taken, if only few are taken
PIECE = 1_000  # rows read at once


class WaitingUrls:
    """The URLs of a partition in state `queued` that are not in memory."""

    def __init__(self, transaction: Transaction, seen: SeenTable) -> None:
        self._transaction = transaction
        self._seen = seen

    def take(self, authority: str, room: int, now: float) -> Sequence[CrawlRequest]:
        """Take the due URLs of a host with the highest scores, at most `room`."""
        few = min(LOOKED_AT, CHOICE * room)
        # An empty result needs as many candidates as `due_at` reads: otherwise the host would return at once.
        return self._best(authority, room, now, few) or self._best(authority, room, now, LOOKED_AT)

    def _best(self, authority: str, room: int, now: float, looked_at: int) -> list[CrawlRequest]:
        free = self._free(authority, looked_at)
        best = free[np.argsort(-self._seen.scores(free), kind="stable")]
        taken: list[CrawlRequest] = []
        while len(best) and len(taken) < room:  # once, unless some of the best are not due yet
            piece, best = best[:room], best[room:]
            waiting = self._transaction.partition.catalogue.requests(piece)
            due = np.flatnonzero(waiting.not_before <= now)[: room - len(taken)]
            taken += [waiting.request(place) for place in due.tolist()]
        return taken

    def due_at(self, authority: str) -> float:
        """Return when the first URL of a host is due."""
        free, catalogue = self._free(authority, LOOKED_AT), self._transaction.partition.catalogue
        pieces = (free[start : start + PIECE] for start in range(0, len(free), PIECE))
        return min(
            (float(catalogue.requests(piece).not_before.min(initial=inf)) for piece in pieces), default=inf
        )

    def _free(self, authority: str, limit: int) -> NDArray[np.uint64]:
        """Return the first queued URLs of a host in the catalogue that are not taken yet.

        The catalogue still lists URLs that were taken since the last commit. If all are taken, the search
        continues with a larger limit.
        """
        self._transaction.write_urls()
        while True:
            waiting = self._transaction.partition.catalogue.waiting(authority, limit)
            free: NDArray[np.uint64] = waiting[self._seen.states(waiting) == WAITING]
            if len(free) or len(waiting) < limit:
                return free
            limit *= 4


# Back queue of one host
# ----------------------

FIRST_ROOM = 8  # URLs
NOTHING: NDArray[np.uint64] = np.empty(0, np.uint64)


class QueuedUrl(NamedTuple):
    """A URL in memory. `number` counts all URLs; of equal scores, the lowest number comes first."""

    number: int
    request: CrawlRequest


@dataclass(slots=True, eq=False)
class BackQueue:
    """The URLs of one host: those in memory, due now or later, and the number of URLs on disk."""

    authority: str
    may_be_asked_at: float = 0.0
    busy: bool = False  # a request is open
    awake: bool = False  # the host is in a front queue
    turn: Turn | None = None  # its number in the queue of its IP address
    ticket: int = 0  # entries about this host in other queues count only with the latest ticket
    reserve: int = 0  # URLs that wait on disk
    reserve_due_at: float = 0.0  # when the first of them is due
    due: list[QueuedUrl] = field(default_factory=list)
    fingerprints: NDArray[np.uint64] = field(default_factory=lambda: NOTHING)  # of `due`, with room for more
    _later: list[tuple[float, int, CrawlRequest]] | None = None  # most hosts have none

    def add(self, request: CrawlRequest, not_before: float, number: int) -> None:
        """Add a URL in memory."""
        if not_before > 0:
            self._later = self._later or []
            heappush(self._later, (not_before, number, request))
        else:
            self._add_due(QueuedUrl(number, request))

    def release(self, now: float) -> None:
        """Move the URLs that had to wait until now to the due ones."""
        while self._later and self._later[0][0] <= now:
            _, number, request = heappop(self._later)
            self._add_due(QueuedUrl(number, request))

    def pop(self, place: int) -> CrawlRequest:
        """Take one of the due URLs; the others keep their order."""
        last = len(self.due) - 1
        self.fingerprints[place:last] = self.fingerprints[place + 1 : last + 1]
        if not last:
            self.fingerprints = NOTHING  # a host without due URLs should take little memory
        return self.due.pop(place).request

    def clear(self) -> list[CrawlRequest]:
        """Remove and return all URLs in memory."""
        requests = [held.request for held in self.due] + [entry[2] for entry in sorted(self._later or [])]
        self.due = []
        self.fingerprints = NOTHING
        self._later = None
        return requests

    @property
    def may_come_at(self) -> float:
        """When a URL of this host may be handed out; infinity if there is none."""
        if self.due:
            return self.may_be_asked_at
        soonest = self._later[0][0] if self._later else inf
        if self.reserve:
            soonest = min(soonest, self.reserve_due_at)
        return max(self.may_be_asked_at, soonest)

    def __len__(self) -> int:
        return len(self.due) + len(self._later or ()) + self.reserve

    def _add_due(self, held: QueuedUrl) -> None:
        count = len(self.due)
        if count == len(self.fingerprints):
            grown = np.empty(max(FIRST_ROOM, 2 * count), np.uint64)
            grown[:count] = self.fingerprints
            self.fingerprints = grown
        self.fingerprints[count] = held.request.url.fingerprint
        self.due.append(held)


def is_current(hosts: Mapping[str, BackQueue], ticket: int, authority: str) -> bool:
    """Return whether an entry about a host, with the ticket it had then, is still valid."""
    queue = hosts.get(authority)
    return queue is not None and queue.ticket == ticket


# Front queues by score (Mercator)
# --------------------------------
#
# A host is in the front queue for the score of its best URL. The front queue to serve is drawn at
# random; each has twice the weight of the one below. Inside a front queue the highest score comes first.
# So with one front queue the order over hosts is exact. With more, it holds in most draws, and high
# scores of other hosts never starve low scores.

Ready = tuple[float, int, int, str]  # (-score, number, ticket, host); entries of old tickets are ignored
LEAST_DRAWN = 256  # least number of hosts drawn between two refreshes
USUAL_MEMORY = 0.99  # weight of the past in the moving average of scores


class FrontQueues:
    """The hosts that may get a request now, by the score of their best URL; `hosts` are all back queues."""

    def __init__(self, count: int, hosts: Mapping[str, BackQueue], seen: SeenTable, seed: int) -> None:
        self._hosts = hosts
        self._seen = seen
        self._random = Random(seed)
        self._fronts: list[list[Ready]] = [[] for _ in range(max(1, count))]
        self._usual = 0.0  # moving average of the scores of handed-out URLs
        self._drawn = 0  # since the last refresh

    def put(self, queue: BackQueue, latest: int) -> None:
        """Add a host that may get a request; `latest` is the number of the newest URL of all hosts."""
        score, number = self._best(queue, latest)
        heappush(self._fronts[self._level(score)], (-score, number, queue.ticket, queue.authority))

    def draw(self) -> BackQueue | None:
        """Draw a front queue by weight, and remove and return its first host."""
        levels = self._levels()
        if not levels:
            return None
        level = self._random.choices(levels, [2.0**level for level in levels])[0]
        return self._hosts[heappop(self._fronts[level])[3]]

    def served(self, score: float) -> None:
        """Record that a URL with this score was handed out."""
        self._usual = USUAL_MEMORY * self._usual + (1 - USUAL_MEMORY) * score if self._usual else score
        self._drawn += 1

    def refresh_when_due(self, latest: int) -> None:
        """Place all hosts anew, because scores have changed since they were added.

        This is done after as many draws as there are hosts, so each draw pays for one placement.
        """
        if self._drawn <= max(LEAST_DRAWN, sum(map(len, self._fronts))):
            return
        self._drawn = 0
        entries = [entry for front in self._fronts for entry in front if is_current(self._hosts, *entry[2:])]
        for front in self._fronts:
            front.clear()
        for entry in entries:
            self.put(self._hosts[entry[3]], latest)

    def __bool__(self) -> bool:
        """Return whether any host is in a front queue."""
        return bool(self._levels())

    def _best(self, queue: BackQueue, latest: int) -> tuple[float, int]:
        """Return the score and number of a host's best URL; the average score if all its URLs are on disk."""
        if not queue.due:
            return self._usual, latest
        place, score = self._seen.best(queue.fingerprints, len(queue.due))
        return score, queue.due[place].number

    def _levels(self) -> list[int]:
        """Drop invalid entries from the tops of the front queues; return those that are not empty."""
        for front in self._fronts:
            while front and not is_current(self._hosts, *front[0][2:]):
                heappop(front)
        return [level for level, front in enumerate(self._fronts) if front]

    def _level(self, score: float) -> int:
        """Return the front queue for a score. The average is in the middle; each level doubles the score."""
        queues = len(self._fronts)
        if score <= 0:
            return 0
        usual = self._usual if self._usual > 0 else score
        return int(min(max(queues / 2 + log2(score / usual), 0), queues - 1))


# Which URL may be fetched now
# ----------------------------
#
# After Heydon and Najork, "Mercator: A scalable, extensible Web crawler" (World Wide Web 2, 1999):
# front queues decide about importance (`FrontQueues`), back queues about politeness (`BackQueue`). Each
# host has one back queue. A host that may not get a request yet is in a heap, ordered by the time of its
# next request.
#
# Scores are in the seen table and change while URLs wait (see `url_order`). Only the next URLs of each
# host are in memory. The others wait in a reserve, the catalogue, and are read when a host runs out of
# URLs in memory.
#
# `HostQueues` reads no clock: the caller passes the time. `next` may read the reserve, which is in
# SQLite.

Sleeper = tuple[float, int, str]  # (when, ticket, host); entries of old tickets are ignored
MOST_HELD = 50_000  # URLs in memory, over all hosts: about 30 MB
MOST_HELD_A_HOST = 512  # URLs in memory of one host
LEAST_FETCHED = 4  # URLs taken from the reserve at once if memory is short


class HostQueues:
    """All waiting URLs. A host gets one request at a time: `next` hands it out, `done` ends it."""

    def __init__(
        self,
        settings: FrontierSettings,
        seen: SeenTable,
        reserve: WaitingUrls,
        rate_limit: AddressRateLimit,
        seed: int,
        most_held: int = MOST_HELD,
        most_held_a_host: int = MOST_HELD_A_HOST,
    ) -> None:
        self._settings = settings
        self.seen = seen
        self._reserve = reserve
        self._most_held = most_held
        self._most_held_a_host = most_held_a_host
        self._rate_limit = rate_limit
        self._hosts: dict[str, BackQueue] = {}
        self._front = FrontQueues(settings.front_queues, self._hosts, self.seen, seed)
        self._asleep: list[Sleeper] = []
        self._resting: list[tuple[float, str]] = []  # hosts without URLs, kept until their delay has passed
        self._added = 0
        self._tickets = 0
        self._waiting = 0
        self._held = 0

    def add_new(self, request: CrawlRequest) -> bool:
        """Add a new URL with its priority as score; return False if it is already known."""
        queue = self._host(request.url.authority)
        has_room = self._has_room(queue)
        state = HELD if has_room else WAITING
        if not self.seen.add(request.url.fingerprint, state, request.priority):
            if not len(queue):
                self._place(queue)  # a queue without URLs is dropped later
            return False
        self._enqueue(queue, request, 0.0, has_room)
        return True

    def add(self, request: CrawlRequest, not_before: float = 0.0) -> None:
        """Queue a known URL again, until `not_before` at least.

        The revisit queue also adds `HostToken`s, which it exchanges for a known page at their turn.
        """
        queue = self._host(request.url.authority)
        has_room = not_before > 0 or self._has_room(queue)
        self.seen.set_state(request.url.fingerprint, HELD if has_room else WAITING)
        self._enqueue(queue, request, not_before, has_room)

    def _enqueue(self, queue: BackQueue, request: CrawlRequest, not_before: float, in_memory: bool) -> None:
        before = queue.may_come_at
        self._waiting += 1
        if in_memory:
            self._keep_in_memory(queue, request, not_before)
        else:
            queue.reserve += 1
            queue.reserve_due_at = 0.0
        if (queue.awake and in_memory) or before != queue.may_come_at:
            self._place(queue)

    def add_reserve(self, authority: str, count: int) -> None:
        """Record that the reserve has `count` more URLs of a host."""
        queue = self._host(authority)
        self._waiting += count
        queue.reserve += count
        queue.reserve_due_at = 0.0
        self._place(queue)

    def next(self, now: float) -> CrawlRequest | None:
        """Hand out a URL whose host may get a request now; the host is busy until `done` is called for it."""
        self._wake(now)
        self._drop_rested(now)
        self._front.refresh_when_due(self._added)
        while (queue := self._front.draw()) is not None:
            queue.awake = False
            queue.release(now)
            if not queue.due:
                self._refill(queue, now)
            if queue.due and self._has_turn(queue, now):
                return self._handed_out(queue)
            self._place(queue)
            self._wake(now)
        return None

    def done(self, authority: str, now: float, elapsed: float, crawl_delay: float | None = None) -> None:
        """Record that a request to a host has ended, with any result, after `elapsed` seconds."""
        self._host(authority).busy = False
        self.delay_until(authority, now + self.pause(elapsed, crawl_delay))

    def unasked(self, authority: str) -> None:
        """Record that no request was sent to the host, so that its next URL need not wait."""
        queue = self._host(authority)
        queue.busy = False
        self._place(queue)

    def takes_turns(self, host: str) -> bool:
        """Return whether the host's IP address has a rate limit; False if the address is not known yet."""
        return self._rate_limit.has_line(host)

    def pause(self, elapsed: float, crawl_delay: float | None = None) -> float:
        """Return the politeness delay under this frontier's settings."""
        return politeness_delay(self._settings, elapsed, crawl_delay)

    def delay_until(self, authority: str, until: float) -> None:
        """Hand out no URL of a host before that time."""
        queue = self._host(authority)
        queue.may_be_asked_at = max(queue.may_be_asked_at, until)
        self._place(queue)

    def wake(self, authority: str, now: float, crawl_delay: float | None = None) -> None:
        """End the long delays of a host after the usual pause, because a seed names it."""
        queue = self._host(authority)
        queue.may_be_asked_at = min(queue.may_be_asked_at, now + self.pause(0.0, crawl_delay))
        queue.reserve_due_at = 0.0
        queue.release(inf)
        self._place(queue)

    def wait(self, now: float) -> float | None:
        """Return the seconds until a URL may be handed out; None if none waits, or only for busy hosts."""
        if self._front:
            return 0.0
        while self._asleep and not is_current(self._hosts, *self._asleep[0][1:]):
            heappop(self._asleep)
        return max(0.0, self._asleep[0][0] - now) if self._asleep else None

    def forget(self, authority: str) -> list[CrawlRequest]:
        """Drop all waiting URLs of a host and return those in memory; its delay stays known."""
        queue = self._host(authority)
        self._waiting -= len(queue)
        requests = queue.clear()
        self._held -= len(requests)
        queue.reserve = 0
        self._place(queue)
        return requests

    def waiting_at(self, authority: str) -> int:
        """Return the number of waiting URLs of a host."""
        queue = self._hosts.get(authority)
        return 0 if queue is None else len(queue)

    def __len__(self) -> int:
        """Return the number of waiting URLs, without those that are handed out."""
        return self._waiting

    def _host(self, authority: str) -> BackQueue:
        queue = self._hosts.get(authority)
        if queue is None:
            queue = self._hosts[authority] = BackQueue(authority)
        return queue

    def _has_room(self, queue: BackQueue) -> bool:
        # If the reserve has URLs of the host, new ones go there too. Otherwise they would overtake those.
        is_short = len(queue.due) < self._most_held_a_host
        return is_short and not queue.reserve and self._held < self._most_held

    def _keep_in_memory(self, queue: BackQueue, request: CrawlRequest, not_before: float = 0.0) -> None:
        self._added += 1
        self._held += 1
        queue.add(request, not_before, self._added)

    def _refill(self, queue: BackQueue, now: float) -> None:
        """Load the next URLs of a host from the reserve, and correct the count of those that are left."""
        room = (self._most_held - self._held) // max(len(self._hosts), 1)
        for request in self._reserve.take(
            queue.authority, min(max(room, LEAST_FETCHED), self._most_held_a_host), now
        ):
            self.seen.set_state(request.url.fingerprint, HELD)
            self._keep_in_memory(queue, request)
            queue.reserve -= 1
        if not queue.due:
            queue.reserve_due_at = self._reserve.due_at(queue.authority)
        if queue.reserve < 0 or queue.reserve_due_at == inf:
            self._waiting -= queue.reserve
            queue.reserve = 0

    def _has_turn(self, queue: BackQueue, now: float) -> bool:
        """Return whether the IP address of the host may get a request now; if not, the host waits."""
        queue.turn, may_come_at = self._rate_limit.turn(queue.due[0].request.url.host, queue.turn, now)
        if may_come_at > now:
            queue.may_be_asked_at = max(queue.may_be_asked_at, may_come_at)
            return False
        queue.turn = None
        return True

    def _handed_out(self, queue: BackQueue) -> CrawlRequest:
        place, score = self.seen.best(queue.fingerprints, len(queue.due))
        queue.busy, queue.ticket = True, 0
        self._front.served(score)
        self._waiting -= 1
        self._held -= 1
        return queue.pop(place)

    def _place(self, queue: BackQueue) -> None:
        """Put a host into the right heap after a change."""
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
        """Move the hosts that may get a request to the front queues."""
        while self._asleep and self._asleep[0][0] <= now:
            _, ticket, authority = heappop(self._asleep)
            if is_current(self._hosts, ticket, authority):
                queue = self._hosts[authority]
                queue.release(now)
                queue.awake = True
                self._front.put(queue, self._added)

    def _drop_rested(self, now: float) -> None:
        """Forget hosts without URLs once their delay has passed."""
        while self._resting and self._resting[0][0] <= now:
            queue = self._hosts.get(heappop(self._resting)[1])
            if queue is not None and not (len(queue) or queue.busy or queue.may_be_asked_at > now):
                del self._hosts[queue.authority]
