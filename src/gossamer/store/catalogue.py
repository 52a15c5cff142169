"""What did we fetch, when, and what came of it? An SQLite file that any SQLite tool can read.

Everything that is written counts from the next `commit` on, together: the rows, and the sizes of the files
beside the catalogue (WARC files, link log) that those rows point into.
"""

from __future__ import annotations

from gossamer.model import DamagedFile
from gossamer.store.answers import AnswerTable
from gossamer.store.database import Row
from gossamer.store.hosts import HostTable
from gossamer.store.revisits import RevisitTable
from gossamer.store.rows import Counts
from gossamer.store.urls import UrlTable

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
        ((count,),) = self._rows("SELECT count(*) FROM fetches WHERE warc_file IS NOT NULL")
        return int(count)

    def counts(self) -> Counts:
        """How many URLs there are by state, by verdict and by the reason of trouble."""
        return Counts(
            states=dict(self._rows("SELECT state, count(*) FROM urls GROUP BY state")),
            verdicts=dict(
                self._rows(
                    "SELECT verdict, count(*) FROM urls"
                    " WHERE state = 'fetched' AND verdict IS NOT NULL GROUP BY verdict"
                )
            ),
            reasons=dict(self._rows("SELECT reason, count(*) FROM urls WHERE reason <> '' GROUP BY reason")),
            not_indexed=dict(
                self._rows(
                    "SELECT verdict || ': ' || verdict_reason, count(*) FROM urls"
                    " WHERE state = 'fetched' AND verdict <> 'keep' GROUP BY verdict, verdict_reason"
                )
            ),
        )

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
