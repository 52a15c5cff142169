"""What does a document say, so that a result can be shown? Its text, compressed, one piece a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.index.files import Piece, read_arrays, write_arrays

LEVEL = 1  # of zstandard
APART = "\x1e"  # between the parts of a document: "record separator", which no address or name holds


def compressor() -> zstandard.ZstdCompressor:
    """To be made once for many documents, which saves a quarter of the time.

    All texts are treated as long ones. Left alone it seeks shorter repetitions in short texts: that saves 3%
    of the room and takes up to twice the time.
    """
    return zstandard.ZstdCompressor(compression_params=zstandard.ZstdCompressionParameters.from_level(LEVEL))


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What a results page shows."""

    url: str
    title: str
    description: str
    text: str
    language: str
    media_type: str

    def packed(self, compressor: zstandard.ZstdCompressor) -> bytes:
        names = (part.replace(APART, " ") for part in (self.title, self.description))
        # the text comes last, so it may hold anything
        parts = (self.url, self.language, self.media_type, *names, self.text)
        return compressor.compress(APART.join(parts).encode("utf-8", "replace"))

    @classmethod
    def unpacked(cls, data: Piece) -> StoredDocument:
        parts = zstandard.decompress(data).decode().split(APART, 5)
        url, language, media_type, title, description, text = parts
        return cls(url, title, description, text, language, media_type)


@dataclass(frozen=True, slots=True)
class Stored:
    """The compressed documents of a segment."""

    starts: NDArray[np.int64]
    data: NDArray[np.uint8]

    def packed(self, doc: int) -> memoryview:
        return self.data[self.starts[doc] : self.starts[doc + 1]].data

    def document(self, doc: int) -> StoredDocument:
        return StoredDocument.unpacked(self.packed(doc))


def write_stored(path: Path, packed: Sequence[Piece]) -> None:
    """`packed` has one piece a document."""
    starts = np.zeros(len(packed) + 1, np.int64)
    np.cumsum([len(piece) for piece in packed], out=starts[1:])
    write_arrays(path, {"starts": starts, "data": packed})


def read_stored(path: Path) -> Stored:
    return Stored(**read_arrays(path))
