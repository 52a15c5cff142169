"""Verify and repair all files of a collection.

The page store is the primary data: lost segments are rebuilt from it, and lost ranks are computed again. A
page whose record is damaged is queued to be fetched again.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gossamer.anchor_text.indexer import damages, remove
from gossamer.collection.partition import LINK_LOG, SEEN, Partition, weightings
from gossamer.graph.generation import anchor_counts_of, forget_anchors, verify
from gossamer.index.manifest import NAME as MANIFEST
from gossamer.index.manifest import read_manifest, write_manifest
from gossamer.index.segment import read_deleted
from gossamer.jobs.sync_index import difference
from gossamer.model import DamagedFile, GossamerError
from gossamer.model.notebook import NotebookTable
from gossamer.model.progress import Observer, StepProgress, unobserved


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem with a file."""

    path: str
    what: str
    repaired: bool = False
    remedy: str = "repaired"  # how it was repaired


@dataclass(frozen=True, slots=True)
class CheckReport(NotebookTable):
    """Report what a check found.

    Attributes:
        files: How many files were read.
        problems: What is wrong: each has `path`, `what`, `repaired` and `remedy`.
        notes: Hints that are not problems.
    """

    files: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()


class CollectionCheck:
    """One run of `check` over a collection. The caller must hold the write lock."""

    def __init__(
        self, partitions: Sequence[Partition], graph_folder: Path, observer: Observer[StepProgress] | None
    ) -> None:
        self._partitions = partitions
        self._graph_folder = graph_folder
        self._tell = observer or unobserved

    def run(self, repair: bool) -> CheckReport:
        """Check all files; with `repair`, also repair them."""
        problems: list[Problem] = []
        files = sum(1 for path in self._graph_folder.rglob("*") if path.is_file())
        for partition in self._partitions:
            self._tell(StepProgress(f"checking {partition.directory.name}"))
            files += sum(1 for path in partition.directory.rglob("*") if path.is_file())
            try:
                problems += self._stored(partition, repair)
            except DamagedFile as error:
                # Without the catalogue the other files cannot be checked, and must not be truncated.
                problems.append(Problem(str(error.path), str(error)))
            problems += self._index(partition, repair)
        problems += self._weightings(repair)
        problems += self._anchors(repair)
        problems += self._graph(repair)
        return CheckReport(files, tuple(problems), tuple(self._notes(problems)))

    def _stored(self, partition: Partition, repair: bool) -> list[Problem]:
        findings = partition.catalogue.integrity()
        problems = [
            *self._lengths(partition, repair),
            *self._pages(partition, repair),
            *self._links(partition, repair),
            *self._seen(partition, repair),
        ]
        path = str(partition.catalogue_path)
        left = set(partition.catalogue.integrity()) if repair else set(findings)
        return [*(Problem(path, what, what not in left) for what in findings), *problems]

    def _notes(self, problems: Sequence[Problem]) -> Iterator[str]:
        if problems:
            return
        missing = sum(len(difference(partition).missing) for partition in self._partitions)
        if missing:
            yield f"{missing:,} pages are fetched and not indexed yet; run: gossamer index"

    def _lengths(self, partition: Partition, repair: bool) -> Iterator[Problem]:
        """Check that files have their committed lengths; truncate what a killed process left beyond them."""
        try:
            partition.recover()
        except DamagedFile as error:
            yield Problem(str(error.path), error.why, repair)
            if repair:
                self._accept_lengths(partition)
                partition.recover()

    def _accept_lengths(self, partition: Partition) -> None:
        """Commit the actual lengths of truncated files; `_pages` then queues the lost pages again."""
        catalogue = partition.catalogue
        for name, size in catalogue.committed().items():
            if name.startswith(SEEN):
                continue
            folder = partition.directory / "links" if name == LINK_LOG else partition.pages_folder
            path = folder / name
            catalogue.set_committed(name, min(size, path.stat().st_size if path.exists() else 0))
        catalogue.commit()

    def _pages(self, partition: Partition, repair: bool) -> Iterator[Problem]:
        """Check that every record that the catalogue points to is readable."""
        rows = list(partition.catalogue.fetched())
        for number, row in enumerate(rows, 1):
            if number % 200 == 0:
                self._tell(StepProgress("reading pages", number, len(rows)))
            assert row.address is not None
            try:
                partition.warc.read(row.address, row.url)
            except DamagedFile as error:
                if repair:
                    partition.lose(row.fingerprint, "damaged-record")
                yield Problem(str(error.path), f"{row.url}: {error.why}", repair, "queued again")

    def _seen(self, partition: Partition, repair: bool) -> Iterator[Problem]:
        """Check the seen table; repair it from the catalogue."""
        if what := partition.check_seen():
            if repair:
                partition.read_seen()
            yield Problem(str(partition.directory / "seen"), what, repair)

    def _links(self, partition: Partition, repair: bool) -> Iterator[Problem]:
        """Check the link log; to repair, keep its readable beginning. Later fetches restore the rest."""
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
        """Check the segments; to repair, drop damaged ones, so that `index` adds their pages again."""
        folder = partition.index.directory
        try:
            manifest = read_manifest(folder)
        except (DamagedFile, ValueError, KeyError) as error:
            if repair:
                partition.index.start_over()
            why = error.why if isinstance(error, DamagedFile) else f"it cannot be read ({error!r})"
            yield Problem(str(folder / MANIFEST), why, repair)
            return
        healthy = []
        for entry in manifest.segments:
            try:
                partition.index.read(entry)
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

    def _weightings(self, repair: bool) -> Iterator[Problem]:
        """Check that all partitions have the same weighting; the next `index` repairs it by a rebuild."""
        try:
            found = weightings(self._partitions)
        except GossamerError:
            return  # reported by `_index`
        if len(found) > 1:
            folder = str(self._partitions[0].directory.parent)
            what = "its partitions have different weightings: a rebuild was interrupted"
            yield Problem(folder, what, repair)

    def _anchors(self, repair: bool) -> Iterator[Problem]:
        """Check the anchor-text index; to repair, remove it until the next ranking."""
        try:
            known = anchor_counts_of(self._graph_folder)
        except GossamerError:
            return  # reported by `_graph`
        if known is None:
            return
        number, counts = known
        folders = [partition.anchors_folder(number) for partition in self._partitions]
        found = [one for pair in zip(folders, counts, strict=True) for one in damages(*pair)]
        if found and repair:
            forget_anchors(self._graph_folder)
            remove(folders)
        for damage in found:
            yield Problem(str(damage.path), damage.why, repair)

    def _graph(self, repair: bool) -> Iterator[Problem]:
        """Check graph and ranks; to repair, remove them until the next ranking."""
        found = verify(self._graph_folder)
        if found and repair:
            shutil.rmtree(self._graph_folder)
        for what in found:
            yield Problem(str(self._graph_folder), what, repair)
