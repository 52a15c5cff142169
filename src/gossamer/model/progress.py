"""What long jobs report while they run, and who is told."""

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
    """What every report of a job says, a `StepProgress` as well as a `CrawlProgress`."""

    @property
    def what(self) -> str:
        """The step that is under way, such as "crawling" or "indexing"."""

    @property
    def done(self) -> int:
        """How many pages, links or files of this step are done."""

    @property
    def total(self) -> int:
        """How many there are in all; 0 where this is not known."""


class StepProgress(NamedTuple):
    """Report how far one step of a job is.

    Attributes:
        what: The step, such as "indexing".
        done: How many pages, links or files are done.
        total: How many there are in all; 0 where this is not known.

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
    """Anything that can be called with progress: a function, a lambda, an object with `__call__`.

    A crawl calls it with its `CrawlProgress`, every other job with a `StepProgress`. Both are a `Progress`:
    an observer that reads only `what`, `done` and `total` serves all jobs. It is called in the thread
    of the job, a few times a second, and should return soon. An exception that it raises ends the job.

    Example:
        >>> def show(progress: Progress) -> None:
        ...     print(progress.what, progress.done, progress.total)
        >>> show(StepProgress("indexing", 20, 80))
        indexing 20 80
    """

    def __call__(self, progress: ProgressT_contra, /) -> None:
        """Take note of the progress of a job."""


def unobserved(_progress: object) -> None:
    """Observe nothing."""


# Progress of a crawl
# -------------------

MOST_NAMED = 10_000  # hosts or URL patterns that are told apart; more of them are not counted
ROOM = 32  # hosts among which the slowest are found
GAIN = 1 / 8  # of a new response time; RFC 6298, section 2
SPAN = 10.0  # seconds that count as "now"
SAMPLE_EVERY = 0.1  # seconds


class SlowestHosts:
    """Which hosts answer most slowly, as far as a small table can tell.

    Response times t are smoothed like round-trip times in RFC 6298, section 2: s <- s + (t - s) / 8. A host
    that is not in the full table takes the place of the quickest, when its answer took longer than that.
    """

    __slots__ = ("_floor", "_times")

    def __init__(self) -> None:
        self._times: dict[str, float] = {}
        self._floor = float("inf")  # no time in the table is shorter

    def add(self, authority: str, elapsed: float) -> None:
        """An answer took that long."""
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
        """The slowest with their smoothed response times, the slowest first."""
        return nlargest(count, self._times.items(), key=lambda one: one[1])


@dataclass(slots=True)
class CrawlProgress(NotebookTable):
    """Count what a crawl does; the crawl changes these numbers as it goes.

    Attributes:
        pages: Answers with a document.
        kept: Documents that go into the index.
        duplicates: Documents that another page has already, near-duplicates too.
        indexed: Pages that became searchable.
        queue: URLs that wait.
        active: Requests in flight.
        hosts: Hosts that gave a document in this crawl.
        refused: URLs that robots.txt forbids.
        bytes: Bytes received.
        revisits: Known pages that were requested again; `unchanged` counts those that had not changed.
        errors: Failures by reason, as a `collections.Counter`.
        seed_errors: The reason of failure for each seed that failed.
        current: The URL that was requested last.
        stopping: Whether the crawl was asked to end; an observer may set it.
        finishing: Whether no new page is requested, and what came is being indexed.
        troubles: Problems that the owner should know of; the crawl goes on.

    Example:
        >>> progress = engine.crawl("https://example.org/", max_pages=10)
        >>> print(progress.what, progress.failed, dict(progress.errors))
        done 0 {}
    """

    started: float = field(default_factory=time.time)
    pages: int = 0  # answers with a document
    kept: int = 0  # of them, those that go into the index
    duplicates: int = 0
    near_duplicates: int = 0  # of the duplicates, those that say only nearly the same
    hosts: int = 0  # that gave a document in this run
    redirects: int = 0
    refused: int = 0  # forbidden by robots.txt
    left_out: int = 0  # looked like traps, or like copies of another host, when their turn came
    bytes: int = 0
    queue: int = 0
    active: int = 0  # requests in flight; each to another host
    indexed: int = 0
    revisits: int = 0  # known pages that were asked for again
    unchanged: int = 0  # of them, those that were as before
    ranked: int = 0  # times that ranks were computed beside it
    left: int = 0  # pages that left the index: gone, forbidden, moved
    errors: Counter[str] = field(default_factory=Counter)  # by reason
    seed_errors: dict[str, str] = field(default_factory=dict)  # seed -> what went wrong
    current: str = ""
    paused: bool = False  # somebody asked for a rest: nothing new is asked for
    stopping: bool = False  # somebody asked for the end
    finishing: bool = False  # no new page is asked for
    finished: float | None = None
    max_crawl_delay: float = 60.0  # seconds; hosts that want longer pauses are named
    statuses: list[int] = field(default_factory=lambda: [0] * 10)  # answers by the first digit of the status
    unanswered: Counter[str] = field(default_factory=Counter)  # requests without an answer, by reason
    slowest: SlowestHosts = field(default_factory=SlowestHosts)
    asked: Counter[str] = field(default_factory=Counter)  # answers, by host
    long_delays: set[str] = field(default_factory=set)  # hosts that want more than max_crawl_delay
    sleeping: dict[tuple[str, str], str] = field(default_factory=dict)  # hosts and patterns put to sleep: why
    fell_asleep: tuple[str, str, str] | None = None  # the latest of them: host, pattern, reason
    troubles: list[str] = field(default_factory=list)  # what the owner should know; the crawl goes on

    def answered(self, authority: str, status: int, reason: str, elapsed: float, size: int) -> None:
        """A page was asked for; a status of 0 means that no answer came, for that reason."""
        self.bytes += size
        if status <= 0:
            self.unanswered[reason] += 1
            return
        self.statuses[min(status // 100, 9)] += 1
        self.slowest.add(authority, elapsed)
        if authority in self.asked or len(self.asked) < MOST_NAMED:
            self.asked[authority] += 1

    def broke(self, url: str, reason: str) -> None:
        """An error of ours has cost a page; the owner is told of the first, the log of all."""
        if not self.errors[INTERNAL_ERROR]:
            self.troubles.append(f"{url} was left out, and the work goes on; {reason}")
        self.errors[INTERNAL_ERROR] += 1

    def wished(self, authority: str, crawl_delay: float) -> None:
        """A host wants that many seconds between two requests."""
        if crawl_delay > self.max_crawl_delay and len(self.long_delays) < MOST_NAMED:
            self.long_delays.add(authority)

    def asleep(self, authority: str, pattern: str, reason: str) -> bool:
        """A pattern of addresses is refused from now on; whether that is news."""
        if (authority, pattern) in self.sleeping or len(self.sleeping) >= MOST_NAMED:
            return False
        self.sleeping[authority, pattern] = reason
        self.fell_asleep = (authority, pattern, reason)
        return True

    def copy(self) -> CrawlProgress:
        """As it is now, for whoever looks at it from another thread."""
        return replace(self, **{one.name: copy(getattr(self, one.name)) for one in fields(self)})

    @property
    def what(self) -> str:
        """The step that is under way: "crawling", "stopping" or "indexing", and "done" at the end."""
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
        """0: nobody knows how many pages there are."""
        return 0

    def stop(self) -> None:
        """End the crawl: requests in flight are completed, and what came is indexed."""
        self.stopping = True

    @property
    def failed(self) -> int:
        """How many pages failed, for any reason."""
        return sum(self.errors.values())

    @property
    def seconds(self) -> float:
        """How long the crawl has taken."""
        return (self.finished or time.time()) - self.started

    @property
    def pages_per_second(self) -> float:
        """The average over the whole crawl."""
        return self.pages / max(self.seconds, 1e-9)


class CrawlRate:
    """How quick a crawl is now: over the last ten seconds, for whoever looks often enough."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int, int]] = deque([(0.0, 0, 0)])

    def look(self, progress: CrawlProgress) -> tuple[float, float]:
        """Pages and bytes a second."""
        now = progress.seconds
        if now - self._samples[-1][0] >= SAMPLE_EVERY:
            self._samples.append((now, progress.pages, progress.bytes))
        while len(self._samples) > 1 and self._samples[1][0] <= now - SPAN:
            self._samples.popleft()
        then, pages, size = self._samples[0]
        seconds = max(now - then, SAMPLE_EVERY)
        return (progress.pages - pages) / seconds, (progress.bytes - size) / seconds
