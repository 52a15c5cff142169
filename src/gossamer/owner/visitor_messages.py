"""Reports and submissions of visitors."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from gossamer.collection.owner_folder import editing
from gossamer.model import BadSetting, UsageError
from gossamer.model.notebook import NotebookTable
from gossamer.storage.files import disk_errors, write_atomically
from gossamer.web.url import repair

# Bounded JSON-lines inbox
# ------------------------
#
# The file has a maximum size, because visitors may be hostile: when it is full, new entries are
# rejected until the owner has settled some. Incomplete lines, left by a killed process, are ignored.

MOST_BYTES = 1_000_000
Entry = dict[str, Any]


class Inbox:
    """A file of entries in the owner's folder. Threads and processes may share it."""

    def __init__(self, path: Path, most: int = MOST_BYTES) -> None:
        self._path = path
        self._most = most

    def add(self, entry: Mapping[str, Any]) -> bool:
        """Append an entry; return False if the file is full."""
        line = json.dumps(entry).encode() + b"\n"
        with editing(self._path.parent), disk_errors(self._path), self._path.open("ab+") as file:
            size = file.seek(0, os.SEEK_END)
            if size + len(line) > self._most:
                return False
            if size:
                file.seek(-1, os.SEEK_END)
                line = line if file.read() == b"\n" else b"\n" + line
            file.write(line)
        return True

    def entries(self) -> list[Entry]:
        """Return all entries, oldest first."""
        return [entry for entry in json_lines(self._path) if isinstance(entry, dict)]

    def take_out(self, unwanted: Callable[[Entry], bool]) -> int:
        """Remove entries; return how many were removed."""
        with editing(self._path.parent):
            entries = self.entries()
            kept = [entry for entry in entries if not unwanted(entry)]
            if len(kept) < len(entries):
                write_atomically(self._path, b"".join(json.dumps(one).encode() + b"\n" for one in kept))
        return len(entries) - len(kept)


def json_lines(path: Path) -> Iterator[Any]:
    """Yield the value of each line of a file; incomplete lines and a missing file are ignored."""
    with suppress(FileNotFoundError):
        for line in path.read_bytes().splitlines():
            with suppress(ValueError):
                yield json.loads(line)


REPORTS_FILE = "reports.jsonl"
REASONS = ("spam", "misleading", "broken", "harmful", "other")
LONGEST_NOTE = 500  # characters
LONGEST_QUERY = 200


@dataclass(frozen=True, slots=True)
class Report(NotebookTable):
    """The reports of one page for one reason; query and note are the latest that are not empty."""

    key: str
    url: str
    reason: str
    query: str
    note: str
    time: float  # of the latest
    count: int


@dataclass(eq=False)
class _Messages:
    """Messages of visitors that wait for the owner. Threads and processes may share it."""

    FILE: ClassVar[str]
    owner: Path  # the folder

    @cached_property
    def _inbox(self) -> Inbox:
        return Inbox(self.owner / self.FILE)

    def _add(self, url: str, kind: str = "", **others: str) -> bool:
        """Add a message about a URL; messages of the same kind about the same URL have the same key."""
        address = repair(url)[0]
        key = f"{address.fingerprint:016x}{kind}"
        return self._inbox.add({"key": key, "url": address.text, **others, "time": round(time.time())})

    def settle(self, key: str) -> bool:
        """Remove the messages with a key, which the owner has dealt with; return whether there were any."""
        return self._inbox.take_out(lambda entry: entry.get("key") == key) > 0


class Reports(_Messages):
    """Reports of bad pages that wait for the owner."""

    FILE = REPORTS_FILE

    def add(self, url: str, reason: str, query: str = "", note: str = "") -> bool:
        """Add a report; return False if there is no room. Raise UsageError if it is invalid."""
        if reason not in REASONS:
            raise BadSetting(f"there is no reason {reason!r}; choose from: {', '.join(REASONS)}")
        said = " ".join(note.split())
        if len(said) > LONGEST_NOTE:
            raise UsageError(f"a note has at most {LONGEST_NOTE} characters, not {len(said)}")
        asked = " ".join(query.split())[:LONGEST_QUERY]
        return self._add(url, f"-{reason}", reason=reason, query=asked, note=said)

    def open_ones(self) -> list[Report]:
        """Return the open reports, the latest first."""
        found: dict[str, Report] = {}
        for entry in self._inbox.entries():
            match entry:
                case {
                    "key": str(key),
                    "url": str(url),
                    "reason": str(reason),
                    "query": str(query),
                    "note": str(note),
                    "time": int() | float() as when,
                }:
                    before = found.get(key) or Report(key, url, reason, "", "", 0.0, 0)
                    query, note = query or before.query, note or before.note
                    found[key] = Report(key, url, reason, query, note, float(when), before.count + 1)
        return sorted(found.values(), key=lambda report: -report.time)


# Submitted sites
# ---------------

SUBMISSIONS_FILE = "submissions.jsonl"


@dataclass(frozen=True, slots=True)
class Submission(NotebookTable):
    """A URL that visitors submitted."""

    key: str
    url: str
    time: float  # of the first submission
    count: int


class Submissions(_Messages):
    """Submitted sites that wait for the owner."""

    FILE = SUBMISSIONS_FILE

    def add(self, url: str) -> bool:
        """Add a submission; return False if there is no room. Raise BadUrl if it is invalid."""
        return self._add(url)

    def open_ones(self) -> list[Submission]:
        """Return the open submissions, the earliest first."""
        found: dict[str, Submission] = {}
        for entry in self._inbox.entries():
            match entry:
                case {"key": str(key), "url": str(url), "time": int() | float() as when}:
                    before = found.get(key)
                    first, count = (before.time, before.count) if before else (float(when), 0)
                    found[key] = Submission(key, url, first, count + 1)
        return list(found.values())
