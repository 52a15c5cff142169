"""Which URLs are known, and where does each stand?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.model import CrawlRequest, Judgement, UrlState, Verdict, from_signed, to_signed
from gossamer.store.database import Database, Row
from gossamer.store.rows import FetchRow, UrlRow, stored_url
from gossamer.store.warc import WarcAddress

_COLUMNS = (
    "url, authority, state, depth, priority, redirects, attempts, not_before, status, reason, first_seen,"
    " fetched_at, media_type, etag, last_modified, digest, verdict, verdict_reason, duplicate_of,"
    " redirect_to, warc_file, warc_offset, warc_length"
)
_ADD = (
    "INSERT OR IGNORE INTO urls (fingerprint, url, authority, depth, priority, state, redirects, attempts,"
    " first_seen, etag, last_modified) VALUES (?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?)"
)
_RECORD = (
    "UPDATE urls SET fetched_at = ?, state = ?, status = ?, reason = ?, attempts = ?, not_before = 0,"
    " media_type = coalesce(nullif(?, ''), media_type), etag = ?, last_modified = ?, redirect_to = ?,"
    " digest = coalesce(?, digest), warc_file = coalesce(?, warc_file),"
    " warc_offset = coalesce(?, warc_offset), warc_length = coalesce(?, warc_length) WHERE fingerprint = ?"
)
_HISTORY = (
    "INSERT INTO fetches (fingerprint, fetched_at, status, failure, digest, bytes, elapsed,"
    " warc_file, warc_offset, warc_length) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_KEPT = "state = 'fetched' AND verdict = 'keep'"
# fingerprints of 2^63 and more are stored as negative numbers: two passes give the rising order of all
_RISING = ("fingerprint >= 0 ORDER BY fingerprint", "fingerprint < 0 ORDER BY fingerprint")


class UrlTable(Database):
    """The tables `urls` and `fetches`."""

    def add_urls(self, requests: Iterable[CrawlRequest], now: float) -> None:
        """Queues the URLs that are not known yet."""
        self._write_many(_ADD, (_added(request, now) for request in requests))

    def record_fetch(self, fetch: FetchRow) -> None:
        """Writes what came of a fetch: the URL's new state, and a line of history."""
        address = fetch.address
        place = (address.file, address.offset, address.length) if address else (None, None, None)
        key = to_signed(fetch.fingerprint)
        failure = fetch.failure.value if fetch.failure else ""
        self._write(
            _RECORD,
            (
                fetch.fetched_at,
                fetch.state.value,
                fetch.status,
                fetch.reason or failure,
                fetch.attempts,
                fetch.media_type,
                fetch.etag,
                fetch.last_modified,
                _signed(fetch.redirect_to),
                fetch.digest,
                *place,
                key,
            ),
        )
        size = (fetch.digest, fetch.size, fetch.elapsed)
        self._write(_HISTORY, (key, fetch.fetched_at, fetch.status, failure, *size, *place))

    def postpone(self, fingerprint: int, not_before: float, attempts: int, reason: str) -> None:
        """Leaves a URL queued for another try."""
        sql = (
            "UPDATE urls SET state = 'queued', not_before = ?, attempts = ?, reason = ? WHERE fingerprint = ?"
        )
        self._write(sql, (not_before, attempts, reason, to_signed(fingerprint)))

    def refuse(self, fingerprint: int, reason: str) -> None:
        """Says that a URL must not be asked for."""
        sql = "UPDATE urls SET state = 'refused', reason = ? WHERE fingerprint = ?"
        self._write(sql, (reason, to_signed(fingerprint)))

    def lose(self, fingerprint: int, reason: str) -> None:
        """Queues a URL again whose stored answer cannot be read any more."""
        sql = (
            "UPDATE urls SET state = 'queued', not_before = 0, attempts = 0, reason = ?, verdict = NULL,"
            " etag = '', last_modified = '', digest = NULL,"
            " warc_file = NULL, warc_offset = NULL, warc_length = NULL WHERE fingerprint = ?"
        )
        self._write(sql, (reason, to_signed(fingerprint)))

    def set_verdict(self, fingerprint: int, verdict: Verdict, digest: bytes) -> None:
        """Writes what quality thinks of a page, and the digest of its content."""
        sql = (
            "UPDATE urls SET verdict = ?, verdict_reason = ?, duplicate_of = ?, digest = ?"
            " WHERE fingerprint = ?"
        )
        duplicate_of = to_signed(verdict.duplicate_of) if verdict.duplicate_of else None
        key = to_signed(fingerprint)
        self._write(sql, (verdict.judgement.value, verdict.reason, duplicate_of, digest, key))

    def demote(self, fingerprint: int, verdict: Verdict) -> None:
        """Takes a page that was kept back: another one stands for it now."""
        sql = "UPDATE urls SET verdict = ?, verdict_reason = ?, duplicate_of = ? WHERE fingerprint = ?"
        values = (verdict.judgement.value, verdict.reason, to_signed(verdict.duplicate_of))
        self._write(sql, (*values, to_signed(fingerprint)))

    def url(self, fingerprint: int) -> UrlRow | None:
        """All that is known of a URL."""
        row = self._one(f"SELECT {_COLUMNS} FROM urls WHERE fingerprint = ?", (to_signed(fingerprint),))
        return next(self._made(_url_row, [row])) if row else None

    def seed_hosts(self) -> set[str]:
        """The hosts that crawls began at, with those that seeds were redirected to."""
        rows = self._rows("SELECT DISTINCT url, authority FROM urls WHERE depth = 0")
        return set(self._made(lambda row: stored_url(*row).host, rows))

    def host_depth(self, authority: str) -> int | None:
        """How far from the seeds an authority begins: the least depth of its URLs."""
        row = self._one("SELECT min(depth) FROM urls WHERE authority = ?", (authority,))
        return row[0] if row else None

    def claimants(self, target: int) -> Iterator[UrlRow]:
        """The kept pages that name this URL as their canonical address."""
        sql = f"SELECT {_COLUMNS} FROM urls WHERE redirect_to = ? AND {_KEPT}"
        return self._made(_url_row, self._rows(sql, (to_signed(target),)))

    def digest_owner(self, digest: bytes) -> int | None:
        """The page that is kept with this content."""
        row = self._one(f"SELECT fingerprint FROM urls WHERE digest = ? AND {_KEPT} LIMIT 1", (digest,))
        return from_signed(row[0]) if row else None

    def queued(self) -> Iterator[tuple[CrawlRequest, float]]:
        """What waits to be fetched, first seen first, with the time before which it must not be tried."""
        sql = (
            "SELECT url, authority, depth, priority, redirects, attempts, etag, last_modified, not_before"
            " FROM urls WHERE state = 'queued' ORDER BY first_seen"
        )
        return self._made(_waiting, self._rows(sql))

    def fingerprints(self) -> NDArray[np.uint64]:
        """Every known URL."""
        rows = (row[0] for row in self._rows("SELECT fingerprint FROM urls"))
        return np.fromiter(rows, np.int64).astype(np.uint64)

    def fetched(self) -> Iterator[UrlRow]:
        """Every URL of which an answer is in the page store."""
        return self._made(_url_row, self._rows(f"SELECT {_COLUMNS} FROM urls WHERE warc_file IS NOT NULL"))

    def kept(self) -> Iterator[UrlRow]:
        """The pages that belong in the index, by rising fingerprint."""
        return self._made(_url_row, self._rising_kept(_COLUMNS))

    def kept_versions(self) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """The same pages as arrays: fingerprints, and when each was fetched."""
        kind = np.dtype([("fingerprint", np.int64), ("fetched_at", np.float64)])
        found = np.fromiter(self._rising_kept("fingerprint, fetched_at"), kind)
        return found["fingerprint"].astype(np.uint64), found["fetched_at"].copy()

    def redirects(self) -> Iterator[tuple[int, int]]:
        """URLs that stand for another one: redirects, duplicates, pages that name a canonical address."""
        sql = (
            "SELECT fingerprint, redirect_to FROM urls WHERE state = 'redirect' AND redirect_to IS NOT NULL"
            " UNION ALL SELECT fingerprint, duplicate_of FROM urls WHERE state = 'fetched'"
            " AND verdict = 'duplicate' AND duplicate_of IS NOT NULL"
        )
        for source, target in self._rows(sql):
            yield from_signed(source), from_signed(target)

    def _rising_kept(self, columns: str) -> Iterator[Row]:
        parts = (self._rows(f"SELECT {columns} FROM urls WHERE {_KEPT} AND {part}") for part in _RISING)
        return chain.from_iterable(parts)


def _signed(fingerprint: int | None) -> int | None:
    return None if fingerprint is None else to_signed(fingerprint)


def _unsigned(stored: int | None) -> int | None:
    return None if stored is None else from_signed(stored)


def _added(request: CrawlRequest, now: float) -> Row:
    url = request.url
    place = (to_signed(url.fingerprint), url.text, url.authority, request.depth, request.priority)
    return (*place, request.redirects, request.attempts, now, request.etag, request.last_modified)


def _waiting(row: Row) -> tuple[CrawlRequest, float]:
    text, authority, *rest, not_before = row
    return CrawlRequest(stored_url(text, authority), *rest), float(not_before)


def _url_row(row: Row) -> UrlRow:
    text, authority, state = row[:3]
    verdict, reason, duplicate_of, redirect_to, file, offset, length = row[16:]
    fields = (
        stored_url(text, authority),
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
