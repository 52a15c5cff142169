"""Catalogue: all tables, host rows, commit, counts.

Everything that is written counts from the next `commit` on, together: the rows, and the sizes of the files
beside the catalogue (WARC files, link log) that those rows point into.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
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

# Jumps from one name to the next in the index, instead of reading every URL.
_NAMES = (
    "WITH RECURSIVE names (name) AS (SELECT min(authority) FROM urls UNION ALL"
    " SELECT (SELECT min(authority) FROM urls WHERE authority > name) FROM names WHERE name IS NOT NULL)"
    " SELECT name FROM names WHERE name IS NOT NULL UNION SELECT authority FROM hosts ORDER BY 1"
)


class FetchedPage(NamedTuple):
    """The latest answer of a URL."""

    url: str
    asked_at: float
    status: int
    reason: str


class HostTable(Database):
    """The table `hosts`: one row an authority."""

    def robots(self, authority: str) -> RobotsRow | None:
        """What the authority answered when it was last asked for robots.txt."""
        row = self._one(f"SELECT {_ROBOTS} FROM hosts WHERE authority = ?", (authority,))
        return RobotsRow(*row) if row and row[1] is not None else None  # a host may have been asked nothing

    def set_robots(self, authority: str, robots: RobotsRow) -> None:
        """Keeps an answer to the question for robots.txt."""
        answer = (robots.status, robots.body, robots.fetched_at, robots.reason, robots.crawl_delay)
        self._write(_SET_ROBOTS, (authority, robots.origin, *answer))

    def host_failed(self, authority: str, when: float) -> None:
        """Notes that an authority did not answer at all in a crawl."""
        self._write(_FAILED, (authority, when))

    def host_answered(self, authority: str) -> None:
        """Notes that an authority is no longer silent."""
        self._write("UPDATE hosts SET failures = 0 WHERE authority = ? AND failures > 0", (authority,))

    def leave_host(self, authority: str, until: float) -> None:
        """Notes that an authority does not want to be asked before that time."""
        self._write(_LEAVE, (authority, until))

    def hosts_to_leave(self, now: float) -> Iterator[tuple[str, float]]:
        """The authorities that do not want to be asked now, and until when."""
        rows = self._rows("SELECT authority, not_before FROM hosts WHERE not_before > ?", (now,))
        return ((str(authority), float(until)) for authority, until in rows)

    def host_not_before(self, authority: str) -> float:
        """Before which time an authority does not want to be asked; 0 when it never said so."""
        return float(self._value("SELECT not_before FROM hosts WHERE authority = ?", (authority,), 0.0))

    def host_failures(self, authority: str) -> int:
        """In how many crawls in a row it did not answer."""
        return int(self._value("SELECT failures FROM hosts WHERE authority = ?", (authority,), 0))

    def hosts(self) -> Iterator[HostRow]:
        """How every known authority is to be treated; without the bodies of their robots.txt."""
        return (HostRow(*row) for row in self._rows(f"{_HOST} ORDER BY authority"))

    def host(self, authority: str) -> HostRow | None:
        """How one authority is to be treated."""
        row = self._one(f"{_HOST} WHERE authority = ?", (authority,))
        return HostRow(*row) if row else None

    def authorities(self) -> Iterator[str]:
        """The names of all that have a URL, or were asked for robots.txt."""
        return (str(row[0]) for row in self._rows(_NAMES))

    def host_counts(self, authority: str) -> Counts:
        """How many URLs an authority has by state, by verdict and by the reason of trouble, most first."""
        counters = self._counters("WHERE authority = ?", (authority,))
        return Counts(*(dict(counter.most_common()) for counter in counters))

    def counts(self) -> Counts:
        """How many URLs there are by state, by verdict and by the reason of trouble, by name."""
        return Counts(*(dict(sorted(counter.items())) for counter in self._counters()))

    def _counters(self, where: str = "", values: Row = ()) -> list[Counter[str]]:
        """Count URLs as the fields of `Counts` say."""
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
        """The URLs of an authority that were asked for last, the latest first."""
        sql = (
            "SELECT url, max(fetched_at, coalesce(checked_at, 0)) AS asked_at, status, reason FROM urls"
            " WHERE authority = ? AND fetched_at IS NOT NULL ORDER BY asked_at DESC, url LIMIT ?"
        )
        return [FetchedPage(*row) for row in self._rows(sql, (authority, limit))]

    def host_due_at(self, authority: str) -> float | None:
        """When the first of the URLs that wait may be asked for, as far as they decide that themselves."""
        sql = "SELECT min(not_before) FROM urls WHERE authority = ? AND state = 'queued'"
        return cast("float | None", self._value(sql, (authority,)))

    def host_visit_at(self, authority: str) -> float | None:
        """When the first of the known pages of an authority is to be asked for again."""
        sql = "SELECT min(next_visit) FROM urls WHERE authority = ? AND next_visit IS NOT NULL"
        return cast("float | None", self._value(sql, (authority,)))

    def notes(self, authority: str, kind: str) -> str:
        """What was learned of an authority; "" when nothing was."""
        sql = "SELECT content FROM notes WHERE authority = ? AND kind = ?"
        return str(self._value(sql, (authority, kind), ""))

    def all_notes(self, kind: str) -> Iterator[tuple[str, str]]:
        """What was learned of every authority."""
        rows = self._rows("SELECT authority, content FROM notes WHERE kind = ?", (kind,))
        return ((str(authority), str(content)) for authority, content in rows)

    def set_notes(self, authority: str, kind: str, content: str) -> None:
        """Keeps what was learned of an authority."""
        self._write("INSERT OR REPLACE INTO notes VALUES (?, ?, ?)", (authority, kind, content))


_EXAMPLES = 5  # how many URLs a finding names
_FINDINGS = {
    "fetched, but without a place in the page store": (
        "SELECT url FROM urls WHERE state = 'fetched' AND warc_file IS NULL"
    ),
    "its place in the page store lies beyond what was committed": (
        "SELECT url FROM urls LEFT JOIN commits ON name = warc_file"
        " WHERE warc_file IS NOT NULL AND warc_offset + warc_length > coalesce(value, 0)"
    ),
    "a state that nobody knows": (
        "SELECT url FROM urls WHERE state NOT IN ('queued', 'fetched', 'redirect', 'failed', 'refused')"
    ),
    "fetched, but without a line of history": (
        "SELECT url FROM urls WHERE state = 'fetched'"
        " AND fingerprint NOT IN (SELECT fingerprint FROM fetches)"
    ),
    "history of a URL that is not known": (
        "SELECT DISTINCT 'number ' || fingerprint FROM fetches"
        " WHERE fingerprint NOT IN (SELECT fingerprint FROM urls)"
    ),
}


class Catalogue(UrlTable, HostTable, RevisitTable, AnswerTable):
    """The catalogue of one partition: URLs, hosts, history, and how much of the other files counts."""

    def committed(self) -> dict[str, int]:
        """The committed size of each file beside the catalogue, by its name."""
        return dict(self._made(_committed, self._rows("SELECT name, value FROM commits")))

    def set_committed(self, name: str, size: int) -> None:
        """Says how much of a file counts, from the next commit on."""
        self._write("INSERT OR REPLACE INTO commits (name, value) VALUES (?, ?)", (name, size))

    def forget_committed(self, prefix: str) -> None:
        """Says that nothing counts of the files whose names begin so, from the next commit on."""
        self._write("DELETE FROM commits WHERE substr(name, 1, ?) = ?", (len(prefix), prefix))

    def stored_answers(self) -> int:
        """How many answers lie in the page store, earlier versions of pages included."""
        return int(self._value("SELECT count(*) FROM fetches WHERE warc_file IS NOT NULL"))

    def freshness(self) -> tuple[float, float] | None:
        """When the oldest and the newest of the fetched pages were fetched."""
        row = self._one("SELECT min(fetched_at), max(fetched_at) FROM urls WHERE state = 'fetched'")
        return (row[0], row[1]) if row and row[0] is not None else None

    def integrity(self) -> list[str]:
        """What is wrong, in sentences; empty when nothing is."""
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
        raise TypeError(f"the size {size!r} of {name!r}")
    return name, size
