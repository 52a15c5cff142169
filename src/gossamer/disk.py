"""How are files written so that they survive, and what is said when they cannot be?

A new file counts once it is on the disk with its name; a file that others read is replaced in one step. When
the disk refuses (it is full, or may not be written to), the error names the file and what to do.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from gossamer.model import GossamerError

MOST_OPEN = 65_536  # files and connections: more than any process needs


def most_open() -> int:
    """How many files and connections this process may have open; asks the system for as many as it allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_OPEN if hard == resource.RLIM_INFINITY else min(MOST_OPEN, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # some systems allow less than they say
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_OPEN if soft == resource.RLIM_INFINITY else soft


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Errors of the operating system become one that carries the file, the reason and what to do."""
    try:
        yield
    except OSError as error:
        raise GossamerError(
            f"cannot write {path}: {error.strerror or error}; make room or check the disk, then go on"
        ) from error


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to be written whole: it is on the disk when the block ends, and gone when the block fails."""
    with disk_errors(path):
        try:
            with path.open("wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise


def write_atomically(path: Path, data: bytes) -> None:
    """Replaces a file in one step: a reader sees the old content or the new, never a mixture."""
    temporary = path.with_name(path.name + ".new")
    with new_file(temporary) as out:
        out.write(data)
    with disk_errors(path):
        temporary.replace(path)
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
