"""Health of index and graph."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np

from gossamer.collection.partition import Partition
from gossamer.graph.generation import MANIFEST, open_generation
from gossamer.model.notebook import NotebookTable

DAY = 86_400.0  # seconds
AGES = (1, 7, 30, 90, 365, inf)  # days: upper bounds of the age classes


@dataclass(frozen=True, slots=True)
class SegmentHealth(NotebookTable):
    """A segment of the index; deleted documents take space until it is merged."""

    partition: int
    name: str
    documents: int
    deleted: int


@dataclass(frozen=True, slots=True)
class GraphHealth(NotebookTable):
    """The current generation of the graph and its ranks."""

    generation: int
    made: float
    pages: int
    links: int
    ranks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Health(NotebookTable):
    """Describe the state of the index and the graph.

    Attributes:
        segments: Segments of the index, with their number of documents and of deleted ones.
        ages: Age classes: pairs of an upper bound in days and the number of pages fetched so long ago.
        graph: The generation of the graph and its ranks, or None before the first ranking.
    """

    segments: tuple[SegmentHealth, ...]
    ages: tuple[tuple[float, int], ...]
    graph: GraphHealth | None


def health(partitions: Sequence[Partition], graph_folder: Path, now: float) -> Health:
    """Return the state of index and graph. Reads manifests and one column, but no postings."""
    segments = [
        SegmentHealth(partition.number, entry.name, entry.documents, entry.deleted_documents)
        for partition in partitions
        for entry in partition.index.manifest().segments
    ]
    return Health(tuple(segments), _ages(partitions, now), _graph(graph_folder))


def _ages(partitions: Sequence[Partition], now: float) -> tuple[tuple[float, int], ...]:
    """Count the pages of each age class."""
    fetched = np.concatenate([np.empty(0), *(partition.index.versions()[1] for partition in partitions)])
    classes = np.searchsorted(AGES, (now - fetched) / DAY, side="right")
    counts = np.bincount(np.clip(classes, 0, len(AGES) - 1), minlength=len(AGES))
    return tuple(zip(AGES, counts.tolist(), strict=True))


def _graph(folder: Path) -> GraphHealth | None:
    generation = open_generation(folder)
    if generation is None:
        return None
    made = 0.0
    with suppress(FileNotFoundError):
        made = (folder / MANIFEST).stat().st_mtime
    pages, links = len(generation.fingerprints), int(generation.array("out-degrees").sum(dtype=np.int64))
    return GraphHealth(generation.number, made, pages, links, tuple(sorted(generation.ranks)))
