"""Politeness delay per host and per IP address.

Thousands of hosts can share a machine: a polite pause at each of them would still be a flood for it. A host
whose address is busy draws a number there, as at a bakery, and sleeps until it may come: as many pauses after
the last one was served as there are numbers in between. Whoever comes late delays those behind, so that two
requests are never closer than the pause; and a crowd of hosts need not ask again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.crawl.settings import FrontierSettings
from gossamer.model import BadSetting, CrawlRequest

AddressOf = Callable[[str], str | None]  # of a host name, when it is known
MOST_REMEMBERED = 100_000


class Line:
    """The hosts that queue up at one address."""

    __slots__ = ("asked_at", "drawn", "served")

    def __init__(self) -> None:
        self.asked_at = -inf
        self.drawn = 0  # the last number that somebody drew
        self.served = 0  # the highest number that was served

    def may_come_at(self, number: int, pause: float) -> float:
        return self.asked_at + max(number - self.served, 1) * pause

    def serve(self, number: int, now: float) -> None:
        self.asked_at, self.served = now, max(self.served, number)


class Turn(NamedTuple):
    """A number that a host has drawn, and where."""

    line: Line
    number: int


class AddressPace:
    """Turns at addresses, `pause` seconds apart; anybody at any time at those that the owner listed.

    One holds for all frontiers of a crawl.
    """

    def __init__(self, pause: float, unlimited: Sequence[str], address_of: AddressOf) -> None:
        self._pause = pause
        self._unlimited = [_network(text) for text in unlimited]
        self._address_of = address_of
        self._lines: dict[str, Line] = {}
        self._is_limited: dict[str, bool] = {}

    @classmethod
    def by(cls, settings: FrontierSettings, address_of: AddressOf = lambda host: None) -> AddressPace:
        """The pace that the owner wants; none where hosts are asked without waiting."""
        pause = settings.address_delay if settings.delay else 0.0
        return cls(pause, settings.unlimited_addresses, address_of)

    def has_line(self, host: str) -> bool:
        """Whether it is known where the host is, and that one has to queue up there."""
        address = self._address_of(host) if self._pause else None
        return address is not None and self._limited(address)

    def turn(self, host: str, drawn: Turn | None, now: float) -> tuple[Turn | None, float]:
        """The host wants to be asked, perhaps with a turn that it has drawn: its turn, and when that comes.

        A time that is not to come means that the host is asked now.
        """
        address = self._address_of(host) if self._pause else None
        if address is None or not self._limited(address):
            return None, now
        line = self._line(address, now)
        if drawn is None or drawn.line is not line:  # the name may have moved to another address
            line.drawn += 1
            drawn = Turn(line, line.drawn)
        may_come_at = line.may_come_at(drawn.number, self._pause)
        if may_come_at <= now:
            line.serve(drawn.number, now)
        return drawn, may_come_at

    def _line(self, address: str, now: float) -> Line:
        line = self._lines.get(address)
        if line is None:
            if len(self._lines) >= MOST_REMEMBERED:
                self._lines = {
                    other: line
                    for other, line in self._lines.items()
                    if line.may_come_at(line.drawn + 1, self._pause) > now
                }
            line = self._lines[address] = Line()
        return line

    def _limited(self, address: str) -> bool:
        known = self._is_limited.get(address)
        if known is None:
            if len(self._is_limited) >= MOST_REMEMBERED:
                self._is_limited.clear()
            place = ip_address(address.partition("%")[0])
            known = not any(place in network for network in self._unlimited)
            self._is_limited[address] = known
        return known


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise BadSetting(f"[frontier] unlimited_addresses: {error}") from error


# Back queue of one host
# ----------------------

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
