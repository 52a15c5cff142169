"""Control a running crawl (pause, stop, seeds) and read its live status.

The crawl writes its state to a small file about once a second and holds a lock while it runs. The lock shows
whether the process that wrote the last state was killed. If the file or the lock cannot be written, the crawl
continues.
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
from typing import NamedTuple

from gossamer.collection.owner_folder import owner_folder
from gossamer.collection.site_rules import SiteRules
from gossamer.model import BadUrl, CollectionBusy, GossamerError, Url, UsageError
from gossamer.model.notebook import NotebookTable
from gossamer.model.progress import CrawlProgress, CrawlRate
from gossamer.storage.files import disk_errors, write_atomically
from gossamer.web.url import repair

STATUS_FILE = "live.json"
LOCK = "crawl.lock"
EVERY = 1.0  # seconds between two writes of the state, and between two looks for commands
HISTORY = 180  # seconds for which the number of pages in each second is shown
MOST_SHOWN = 10  # hosts in the lists of the slowest and the busiest
MOST_TRAPS = 50  # of the latest traps
MOST_LISTED = 20  # troubles, and seeds with errors

# Fields of the state with the same name and value as in `CrawlProgress`.
_AS_PROGRESS = (
    *("started", "paused", "stopping", "finishing", "pages", "kept", "duplicates", "indexed"),
    *("hosts", "active", "queue", "bytes", "current"),
)


class Trap(NamedTuple):
    """A URL pattern of a host that is no longer crawled, and why."""

    host: str
    pattern: str
    reason: str


@dataclass(frozen=True, slots=True)
class LiveCrawl(NotebookTable):
    """The state of the running crawl, or of the last one, in any process."""

    running: bool  # the process is alive
    pid: int
    started: float
    updated: float
    finished: float | None = None  # None if it runs or died
    failed: bool = False  # it ended with an error
    paused: bool = False
    stopping: bool = False
    finishing: bool = False  # nothing new is fetched; the last pages are indexed
    pages: int = 0
    pages_per_second: float = 0.0  # now
    kept: int = 0
    duplicates: int = 0
    indexed: int = 0
    hosts: int = 0
    active: int = 0  # open requests
    queue: int = 0
    bytes: int = 0
    current: str = ""
    errors: Mapping[str, int] = field(default_factory=dict)  # by reason
    statuses: Mapping[str, int] = field(default_factory=dict)  # number of responses by class, such as "2xx"
    unanswered: Mapping[str, int] = field(default_factory=dict)  # by reason
    traps: tuple[Trap, ...] = ()  # the latest first
    slowest: tuple[tuple[str, float], ...] = ()  # hosts, seconds
    busiest: tuple[tuple[str, int], ...] = ()  # hosts, answers
    history: tuple[int, ...] = ()  # pages in each of the last seconds
    troubles: tuple[str, ...] = ()
    seed_errors: Mapping[str, str] = field(default_factory=dict)

    @property
    def died(self) -> bool:
        """Whether the process ended without writing a final state."""
        return not self.running and self.finished is None


def live_crawl(folder: Path) -> LiveCrawl | None:
    """Return the state of the running crawl, or of the last one; None if there was none."""
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
    except (OSError, ValueError, TypeError, AttributeError):  # no file, or one of another version
        return None
    running = crawl.finished is None and is_running(folder)
    return replace(crawl, running=running, finishing=crawl.finishing and running)


def is_running(folder: Path) -> bool:
    """Return whether a process holds the lock of a crawl."""
    try:
        with (folder / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


class StatusWriter:
    """Writes the state of a crawl to its file, as long as that is possible."""

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
        """Write the first state, then take the lock, so that nobody reads the state of the last crawl."""
        self._write()
        with suppress(OSError, GossamerError):
            self._lock = (owner_folder(self._folder) / LOCK).open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX)  # waits for readers, which hold it for a moment

    def beat(self) -> None:
        """Write the state, about once a second; call it more often."""
        now = time.monotonic()
        speed = self._pace.look(self._progress)[0]
        if now >= self._next:
            self._next = now + EVERY
            self._history.append(self._progress.pages - self._pages)
            self._pages = self._progress.pages
            self._write(speed)

    def end(self) -> None:
        """Write the last state and release the lock, when the crawl has ended or failed."""
        self._ended = time.time()
        self._write()
        if self._lock is not None:
            self._lock.close()

    def _write(self, speed: float = 0.0) -> None:
        """Replace the file atomically, without fsync: a crawl does not survive a power cut either."""
        path = self._folder / STATUS_FILE
        temporary = path.with_name(f"{STATUS_FILE}.new")
        try:
            owner_folder(self._folder)
            temporary.write_text(json.dumps(asdict(self._state(speed))), encoding="utf-8")
            temporary.replace(path)
        except (OSError, GossamerError) as error:
            if not self._cannot:
                self._progress.troubles.append(f"cannot write the live status of the crawl: {error}")
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
            troubles=tuple(progress.troubles[-MOST_LISTED:]),
            seed_errors=dict(islice(reversed(progress.seed_errors.items()), MOST_LISTED)),
        )


# Seeds for a running crawl
# -------------------------
#
# A file in the inbox has one URL a line. It is removed after its URLs are committed to the catalogue. If
# the crawl dies before that, the next crawl reads the file again; known URLs are ignored.

SEEDS_FOLDER = "seeds"
MOST_AT_ONCE = 1_000  # URLs that are added before other work continues


@dataclass(frozen=True, slots=True)
class TakenSeeds:
    """A portion of the inbox."""

    urls: tuple[Url, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()  # lines or files that cannot be read, and why
    files: tuple[Path, ...] = ()  # files that are read completely; to be removed after the commit


class SeedInbox:
    """The inbox of seeds in the owner's folder. Any process may add seeds; the crawl takes them."""

    def __init__(self, owner: Path) -> None:
        self._owner = owner
        self._folder = owner / SEEDS_FOLDER
        self._rest: dict[Path, list[str]] = {}  # unread lines of a file that is taken in portions
        self._ignored: set[Path] = set()  # files that could not be read or removed

    def put(self, urls: Sequence[Url]) -> None:
        """Add URLs to the inbox."""
        owner_folder(self._owner)
        with disk_errors(self._folder):
            self._folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{time.time_ns()}-{os.getpid()}.txt"
        write_atomically(self._folder / name, "".join(f"{url.text}\n" for url in urls).encode())

    def take(self) -> TakenSeeds:
        """Take the next portion of the inbox; call `acknowledge` after its commit."""
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
        """Remove the files of a portion that is committed."""
        for path in taken.files:
            try:
                path.unlink(missing_ok=True)
            except OSError:  # otherwise it would be read again every second
                self._ignored.add(path)

    def _waiting(self) -> list[Path]:
        try:
            files = sorted(path for path in self._folder.iterdir() if path.suffix == ".txt")
        except OSError:  # there is no inbox
            return []
        return [path for path in files if path not in self._ignored]


def _lines(path: Path) -> list[str]:
    """Read the lines of a file without comments and blank lines; invalid UTF-8 is replaced."""
    lines = (line.strip() for line in path.read_text(encoding="utf-8-sig", errors="replace").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


# Pause, stop, start a crawl from another process
# -----------------------------------------------
#
# A crawl is a process of its own. Commands to it are files in the owner's folder (`owner_folder`),
# which it checks once a second. It writes its status there too.

PAUSE, STOP = "pause", "stop"
STARTED_LOG = "started.log"  # output of the last crawl that was started from here
PATIENCE = 30.0  # seconds to wait for a started crawl
LOOK_EVERY = 0.05  # seconds between two checks whether it runs


class CrawlController:
    """Controls the crawls of a collection from outside, by commands and seeds in the owner's folder.

    A running crawl reads them through `CrawlControl`. Several threads and processes may use controllers.
    """

    def __init__(self, directory: Path, owner: Path, logs: Path) -> None:
        self._directory = directory
        self._owner = owner
        self._logs = logs
        self._inbox = SeedInbox(owner)

    def live(self) -> LiveCrawl | None:
        """Return the state of the running crawl, or of the last one; None if there was none."""
        return live_crawl(self._owner)

    @property
    def is_running(self) -> bool:
        return is_running(self._owner)

    @property
    def is_paused(self) -> bool:
        """Whether crawls are paused, the running one and later ones."""
        return (self._owner / PAUSE).exists()

    def add_seeds(self, urls: Sequence[str]) -> list[str]:
        """Add URLs for the running or next crawl; return them repaired. Raise `BadUrl` if one is invalid."""
        seeds = [repair(url)[0] for url in urls]
        if seeds:
            self._inbox.put(seeds)
        return [url.text for url in seeds]

    def pause(self) -> None:
        """Start no new requests until `resume`; open requests are completed."""
        self._leave(PAUSE)

    def resume(self) -> None:
        """Let crawls continue."""
        with disk_errors(self._owner / PAUSE):
            (self._owner / PAUSE).unlink(missing_ok=True)

    def stop(self) -> None:
        """Ask the running crawl to end after its open requests are completed and indexed."""
        if not self.is_running:
            raise UsageError("no crawl is running; there is nothing to stop")
        self._leave(STOP)

    def start(self, seeds: Sequence[str] = (), continuous: bool = False) -> None:
        """Start a crawl as a process of its own, which continues when this process ends.

        Return when it runs or has ended. Its output goes to `logs/started.log`.
        """
        if self.is_running:
            raise CollectionBusy(f"a crawl of {self._directory} is running already; wait for it or stop it")
        self.add_seeds(seeds)
        command = [sys.executable, "-m", "gossamer", "-C", str(self._directory), "crawl", "--quiet"]
        child = self._child([*command, "--continuous"] if continuous else command)
        self._await(child)
        # Without a wait, the ended child would stay in the process table as a zombie.
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
        """Wait until the crawl runs; raise its last output if it failed."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            crawl = self.live()
            if crawl is not None and crawl.pid == child.pid:
                return
            if (code := child.poll()) is not None:
                if code:
                    raise GossamerError(f"the crawl could not be started: {self._last_output()}")
                return
            time.sleep(LOOK_EVERY)

    def _last_output(self) -> str:
        with suppress(OSError):
            said = (self._logs / STARTED_LOG).read_text(encoding="utf-8", errors="replace").strip()
            return said.rpartition("\n")[2].removeprefix("gossamer: ") or "it gave no reason"
        return "it gave no reason"

    def _leave(self, name: str) -> None:
        path = owner_folder(self._owner) / name
        with disk_errors(path):
            path.touch()


@dataclass(frozen=True, slots=True)
class ControlCommands:
    """The owner's commands to the running crawl."""

    pause: bool
    stop: bool
    seeds: TakenSeeds


class CrawlControl:
    """The control of a crawl inside its process: reads commands, seeds and site rules, writes the status.

    Other processes give the commands through `CrawlController`.
    """

    def __init__(self, owner: Path, sites: SiteRules, progress: CrawlProgress) -> None:
        self._owner = owner
        self._sites = sites
        self._rules = sites.book()
        self.inbox = SeedInbox(owner)
        self.status = StatusWriter(owner, progress)
        self._next = 0.0

    def begin(self) -> None:
        """Begin a crawl; a stop command for an earlier one is dropped."""
        self._forget_stop()
        self.status.begin()

    def look(self) -> ControlCommands | None:
        """Return the commands; None if the last look was less than a second ago."""
        now = time.monotonic()
        if now < self._next:
            return None
        self._next = now + EVERY
        self._rules = self._sites.book()
        stop = (self._owner / STOP).exists()
        if stop:
            self._forget_stop()  # a command is obeyed once
        return ControlCommands((self._owner / PAUSE).exists(), stop, self.inbox.take())

    def blocks(self, host: str) -> bool:
        """Return whether the owner has blocked a host."""
        return self._rules.blocks(host)

    def end(self) -> None:
        """End the crawl: write the last status."""
        self._forget_stop()
        self.status.end()

    def _forget_stop(self) -> None:
        with suppress(OSError):
            (self._owner / STOP).unlink(missing_ok=True)
