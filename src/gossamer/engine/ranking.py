"""From the link logs of all partitions to a new generation: the graph, its ranks, and the texts of links."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.anchoring import keep_only, remove, write_anchors
from gossamer.engine.config import Config
from gossamer.engine.partition import Partition
from gossamer.engine.progress import StepObserver
from gossamer.engine.unfetched import may_be_shown
from gossamer.links.generation import next_number, open_generation, write_generation
from gossamer.links.graph import build
from gossamer.links.pagerank import pagerank
from gossamer.model import BadSetting, GossamerError
from gossamer.model.graph import LinkGraph

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
    config: Config,
    observer: StepObserver | None = None,
) -> RankSummary:
    """Builds the graph, computes its ranks and indexes what links say, in place of the old generation."""
    begun = time.perf_counter()
    tell = observer or (lambda _what, _done, _total: None)
    tell("reading links", 0, 3)
    aliases = {
        source: target for partition in partitions for source, target in partition.catalogue.redirects()
    }
    graph = _graph(partitions, aliases, tell)
    tell("computing PageRank", 2, 3)
    result = pagerank(graph, beta=config.rank.beta, tolerance=config.rank.tolerance)
    number = next_number(graph_folder)
    texts = _texts(partitions, number, aliases, config, tell)
    ranks = {"pagerank": result.values, "indegree": np.diff(graph.starts).astype(np.float64)}
    try:
        write_generation(graph_folder, graph, ranks, texts)
    except BaseException:
        remove([partition.anchors_folder(number) for partition in partitions])
        raise
    keep_only(partitions, number)
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


def _graph(partitions: Sequence[Partition], aliases: Mapping[int, int], tell: StepObserver) -> LinkGraph:
    edges = [partition.link_log.edges() for partition in partitions]
    tell("building the graph", 1, 3)
    sources, targets, flags = (np.concatenate(column) for column in zip(*edges, strict=True))
    kept = np.concatenate([partition.catalogue.kept_versions()[0] for partition in partitions])
    return build(sources, targets, flags, aliases, kept)


def _texts(
    partitions: Sequence[Partition],
    number: int,
    aliases: Mapping[int, int],
    config: Config,
    tell: StepObserver,
) -> tuple[int, ...]:
    """What links say, indexed for the generation with this number."""
    done = 0

    def tell_more(links: int) -> None:
        nonlocal done
        done += links
        tell("indexing the texts of links", done, 0)

    tell_more(0)
    memory = config.index.memory_mb * 1_000_000
    unfetched = may_be_shown(partitions, config)
    return write_anchors(partitions, number, aliases, config.text.language, memory, unfetched, tell_more)


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
