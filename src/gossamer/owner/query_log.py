"""Query counts, optional.

A line of the file has a query, how often it was asked, and how often it found nothing. Lines are appended;
the same query may have many. A file that is too long is replaced by one with a line per query, without the
rarest queries; counts are halved, so that old queries count less. An incomplete line, which a killed process
left, is ignored. The file does not tell who asked, or when.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from gossamer.model import GossamerError
from gossamer.owner.visitor_messages import json_lines
from gossamer.storage.files import write_atomically

NAME = "queries.log"
MEGABYTE = 1_000_000
LONGEST = 200  # characters of a query that is counted; longer ones are pasted text
LEAST_ASKED = 3  # times before a query is suggested to others: a query of one person may be private
KEPT = 0.5  # part of the largest size to which the file is shortened
_OPERATOR = re.compile(r"AND|OR|NOT|NEAR(?:/\d+)?")
_LOG = logging.getLogger(__name__)


@dataclass(eq=False)
class QueryLog:
    """The query counts of a collection. Threads and processes may share it."""

    folder: Path
    most_mb: int
    _lock: Lock = field(default_factory=Lock)
    _failed: bool = False

    @property
    def path(self) -> Path:
        return self.folder / NAME

    def note(self, query: str, found: bool) -> None:
        """Count a query. A log that cannot be written causes one warning, and no error."""
        plain = " ".join([_small(word) for word in query.split()])
        if not plain or len(plain) > LONGEST:
            return
        try:
            with self._lock:
                if self._append(_line(plain, 1, int(not found))) > self.most_mb * MEGABYTE:
                    self._shorten()
        except (OSError, GossamerError) as error:
            if not self._failed:
                _LOG.warning("queries are not counted: %s", error)
            self._failed = True

    def counts(self) -> tuple[Counter[str], Counter[str]]:
        """Return how often each query was asked, and how often it found nothing."""
        asked: Counter[str] = Counter()
        empty: Counter[str] = Counter()
        for query, times, without in self._lines():
            asked[query] += times
            empty[query] += without
        return asked, +empty

    def suggested(self) -> Mapping[str, int]:
        """Return queries that may be suggested to others: asked several times, mostly with results."""
        asked, empty = self.counts()
        often = {query: times for query, times in asked.items() if times >= LEAST_ASKED}
        return {query: times for query, times in often.items() if 2 * empty[query] < times}

    def _append(self, line: bytes) -> int:
        """Append a line atomically; return the new size of the file."""
        number = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(number, "ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_SH)  # wait while another process replaces the file
            file.write(line)
            return os.fstat(number).st_size

    def _shorten(self) -> None:
        with self.path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if self.path.stat().st_ino != os.fstat(file.fileno()).st_ino:
                return  # another process has just shortened it
            asked, empty = self.counts()
            write_atomically(self.path, b"".join(self._shorter(asked, empty)))
            self.path.chmod(0o600)

    def _shorter(self, asked: Counter[str], empty: Counter[str]) -> Iterator[bytes]:
        room = self.most_mb * MEGABYTE * KEPT
        for query, times in asked.most_common():
            line = _line(query, (times + 1) // 2, empty[query] // 2)
            room -= len(line)
            if room < 0:
                return
            yield line

    def _lines(self) -> Iterator[tuple[str, int, int]]:
        for line in json_lines(self.path):
            match line:
                case [str(query), int(times), int(without)]:
                    yield query, times, without


def _small(word: str) -> str:
    """Convert a word to lower case, unless it is an operator.

    >>> [_small(word) for word in ("Jaguar", "(Cars", "AND", "NEAR/3", "And")]
    ['jaguar', '(cars', 'AND', 'NEAR/3', 'and']
    """
    return word if _OPERATOR.fullmatch(word.strip("()")) else word.lower()


def _line(query: str, asked: int, empty: int) -> bytes:
    return (json.dumps([query, asked, empty], ensure_ascii=True) + "\n").encode()
