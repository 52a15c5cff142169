"""Manifest of an index: its segments and its frozen weighting."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gossamer.index.bm25f import Weighting
from gossamer.model import DamagedFile
from gossamer.storage import files

# Version 5: positions in bytes, sorted terms, media types; 6: sketches; 7: written words; 8: emphasised
# words; 9: pages compressed one by one, with a dictionary
FORMAT = 9
NAME = "MANIFEST"


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A segment of the index, and the file that lists its deleted documents."""

    name: str
    documents: int
    deleted: str = ""  # file name in the segment's folder, "" if nothing is deleted
    deleted_documents: int = 0
    size: int = 0  # bytes of positions; every posting has at least one

    @property
    def alive(self) -> int:
        """The number of documents that are not deleted."""
        return self.documents - self.deleted_documents


@dataclass(frozen=True, slots=True)
class Manifest:
    """One state of the index."""

    generation: int = 0
    next_segment: int = 1
    weighting: Weighting | None = None
    segments: tuple[SegmentEntry, ...] = ()

    def successor(self, **changes: Any) -> Manifest:
        """Return the manifest of the next generation with these changes."""
        return replace(self, generation=self.generation + 1, **changes)


def write_manifest(directory: Path, manifest: Manifest) -> None:
    files.write_manifest(directory / NAME, {"format": FORMAT, **asdict(manifest)})


def read_manifest(directory: Path) -> Manifest:
    """Read the manifest of an index; return an empty one if nothing was indexed yet."""
    path = directory / NAME
    try:
        content = files.read_manifest(path, FORMAT, "run: gossamer index --rebuild")
    except FileNotFoundError:
        # The manifest is written before the first segment: see `Index.write`.
        if any(directory.glob("segment-*")) and not path.exists():
            raise DamagedFile(path, "it is missing, but there are segments") from None
        return Manifest()
    weighting = content["weighting"]
    return Manifest(
        content["generation"],
        content["next_segment"],
        Weighting.from_json(weighting) if weighting else None,
        tuple(SegmentEntry(**entry) for entry in content["segments"]),
    )
