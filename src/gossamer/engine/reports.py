"""Which results do visitors complain of, and why? Nothing is kept of who they are."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from gossamer.engine.ledger import Ledger
from gossamer.model import BadSetting, UsageError
from gossamer.model.notebook import Tabled
from gossamer.web.url import repair

NAME = "reports.jsonl"
REASONS = ("spam", "misleading", "broken", "harmful", "other")
LONGEST_NOTE = 500  # characters
LONGEST_QUERY = 200


@dataclass(frozen=True, slots=True)
class Report(Tabled):
    """What visitors say of one page for one reason; query and note are the latest there are."""

    key: str
    url: str
    reason: str
    query: str
    note: str
    time: float  # of the latest
    count: int


class Reports:
    """The complaints that wait for the owner. Threads and processes may share it."""

    def __init__(self, owner: Path) -> None:
        self._ledger = Ledger(owner / NAME)

    def add(self, url: str, reason: str, query: str = "", note: str = "") -> bool:
        """Somebody complains; False where there is no room for more. Raises UsageError for nonsense."""
        if reason not in REASONS:
            raise BadSetting(f"there is no reason {reason!r}; there are: {', '.join(REASONS)}")
        said = " ".join(note.split())
        if len(said) > LONGEST_NOTE:
            raise UsageError(f"a note has at most {LONGEST_NOTE} characters, not {len(said)}")
        address = repair(url)[0]
        return self._ledger.add(
            {
                "key": f"{address.fingerprint:016x}-{reason}",
                "url": address.text,
                "reason": reason,
                "query": " ".join(query.split())[:LONGEST_QUERY],
                "note": said,
                "time": round(time.time()),
            }
        )

    def open_ones(self) -> list[Report]:
        """What nobody has dealt with, the latest first."""
        found: dict[str, Report] = {}
        for entry in self._ledger.entries():
            match entry:
                case {
                    "key": str(key),
                    "url": str(url),
                    "reason": str(reason),
                    "query": str(query),
                    "note": str(note),
                    "time": int() | float() as when,
                }:
                    before = found.get(key) or Report(key, url, reason, "", "", 0.0, 0)
                    query, note = query or before.query, note or before.note
                    found[key] = Report(key, url, reason, query, note, float(when), before.count + 1)
        return sorted(found.values(), key=lambda report: -report.time)

    def settle(self, key: str) -> bool:
        """The owner has dealt with it; whether it was open."""
        return self._ledger.take_out(lambda entry: entry.get("key") == key) > 0
