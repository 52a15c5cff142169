"""How is a crawl steered from outside: by its owner in another shell, or by the pages of a server?

A crawl is a process of its own. What is wanted of it is left in the owner's folder (`owner_folder`), where it
looks once a second; how it is doing stands there too.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread

from gossamer.disk import disk_errors
from gossamer.engine.live_crawl import LiveCrawl, is_running, live_crawl
from gossamer.engine.owner_folder import owner_folder
from gossamer.engine.seed_inbox import SeedInbox
from gossamer.model import CollectionBusy, GossamerError, UsageError
from gossamer.web.url import repair

PAUSE, STOP = "pause", "stop"
STARTED_LOG = "started.log"  # what the last crawl that was started here said
PATIENCE = 30.0  # seconds for which a crawl that was started is waited for
LOOK_EVERY = 0.05


class Steering:
    """The wheel of a collection's crawls. Threads and processes may share it."""

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
            raise UsageError("no crawl is running, so there is none to stop")
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
