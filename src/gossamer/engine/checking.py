"""Verifies every file of a collection; says what is wrong, and repairs what can be brought back.

The page store is the source: a lost segment is indexed again from it, lost ranks are computed again. A page
whose record is damaged is queued to be fetched again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.engine.partition import LINK_LOG, Partition
from gossamer.engine.progress import StepObserver
from gossamer.index.manifest import NAME as MANIFEST
from gossamer.index.manifest import read_manifest, write_manifest
from gossamer.index.segment import read_deleted
from gossamer.links.generation import verify
from gossamer.model import DamagedFile, GossamerError


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong."""

    path: str
    what: str
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was looked at and what was found."""

    files: int
    problems: tuple[Problem, ...]


class Checking:
    """One run of `check` over a collection. With `repair` the caller must hold the right to write."""

    def __init__(
        self, partitions: Sequence[Partition], graph_folder: Path, observer: StepObserver | None
    ) -> None:
        self._partitions = partitions
        self._graph_folder = graph_folder
        self._observer = observer

    def run(self, repair: bool) -> CheckReport:
        problems: list[Problem] = []
        files = 0
        for partition in self._partitions:
            self._tell(f"checking {partition.directory.name}")
            files += sum(1 for path in partition.directory.rglob("*") if path.is_file())
            catalogue = list(self._catalogue(partition))
            problems += catalogue
            if not catalogue:
                problems += self._lengths(partition, repair)
                problems += self._pages(partition, repair)
                problems += self._links(partition, repair)
            problems += self._index(partition, repair)
        files += sum(1 for path in self._graph_folder.rglob("*") if path.is_file())
        problems += self._graph(repair)
        return CheckReport(files, tuple(problems))

    def _tell(self, what: str) -> None:
        if self._observer:
            self._observer(what, 0, 0)

    def _catalogue(self, partition: Partition) -> Iterator[Problem]:
        path = str(partition.directory / "catalogue.sqlite")
        advice = f"it cannot be repaired: import the files of {partition.pages_folder} into a new collection"
        try:
            for what in partition.catalogue.integrity():
                yield Problem(path, what)
        except DamagedFile as error:
            yield Problem(path, f"{error.why}; {advice}")

    def _lengths(self, partition: Partition, repair: bool) -> Iterator[Problem]:
        """Files must be as long as was committed; longer is what a killed process left, and is cut off."""
        try:
            partition.recover()
        except DamagedFile as error:
            yield Problem(str(error.path), error.why, repair)
            if repair:
                self._accept_lengths(partition)
                partition.recover()

    def _accept_lengths(self, partition: Partition) -> None:
        """What is lost is lost: pages beyond the end are found unreadable and queued again."""
        catalogue = partition.catalogue
        for name, size in catalogue.committed().items():
            folder = partition.directory / "links" if name == LINK_LOG else partition.pages_folder
            path = folder / name
            catalogue.set_committed(name, min(size, path.stat().st_size if path.exists() else 0))
        catalogue.commit()

    def _pages(self, partition: Partition, repair: bool) -> Iterator[Problem]:
        """Every record that the catalogue points to must be readable."""
        rows = list(partition.catalogue.fetched())
        for number, row in enumerate(rows, 1):
            if self._observer and number % 200 == 0:
                self._observer("reading pages", number, len(rows))
            assert row.address is not None
            try:
                partition.warc.read(row.address, row.url)
            except DamagedFile as error:
                if repair:
                    partition.catalogue.lose(row.fingerprint, "damaged-record")
                    partition.catalogue.commit()
                yield Problem(str(error.path), f"{row.url}: {error.why}", repair)

    def _links(self, partition: Partition, repair: bool) -> Iterator[Problem]:
        """A damaged link log keeps its readable beginning; the rest comes back as pages are fetched again."""
        try:
            for _ in partition.link_log.records():
                pass
        except DamagedFile as error:
            if repair:
                good = partition.link_log.readable_length()
                partition.link_log.recover(good)
                partition.catalogue.set_committed(LINK_LOG, good)
                partition.catalogue.commit()
            yield Problem(str(error.path), error.why, repair)

    def _index(self, partition: Partition, repair: bool) -> Iterator[Problem]:
        """A damaged segment is left out of the manifest; `index` then finds its pages missing."""
        folder = partition.index.directory
        try:
            manifest = read_manifest(folder)
        except (DamagedFile, ValueError, KeyError) as error:
            if repair:
                shutil.rmtree(folder)
                folder.mkdir()
            yield Problem(str(folder / MANIFEST), str(error), repair)
            return
        healthy = []
        for entry in manifest.segments:
            assert manifest.weighting is not None
            try:
                partition.index.read(entry, manifest.weighting)
                if entry.deleted:
                    read_deleted(folder / entry.name / entry.deleted)
                healthy.append(entry)
            except GossamerError as error:
                path, why = (
                    (error.path, error.why) if isinstance(error, DamagedFile) else (folder, str(error))
                )
                yield Problem(str(path), why, repair)
        if repair and len(healthy) < len(manifest.segments):
            write_manifest(folder, manifest.successor(segments=tuple(healthy)))
            partition.index.tidy()

    def _graph(self, repair: bool) -> Iterator[Problem]:
        found = verify(self._graph_folder)
        if found and repair:
            shutil.rmtree(self._graph_folder)
        for what in found:
            yield Problem(str(self._graph_folder), what, repair)
