"""Collection folder: which partition holds a host; write lock.

A host belongs to the partition of its registrable domain: the domain is hashed to one of 1,024 fixed buckets,
and `collection.json` maps buckets to partitions. So the rate limit of a host never involves two partitions,
and a bucket can move to another partition without rehashing.
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
    """The folder of a collection, and the mapping of hosts to partitions."""

    directory: Path
    buckets: tuple[int, ...]

    @property
    def partitions(self) -> int:
        return max(self.buckets) + 1

    def partition_of(self, host: str) -> int:
        """Return the number of the partition of a host."""
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
        """Read and verify `collection.json`."""
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
        """Prepare a collection in an empty or missing folder; `finish` creates it.

        `files` are the names of the owner's files, which may already exist.
        """
        if not 1 <= partitions <= BUCKETS:
            raise CollectionError(f"a collection has 1 to {BUCKETS} partitions, not {partitions}")
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CollectionError(f"cannot make the folder {directory}: {error.strerror}") from error
        # Partitions without collection.json were left by a crash while a collection was created.
        own = {*files, OWNER, "lock", f"{NAME}.new"}
        names = [path.name for path in directory.iterdir() if not path.name.startswith("partition-")]
        if set(names) - own:
            raise CollectionError(
                f"{directory} is not empty and not a Gossamer collection; choose another folder"
            )
        return cls(directory, tuple(number * partitions // BUCKETS for number in range(BUCKETS)))

    def finish(self, files: Mapping[str, str]) -> None:
        """Create the collection; `files` are names and texts of the owner's files, written if missing."""
        for name, text in files.items():
            if not (self.directory / name).exists():
                (self.directory / name).write_text(text, encoding="utf-8")
        temporary = self.directory / f"{NAME}.new"
        content = {"format": FORMAT, "buckets": self.buckets, "crc32": _checksum(self.buckets)}
        temporary.write_text(json.dumps(content), encoding="utf-8")
        temporary.replace(self.directory / NAME)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock; the system releases it when the process dies."""
        with held(self.directory / "lock", f"{self.directory} is being written"):
            yield


@contextmanager
def held(path: Path, what: str) -> Iterator[None]:
    """Hold a lock; raise CollectionBusy with the text `what` if another process holds it."""
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
