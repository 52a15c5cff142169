"""Which URLs of one host wait, and when may the host be asked again?"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.frontier.addresses import Turn
from gossamer.model import CrawlRequest

FIRST_ROOM = 8
NOTHING: NDArray[np.uint64] = np.empty(0, np.uint64)


class Held(NamedTuple):
    """A URL in memory; `number` rises with every URL, and decides between equals."""

    number: int
    request: CrawlRequest


class BackQueue:
    """The URLs of one host: those in memory, due or to be tried later, and how many more the reserve has."""

    __slots__ = (
        "_later",
        "authority",
        "awake",
        "busy",
        "due",
        "fingerprints",
        "may_be_asked_at",
        "reserve",
        "reserve_due_at",
        "ticket",
        "turn",
    )

    def __init__(self, authority: str) -> None:
        self.authority = authority
        self.may_be_asked_at = 0.0
        self.busy = False  # a request is under way
        self.awake = False  # it stands in a front queue
        self.turn: Turn | None = None  # that it has drawn at its address
        self.ticket = 0  # what other queues hold about this one counts only with the latest ticket
        self.reserve = 0  # URLs that wait outside of memory
        self.reserve_due_at = 0.0  # none of them may come before
        self.due: list[Held] = []
        self.fingerprints = NOTHING  # of `due`, in its order, with room for more
        self._later: list[tuple[float, int, CrawlRequest]] | None = None  # most hosts have none

    def add(self, request: CrawlRequest, not_before: float, number: int) -> None:
        """Takes a URL into memory."""
        if not_before > 0:
            self._later = self._later or []
            heappush(self._later, (not_before, number, request))
        else:
            self._add_due(Held(number, request))

    def release(self, now: float) -> None:
        """Those that had to wait until now are due."""
        while self._later and self._later[0][0] <= now:
            _, number, request = heappop(self._later)
            self._add_due(Held(number, request))

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
    def in_memory(self) -> int:
        return len(self.due) + len(self._later or ())

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
        return self.in_memory + self.reserve

    def _add_due(self, held: Held) -> None:
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
