"""Retry back-off: decide whether a page is tried again after a failure, and when.

A page is retried later, alone or with all pages of its host, or it is given up. A failure of the host or of
the network does not count as a try of the page.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from gossamer.crawl.hosts.circuit_breaker import OVERLOADED, CircuitBreakers, retry_after_until
from gossamer.crawl.settings import CrawlSettings
from gossamer.model import CrawlRequest, Failure, FetchResult

RETRY_WITHIN_SECONDS = 120.0  # a later retry is left to the next crawl
RETRYABLE_FAILURES = {Failure.CONNECT, Failure.TIMEOUT, Failure.DISCONNECTED}
HOST_FAILURES = {Failure.DNS, Failure.CONNECT}  # failures of the host or of our network, not of one page
SPOKEN = {Failure.PROTOCOL, Failure.DECODING, Failure.LOGIN}  # failures in which the host did answer
TRANSIENT_STATUS = {408, 425, 429, *range(500, 1000)}


def is_failure_or_transient(result: FetchResult) -> bool:
    """Return whether the fetch failed or the server answered with a transient status."""
    return result.failure is not None or result.status in TRANSIENT_STATUS


def reason_of(result: FetchResult) -> str:
    """Return the name under which a failure or a status is counted."""
    return result.failure.value if result.failure else f"http-{result.status}"


@dataclass(frozen=True, slots=True)
class Retry:
    """The decision after a failure. A page without another try is given up, unless its host is silent."""

    again: CrawlRequest | None = None  # the next try of the page
    again_at: float = 0.0  # the earliest time of the next try
    host_until: float = 0.0  # no request to the host before then; 0 if only the page waits
    asked_until: float = 0.0  # the server asked for no request before then (Retry-After)
    is_silent: bool = False  # the host has not answered in this crawl; its pages wait for hours


class RetryPolicy:
    """Decides about retries. Holds the circuit breakers of all hosts, and the hosts that have answered."""

    def __init__(self, breakers: CircuitBreakers, settings: CrawlSettings) -> None:
        self.breakers = breakers
        self._settings = settings
        self.heard: set[str] = set()  # authorities that have answered in this crawl

    def decide(self, request: CrawlRequest, result: FetchResult) -> Retry:
        """Decide what follows from a failure or a transient status of a page."""
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
        # Other pages of the host go first, because this page may be the only broken one. The number of tries
        # is limited, so the crawl ends even if only broken pages are left. A failure, or a status that says
        # that the server is overloaded, does not count as a try.
        counts = result.failure is None and result.status not in OVERLOADED
        if counts and attempts >= self._settings.retries:
            return Retry(host_until=until, asked_until=asked_until)
        later = until + self._settings.retry_delay
        return Retry(replace(request, attempts=attempts + counts), later, until, asked_until)
