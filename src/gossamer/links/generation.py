"""Where do the graph and its ranks lie until the next ones are computed?

A generation is a folder of arrays that never change; `MANIFEST` names the one that counts, and is swapped
when a new one is complete. Whoever has opened the old one keeps its ranks.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.disk import disk_errors, sync_folder
from gossamer.links.files import (
    FileSum,
    array_problem,
    read_manifest,
    write_array,
    write_manifest,
)
from gossamer.model import DamagedFile, GossamerError
from gossamer.model.graph import LinkGraph

FORMAT = 1
MANIFEST = "MANIFEST"
GRAPH_ARRAYS = ("fingerprints", "starts", "sources", "out_degrees")
RANK_PREFIX = "rank-"


@dataclass(frozen=True, slots=True)
class Generation:
    """The graph and the ranks that belong together; arrays are memory-mapped."""

    number: int
    folder: Path
    files: Mapping[str, FileSum]
    fingerprints: NDArray[np.uint64]  # the pages, rising
    ranks: Mapping[str, NDArray[np.float64]]
    anchors: tuple[int, ...] | None = None  # how many each partition has indexed, if they are

    def rank(self, name: str) -> NDArray[np.float64]:
        """A rank of every page, in the order of `fingerprints`."""
        return self.ranks[name]

    def lookup(self, name: str, fingerprints: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The rank of these pages, 0 where a page is unknown."""
        known = self.fingerprints
        if not len(known):
            return np.zeros(len(fingerprints))
        where = np.minimum(np.searchsorted(known, fingerprints), len(known) - 1)
        return np.where(known[where] == fingerprints, self.rank(name)[where], 0.0)

    def graph(self) -> LinkGraph:
        """The graph; read and checked only here, as searching does not need it."""
        return LinkGraph(*(_mapped(self.folder, self.files, name) for name in GRAPH_ARRAYS))


def next_number(directory: Path) -> int:
    """Which number the next generation will have."""
    return _last_number(directory) + 1


def write_generation(
    directory: Path,
    graph: LinkGraph,
    ranks: Mapping[str, NDArray[Any]],
    anchors: tuple[int, ...] | None = None,
) -> Generation:
    """Writes a new generation, makes it the one that counts, and removes the others.

    `anchors` says that an index of them is there under the same number, and how many each partition has.
    """
    for name, values in ranks.items():
        if len(values) != graph.pages:
            raise ValueError(f"rank {name} has {len(values)} values for {graph.pages} pages")
    number = next_number(directory)
    folder = directory / folder_name(number)
    files = _write_arrays(folder, _arrays(graph, ranks))
    content = {"format": FORMAT, "generation": number, "files": files, "anchors": anchors}
    write_manifest(directory / MANIFEST, content)
    for old in _folders(directory):
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
    return _opened(folder, number, files, anchors)


def anchors_of(directory: Path) -> tuple[int, tuple[int, ...]] | None:
    """The number of the generation that counts and the anchors of each partition, if they are indexed."""
    manifest = directory / MANIFEST
    content = read_manifest(manifest, FORMAT) if manifest.exists() else {}
    counts = content.get("anchors")
    return None if counts is None else (content["generation"], tuple(counts))


def forget_anchors(directory: Path) -> None:
    """Says that the generation that counts has no index of anchors any more."""
    content = read_manifest(directory / MANIFEST, FORMAT)
    write_manifest(directory / MANIFEST, {**content, "anchors": None})


def open_generation(directory: Path) -> Generation | None:
    """The generation that counts, or None before there is one."""
    manifest = directory / MANIFEST
    while manifest.exists():
        content = read_manifest(manifest, FORMAT)
        number, anchors = content["generation"], content.get("anchors")
        try:
            folder = directory / folder_name(number)
            return _opened(folder, number, content["files"], None if anchors is None else tuple(anchors))
        except DamagedFile:
            # a writer may have swapped the manifest and removed this generation just now
            if read_manifest(manifest, FORMAT) == content:
                raise
    return None


def verify(directory: Path) -> list[str]:
    """What is wrong, in sentences; empty when nothing is."""
    manifest = directory / MANIFEST
    if not manifest.exists():
        return []
    try:
        content = read_manifest(manifest, FORMAT)
    except GossamerError as error:
        return [str(error)]
    folder = directory / folder_name(content["generation"])
    problems = {folder / name: array_problem(folder / name, file) for name, file in content["files"].items()}
    return [str(DamagedFile(path, why)) for path, why in problems.items() if why]


def _write_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]]) -> dict[str, FileSum]:
    with disk_errors(folder):
        folder.mkdir(parents=True)
        try:
            files = {name: write_array(folder / name, array) for name, array in arrays.items()}
            sync_folder(folder)
        except BaseException:  # half a generation is of no use, and the disk may be full
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return files


def _opened(
    folder: Path, number: int, files: Mapping[str, FileSum], anchors: tuple[int, ...] | None
) -> Generation:
    names = [name.removesuffix(".npy") for name in files if name.startswith(RANK_PREFIX)]
    ranks = {name.removeprefix(RANK_PREFIX): _mapped(folder, files, name) for name in names}
    return Generation(number, folder, files, _mapped(folder, files, "fingerprints"), ranks, anchors)


def _mapped(folder: Path, files: Mapping[str, FileSum], name: str) -> NDArray[Any]:
    path = folder / f"{name}.npy"
    problem = array_problem(path, files[path.name])
    if problem:
        raise DamagedFile(path, problem)
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DamagedFile(path, f"it cannot be read as an array: {error}") from error
    return array


def _arrays(graph: LinkGraph, ranks: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    arrays = {f"{name}.npy": getattr(graph, name) for name in GRAPH_ARRAYS}
    return arrays | {f"{RANK_PREFIX}{name}.npy": np.asarray(rank, np.float64) for name, rank in ranks.items()}


def folder_name(number: int) -> str:
    """What a generation's folder is called."""
    return f"gen-{number:06d}"


def _folders(directory: Path) -> list[Path]:
    return sorted(directory.glob("gen-[0-9]*"))


def _last_number(directory: Path) -> int:
    return max((int(folder.name.removeprefix("gen-")) for folder in _folders(directory)), default=0)
