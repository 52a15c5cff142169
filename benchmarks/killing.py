"""Does a crawl that is killed again and again end as if nothing had happened?

    .venv/bin/python benchmarks/killing.py --docweb DIR [--kills 10] [--pages 0] [--seed 1] [--keep FOLDER]

Serves the hosts of a folder (`DIR/sites/HOST/...`) on loopback, finds out by reading the files which of them
links lead to, and lets `gossamer crawl` fetch them twice: once undisturbed, and once killed with -9, workers
and all, at moments that are drawn by the number of requests answered so far; each time the same command is
started again. Then the two catalogues, the files and the server's log must agree: every page that links lead
to is in the catalogue, and in the index under at most one of its addresses; both crawls fetched the same; for
each kill no more pages were asked for again than can be under way; `gossamer check` finds nothing. Exits with
1 otherwise.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from sites.folder import FolderWeb
from sites.reading import reached
from sites.report import say
from sites.serving import ADDRESS, Request, Server, serving
from sites.surviving import Crawled, Evidence, crawled, faults, table

from gossamer.crawl.settings import CrawlSettings

LOOK = 0.01  # seconds between two looks at the server's log
IN_FLIGHT = 2 * CrawlSettings().connections  # that many are asked for, and as many are not committed yet


@dataclass(frozen=True, slots=True)
class Command:
    """`gossamer crawl` into a folder, as a person would type it."""

    folder: Path
    web: FolderWeb
    server: Server

    def start(self) -> subprocess.Popen[bytes]:
        """A group of its own, so that all of it can be killed at once."""
        seeds = [f"http://{host}{path}" for host, path in self.web.seeds()]
        options = ["--resolve", f"{self.web.pattern}={ADDRESS}:{self.server.port}", "--allow-private"]
        options += ["--delay", "0", "--stay", "--quiet"]
        command = [sys.executable, "-m", "gossamer", "-C", str(self.folder), "crawl", *seeds, *options]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)

    def finish(self) -> None:
        status = self.start().wait()
        if status:
            sys.exit(f"the crawl into {self.folder} failed with status {status}")


class Tally:
    """Counts the requests that the server answers from now on."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.mark = server.mark()
        self._seen = self.mark
        self._count = 0

    def count(self) -> int:
        self._server.mark()
        with self._server.log.open("rb") as log:
            log.seek(self._seen)
            new = log.read()
        self._seen += len(new)
        self._count += new.count(b"\n")
        return self._count

    def requests(self) -> list[Request]:
        return list(self._server.requests(self.mark))


def kill_at(command: Command, tally: Tally, moment: int) -> bool:
    """Kills the crawl when so many requests were answered; False when it ended before."""
    process = command.start()
    while tally.count() < moment and process.poll() is None:
        time.sleep(LOOK)
    if process.poll() is not None:
        return False
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return True


def undisturbed(command: Command) -> tuple[Crawled, list[Request]]:
    tally = Tally(command.server)
    begun = time.perf_counter()
    command.finish()
    say(f"undisturbed: {tally.count():,} requests in {time.perf_counter() - begun:.0f} s")
    return crawled(command.folder, command.web), tally.requests()


def disturbed(command: Command, moments: Sequence[int]) -> tuple[Crawled, list[Request], int]:
    tally = Tally(command.server)
    begun = time.perf_counter()
    kills = 0
    for moment in moments:
        if not kill_at(command, tally, moment):
            break
        kills += 1
        say(f"killed after {tally.count():,} requests")
    command.finish()
    say(f"killed {kills} times: {tally.count():,} requests in {time.perf_counter() - begun:.0f} s")
    return crawled(command.folder, command.web), tally.requests(), kills


def compared(web: FolderWeb, scratch: Path, kills: int, seed: int) -> Evidence:
    with serving(web, scratch / "requests.log") as server:
        whole, once = undisturbed(Command(scratch / "undisturbed", web, server))
        moments = sorted(random.Random(seed).sample(range(1, len(once)), kills))
        survived, again, done = disturbed(Command(scratch / "killed", web, server), moments)
    say("reading the files ...")
    asked, asked_again = Counter(one.place for one in once), Counter(one.place for one in again)
    return Evidence(reached(web), whole, survived, asked, asked_again, done, IN_FLIGHT)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docweb", type=Path, metavar="DIR", required=True, help="has sites/HOST/...")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--pages", type=int, default=0, help="of the smallest hosts together; 0 means all")
    parser.add_argument("--seed", type=int, default=1, help="decides at which moments it is killed")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the two collections are left")
    return parser.parse_args()


def main() -> None:
    chosen = options()
    web = FolderWeb(chosen.docweb, chosen.pages)
    with nullcontext(chosen.keep) if chosen.keep else tempfile.TemporaryDirectory() as scratch:
        Path(scratch).mkdir(parents=True, exist_ok=True)
        evidence = compared(web, Path(scratch), chosen.kills, chosen.seed)
    print(table(evidence))
    sys.exit(1 if any(fault.count for fault in faults(evidence)) else 0)


if __name__ == "__main__":
    main()
