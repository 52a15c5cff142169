"""Query counts, optional.

A line of the file is a query with how often it was asked and how often it found nothing. Lines are appended;
of the same query there may be many. When the file is too long it is replaced by one with a line a query, the
rarest forgotten, and the counts halved, so that what was asked long ago counts less. A line that a killed
process left half written is passed over. Nothing is kept of who asked, nor when.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from threading import Lock

from gossamer.model import GossamerError
from gossamer.storage.files import write_atomically

NAME = "queries.log"
MEGABYTE = 1_000_000
LONGEST = 200  # characters of a query that is counted; longer ones are pasted, not asked
LEAST_ASKED = 3  # times until a query is offered to others: what one person typed may be private
KEPT = 0.5  # of the longest file, what is left of it when it is shortened
_OPERATOR = re.compile(r"AND|OR|NOT|NEAR(?:/\d+)?")
_LOG = logging.getLogger(__name__)


class QueryLog:
    """The queries of a collection. Threads and processes may share it."""

    def __init__(self, folder: Path, most_mb: int) -> None:
        self.path = folder / NAME
        self._most = most_mb * MEGABYTE
        self._lock = Lock()
        self._failed = False

    def note(self, query: str, found: bool) -> None:
        """A query was asked; a log that cannot be written is told of once, and stands in nobody's way."""
        plain = " ".join([_small(word) for word in query.split()])
        if not plain or len(plain) > LONGEST:
            return
        try:
            with self._lock:
                if self._append(_line(plain, 1, int(not found))) > self._most:
                    self._shorten()
        except (OSError, GossamerError) as error:
            if not self._failed:
                _LOG.warning("queries are not counted: %s", error)
            self._failed = True

    def counts(self) -> tuple[Counter[str], Counter[str]]:
        """How often each query was asked, and how often it found nothing."""
        asked: Counter[str] = Counter()
        empty: Counter[str] = Counter()
        for query, times, without in self._lines():
            asked[query] += times
            empty[query] += without
        return asked, +empty

    def suggested(self) -> Mapping[str, int]:
        """Queries that may be offered to others: asked several times, and they find something."""
        asked, empty = self.counts()
        often = {query: times for query, times in asked.items() if times >= LEAST_ASKED}
        return {query: times for query, times in often.items() if 2 * empty[query] < times}

    def _append(self, line: bytes) -> int:
        """Writes in one step, in which nobody can come between; how long the file is now."""
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_SH)  # not while it is being replaced
            os.write(file, line)
            return os.fstat(file).st_size
        finally:
            os.close(file)

    def _shorten(self) -> None:
        file = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if self.path.stat().st_ino != os.fstat(file).st_ino:
                return  # another process was quicker
            asked, empty = self.counts()
            write_atomically(self.path, b"".join(self._shorter(asked, empty)))
            self.path.chmod(0o600)
        finally:
            os.close(file)

    def _shorter(self, asked: Counter[str], empty: Counter[str]) -> Iterator[bytes]:
        room = self._most * KEPT
        for query, times in asked.most_common():
            line = _line(query, (times + 1) // 2, empty[query] // 2)
            room -= len(line)
            if room < 0:
                return
            yield line

    def _lines(self) -> Iterator[tuple[str, int, int]]:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        for line in data.splitlines():
            try:
                query, times, without = json.loads(line)
            except (ValueError, TypeError):  # the last line of a process that was killed
                continue
            if isinstance(query, str) and isinstance(times, int) and isinstance(without, int):
                yield query, times, without


def _small(word: str) -> str:
    """A word as it is counted: in small letters, unless they would make another query of it.

    >>> [_small(word) for word in ("Jaguar", "(Cars", "AND", "NEAR/3", "And")]
    ['jaguar', '(cars', 'AND', 'NEAR/3', 'and']
    """
    return word if _OPERATOR.fullmatch(word.strip("()")) else word.lower()


def _line(query: str, asked: int, empty: int) -> bytes:
    return (json.dumps([query, asked, empty], ensure_ascii=True) + "\n").encode()
