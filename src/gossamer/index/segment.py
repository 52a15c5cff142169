"""Segments, their per-document columns, and snapshots of segments."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import Weighting
from gossamer.index.dictionary import (
    Dictionary,
    Lexicon,
    find_terms,
    keys_of,
    read_dictionary,
    read_lexicon,
    write_dictionary,
    write_lexicon,
)
from gossamer.index.postings import Postings, read_postings, write_postings
from gossamer.index.stored_text import StoredDocuments, StoredWriter, read_stored
from gossamer.model import DamagedFile, TermStats
from gossamer.model.graph import find_keys
from gossamer.storage.files import (
    FileVersion,
    disk_errors,
    read_arrays,
    sync_folder,
    version_of,
    write_arrays,
)
from gossamer.text.terms import analyser

# Per-document columns for filters and identity
# ---------------------------------------------

_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,8})$")
NAMED = ("host", "language", "type")  # columns that hold indexes into lists of names
PLAIN = ("fingerprints", "fetched_at", "published", "lengths")


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays indexed by document.

    `host_ids`, `language_ids` and `type_ids` are indexes into sorted lists of names.
    """

    fingerprints: NDArray[np.uint64]
    fetched_at: NDArray[np.float64]
    published: NDArray[np.float64]  # NaN if unknown
    lengths: NDArray[np.uint32]  # documents x fields
    sketches: NDArray[np.uint8]  # documents x 84, zeros if the document has none; x 0 if no document has one
    host_ids: NDArray[np.uint32]
    language_ids: NDArray[np.uint32]
    type_ids: NDArray[np.uint32]
    host_names: NDArray[np.uint8]  # UTF-8, separated by newlines
    language_names: NDArray[np.uint8]
    type_names: NDArray[np.uint8]
    # Languages of passages that differ from the language of their page; missing in old segments.
    passage_names: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))

    def hosts(self) -> list[str]:
        """Return the sorted names of hosts."""
        return _names(self.host_names)

    def languages(self) -> list[str]:
        """Return the sorted codes of languages; "" stands for an unknown language."""
        return _names(self.language_names) or [""] * bool(len(self.language_ids))

    def passage_languages(self) -> list[str]:
        """Return the languages of passages in pages of another language."""
        return _names(self.passage_names)

    def types(self) -> list[str]:
        """Return the sorted file types, as `file_type` makes them."""
        return _names(self.type_names)


def file_type(media_type: str, path: str) -> str:
    """Return the media type and the file extension of a document.

    >>> file_type("application/pdf", "/papers/Jaguar.PDF?version=2"), file_type("text/html", "/cats/")
    ('application/pdf pdf', 'text/html ')
    """
    extension = _EXTENSION.search(path.partition("?")[0]) if "." in path else None
    return _type_name(media_type, extension[1] if extension else "")


@lru_cache
def _type_name(media_type: str, extension: str) -> str:
    return f"{media_type} {extension}".lower()


def _names(joined: NDArray[np.uint8]) -> list[str]:
    text = joined.tobytes().decode()
    return text.split("\n") if text else []


def host_key(authority: str) -> str:
    """Return the sort key of a host: its labels in reverse, so that hosts of a domain are adjacent.

    >>> sorted(["b.org", "x.a.org", "a-b.org", "a.org"], key=host_key)
    ['a.org', 'x.a.org', 'a-b.org', 'b.org']
    """
    return "\x01".join(reversed(authority.split(".")))


def host_ranks(parts: Sequence[Columns]) -> list[NDArray[np.uint32]]:
    """Return for each segment the rank of each document's host among all hosts, sorted by `host_key`."""
    keys = [[*map(host_key, part.hosts()), ""] for part in parts]  # `hosts` is [] if the only one is ""
    ranks = {key: rank for rank, key in enumerate(sorted(set().union(*keys)))}
    tables = [np.array([ranks[key] for key in own], np.uint32) for own in keys]
    return [table[part.host_ids] for table, part in zip(tables, parts, strict=True)]


def coded(values: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Return values as indexes into a sorted list of names, and that list as an array."""
    names = sorted(set(values))
    number = {name: i for i, name in enumerate(names)}
    return np.fromiter(map(number.__getitem__, values), np.uint32, len(values)), joined_names(names)


def joined_names(names: Sequence[str]) -> NDArray[np.uint8]:
    """Return names as UTF-8, separated by newlines."""
    return np.frombuffer("\n".join(names).encode(), dtype=np.uint8)


def merged_columns(
    parts: Sequence[Columns], masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]
) -> Columns:
    """Concatenate the columns of the documents in the masks, and sort them by `order`."""

    def put_in_order(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
        kept = [array[mask] for array, mask in zip(arrays, masks, strict=True)]
        return np.ascontiguousarray(np.concatenate(kept)[order])

    merged = {name: put_in_order([getattr(part, name) for part in parts]) for name in PLAIN}
    merged["sketches"] = put_in_order(_of_one_width([part.sketches for part in parts]))
    for kind in NAMED:
        lists = [_names(getattr(part, f"{kind}_names")) or [""] for part in parts]
        ids = [getattr(part, f"{kind}_ids") for part in parts]
        used = [_used(names, own[mask]) for names, own, mask in zip(lists, ids, masks, strict=True)]
        names = sorted(set().union(*used))
        number = {name: i for i, name in enumerate(names)}
        # names without a live document get 0: nothing will point to them
        tables = [np.array([number.get(name, 0) for name in own], np.uint32) for own in lists]
        numbers = [table[own] for table, own in zip(tables, ids, strict=True)]
        merged[f"{kind}_ids"], merged[f"{kind}_names"] = put_in_order(numbers), joined_names(names)
    spoken = sorted(set().union(*(part.passage_languages() for part in parts)))
    return Columns(**merged, passage_names=joined_names(spoken))


def _of_one_width(tables: Sequence[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    """Pad tables with zeros to the width of the widest."""
    width = max(table.shape[1] for table in tables)
    return [np.pad(table, ((0, 0), (0, width - table.shape[1]))) for table in tables]


def _used(names: Sequence[str], ids: NDArray[np.uint32]) -> set[str]:
    return {names[number] for number in np.unique(ids).tolist()}


def write_columns(path: Path, columns: Columns) -> None:
    write_arrays(path, {f.name: getattr(columns, f.name) for f in fields(columns)})


def read_columns(path: Path) -> Columns:
    return Columns(**read_arrays(path))


TERMS = "terms.arrays"
WORDS = "words.arrays"
COLUMNS = "columns.arrays"
STORED = "stored.arrays"
HOSTS_REMEMBERED = 10_000  # host names that a segment caches
HEAD_BITS = 3  # about 2^3 documents share the first bits of their fingerprints
LOOKED_UP = 16  # queries whose terms are cached
EVERY = np.empty(0, np.bool_)  # a mask that excludes nothing


@dataclass(frozen=True, slots=True)
class SegmentContent:
    """The content of a segment before it is written."""

    dictionary: Dictionary
    lexicon: Lexicon
    postings: Postings
    columns: Columns
    stored: StoredWriter  # stored texts, in order of arrival
    slots: NDArray[np.uint32]  # the place of each document in order of arrival


class TermLookup(NamedTuple):
    """The numbers of some terms, -1 for unknown ones, and their document frequencies.

    Deleted documents count until the segment is merged.
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
    stored: StoredDocuments
    identity: FileVersion  # see `identity_of`

    @property
    def documents(self) -> int:
        """The number of documents, deleted ones included."""
        return len(self.columns.fingerprints)

    @cached_property
    def longest(self) -> int:
        """The number of words of the longest document."""
        return int(self.columns.lengths.sum(axis=1, dtype=np.int64).max(initial=0))

    def places(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the number of each document by its fingerprint; -1 for those that are not in the segment."""
        own, order = self.by_fingerprint
        return find_keys(own, fingerprints, order)

    @cached_property
    def by_fingerprint(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The sorted fingerprints and their documents: one query may look up thousands."""
        order = np.argsort(self.columns.fingerprints)
        return self.columns.fingerprints[order], order

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """The place in `by_fingerprint` where each value of the first bits begins, with the end.

        The number of values is a power of 2 such that each has about 2^HEAD_BITS fingerprints.
        """
        bits = max(0, self.documents.bit_length() - HEAD_BITS)
        firsts = np.arange(1 << bits, dtype=np.uint64) << np.uint64(min(63, 64 - bits))
        return np.append(np.searchsorted(self.by_fingerprint[0], firsts), self.documents)

    @cached_property
    def host(self) -> Callable[[int], str]:
        """A cached function that returns the name of a host by its number, with its port if unusual."""
        names = self.columns.host_names
        ends = np.append(np.flatnonzero(names == ord("\n")), len(names))
        return lru_cache(HOSTS_REMEMBERED)(partial(_host_name, names, ends))

    @cached_property
    def spoken(self) -> dict[str, int]:
        """The number of documents in each language; deleted ones count until the segment is merged."""
        counts = np.bincount(self.columns.language_ids).tolist()
        return dict(zip(self.columns.languages(), counts, strict=True)) if counts else {}

    @cached_property
    def marks(self) -> list[str]:
        """The mark of each language in terms, by its number in `language_ids`."""
        return [analyser(name).language for name in self.columns.languages() or [""]]

    @cached_property
    def look_up(self) -> Callable[[tuple[str, ...]], TermLookup]:
        """A cached look-up of terms: a query needs them twice, for the statistics and for the search."""
        # The cache must not refer to the segment: that cycle would keep its files open.
        return lru_cache(LOOKED_UP)(partial(_looked_up, self.dictionary, self.postings))

    def frequencies(self, lines: bytes, count: int) -> NDArray[np.int64]:
        """Return the document frequencies of `count` terms, one per line, without caching them."""
        keys = np.frombuffer(lines, np.uint8)
        held: NDArray[np.int64] = _found(self.dictionary, self.postings, keys, count)[1]
        return held


def _host_name(names: NDArray[np.uint8], ends: NDArray[np.int64], number: int) -> str:
    return names[ends[number - 1] + 1 if number else 0 : ends[number]].tobytes().decode()


def _looked_up(dictionary: Dictionary, postings: Postings, terms: tuple[str, ...]) -> TermLookup:
    return TermLookup(*_found(dictionary, postings, keys_of(terms), len(terms)).tolist())


def _found(
    dictionary: Dictionary, postings: Postings, keys: NDArray[np.uint8], count: int
) -> NDArray[np.int64]:
    """Return two rows: the numbers of `count` terms, and their document frequencies."""
    blocks = dictionary.blocks
    found = np.empty((2, count), np.int64)
    entries = postings.term_entries, postings.entry_postings
    find_terms(blocks.heads, blocks.starts, blocks.data, keys, *entries, found[0], found[1])
    return found


@contextmanager
def new_segment(folder: Path) -> Iterator[None]:
    """Make the folder of a segment; remove it if the block fails. Only a manifest makes a segment visible."""
    with disk_errors(folder):
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        try:
            yield
            sync_folder(folder)
        except BaseException:  # half a segment is useless, and the disk may be full
            shutil.rmtree(folder, ignore_errors=True)
            raise


def write_segment(folder: Path, content: SegmentContent) -> None:
    """Write a new segment to a folder."""
    with new_segment(folder):
        write_dictionary(folder / TERMS, content.dictionary)
        write_lexicon(folder / WORDS, content.lexicon)
        write_postings(folder, content.postings)
        write_columns(folder / COLUMNS, content.columns)
        content.stored.write(folder / STORED, content.slots)


def identity_of(folder: Path) -> FileVersion:
    """Return an identity that changes if the segment is rebuilt under the same name."""
    found = version_of(folder / TERMS)
    if found is None:
        raise DamagedFile(folder / TERMS, "it is missing")
    return found


def read_segment(folder: Path) -> Segment:
    """Open a segment and verify its checksums."""
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


# Snapshot: segments at one moment, term statistics
# -------------------------------------------------


@dataclass(frozen=True, slots=True)
class SegmentView:
    """A segment and its deleted documents."""

    segment: Segment
    deleted: NDArray[np.uint32]

    def alive(self) -> NDArray[np.bool_]:
        """Return a mask of the documents that are not deleted."""
        mask = np.ones(self.segment.documents, dtype=np.bool_)
        mask[self.deleted] = False
        return mask


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All segments of one generation of the index."""

    generation: int
    views: tuple[SegmentView, ...] = ()
    weighting: Weighting | None = None  # of the collection; None while it is empty

    @property
    def documents(self) -> int:
        """The number of documents that are not deleted."""
        return sum(view.segment.documents - len(view.deleted) for view in self.views)

    @property
    def indexed(self) -> int:
        """The number of documents; deleted ones count until their segment is merged."""
        return sum(view.segment.documents for view in self.views)

    def term_stats(self, terms: Iterable[str]) -> TermStats:
        """Return the number of documents and the document frequency of each term; see `indexed`."""
        wanted = tuple(dict.fromkeys(terms))
        found = [view.segment.look_up(wanted).frequencies for view in self.views]
        if len(found) == 1:
            return TermStats(self.views[0].segment.documents, dict(zip(wanted, found[0], strict=True)))
        summed = [sum(own) for own in zip(*found, strict=True)] or [0] * len(wanted)
        return TermStats(self.indexed, dict(zip(wanted, summed, strict=True)))

    def frequencies(self, lines: bytes, count: int) -> NDArray[np.int64]:
        """Return the document frequencies of `count` terms, one per line."""
        held = np.zeros(count, np.int64)
        for view in self.views:
            held += view.segment.frequencies(lines, count)
        return held

    def languages(self) -> list[str]:
        """Return the languages of pages and passages."""
        columns = [view.segment.columns for view in self.views]
        return sorted({name for own in columns for name in [*own.languages(), *own.passage_languages()]})

    def spoken(self) -> Counter[str]:
        """Return the number of documents in each language.

        Deleted ones count until their segment is merged.
        """
        total = Counter[str]()
        for view in self.views:
            total.update(view.segment.spoken)
        return total
