"""Generations of graph and ranks on disk.

A generation is a folder of array files, one array each, that never change. `MANIFEST` names the current
generation and its files; it is replaced when a new generation is complete. Ranks are columns: a rank can be
added or replaced without rewriting the graph, by replacing the manifest. Processes that have opened the old
files can still read them.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from isal.isal_zlib import crc32
from numpy.typing import DTypeLike, NDArray

from gossamer.collection.partition import folder_name
from gossamer.model import DamagedFile, GossamerError, NotRanked, UsageError, WrongFormat
from gossamer.model.graph import LinkGraph, NameList, Nodes, OutLinks, SiteGraph
from gossamer.storage.files import (
    arrays_writer,
    disk_errors,
    read_arrays,
    read_manifest,
    sync_folder,
    write_arrays,
    write_manifest,
)

FORMAT = 3  # 2: sites, out-links, unvouched links, pages by host; 3: files of arrays as those of segments
MANIFEST = "MANIFEST"
REMEDY = "run: gossamer rank"
SUFFIX = ".arrays"
VALUES = "values"  # name of the only array in a file
PAGES = "pages"
Ranks = Mapping[str, NDArray[np.float64]]
Checksums = Mapping[str, Mapping[str, int]]  # "bytes" and "crc32" of each file of format 2


@dataclass(frozen=True, slots=True)
class Generation:
    """A link graph with its ranks; arrays are memory-mapped."""

    number: int
    folder: Path
    files: frozenset[str]
    checksums: Checksums
    nodes: Nodes
    ranks: Ranks
    site_ranks: Mapping[str, Ranks]  # for the levels "hosts" and "domains"
    anchor_counts: tuple[int, ...] | None = None  # anchor texts per partition; None if not indexed

    @property
    def fingerprints(self) -> NDArray[np.uint64]:
        """The fingerprints of the pages, in node order."""
        return self.nodes.fingerprints

    def rank(self, name: str) -> NDArray[np.float64]:
        """Return a rank of every page, in node order."""
        return self.ranks[name]

    def lookup(self, name: str, fingerprints: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Return the rank of these pages; 0 for unknown pages."""
        if not len(self.nodes):
            return np.zeros(len(fingerprints))
        nodes = self.nodes.find(fingerprints)
        return np.where(nodes >= 0, self.rank(name)[nodes], 0.0)

    def graph(self) -> LinkGraph:
        """Read the page graph by target, and verify it. Searching does not need it."""
        return LinkGraph(self.fingerprints, *map(self.array, ("starts", "sources", "out-degrees")))

    def outward(self) -> OutLinks:
        """Read the links of the page graph by source."""
        return OutLinks(self.array("out-starts"), self.array("out-targets"))

    def unvouched(self) -> tuple[LinkGraph, OutLinks]:
        """Read the graph of unvouched links. Its nodes have their own numbers, in fingerprint order."""
        names = ("fingerprints", "starts", "sources", "out-degrees", "out-starts", "out-targets")
        fingerprints, starts, sources, degrees, *out = (self.array(f"unvouched-{name}") for name in names)
        return LinkGraph(fingerprints, starts, sources, degrees), OutLinks(*out)

    def sites(self, level: str) -> SiteGraph:
        """Read the graph of hosts (their members are pages) or of domains (their members are hosts)."""
        names = NameList(self.array(f"{level}-names"), self.array(f"{level}-name-starts"))
        parts = (field.name.replace("_", "-") for field in fields(SiteGraph)[1:])
        return SiteGraph(names, *(self.array(f"{level}-{part}") for part in parts))

    def array(self, name: str) -> NDArray[Any]:
        """Read an array of the generation and verify its checksum."""
        return _array(self.folder, name, self.checksums)

    def has(self, name: str) -> bool:
        """Return whether the generation has an array of this name."""
        return f"{name}{SUFFIX}" in self.files or f"{name}{NPY}" in self.files


def anchor_counts_of(directory: Path) -> tuple[int, tuple[int, ...]] | None:
    """Return the number of the current generation and the anchor texts per partition, if indexed."""
    content = manifest_of(directory) or {}
    counts = content.get("anchors")
    return None if counts is None else (content["generation"], tuple(counts))


def forget_anchors(directory: Path) -> None:
    """Mark the current generation as having no anchor-text index."""
    if (content := manifest_of(directory)) is not None:
        write_manifest(directory / MANIFEST, {**content, "anchors": None})


def manifest_of(directory: Path) -> dict[str, Any] | None:
    """Read the manifest; None before the first ranking."""
    path = directory / MANIFEST
    if not path.exists():
        return None
    return _manifest_of_format_2(path) or read_manifest(path, FORMAT, REMEDY)


def open_generation(directory: Path) -> Generation | None:
    """Open the current generation; None before the first ranking."""
    while (content := manifest_of(directory)) is not None:
        try:
            return opened(directory, content)
        except DamagedFile:
            # a writer may have replaced the manifest and removed these files just now
            if manifest_of(directory) == content:
                raise
    return None


def ranked_generation(directory: Path) -> Generation:
    """Open the current generation; raise NotRanked before the first ranking."""
    generation = open_generation(directory)
    if generation is None:
        raise NotRanked
    return generation


def opened(directory: Path, content: Mapping[str, Any]) -> Generation:
    """Open the generation that a manifest describes."""
    number, checksums, counts = content["generation"], content.get("checksums", {}), content["anchors"]
    folder = directory / folder_name(number)
    nodes = Nodes(*(_array(folder, name, checksums) for name in ("fingerprints", "known", "order")))
    ranks = {
        level: {name: _read(folder / file, checksums) for name, file in sorted(own.items())}
        for level, own in sorted(content["ranks"].items())
    }
    files, own = frozenset(content["files"]), ranks.pop(PAGES)
    anchor_counts = None if counts is None else tuple(counts)
    return Generation(number, folder, files, checksums, nodes, own, ranks, anchor_counts)


def verify(directory: Path) -> list[str]:
    """Verify all files of the current generation; return a sentence for each problem."""
    try:
        content = manifest_of(directory)
    except GossamerError as error:
        return [str(error)]
    if content is None:
        return []
    folder, problems = directory / folder_name(content["generation"]), []
    for file in content["files"]:
        try:
            _read(folder / file, content.get("checksums", {}))
        except GossamerError as error:
            problems.append(str(error))
    return problems


def _array(folder: Path, name: str, checksums: Checksums) -> NDArray[Any]:
    suffix = NPY if f"{name}{NPY}" in checksums else SUFFIX
    return _read(folder / f"{name}{suffix}", checksums)


def _read(path: Path, checksums: Checksums) -> NDArray[Any]:
    """Map the array of a file into memory and verify its checksum."""
    return _read_npy(path, checksums[path.name]) if path.name in checksums else read_arrays(path)[VALUES]


# Read generations of format 2
# ----------------------------
#
# Their arrays are .npy files. The manifest is a JSON object with its content, which has the sizes and
# checksums of the files, and the checksum of that content. The next `gossamer rank` replaces them.

NPY = ".npy"


def _manifest_of_format_2(path: Path) -> dict[str, Any] | None:
    """Convert a manifest of format 2 to the current format plus "checksums"; None for a newer manifest."""
    data = path.read_bytes()
    if not data.startswith(b'{\n "content"'):
        return None
    try:
        whole = json.loads(data)
        content: dict[str, Any] = whole["content"]
        is_sound = whole["crc32"] == crc32(json.dumps(content, sort_keys=True).encode())
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFile(path, "it cannot be read as a manifest") from error
    if not is_sound:
        raise DamagedFile(path, "it does not match its checksum")
    if content["format"] != 2:
        raise WrongFormat(path, content["format"], FORMAT, REMEDY)
    return {**content, "format": FORMAT, "files": list(content["files"]), "checksums": content["files"]}


def _read_npy(path: Path, written: Mapping[str, int]) -> NDArray[Any]:
    try:
        whole = np.memmap(path, np.uint8, "r")
        if len(whole) != written["bytes"] or crc32(whole.data) != written["crc32"]:
            raise DamagedFile(path, "it does not match its checksum")
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DamagedFile(path, f"it cannot be read as an array: {error}") from error
    return array


# Write and publish a generation
# ------------------------------


# The levels of the graph, and an array of each that has one value per node.
LEVELS = {PAGES: "order", "hosts": "hosts-pages", "domains": "domains-pages"}
NAME = re.compile(r"\w[\w:+-]{0,99}")
Append = Callable[[NDArray[Any]], None]


class NewArrays:
    """Write array files into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[str] = []

    @contextmanager
    def writing(self, name: str, kind: DTypeLike) -> Iterator[Append]:
        """Write an array in pieces; the block receives a function that appends a piece."""
        path = self._path(name)
        with arrays_writer(path) as writer:

            def append(piece: NDArray[Any]) -> None:
                writer.append(VALUES, piece.astype(kind, copy=False))

            append(np.empty(0, kind))
            yield append
        self.files.append(path.name)

    def write(self, name: str, array: NDArray[Any]) -> str:
        """Write a whole array; return the name of its file."""
        path = self._path(name)
        write_arrays(path, {VALUES: array})
        self.files.append(path.name)
        return path.name

    def read(self, name: str) -> NDArray[Any]:
        """Map a written array into memory."""
        return read_arrays(self._path(name))[VALUES]

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{SUFFIX}"


class NewGeneration(NewArrays):
    """A generation being written: graphs and ranks go into its folder; `finish` makes it current."""

    def __init__(self, directory: Path, number: int) -> None:
        super().__init__(directory / folder_name(number))
        self.number = number
        self._directory = directory
        self._ranks: dict[str, dict[str, str]] = {level: {} for level in LEVELS}

    def write_rank(self, name: str, values: NDArray[Any], level: str = PAGES) -> None:
        """Add a rank: a value for each page, host or domain, in node order."""
        nodes = len(self.read(LEVELS[level]))
        self._ranks[level][name] = _write_rank(self, name, values, level, nodes)

    def finish(self, anchor_counts: tuple[int, ...] | None = None) -> Generation:
        """Make this the current generation and remove the others.

        `anchor_counts` is the number of texts of each partition in the anchor-text index with the same
        number; None if there is no such index.
        """
        with disk_errors(self.folder):
            sync_folder(self.folder)
        content = self._content(anchor_counts)
        write_manifest(self._directory / MANIFEST, content)
        remove_all_but_current(self._directory)
        return opened(self._directory, content)

    def so_far(self) -> Generation:
        """Open what is written so far, to compute further ranks from it."""
        return opened(self._directory, self._content(None))

    def _content(self, anchor_counts: tuple[int, ...] | None) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "generation": self.number,
            "revision": 1,
            "files": self.files,
            "ranks": self._ranks,
            "anchors": anchor_counts,
        }


@contextmanager
def new_generation(directory: Path) -> Iterator[NewGeneration]:
    """Begin the next generation; its folder is removed if the block fails."""
    new = NewGeneration(directory, next_number(directory))
    try:
        with disk_errors(new.folder):
            new.folder.mkdir(parents=True)
        yield new
    except BaseException:  # an incomplete generation is useless, and the disk may be full
        shutil.rmtree(new.folder, ignore_errors=True)
        raise


def write_ranks(directory: Path, ranks: Mapping[str, NDArray[Any]], level: str = PAGES) -> Generation:
    """Add ranks to the current generation, or replace the ranks of these names."""
    content = manifest_of(directory)
    if content is None:
        raise NotRanked
    revision, known = content["revision"] + 1, content["ranks"]
    arrays = NewArrays(directory / folder_name(content["generation"]))
    nodes = len(_array(arrays.folder, LEVELS[level], content.get("checksums", {})))
    columns = ranks.items()
    new = {name: _write_rank(arrays, name, values, level, nodes, f".{revision}") for name, values in columns}
    with disk_errors(arrays.folder):
        sync_folder(arrays.folder)
    old = {file for name, file in known[level].items() if name in new}
    files = [*(file for file in content["files"] if file not in old), *arrays.files]
    content |= {"revision": revision, "files": files, "ranks": {**known, level: {**known[level], **new}}}
    write_manifest(directory / MANIFEST, content)
    for name in old:
        (arrays.folder / name).unlink(missing_ok=True)
    return opened(directory, content)


def _write_rank(
    arrays: NewArrays, name: str, values: NDArray[Any], level: str, nodes: int, revision: str = ""
) -> str:
    """Write a rank with one value per node; return the name of its file."""
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a valid rank name: use letters, digits, and - _ : + between them")
    if len(values) != nodes:
        raise ValueError(f"rank {name} has {len(values)} values for {nodes} {level}")
    prefix = "" if level == PAGES else f"{level}-"
    kind = np.float32 if values.dtype == np.float32 else np.float64
    return arrays.write(f"{prefix}rank-{name}{revision}", values.astype(kind, copy=False))


def next_number(directory: Path) -> int:
    """Return the number of the next generation."""
    return 1 + max((int(folder.name.removeprefix("gen-")) for folder in _folders(directory)), default=0)


def remove_all_but_current(directory: Path) -> None:
    """Remove old generations, and incomplete ones that a killed process left."""
    content = manifest_of(directory)
    for folder in _folders(directory):
        if content is None or folder.name != folder_name(content["generation"]):
            shutil.rmtree(folder, ignore_errors=True)


def _folders(directory: Path) -> list[Path]:
    return sorted(directory.glob("gen-[0-9]*"))
