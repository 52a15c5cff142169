"""Index of one partition: commit, delete, merge, open snapshots."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.index import manifest as manifests
from gossamer.index.bm25f import FIELDS, Weighting
from gossamer.index.manifest import Manifest, SegmentEntry, read_manifest, write_manifest
from gossamer.index.merge import choose, fitting_together, merge_into
from gossamer.index.reweigh import segment_under
from gossamer.index.segment import (
    COLUMNS,
    Columns,
    Segment,
    SegmentView,
    Snapshot,
    identity_of,
    read_columns,
    read_deleted,
    read_segment,
    write_deleted,
    write_segment,
)
from gossamer.index.writer import SegmentWriter
from gossamer.model import DamagedFile, WrongFormat
from gossamer.storage.files import FileVersion, disk_errors, version_of

READ_ATTEMPTS = 5  # to read segments that a merge may remove meanwhile
FIRST_BITS = 16  # of a fingerprint, by which `places_of` filters
T = TypeVar("T")
Scalar = TypeVar("Scalar", bound=np.generic)


class Index:
    """Segments of one partition under a manifest.

    Methods that write need the writer's lock, held by the caller.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._snapshot: Snapshot | None = None
        self._identity: FileVersion | None = None
        self._columns: dict[str, Columns] = {}  # of segments, read on demand

    # Reading

    def manifest(self) -> Manifest:
        return read_manifest(self.directory)

    def snapshot(self) -> Snapshot:
        """Return the newest state; open it again only if the manifest has changed."""
        identity = version_of(self.directory / manifests.NAME)
        if self._snapshot is None or identity != self._identity:
            self._snapshot = self._consistent(self._open)
            self._identity = identity
        return self._snapshot

    def _consistent(self, read: Callable[[Manifest], T]) -> T:
        """Read files of the manifest's segments; try again if a merge has removed one of them meanwhile."""
        for attempt in range(READ_ATTEMPTS):
            manifest = self.manifest()
            try:
                return read(manifest)
            except DamagedFile:
                if attempt == READ_ATTEMPTS - 1 or self.manifest().generation == manifest.generation:
                    raise
        raise AssertionError("unreachable")

    def _open(self, manifest: Manifest) -> Snapshot:
        known = {view.segment.name: view.segment for view in self._snapshot.views} if self._snapshot else {}
        views = []
        for entry in manifest.segments:
            segment = known.get(entry.name)
            if not segment or segment.identity != identity_of(self.directory / entry.name):
                segment = self.read(entry)
            views.append(SegmentView(segment, self._deleted(entry)))
        return Snapshot(manifest.generation, tuple(views), manifest.weighting)

    def read(self, entry: SegmentEntry) -> Segment:
        """Read a segment and verify its checksums."""
        return read_segment(self.directory / entry.name)

    def _deleted(self, entry: SegmentEntry) -> NDArray[np.uint32]:
        if not entry.deleted:
            return np.empty(0, np.uint32)
        return read_deleted(self.directory / entry.name / entry.deleted)

    def _columns_of(self, entry: SegmentEntry) -> Columns:
        """Return the columns of a segment. A process that only writes need not open the rest."""
        if entry.name not in self._columns:
            self._columns[entry.name] = read_columns(self.directory / entry.name / COLUMNS)
        return self._columns[entry.name]

    def versions(self) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
        """Return fingerprint and fetch time of every document that is not deleted."""
        return self._of_each(lambda columns: columns.fetched_at, np.empty(0, np.float64))

    def languages(self) -> tuple[NDArray[np.uint64], NDArray[np.str_]]:
        """Return fingerprint and language of every document that is not deleted."""

        def spoken(columns: Columns) -> NDArray[np.str_]:
            return np.array([*columns.languages(), ""], np.str_)[columns.language_ids]

        return self._of_each(spoken, np.empty(0, np.str_))

    def _of_each(
        self, read: Callable[[Columns], NDArray[Scalar]], nothing: NDArray[Scalar]
    ) -> tuple[NDArray[np.uint64], NDArray[Scalar]]:
        """Return fingerprint and one value of every document that is not deleted."""

        def found(manifest: Manifest) -> tuple[NDArray[np.uint64], NDArray[Scalar]]:
            fingerprints, values = [np.empty(0, np.uint64)], [nothing]
            for entry in manifest.segments:
                columns, deleted = self._columns_of(entry), self._deleted(entry)
                fingerprints.append(np.delete(columns.fingerprints, deleted))
                values.append(np.delete(read(columns), deleted))
            return np.concatenate(fingerprints), np.concatenate(values)

        return self._consistent(found)

    def total_lengths(self) -> tuple[NDArray[np.int64], int]:
        """Return the total length of each field, and the number of documents.

        Deleted documents do not count.
        """
        return self._consistent(self._total_lengths)

    def _total_lengths(self, manifest: Manifest) -> tuple[NDArray[np.int64], int]:
        total = np.zeros(FIELDS, np.int64)
        for entry in manifest.segments:
            lengths = self._columns_of(entry).lengths
            total += lengths.sum(axis=0, dtype=np.int64)
            total -= lengths[self._deleted(entry)].sum(axis=0, dtype=np.int64)
        return total, sum(entry.alive for entry in manifest.segments)

    # Writing

    def commit(self, writer: SegmentWriter, gone: NDArray[np.uint64], weighting: Weighting) -> None:
        """Add the writer's pages and delete the documents `gone`, in one atomic step."""
        manifest = self.manifest()
        writer.flush()
        entries = list(self._without(manifest, gone))
        number = manifest.next_segment
        if len(writer):
            entries.append(self.write(writer, weighting, number))
            number += 1
        self._publish(manifest.successor(next_segment=number, weighting=weighting, segments=tuple(entries)))

    def write(self, writer: SegmentWriter, weighting: Weighting, number: int) -> SegmentEntry:
        """Write a segment that no manifest lists yet.

        Also write an empty manifest if there is none, so that the loss of a manifest can be detected.
        """
        if not (self.directory / manifests.NAME).exists():
            with disk_errors(self.directory):
                self.directory.mkdir(parents=True, exist_ok=True)
            write_manifest(self.directory, Manifest())
        writer.flush()
        documents, content = len(writer), writer.content(weighting)
        name = f"segment-{number:06d}"
        write_segment(self.directory / name, content)
        return SegmentEntry(name, documents, size=len(content.postings.positions))

    def replace(self, entries: Sequence[SegmentEntry], weighting: Weighting, next_segment: int) -> None:
        """Replace all segments by others, in one atomic step."""
        manifest = self.manifest()
        self._publish(
            manifest.successor(next_segment=next_segment, weighting=weighting, segments=tuple(entries))
        )

    def merge(self, factor: int) -> int:
        """Merge full tiers of segments; return the number of segments that were merged."""
        merged_away = 0
        while chosen := choose(self.manifest().segments, factor):
            self._merge(chosen)
            merged_away += len(chosen)
        return merged_away

    def merge_if_fragmented(self) -> int:
        """Merge all segments if none holds half of the documents.

        Return the number of segments that were merged. Fewer segments make searches faster, because every
        term is looked up in every segment. The next merge is due when the index has at least doubled, so each
        document is rewritten only a few times, however often this is called.
        """
        alive = [entry.alive for entry in self.manifest().segments]
        return self.merge_all() if 2 * max(alive, default=0) < sum(alive) else 0

    def merge_all(self) -> int:
        """Merge all segments, or as many as fit in one; return the number of segments that were merged."""
        chosen = fitting_together(self.manifest().segments)
        if len(chosen) < 2 and not any(entry.deleted for entry in chosen):
            return 0
        self._merge(chosen)
        return len(chosen)

    def reweigh(self, weighting: Weighting) -> None:
        """Rewrite every segment with another weighting, in one atomic step."""
        manifest = self.manifest()
        alive = [entry for entry in manifest.segments if entry.alive]
        entries = [
            self._rewritten([entry], number, weighting)
            for number, entry in enumerate(alive, manifest.next_segment)
        ]
        self.replace(entries, weighting, manifest.next_segment + len(entries))

    def _merge(self, chosen: Sequence[SegmentEntry]) -> None:
        manifest = self.manifest()
        kept = [entry for entry in manifest.segments if entry not in chosen]
        number = manifest.next_segment
        if any(entry.alive for entry in chosen):
            kept.append(self._rewritten(chosen, number))
        self._publish(manifest.successor(next_segment=number + 1, segments=tuple(kept)))

    def _rewritten(
        self, chosen: Sequence[SegmentEntry], number: int, weighting: Weighting | None = None
    ) -> SegmentEntry:
        """Merge segments into one that no manifest lists yet; `weighting` replaces theirs, if given."""
        segments = [self.read(entry) for entry in chosen]
        if weighting is not None:
            segments = [segment_under(weighting, segment) for segment in segments]
        views = [SegmentView(one, self._deleted(entry)) for one, entry in zip(segments, chosen, strict=True)]
        name = f"segment-{number:06d}"
        size = merge_into(self.directory / name, views)
        return SegmentEntry(name, sum(entry.alive for entry in chosen), size=size)

    def _without(self, manifest: Manifest, gone: NDArray[np.uint64]) -> list[SegmentEntry]:
        """Delete the documents `gone`; return the changed entries of the manifest."""
        if not len(gone):
            return list(manifest.segments)
        entries = []
        for entry in manifest.segments:
            before = self._deleted(entry)
            deleted = np.union1d(before, places_of(gone, self._columns_of(entry).fingerprints))
            if len(deleted) == len(before):
                entries.append(entry)
                continue
            name = f"deleted-{manifest.generation + 1:06d}.arrays"
            write_deleted(self.directory / entry.name / name, deleted.astype(np.uint32))
            entries.append(replace(entry, deleted=name, deleted_documents=len(deleted)))
        return entries

    def _publish(self, manifest: Manifest) -> None:
        with disk_errors(self.directory):
            self.directory.mkdir(parents=True, exist_ok=True)
        write_manifest(self.directory, manifest)
        names = {entry.name for entry in manifest.segments}
        self._columns = {name: columns for name, columns in self._columns.items() if name in names}
        self.tidy()

    def forget_other_format(self) -> None:
        """Remove an index of another format. It can be built again from the page store."""
        try:
            self.manifest()
        except WrongFormat:
            self.start_over()

    def start_over(self) -> None:
        """Make the index empty.

        Names of segments are not used again, because readers may have the old ones open.
        """
        numbers = [int(path.name.rpartition("-")[2]) for path in self.directory.glob("segment-*")]
        write_manifest(self.directory, Manifest(next_segment=max(numbers, default=0) + 1))
        self.tidy()

    def tidy(self) -> list[Path]:
        """Remove files that the manifest does not list: merged segments, leftovers of a killed process."""
        wanted = {entry.name: entry.deleted for entry in self.manifest().segments}
        removed = []
        with disk_errors(self.directory):
            for path in sorted(self.directory.glob("segment-*")):
                if path.name not in wanted:
                    shutil.rmtree(path)
                    removed.append(path)
                    continue
                for old in path.glob("deleted-*"):
                    if old.name != wanted[path.name]:
                        old.unlink()
                        removed.append(old)
        return removed


def places_of(wanted: NDArray[np.uint64], fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return the places of the wanted fingerprints.

    Their first bits exclude nearly all of the others quickly.
    """
    marked = np.zeros(1 << FIRST_BITS, np.bool_)
    marked[wanted >> np.uint64(64 - FIRST_BITS)] = True
    near = np.flatnonzero(marked[fingerprints >> np.uint64(64 - FIRST_BITS)])
    return near[np.isin(fingerprints[near], wanted)]
