"""One partition: opens catalogue, WARC, link log, index."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path

import numpy as np

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.link_log import LinkLog
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
from gossamer.storage.warc import WarcStore


def weightings(partitions: Sequence[Partition]) -> set[Weighting]:
    """The weightings that hold: one, none before anything is indexed, more when a rebuild was cut short."""
    manifests = [partition.index.manifest() for partition in partitions]
    return {manifest.weighting for manifest in manifests if manifest.segments and manifest.weighting}


def folder_name(number: int) -> str:
    """What a generation's folder is called."""
    return f"gen-{number:06d}"


LINK_LOG = "links.log"
LEAST_LOG = 64_000_000  # bytes of changes to the seen table for which no snapshot is written
SEEN = "seen "  # before the number of a snapshot, among the names of committed files


class Partition:
    """The files of one partition. Readers open what they need; a writer first calls `recover`."""

    def __init__(self, number: int, directory: Path, settings: StoreSettings) -> None:
        self.number = number
        self.directory = directory
        self._settings = settings
        self._read_only = True
        self._seen_is_stale = False
        self._seen_log_is_long = False

    @property
    def pages_folder(self) -> Path:
        return self.directory / "pages"

    def anchors_folder(self, generation: int) -> Path:
        """The index of the texts of links, of the generation of the graph with this number."""
        return self.directory / "anchors" / folder_name(generation)

    @property
    def catalogue_path(self) -> Path:
        return self.directory / "catalogue.sqlite"

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.catalogue_path, self._settings.durable, self._read_only)

    @cached_property
    def warc(self) -> WarcStore:
        return WarcStore(self.pages_folder, self._settings.max_file_mb * 1_000_000, self._settings.durable)

    @cached_property
    def link_log(self) -> LinkLog:
        return LinkLog(self.directory / "links" / LINK_LOG)

    @cached_property
    def seen_store(self) -> SeenStore:
        return SeenStore(self.directory / "seen")

    @cached_property
    def index(self) -> Index:
        return Index(self.directory / "index")

    def create(self) -> None:
        """Makes an empty partition, once: a catalogue that is missing later was lost, and is not replaced."""
        for folder in (self.pages_folder, self.directory / "links", self.directory / "index"):
            folder.mkdir(parents=True, exist_ok=True)
        Catalogue(self.catalogue_path, self._settings.durable, create=True).close()

    def recover(self) -> None:
        """Brings every file back to the last commit: what a killed process wrote after it is cut off."""
        self.close()
        self._read_only = False
        committed = self.catalogue.committed()
        self.warc.recover({name: size for name, size in committed.items() if name != LINK_LOG})
        self.link_log.recover(committed.get(LINK_LOG, 0))

    def sync_files(self) -> None:
        """Makes pages and links safe and notes how much of them counts; the caller commits the catalogue."""
        for name, size in self.warc.sync().items():
            self.catalogue.set_committed(name, size)
        self.catalogue.set_committed(LINK_LOG, self.link_log.sync(self._settings.durable))

    def read_seen(self) -> SeenTable:
        """The known URLs as of the last commit: from the snapshot, or else from the catalogue itself."""
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
        """What is wrong with the kept table, in a sentence; "" when nothing is, or none is kept."""
        if not any(name.startswith(SEEN) for name in self.catalogue.committed()):
            return ""
        try:
            self._kept_table()
        except DamagedTable as error:
            return str(error)
        return ""

    def sync_seen(self, table: SeenTable | None, moved: Sequence[int]) -> None:
        """Notes which URLs are new or have moved; without a table, that it must be made anew."""
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
        """Writes a new snapshot when the log has outgrown the last one."""
        if self._seen_log_is_long:
            self._seen_log_is_long = False
            self.renew_seen(table)

    def renew_seen(self, table: SeenTable) -> None:
        """Writes a new snapshot, and commits it."""
        if self._seen_is_stale:
            return
        number = self.seen_store.renew(table.pieces())
        self.catalogue.forget_committed(SEEN)
        self.catalogue.set_committed(f"{SEEN}{number}", self.seen_store.sync(self._settings.durable))
        self.catalogue.commit()
        self.seen_store.tidy()

    def never_fetched(self, fingerprints: Sequence[int]) -> dict[int, str]:
        """Of these URLs the addresses of those that nobody has fetched or forbidden yet; from any thread."""
        with closing(Catalogue(self.catalogue_path, read_only=True)) as catalogue:
            return catalogue.addresses_never_fetched(fingerprints)

    def lose(self, fingerprint: int, reason: str) -> None:
        """Queues a page again whose record is damaged; the next crawl counts the known URLs anew."""
        self._seen_is_stale = True
        self.catalogue.lose(fingerprint, reason)
        self.catalogue.forget_committed(SEEN)
        self.catalogue.commit()

    def close(self) -> None:
        for name in ("catalogue", "warc", "link_log", "seen_store"):
            part = self.__dict__.pop(name, None)
            if part is not None:
                part.close()
        self.__dict__.pop("index", None)
        self._read_only = True
