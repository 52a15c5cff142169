"""Folder owner/: shared by owner, crawl and server; edit lock.

owner/live.json          how the running crawl is doing, about once a second
    owner/crawl.lock         held by the running crawl; the system lets go of it when that dies
    owner/pause              while it is there, nothing new is asked for
    owner/stop               asks the running crawl to end well
    owner/seeds/*.txt        URLs for the running crawl, or the next
    owner/reports.jsonl      what visitors report, and what became of it
    owner/submissions.jsonl  sites that visitors propose, likewise
    owner/edit.lock          held while one of the owner's files is changed

Nobody but the owner of the collection may look into it.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gossamer.storage.files import disk_errors

NAME = "owner"
EDIT_LOCK = "edit.lock"


def owner_folder(folder: Path) -> Path:
    """The same folder, made where it is missing."""
    with disk_errors(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextmanager
def editing(folder: Path) -> Iterator[None]:
    """Nobody else changes one of the owner's files meanwhile."""
    path = owner_folder(folder) / EDIT_LOCK
    with disk_errors(path):
        lock = path.open("w")
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
