"""How does a generation come to count, and how is one of its ranks replaced?"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.disk import disk_errors, sync_folder
from gossamer.links.arrays import NewArrays
from gossamer.links.files import write_manifest
from gossamer.links.generation import FORMAT, MANIFEST, PAGES, Generation, folder_name, manifest_of, opened
from gossamer.model import GossamerError, UsageError
from gossamer.model.graph import LinkGraph, Outward

# Of each level, the array that has a value for each of its nodes.
LEVELS = {PAGES: "order", "hosts": "hosts-pages", "domains": "domains-pages"}
NAME = re.compile(r"\w[\w:+-]{0,99}")


class NewGeneration(NewArrays):
    """A generation on its way: graphs and ranks are written into its folder, and count with `finish`."""

    def __init__(self, directory: Path, number: int) -> None:
        super().__init__(directory / folder_name(number))
        self.number = number
        self._directory = directory
        self._ranks: dict[str, dict[str, str]] = {level: {} for level in LEVELS}

    def graph(self) -> tuple[LinkGraph, Outward]:
        """The graph of pages as it was written."""
        inward = LinkGraph(*map(self.read, ("fingerprints", "starts", "sources", "out-degrees")))
        return inward, Outward(self.read("out-starts"), self.read("out-targets"))

    def write_rank(self, name: str, values: NDArray[Any], level: str = PAGES) -> None:
        """Adds a rank: a value for each page, host or domain, in the order of nodes."""
        self._ranks[level][name] = _write_rank(self, name, values, level, "")

    def finish(self, anchors: tuple[int, ...] | None = None) -> Generation:
        """Makes it the generation that counts, and removes the others.

        `anchors` says that an index of them is there under the same number, and how many each partition has.
        """
        with disk_errors(self.folder):
            sync_folder(self.folder)
        content = self._content(anchors)
        write_manifest(self._directory / MANIFEST, content)
        remove_unfinished(self._directory)
        return opened(self._directory, content)

    def so_far(self) -> Generation:
        """What is written of it, to be read: further ranks are made of the graph and of the first ones."""
        return opened(self._directory, self._content(None))

    def _content(self, anchors: tuple[int, ...] | None) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "generation": self.number,
            "revision": 1,
            "files": self.files,
            "ranks": self._ranks,
            "anchors": anchors,
        }


@contextmanager
def new_generation(directory: Path) -> Iterator[NewGeneration]:
    """The next generation, in a folder of its own that vanishes when the block fails."""
    new = NewGeneration(directory, next_number(directory))
    try:
        with disk_errors(new.folder):
            new.folder.mkdir(parents=True)
        yield new
    except BaseException:  # half a generation is of no use, and the disk may be full
        shutil.rmtree(new.folder, ignore_errors=True)
        raise


def write_ranks(directory: Path, ranks: Mapping[str, NDArray[Any]], level: str = PAGES) -> Generation:
    """Adds ranks to the generation that counts, in place of those with the same names."""
    content = manifest_of(directory)
    if content is None:
        raise GossamerError("there is no graph yet; run: gossamer rank")
    revision, known = content["revision"] + 1, content["ranks"]
    arrays = NewArrays(directory / folder_name(content["generation"]))
    new = {name: _write_rank(arrays, name, values, level, f".{revision}") for name, values in ranks.items()}
    with disk_errors(arrays.folder):
        sync_folder(arrays.folder)
    old = {file for name, file in known[level].items() if name in new}
    files = {name: file for name, file in content["files"].items() if name not in old} | arrays.files
    content |= {"revision": revision, "files": files, "ranks": {**known, level: {**known[level], **new}}}
    write_manifest(directory / MANIFEST, content)
    for name in old:
        (arrays.folder / name).unlink(missing_ok=True)
    return opened(directory, content)


def _write_rank(arrays: NewArrays, name: str, values: NDArray[Any], level: str, revision: str) -> str:
    """Writes a column; returns the name of its file."""
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name for a rank: letters, digits, and - _ : + between them")
    nodes = len(arrays.read(LEVELS[level]))
    if len(values) != nodes:
        raise ValueError(f"rank {name} has {len(values)} values for {nodes} {level}")
    prefix = "" if level == PAGES else f"{level}-"
    kind = np.float32 if values.dtype == np.float32 else np.float64
    arrays.write(f"{prefix}rank-{name}{revision}", values.astype(kind, copy=False))
    return f"{prefix}rank-{name}{revision}.npy"


def next_number(directory: Path) -> int:
    """Which number the next generation will have."""
    return 1 + max((int(folder.name.removeprefix("gen-")) for folder in _folders(directory)), default=0)


def remove_unfinished(directory: Path) -> None:
    """Removes every generation but the one that counts: old ones, and what a killed process left."""
    content = manifest_of(directory)
    for folder in _folders(directory):
        if content is None or folder.name != folder_name(content["generation"]):
            shutil.rmtree(folder, ignore_errors=True)


def _folders(directory: Path) -> list[Path]:
    return sorted(directory.glob("gen-[0-9]*"))
