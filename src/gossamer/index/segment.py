"""A segment: an immutable piece of the index in a folder of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.disk import disk_errors, sync_folder
from gossamer.index.columns import Columns, read_columns, write_columns
from gossamer.index.dictionary import Dictionary, read_dictionary, write_dictionary
from gossamer.index.files import read_arrays, write_arrays
from gossamer.index.postings import Postings, read_postings, write_postings
from gossamer.index.stored import Stored, StoredWriter, read_stored

TERMS = "terms.arrays"
COLUMNS = "columns.arrays"
STORED = "stored.arrays"


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """What a segment consists of before it is written."""

    dictionary: Dictionary
    postings: Postings
    columns: Columns
    stored: StoredWriter  # what is shown of the documents, in the order in which they came
    slots: NDArray[np.uint32]  # as which each document came


@dataclass(frozen=True)
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

    @cached_property
    def longest(self) -> int:
        """How many words the longest document has."""
        return int(self.columns.lengths.sum(axis=1, dtype=np.int64).max(initial=0))

    def frequency(self, term: str) -> int:
        """How many documents hold the term; deleted ones count until the segment merges."""
        number = self.dictionary.number(term)
        return self.postings.frequency(number) if number >= 0 else 0


@contextmanager
def new_segment(folder: Path) -> Iterator[None]:
    """A folder for the files of a segment; nothing refers to them until a manifest does."""
    with disk_errors(folder):
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        try:
            yield
            sync_folder(folder)
        except BaseException:  # half a segment is of no use, and the disk may be full
            shutil.rmtree(folder, ignore_errors=True)
            raise


def write_segment(folder: Path, content: SegmentContent) -> None:
    with new_segment(folder):
        write_dictionary(folder / TERMS, content.dictionary)
        write_postings(folder, content.postings)
        write_columns(folder / COLUMNS, content.columns)
        content.stored.write(folder / STORED, content.slots)


def read_segment(folder: Path) -> Segment:
    return Segment(
        folder.name,
        read_dictionary(folder / TERMS),
        read_postings(folder),
        read_columns(folder / COLUMNS),
        read_stored(folder / STORED),
    )


def write_deleted(path: Path, docs: NDArray[np.uint32]) -> None:
    write_arrays(path, {"deleted": docs})


def read_deleted(path: Path) -> NDArray[np.uint32]:
    return read_arrays(path)["deleted"]
