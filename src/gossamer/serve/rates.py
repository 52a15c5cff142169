"""How much may one visitor ask? A token bucket for each address.

A bucket holds at most `burst` tokens and gains `rate` of them a second; a request takes one, or is refused:

    tokens(t) = min(burst, tokens(s) + rate * (t - s))

J. Turner, "New directions in communications", IEEE Communications Magazine 24(10), 1986.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

MOST_VISITORS = 20_000  # that are remembered: those who asked last
REMEMBERED = 1_000  # addresses, and by what their visitors are known
NETWORK = 64  # bits of an IPv6 address; the rest is anybody's to choose who has one


class Rates:
    """The buckets of all visitors; used from one thread."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # tokens, and when

    def wait(self, visitor: str) -> float:
        """How many seconds the visitor must wait; 0 for one who may ask, and has asked herewith."""
        if not self._rate or not visitor:
            return 0.0
        now = self._clock()
        tokens, since = self._buckets.pop(visitor, (self._burst, now))
        tokens = min(self._burst, tokens + self._rate * (now - since))
        allowed = tokens >= 1
        self._buckets[visitor] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > MOST_VISITORS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - tokens) / self._rate


@lru_cache(REMEMBERED)
def visitor_of(address: str) -> str:
    """By what a visitor is known: the address, of IPv6 its network; "" for whoever is not counted.

    >>> visitor_of("192.0.2.7"), visitor_of("2001:db8::1:2"), visitor_of("127.0.0.1")
    ('192.0.2.7', '2001:db8::/64', '')
    """
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address  # what no network gave: a socket's name
    if isinstance(known, ipaddress.IPv6Address):
        if known.ipv4_mapped is not None:
            return visitor_of(str(known.ipv4_mapped))
        if not known.is_loopback:
            return str(ipaddress.IPv6Network((known, NETWORK), strict=False))
    return "" if known.is_loopback else str(known)
