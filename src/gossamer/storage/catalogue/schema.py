"""Tables, views and row types of the catalogue; open the SQLite file.

Fingerprints are stored as signed integers, because SQLite has no unsigned 64-bit type. Times are seconds
since 1970.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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
    WarcAddress,
    WrongFormat,
    to_signed,
)

FORMAT = 5  # since 5, hosts have a time before which they must not be requested
_FOLDER = Path(__file__).parent
TABLES = (_FOLDER / "tables.sql").read_text(encoding="utf-8")
VIEWS = (_FOLDER / "views.sql").read_text(encoding="utf-8")  # for people who open the file
_DROP = "".join(f"DROP VIEW IF EXISTS {name};" for name in re.findall(r"CREATE VIEW (\w+)", VIEWS))
NEW_VIEWS = f"BEGIN;{_DROP}{VIEWS}COMMIT;"
CREATE = f"BEGIN;{TABLES}{VIEWS}PRAGMA user_version = {FORMAT};COMMIT;"


# Open SQLite, translate its errors
# ---------------------------------

BUSY_SECONDS = 10.0
CACHE_KIB = 65_536  # fingerprints are random, so the upper levels of the B-trees should stay in memory
CHECKPOINT_PAGES = 16_384  # 64 MB: a page that changes often is copied back once for many changes
ROWS_AT_A_TIME = 1000
LOST = "restore it from a backup, or import the WARC files beside it into a new collection"
PRIMARY = 0xFF  # SQLite's result codes hold the general code in the low byte
Row = tuple[Any, ...]
T = TypeVar("T")


class Database:
    """One SQLite connection. Writes belong to a transaction that lasts until `commit` or `rollback`.

    Threads may share it, one statement at a time. `close` waits for a running statement, because Python
    crashes when a thread closes a connection that another one is using.
    """

    def __init__(
        self, path: Path, durable: bool = False, read_only: bool = False, create: bool = False
    ) -> None:
        self._path = path
        self._in_use = RLock()
        self._is_closed = False
        if not create and (not path.exists() or not path.stat().st_size):
            # A new empty catalogue has no committed sizes, so all responses in the page store would be lost.
            raise DamagedFile(path, "it is missing or empty", LOST)
        with self._statement():
            uri = f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rwc'}"
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
        """Replace the views if another version of Gossamer made them. Only people use them."""
        views = {
            sql for (sql,) in self._connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'view'")
        }
        if not views.issuperset(view.strip() for view in VIEWS.split(";") if view.strip()):
            self._connection.executescript(NEW_VIEWS)

    def commit(self) -> None:
        """Commit all writes since the last commit."""
        self._write_waiting()
        with self._statement():
            self._connection.commit()

    def close(self) -> None:
        """Close the file. Uncommitted writes are lost. Later reads raise EngineClosed."""
        with self._in_use:
            self._is_closed = True
            self._connection.close()

    def _write_waiting(self) -> None:
        """Write buffered rows; called before every other statement. A subclass that buffers overrides it."""

    def _write(self, sql: str, values: Iterable[Any]) -> None:
        self._write_waiting()
        with self._statement():
            self._connection.execute(sql, tuple(values))

    def _update_url(self, fingerprint: int, changes: str, *values: Any) -> None:
        self._write(f"UPDATE urls SET {changes} WHERE fingerprint = ?", (*values, to_signed(fingerprint)))

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
        """Return the first column of the first row, or the default if there is no row."""
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
        """Convert rows to objects. An invalid value means damage, because SQLite has no checksums."""
        for row in rows:
            try:
                yield make(row)
            except (TypeError, ValueError, AttributeError, KeyError) as error:
                raise DamagedFile(self._path, f"a row has an invalid value ({error})", LOST) from error

    @contextmanager
    def _statement(self) -> Iterator[None]:
        """Hold the connection for one statement, and translate errors of SQLite."""
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
    """Convert an error of SQLite to one for users; None if it is a bug of Gossamer."""
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
        return DamagedFile(path, str(error), LOST)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return CollectionBusy(f"another process writes to {path}; wait for it, or stop it")
    if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}:
        return GossamerError(f"cannot use {path}: {error}; make room or check the disk, then try again")
    return None


# Row types of the catalogue
# --------------------------


@dataclass(frozen=True, slots=True)
class FetchRow:
    """The outcome of a fetch, with or without a response."""

    fingerprint: int
    fetched_at: float
    state: UrlState  # new state of the URL
    status: int = 0
    failure: Failure | None = None
    reason: str = ""  # why it failed, in a word; by default the name of the failure
    attempts: int = 0
    media_type: str = ""
    etag: str = ""
    last_modified: str = ""
    redirect_to: int | None = None
    digest: bytes | None = None
    size: int = 0  # bytes of the body
    elapsed: float = 0.0
    address: WarcAddress | None = None  # None keeps the address of the previous response


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
    """The response of an authority to the request for robots.txt."""

    origin: str
    status: int
    body: bytes
    fetched_at: float
    reason: str = ""
    crawl_delay: float | None = None


@dataclass(frozen=True, slots=True)
class HostRow:
    """Crawl-delay and failures of an authority."""

    authority: str
    crawl_delay: float | None = None
    failures: int = 0  # consecutive crawls in which it did not respond at all
    failed_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of URLs by state, verdict and reason."""

    states: dict[str, int]
    verdicts: dict[str, int]
    reasons: dict[str, int]  # of URLs that failed, were refused or wait for a retry
    not_indexed: dict[str, int]  # verdict and reason of the pages that are not kept
