"""Folder owner/: shared by owner, crawl and server; edit lock.

    owner/live.json          progress of the running crawl, updated about once a second
    owner/crawl.lock         held by the running crawl; released by the system if it dies
    owner/pause              while this file exists, the crawl sends no new requests
    owner/stop               asks the running crawl to finish
    owner/seeds/*.txt        URLs for the running crawl, or the next one
    owner/reports.jsonl      pages that visitors reported
    owner/submissions.jsonl  sites that visitors submitted
    owner/edit.lock          held while one of the owner's files is changed

Only the owner of the collection has permission to read this folder.
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
    """Create the folder if it is missing, and return it."""
    with disk_errors(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextmanager
def editing(folder: Path) -> Iterator[None]:
    """Hold the edit lock: no other process changes one of the owner's files meanwhile."""
    path = owner_folder(folder) / EDIT_LOCK
    with disk_errors(path):
        lock = path.open("w")
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
