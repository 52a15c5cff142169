"""Which URLs are known, and where does each stand?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.model import (
    CrawlRequest,
    DamagedFile,
    Judgement,
    Url,
    UrlState,
    Verdict,
    from_signed,
    to_signed,
)
from gossamer.store.database import LOST, Database, Row
from gossamer.store.revisits import writable
from gossamer.store.rows import UrlRow
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
_KEPT = "state = 'fetched' AND verdict = 'keep'"
_NEVER_FETCHED = "state = 'queued' AND verdict IS NULL"
MANY = 100_000  # rows that become arrays at a time
# fingerprints of 2^63 and more are stored as negative numbers: two passes give the rising order of all
_RISING = ("fingerprint >= 0 ORDER BY fingerprint", "fingerprint < 0 ORDER BY fingerprint")


class Waiting(NamedTuple):
    """URLs to be fetched, as columns; `request(i)` makes one of them whole."""

    fingerprints: NDArray[np.uint64]
    not_before: NDArray[np.float64]
    rows: list[Row]
    path: Path  # where all this stands

    def request(self, place: int) -> CrawlRequest:
        text, *rest = self.rows[place]
        try:
            url = Url.parsed(text)
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise DamagedFile(self.path, f"a row makes no sense ({error})", LOST) from error
        if url.fingerprint != int(self.fingerprints[place]):
            raise DamagedFile(self.path, f"{url} has the fingerprint of another URL", LOST)
        return CrawlRequest(url, *rest)


class Known(NamedTuple):
    """Known URLs as columns."""

    fingerprints: NDArray[np.uint64]
    waits: NDArray[np.bool_]  # to be fetched
    priorities: NDArray[np.float32]


class UrlTable(Database):
    """The table `urls`."""

    def add_urls(
        self, requests: Sequence[CrawlRequest], now: float, priorities: Sequence[float] | None = None
    ) -> None:
        """Queues the URLs that are not known yet; `priorities` count instead of their own."""
        worth = priorities or [request.priority for request in requests]
        rows = [_added(*pair, now) for pair in zip(requests, worth, strict=True)]
        rows.sort()  # as the table is: neighbours are written together
        self._write_many(_ADD, rows)

    def postpone(self, fingerprint: int, not_before: float, attempts: int, reason: str) -> None:
        """Leaves a URL queued for another try."""
        sql = (
            "UPDATE urls SET state = 'queued', not_before = ?, attempts = ?, reason = ? WHERE fingerprint = ?"
        )
        self._write(sql, (not_before, attempts, writable(reason), to_signed(fingerprint)))

    def hasten(self, authority: str) -> None:
        """Lets the URLs of an authority that wait for a later try come at once."""
        self._write(
            "UPDATE urls SET not_before = 0 WHERE authority = ? AND state = 'queued' AND not_before > 0",
            (authority,),
        )

    def give_up_host(self, authority: str, reason: str) -> list[int]:
        """Gives up all URLs of an authority that wait; returns their fingerprints."""
        where = "authority = ? AND state = 'queued'"
        rows = list(self._rows(f"SELECT fingerprint FROM urls WHERE {where}", (authority,)))
        self._write(f"UPDATE urls SET state = 'failed', reason = ? WHERE {where}", (reason, authority))
        return [from_signed(row[0]) for row in rows]

    def give_up(self, fingerprint: int, reason: str) -> None:
        """Gives up one URL, and takes back what quality thought of it."""
        sql = (
            "UPDATE urls SET state = 'failed', reason = ?, verdict = NULL, verdict_reason = '',"
            " duplicate_of = NULL WHERE fingerprint = ?"
        )
        self._write(sql, (reason, to_signed(fingerprint)))

    def refuse(self, fingerprint: int, reason: str) -> None:
        """Says that a URL must not be asked for."""
        sql = "UPDATE urls SET state = 'refused', reason = ? WHERE fingerprint = ?"
        self._write(sql, (writable(reason), to_signed(fingerprint)))

    def explain(self, fingerprint: int, reason: str) -> None:
        """Says what is special about a URL."""
        sql = "UPDATE urls SET reason = ? WHERE fingerprint = ?"
        self._write(sql, (writable(reason), to_signed(fingerprint)))

    def lose(self, fingerprint: int, reason: str) -> None:
        """Queues a URL again whose stored answer cannot be read any more."""
        sql = (
            "UPDATE urls SET state = 'queued', not_before = 0, attempts = 0, reason = ?, verdict = NULL,"
            " etag = '', last_modified = '', digest = NULL,"
            " warc_file = NULL, warc_offset = NULL, warc_length = NULL WHERE fingerprint = ?"
        )
        self._write(sql, (reason, to_signed(fingerprint)))

    def demote(self, fingerprint: int, verdict: Verdict) -> None:
        """Takes a page that was kept back: another one stands for it now."""
        sql = "UPDATE urls SET verdict = ?, verdict_reason = ?, duplicate_of = ? WHERE fingerprint = ?"
        values = (verdict.judgement.value, verdict.reason, to_signed(verdict.duplicate_of))
        self._write(sql, (*values, to_signed(fingerprint)))

    def reinstate_copies(self, original: int) -> None:
        """Keeps the pages again for which another stood that has come to nothing."""
        sql = (
            "UPDATE urls SET verdict = 'keep', verdict_reason = '', duplicate_of = NULL"
            " WHERE duplicate_of = ? AND verdict = 'duplicate' AND state = 'fetched'"
        )
        self._write(sql, (to_signed(original),))

    def url(self, fingerprint: int) -> UrlRow | None:
        """All that is known of a URL."""
        row = self._one(f"SELECT {_COLUMNS} FROM urls WHERE fingerprint = ?", (to_signed(fingerprint),))
        return next(self._made(_url_row, [row])) if row else None

    def seed_hosts(self) -> set[str]:
        """The hosts that crawls began at, with those that seeds were redirected to."""
        rows = self._rows("SELECT url FROM urls WHERE depth = 0")
        return set(self._made(lambda row: Url.parsed(row[0]).host, rows))

    def host_depth(self, authority: str) -> int | None:
        """How far from the seeds an authority begins: the least depth of its URLs."""
        row = self._one("SELECT min(depth) FROM urls WHERE authority = ?", (authority,))
        return row[0] if row else None

    def urls_of(self, authority: str) -> int:
        """How many URLs of an authority are known."""
        row = self._one("SELECT count(*) FROM urls WHERE authority = ?", (authority,))
        return int(row[0]) if row else 0

    def claimants(self, target: int) -> Iterator[UrlRow]:
        """The kept pages that name this URL as their canonical address."""
        sql = f"SELECT {_COLUMNS} FROM urls WHERE redirect_to = ? AND {_KEPT}"
        return self._made(_url_row, self._rows(sql, (to_signed(target),)))

    def digest_owner(self, digest: bytes) -> int | None:
        """The page that is kept with this content."""
        row = self._one(f"SELECT fingerprint FROM urls WHERE digest = ? AND {_KEPT} LIMIT 1", (digest,))
        return from_signed(row[0]) if row else None

    def contents(self) -> NDArray[np.uint64]:
        """The first 8 bytes of every digest, those of pages that are not kept among them."""
        # Earlier versions wrote empty ones of documents that could not be read.
        wanted = "digest IS NOT NULL AND length(digest) >= 8"
        rows = self._rows(f"SELECT substr(digest, 1, 8) FROM urls WHERE {wanted}")
        return np.frombuffer(b"".join(row[0] for row in rows), "<u8")

    def targets(self) -> NDArray[np.uint64]:
        """The fingerprints of all that redirects lead to, or that pages name as their canonical address."""
        rows = self._rows("SELECT DISTINCT redirect_to FROM urls WHERE redirect_to IS NOT NULL")
        return np.fromiter((row[0] for row in rows), np.int64).astype(np.uint64)

    def waiting_hosts(self) -> Iterator[tuple[str, int]]:
        """Every authority with URLs to be fetched, and how many."""
        rows = self._rows("SELECT authority, count(*) FROM urls WHERE state = 'queued' GROUP BY authority")
        return ((str(authority), int(count)) for authority, count in rows)

    def waiting(self, authority: str, limit: int) -> NDArray[np.uint64]:
        """The first URLs of an authority that are to be fetched: high priority first, then first seen.

        Their fingerprints: the index has them, and the rows themselves, far from each other, are not read.
        """
        sql = (
            "SELECT fingerprint FROM urls WHERE authority = ? AND state = 'queued'"
            " ORDER BY priority DESC, first_seen LIMIT ?"
        )
        rows = self._rows(sql, (authority, limit))
        return np.fromiter((row[0] for row in rows), np.int64).astype(np.uint64)

    def requests(self, fingerprints: NDArray[np.uint64]) -> Waiting:
        """What is to be known of URLs before they are fetched, in this order."""
        numbers = fingerprints.astype(np.int64).tolist()
        sql = (
            "SELECT fingerprint, not_before, url, depth, priority, redirects, attempts, etag, last_modified"
            f" FROM urls WHERE fingerprint IN ({', '.join('?' * len(numbers))})"
        )
        found = {row[0]: row for row in self._rows(sql, tuple(numbers))}
        rows = tuple(found[number] for number in numbers if number in found)
        return next(self._made(self._waiting, [rows]))

    def _waiting(self, rows: tuple[Row, ...]) -> Waiting:
        return Waiting(
            np.array([row[0] for row in rows], np.int64).astype(np.uint64),
            np.array([row[1] for row in rows], np.float64),
            [row[2:] for row in rows],
            self._path,
        )

    def known(self) -> Iterator[Known]:
        """Every known URL, piece by piece."""
        rows = self._rows("SELECT fingerprint, state = 'queued', priority FROM urls")
        return self._made(_known, iter(lambda: tuple(islice(rows, MANY)), ()))

    def urls_with_hosts(self) -> Iterator[tuple[NDArray[np.uint64], list[str], NDArray[np.float64]]]:
        """Fingerprint, authority and time of discovery of every known URL, piece by piece."""
        rows = self._rows("SELECT fingerprint, authority, first_seen FROM urls")
        return self._made(_with_hosts, iter(lambda: tuple(islice(rows, MANY)), ()))

    def never_fetched(self) -> Iterator[tuple[int, str, int]]:
        """Fingerprint, address and depth of every URL that waits and was never fetched."""
        rows = self._rows(f"SELECT fingerprint, url, depth FROM urls WHERE {_NEVER_FETCHED}")
        return self._made(lambda row: (from_signed(row[0]), *row[1:]), rows)

    def addresses_never_fetched(self, fingerprints: Sequence[int]) -> dict[int, str]:
        """Of these URLs the addresses of those that wait and were never fetched."""
        numbers = tuple(map(to_signed, fingerprints))
        asked = ", ".join("?" * len(numbers))
        sql = f"SELECT fingerprint, url FROM urls WHERE fingerprint IN ({asked}) AND {_NEVER_FETCHED}"
        return {from_signed(number): url for number, url in self._rows(sql, numbers)}

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

    def redirects(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """URLs that stand for another one: redirects, duplicates, pages that name a canonical address."""
        sql = (
            "SELECT fingerprint, redirect_to FROM urls WHERE state = 'redirect' AND redirect_to IS NOT NULL"
            " UNION ALL SELECT fingerprint, duplicate_of FROM urls WHERE state = 'fetched'"
            " AND verdict = 'duplicate' AND duplicate_of IS NOT NULL"
        )
        found = np.fromiter(self._rows(sql), np.dtype([("source", np.int64), ("target", np.int64)]))
        return found["source"].astype(np.uint64), found["target"].astype(np.uint64)

    def _rising_kept(self, columns: str) -> Iterator[Row]:
        parts = (self._rows(f"SELECT {columns} FROM urls WHERE {_KEPT} AND {part}") for part in _RISING)
        return chain.from_iterable(parts)


def _unsigned(stored: int | None) -> int | None:
    return None if stored is None else from_signed(stored)


def _added(request: CrawlRequest, priority: float, now: float) -> Row:
    url = request.url
    place = (to_signed(url.fingerprint), url.text, url.authority, request.depth, priority)
    return (*place, request.redirects, request.attempts, now, request.etag, request.last_modified)


def _known(rows: tuple[Row, ...]) -> Known:
    fingerprints, waits, priorities = zip(*rows, strict=True)
    return Known(
        np.array(fingerprints, np.int64).astype(np.uint64),
        np.array(waits, np.bool_),
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
