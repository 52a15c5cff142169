"""What is there of the graph and its ranks until the next ones are computed?

A generation is a folder of arrays that never change; `MANIFEST` names the one that counts and its files, and
is swapped when a new one is complete. Ranks are columns: one may be added or replaced without the graph,
which swaps the manifest too. Whoever has opened the old ones keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.links.files import FileSum, array_problem, mapped_array, read_manifest, write_manifest
from gossamer.model import DamagedFile, GossamerError
from gossamer.model.graph import LinkGraph, Names, Nodes, Outward, SiteGraph

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


def folder_name(number: int) -> str:
    """What a generation's folder is called."""
    return f"gen-{number:06d}"
