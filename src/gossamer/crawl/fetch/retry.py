"""Retry back-off: who waits after a failure, and who is given up.

A page waits for another try, alone or with everything of its host, or it is given up. Whatever is the fault
of a host or of the network counts against no page.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from gossamer.crawl.hosts.circuit_breaker import OVERLOADED, CircuitBreakers, retry_after_until
from gossamer.crawl.settings import CrawlSettings
from gossamer.model import CrawlRequest, Failure, FetchResult

RETRY_WITHIN_SECONDS = 120.0  # seconds: what may only be asked later than that is left for the next crawl
RETRYABLE_FAILURES = {Failure.CONNECT, Failure.TIMEOUT, Failure.DISCONNECTED}  # failures worth another try
HOST_FAILURES = {Failure.DNS, Failure.CONNECT}  # failures of the host or of our network, never of one page
SPOKEN = {Failure.PROTOCOL, Failure.DECODING, Failure.LOGIN}  # somebody answered, and made no sense
TRANSIENT_STATUS = {408, 425, 429, *range(500, 1000)}


def is_failure_or_transient(result: FetchResult) -> bool:
    """Whether the fetch failed, for any reason, or the server answered with a transient status."""
    return result.failure is not None or result.status in TRANSIENT_STATUS


def reason_of(result: FetchResult) -> str:
    """The name under which a failure, or a status, is counted."""
    return result.failure.value if result.failure else f"http-{result.status}"


@dataclass(frozen=True, slots=True)
class Retry:
    """What follows from a failure. A page without another try is given up, unless its host is silent."""

    again: CrawlRequest | None = None  # the next try of the page
    again_at: float = 0.0  # when that may come
    host_until: float = 0.0  # everything of the host waits until then; 0 when only the page does
    asked_until: float = 0.0  # the server asked to be left alone until then
    is_silent: bool = False  # the host has not answered anything: its pages wait for hours


class RetryPolicy:
    """Decides who waits, and for how long; remembers which hosts answer, and the troubles of the others."""

    def __init__(self, breakers: CircuitBreakers, settings: CrawlSettings) -> None:
        self.breakers = breakers
        self._settings = settings
        self.heard: set[str] = set()  # authorities that answered anything in this run

    def decide(self, request: CrawlRequest, result: FetchResult) -> Retry:
        """What follows when no answer came for a page, or one that may pass."""
        now, authority, attempts = time.time(), request.url.authority, request.attempts
        is_silent = result.failure is not None and authority not in self.heard
        asked_until = until = 0.0
        if result.failure in RETRYABLE_FAILURES or result.status in TRANSIENT_STATUS:
            asked_until = retry_after_until(result.status, result.header("retry-after"), now)
            until = self.breakers.fail(authority, now, reason_of(result), not attempts, asked_until)
            if not until and attempts < self._settings.retries:
                later = max(now + self._settings.retry_delay * 2**attempts, asked_until)
                return Retry(replace(request, attempts=attempts + 1), later, asked_until=asked_until)
        if not until and not is_silent and result.failure in HOST_FAILURES:
            until = self.breakers.open(authority, now, reason_of(result))
        if is_silent or not until:
            return Retry(host_until=until, asked_until=asked_until, is_silent=is_silent)
        # Other pages of the host go first: if it is this page that is broken, they will do better, and if
        # only such are left, they have an end. Silence, and the word of a server that it is overloaded, count
        # against no page.
        counts = result.failure is None and result.status not in OVERLOADED
        if counts and attempts >= self._settings.retries:
            return Retry(host_until=until, asked_until=asked_until)
        later = until + self._settings.retry_delay
        return Retry(replace(request, attempts=attempts + counts), later, until, asked_until)
