"""Which segments count; frozen weighting."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gossamer.index.bm25f import Weighting
from gossamer.model import DamagedFile, WrongFormat
from gossamer.storage.files import write_atomically

# 5: positions in bytes, sorted terms, media types; 6: sketches; 7: words as written; 8: emphasised words
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
    content = {"format": FORMAT, **asdict(manifest)}
    body = json.dumps(content, indent=1).encode()
    path = directory / NAME
    before = path.stat().st_mtime_ns if path.exists() else 0
    write_atomically(path, body + b"\n" + f"{zlib.crc32(body):08x}\n".encode())
    # Readers tell manifests apart by inode and time. Inodes are used again, and a clock may stand still.
    if path.stat().st_mtime_ns <= before:
        os.utime(path, ns=(before + 1, before + 1))


def read_manifest(directory: Path) -> Manifest:
    """The manifest, or an empty one where nothing was indexed yet."""
    path = directory / NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        # There is a manifest before there is a segment: see `Index.write`.
        if any(directory.glob("segment-*")) and not path.exists():
            raise DamagedFile(path, "it is missing, and there are segments") from None
        return Manifest()
    body, _, crc = data.rstrip(b"\n").rpartition(b"\n")
    if f"{zlib.crc32(body):08x}".encode() != crc:
        raise DamagedFile(path, "it does not match its checksum")
    content = json.loads(body)
    if content["format"] != FORMAT:
        raise WrongFormat(path, content["format"], FORMAT, "run: gossamer index --rebuild")
    weighting = content["weighting"]
    return Manifest(
        content["generation"],
        content["next_segment"],
        Weighting.from_json(weighting) if weighting else None,
        tuple(SegmentEntry(**entry) for entry in content["segments"]),
    )
