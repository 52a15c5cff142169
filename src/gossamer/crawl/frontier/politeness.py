"""Politeness delay per host and per IP address.

Thousands of hosts can share a machine: a polite pause at each of them would still be a flood for it. A host
whose address is busy draws a number there, as at a bakery, and sleeps until it may come: as many pauses after
the last one was served as there are numbers in between. Whoever comes late delays those behind, so that two
requests are never closer than the pause; and a crowd of hosts need not ask again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from math import inf
from typing import NamedTuple

from gossamer.crawl.settings import FrontierSettings
from gossamer.model import BadSetting

AddressOf = Callable[[str], str | None]  # of a host name, when it is known
MOST_REMEMBERED = 100_000


def politeness_delay(settings: FrontierSettings, elapsed: float, crawl_delay: float | None = None) -> float:
    """Seconds for which a host is left alone after an answer that took `elapsed` seconds.

    The largest of the owner's delay, the Crawl-delay of the host's robots.txt (up to a limit) and a multiple
    of the response time; 0 where the owner wants no delay and the host asks for none.
    """
    polite = max(settings.delay, min(crawl_delay or 0.0, settings.max_crawl_delay))
    return max(polite, settings.response_time_factor * elapsed) if polite > 0 else 0.0


@dataclass(slots=True, eq=False)
class AddressQueue:
    """The hosts that queue up at one address."""

    asked_at: float = -inf
    drawn: int = 0  # the last number that somebody drew
    served: int = 0  # the highest number that was served

    def may_come_at(self, number: int, pause: float) -> float:
        return self.asked_at + max(number - self.served, 1) * pause

    def serve(self, number: int, now: float) -> None:
        self.asked_at, self.served = now, max(self.served, number)


class Turn(NamedTuple):
    """A number that a host has drawn, and where."""

    line: AddressQueue
    number: int


class AddressRateLimit:
    """Turns at addresses, `pause` seconds apart; anybody at any time at those that the owner listed.

    One holds for all frontiers of a crawl.
    """

    def __init__(self, pause: float, unlimited: Sequence[str], address_of: AddressOf) -> None:
        self._pause = pause
        self._unlimited = [_network(text) for text in unlimited]
        self._address_of = address_of
        self._lines: dict[str, AddressQueue] = {}
        self._is_limited: dict[str, bool] = {}

    @classmethod
    def by(cls, settings: FrontierSettings, address_of: AddressOf) -> AddressRateLimit:
        """The rate limit that the owner wants; none where hosts are asked without waiting."""
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

    def _line(self, address: str, now: float) -> AddressQueue:
        line = self._lines.get(address)
        if line is None:
            if len(self._lines) >= MOST_REMEMBERED:
                self._lines = {
                    other: line
                    for other, line in self._lines.items()
                    if line.may_come_at(line.drawn + 1, self._pause) > now
                }
            line = self._lines[address] = AddressQueue()
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
