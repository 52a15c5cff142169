"""What did visitors leave for the owner, and has not been dealt with? JSON lines, of which there is an end.

A file that is full takes no more until the owner has dealt with some: visitors may be hostile. A line that a
killed process left half written is passed over.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gossamer.disk import disk_errors, write_atomically
from gossamer.engine.owner_folder import editing

MOST_BYTES = 1_000_000

Entry = dict[str, Any]


class Ledger:
    """A file of entries in the owner's folder. Threads and processes may share it."""

    def __init__(self, path: Path, most: int = MOST_BYTES) -> None:
        self._path = path
        self._most = most

    def add(self, entry: Mapping[str, Any]) -> bool:
        """Whether there was room for it."""
        line = json.dumps(entry).encode() + b"\n"
        with editing(self._path.parent), disk_errors(self._path), self._path.open("ab+") as file:
            size = file.seek(0, os.SEEK_END)
            if size + len(line) > self._most:
                return False
            if size:
                file.seek(-1, os.SEEK_END)
                line = line if file.read() == b"\n" else b"\n" + line
            file.write(line)
        return True

    def entries(self) -> list[Entry]:
        """All that is there, in the order in which it came."""
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return []
        return [entry for line in lines if (entry := _read(line)) is not None]

    def take_out(self, unwanted: Callable[[Entry], bool]) -> int:
        """How many went."""
        with editing(self._path.parent):
            entries = self.entries()
            kept = [entry for entry in entries if not unwanted(entry)]
            if len(kept) < len(entries):
                write_atomically(self._path, b"".join(json.dumps(one).encode() + b"\n" for one in kept))
        return len(entries) - len(kept)


def _read(line: bytes) -> Entry | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None
