"""From the link logs of all partitions to a new generation: the graph, its ranks, and the texts of links."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.anchoring import keep_only, remove, write_anchors
from gossamer.engine.collection import held
from gossamer.engine.config import Config
from gossamer.engine.linkage import CollectionLinks
from gossamer.engine.naming import names_of
from gossamer.engine.partition import Partition
from gossamer.engine.progress import StepObserver
from gossamer.engine.unfetched import may_be_shown
from gossamer.links.building import build_graphs
from gossamer.links.generation import open_generation
from gossamer.links.pagerank import pagerank
from gossamer.links.writing import NewGeneration, new_generation, remove_unfinished
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
    config: Config,
    observer: StepObserver | None = None,
) -> RankSummary:
    """Builds the graph, computes its ranks and indexes what links say, in place of the old generation."""
    # A process that ranks beside a crawl outlives that by a moment when it is killed.
    with held(graph_folder.with_name("graph.lock"), f"the ranks in {graph_folder} are being computed"):
        return _ranked(partitions, graph_folder, config, observer or (lambda _what, _done, _total: None))


def _ranked(
    partitions: Sequence[Partition], graph_folder: Path, config: Config, tell: StepObserver
) -> RankSummary:
    begun = time.perf_counter()
    tell("reading links", 0, 0)
    with suppress(GossamerError):  # of another format, or damaged: it is replaced
        remove_unfinished(graph_folder)
    links = CollectionLinks(partitions)
    with new_generation(graph_folder) as new:
        build_graphs(new, links.source(), config.rank.memory_mb * 1_000_000, tell)
        graph, _ = new.graph()
        tell("computing PageRank", 0, 0)
        start = warm_start(graph_folder, new, config.rank.beta)
        result = pagerank(graph, config.rank.beta, config.rank.tolerance, start=start)
        new.write_rank("pagerank", result.values)
        new.write_rank("indegree", np.diff(graph.starts).astype(np.float64))
        texts = _texts(partitions, new.number, links, config, tell)
        try:
            new.finish(texts)
        except BaseException:
            remove([partition.anchors_folder(new.number) for partition in partitions])
            raise
    keep_only(partitions, new.number)
    tell("done", 1, 1)
    return RankSummary(
        graph.pages,
        graph.links,
        result.steps,
        result.residual,
        result.converged,
        time.perf_counter() - begun,
        result.diagnosis,
    )


def warm_start(graph_folder: Path, new: NewGeneration, beta: float) -> NDArray[np.float64] | None:
    """The PageRank of the last generation, for the pages of a new one; None where there is none.

    A page that is new begins with what jumps alone would bring it.
    """
    old = None
    with suppress(GossamerError):
        old = open_generation(graph_folder)
    known, order = new.read("known"), new.read("order")
    if old is None or "pagerank" not in old.ranks or not len(known):
        return None
    values = old.lookup("pagerank", known)
    start = np.empty(len(known))
    start[order] = np.where(values > 0, values, (1 - beta) / len(known))
    return start if start.sum() > 0 else None


def _texts(
    partitions: Sequence[Partition],
    number: int,
    links: CollectionLinks,
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
    return write_anchors(partitions, number, links, config.text.language, memory, unfetched, tell_more)


def top(partitions: Sequence[Partition], graph_folder: Path, count: int, by: str) -> list[RankedPage]:
    """The best pages by a rank."""
    if by not in RANKS:
        raise BadSetting(f"there is no rank {by!r}; there are: {', '.join(RANKS)}")
    generation = open_generation(graph_folder)
    if generation is None:
        raise GossamerError("nothing is ranked yet; run: gossamer rank")
    values = generation.rank(by)
    order = np.lexsort((generation.fingerprints, -values))[:count]
    names = names_of(partitions, generation.fingerprints[order])
    rows = enumerate(zip(order.tolist(), names, strict=True), 1)
    return [RankedPage(place, *name, float(values[node])) for place, (node, name) in rows]
