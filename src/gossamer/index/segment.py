"""A segment: an immutable piece of the index in a folder of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.disk import disk_errors, sync_folder
from gossamer.index.columns import Columns, read_columns, write_columns
from gossamer.index.dictionary import Dictionary, keys_of, read_dictionary, write_dictionary
from gossamer.index.dictionary_kernel import find_terms
from gossamer.index.files import read_arrays, write_arrays
from gossamer.index.lexicon import Lexicon, read_lexicon, write_lexicon
from gossamer.index.postings import Postings, read_postings, write_postings
from gossamer.index.sounds import Sounds, sounds_of
from gossamer.index.stored import Stored, read_stored
from gossamer.index.stored_writer import StoredWriter
from gossamer.kernel import kernels_are_loaded
from gossamer.model import DamagedFile
from gossamer.text.analysis import analyser
from gossamer.text.sounds import Way
from gossamer.text.strings import CODING

TERMS = "terms.arrays"
WORDS = "words.arrays"
COLUMNS = "columns.arrays"
STORED = "stored.arrays"
HOSTS_REMEMBERED = 10_000  # names, of a segment
HEAD_BITS = 3  # 2 to the power of it documents and fewer have the first bits of their fingerprints in common
LOOKED_UP = 16  # queries whose terms are remembered


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """What a segment consists of before it is written."""

    dictionary: Dictionary
    lexicon: Lexicon
    postings: Postings
    columns: Columns
    stored: StoredWriter  # what is shown of the documents, in the order in which they came
    slots: NDArray[np.uint32]  # as which each document came


class LookedUp(NamedTuple):
    """The numbers of some terms, -1 for unknown ones, and how many documents hold each.

    Deleted documents count until the segment merges.
    """

    numbers: list[int]
    frequencies: list[int]


@dataclass(frozen=True)
class Segment:
    """A segment open for reading."""

    name: str
    dictionary: Dictionary
    lexicon: Lexicon
    postings: Postings
    columns: Columns
    stored: Stored
    identity: tuple[int, int]  # of its file of terms, see `identity_of`

    @property
    def documents(self) -> int:
        return len(self.columns.fingerprints)

    @cached_property
    def longest(self) -> int:
        """How many words the longest document has."""
        return int(self.columns.lengths.sum(axis=1, dtype=np.int64).max(initial=0))

    def places(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Where each of these documents stands; -1 for those that are not here."""
        if not self.documents:
            return np.full(len(fingerprints), -1)
        own, order = self.by_fingerprint
        near = np.searchsorted(own, fingerprints).clip(max=len(own) - 1)
        return np.where(own[near] == fingerprints, order[near], -1)

    @cached_property
    def by_fingerprint(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The fingerprints, rising, and whose they are: thousands are looked up for one query."""
        order = np.argsort(self.columns.fingerprints)
        return self.columns.fingerprints[order], order

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """Where in `by_fingerprint` those begin whose first bits are each number: a few of them, evenly.

        There are a power of 2 of these numbers, and behind them stands where the last end.
        """
        bits = max(0, self.documents.bit_length() - HEAD_BITS)
        firsts = np.arange(1 << bits, dtype=np.uint64) << np.uint64(min(63, 64 - bits))
        return np.append(np.searchsorted(self.by_fingerprint[0], firsts), self.documents)

    def host(self, number: int) -> str:
        """The name of a host by its number, with its port if that is not the usual one."""
        known = self._known_hosts
        name = known.get(number)
        if name is None:
            if len(known) >= HOSTS_REMEMBERED:
                known.clear()
            ends, names = self._host_ends, self.columns.host_names
            name = names[ends[number - 1] + 1 if number else 0 : ends[number]].tobytes().decode()
            known[number] = name
        return name

    @cached_property
    def _known_hosts(self) -> dict[int, str]:
        """Names of hosts that were asked for: the same few are, again and again."""
        return {}

    @cached_property
    def _host_ends(self) -> NDArray[np.int64]:
        """Where each name of a host ends."""
        names = self.columns.host_names
        return np.append(np.flatnonzero(names == ord("\n")), len(names))

    @cached_property
    def spoken(self) -> dict[str, int]:
        """How many documents there are in each language; deleted ones count until the segment merges."""
        counts = np.bincount(self.columns.language_ids).tolist()
        return dict(zip(self.columns.languages(), counts, strict=True)) if counts else {}

    @cached_property
    def marks(self) -> list[str]:
        """What names each of its languages in the terms of documents, by its number."""
        return [analyser(name).language for name in self.columns.languages() or [""]]

    @cached_property
    def look_up(self) -> Callable[[tuple[str, ...]], LookedUp]:
        """The terms of a query. They are asked for twice, for the statistics and for the search."""
        # What is remembered holds no segment: it would hold itself, and its files open.
        return lru_cache(LOOKED_UP)(partial(_looked_up, self.dictionary, self.postings))

    def frequencies(self, lines: bytes, count: int) -> NDArray[np.int64]:
        """How many documents hold each of so many terms, one a line. They are not remembered."""
        if kernels_are_loaded():
            held: NDArray[np.int64] = _found(
                self.dictionary, self.postings, np.frombuffer(lines, np.uint8), count
            )[1]
            return held
        terms = lines.decode(*CODING).split("\n")[:-1]
        return np.array(_looked_up(self.dictionary, self.postings, tuple(terms)).frequencies, np.int64)

    @cached_property
    def sounds(self) -> Callable[[Way], Sounds]:
        """The terms by how they sound, computed when they are first asked for."""
        return lru_cache(len(Way))(partial(sounds_of, self.dictionary))


def _looked_up(dictionary: Dictionary, postings: Postings, terms: tuple[str, ...]) -> LookedUp:
    if kernels_are_loaded():
        return _looked_up_compiled(dictionary, postings, terms)
    numbers = [dictionary.number(term) for term in terms]
    return LookedUp(numbers, [postings.frequency(number) if number >= 0 else 0 for number in numbers])


def _looked_up_compiled(dictionary: Dictionary, postings: Postings, terms: tuple[str, ...]) -> LookedUp:
    return LookedUp(*_found(dictionary, postings, keys_of(terms), len(terms)).tolist())


def _found(
    dictionary: Dictionary, postings: Postings, keys: NDArray[np.uint8], count: int
) -> NDArray[np.int64]:
    """Two rows: the numbers of so many terms, and how many documents hold each."""
    blocks = dictionary.blocks
    found = np.empty((2, count), np.int64)
    entries = postings.term_entries, postings.entry_postings
    find_terms(blocks.heads, blocks.starts, blocks.data, keys, *entries, found[0], found[1])
    return found


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
        write_lexicon(folder / WORDS, content.lexicon)
        write_postings(folder, content.postings)
        write_columns(folder / COLUMNS, content.columns)
        content.stored.write(folder / STORED, content.slots)


def identity_of(folder: Path) -> tuple[int, int]:
    """Another one when the segment was made anew under the same name."""
    try:
        stat = (folder / TERMS).stat()
    except FileNotFoundError:
        raise DamagedFile(folder / TERMS, "it is missing") from None
    return stat.st_ino, stat.st_mtime_ns


def read_segment(folder: Path) -> Segment:
    identity = identity_of(folder)
    return Segment(
        folder.name,
        read_dictionary(folder / TERMS),
        read_lexicon(folder / WORDS),
        read_postings(folder),
        read_columns(folder / COLUMNS),
        read_stored(folder / STORED),
        identity,
    )


def write_deleted(path: Path, docs: NDArray[np.uint32]) -> None:
    write_arrays(path, {"deleted": docs})


def read_deleted(path: Path) -> NDArray[np.uint32]:
    return read_arrays(path)["deleted"]
