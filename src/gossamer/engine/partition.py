"""One partition: a folder with everything about its hosts, from catalogue to index."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from gossamer.engine.settings import StoreSettings
from gossamer.index.index import Index
from gossamer.store.catalogue import Catalogue
from gossamer.store.linklog import LinkLog
from gossamer.store.warc import WarcStore

LINK_LOG = "links.log"


class Partition:
    """The files of one partition. Readers open what they need; a writer first calls `recover`."""

    def __init__(self, number: int, directory: Path, settings: StoreSettings) -> None:
        self.number = number
        self.directory = directory
        self._settings = settings
        self._read_only = True

    @property
    def pages_folder(self) -> Path:
        return self.directory / "pages"

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

    def close(self) -> None:
        for name in ("catalogue", "warc", "link_log"):
            part = self.__dict__.pop(name, None)
            if part is not None:
                part.close()
        self.__dict__.pop("index", None)
        self._read_only = True
