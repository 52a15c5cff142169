"""Politeness delay per host, and rate limit per IP address.

Thousands of hosts can share a machine, so a pause at each host would not protect it. A host whose address is
busy draws a number in the queue of the address. Its turn comes n pauses after the last request to the
address, where n is its number minus the last number served. The host sleeps until then, without polling. A
host that comes late delays the hosts after it, so two requests are never closer than the pause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from math import inf
from typing import NamedTuple

from gossamer.crawl.settings import FrontierSettings
from gossamer.model import BadSetting

AddressOf = Callable[[str], str | None]  # the IP address of a host name, None if it is unknown
MOST_REMEMBERED = 100_000  # addresses


def politeness_delay(settings: FrontierSettings, elapsed: float, crawl_delay: float | None = None) -> float:
    """Return the pause of a host, in seconds, after a response that took `elapsed` seconds.

    It is the largest of the owner's delay, the Crawl-delay of the host's robots.txt (up to a limit) and a
    multiple of the response time. It is 0 if the owner sets no delay and the host demands none.
    """
    polite = max(settings.delay, min(crawl_delay or 0.0, settings.max_crawl_delay))
    return max(polite, settings.response_time_factor * elapsed) if polite > 0 else 0.0


@dataclass(slots=True, eq=False)
class AddressQueue:
    """The queue of the hosts at one IP address."""

    asked_at: float = -inf
    drawn: int = 0  # the last number drawn
    served: int = 0  # the highest number served

    def may_come_at(self, number: int, pause: float) -> float:
        return self.asked_at + max(number - self.served, 1) * pause

    def serve(self, number: int, now: float) -> None:
        self.asked_at, self.served = now, max(self.served, number)


class Turn(NamedTuple):
    """The number that a host has drawn, and the queue."""

    line: AddressQueue
    number: int


class AddressRateLimit:
    """Gives turns at each IP address, `pause` seconds apart, except at the `unlimited` addresses.

    All partitions of a crawl share one.
    """

    def __init__(self, pause: float, unlimited: Sequence[str], address_of: AddressOf) -> None:
        self._pause = pause
        self._unlimited = [_network(text) for text in unlimited]
        self._address_of = address_of
        self._lines: dict[str, AddressQueue] = {}
        self._limited = lru_cache(MOST_REMEMBERED)(self._is_limited)

    @classmethod
    def by(cls, settings: FrontierSettings, address_of: AddressOf) -> AddressRateLimit:
        """Build the rate limit from the settings; there is no limit if `delay` is 0."""
        pause = settings.address_delay if settings.delay else 0.0
        return cls(pause, settings.unlimited_addresses, address_of)

    def has_line(self, host: str) -> bool:
        """Return whether the address of the host is known and has a limit."""
        address = self._address_of(host) if self._pause else None
        return address is not None and self._limited(address)

    def turn(self, host: str, drawn: Turn | None, now: float) -> tuple[Turn | None, float]:
        """Return the place of a host in the queue of its IP address, and when its next request may be sent.

        `drawn` is the place that the host already has. If the time is not after `now`, the place is used up,
        and the request must be sent now.
        """
        address = self._address_of(host) if self._pause else None
        if address is None or not self._limited(address):
            return None, now
        line = self._line(address, now)
        if drawn is None or drawn.line is not line:  # the host may have moved to another address
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

    def _is_limited(self, address: str) -> bool:
        place = ip_address(address.partition("%")[0])
        return not any(place in network for network in self._unlimited)


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError as error:
        raise BadSetting(f"[frontier] unlimited_addresses: {error}") from error
