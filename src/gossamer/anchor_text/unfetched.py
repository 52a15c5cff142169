"""Pages known only by links: lookup and file format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.index.segment import coded
from gossamer.model.graph import find_keys
from gossamer.storage.files import read_arrays, write_arrays

NAME = "unfetched.arrays"


@dataclass(frozen=True)
class UnfetchedPages:
    """Pages that results may show before they are fetched, with their hosts."""

    fingerprints: NDArray[np.uint64]  # ascending
    host_ids: NDArray[np.uint32]
    host_names: NDArray[np.uint8]  # UTF-8, separated by newlines

    @classmethod
    def of(cls, fingerprints: Sequence[int], hosts: Sequence[str]) -> UnfetchedPages:
        """Build from columns in any order."""
        numbers = np.array(fingerprints, np.uint64)
        rising = np.argsort(numbers)
        host_ids, names = coded(hosts)
        return cls(numbers[rising], host_ids[rising], names)

    @cached_property
    def hosts(self) -> list[str]:
        """The host names, sorted."""
        return self.host_names.tobytes().decode().split("\n")

    def host(self, number: int) -> str:
        """The name of a host by its number."""
        return self.hosts[number]

    def rows(self, pages: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The row of each of these pages; -1 for pages that are not here."""
        return find_keys(self.fingerprints, pages)


NO_PAGES = UnfetchedPages.of((), ())


def write_unfetched(folder: Path, pages: UnfetchedPages) -> None:
    write_arrays(folder / NAME, {one.name: getattr(pages, one.name) for one in fields(pages)})


def read_unfetched(folder: Path) -> UnfetchedPages:
    return UnfetchedPages(**read_arrays(folder / NAME))
