"""What came of each fetch: the answer, the verdict on it, the date of the next visit, the sketch.

They come one after the other, and page after page. A statement for each would rewrite the row of a page three
times, and its places in the indices; so they wait for one another, and are written together before anything
else is read or written. Nobody outside can tell the difference, except where SQLite refuses a row: the error
is not raised in the middle of something else, `refused` tells it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.model import Verdict, from_signed, to_signed
from gossamer.model.errors import BEYOND_ONE_PAGE, internal_error
from gossamer.store.database import Database, Row
from gossamer.store.revisits import HISTORY, VISITS, Visits, writable
from gossamer.store.rows import FetchRow

SKETCH_BYTES = 84

_FETCHED = (
    "fetched_at = ?, state = ?, status = ?, reason = ?, attempts = ?, not_before = 0,"
    " media_type = coalesce(nullif(?, ''), media_type), etag = ?, last_modified = ?, redirect_to = ?,"
    " warc_file = coalesce(?, warc_file), warc_offset = coalesce(?, warc_offset),"
    " warc_length = coalesce(?, warc_length)"
)
_JUDGED = "verdict = ?, verdict_reason = ?, duplicate_of = ?, digest = ?"
_VISITED = f"({VISITS}) = (?, ?, ?, ?, ?, ?, ?, ?, ?)"

_SET_FETCHED = f"UPDATE urls SET {_FETCHED}, digest = coalesce(?, digest) WHERE fingerprint = ?"
_SET_JUDGED = f"UPDATE urls SET {_JUDGED} WHERE fingerprint = ?"
_SET_VISITED = f"UPDATE urls SET {_VISITED} WHERE fingerprint = ?"
_SET_ALL = f"UPDATE urls SET {_FETCHED}, {_JUDGED}, {_VISITED} WHERE fingerprint = ?"
_SKETCHED = "INSERT INTO sketches (fingerprint, sketch) VALUES (?, ?)"
_SKETCHES = f"SELECT fingerprint, iif(length(sketch) = {SKETCH_BYTES}, sketch, x'') FROM sketches ORDER BY id"


@dataclass(slots=True)
class _Answer:
    """What is to be written of one page; the columns of each statement."""

    fetched: Row
    digest: bytes | None
    judged: Row | None = None
    visited: Row | None = None


class AnswerTable(Database):
    """The tables `urls`, `fetches` and `sketches`, as far as answers change them."""

    def __init__(
        self, path: Path, durable: bool = False, read_only: bool = False, create: bool = False
    ) -> None:
        self._answers: dict[int, _Answer] = {}  # by the stored fingerprint
        self._history: list[Row] = []
        self._sketches: list[Row] = []
        self._refused: dict[int, str] = {}  # the reason by the fingerprint
        super().__init__(path, durable, read_only, create)

    def record_fetch(self, fetch: FetchRow) -> None:
        """Writes what came of a fetch: the URL's new state, and a line of history."""
        key = to_signed(fetch.fingerprint)
        if key in self._answers:
            self._write_waiting()
        address = fetch.address
        place = (address.file, address.offset, address.length) if address else (None, None, None)
        failure = fetch.failure.value if fetch.failure else ""
        self._answers[key] = _Answer(
            (
                fetch.fetched_at,
                fetch.state.value,
                fetch.status,
                writable(fetch.reason or failure),
                fetch.attempts,
                writable(fetch.media_type),
                writable(fetch.etag),
                writable(fetch.last_modified),
                _signed(fetch.redirect_to),
                *place,
            ),
            fetch.digest,
        )
        size = (fetch.digest, fetch.size, fetch.elapsed)
        self._history.append((key, fetch.fetched_at, fetch.status, failure, *size, *place))

    def set_verdict(self, fingerprint: int, verdict: Verdict, digest: bytes) -> None:
        """Writes what quality thinks of a page, and the digest of its content: empty where it has none."""
        key = to_signed(fingerprint)
        said = (verdict.judgement.value, writable(verdict.reason))
        row = (*said, _signed(verdict.duplicate_of or None), digest or None)
        if (answer := self._answers.get(key)) is not None:
            answer.judged = row
        else:
            self._write(_SET_JUDGED, (*row, key))

    def set_visits(self, fingerprint: int, visits: Visits) -> None:
        """Writes what the visits to a URL told so far, and when the next one is."""
        key = to_signed(fingerprint)
        row = (
            visits.checked_at,
            visits.changes,
            visits.seconds,
            visits.standing,
            visits.misses,
            visits.missing_since,
            visits.importance,
            visits.lastmod,
            visits.next_visit,
        )
        if (answer := self._answers.get(key)) is not None:
            answer.visited = row
        else:
            self._write(_SET_VISITED, (*row, key))

    def set_sketch(self, fingerprint: int, sketch: bytes) -> None:
        """Keeps the sketch of a kept page."""
        self._sketches.append((to_signed(fingerprint), sketch))

    def drop_sketch(self, fingerprint: int) -> None:
        """Forgets the sketch of a page that is no longer kept."""
        self._sketches.append((to_signed(fingerprint), None))

    def sketches(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """The fingerprints and the sketches of the kept pages, a row each, by rising stored fingerprint."""
        kind = np.dtype([("number", np.int64), ("sketch", f"S{SKETCH_BYTES}")])  # zeros at an end are padding
        found = np.fromiter(self._rows(_SKETCHES), kind)[::-1]
        numbers, latest = np.unique(found["number"], return_index=True)
        sketches = found["sketch"][latest]
        kept = sketches != b""
        table = sketches[kept].view(np.uint8)
        return numbers[kept].astype(np.uint64), table.reshape(-1, SKETCH_BYTES)

    def refused(self) -> dict[int, str]:
        """Writes what waits; returns the pages of which a row was refused since the last call, and why."""
        self._write_waiting()
        refused, self._refused = self._refused, {}
        return refused

    def commit(self) -> None:
        """Makes everything since the last commit count, at once; `refused` must be asked before."""
        self._write_waiting()
        if self._refused:
            raise RuntimeError(f"rows were refused, and nobody asked: {self._refused}")
        super().commit()

    def _write_waiting(self) -> None:
        if not self._answers and not self._sketches:
            return
        answers = sorted(self._answers.items())  # as the table is: neighbours are written together
        history, sketches = self._history, self._sketches
        self._forget_waiting()
        self._write_answers(answers)
        self._write_rows(HISTORY, history, key=0)
        self._write_rows(_SKETCHED, sketches, key=0)

    def _write_rows(self, sql: str, rows: Sequence[Row], key: int) -> None:
        """Writes all rows but those that SQLite refuses; `key` is the column of the stored fingerprint."""
        begin = 0
        while begin < len(rows):
            places = iter(range(begin, len(rows)))
            try:
                self._write_many(sql, map(rows.__getitem__, places))
                begin = len(rows)
            except BEYOND_ONE_PAGE:
                raise
            except Exception as error:
                behind = next(places, len(rows))
                if behind == begin:
                    raise  # no row was looked at: it is the statement that is wrong
                self._refused[from_signed(rows[behind - 1][key])] = internal_error(error)
                begin = behind

    def _write_answers(self, answers: Iterable[tuple[int, _Answer]]) -> None:
        whole: list[Row] = []
        fetched: list[Row] = []
        judged: list[Row] = []
        visited: list[Row] = []
        for key, answer in answers:
            if answer.judged is not None and answer.visited is not None:
                whole.append((*answer.fetched, *answer.judged, *answer.visited, key))
                continue
            fetched.append((*answer.fetched, answer.digest, key))
            if answer.judged is not None:
                judged.append((*answer.judged, key))
            if answer.visited is not None:
                visited.append((*answer.visited, key))
        self._write_rows(_SET_ALL, whole, key=-1)
        self._write_rows(_SET_FETCHED, fetched, key=-1)
        self._write_rows(_SET_JUDGED, judged, key=-1)
        self._write_rows(_SET_VISITED, visited, key=-1)

    def _forget_waiting(self) -> None:
        self._answers, self._history, self._sketches = {}, [], []


def _signed(fingerprint: int | None) -> int | None:
    return None if fingerprint is None else to_signed(fingerprint)
