"""What do we know of each host: its robots.txt, and when it was last asked?"""

from __future__ import annotations

from collections.abc import Iterator

from gossamer.store.database import Database, Row
from gossamer.store.rows import HostRow, RobotsRow

_ROBOTS = "origin, robots_status, robots_body, robots_fetched_at, robots_reason, crawl_delay"
_SET_ROBOTS = (
    f"INSERT INTO hosts (authority, {_ROBOTS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (authority) DO UPDATE SET origin = excluded.origin,"
    " robots_status = excluded.robots_status, robots_body = excluded.robots_body,"
    " robots_fetched_at = excluded.robots_fetched_at, robots_reason = excluded.robots_reason,"
    " crawl_delay = excluded.crawl_delay"
)
_FAILED = (
    "INSERT INTO hosts (authority, failures, failed_at) VALUES (?, 1, ?) ON CONFLICT (authority)"
    " DO UPDATE SET failures = failures + 1, failed_at = excluded.failed_at"
)


class HostTable(Database):
    """The table `hosts`: one row an authority."""

    def robots(self, authority: str) -> RobotsRow | None:
        """What the authority answered when it was last asked for robots.txt."""
        row = self._one(f"SELECT {_ROBOTS} FROM hosts WHERE authority = ?", (authority,))
        return _robots(row) if row else None

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

    def host_failures(self, authority: str) -> int:
        """In how many crawls in a row it did not answer."""
        row = self._one("SELECT failures FROM hosts WHERE authority = ?", (authority,))
        return int(row[0]) if row else 0

    def hosts(self) -> Iterator[HostRow]:
        """How every known authority is to be treated; without the bodies of their robots.txt."""
        sql = "SELECT authority, crawl_delay, failures, failed_at FROM hosts ORDER BY authority"
        return (HostRow(*row) for row in self._rows(sql))


def _robots(row: Row) -> RobotsRow | None:
    origin, status, body, fetched_at, reason, crawl_delay = row
    return None if status is None else RobotsRow(origin, status, body, fetched_at, reason, crawl_delay)
