"""Collection folder: which partition holds a host; write lock.

A host belongs to the partition of its registrable domain: the domain hashes into one of 1,024 fixed buckets,
and `collection.json` maps buckets to partitions. So politeness towards a host never crosses a partition, and
a bucket can move without rehashing anything.
"""

from __future__ import annotations

import fcntl
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gossamer.collection.owner_folder import NAME as OWNER
from gossamer.model import CollectionBusy, CollectionError, DamagedFile, NotACollection, WrongFormat
from gossamer.web.host import BUCKETS, bucket

FORMAT = 2  # 2: with a checksum
NAME = "collection.json"
LOST = "put it back from a copy, or import the WARC files of its partitions into a new collection"


@dataclass(frozen=True, slots=True)
class Collection:
    """Where a collection is, and how its hosts are divided."""

    directory: Path
    buckets: tuple[int, ...]

    @property
    def partitions(self) -> int:
        return max(self.buckets) + 1

    def partition_of(self, host: str) -> int:
        return self.buckets[bucket(host)]

    def partition_folder(self, number: int) -> Path:
        return self.directory / f"partition-{number:03d}"

    @property
    def graph_folder(self) -> Path:
        return self.directory / "graph"

    @property
    def logs_folder(self) -> Path:
        return self.directory / "logs"

    @property
    def owner_folder(self) -> Path:
        return self.directory / OWNER

    @classmethod
    def open(cls, directory: Path) -> Collection:
        path = directory / NAME
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            found = content["format"]
            buckets = tuple(content["buckets"])
            whole = found != FORMAT or content["crc32"] == _checksum(buckets)
        except (FileNotFoundError, NotADirectoryError):
            raise NotACollection(directory) from None
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedFile(path, f"it cannot be read ({error!r})", LOST) from error
        if not whole:
            raise DamagedFile(path, "it does not match its checksum", LOST)
        if found != FORMAT:
            raise WrongFormat(path, found, FORMAT)
        return cls(directory, buckets)

    @classmethod
    def prepare(cls, directory: Path, partitions: int = 1, files: Iterable[str] = ()) -> Collection:
        """Begin a collection in an empty or missing folder; it exists once `finish` was called.

        `files` are the names of the owner's files, which may be there already.
        """
        if not 1 <= partitions <= BUCKETS:
            raise CollectionError(f"a collection has 1 to {BUCKETS} partitions, not {partitions}")
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CollectionError(f"cannot make the folder {directory}: {error.strerror}") from error
        # Partitions without collection.json were left by a death while the collection was being made.
        own = {*files, OWNER, "lock", f"{NAME}.new"}
        names = [path.name for path in directory.iterdir() if not path.name.startswith("partition-")]
        if set(names) - own:
            raise CollectionError(
                f"{directory} is not empty and not a Gossamer collection; choose another folder"
            )
        return cls(directory, tuple(number * partitions // BUCKETS for number in range(BUCKETS)))

    def finish(self, files: Mapping[str, str]) -> None:
        """Make the prepared folder a collection, with the owner's files that are missing: names and texts."""
        for name, text in files.items():
            if not (self.directory / name).exists():
                (self.directory / name).write_text(text, encoding="utf-8")
        temporary = self.directory / f"{NAME}.new"
        content = {"format": FORMAT, "buckets": self.buckets, "crc32": _checksum(self.buckets)}
        temporary.write_text(json.dumps(content), encoding="utf-8")
        temporary.replace(self.directory / NAME)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Holds the right to write; the system lets go of it when the process dies."""
        with held(self.directory / "lock", f"{self.directory} is being written"):
            yield


@contextmanager
def held(path: Path, what: str) -> Iterator[None]:
    """Holds a lock for itself, or says `what` another process does."""
    with path.open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            owner = lock.read().strip() or "unknown"
            raise CollectionBusy(
                f"{what} by another process (number {owner}); wait for it or stop it"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def _checksum(buckets: tuple[int, ...]) -> int:
    return zlib.crc32(json.dumps(buckets).encode())
