"""Tables, views, row types; open the SQLite file.

Fingerprints are stored signed (SQLite knows no unsigned 64 bits), times as seconds since 1970.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from gossamer.model import (
    CollectionBusy,
    DamagedFile,
    EngineClosed,
    Failure,
    GossamerError,
    Url,
    UrlState,
    Verdict,
    WrongFormat,
)
from gossamer.storage.warc import WarcAddress

FORMAT = 5  # 5: hosts say when they may be asked again
_FOLDER = files(__package__)
TABLES = (_FOLDER / "tables.sql").read_text(encoding="utf-8")
VIEWS = (_FOLDER / "views.sql").read_text(encoding="utf-8")  # for people
_DROP = "".join(f"DROP VIEW IF EXISTS {name};" for name in re.findall(r"CREATE VIEW (\w+)", VIEWS))
NEW_VIEWS = f"BEGIN;{_DROP}{VIEWS}COMMIT;"
CREATE = f"BEGIN;{TABLES}{VIEWS}PRAGMA user_version = {FORMAT};COMMIT;"


# Open SQLite, translate its errors
# ---------------------------------

BUSY_SECONDS = 10.0
CACHE_KIB = 65_536  # fingerprints are spread at random: the upper levels of the trees should stay in memory
CHECKPOINT_PAGES = 16_384  # 64 MB: a page of the tree that changes often is copied back once for many changes
ROWS_AT_A_TIME = 1000
LOST = "put it back from a copy, or import the WARC files beside it into a new collection"
PRIMARY = 0xFF  # SQLite's result codes hold the general code in the low byte
Row = tuple[Any, ...]
T = TypeVar("T")


class Database:
    """One SQLite connection. Writes belong to a transaction that lasts until `commit` or `rollback`.

    Threads may share it, one statement at a time. Python crashes when one thread closes a connection in which
    another runs a statement, so closing waits for that.
    """

    def __init__(
        self, path: Path, durable: bool = False, read_only: bool = False, create: bool = False
    ) -> None:
        self._path = path
        self._in_use = RLock()
        self._is_closed = False
        if not create and (not path.exists() or not path.stat().st_size):
            # Made anew it would say that nothing was fetched, and the page store would be cut to match.
            raise DamagedFile(path, "it is missing or empty", LOST)
        mode = "ro" if read_only else "rwc"
        with self._statement():
            uri = f"{path.resolve().as_uri()}?mode={mode}"
            self._connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            with self._statement():
                self._prepare(durable, read_only)
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self, durable: bool, read_only: bool) -> None:
        self._connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        if not read_only:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
            self._connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            if not self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                self._connection.executescript(CREATE)
        found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found != FORMAT:
            raise WrongFormat(self._path, found, FORMAT)
        if not read_only:
            self._renew_views()

    def _renew_views(self) -> None:
        """Gives a file of an earlier version the views of this one: only people read them."""
        views = {
            sql for (sql,) in self._connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'view'")
        }
        if not views.issuperset(view.strip() for view in VIEWS.split(";") if view.strip()):
            self._connection.executescript(NEW_VIEWS)

    def commit(self) -> None:
        """Makes everything since the last commit count, at once."""
        self._write_waiting()
        with self._statement():
            self._connection.commit()

    def rollback(self) -> None:
        """Forgets everything since the last commit."""
        self._forget_waiting()
        with self._statement():
            self._connection.rollback()

    def close(self) -> None:
        """Closes the file; what was not committed is forgotten. Whoever reads on gets EngineClosed."""
        with self._in_use:
            self._is_closed = True
            self._connection.close()

    def _write_waiting(self) -> None:
        """Writes what waits to be written together: before anything else is written, or read."""

    def _forget_waiting(self) -> None:
        """Forgets what waits to be written."""

    def _write(self, sql: str, values: Iterable[Any]) -> None:
        self._write_waiting()
        with self._statement():
            self._connection.execute(sql, tuple(values))

    def _write_many(self, sql: str, rows: Iterable[Row]) -> None:
        self._write_waiting()
        with self._statement():
            self._connection.executemany(sql, rows)

    def _one(self, sql: str, values: Row = ()) -> Row | None:
        self._write_waiting()
        with self._statement():
            row: Row | None = self._connection.execute(sql, values).fetchone()
            return row

    def _value(self, sql: str, values: Row = (), default: Any = None) -> Any:
        """The first column of the first row, or the default where there is no row."""
        row = self._one(sql, values)
        return row[0] if row else default

    def _rows(self, sql: str, values: Row = ()) -> Iterator[Row]:
        self._write_waiting()
        with self._statement():
            cursor = self._connection.execute(sql, values)
        while True:
            with self._statement():
                rows = cursor.fetchmany(ROWS_AT_A_TIME)
            if not rows:
                return
            yield from rows

    def _made(self, make: Callable[[Row], T], rows: Iterable[Row]) -> Iterator[T]:
        """What is made of rows; SQLite keeps no checksums, so damage may show as a value without sense."""
        for row in rows:
            try:
                yield make(row)
            except (TypeError, ValueError, AttributeError, KeyError) as error:
                raise DamagedFile(self._path, f"a row makes no sense ({error})", LOST) from error

    @contextmanager
    def _statement(self) -> Iterator[None]:
        """Hold the connection for one statement, and translate what SQLite says of it."""
        with self._in_use:
            if self._is_closed:
                raise EngineClosed(self._path.parent)
            try:
                yield
            except sqlite3.DatabaseError as error:
                translated = _translated(self._path, error)
                if translated is None:
                    raise
                raise translated from error


def _translated(path: Path, error: sqlite3.DatabaseError) -> GossamerError | None:
    """What a person is told; None for our own mistakes."""
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return DamagedFile(path, str(error), LOST)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return CollectionBusy(f"another process writes to {path}; wait for it, or stop it")
    if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
        return GossamerError(f"cannot use {path}: {error}; make room or check the disk, then go on")
    return None


# Row types of the catalogue
# --------------------------


@dataclass(frozen=True, slots=True)
class FetchRow:
    """One fetch: what the catalogue is told when an answer, or none, came."""

    fingerprint: int
    fetched_at: float
    state: UrlState  # where the URL stands now
    status: int = 0
    failure: Failure | None = None
    reason: str = ""  # why it failed, in a word; the failure's name where nothing is said
    attempts: int = 0
    media_type: str = ""
    etag: str = ""
    last_modified: str = ""
    redirect_to: int | None = None
    digest: bytes | None = None
    size: int = 0  # bytes of the body
    elapsed: float = 0.0
    address: WarcAddress | None = None  # None keeps the address of an earlier fetch


@dataclass(frozen=True, slots=True)
class UrlRow:
    """A known URL."""

    url: Url
    state: UrlState
    depth: int
    priority: float
    redirects: int
    attempts: int
    not_before: float
    status: int
    reason: str
    first_seen: float
    fetched_at: float | None
    media_type: str
    etag: str
    last_modified: str
    digest: bytes | None
    verdict: Verdict | None
    redirect_to: int | None
    address: WarcAddress | None

    @property
    def fingerprint(self) -> int:
        return self.url.fingerprint


@dataclass(frozen=True, slots=True)
class RobotsRow:
    """What an authority answered when asked for robots.txt."""

    origin: str
    status: int
    body: bytes
    fetched_at: float
    reason: str = ""
    crawl_delay: float | None = None


@dataclass(frozen=True, slots=True)
class HostRow:
    """How an authority is to be treated."""

    authority: str
    crawl_delay: float | None = None
    failures: int = 0  # crawls in a row in which it did not answer at all
    failed_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Counts:
    """How many URLs there are of each kind."""

    states: dict[str, int]
    verdicts: dict[str, int]
    reasons: dict[str, int]  # of the URLs that failed, were refused or wait for another try
    not_indexed: dict[str, int]  # verdict and reason of the pages that are not kept
