"""Which segments count; frozen weighting."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gossamer.index.bm25f import Weighting
from gossamer.model import DamagedFile
from gossamer.storage import files

# 5: positions in bytes, sorted terms, media types; 6: sketches; 7: words as written; 8: emphasised words;
# 9: pages compressed one by one, with a dictionary
FORMAT = 9
NAME = "MANIFEST"


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A segment of the index, and the file that lists its deleted documents."""

    name: str
    documents: int
    deleted: str = ""  # file name within the segment's folder, "" when nothing is deleted
    deleted_documents: int = 0
    size: int = 0  # bytes of positions, of which every posting has one at least

    @property
    def alive(self) -> int:
        return self.documents - self.deleted_documents


@dataclass(frozen=True, slots=True)
class Manifest:
    """One state of the index."""

    generation: int = 0
    next_segment: int = 1
    weighting: Weighting | None = None
    segments: tuple[SegmentEntry, ...] = ()

    def successor(self, **changes: Any) -> Manifest:
        return replace(self, generation=self.generation + 1, **changes)


def write_manifest(directory: Path, manifest: Manifest) -> None:
    files.write_manifest(directory / NAME, {"format": FORMAT, **asdict(manifest)})


def read_manifest(directory: Path) -> Manifest:
    """The manifest, or an empty one where nothing was indexed yet."""
    path = directory / NAME
    try:
        content = files.read_manifest(path, FORMAT, "run: gossamer index --rebuild")
    except FileNotFoundError:
        # There is a manifest before there is a segment: see `Index.write`.
        if any(directory.glob("segment-*")) and not path.exists():
            raise DamagedFile(path, "it is missing, and there are segments") from None
        return Manifest()
    weighting = content["weighting"]
    return Manifest(
        content["generation"],
        content["next_segment"],
        Weighting.from_json(weighting) if weighting else None,
        tuple(SegmentEntry(**entry) for entry in content["segments"]),
    )
