"""From the link logs of all partitions to the graph and its ranks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.partition import Partition
from gossamer.engine.progress import StepObserver
from gossamer.engine.settings import RankSettings
from gossamer.links.generation import open_generation, write_generation
from gossamer.links.graph import build
from gossamer.links.pagerank import pagerank
from gossamer.model import BadSetting, GossamerError

RANKS = ("pagerank", "indegree")


@dataclass(frozen=True, slots=True)
class RankSummary:
    """What ranking did."""

    pages: int
    links: int
    steps: int
    residual: float
    converged: bool
    seconds: float
    diagnosis: str = ""  # why it did not converge


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A page at its place by some rank; a page that was never fetched has no title."""

    rank: int
    url: str
    title: str
    value: float


def rank(
    partitions: Sequence[Partition],
    graph_folder: Path,
    settings: RankSettings,
    observer: StepObserver | None = None,
) -> RankSummary:
    """Builds the graph, computes the ranks and puts them in the place of the old generation."""
    begun = time.perf_counter()
    tell = observer or (lambda _what, _done, _total: None)
    tell("reading links", 0, 3)
    edges = [partition.link_log.edges() for partition in partitions]
    aliases = {
        source: target for partition in partitions for source, target in partition.catalogue.redirects()
    }
    tell("building the graph", 1, 3)
    sources, targets, flags = (np.concatenate(column) for column in zip(*edges, strict=True))
    kept = np.concatenate([partition.catalogue.kept_versions()[0] for partition in partitions])
    graph = build(sources, targets, flags, aliases, kept)
    tell("computing PageRank", 2, 3)
    result = pagerank(graph, beta=settings.beta, tolerance=settings.tolerance)
    in_degrees = np.diff(graph.starts).astype(np.float64)
    write_generation(graph_folder, graph, {"pagerank": result.values, "indegree": in_degrees})
    tell("done", 3, 3)
    return RankSummary(
        graph.pages,
        graph.links,
        result.steps,
        result.residual,
        result.converged,
        time.perf_counter() - begun,
        result.diagnosis,
    )


def top(partitions: Sequence[Partition], graph_folder: Path, count: int, by: str) -> list[RankedPage]:
    """The best pages by a rank."""
    if by not in RANKS:
        raise BadSetting(f"there is no rank {by!r}; there are: {', '.join(RANKS)}")
    generation = open_generation(graph_folder)
    if generation is None:
        raise GossamerError("nothing is ranked yet; run: gossamer rank")
    values = generation.rank(by)
    order = np.lexsort((generation.fingerprints, -values))[:count]
    titles = _titles(partitions, generation.fingerprints[order])
    pages = []
    for place, node in enumerate(order.tolist(), 1):
        fingerprint = int(generation.fingerprints[node])
        url, title = titles.get(fingerprint) or (_known_url(partitions, fingerprint), "")
        pages.append(RankedPage(place, url, title, float(values[node])))
    return pages


def _titles(partitions: Sequence[Partition], wanted: NDArray[np.uint64]) -> dict[int, tuple[str, str]]:
    """URL and title of those pages that are in an index."""
    found = {}
    for partition in partitions:
        for view in partition.index.snapshot().views:
            fingerprints = view.segment.columns.fingerprints
            for doc in np.flatnonzero(np.isin(fingerprints, wanted) & view.alive()).tolist():
                stored = view.segment.stored.document(doc)
                found[int(fingerprints[doc])] = (stored.url, stored.title)
    return found


def _known_url(partitions: Sequence[Partition], fingerprint: int) -> str:
    rows = (partition.catalogue.url(fingerprint) for partition in partitions)
    return next(
        (row.url.text for row in rows if row is not None), f"(not in the catalogue: {fingerprint:016x})"
    )
