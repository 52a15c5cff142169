"""URL rows: queue, fetch outcomes, verdicts, next visits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from gossamer.model import (
    CrawlRequest,
    DamagedFile,
    Judgement,
    Url,
    UrlState,
    Verdict,
    WarcAddress,
    from_signed,
    to_signed,
)
from gossamer.model.errors import BEYOND_ONE_PAGE, internal_error
from gossamer.storage.catalogue.schema import LOST, Database, FetchRow, Row, UrlRow
from gossamer.storage.seen_urls import DONE, WAITING, SeenEntries

# Next visits and history of known pages
# --------------------------------------
#
# From its first response on, a page has a date of its next visit, `next_visit`. Dates are read host by
# host, like the queue, so that one host with a million pages does not delay all others.


@dataclass(frozen=True, slots=True)
class VisitHistory:
    """Results of earlier visits to a URL, stored in the columns of the same names.

    For `changes` and `seconds`, see `gossamer.crawl.revisit.change_rate`.
    """

    checked_at: float | None = None  # when its content was last seen, changed or not
    changes: float = 0.0
    seconds: float = 0.0
    standing: str = "keep"  # or suspect, or gone
    misses: int = 0  # consecutive responses 404 or 410
    missing_since: float = 0.0
    importance: float = 0.0
    lastmod: float | None = None  # date of a later change, from a sitemap or feed
    next_visit: float | None = None


VISITS = ", ".join(VisitHistory.__slots__)
_VISIT_VALUES = attrgetter(*VisitHistory.__slots__)
HISTORY = (
    "INSERT INTO fetches (fingerprint, fetched_at, status, failure, digest, bytes, elapsed,"
    " warc_file, warc_offset, warc_length) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

# A 304 response often omits these headers: then the stored values are kept.
_CONFIRMED = (
    "reason = CASE reason WHEN 'truncated' THEN reason ELSE '' END,"
    " etag = coalesce(nullif(?, ''), etag), last_modified = coalesce(nullif(?, ''), last_modified)"
)
_NO_VERDICT = "verdict = NULL, verdict_reason = '', duplicate_of = NULL"
_DUE = (
    "SELECT url, depth, priority, redirects, etag, last_modified, state, digest, verdict, verdict_reason,"
    f" duplicate_of, redirect_to, reason, first_seen, {VISITS} FROM urls"
    " WHERE authority = ? AND next_visit IS NOT NULL"
)

# Skips from one authority to the next in the index: one look-up for each host, not for each page.
_HOSTS = """
WITH RECURSIVE found (authority) AS (
    SELECT min(authority) FROM urls WHERE next_visit IS NOT NULL
    UNION ALL
    SELECT (SELECT min(authority) FROM urls WHERE next_visit IS NOT NULL AND authority > found.authority)
    FROM found WHERE found.authority IS NOT NULL
)
SELECT authority, (SELECT min(next_visit) FROM urls WHERE next_visit IS NOT NULL AND authority = f.authority)
FROM found AS f WHERE authority IS NOT NULL
"""
_ANNOUNCE = (
    "UPDATE urls SET lastmod = ?, next_visit = CASE WHEN ? THEN min(next_visit, checked_at + ?)"
    " ELSE next_visit END WHERE fingerprint = ? AND state = 'fetched' AND checked_at < ?"
    " AND coalesce(lastmod, 0) < ? AND next_visit IS NOT NULL"
)
_ALL = 1 << 63  # above every stored fingerprint


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A URL that is due for a revisit, as the catalogue knows it."""

    request: CrawlRequest
    state: UrlState
    digest: bytes | None
    verdict: Verdict | None
    redirect_to: int | None
    reason: str  # of the latest problem
    first_seen: float
    visits: VisitHistory

    @property
    def is_kept(self) -> bool:
        return self.state is UrlState.FETCHED and self.verdict is not None and self.verdict.keep


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A visit that found no change; it is stored in the history only."""

    fingerprint: int
    when: float
    status: int = 0
    failure: str = ""
    digest: bytes | None = None
    size: int = 0
    elapsed: float = 0.0
    address: WarcAddress | None = None
    etag: str = ""
    last_modified: str = ""


class Rates(NamedTuple):
    """Change statistics of all pages with a next visit, as columns; `hosts` are indices of `authorities`."""

    authorities: list[str]
    hosts: NDArray[np.intp]
    changes: NDArray[np.float64]
    seconds: NDArray[np.float64]
    importances: NDArray[np.float64]


class RevisitTable(Database):
    """The columns of the table `urls` that decide when a page is revisited."""

    def confirm(self, check: CheckRow) -> None:
        """Store a visit that found the page unchanged: history, and the new ETag and Last-Modified."""
        self.note_check(check)
        headers = (writable(check.etag), writable(check.last_modified))
        self._update_url(check.fingerprint, _CONFIRMED, *headers)

    def note_check(self, check: CheckRow) -> None:
        """Add a visit to the history; the state of the URL does not change."""
        place = check.address
        where = (place.file, place.offset, place.length) if place else (None, None, None)
        said = (check.status, check.failure, check.digest, check.size, check.elapsed)
        self._write(HISTORY, (to_signed(check.fingerprint), check.when, *said, *where))

    def drop(self, fingerprint: int) -> None:
        """Delete the verdict on a page that is gone or has changed completely."""
        self._update_url(fingerprint, _NO_VERDICT)

    def free_copies(self, original: int, now: float) -> set[str]:
        """Make the duplicates of a page that has changed due at once; return their authorities.

        Their ETag and Last-Modified are cleared: their content is needed, even if it is unchanged.
        """
        copies = "duplicate_of = ? AND next_visit IS NOT NULL"
        key = to_signed(original)
        found = {str(row[0]) for row in self._rows(f"SELECT authority FROM urls WHERE {copies}", (key,))}
        if found:
            freed = "next_visit = min(next_visit, ?), etag = '', last_modified = ''"
            self._write(f"UPDATE urls SET {freed} WHERE {copies}", (now, key))
        return found

    def announce(
        self, dates: Iterable[tuple[int, float]], least_interval: float, trusted: bool = True
    ) -> None:
        """Store dates of changes from a sitemap or feed. If `trusted`, changed pages are revisited sooner."""
        rows = (
            (when, trusted, least_interval, to_signed(fingerprint), when, when) for fingerprint, when in dates
        )
        self._write_many(_ANNOUNCE, rows)

    def put_off(self, authority: str, until: float) -> None:
        """Postpone all revisits of an authority until that time."""
        sql = "UPDATE urls SET next_visit = ? WHERE authority = ? AND next_visit < ?"
        self._write(sql, (until, authority, until))

    def hosts_to_visit(self) -> Iterator[tuple[str, float]]:
        """Yield every authority with pages to revisit, and the date of the first."""
        return ((str(authority), float(when)) for authority, when in self._rows(_HOSTS))

    def first_visit(self, authority: str, after: float) -> float | None:
        """Return the first date of a revisit of an authority's pages after that time."""
        sql = "SELECT min(next_visit) FROM urls WHERE authority = ? AND next_visit > ?"
        return cast("float | None", self._value(sql, (authority, after)))

    def due(self, authority: str, now: float, limit: int) -> list[KnownPage]:
        """Return the pages of an authority that are due, the earliest first."""
        sql = f"{_DUE} AND next_visit <= ? AND state <> 'queued' ORDER BY next_visit LIMIT ?"
        return list(self._made(_known_page, self._rows(sql, (authority, now, limit))))

    def early(self, authority: str, checked_before: float, limit: int) -> list[KnownPage]:
        """Return an authority's next pages, without those that have a problem or were checked since then."""
        sql = f"{_DUE} ORDER BY next_visit LIMIT ?"
        return [
            page
            for page in self._made(_known_page, self._rows(sql, (authority, limit)))
            if page.state is UrlState.FETCHED
            and page.visits.checked_at is not None
            and page.visits.checked_at <= checked_before
            and not (page.visits.misses or page.reason)
        ]

    def rates(self, share: float = 1.0) -> Rates:
        """Return the change statistics of all pages, or of a share: a random sample by fingerprint."""
        sql = (
            "SELECT authority, changes, seconds, importance FROM urls"
            " WHERE next_visit IS NOT NULL AND checked_at IS NOT NULL AND fingerprint < ?"
        )
        below = min(int(2 * _ALL * share) - _ALL, _ALL - 1)
        numbers: dict[str, int] = {}
        kind = np.dtype([("host", np.intp), ("changes", "f8"), ("seconds", "f8"), ("importance", "f8")])
        rows = (
            (numbers.setdefault(authority, len(numbers)), *rest)
            for authority, *rest in self._rows(sql, (below,))
        )
        found = np.fromiter(rows, kind)
        columns = (found[name].copy() for name in ("host", "changes", "seconds", "importance"))
        return Rates(list(numbers), *columns)


def writable(text: str) -> str:
    """Return a text that can be encoded for SQLite: lone surrogates become "?"."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _known_page(row: Row) -> KnownPage:
    text, depth, priority, redirects, etag, last_modified, state, digest = row[:8]
    judgement, why, duplicate_of, redirect_to, reason, first_seen, *visits = row[8:]
    verdict = _verdict(judgement, why, duplicate_of)
    # A 304 response is useful only if the stored page could be read.
    asks_for_change = state == "fetched" and judgement != Judgement.UNREADABLE.value
    conditions = (etag, last_modified) if asks_for_change else ("", "")
    request = CrawlRequest(Url.parsed(text), depth, priority, redirects, 0, *conditions)
    kept = (digest, verdict, _unsigned(redirect_to), reason, first_seen)
    return KnownPage(request, UrlState(state), *kept, VisitHistory(*visits))


def _unsigned(stored: int | None) -> int | None:
    return None if stored is None else from_signed(stored)


# Fetch outcomes, verdicts, sketches
# ----------------------------------
#
# For each page, these arrive one after the other. A statement for each would rewrite the row of the page
# and its index entries three times. So they are buffered, and written together before anything else is
# read or written. Callers see no difference, with one exception: if SQLite rejects a row, no error is
# raised, and `refused` returns the reason.

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
    """Buffered writes of one page: the values of each statement."""

    fetched: Row
    digest: bytes | None
    judged: Row | None = None
    visited: Row | None = None


class AnswerTable(Database):
    """The parts of the tables `urls`, `fetches` and `sketches` that change with responses."""

    def __init__(
        self, path: Path, durable: bool = False, read_only: bool = False, create: bool = False
    ) -> None:
        self._answers: dict[int, _Answer] = {}  # by stored fingerprint
        self._history: list[Row] = []
        self._sketches: list[Row] = []
        self._refused: dict[int, str] = {}  # reason by fingerprint
        super().__init__(path, durable, read_only, create)

    def record_fetch(self, fetch: FetchRow) -> None:
        """Store the outcome of a fetch: the new state of the URL, and a row of history."""
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
        """Store the verdict on a page and the digest of its content, which may be empty."""
        key = to_signed(fingerprint)
        said = (verdict.judgement.value, writable(verdict.reason))
        row = (*said, _signed(verdict.duplicate_of or None), digest or None)
        if (answer := self._answers.get(key)) is not None:
            answer.judged = row
        else:
            self._write(_SET_JUDGED, (*row, key))

    def set_visits(self, fingerprint: int, visits: VisitHistory) -> None:
        """Store the visit history of a URL and the date of its next visit."""
        key = to_signed(fingerprint)
        row = _VISIT_VALUES(visits)
        if (answer := self._answers.get(key)) is not None:
            answer.visited = row
        else:
            self._write(_SET_VISITED, (*row, key))

    def set_sketch(self, fingerprint: int, sketch: bytes) -> None:
        """Store the sketch of a kept page."""
        self._sketches.append((to_signed(fingerprint), sketch))

    def drop_sketch(self, fingerprint: int) -> None:
        """Delete the sketch of a page that is no longer kept."""
        self._sketches.append((to_signed(fingerprint), None))

    def sketches(self) -> tuple[NDArray[np.uint64], NDArray[np.uint8]]:
        """Return the fingerprints and sketches of the kept pages, in ascending order as stored (signed)."""
        kind = np.dtype([("number", np.int64), ("sketch", f"S{SKETCH_BYTES}")])  # numpy pads with zeros
        found = np.fromiter(self._rows(_SKETCHES), kind)[::-1]
        numbers, latest = np.unique(found["number"], return_index=True)
        sketches = found["sketch"][latest]
        kept = sketches != b""
        table = sketches[kept].view(np.uint8)
        return numbers[kept].astype(np.uint64), table.reshape(-1, SKETCH_BYTES)

    def refused(self) -> dict[int, str]:
        """Write buffered rows. Return the pages with rejected rows since the last call, and the reasons."""
        self._write_waiting()
        refused, self._refused = self._refused, {}
        return refused

    def commit(self) -> None:
        """Commit all writes since the last commit. Call `refused` before."""
        self._write_waiting()
        if self._refused:
            raise RuntimeError(f"call refused() before commit(): SQLite rejected rows: {self._refused}")
        super().commit()

    def _write_waiting(self) -> None:
        if not self._answers and not self._sketches:
            return
        answers = sorted(self._answers.items())  # in the order of the table, which is faster
        history, sketches = self._history, self._sketches
        self._answers, self._history, self._sketches = {}, [], []
        self._write_answers(answers)
        self._write_rows(HISTORY, history, key=0)
        self._write_rows(_SKETCHED, sketches, key=0)

    def _write_rows(self, sql: str, rows: Sequence[Row], key: int) -> None:
        """Write all rows that SQLite accepts; note the others. `key` is the column of the fingerprint."""
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
                    raise  # no row was read, so the statement itself is wrong
                self._refused[from_signed(rows[behind - 1][key])] = internal_error(error)
                begin = behind

    def _write_answers(self, answers: Iterable[tuple[int, _Answer]]) -> None:
        rows: dict[str, list[Row]] = {sql: [] for sql in (_SET_ALL, _SET_FETCHED, _SET_JUDGED, _SET_VISITED)}
        for key, answer in answers:
            if answer.judged is not None and answer.visited is not None:
                rows[_SET_ALL].append((*answer.fetched, *answer.judged, *answer.visited, key))
                continue
            rows[_SET_FETCHED].append((*answer.fetched, answer.digest, key))
            if answer.judged is not None:
                rows[_SET_JUDGED].append((*answer.judged, key))
            if answer.visited is not None:
                rows[_SET_VISITED].append((*answer.visited, key))
        for sql, own in rows.items():
            self._write_rows(sql, own, key=-1)


def _signed(fingerprint: int | None) -> int | None:
    return None if fingerprint is None else to_signed(fingerprint)


_COLUMNS = (
    "url, authority, state, depth, priority, redirects, attempts, not_before, status, reason, first_seen,"
    " fetched_at, media_type, etag, last_modified, digest, verdict, verdict_reason, duplicate_of,"
    " redirect_to, warc_file, warc_offset, warc_length"
)
_ADD = (
    "INSERT OR IGNORE INTO urls (fingerprint, url, authority, depth, priority, state, redirects, attempts,"
    " first_seen, etag, last_modified) VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?)"
)
_KEPT = "state = 'fetched' AND verdict = 'keep'"
_NEVER_FETCHED = "state = 'queued' AND verdict IS NULL"
MANY = 100_000  # rows that are converted to arrays at a time

# Fingerprints of 2^63 and more are stored as negative numbers, so ascending order takes two passes.
_RISING = ("fingerprint >= 0 ORDER BY fingerprint", "fingerprint < 0 ORDER BY fingerprint")


class WaitingColumns(NamedTuple):
    """URLs to be fetched, as columns."""

    fingerprints: NDArray[np.uint64]
    not_before: NDArray[np.float64]
    rows: list[Row]
    path: Path  # of the catalogue

    def request(self, place: int) -> CrawlRequest:
        """Return the request for the URL at a position in the columns."""
        text, *rest = self.rows[place]
        try:
            url = Url.parsed(text)
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise DamagedFile(self.path, f"a row has an invalid value ({error})", LOST) from error
        if url.fingerprint != int(self.fingerprints[place]):
            raise DamagedFile(self.path, f"{url} has the fingerprint of another URL", LOST)
        return CrawlRequest(url, *rest)


class UrlTable(Database):
    """The table `urls`."""

    def add_urls(
        self, requests: Sequence[CrawlRequest], now: float, priorities: Sequence[float] | None = None
    ) -> None:
        """Queue the URLs that are not known yet. `priorities` replace those of the requests."""
        priorities = priorities or [request.priority for request in requests]
        rows = [_added(*pair, now) for pair in zip(requests, priorities, strict=True)]
        rows.sort()  # in the order of the table, which is faster
        self._write_many(_ADD, rows)

    def postpone(self, fingerprint: int, not_before: float, attempts: int, reason: str) -> None:
        """Queue a URL for a retry after `not_before`."""
        changes = "state = 'queued', not_before = ?, attempts = ?, reason = ?"
        self._update_url(fingerprint, changes, not_before, attempts, writable(reason))

    def hasten(self, authority: str) -> None:
        """Make the queued URLs of an authority that wait for a retry due at once."""
        self._write(
            "UPDATE urls SET not_before = 0 WHERE authority = ? AND state = 'queued' AND not_before > 0",
            (authority,),
        )

    def give_up_host(self, authority: str, reason: str) -> list[int]:
        """Mark all queued URLs of an authority as failed; return their fingerprints."""
        where = "authority = ? AND state = 'queued'"
        rows = list(self._rows(f"SELECT fingerprint FROM urls WHERE {where}", (authority,)))
        self._write(f"UPDATE urls SET state = 'failed', reason = ? WHERE {where}", (reason, authority))
        return [from_signed(row[0]) for row in rows]

    def give_up(self, fingerprint: int, reason: str) -> None:
        """Mark a URL as failed, and delete its verdict."""
        self._update_url(fingerprint, f"state = 'failed', reason = ?, {_NO_VERDICT}", reason)

    def refuse(self, fingerprint: int, reason: str) -> None:
        """Mark a URL as one that must not be requested."""
        self._update_url(fingerprint, "state = 'refused', reason = ?", writable(reason))

    def explain(self, fingerprint: int, reason: str) -> None:
        """Set the reason of a URL; its state does not change."""
        self._update_url(fingerprint, "reason = ?", writable(reason))

    def lose(self, fingerprint: int, reason: str) -> None:
        """Queue a URL again whose stored response is damaged."""
        changes = (
            "state = 'queued', not_before = 0, attempts = 0, reason = ?, verdict = NULL,"
            " etag = '', last_modified = '', digest = NULL,"
            " warc_file = NULL, warc_offset = NULL, warc_length = NULL"
        )
        self._update_url(fingerprint, changes, reason)

    def demote(self, fingerprint: int, verdict: Verdict) -> None:
        """Change the verdict on a kept page: it is now a duplicate of another one."""
        values = (verdict.judgement.value, verdict.reason, to_signed(verdict.duplicate_of))
        self._update_url(fingerprint, "verdict = ?, verdict_reason = ?, duplicate_of = ?", *values)

    def reinstate_copies(self, original: int) -> None:
        """Keep the duplicates of a page that is no longer kept."""
        sql = (
            "UPDATE urls SET verdict = 'keep', verdict_reason = '', duplicate_of = NULL"
            " WHERE duplicate_of = ? AND verdict = 'duplicate' AND state = 'fetched'"
        )
        self._write(sql, (to_signed(original),))

    def url(self, fingerprint: int) -> UrlRow | None:
        """Return the row of a URL, or None."""
        row = self._one(f"SELECT {_COLUMNS} FROM urls WHERE fingerprint = ?", (to_signed(fingerprint),))
        return next(self._made(_url_row, [row])) if row else None

    def seed_hosts(self) -> set[str]:
        """Return the hosts of all seeds, and of the URLs to which seeds redirect."""
        rows = self._rows("SELECT url FROM urls WHERE depth = 0")
        return set(self._made(lambda row: Url.parsed(row[0]).host, rows))

    def host_depth(self, authority: str) -> int | None:
        """Return the smallest depth of an authority's URLs: its distance from the seeds."""
        sql = "SELECT min(depth) FROM urls WHERE authority = ?"
        return cast("int | None", self._value(sql, (authority,)))

    def urls_of(self, authority: str) -> int:
        """Count the known URLs of an authority."""
        return int(self._value("SELECT count(*) FROM urls WHERE authority = ?", (authority,)))

    def claimants(self, target: int) -> Iterator[UrlRow]:
        """Yield the kept pages that name this URL as their canonical URL."""
        sql = f"SELECT {_COLUMNS} FROM urls WHERE redirect_to = ? AND {_KEPT}"
        return self._made(_url_row, self._rows(sql, (to_signed(target),)))

    def digest_owner(self, digest: bytes) -> int | None:
        """Return the fingerprint of the kept page with this digest, or None."""
        row = self._one(f"SELECT fingerprint FROM urls WHERE digest = ? AND {_KEPT} LIMIT 1", (digest,))
        return from_signed(row[0]) if row else None

    def contents(self) -> NDArray[np.uint64]:
        """Return the first 8 bytes of every digest, including those of pages that are not kept."""
        # Earlier versions stored empty digests for unreadable documents.
        wanted = "digest IS NOT NULL AND length(digest) >= 8"
        rows = self._rows(f"SELECT substr(digest, 1, 8) FROM urls WHERE {wanted}")
        return np.frombuffer(b"".join(row[0] for row in rows), "<u8")

    def targets(self) -> NDArray[np.uint64]:
        """Return the fingerprints of all targets of redirects and all canonical URLs."""
        rows = self._rows("SELECT DISTINCT redirect_to FROM urls WHERE redirect_to IS NOT NULL")
        return np.fromiter((row[0] for row in rows), np.int64).astype(np.uint64)

    def waiting_hosts(self) -> Iterator[tuple[str, int]]:
        """Yield every authority with queued URLs, and their number."""
        rows = self._rows("SELECT authority, count(*) FROM urls WHERE state = 'queued' GROUP BY authority")
        return ((str(authority), int(count)) for authority, count in rows)

    def waiting(self, authority: str, limit: int) -> NDArray[np.uint64]:
        """Return the fingerprints of an authority's first queued URLs, by priority and time of discovery.

        Only the index is read, not the rows, which are scattered over the table.
        """
        sql = (
            "SELECT fingerprint FROM urls WHERE authority = ? AND state = 'queued'"
            " ORDER BY priority DESC, first_seen LIMIT ?"
        )
        rows = self._rows(sql, (authority, limit))
        return np.fromiter((row[0] for row in rows), np.int64).astype(np.uint64)

    def requests(self, fingerprints: NDArray[np.uint64]) -> WaitingColumns:
        """Return what is needed to fetch URLs, in the order of `fingerprints`. Unknown ones are skipped."""
        numbers = fingerprints.astype(np.int64).tolist()
        sql = (
            "SELECT fingerprint, not_before, url, depth, priority, redirects, attempts, etag, last_modified"
            f" FROM urls WHERE fingerprint IN ({', '.join('?' * len(numbers))})"
        )
        found = {row[0]: row for row in self._rows(sql, tuple(numbers))}
        rows = tuple(found[number] for number in numbers if number in found)
        return next(self._made(self._waiting, [rows]))

    def _waiting(self, rows: tuple[Row, ...]) -> WaitingColumns:
        return WaitingColumns(
            np.array([row[0] for row in rows], np.int64).astype(np.uint64),
            np.array([row[1] for row in rows], np.float64),
            [row[2:] for row in rows],
            self._path,
        )

    def known(self) -> Iterator[SeenEntries]:
        """Yield all known URLs with state (WAITING or DONE) and priority, piece by piece."""
        rows = self._rows(f"SELECT fingerprint, iif(state = 'queued', {WAITING}, {DONE}), priority FROM urls")
        return self._made(_known, iter(lambda: tuple(islice(rows, MANY)), ()))

    def urls_with_hosts(self) -> Iterator[tuple[NDArray[np.uint64], list[str], NDArray[np.float64]]]:
        """Yield fingerprint, authority and time of discovery of all known URLs, piece by piece."""
        rows = self._rows("SELECT fingerprint, authority, first_seen FROM urls")
        return self._made(_with_hosts, iter(lambda: tuple(islice(rows, MANY)), ()))

    def never_fetched(self) -> Iterator[tuple[int, str, int]]:
        """Yield fingerprint, URL and depth of every queued URL that was never fetched."""
        rows = self._rows(f"SELECT fingerprint, url, depth FROM urls WHERE {_NEVER_FETCHED}")
        return self._made(lambda row: (from_signed(row[0]), *row[1:]), rows)

    def addresses_never_fetched(self, fingerprints: Sequence[int]) -> dict[int, str]:
        """Return those of these URLs that are queued and were never fetched, by fingerprint."""
        numbers = tuple(map(to_signed, fingerprints))
        asked = ", ".join("?" * len(numbers))
        sql = f"SELECT fingerprint, url FROM urls WHERE fingerprint IN ({asked}) AND {_NEVER_FETCHED}"
        return {from_signed(number): url for number, url in self._rows(sql, numbers)}

    def fetched(self) -> Iterator[UrlRow]:
        """Yield every URL that has a response in the page store."""
        return self._made(_url_row, self._rows(f"SELECT {_COLUMNS} FROM urls WHERE warc_file IS NOT NULL"))

    def kept_versions(self) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Return ascending fingerprints and fetch times of the pages that belong in the index."""
        kind = np.dtype([("fingerprint", np.int64), ("fetched_at", np.float64)])
        sql = f"SELECT fingerprint, fetched_at FROM urls WHERE {_KEPT} AND "
        found = np.fromiter(chain.from_iterable(self._rows(sql + part) for part in _RISING), kind)
        return found["fingerprint"].astype(np.uint64), found["fetched_at"].copy()

    def aliases(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Return pairs of an alias and its target: redirects, and duplicates with their originals."""
        sql = (
            "SELECT fingerprint, redirect_to FROM urls WHERE state = 'redirect' AND redirect_to IS NOT NULL"
            " UNION ALL SELECT fingerprint, duplicate_of FROM urls WHERE state = 'fetched'"
            " AND verdict = 'duplicate' AND duplicate_of IS NOT NULL"
        )
        found = np.fromiter(self._rows(sql), np.dtype([("source", np.int64), ("target", np.int64)]))
        return found["source"].astype(np.uint64), found["target"].astype(np.uint64)


def _added(request: CrawlRequest, priority: float, now: float) -> Row:
    url = request.url
    place = (to_signed(url.fingerprint), url.text, url.authority, request.depth, priority)
    return (*place, request.redirects, request.attempts, now, request.etag, request.last_modified)


def _known(rows: tuple[Row, ...]) -> SeenEntries:
    fingerprints, states, priorities = zip(*rows, strict=True)
    return SeenEntries(
        np.array(fingerprints, np.int64).astype(np.uint64),
        np.array(states, np.uint8),
        np.array(priorities, np.float32),
    )


def _with_hosts(rows: tuple[Row, ...]) -> tuple[NDArray[np.uint64], list[str], NDArray[np.float64]]:
    fingerprints, authorities, seen = zip(*rows, strict=True)
    return np.array(fingerprints, np.int64).astype(np.uint64), list(authorities), np.array(seen, np.float64)


def _url_row(row: Row) -> UrlRow:
    text, _, state = row[:3]
    verdict, reason, duplicate_of, redirect_to, file, offset, length = row[16:]
    fields = (
        Url.parsed(text),
        UrlState(state),
        *row[3:16],
        _verdict(verdict, reason, duplicate_of),
        _unsigned(redirect_to),
        None if file is None else WarcAddress(file, offset, length),
    )
    return UrlRow(*fields)


def _verdict(judgement: str | None, reason: str, duplicate_of: Any) -> Verdict | None:
    if judgement is None:
        return None
    return Verdict(Judgement(judgement), reason, _unsigned(duplicate_of) or 0)
