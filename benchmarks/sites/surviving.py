"""Are two crawls of a web of files the same, and whole, although one of them was killed?"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sites.audit import Complaints
from sites.folder import FolderWeb
from sites.web import ROBOTS, Place

ROWS = "SELECT url, state, status, coalesce(verdict, ''), verdict_reason FROM urls"


@dataclass(frozen=True, slots=True)
class Crawled:
    """A collection: the addresses in its catalogue, and what is behind them."""

    fetched: Mapping[str, str]  # address: verdict, with its reason
    files: Mapping[Path, list[str]]  # the addresses of each file, of those fetched
    waiting: int
    documents: int  # in the index
    problems: str  # what `gossamer check` found; "" when nothing

    @property
    def kept(self) -> int:
        return sum(verdict == "keep" for verdict in self.fetched.values())


def crawled(folder: Path, web: FolderWeb) -> Crawled:
    """Reads the catalogues and asks the commands `check` and `status`."""
    fetched: dict[str, str] = {}
    files: dict[Path, list[str]] = defaultdict(list)
    waiting = 0
    for url, state, status, verdict, reason in _rows(folder):
        waiting += state == "queued"
        if state == "fetched":
            fetched[url] = f"{verdict} {reason}".strip()
        elif state == "redirect" and status == 200:
            fetched[url] = "refresh"  # a page that leads on by itself: fetched, and not to be found
        else:
            continue
        parts = urlsplit(url)
        if (file := web.file(parts.hostname or "", parts.path)) is not None:
            files[file].append(url)
    check = _gossamer(folder, "check")
    documents = json.loads(_gossamer(folder, "status", "--json").stdout)["documents"]
    return Crawled(
        fetched, files, waiting, documents, check.stdout + check.stderr if check.returncode else ""
    )


def _rows(folder: Path) -> list[tuple[str, str, int, str, str]]:
    found = []
    for path in sorted(folder.glob("partition-*/catalogue.sqlite")):
        connection = sqlite3.connect(path)
        found += connection.execute(ROWS).fetchall()
        connection.close()
    return found


def _gossamer(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gossamer", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of the two crawls."""

    reached: Mapping[Path, Place]  # files that links lead to
    whole: Crawled
    survived: Crawled
    asked: Counter[Place]  # requests of the undisturbed crawl
    asked_again: Counter[Place]  # of the other
    kills: int
    in_flight: int  # pages that may be under way at once: asked for, or arrived and not yet committed

    @property
    def repeated(self) -> int:
        """How many requests were repeated."""
        return _repeated(self.asked_again)


def _repeated(asked: Counter[Place]) -> int:
    return sum(count - 1 for place, count in asked.items() if place.path != ROBOTS)


def faults(evidence: Evidence) -> list[Complaints]:
    """Rule by rule, what is not as it should be."""
    whole, survived = evidence.whole, evidence.survived
    found = []
    for name, one in (("undisturbed", whole), ("killed", survived)):
        missing = [file for file in evidence.reached if file not in one.files]
        found.append(_complaints(f"{name}: a page that links lead to is not in the catalogue", missing))
        twice = [urls for urls in one.files.values() if sum(one.fetched[url] == "keep" for url in urls) > 1]
        found.append(_complaints(f"{name}: a file is indexed under two addresses", twice))
        lost = [f"{one.kept} are kept"] * abs(one.kept - one.documents)
        found.append(_complaints(f"{name}: a page is kept and not indexed, or the other way round", lost))
        waits = ["the queue is not empty"] * one.waiting
        found.append(_complaints(f"{name}: an address still waits", waits))
        found.append(_complaints(f"{name}: `gossamer check` found something", filter(None, [one.problems])))
    again = [place for place, count in evidence.asked.items() if count > 1 and place.path != ROBOTS]
    found.append(_complaints("undisturbed: an address was asked for twice", again))
    differ = sorted(set(whole.fetched) ^ set(survived.fetched))
    found.append(_complaints("an address was fetched by one of the two only", differ))
    too_many = max(0, evidence.repeated - evidence.kills * evidence.in_flight)
    rule = f"killed: asked for again, more than {evidence.in_flight} for each kill"
    found.append(_complaints(rule, [f"{evidence.repeated} in all"] * too_many))
    return found


def _complaints(rule: str, examples: Iterable[object]) -> Complaints:
    complaints = Complaints(rule)
    for example in examples:
        complaints.add(str(example))
    return complaints


def table(evidence: Evidence) -> str:
    """The figures of both crawls side by side, then the faults."""
    whole, survived = evidence.whole, evidence.survived
    requests = (evidence.asked.total(), evidence.asked_again.total())
    verdicts = sorted({*whole.fetched.values(), *survived.fetched.values()})
    counts = [Counter(one.fetched.values()) for one in (whole, survived)]
    lines = [
        f"{len(evidence.reached):,} files that links lead to",
        f"{'':40}{'undisturbed':>12}{f'{evidence.kills} kills':>12}",
        _row("requests", *requests),
        _row("requests repeated", _repeated(evidence.asked), evidence.repeated),
        _row("addresses fetched", len(whole.fetched), len(survived.fetched)),
        _row("files fetched", len(whole.files), len(survived.files)),
        _row("documents in the index", whole.documents, survived.documents),
        *(_row(f"  {verdict}", *(count[verdict] for count in counts)) for verdict in verdicts),
    ]
    for fault in faults(evidence):
        lines.append(f"  {'FAULT' if fault.count else 'ok':6}{fault.count:7,}  {fault.rule}")
        lines += [f"{'':17}{example}" for example in fault.examples]
    return "\n".join(lines)


def _row(what: str, one: int, other: int) -> str:
    return f"{what:40}{one:12,}{other:12,}"
