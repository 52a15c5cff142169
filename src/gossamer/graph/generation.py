"""Generations of graph and ranks on disk.

A generation is a folder of arrays that never change; `MANIFEST` names the one that counts and its files, and
is swapped when a new one is complete. Ranks are columns: one may be added or replaced without the graph,
which swaps the manifest too. Whoever has opened the old ones keeps them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.partition import folder_name
from gossamer.model import DamagedFile, GossamerError, UsageError
from gossamer.model.graph import LinkGraph, Names, Nodes, Outward, SiteGraph
from gossamer.storage.files import (
    FileSum,
    NewArrays,
    array_problem,
    disk_errors,
    mapped_array,
    read_manifest,
    sync_folder,
    write_manifest,
)

FORMAT = 2  # 2: sites, out-links, links without a vote; pages of one host stand together
MANIFEST = "MANIFEST"
PAGES = "pages"
Sites = Literal["hosts", "domains"]
Ranks = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Generation:
    """The graph and the ranks that belong together; arrays are memory-mapped."""

    number: int
    folder: Path
    files: Mapping[str, FileSum]
    nodes: Nodes
    ranks: Ranks
    site_ranks: Mapping[str, Ranks]  # of "hosts" and of "domains"
    anchors: tuple[int, ...] | None = None  # how many each partition has indexed, if they are

    @property
    def fingerprints(self) -> NDArray[np.uint64]:
        """The pages, in the order of nodes."""
        return self.nodes.fingerprints

    def rank(self, name: str) -> NDArray[np.float64]:
        """A rank of every page, in the order of nodes."""
        return self.ranks[name]

    def lookup(self, name: str, fingerprints: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The rank of these pages, 0 where a page is unknown."""
        if not len(self.nodes):
            return np.zeros(len(fingerprints))
        nodes = self.nodes.find(fingerprints)
        return np.where(nodes >= 0, self.rank(name)[nodes], 0.0)

    def graph(self) -> LinkGraph:
        """The graph; read and checked only here, as searching does not need it."""
        return LinkGraph(self.fingerprints, *map(self.array, ("starts", "sources", "out-degrees")))

    def outward(self) -> Outward:
        """The same links by source."""
        return Outward(self.array("out-starts"), self.array("out-targets"))

    def unvouched(self) -> tuple[LinkGraph, Outward]:
        """The links for which nobody vouches; their pages have numbers of their own, by fingerprint."""
        names = ("fingerprints", "starts", "sources", "out-degrees", "out-starts", "out-targets")
        fingerprints, starts, sources, degrees, *out = (self.array(f"unvouched-{name}") for name in names)
        return LinkGraph(fingerprints, starts, sources, degrees), Outward(*out)

    def sites(self, level: Sites) -> SiteGraph:
        """The graph of hosts, whose members are pages, or of domains, whose members are hosts."""
        names = Names(self.array(f"{level}-names"), self.array(f"{level}-name-starts"))
        parts = (
            "firsts",
            "pages",
            "starts",
            "sources",
            "weights",
            "out-starts",
            "out-targets",
            "out-weights",
        )
        return SiteGraph(names, *(self.array(f"{level}-{part}") for part in parts))

    def array(self, name: str) -> NDArray[Any]:
        """An array of the generation, its checksum verified."""
        return _mapped(self.folder, self.files, f"{name}.npy")


def anchors_of(directory: Path) -> tuple[int, tuple[int, ...]] | None:
    """The number of the generation that counts and the anchors of each partition, if they are indexed."""
    content = manifest_of(directory) or {}
    counts = content.get("anchors")
    return None if counts is None else (content["generation"], tuple(counts))


def forget_anchors(directory: Path) -> None:
    """Says that the generation that counts has no index of anchors any more."""
    content = manifest_of(directory) or {}
    write_manifest(directory / MANIFEST, {**content, "anchors": None})


def manifest_of(directory: Path) -> dict[str, Any] | None:
    """What the manifest says; None before there is one."""
    manifest = directory / MANIFEST
    return read_manifest(manifest, FORMAT) if manifest.exists() else None


def open_generation(directory: Path) -> Generation | None:
    """The generation that counts, or None before there is one."""
    while (content := manifest_of(directory)) is not None:
        try:
            return opened(directory, content)
        except DamagedFile:
            # a writer may have swapped the manifest and removed these files just now
            if manifest_of(directory) == content:
                raise
    return None


def opened(directory: Path, content: Mapping[str, Any]) -> Generation:
    """The generation that a manifest describes."""
    number, files, anchors = content["generation"], content["files"], content["anchors"]
    folder = directory / folder_name(number)
    nodes = Nodes(*(_mapped(folder, files, f"{name}.npy") for name in ("fingerprints", "known", "order")))
    ranks = {
        level: {name: _mapped(folder, files, file) for name, file in own.items()}
        for level, own in content["ranks"].items()
    }
    own = ranks.pop(PAGES)
    return Generation(number, folder, files, nodes, own, ranks, None if anchors is None else tuple(anchors))


def verify(directory: Path) -> list[str]:
    """What is wrong, in sentences; empty when nothing is."""
    try:
        content = manifest_of(directory)
    except GossamerError as error:
        return [str(error)]
    if content is None:
        return []
    folder = directory / folder_name(content["generation"])
    problems = {folder / name: array_problem(folder / name, file) for name, file in content["files"].items()}
    return [str(DamagedFile(path, why)) for path, why in problems.items() if why]


def _mapped(folder: Path, files: Mapping[str, FileSum], name: str) -> NDArray[Any]:
    problem = array_problem(folder / name, files[name])
    if problem:
        raise DamagedFile(folder / name, problem)
    return mapped_array(folder / name)


# Write and publish a generation
# ------------------------------


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
