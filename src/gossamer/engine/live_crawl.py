"""How is the crawl doing that runs now, whichever process runs it?

The crawl writes its state into a small file about once a second, and holds a lock as long as it lives: what
a process left behind that was killed is told as what it is. Neither can make the crawl fail.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from gossamer.engine.owner_folder import owner_folder
from gossamer.engine.progress import CrawlProgress, Pace
from gossamer.model import GossamerError
from gossamer.model.notebook import Tabled

NAME = "live.json"
LOCK = "crawl.lock"
EVERY = 1.0  # seconds between two times at which the state is written
HISTORY = 180  # of the last seconds, how many pages came in each
MOST_SHOWN = 10  # hosts that are slowest, or busiest
MOST_TRAPS = 50  # the latest
MOST_TOLD = 20  # troubles, seeds with errors


class Trap(NamedTuple):
    """Addresses that are not asked for any more, by their pattern, and why."""

    host: str
    pattern: str
    reason: str


@dataclass(frozen=True, slots=True)
class LiveCrawl(Tabled):
    """The state of a crawl: of one that runs, or of the last one."""

    running: bool  # the process lives
    pid: int
    started: float
    updated: float
    finished: float | None = None  # None where it runs, or died
    failed: bool = False  # it ended, but not well
    paused: bool = False
    stopping: bool = False
    finishing: bool = False  # nothing new is asked for; what came is indexed
    pages: int = 0
    pages_per_second: float = 0.0  # now
    kept: int = 0
    duplicates: int = 0
    indexed: int = 0
    hosts: int = 0
    active: int = 0  # requests in flight
    queue: int = 0
    bytes: int = 0
    current: str = ""
    errors: Mapping[str, int] = field(default_factory=dict)  # by reason
    statuses: Mapping[str, int] = field(default_factory=dict)  # "2xx": how many
    unanswered: Mapping[str, int] = field(default_factory=dict)  # by reason
    traps: tuple[Trap, ...] = ()  # the latest first
    slowest: tuple[tuple[str, float], ...] = ()  # hosts, seconds
    busiest: tuple[tuple[str, int], ...] = ()  # hosts, answers
    history: tuple[int, ...] = ()  # pages in each of the last seconds
    troubles: tuple[str, ...] = ()
    seed_errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def died(self) -> bool:
        """Whether it ended without a word."""
        return not self.running and self.finished is None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def live_crawl(folder: Path) -> LiveCrawl | None:
    """The crawl that runs, or the last one that did; None where there was none."""
    try:
        told = json.loads((folder / NAME).read_bytes())
        known = {one.name for one in fields(LiveCrawl)}
        crawl = LiveCrawl(**{name: value for name, value in told.items() if name in known})
        crawl = replace(
            crawl,
            traps=tuple(Trap(*trap) for trap in crawl.traps),
            slowest=tuple((host, seconds) for host, seconds in crawl.slowest),
            busiest=tuple((host, answers) for host, answers in crawl.busiest),
            history=tuple(crawl.history),
            troubles=tuple(crawl.troubles),
        )
    except (OSError, ValueError, TypeError, AttributeError):  # none, or of another version
        return None
    running = crawl.finished is None and is_running(folder)
    return replace(crawl, running=running, finishing=crawl.finishing and running)


def is_running(folder: Path) -> bool:
    """Whether a living process holds the lock of a crawl."""
    try:
        with (folder / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


class Pulse:
    """Writes the state of a crawl, as long as that is possible."""

    def __init__(self, folder: Path, progress: CrawlProgress) -> None:
        self._folder = folder
        self._progress = progress
        self._pace = Pace()
        self._history: deque[int] = deque(maxlen=HISTORY)
        self._pages = 0
        self._next = 0.0
        self._ended: float | None = None
        self._lock: TextIOWrapper | None = None
        self._cannot = False

    def begin(self) -> None:
        """From now on the crawl is known to live. The state comes first: nobody sees that of the last one."""
        self._write()
        with suppress(OSError, GossamerError):
            self._lock = (owner_folder(self._folder) / LOCK).open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX)  # whoever looks holds it for a moment

    def beat(self) -> None:
        """Tells how it is going, about once a second."""
        now = time.monotonic()
        speed = self._pace.look(self._progress)[0]
        if now >= self._next:
            self._next = now + EVERY
            self._history.append(self._progress.pages - self._pages)
            self._pages = self._progress.pages
            self._write(speed)

    def end(self) -> None:
        """The crawl is over, or has failed."""
        self._ended = time.time()
        self._write()
        if self._lock is not None:
            self._lock.close()

    def _write(self, speed: float = 0.0) -> None:
        """Replaced in one step; not made to survive a power cut, which the crawl does not survive either."""
        path = self._folder / NAME
        temporary = path.with_name(f"{NAME}.new")
        try:
            owner_folder(self._folder)
            temporary.write_text(json.dumps(self._state(speed).as_dict()), encoding="utf-8")
            temporary.replace(path)
        except (OSError, GossamerError) as error:
            if not self._cannot:
                self._progress.troubles.append(f"nobody can see how the crawl is going: {error}")
            self._cannot = True

    def _state(self, speed: float) -> LiveCrawl:
        progress = self._progress
        latest = islice(reversed(progress.sleeping.items()), MOST_TRAPS)
        return LiveCrawl(
            running=True,
            pid=os.getpid(),
            started=progress.started,
            updated=time.time(),
            finished=self._ended,
            failed=self._ended is not None and progress.finished is None,
            paused=progress.paused,
            stopping=progress.stopping,
            finishing=progress.finishing,
            pages=progress.pages,
            pages_per_second=round(speed, 2),
            kept=progress.kept,
            duplicates=progress.duplicates,
            indexed=progress.indexed,
            hosts=progress.hosts,
            active=progress.active,
            queue=progress.queue,
            bytes=progress.bytes,
            current=progress.current,
            errors=dict(progress.errors.most_common()),
            statuses={f"{digit}xx": count for digit, count in enumerate(progress.statuses) if count},
            unanswered=dict(progress.unanswered.most_common()),
            traps=tuple(Trap(host, pattern, why) for (host, pattern), why in latest),
            slowest=tuple(progress.slowest.top(MOST_SHOWN)),
            busiest=tuple(progress.asked.most_common(MOST_SHOWN)),
            history=tuple(self._history),
            troubles=tuple(progress.troubles[-MOST_TOLD:]),
            seed_errors=dict(islice(reversed(progress.seed_errors.items()), MOST_TOLD)),
        )
