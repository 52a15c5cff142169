"""Circuit breaker and silence periods of failing hosts; Retry-After.

A circuit breaker for each host (Nygard, "Release It!", 2007, chapter 5). It is closed while the host answers.
When `breaker_failures` pages in a row have failed it opens: for `breaker_pause` seconds nothing is asked.
Then it is half-open: one request goes out, for a host is never asked two things at once. An answer closes the
breaker, a failure opens it for twice as long, at most for an hour; and for an hour at once after
`breaker_openings` pauses, so that a crawl comes to its end.

Different pages are counted, not tries: one page that is broken for ever says little about its host.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from gossamer.crawl.hosts.notes import HostNotes, State
from gossamer.crawl.settings import FrontierSettings

UNREACHABLE_FOR = 3600.0  # a server in trouble is asked again after an hour
LONGEST_SILENCE = 48 * 3600.0  # and one that stays silent at least every other day
GIVE_UP_AFTER = 6  # crawls in a row without an answer: nearly four days
LONGEST_WISH = 30 * 86_400  # seconds for which a server may ask to be left alone; nobody means more
OVERLOADED = {429, 503}  # with these a server may say how long it wants to be left alone


def back_off_until(failed_at: float, failures: int) -> float:
    """When a host that did not answer is asked again: after 1, 2, 4, ... hours."""
    if failures <= 0:
        return 0.0
    return failed_at + min(UNREACHABLE_FOR * 2.0 ** (failures - 1), LONGEST_SILENCE)


def retry_after_until(status: int, retry_after: str, now: float) -> float:
    """The time before which a server does not want to be asked; 0 when it did not say so.

    `Retry-After` names seconds or a date (RFC 9110, 10.2.3).
    """
    value = retry_after.strip()
    try:
        if status not in OVERLOADED:
            return 0.0
        if value.isdigit():
            return now + min(int(value), LONGEST_WISH)
        return min(parsedate_to_datetime(value).timestamp(), now + LONGEST_WISH)
    except (ValueError, OverflowError):
        return 0.0


LONGEST_PAUSE = 3600.0  # seconds
MOST_HOSTS = 20_000  # that failed lately; about 6 MB


@dataclass(slots=True, eq=False)
class CircuitBreaker:
    """The troubles of one host since its last good answer."""

    settings: FrontierSettings
    changed: bool = False
    failures: int = 0  # pages in a row
    openings: int = 0  # in a row
    since: float = 0.0  # the first of them
    until: float = 0.0  # the end of the last
    reason: str = ""  # of the last failure

    def __len__(self) -> int:
        return int(self.failures > 0 or self.is_open)

    @property
    def is_open(self) -> bool:
        """Whether the host is left alone, or the next answer decides whether it still is."""
        return self.openings > 0

    def fail(self, now: float, reason: str, is_new: bool, not_before: float = 0.0) -> float:
        """Notes a failure, of a page that `is_new` if it failed for the first time.

        Returns the time until which the host is left alone, not before that which it asked for itself; 0 when
        it may go on.
        """
        self.failures += is_new or self.is_open
        if self.failures < self.settings.breaker_failures and not self.is_open:
            return 0.0
        return self.open(now, reason, not_before)

    def open(self, now: float, reason: str, not_before: float = 0.0) -> float:
        """Leaves the host alone, however many of its pages have failed; returns the end of the pause."""
        self.since = self.since if self.is_open else now
        self.openings += 1
        self.until = max(now + self.pause(self.openings), not_before)
        self.reason = reason
        self.changed = True
        return self.until

    def pause(self, openings: int) -> float:
        """Seconds for which the host is left alone when the breaker opens so many times in a row.

        >>> [CircuitBreaker(FrontierSettings()).pause(times) for times in (1, 2, 3, 4, 5)]
        [15.0, 30.0, 60.0, 120.0, 3600.0]
        """
        if openings > self.settings.breaker_openings:
            return LONGEST_PAUSE
        return min(self.settings.breaker_pause * 2.0 ** (openings - 1), LONGEST_PAUSE)

    def close(self) -> None:
        """The host has answered."""
        self.failures = self.openings = 0
        self.since = self.until = 0.0
        self.reason = ""
        self.changed = True

    def state(self) -> State:
        """JSON."""
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
    """The breakers of all hosts, by authority."""

    def __init__(self, settings: FrontierSettings, most: int = MOST_HOSTS) -> None:
        super().__init__(lambda: CircuitBreaker(settings), most)

    def fail(
        self, authority: str, now: float, reason: str, is_new: bool = True, not_before: float = 0.0
    ) -> float:
        """As `CircuitBreaker.fail`, for a host."""
        until = self.of(authority).fail(now, reason, is_new, not_before)
        self.account(authority)
        return until

    def open(self, authority: str, now: float, reason: str) -> float:
        """As `CircuitBreaker.open`, for a host."""
        until = self.of(authority).open(now, reason)
        self.account(authority)
        return until

    def extend(self, authority: str, until: float) -> None:
        """The host is left alone for longer than its breaker says."""
        breaker = self.of(authority)
        breaker.until = max(breaker.until, until)
        breaker.changed = True

    def succeed(self, authority: str) -> None:
        """The host gave an answer that is not a failure."""
        breaker = self.get(authority)
        if breaker is not None and (breaker.failures or breaker.openings):
            was_open = breaker.is_open
            self.of(authority).close()
            breaker.changed = was_open  # what was never written need not be taken back

    def pauses(self) -> Iterator[tuple[str, float]]:
        """The hosts that are left alone, and until when."""
        for authority in self.where(lambda breaker: breaker.is_open):
            yield authority, self.of(authority).until
