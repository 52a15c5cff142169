"""Which pages are to be asked for again, when, and what did earlier visits tell?

A page has a date, `next_visit`, from its first answer on. Dates are read host by host, as the queue is: one
host with a million pages must not stand before all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.model import CrawlRequest, Judgement, Url, UrlState, Verdict, from_signed, to_signed
from gossamer.store.database import Database, Row
from gossamer.store.warc import WarcAddress

VISITS = "checked_at, changes, seconds, standing, misses, missing_since, importance, lastmod, next_visit"
HISTORY = (
    "INSERT INTO fetches (fingerprint, fetched_at, status, failure, digest, bytes, elapsed,"
    " warc_file, warc_offset, warc_length) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
# Answers without a body often leave these headers out: then the old ones hold.
_CONFIRM = (
    "UPDATE urls SET reason = CASE reason WHEN 'truncated' THEN reason ELSE '' END,"
    " etag = coalesce(nullif(?, ''), etag), last_modified = coalesce(nullif(?, ''), last_modified)"
    " WHERE fingerprint = ?"
)
_DUE = (
    "SELECT url, depth, priority, redirects, etag, last_modified, state, digest, verdict, verdict_reason,"
    f" duplicate_of, redirect_to, reason, first_seen, {VISITS} FROM urls"
    " WHERE authority = ? AND next_visit IS NOT NULL"
)
# The next authority in the order of the index, again and again: as many look-ups as there are hosts, however
# many pages they have.
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
class Visits:
    """What earlier visits to a URL told; see `gossamer.frontier.freshness.change_rate` and `gone`."""

    checked_at: float | None = None  # when its content was last seen, changed or not
    changes: float = 0.0
    seconds: float = 0.0
    standing: str = "keep"
    misses: int = 0
    missing_since: float = 0.0
    importance: float = 0.0
    lastmod: float | None = None  # a later change that a sitemap or feed names
    next_visit: float | None = None


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A URL that is asked for again, as the catalogue knows it."""

    request: CrawlRequest
    state: UrlState
    digest: bytes | None
    verdict: Verdict | None
    redirect_to: int | None
    reason: str  # of the latest trouble
    first_seen: float
    visits: Visits

    @property
    def is_kept(self) -> bool:
        return self.state is UrlState.FETCHED and self.verdict is not None and self.verdict.keep


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A visit that changed nothing: a line of history."""

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
    """What is known of the pages that have a date, as columns; `hosts` are numbers in `authorities`."""

    authorities: list[str]
    hosts: NDArray[np.intp]
    changes: NDArray[np.float64]
    seconds: NDArray[np.float64]
    importances: NDArray[np.float64]


class RevisitTable(Database):
    """The columns of the table `urls` that say when a page is asked for again."""

    def confirm(self, check: CheckRow) -> None:
        """The page is as it was: only history, and what to ask with next time, are written."""
        self.note_check(check)
        headers = (writable(check.etag), writable(check.last_modified))
        self._write(_CONFIRM, (*headers, to_signed(check.fingerprint)))

    def note_check(self, check: CheckRow) -> None:
        """Writes a line of history; where the URL stands does not change."""
        place = check.address
        where = (place.file, place.offset, place.length) if place else (None, None, None)
        said = (check.status, check.failure, check.digest, check.size, check.elapsed)
        self._write(HISTORY, (to_signed(check.fingerprint), check.when, *said, *where))

    def drop(self, fingerprint: int) -> None:
        """Takes back what quality thought of a page: it is gone, or is something else now."""
        sql = "UPDATE urls SET verdict = NULL, verdict_reason = '', duplicate_of = NULL WHERE fingerprint = ?"
        self._write(sql, (to_signed(fingerprint),))

    def free_copies(self, original: int, now: float) -> set[str]:
        """Lets the pages come at once for which another stood that is not what it was; their authorities.

        They are asked for as if for the first time: that they have not changed is not the question.
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
        """Notes dates of changes that a sitemap or feed names; a trusted one makes its page due sooner."""
        rows = (
            (when, trusted, least_interval, to_signed(fingerprint), when, when) for fingerprint, when in dates
        )
        self._write_many(_ANNOUNCE, rows)

    def put_off(self, authority: str, until: float) -> None:
        """Lets nothing of an authority that was to be visited come before that time."""
        sql = "UPDATE urls SET next_visit = ? WHERE authority = ? AND next_visit < ?"
        self._write(sql, (until, authority, until))

    def hosts_to_visit(self) -> Iterator[tuple[str, float]]:
        """Every authority with pages that have a date, and the first of these dates."""
        return ((str(authority), float(when)) for authority, when in self._rows(_HOSTS))

    def first_visit(self, authority: str, after: float) -> float | None:
        """The first date of an authority's pages after that time."""
        sql = "SELECT min(next_visit) FROM urls WHERE authority = ? AND next_visit > ?"
        row = self._one(sql, (authority, after))
        return row[0] if row else None

    def due(self, authority: str, now: float, limit: int) -> list[KnownPage]:
        """The pages of an authority whose date has come, the first ones first."""
        sql = f"{_DUE} AND next_visit <= ? AND state <> 'queued' ORDER BY next_visit LIMIT ?"
        return list(self._made(_known_page, self._rows(sql, (authority, now, limit))))

    def early(self, authority: str, checked_before: float, limit: int) -> list[KnownPage]:
        """Of an authority's next pages those in good order that were not looked at since that time."""
        sql = f"{_DUE} ORDER BY next_visit LIMIT ?"
        pages = self._made(_known_page, self._rows(sql, (authority, limit)))
        return [
            page
            for page in pages
            if page.state is UrlState.FETCHED
            and page.visits.checked_at is not None
            and page.visits.checked_at <= checked_before
            and not (page.visits.misses or page.reason)
        ]

    def rates(self, share: float = 1.0) -> Rates:
        """What all pages with a date told so far, or a share of them: fingerprints are as good as drawn."""
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
    """A text of strangers as SQLite takes it: half a character, which UTF-8 cannot write, becomes "?"."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _known_page(row: Row) -> KnownPage:
    text, depth, priority, redirects, etag, last_modified, state, digest = row[:8]
    judgement, why, duplicate_of, redirect_to, reason, first_seen, *visits = row[8:]
    verdict = None if judgement is None else Verdict(Judgement(judgement), why, _unsigned(duplicate_of) or 0)
    # "Not modified" helps only where the page is stored as it was, and could be read.
    asks_for_change = state == "fetched" and judgement != Judgement.UNREADABLE.value
    conditions = (etag, last_modified) if asks_for_change else ("", "")
    request = CrawlRequest(Url.parsed(text), depth, priority, redirects, 0, *conditions)
    kept = (digest, verdict, _unsigned(redirect_to), reason, first_seen)
    return KnownPage(request, UrlState(state), *kept, Visits(*visits))


def _unsigned(stored: int | None) -> int | None:
    return None if stored is None else from_signed(stored)
