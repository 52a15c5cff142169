"""Control a running crawl: pause, stop, seeds; its live status.

The crawl writes its state into a small file about once a second, and holds a lock as long as it lives: what
a process left behind that was killed is told as what it is. Neither can make the crawl fail.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from gossamer.collection.owner_folder import owner_folder
from gossamer.collection.site_rules import SiteRules
from gossamer.model import BadUrl, CollectionBusy, GossamerError, Url, UsageError
from gossamer.model.notebook import NotebookTable
from gossamer.model.progress import CrawlProgress, CrawlRate
from gossamer.storage.files import disk_errors, write_atomically
from gossamer.web.url import repair

STATUS_FILE = "live.json"
LOCK = "crawl.lock"
EVERY = 1.0  # seconds between two times at which the state is written
HISTORY = 180  # of the last seconds, how many pages came in each
MOST_SHOWN = 10  # hosts that are slowest, or busiest
MOST_TRAPS = 50  # the latest
MOST_TOLD = 20  # troubles, seeds with errors

# What the state says as `CrawlProgress` has it.
_AS_PROGRESS = (
    *("started", "paused", "stopping", "finishing", "pages", "kept", "duplicates", "indexed"),
    *("hosts", "active", "queue", "bytes", "current"),
)


class Trap(NamedTuple):
    """Addresses that are not asked for any more, by their pattern, and why."""

    host: str
    pattern: str
    reason: str


@dataclass(frozen=True, slots=True)
class LiveCrawl(NotebookTable):
    """Tell the state of a crawl in any process: the one that runs, or the last one."""

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
        """Give all fields as plain values, for JSON."""
        return asdict(self)


def live_crawl(folder: Path) -> LiveCrawl | None:
    """The crawl that runs, or the last one that did; None where there was none."""
    try:
        told = json.loads((folder / STATUS_FILE).read_bytes())
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


class StatusWriter:
    """Writes the state of a crawl, as long as that is possible."""

    def __init__(self, folder: Path, progress: CrawlProgress) -> None:
        self._folder = folder
        self._progress = progress
        self._pace = CrawlRate()
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
        path = self._folder / STATUS_FILE
        temporary = path.with_name(f"{STATUS_FILE}.new")
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
            **{name: getattr(progress, name) for name in _AS_PROGRESS},
            running=True,
            pid=os.getpid(),
            updated=time.time(),
            finished=self._ended,
            failed=self._ended is not None and progress.finished is None,
            pages_per_second=round(speed, 2),
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


# Seeds dropped for a running crawl
# ---------------------------------
#
# A file in the inbox has a URL a line. It is removed when its URLs are committed to the catalogue, so
# a crawl that dies before takes them up again: a URL that is known already changes nothing.

SEEDS_FOLDER = "seeds"
MOST_AT_ONCE = 1_000  # URLs that are taken up before other work goes on


@dataclass(frozen=True, slots=True)
class TakenSeeds:
    """Some of what is in the inbox, and the files of which nothing is left when it is committed."""

    urls: tuple[Url, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()  # what was written, and what is wrong with it
    files: tuple[Path, ...] = ()


class SeedInbox:
    """The inbox below the owner's folder. Any process may put seeds into it; the crawl takes them out."""

    def __init__(self, owner: Path) -> None:
        self._owner = owner
        self._folder = owner / SEEDS_FOLDER
        self._rest: dict[Path, list[str]] = {}  # of a file that is taken piece by piece
        self._ignored: set[Path] = set()  # files that could not be read, or not be removed

    def put(self, urls: Sequence[Url]) -> None:
        """Leaves URLs for the crawl."""
        owner_folder(self._owner)
        with disk_errors(self._folder):
            self._folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{time.time_ns()}-{os.getpid()}.txt"
        write_atomically(self._folder / name, "".join(f"{url.text}\n" for url in urls).encode())

    def take(self) -> TakenSeeds:
        """The next of what is there; call `acknowledge` when it is committed."""
        lines: list[str] = []
        errors: list[tuple[str, str]] = []
        files = []
        for path in self._waiting():
            try:
                rest = self._rest.pop(path, None) or _lines(path)
            except OSError as error:
                errors.append((str(path), f"it cannot be read ({error.strerror})"))
                self._ignored.add(path)
                continue
            room = MOST_AT_ONCE - len(lines)
            lines += rest[:room]
            if rest[room:]:
                self._rest[path] = rest[room:]
                break
            files.append(path)
        urls = []
        for line in lines:
            try:
                urls.append(repair(line)[0])
            except BadUrl as error:
                errors.append((line, str(error)))
        return TakenSeeds(tuple(urls), tuple(errors), tuple(files))

    def acknowledge(self, taken: TakenSeeds) -> None:
        """What was taken is committed: its files may go."""
        for path in taken.files:
            try:
                path.unlink(missing_ok=True)
            except OSError:  # else it would come again every second
                self._ignored.add(path)

    def _waiting(self) -> list[Path]:
        try:
            files = sorted(path for path in self._folder.iterdir() if path.suffix == ".txt")
        except OSError:  # there is none
            return []
        return [path for path in files if path not in self._ignored]


def _lines(path: Path) -> list[str]:
    """What stands in a file, but for remarks; what is no UTF-8 is no URL either."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8-sig", errors="replace").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


# Pause, stop, start a crawl from another process
# -----------------------------------------------
#
# A crawl is a process of its own. Commands to it are files in the owner's folder
# (`owner_folder`), where it looks once a second; how it is doing stands there too.

PAUSE, STOP = "pause", "stop"
STARTED_LOG = "started.log"  # what the last crawl that was started here said
PATIENCE = 30.0  # seconds for which a crawl that was started is waited for
LOOK_EVERY = 0.05


class CrawlController:
    """Controls a collection's crawls from outside: leaves commands and seeds in the owner's folder.

    A running crawl reads them by `CrawlControl`. Threads and processes may share a controller.
    """

    def __init__(self, directory: Path, owner: Path, logs: Path) -> None:
        self._directory = directory
        self._owner = owner
        self._logs = logs
        self._inbox = SeedInbox(owner)

    def live(self) -> LiveCrawl | None:
        """The crawl that runs, or the last one; None where nobody has crawled yet."""
        return live_crawl(self._owner)

    @property
    def is_running(self) -> bool:
        return is_running(self._owner)

    @property
    def is_paused(self) -> bool:
        """Whether crawls rest, the running one and those that are to come."""
        return (self._owner / PAUSE).exists()

    def add_seeds(self, urls: Sequence[str]) -> list[str]:
        """Leaves URLs for the running crawl, or the next; as they were understood. Raises BadUrl."""
        seeds = [repair(url)[0] for url in urls]
        if seeds:
            self._inbox.put(seeds)
        return [url.text for url in seeds]

    def pause(self) -> None:
        """Nothing new is asked for until `resume`; what is in flight arrives."""
        self._leave(PAUSE)

    def resume(self) -> None:
        """Crawls go on."""
        with disk_errors(self._owner / PAUSE):
            (self._owner / PAUSE).unlink(missing_ok=True)

    def stop(self) -> None:
        """Asks the running crawl to end well: what is in flight arrives, and is indexed."""
        if not self.is_running:
            raise UsageError("no crawl is running; there is nothing to stop")
        self._leave(STOP)

    def start(self, seeds: Sequence[str] = (), continuous: bool = False) -> None:
        """Starts a crawl as a process of its own, which goes on when this one ends.

        Returns when it runs, or is already done. What it says goes to `logs/started.log`.
        """
        if self.is_running:
            raise CollectionBusy(f"a crawl of {self._directory} is running already; wait for it or stop it")
        self.add_seeds(seeds)
        command = [sys.executable, "-m", "gossamer", "-C", str(self._directory), "crawl", "--quiet"]
        child = self._child([*command, "--continuous"] if continuous else command)
        self._await(child)
        # Somebody has to take note of its end, or it stays in the table of processes.
        Thread(target=child.wait, daemon=True).start()

    def _child(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        log = self._logs / STARTED_LOG
        with disk_errors(log):
            self._logs.mkdir(exist_ok=True)
            with log.open("wb") as out:
                return subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )

    def _await(self, child: subprocess.Popen[bytes]) -> None:
        """Until it is known to run; raises what it said where it could not."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            crawl = self.live()
            if crawl is not None and crawl.pid == child.pid:
                return
            if (code := child.poll()) is not None:
                if code:
                    raise GossamerError(f"the crawl could not be started: {self._last_words()}")
                return
            time.sleep(LOOK_EVERY)

    def _last_words(self) -> str:
        with suppress(OSError):
            said = (self._logs / STARTED_LOG).read_text(encoding="utf-8", errors="replace").strip()
            return said.rpartition("\n")[2].removeprefix("gossamer: ") or "it did not say why"
        return "it did not say why"

    def _leave(self, name: str) -> None:
        path = owner_folder(self._owner) / name
        with disk_errors(path):
            path.touch()


@dataclass(frozen=True, slots=True)
class ControlCommands:
    """What the owner wants of the running crawl now."""

    pause: bool
    stop: bool
    seeds: TakenSeeds


class CrawlControl:
    """The inside of a running crawl: reads commands, seeds and site rules, and writes its status.

    Other processes leave the commands by `CrawlController`.
    """

    def __init__(self, owner: Path, sites: SiteRules, progress: CrawlProgress) -> None:
        self._owner = owner
        self._sites = sites
        self._rules = sites.book()
        self.inbox = SeedInbox(owner)
        self.status = StatusWriter(owner, progress)
        self._next = 0.0

    def begin(self) -> None:
        """The crawl begins; what was asked of an earlier one does not hold for it."""
        self._forget_stop()
        self.status.begin()

    def look(self) -> ControlCommands | None:
        """The commands that wait; None while it is too early to look again."""
        now = time.monotonic()
        if now < self._next:
            return None
        self._next = now + EVERY
        self._rules = self._sites.book()
        stop = (self._owner / STOP).exists()
        if stop:
            self._forget_stop()  # who asks once is answered once
        return ControlCommands((self._owner / PAUSE).exists(), stop, self.inbox.take())

    def blocks(self, host: str) -> bool:
        """Whether the owner does not want anything of a host."""
        return self._rules.blocks(host)

    def end(self) -> None:
        """The crawl is over."""
        self._forget_stop()
        self.status.end()

    def _forget_stop(self) -> None:
        with suppress(OSError):
            (self._owner / STOP).unlink(missing_ok=True)
