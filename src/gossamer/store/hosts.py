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
_SET_HOST = (
    "INSERT INTO hosts (authority, last_asked, pages, failures) VALUES (?, ?, ?, ?) ON CONFLICT (authority)"
    " DO UPDATE SET last_asked = excluded.last_asked, pages = excluded.pages, failures = excluded.failures"
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

    def set_host(self, authority: str, last_asked: float, pages: int, failures: int) -> None:
        """Keeps when the authority was last asked, and how often it answered and did not."""
        self._write(_SET_HOST, (authority, last_asked, pages, failures))

    def hosts(self) -> Iterator[HostRow]:
        """Everything that is known of hosts."""
        for *host, pages, failures, last_asked in self._rows(
            f"SELECT authority, {_ROBOTS}, pages, failures, last_asked FROM hosts ORDER BY authority"
        ):
            yield HostRow(host[0], last_asked, pages, failures, _robots(tuple(host[1:])))


def _robots(row: Row) -> RobotsRow | None:
    origin, status, body, fetched_at, reason, crawl_delay = row
    return None if status is None else RobotsRow(origin, status, body, fetched_at, reason, crawl_delay)
