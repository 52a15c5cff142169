"""What is known of each document besides its words: one value a document, for filters and identity."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.files import read_arrays, write_arrays

_EXTENSION = re.compile(r"\.([A-Za-z0-9]{1,8})$")
NAMED = ("host", "language", "type")  # columns that hold numbers of names
PLAIN = ("fingerprints", "fetched_at", "published", "lengths")


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays indexed by document. `host_ids` and its like point into sorted lists of names."""

    fingerprints: NDArray[np.uint64]
    fetched_at: NDArray[np.float64]
    published: NDArray[np.float64]  # NaN where unknown
    lengths: NDArray[np.uint32]  # documents x fields
    sketches: NDArray[np.uint8]  # documents x 84, zeros where there is none; x 0 where nowhere is one
    host_ids: NDArray[np.uint32]
    language_ids: NDArray[np.uint32]
    type_ids: NDArray[np.uint32]
    host_names: NDArray[np.uint8]  # UTF-8, separated by newlines
    language_names: NDArray[np.uint8]
    type_names: NDArray[np.uint8]
    # Of passages in other languages than their pages; a segment from before there were any has none.
    passage_names: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))

    def hosts(self) -> list[str]:
        return _names(self.host_names)

    def languages(self) -> list[str]:
        """One of them may be "", of pages whose language nobody knows."""
        return _names(self.language_names) or [""] * bool(len(self.language_ids))

    def passage_languages(self) -> list[str]:
        """In which some passage is that stands in a page of another language."""
        return _names(self.passage_names)

    def types(self) -> list[str]:
        """See `file_type`."""
        return _names(self.type_names)


def file_type(media_type: str, path: str) -> str:
    """What kind of file a document is: its media type, and how its address ends if that is an extension.

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
    """What hosts are ordered by: labels from the last to the first, so that a domain's hosts stand together.

    >>> sorted(["b.org", "x.a.org", "a-b.org", "a.org"], key=host_key)
    ['a.org', 'x.a.org', 'a-b.org', 'b.org']
    """
    return "\x01".join(reversed(authority.split(".")))


def host_ranks(parts: Sequence[Columns]) -> list[NDArray[np.uint32]]:
    """Of each document of each segment, the rank of its host among the hosts of all: see `host_key`."""
    keys = [[*map(host_key, part.hosts()), ""] for part in parts]  # one nameless host has an empty list
    ranks = {key: rank for rank, key in enumerate(sorted(set().union(*keys)))}
    tables = [np.array([ranks[key] for key in own], np.uint32) for own in keys]
    return [table[part.host_ids] for table, part in zip(tables, parts, strict=True)]


def coded(values: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Values as numbers into a sorted list of names, and that list as an array."""
    names = sorted(set(values))
    number = {name: i for i, name in enumerate(names)}
    return np.fromiter(map(number.__getitem__, values), np.uint32, len(values)), joined_names(names)


def joined_names(names: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(names).encode(), dtype=np.uint8)


def merged_columns(
    parts: Sequence[Columns], masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]
) -> Columns:
    """The columns of what the masks leave of several segments, put into this order."""

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
        # a name that no living document has gets any number, as nothing will point to it
        tables = [np.array([number.get(name, 0) for name in own], np.uint32) for own in lists]
        numbers = [table[own] for table, own in zip(tables, ids, strict=True)]
        merged[f"{kind}_ids"], merged[f"{kind}_names"] = put_in_order(numbers), joined_names(names)
    spoken = sorted(set().union(*(part.passage_languages() for part in parts)))
    return Columns(**merged, passage_names=joined_names(spoken))


def _of_one_width(tables: Sequence[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    """Tables with as many columns as the widest has; others get zeros."""
    width = max(table.shape[1] for table in tables)
    return [np.pad(table, ((0, 0), (0, width - table.shape[1]))) for table in tables]


def _used(names: Sequence[str], ids: NDArray[np.uint32]) -> set[str]:
    return {names[number] for number in np.unique(ids).tolist()}


def write_columns(path: Path, columns: Columns) -> None:
    write_arrays(path, {f.name: getattr(columns, f.name) for f in fields(columns)})


def read_columns(path: Path) -> Columns:
    return Columns(**read_arrays(path))
