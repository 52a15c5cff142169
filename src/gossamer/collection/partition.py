"""One partition: its catalogue, WARC files, link log, seen table and index."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from gossamer.collection.collection import Collection
from gossamer.index.bm25f import Weighting
from gossamer.index.manifest import Manifest, read_manifest
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.catalogue.schema import UrlRow
from gossamer.storage.seen_urls import (
    HELD,
    RECORD,
    WAITING,
    DamagedTable,
    SeenEntries,
    SeenStore,
    SeenTable,
)
from gossamer.storage.settings import StoreSettings

if TYPE_CHECKING:  # imported by the properties that need them: a command may need none
    from gossamer.index.index import Index
    from gossamer.storage.link_log import LinkLog
    from gossamer.storage.warc import WarcStore


def weightings(partitions: Sequence[Partition]) -> set[Weighting]:
    """Return the weightings in use: none if nothing is indexed; several if a rebuild was interrupted."""
    manifests = [partition.manifest() for partition in partitions]
    return {manifest.weighting for manifest in manifests if manifest.segments and manifest.weighting}


def folder_name(number: int) -> str:
    """Return the folder name of a generation."""
    return f"gen-{number:06d}"


LINK_LOG = "links.log"
LEAST_LOG = 64_000_000  # bytes; a shorter log of the seen table is never replaced by a snapshot
SEEN = "seen "  # prefix of a snapshot's number, as the name of a committed file


class Partition:
    """The files of one partition, opened on first use. A writer must first call `recover`."""

    def __init__(self, number: int, directory: Path, settings: StoreSettings) -> None:
        self.number = number
        self.directory = directory
        self._settings = settings
        self._read_only = True
        self._seen_is_stale = False
        self._seen_log_is_long = False

    @classmethod
    def all_of(cls, collection: Collection, settings: StoreSettings) -> list[Self]:
        """Return the partitions of a collection."""
        folders = map(collection.partition_folder, range(collection.partitions))
        return [cls(number, folder, settings) for number, folder in enumerate(folders)]

    @property
    def pages_folder(self) -> Path:
        return self.directory / "pages"

    def anchors_folder(self, generation: int) -> Path:
        """Return the folder of the anchor-text index for a generation of the graph."""
        return self.directory / "anchors" / folder_name(generation)

    @property
    def catalogue_path(self) -> Path:
        return self.directory / "catalogue.sqlite"

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.catalogue_path, self._settings.durable, self._read_only)

    @cached_property
    def warc(self) -> WarcStore:
        from gossamer.storage.warc import WarcStore

        return WarcStore(self.pages_folder, self._settings.max_file_mb * 1_000_000, self._settings.durable)

    @cached_property
    def link_log(self) -> LinkLog:
        from gossamer.storage.link_log import LinkLog

        return LinkLog(self.directory / "links" / LINK_LOG)

    @cached_property
    def seen_store(self) -> SeenStore:
        return SeenStore(self.directory / "seen")

    @cached_property
    def index(self) -> Index:
        from gossamer.index.index import Index

        return Index(self.directory / "index")

    def manifest(self) -> Manifest:
        """Read the manifest of the index, without opening the index."""
        return read_manifest(self.directory / "index")

    def create(self) -> None:
        """Create an empty partition. Only this creates a catalogue: one that is missing later is an error."""
        for folder in (self.pages_folder, self.directory / "links", self.directory / "index"):
            folder.mkdir(parents=True, exist_ok=True)
        Catalogue(self.catalogue_path, self._settings.durable, create=True).close()

    def recover(self) -> None:
        """Open for writing; truncate every file to its length at the last commit."""
        self.close()
        self._read_only = False
        committed = self.catalogue.committed()
        self.warc.recover({name: size for name, size in committed.items() if name != LINK_LOG})
        self.link_log.recover(committed.get(LINK_LOG, 0))

    def sync_files(self) -> None:
        """Sync pages and links to disk and record their lengths; the caller commits the catalogue."""
        for name, size in self.warc.sync().items():
            self.catalogue.set_committed(name, size)
        self.catalogue.set_committed(LINK_LOG, self.link_log.sync(self._settings.durable))

    def read_seen(self) -> SeenTable:
        """Read the known URLs as of the last commit: from the snapshot, or else from the catalogue."""
        with suppress(DamagedTable):
            return self._kept_table()
        table = SeenTable()
        for piece in self.catalogue.known():
            table.put(piece)
        self.renew_seen(table)
        return table

    def _kept_table(self) -> SeenTable:
        for name, length in self.catalogue.committed().items():
            if name.startswith(SEEN):
                number = int(name.removeprefix(SEEN))
                table = SeenTable(self.seen_store.expected(number, length))
                for piece in self.seen_store.read(number, length):
                    table.put(piece)
                return table
        raise DamagedTable("none was committed")

    def check_seen(self) -> str:
        """Return the error in the stored seen table; "" if the table is valid or not stored."""
        if not any(name.startswith(SEEN) for name in self.catalogue.committed()):
            return ""
        try:
            self._kept_table()
        except DamagedTable as error:
            return str(error)
        return ""

    def sync_seen(self, table: SeenTable | None, moved: Sequence[int]) -> None:
        """Log the changed entries of the seen table; without a table, discard the stored one."""
        if table is None or self._seen_is_stale:
            self.catalogue.forget_committed(SEEN)
            return
        store = self.seen_store
        numbers = np.array(moved, np.uint64)
        states = table.states(numbers)
        states[states == HELD] = WAITING
        store.append(SeenEntries(numbers, states, table.scores(numbers)))
        length = store.sync(self._settings.durable)
        self.catalogue.set_committed(f"{SEEN}{store.number}", length)
        self._seen_log_is_long = length > max(LEAST_LOG, RECORD.itemsize * len(table))

    def keep_seen_short(self, table: SeenTable) -> None:
        """Write a new snapshot if the log has become longer than a snapshot."""
        if self._seen_log_is_long:
            self._seen_log_is_long = False
            self.renew_seen(table)

    def renew_seen(self, table: SeenTable) -> None:
        """Write a new snapshot and commit it."""
        if self._seen_is_stale:
            return
        number = self.seen_store.renew(table.pieces())
        self.catalogue.forget_committed(SEEN)
        self.catalogue.set_committed(f"{SEEN}{number}", self.seen_store.sync(self._settings.durable))
        self.catalogue.commit()
        self.seen_store.tidy()

    def known(self, fingerprint: int) -> UrlRow | None:
        """Return the row of a URL in the catalogue, or None. Can be called in any thread."""
        with closing(Catalogue(self.catalogue_path, read_only=True)) as catalogue:
            return catalogue.url(fingerprint)

    def never_fetched(self, fingerprints: Sequence[int]) -> dict[int, str]:
        """Return by fingerprint those URLs that are queued and never fetched. Can be called in any thread."""
        with closing(Catalogue(self.catalogue_path, read_only=True)) as catalogue:
            return catalogue.addresses_never_fetched(fingerprints)

    def lose(self, fingerprint: int, reason: str) -> None:
        """Queue a page with a damaged record again; the next crawl rebuilds the seen table."""
        self._seen_is_stale = True
        self.catalogue.lose(fingerprint, reason)
        self.catalogue.forget_committed(SEEN)
        self.catalogue.commit()

    def close(self) -> None:
        """Close all files; they are opened again on use, for reading only."""
        for name in ("catalogue", "warc", "link_log", "seen_store"):
            part = self.__dict__.pop(name, None)
            if part is not None:
                part.close()
        self.__dict__.pop("index", None)
        self._read_only = True
