"""Catalogue: all tables, host rows, committed file sizes, counts.

`commit` makes all writes durable together: the rows, and the sizes of the other files that the rows refer to
(WARC files, link log).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple
from typing import NamedTuple, cast

from gossamer.model import DamagedFile
from gossamer.storage.catalogue.schema import Counts, Database, HostRow, RobotsRow, Row
from gossamer.storage.catalogue.urls import AnswerTable, RevisitTable, UrlTable

# Host rows: robots.txt, failures, notes
# --------------------------------------

_ROBOTS = "origin, robots_status, robots_body, robots_fetched_at, robots_reason, crawl_delay"
_SET_ROBOTS = (
    f"INSERT INTO hosts (authority, {_ROBOTS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (authority)"
    f" DO UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in _ROBOTS.split(', '))}"
)
_FAILED = (
    "INSERT INTO hosts (authority, failures, failed_at) VALUES (?, 1, ?) ON CONFLICT (authority)"
    " DO UPDATE SET failures = failures + 1, failed_at = excluded.failed_at"
)
_LEAVE = (
    "INSERT INTO hosts (authority, not_before) VALUES (?, ?) ON CONFLICT (authority)"
    " DO UPDATE SET not_before = max(not_before, excluded.not_before)"
)
_HOST = "SELECT authority, crawl_delay, failures, failed_at FROM hosts"

# Skips from one name to the next in the index, instead of reading every URL.
_NAMES = (
    "WITH RECURSIVE names (name) AS (SELECT min(authority) FROM urls UNION ALL"
    " SELECT (SELECT min(authority) FROM urls WHERE authority > name) FROM names WHERE name IS NOT NULL)"
    " SELECT name FROM names WHERE name IS NOT NULL UNION SELECT authority FROM hosts ORDER BY 1"
)


class FetchedPage(NamedTuple):
    """The latest response of a URL."""

    url: str
    asked_at: float
    status: int
    reason: str


class HostTable(Database):
    """The table `hosts`, with one row for each authority."""

    def robots(self, authority: str) -> RobotsRow | None:
        """Return the latest response of an authority to the request for robots.txt."""
        row = self._one(f"SELECT {_ROBOTS} FROM hosts WHERE authority = ?", (authority,))
        return RobotsRow(*row) if row and row[1] is not None else None  # it may not have been requested

    def set_robots(self, authority: str, robots: RobotsRow) -> None:
        """Store the response to the request for robots.txt."""
        self._write(_SET_ROBOTS, (authority, *astuple(robots)))

    def host_failed(self, authority: str, when: float) -> None:
        """Record that an authority did not respond at all in a crawl."""
        self._write(_FAILED, (authority, when))

    def host_answered(self, authority: str) -> None:
        """Record that an authority has responded."""
        self._write("UPDATE hosts SET failures = 0 WHERE authority = ? AND failures > 0", (authority,))

    def leave_host(self, authority: str, until: float) -> None:
        """Record that an authority must not be requested before that time."""
        self._write(_LEAVE, (authority, until))

    def hosts_to_leave(self, now: float) -> Iterator[tuple[str, float]]:
        """Yield the authorities that must not be requested now, and until when."""
        rows = self._rows("SELECT authority, not_before FROM hosts WHERE not_before > ?", (now,))
        return ((str(authority), float(until)) for authority, until in rows)

    def host_not_before(self, authority: str) -> float:
        """Return the time before which an authority must not be requested; 0 if there is none."""
        return float(self._value("SELECT not_before FROM hosts WHERE authority = ?", (authority,), 0.0))

    def host_failures(self, authority: str) -> int:
        """Return the number of consecutive crawls in which an authority did not respond."""
        return int(self._value("SELECT failures FROM hosts WHERE authority = ?", (authority,), 0))

    def hosts(self) -> Iterator[HostRow]:
        """Yield the row of every authority, without its robots.txt."""
        return (HostRow(*row) for row in self._rows(f"{_HOST} ORDER BY authority"))

    def host(self, authority: str) -> HostRow | None:
        """Return the row of an authority, without its robots.txt."""
        row = self._one(f"{_HOST} WHERE authority = ?", (authority,))
        return HostRow(*row) if row else None

    def authorities(self) -> Iterator[str]:
        """Yield the names of all authorities that have a URL or a host row."""
        return (str(row[0]) for row in self._rows(_NAMES))

    def host_counts(self, authority: str) -> Counts:
        """Count the URLs of an authority by state, verdict and reason, in descending order."""
        counters = self._counters("WHERE authority = ?", (authority,))
        return Counts(*(dict(counter.most_common()) for counter in counters))

    def counts(self) -> Counts:
        """Count all URLs by state, verdict and reason, sorted by name."""
        return Counts(*(dict(sorted(counter.items())) for counter in self._counters()))

    def _counters(self, where: str = "", values: Row = ()) -> list[Counter[str]]:
        """Count URLs for the fields of `Counts`."""
        states, verdicts, reasons, not_indexed = counters = [Counter[str]() for _ in range(4)]
        columns = "state, verdict, verdict_reason, reason"
        sql = f"SELECT {columns}, count(*) FROM urls {where} GROUP BY {columns}"
        for state, verdict, why, reason, count in self._rows(sql, values):
            states[state] += count
            if reason:
                reasons[reason] += count
            if state == "fetched" and verdict:
                verdicts[verdict] += count
                if verdict != "keep":
                    not_indexed[f"{verdict}: {why}"] += count
        return counters

    def asked_last(self, authority: str, limit: int) -> list[FetchedPage]:
        """Return the URLs of an authority that were requested last, the latest first."""
        sql = (
            "SELECT url, max(fetched_at, coalesce(checked_at, 0)) AS asked_at, status, reason FROM urls"
            " WHERE authority = ? AND fetched_at IS NOT NULL ORDER BY asked_at DESC, url LIMIT ?"
        )
        return [FetchedPage(*row) for row in self._rows(sql, (authority, limit))]

    def host_due_at(self, authority: str) -> float | None:
        """Return when the first waiting URL may be requested, without regard to limits of the host."""
        sql = "SELECT min(not_before) FROM urls WHERE authority = ? AND state = 'queued'"
        return cast("float | None", self._value(sql, (authority,)))

    def host_visit_at(self, authority: str) -> float | None:
        """Return the earliest date of a revisit among the pages of an authority."""
        sql = "SELECT min(next_visit) FROM urls WHERE authority = ? AND next_visit IS NOT NULL"
        return cast("float | None", self._value(sql, (authority,)))

    def notes(self, authority: str, kind: str) -> str:
        """Return the notes of a kind about an authority, or ""."""
        sql = "SELECT content FROM notes WHERE authority = ? AND kind = ?"
        return str(self._value(sql, (authority, kind), ""))

    def all_notes(self, kind: str) -> Iterator[tuple[str, str]]:
        """Yield every authority with its notes of a kind."""
        rows = self._rows("SELECT authority, content FROM notes WHERE kind = ?", (kind,))
        return ((str(authority), str(content)) for authority, content in rows)

    def set_notes(self, authority: str, kind: str, content: str) -> None:
        """Store the notes of a kind about an authority."""
        self._write("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (authority, kind, content))


_EXAMPLES = 5  # URLs that are listed for a finding
_FINDINGS = {
    "fetched, but its response is not in the page store": (
        "SELECT url FROM urls WHERE state = 'fetched' AND warc_file IS NULL"
    ),
    "its response lies beyond the committed size of the page store": (
        "SELECT url FROM urls LEFT JOIN commits ON name = warc_file"
        " WHERE warc_file IS NOT NULL AND warc_offset + warc_length > coalesce(value, 0)"
    ),
    "an unknown state": (
        "SELECT url FROM urls WHERE state NOT IN ('queued', 'fetched', 'redirect', 'failed', 'refused')"
    ),
    "fetched, but without history": (
        "SELECT url FROM urls WHERE state = 'fetched'"
        " AND fingerprint NOT IN (SELECT fingerprint FROM fetches)"
    ),
    "history of an unknown URL": (
        "SELECT DISTINCT 'number ' || fingerprint FROM fetches"
        " WHERE fingerprint NOT IN (SELECT fingerprint FROM urls)"
    ),
}


class Catalogue(UrlTable, HostTable, RevisitTable, AnswerTable):
    """The catalogue of one partition: URLs, hosts, history, and committed sizes of the other files."""

    def committed(self) -> dict[str, int]:
        """Return the committed size of each file beside the catalogue, by its name."""
        return dict(self._made(_committed, self._rows("SELECT name, value FROM commits")))

    def set_committed(self, name: str, size: int) -> None:
        """Set the committed size of a file, valid from the next commit on."""
        self._write("INSERT OR REPLACE INTO commits (name, value) VALUES (?, ?)", (name, size))

    def forget_committed(self, prefix: str) -> None:
        """Delete the committed sizes of files whose names begin with a prefix."""
        self._write("DELETE FROM commits WHERE substr(name, 1, ?) = ?", (len(prefix), prefix))

    def stored_answers(self) -> int:
        """Count the responses in the page store, including earlier versions of pages."""
        return int(self._value("SELECT count(*) FROM fetches WHERE warc_file IS NOT NULL"))

    def freshness(self) -> tuple[float, float] | None:
        """Return the times of the oldest and the newest fetch among all fetched pages."""
        row = self._one("SELECT min(fetched_at), max(fetched_at) FROM urls WHERE state = 'fetched'")
        return (row[0], row[1]) if row and row[0] is not None else None

    def integrity(self) -> list[str]:
        """Check the catalogue. Return the problems found, one line each."""
        try:
            checks = [str(row[0]) for row in self._rows("PRAGMA quick_check")]
            found = [f"{self._path}: {check}" for check in checks if check != "ok"]
            return found or [line for what, sql in _FINDINGS.items() for line in self._finding(what, sql)]
        except DamagedFile as error:
            return [str(error)]

    def _finding(self, what: str, sql: str) -> list[str]:
        urls = [row[0] for row in self._rows(sql)]
        more = [f"{self._path}: {len(urls) - _EXAMPLES} more like this"] if len(urls) > _EXAMPLES else []
        return [f"{self._path}: {url}: {what}" for url in urls[:_EXAMPLES]] + more


def _committed(row: Row) -> tuple[str, int]:
    name, size = row
    if not isinstance(name, str) or not isinstance(size, int) or size < 0:
        raise TypeError(f"the committed size of {name!r} must be a whole number from 0 on, not {size!r}")
    return name, size
