"""A segment: an immutable piece of the index in a folder of its own."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.disk import disk_errors, sync_folder
from gossamer.index.columns import Columns, read_columns, write_columns
from gossamer.index.dictionary import Dictionary, read_dictionary, write_dictionary
from gossamer.index.files import Piece, read_arrays, write_arrays
from gossamer.index.postings import Postings, read_postings, write_postings
from gossamer.index.stored import Stored, read_stored, write_stored

COLUMNS = "columns.arrays"


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """What a segment consists of before it is written."""

    trie: Any
    forms: list[str]
    postings: Postings
    columns: Columns
    packed: Sequence[Piece]  # what is shown of each document, compressed


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment open for reading."""

    name: str
    dictionary: Dictionary
    postings: Postings
    columns: Columns
    stored: Stored

    @property
    def documents(self) -> int:
        return len(self.columns.fingerprints)

    def frequency(self, term: str) -> int:
        """How many documents hold the term; deleted ones count until the segment merges."""
        number = self.dictionary.number(term)
        return self.postings.frequency(number) if number >= 0 else 0


def write_segment(folder: Path, content: SegmentContent) -> None:
    """Writes all files of a segment; nothing refers to them until a manifest does."""
    with disk_errors(folder):
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        try:
            _write_files(folder, content)
        except BaseException:  # half a segment is of no use, and the disk may be full
            shutil.rmtree(folder, ignore_errors=True)
            raise


def _write_files(folder: Path, content: SegmentContent) -> None:
    write_dictionary(folder, content.trie, content.forms)
    write_postings(folder / "postings.arrays", content.postings)
    write_columns(folder / COLUMNS, content.columns)
    write_stored(folder / "stored.arrays", content.packed)
    sync_folder(folder)


def read_segment(folder: Path) -> Segment:
    return Segment(
        folder.name,
        read_dictionary(folder),
        read_postings(folder / "postings.arrays"),
        read_columns(folder / COLUMNS),
        read_stored(folder / "stored.arrays"),
    )


def write_deleted(path: Path, docs: NDArray[np.uint32]) -> None:
    write_arrays(path, {"deleted": docs})


def read_deleted(path: Path) -> NDArray[np.uint32]:
    return read_arrays(path)["deleted"]
