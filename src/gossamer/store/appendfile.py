"""How does a file grow so that a killed process leaves nothing but a tail to cut?

Every append is one unbuffered write: other processes can read it at once, and a write that fails (a full
disk) is taken back. What counts is the committed length, kept elsewhere; `cut` brings a file back to it.
"""

from __future__ import annotations

import os
from pathlib import Path

from gossamer.disk import disk_errors, sync_folder
from gossamer.model import DamagedFile


class AppendFile:
    """A file that only grows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_new = not path.exists()
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self.size = os.fstat(self._descriptor).st_size

    def append(self, data: bytes) -> int:
        """Writes at the end; returns where the data begins."""
        start = self.size
        try:
            self._write(data)
        except OSError:
            with disk_errors(self.path):
                os.ftruncate(self._descriptor, start)
                raise
        self.size = start + len(data)
        return start

    def _write(self, data: bytes) -> None:
        written = os.write(self._descriptor, data)
        while written < len(data):
            written += os.write(self._descriptor, data[written:])

    def sync(self) -> None:
        """Waits until the disk has everything, the file's name included."""
        with disk_errors(self.path):
            os.fsync(self._descriptor)
            if self._is_new:
                sync_folder(self.path.parent)
                self._is_new = False

    def close(self) -> None:
        os.close(self._descriptor)


def cut(path: Path, length: int) -> None:
    """Removes what was written after the last commit; a file that lost committed bytes is damaged."""
    found = path.stat().st_size if path.exists() else 0
    if found < length:
        raise DamagedFile(path, f"it has {found} bytes, {length} were committed")
    if found > length:
        with disk_errors(path):
            os.truncate(path, length)
