"""Queues of one partition: front and back queues, URLs waiting on disk."""

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

LOOKED_AT = 2_560  # URLs of a host, best first when they were found, among which the best of now are chosen
CHOICE = 128  # so many for one are enough, where there is room for a few only
PIECE = 1_000  # rows that are read at once


class WaitingUrls:
    """A partition's URLs in state `queued`, without those that are in memory already."""

    def __init__(self, transaction: Transaction, seen: SeenTable) -> None:
        self._transaction = transaction
        self._seen = seen

    def take(self, authority: str, room: int, now: float) -> Sequence[CrawlRequest]:
        """The URLs of a host that are worth most by now."""
        few = min(LOOKED_AT, CHOICE * room)
        # As far as `due_at` looks, before there is nothing: the host would come again at once.
        return self._best(authority, room, now, few) or self._best(authority, room, now, LOOKED_AT)

    def _best(self, authority: str, room: int, now: float, looked_at: int) -> list[CrawlRequest]:
        free = self._free(authority, looked_at)
        best = free[np.argsort(-self._seen.scores(free), kind="stable")]
        taken: list[CrawlRequest] = []
        while len(best) and len(taken) < room:  # once, unless some of the best are to be tried later
            piece, best = best[:room], best[room:]
            waiting = self._transaction.partition.catalogue.requests(piece)
            due = np.flatnonzero(waiting.not_before <= now)[: room - len(taken)]
            taken += [waiting.request(place) for place in due.tolist()]
        return taken

    def due_at(self, authority: str) -> float:
        """When the first of a host may be tried."""
        free, catalogue = self._free(authority, LOOKED_AT), self._transaction.partition.catalogue
        pieces = (free[start : start + PIECE] for start in range(0, len(free), PIECE))
        return min(
            (float(catalogue.requests(piece).not_before.min(initial=inf)) for piece in pieces), default=inf
        )

    def _free(self, authority: str, limit: int) -> NDArray[np.uint64]:
        """Of the first URLs of a host in the catalogue, those that nobody has taken yet.

        Those that were taken since the last commit stand there too: where they are all, it looks further.
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

FIRST_ROOM = 8
NOTHING: NDArray[np.uint64] = np.empty(0, np.uint64)


class QueuedUrl(NamedTuple):
    """A URL in memory; `number` rises with every URL, and decides between equals."""

    number: int
    request: CrawlRequest


@dataclass(slots=True, eq=False)
class BackQueue:
    """The URLs of one host: those in memory, due or to be tried later, and how many more the reserve has."""

    authority: str
    may_be_asked_at: float = 0.0
    busy: bool = False  # a request is under way
    awake: bool = False  # it stands in a front queue
    turn: Turn | None = None  # that it has drawn at its address
    ticket: int = 0  # what other queues hold about this one counts only with the latest ticket
    reserve: int = 0  # URLs that wait outside of memory
    reserve_due_at: float = 0.0  # none of them may come before
    due: list[QueuedUrl] = field(default_factory=list)
    fingerprints: NDArray[np.uint64] = field(default_factory=lambda: NOTHING)  # of `due`, with room for more
    _later: list[tuple[float, int, CrawlRequest]] | None = None  # most hosts have none

    def add(self, request: CrawlRequest, not_before: float, number: int) -> None:
        """Takes a URL into memory."""
        if not_before > 0:
            self._later = self._later or []
            heappush(self._later, (not_before, number, request))
        else:
            self._add_due(QueuedUrl(number, request))

    def release(self, now: float) -> None:
        """Those that had to wait until now are due."""
        while self._later and self._later[0][0] <= now:
            _, number, request = heappop(self._later)
            self._add_due(QueuedUrl(number, request))

    def pop(self, place: int) -> CrawlRequest:
        """Takes one of the due URLs; the others keep their order."""
        last = len(self.due) - 1
        self.fingerprints[place:last] = self.fingerprints[place + 1 : last + 1]
        if not last:
            self.fingerprints = NOTHING  # a host that waits for its next day should cost little
        return self.due.pop(place).request

    def clear(self) -> list[CrawlRequest]:
        """Takes everything out of memory."""
        requests = [held.request for held in self.due] + [entry[2] for entry in sorted(self._later or [])]
        self.due = []
        self.fingerprints = NOTHING
        self._later = None
        return requests

    @property
    def may_come_at(self) -> float:
        """When a URL of this host may be handed out; never, while there is none."""
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
    """Whether an entry about a host, with the ticket that it had, still counts."""
    queue = hosts.get(authority)
    return queue is not None and queue.ticket == ticket


# Front queues by score (Mercator)
# --------------------------------
#
# A host stands in the front queue of its best URL's score, and the front queue to serve is drawn at
# random, each with twice the weight of the one below. Inside a front queue the highest score comes
# first: with a single one the order over hosts is exact, with more it holds in most draws, and low
# scores are never starved by high ones of other hosts.

Ready = tuple[float, int, int, str]  # (-score, number, ticket, host): entries of old tickets are passed over
LEAST_DRAWN = 256  # hosts between two refreshments
USUAL_MEMORY = 0.99  # how slowly the idea of a usual score changes


class FrontQueues:
    """Hosts by what they have to offer; `hosts` are the back queues of all, by name."""

    def __init__(self, count: int, hosts: Mapping[str, BackQueue], seen: SeenTable, seed: int) -> None:
        self._hosts = hosts
        self._seen = seen
        self._random = Random(seed)
        self._fronts: list[list[Ready]] = [[] for _ in range(max(1, count))]
        self._usual = 0.0  # score of the URLs handed out lately
        self._drawn = 0  # since the last refreshment

    def put(self, queue: BackQueue, latest: int) -> None:
        """A host that may be asked; `latest` is the number of the newest URL of all."""
        score, number = self._best(queue, latest)
        heappush(self._fronts[self._level(score)], (-score, number, queue.ticket, queue.authority))

    def draw(self) -> BackQueue | None:
        """The first host of a front queue that is drawn by weight."""
        levels = self._levels()
        if not levels:
            return None
        level = self._random.choices(levels, [2.0**level for level in levels])[0]
        return self._hosts[heappop(self._fronts[level])[3]]

    def served(self, score: float) -> None:
        """A URL of that score was handed out."""
        self._usual = USUAL_MEMORY * self._usual + (1 - USUAL_MEMORY) * score if self._usual else score
        self._drawn += 1

    def refresh_when_due(self, latest: int) -> None:
        """Places all hosts anew: scores have changed since they came here.

        Done when half of them were drawn, so that it costs a draw no more than one placing.
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
        """Whether any host stands here."""
        return bool(self._levels())

    def _best(self, queue: BackQueue, latest: int) -> tuple[float, int]:
        """The score and number of a host's best URL; what only the reserve knows of counts as usual."""
        if not queue.due:
            return self._usual, latest
        place, score = self._seen.best(queue.fingerprints, len(queue.due))
        return score, queue.due[place].number

    def _levels(self) -> list[int]:
        """The front queues that are not empty, once entries that no longer count are off their tops."""
        for front in self._fronts:
            while front and not is_current(self._hosts, *front[0][2:]):
                heappop(front)
        return [level for level, front in enumerate(self._fronts) if front]

    def _level(self, score: float) -> int:
        """The usual score stands in the middle; each level above is for twice the score of the one below."""
        queues = len(self._fronts)
        if score <= 0:
            return 0
        usual = self._usual if self._usual > 0 else score
        return int(min(max(queues / 2 + log2(score / usual), 0), queues - 1))


# Which URL may be fetched now
# ----------------------------
#
# After Heydon and Najork, "Mercator: A scalable, extensible Web crawler" (World Wide Web 2, 1999):
# front queues decide what is worth it (`FrontQueues`), back queues what is polite (`BackQueue`). Each
# host has one back queue. A host that must be left alone stands in a heap by the time when it may be
# asked again.
#
# Scores live in the seen table and change while URLs wait (see `order`). Only the next URLs of each
# host are in memory; the others wait in a reserve, the catalogue, which is asked when a host runs out
# of them.
#
# `HostQueues` reads no clock: the caller says what time it is. `next` may read the reserve, which is
# in SQLite.

Sleeper = tuple[float, int, str]  # (when, ticket, host): entries of old tickets are passed over
MOST_HELD = 50_000  # URLs in memory, over all hosts: some 30 MB
MOST_HELD_A_HOST = 512
LEAST_FETCHED = 4  # URLs taken from the reserve at once, where memory is short


class HostQueues:
    """All URLs that wait. A host gets one request at a time: `next` hands it out, `done` ends it."""

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
        """A URL that waits from now on, with its priority as its score; False when it is known already."""
        queue = self._host(request.url.authority)
        has_room = self._has_room(queue)
        state = HELD if has_room else WAITING
        if not self.seen.add(request.url.fingerprint, state, request.priority):
            if not len(queue):
                self._place(queue)  # it may have been made for nothing
            return False
        self._enqueue(queue, request, 0.0, has_room)
        return True

    def add(self, request: CrawlRequest, not_before: float = 0.0) -> None:
        """A known URL that waits again, at least until `not_before`.

        Also called with a `HostToken` (`crawl.revisit.schedule`), exchanged for a known page at its turn.
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
        """Says that the reserve has so many URLs of a host."""
        queue = self._host(authority)
        self._waiting += count
        queue.reserve += count
        queue.reserve_due_at = 0.0
        self._place(queue)

    def next(self, now: float) -> CrawlRequest | None:
        """A URL whose host may be asked now; the host is busy until `done` is called for it."""
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

    def takes_turns(self, host: str) -> bool:
        """Whether a host was given a turn at its address; not where nobody knows its address yet."""
        return self._rate_limit.has_line(host)

    def pause(self, elapsed: float, crawl_delay: float | None = None) -> float:
        """The politeness delay under this frontier's settings."""
        return politeness_delay(self._settings, elapsed, crawl_delay)

    def delay_until(self, authority: str, until: float) -> None:
        """Does not ask a host before that time."""
        queue = self._host(authority)
        queue.may_be_asked_at = max(queue.may_be_asked_at, until)
        self._place(queue)

    def wake(self, authority: str, now: float, crawl_delay: float | None = None) -> None:
        """Somebody asks for this host by name: what waits for a later day may come after the usual pause."""
        queue = self._host(authority)
        queue.may_be_asked_at = min(queue.may_be_asked_at, now + self.pause(0.0, crawl_delay))
        queue.reserve_due_at = 0.0
        queue.release(inf)
        self._place(queue)

    def wait(self, now: float) -> float | None:
        """Seconds until a URL may be handed out; None when nothing waits, or only for hosts that are busy."""
        if self._front:
            return 0.0
        while self._asleep and not is_current(self._hosts, *self._asleep[0][1:]):
            heappop(self._asleep)
        return max(0.0, self._asleep[0][0] - now) if self._asleep else None

    def forget(self, authority: str) -> list[CrawlRequest]:
        """Lets go of all waiting URLs of a host, and returns those in memory; its delay stays known."""
        queue = self._host(authority)
        self._waiting -= len(queue)
        requests = queue.clear()
        self._held -= len(requests)
        queue.reserve = 0
        self._place(queue)
        return requests

    def waiting_at(self, authority: str) -> int:
        """How many URLs of a host wait."""
        queue = self._hosts.get(authority)
        return 0 if queue is None else len(queue)

    def __len__(self) -> int:
        """URLs that wait; those that were handed out do not count."""
        return self._waiting

    def _host(self, authority: str) -> BackQueue:
        queue = self._hosts.get(authority)
        if queue is None:
            queue = self._hosts[authority] = BackQueue(authority)
        return queue

    def _has_room(self, queue: BackQueue) -> bool:
        # once the reserve has some, later ones queue up there too, or they would overtake
        is_short = len(queue.due) < self._most_held_a_host
        return is_short and not queue.reserve and self._held < self._most_held

    def _keep_in_memory(self, queue: BackQueue, request: CrawlRequest, not_before: float = 0.0) -> None:
        self._added += 1
        self._held += 1
        queue.add(request, not_before, self._added)

    def _refill(self, queue: BackQueue, now: float) -> None:
        """Takes the next URLs of a host out of the reserve, which may have others than was thought."""
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
        """Whether the address of the host may be asked; if not, the host sleeps until its turn."""
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
            if is_current(self._hosts, ticket, authority):
                queue = self._hosts[authority]
                queue.release(now)
                queue.awake = True
                self._front.put(queue, self._added)

    def _drop_rested(self, now: float) -> None:
        """Hosts without URLs are forgotten once they may be asked again: there is nothing left to know."""
        while self._resting and self._resting[0][0] <= now:
            queue = self._hosts.get(heappop(self._resting)[1])
            if queue is not None and not (len(queue) or queue.busy or queue.may_be_asked_at > now):
                del self._hosts[queue.authority]
