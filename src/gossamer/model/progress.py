"""Progress of long jobs, and observers of it."""

from __future__ import annotations

import time
from collections import Counter, deque
from copy import copy
from dataclasses import dataclass, field, fields, replace
from heapq import nlargest
from typing import NamedTuple, Protocol, TypeVar

from gossamer.model.errors import INTERNAL_ERROR
from gossamer.model.notebook import NotebookTable

# Progress and observers
# ----------------------


class Progress(Protocol):
    """What all progress reports have in common: `StepProgress` and `CrawlProgress`."""

    @property
    def what(self) -> str:
        """The current step, such as "crawling" or "indexing"."""

    @property
    def done(self) -> int:
        """How many pages, links or files of this step are done."""

    @property
    def total(self) -> int:
        """How many there are in all; 0 if unknown."""


class StepProgress(NamedTuple):
    """Report how far one step of a job is.

    Attributes:
        what: The step, such as "indexing".
        done: How many pages, links or files are done.
        total: How many there are in all; 0 if unknown.

    Example:
        >>> progress = StepProgress("indexing", 20, 80)
        >>> print(f"{progress.what}: {progress.done} of {progress.total}")
        indexing: 20 of 80
    """

    what: str
    done: int = 0
    total: int = 0


ProgressT_contra = TypeVar("ProgressT_contra", contravariant=True)


class Observer(Protocol[ProgressT_contra]):
    """A callable that takes progress: a function, a lambda, an object with `__call__`.

    A crawl calls it with its `CrawlProgress`, every other job with a `StepProgress`. Both are a `Progress`,
    so an observer that reads only `what`, `done` and `total` works for all jobs. It is called in the thread
    of the job, a few times a second, and should return quickly. Between two calls any number of pages may be
    fetched. An exception that it raises ends the job.

    Example:
        >>> def show(progress: Progress) -> None:
        ...     print(progress.what, progress.done, progress.total)
        >>> show(StepProgress("indexing", 20, 80))
        indexing 20 80
    """

    def __call__(self, progress: ProgressT_contra, /) -> None:
        """Receive the progress of a job."""


def unobserved(_progress: object) -> None:
    """Observe nothing."""


# Progress of a crawl
# -------------------

MOST_NAMED = 10_000  # hosts or URL patterns that are counted separately; others are not counted
ROOM = 32  # hosts in the table from which the slowest are chosen
GAIN = 1 / 8  # weight of a new response time; RFC 6298, section 2
SPAN = 10.0  # seconds over which the current rate is measured
SAMPLE_EVERY = 0.1  # seconds


class SlowestHosts:
    """Find the hosts with the longest response times, in a table of limited size.

    Response times t are smoothed like round-trip times in RFC 6298, section 2: s <- s + (t - s) / 8. If the
    table is full, a new host replaces the fastest one if its response took longer.
    """

    __slots__ = ("_floor", "_times")

    def __init__(self) -> None:
        self._times: dict[str, float] = {}
        self._floor = float("inf")  # no time in the table is shorter

    def add(self, authority: str, elapsed: float) -> None:
        """Add a response time in seconds."""
        known = self._times.get(authority)
        if known is not None:
            elapsed = known + GAIN * (elapsed - known)
        elif len(self._times) >= ROOM:
            if elapsed <= self._floor:
                return
            quickest = min(self._times, key=self._times.__getitem__)
            self._floor = self._times[quickest]
            if elapsed <= self._floor:
                return
            del self._times[quickest]
        self._times[authority] = elapsed
        self._floor = min(self._floor, elapsed)

    def __copy__(self) -> SlowestHosts:
        other = SlowestHosts()
        other._times, other._floor = self._times.copy(), self._floor
        return other

    def top(self, count: int) -> list[tuple[str, float]]:
        """Return the slowest hosts with their smoothed response times, the slowest first."""
        return nlargest(count, self._times.items(), key=lambda one: one[1])


@dataclass(slots=True)
class CrawlProgress(NotebookTable):
    """Count what a crawl does. The crawl changes these numbers as it goes.

    Attributes:
        started: When the crawl began, in seconds since 1970.
        pages: Responses with a document. `max_pages` limits this number.
        kept: Documents that go into the index.
        duplicates: Documents with the same text as another page, including near-duplicates.
        near_duplicates: Those of them whose text differs a little.
        hosts: Hosts with a document in this crawl.
        redirects: Responses that redirect to another URL.
        refused: URLs that robots.txt forbids.
        left_out: URLs that were not requested when their turn came: excluded by the limits of this crawl, on
            blocked hosts, or in crawler traps or mirrors.
        bytes: Bytes received.
        queue: URLs in the queue.
        active: Requests in flight, at most one per host.
        indexed: Pages that became searchable.
        revisits: Known pages that were requested again.
        unchanged: Revisited pages that had not changed.
        ranked: How often link ranks were computed during the crawl.
        left: Pages removed from the index, because they are gone, forbidden or moved.
        errors: Failures by reason, as a `collections.Counter`.
        seed_errors: The reason of failure for each seed that failed.
        current: The URL that was requested last.
        paused: Whether the owner paused the crawl.
        stopping: Whether the crawl was told to stop. To stop it, call `stop`.
        finishing: Whether the crawl no longer requests pages and indexes what it fetched.
        finished: When the crawl ended, in seconds since 1970, or None.
        max_crawl_delay: Seconds; `long_delays` has the hosts whose Crawl-delay exceeds it.
        statuses: How many responses had a status of 0xx, 1xx, 2xx and so on.
        unanswered: Requests without a response, by reason.
        slowest: The slowest hosts: `slowest.top(5)` returns pairs of a host and its seconds.
        asked: Responses by host.
        long_delays: Hosts with a long Crawl-delay.
        sleeping: Crawler traps: the reason for each pair of a host and a URL pattern.
        fell_asleep: The latest crawler trap: host, pattern, reason; or None.
        troubles: Problems that the owner should know about; the crawl continues.

    Example:
        >>> progress = engine.crawl("https://example.org/", max_pages=10)
        >>> print(progress.what, progress.failed, dict(progress.errors))
        done 0 {}
    """

    started: float = field(default_factory=time.time)
    pages: int = 0
    kept: int = 0
    duplicates: int = 0
    near_duplicates: int = 0
    hosts: int = 0
    redirects: int = 0
    refused: int = 0
    left_out: int = 0
    bytes: int = 0
    queue: int = 0
    active: int = 0
    indexed: int = 0
    revisits: int = 0
    unchanged: int = 0
    ranked: int = 0
    left: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    seed_errors: dict[str, str] = field(default_factory=dict)
    current: str = ""
    paused: bool = False
    stopping: bool = False
    finishing: bool = False
    finished: float | None = None
    max_crawl_delay: float = 60.0
    statuses: list[int] = field(default_factory=lambda: [0] * 10)  # by first digit of the status
    unanswered: Counter[str] = field(default_factory=Counter)
    slowest: SlowestHosts = field(default_factory=SlowestHosts)
    asked: Counter[str] = field(default_factory=Counter)
    long_delays: set[str] = field(default_factory=set)
    sleeping: dict[tuple[str, str], str] = field(default_factory=dict)
    fell_asleep: tuple[str, str, str] | None = None
    troubles: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<CrawlProgress {self.what}: {self.pages} pages, {self.failed} failed, {self.queue} queued>"

    def answered(self, authority: str, status: int, reason: str, elapsed: float, size: int) -> None:
        """Count a request for a page; for the crawl only. A status of 0: no response, for that reason."""
        self.bytes += size
        if status <= 0:
            self.unanswered[reason] += 1
            return
        self.statuses[min(status // 100, 9)] += 1
        self.slowest.add(authority, elapsed)
        if authority in self.asked or len(self.asked) < MOST_NAMED:
            self.asked[authority] += 1

    def broke(self, url: str, reason: str) -> None:
        """Count a page that failed because of a bug; for the crawl only. `troubles` has the first one."""
        if not self.errors[INTERNAL_ERROR]:
            self.troubles.append(f"{url} was left out, and the job continues; {reason}")
        self.errors[INTERNAL_ERROR] += 1

    def wished(self, authority: str, crawl_delay: float) -> None:
        """Record the Crawl-delay of a host, in seconds; for the crawl only."""
        if crawl_delay > self.max_crawl_delay and len(self.long_delays) < MOST_NAMED:
            self.long_delays.add(authority)

    def asleep(self, authority: str, pattern: str, reason: str) -> bool:
        """Record a crawler trap, and return whether it is a new one; for the crawl only."""
        if (authority, pattern) in self.sleeping or len(self.sleeping) >= MOST_NAMED:
            return False
        self.sleeping[authority, pattern] = reason
        self.fell_asleep = (authority, pattern, reason)
        return True

    def copy(self) -> CrawlProgress:
        """Copy the current state, to be read in another thread."""
        return replace(self, **{one.name: copy(getattr(self, one.name)) for one in fields(self)})

    @property
    def what(self) -> str:
        """The current step: "crawling", "stopping" or "indexing", and "done" at the end."""
        if self.finished is not None:
            return "done"
        if self.stopping:
            return "stopping"
        return "indexing" if self.finishing else "crawling"

    @property
    def done(self) -> int:
        """How many pages were fetched."""
        return self.pages

    @property
    def total(self) -> int:
        """0, because the number of pages is unknown."""
        return 0

    def stop(self) -> None:
        """Stop the crawl: requests in flight are completed, and fetched pages are indexed."""
        self.stopping = True

    @property
    def failed(self) -> int:
        """How many pages failed, for any reason."""
        return sum(self.errors.values())

    @property
    def seconds(self) -> float:
        """How long the crawl has taken, in seconds."""
        return (self.finished or time.time()) - self.started

    @property
    def pages_per_second(self) -> float:
        """Average over the whole crawl."""
        return self.pages / max(self.seconds, 1e-9)


class CrawlRate:
    """Current speed of a crawl: the average of the last ten seconds, if `look` is called often enough."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int, int]] = deque([(0.0, 0, 0)])

    def look(self, progress: CrawlProgress) -> tuple[float, float]:
        """Return pages and bytes per second."""
        now = progress.seconds
        if now - self._samples[-1][0] >= SAMPLE_EVERY:
            self._samples.append((now, progress.pages, progress.bytes))
        while len(self._samples) > 1 and self._samples[1][0] <= now - SPAN:
            self._samples.popleft()
        then, pages, size = self._samples[0]
        seconds = max(now - then, SAMPLE_EVERY)
        return (progress.pages - pages) / seconds, (progress.bytes - size) / seconds
