"""Which sites do visitors propose? The owner decides: they become seeds, or not."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from gossamer.engine.ledger import Ledger
from gossamer.model.notebook import Tabled
from gossamer.web.url import repair

NAME = "submissions.jsonl"


@dataclass(frozen=True, slots=True)
class Submission(Tabled):
    """An address that visitors propose."""

    key: str
    url: str
    time: float  # when it was proposed first
    count: int


class Submissions:
    """The proposals that wait for the owner. Threads and processes may share it."""

    def __init__(self, owner: Path) -> None:
        self._ledger = Ledger(owner / NAME)

    def add(self, url: str) -> bool:
        """Somebody proposes a site; False where there is no room for more. Raises BadUrl."""
        address = repair(url)[0]
        key = f"{address.fingerprint:016x}"
        return self._ledger.add({"key": key, "url": address.text, "time": round(time.time())})

    def open_ones(self) -> list[Submission]:
        """What nobody has dealt with, the earliest first."""
        found: dict[str, Submission] = {}
        for entry in self._ledger.entries():
            match entry:
                case {"key": str(key), "url": str(url), "time": int() | float() as when}:
                    before = found.get(key)
                    first, count = (before.time, before.count) if before else (float(when), 0)
                    found[key] = Submission(key, url, first, count + 1)
        return list(found.values())

    def settle(self, key: str) -> bool:
        """The owner has dealt with it; whether it was open."""
        return self._ledger.take_out(lambda entry: entry.get("key") == key) > 0
