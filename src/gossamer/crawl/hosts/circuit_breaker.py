"""Circuit breakers of failing hosts, back-off of silent hosts, Retry-After.

Each host has a circuit breaker (Nygard, "Release It!", 2007, chapter 5). It is closed while the host
answers. When `breaker_failures` pages in a row have failed, it opens: nothing is requested for
`breaker_pause` seconds. After that it is half-open, and one request is sent. A response closes the breaker.
A failure opens it for twice as long, at most for an hour. After `breaker_openings` pauses it opens for an
hour at once, so that a crawl can end.

Only the first failure of each page counts, not its retries: one broken page says little about its host.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gossamer.crawl.hosts.notes import HostNotes, State
from gossamer.crawl.settings import FrontierSettings

UNREACHABLE_FOR = 3600.0  # seconds; first back-off of a host that does not answer
LONGEST_SILENCE = 48 * 3600.0  # seconds; longest back-off
GIVE_UP_AFTER = 6  # failures in a row after which the pages of a silent host are given up
LONGEST_WISH = 30 * 86_400  # seconds; longest Retry-After that is obeyed
OVERLOADED = {429, 503}  # statuses with which a Retry-After is obeyed


def back_off_until(failed_at: float, failures: int) -> float:
    """Return when a host that did not answer is tried again: after 1, 2, 4, ... hours."""
    if failures <= 0:
        return 0.0
    return failed_at + min(UNREACHABLE_FOR * 2.0 ** (failures - 1), LONGEST_SILENCE)


def retry_after_until(status: int, retry_after: str, now: float) -> float:
    """Return the end of the pause that a server asked for by Retry-After; 0 if it did not.

    `Retry-After` is a number of seconds or a date (RFC 9110, 10.2.3).
    """
    value = retry_after.strip()
    try:
        if status not in OVERLOADED:
            return 0.0
        if value.isdigit():
            return now + min(int(value), LONGEST_WISH)
        from email.utils import parsedate_to_datetime

        return min(parsedate_to_datetime(value).timestamp(), now + LONGEST_WISH)
    except (ValueError, OverflowError):
        return 0.0


LONGEST_PAUSE = 3600.0  # seconds
MOST_HOSTS = 20_000  # hosts that failed lately; about 6 MB


@dataclass(slots=True, eq=False)
class CircuitBreaker:
    """The failures of one host since its last good response."""

    settings: FrontierSettings
    changed: bool = False
    failures: int = 0  # failed pages in a row
    openings: int = 0  # pauses in a row
    since: float = 0.0  # start of the first pause
    until: float = 0.0  # end of the last pause
    reason: str = ""  # of the last failure

    def __len__(self) -> int:
        return int(self.failures > 0 or self.is_open)

    @property
    def is_open(self) -> bool:
        """Whether the breaker is open or half-open."""
        return self.openings > 0

    def fail(self, now: float, reason: str, is_new: bool, not_before: float = 0.0) -> float:
        """Record a failure; `is_new` says that the page failed for the first time.

        Returns the end of the pause of the host, at least `not_before`; 0 if there is no pause.
        """
        self.failures += is_new or self.is_open
        if self.failures < self.settings.breaker_failures and not self.is_open:
            return 0.0
        return self.open(now, reason, not_before)

    def open(self, now: float, reason: str, not_before: float = 0.0) -> float:
        """Open the breaker, whatever the number of failures; return the end of the pause."""
        self.since = self.since if self.is_open else now
        self.openings += 1
        self.until = max(now + self.pause(self.openings), not_before)
        self.reason = reason
        self.changed = True
        return self.until

    def pause(self, openings: int) -> float:
        """Return the length of the pause in seconds after this number of openings in a row.

        >>> [CircuitBreaker(FrontierSettings()).pause(times) for times in (1, 2, 3, 4, 5)]
        [15.0, 30.0, 60.0, 120.0, 3600.0]
        """
        if openings > self.settings.breaker_openings:
            return LONGEST_PAUSE
        return min(self.settings.breaker_pause * 2.0 ** (openings - 1), LONGEST_PAUSE)

    def close(self) -> None:
        """Close the breaker, after a response."""
        self.failures = self.openings = 0
        self.since = self.until = 0.0
        self.reason = ""
        self.changed = True

    def state(self) -> State:
        """Return the state of an open breaker as JSON; nothing for a closed one."""
        if not self.is_open:
            return {}
        return {name: getattr(self, name) for name in ("failures", "openings", "since", "until", "reason")}

    def restore(self, state: State) -> None:
        self.close()
        if state:
            self.failures, self.openings = int(state["failures"]), int(state["openings"])
            self.since, self.until = float(state["since"]), float(state["until"])
            self.reason = str(state["reason"])


class CircuitBreakers(HostNotes[CircuitBreaker]):
    """The circuit breakers of all hosts, by authority."""

    def __init__(self, settings: FrontierSettings, most: int = MOST_HOSTS) -> None:
        super().__init__(lambda: CircuitBreaker(settings), most)

    def fail(
        self, authority: str, now: float, reason: str, is_new: bool = True, not_before: float = 0.0
    ) -> float:
        """Record a failure of a host; see `CircuitBreaker.fail`."""
        until = self.of(authority).fail(now, reason, is_new, not_before)
        self.account(authority)
        return until

    def open(self, authority: str, now: float, reason: str) -> float:
        """Open the breaker of a host; see `CircuitBreaker.open`."""
        until = self.of(authority).open(now, reason)
        self.account(authority)
        return until

    def extend(self, authority: str, until: float) -> None:
        """Extend the pause of a host."""
        breaker = self.of(authority)
        breaker.until = max(breaker.until, until)
        breaker.changed = True

    def succeed(self, authority: str) -> None:
        """Record a good response of a host."""
        breaker = self.get(authority)
        if breaker is not None and (breaker.failures or breaker.openings):
            was_open = breaker.is_open
            self.of(authority).close()
            breaker.changed = was_open  # a breaker that was never open was never saved

    def pauses(self) -> Iterator[tuple[str, float]]:
        """Yield the hosts with an open breaker, and the ends of their pauses."""
        for authority in self.where(lambda breaker: breaker.is_open):
            yield authority, self.of(authority).until
