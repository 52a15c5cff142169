"""What is known of each document besides its words: one value a document, for filters and identity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.index.files import read_arrays, write_arrays


@dataclass(frozen=True, slots=True)
class Columns:
    """Arrays indexed by document. `host_ids` and `language_ids` point into sorted lists of names."""

    fingerprints: NDArray[np.uint64]
    fetched_at: NDArray[np.float64]
    published: NDArray[np.float64]  # NaN where unknown
    lengths: NDArray[np.uint32]  # documents x fields
    host_ids: NDArray[np.uint32]
    language_ids: NDArray[np.uint32]
    host_names: NDArray[np.uint8]  # UTF-8, separated by newlines
    language_names: NDArray[np.uint8]

    def hosts(self) -> list[str]:
        return _names(self.host_names)

    def languages(self) -> list[str]:
        return _names(self.language_names)

    def host_mask(self, site: str) -> NDArray[np.bool_]:
        """Which documents stand on this host or on one below it."""
        wanted = site.lower().strip(".")
        matches = [_belongs(host, wanted) for host in self.hosts()]
        return np.array([*matches, False], dtype=np.bool_)[self.host_ids]


def _belongs(authority: str, wanted: str) -> bool:
    """Whether a host, with its port when it has one, is the wanted site or below it."""
    host = authority if ":" in wanted else authority.partition(":")[0]
    return host == wanted or host.endswith("." + wanted)


def _names(joined: NDArray[np.uint8]) -> list[str]:
    text = joined.tobytes().decode()
    return text.split("\n") if text else []


def coded(values: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Values as numbers into a sorted list of names, and that list as an array."""
    names = sorted(set(values))
    number = {name: i for i, name in enumerate(names)}
    joined = np.frombuffer("\n".join(names).encode(), dtype=np.uint8)
    return np.array([number[value] for value in values], dtype=np.uint32), joined


def write_columns(path: Path, columns: Columns) -> None:
    write_arrays(path, {f.name: getattr(columns, f.name) for f in fields(columns)})


def read_columns(path: Path) -> Columns:
    return Columns(**read_arrays(path))
