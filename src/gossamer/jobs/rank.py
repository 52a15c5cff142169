"""Compute a new generation: graph, ranks, anchor-text index.

All ranks that the settings ask for are computed and stored. See `graph.blend.BEST` for the rank that boosts
pages by default.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.anchor_text.indexer import keep_only, remove, write_anchors
from gossamer.anchor_text.page_names import PageNameCounter
from gossamer.anchor_text.unfetched import UnfetchedPages
from gossamer.answer.pipeline import AnswerPipeline
from gossamer.collection.collection import held
from gossamer.collection.partition import Partition
from gossamer.config import Config
from gossamer.crawl.fetch.robots_cache import rules_from
from gossamer.crawl.frontier.frontier import url_filter
from gossamer.graph.build import CommittedLinks, build_graphs
from gossamer.graph.generation import (
    Generation,
    NewGeneration,
    new_generation,
    open_generation,
    ranked_generation,
    remove_all_but_current,
    write_ranks,
)
from gossamer.graph.pagerank import RankResult, pagerank
from gossamer.graph.ranks.registry import RankComputer, split, stored
from gossamer.graph.ranks.seed_sets import SeedSets
from gossamer.graph.reader import CollectionGraph
from gossamer.model import GossamerError, Url
from gossamer.model.graph import LinkGraph
from gossamer.model.notebook import NotebookTable
from gossamer.model.progress import Observer, StepProgress, unobserved
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.web.robots import ALLOW_ALL, RobotsRules, product_token
from gossamer.web.url_filter import UrlFilter

# Summary of a ranking run
# ------------------------


@dataclass(frozen=True, slots=True)
class RankSummary(NotebookTable):
    """Report what ranking did.

    `steps`, `residual`, `converged` and `diagnosis` describe PageRank. With `only`, they describe the
    computed rank with the worst convergence.

    Attributes:
        pages: How many pages the graph has, including pages that were not fetched and are only linked to.
        links: How many links it has.
        steps: How many iterations the rank took.
        residual: The change in the last iteration.
        converged: Whether the change fell below the limit.
        seconds: How long it took.
        diagnosis: Why it did not converge; empty if it did.
        ranks: The names of the ranks that were computed.
        notes: Hints for the owner, such as seed pages that the graph does not have.
        hosts: How many hosts the graph has.
        domains: How many registrable domains it has.
    """

    pages: int
    links: int
    steps: int
    residual: float
    converged: bool
    seconds: float
    diagnosis: str = ""
    ranks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    hosts: int = 0
    domains: int = 0


# Stands for ranks that are only counted, such as in-degree.
NO_ITERATION = RankResult(np.empty(0), steps=0, residual=0.0, converged=True)


def _summary(
    graph: LinkGraph, walks: Iterable[RankResult], begun: float, names: Sequence[str], computer: RankComputer
) -> RankSummary:
    """Summarise a ranking, with the iteration that has the worst convergence."""
    worst = max(walks, key=lambda walk: (not walk.converged, walk.residual), default=NO_ITERATION)
    done = (worst.steps, worst.residual, worst.converged, time.perf_counter() - begun, worst.diagnosis)
    return RankSummary(graph.pages, graph.links, *done, tuple(names), tuple(computer.notes), *computer.sites)


# Unfetched URLs that may be search results
# -----------------------------------------
#
# These are queued URLs that were never fetched and are not forbidden by the current URL filters of
# the owner or by the robots.txt of their host, if it is known. URLs that were fetched and are dead,
# forbidden or not to be indexed are not queued.

HOSTS = 4096  # hosts whose rules are cached: the URLs of a host are not consecutive


def may_be_shown(partitions: Sequence[Partition], config: Config) -> list[UnfetchedPages]:
    """Return for each partition the unfetched URLs that may be found by their anchor text alone."""
    left_out = url_filter(config.crawl, (), partitions)
    agent = product_token(config.fetch.user_agent)
    return [_of_partition(partition.catalogue, left_out, agent) for partition in partitions]


def _of_partition(catalogue: Catalogue, left_out: UrlFilter, agent: str) -> UnfetchedPages:
    rules_of = _rules(catalogue)
    fingerprints, hosts = [], []
    for fingerprint, text, depth in catalogue.never_fetched():
        url = Url.parsed(text)
        if rules_of(url.authority, url.origin).allows(url, agent) and not left_out.refusal(url, depth):
            fingerprints.append(fingerprint)
            hosts.append(url.authority)
    return UnfetchedPages.of(fingerprints, hosts)


def _rules(catalogue: Catalogue) -> Callable[[str, str], RobotsRules]:
    @lru_cache(HOSTS)
    def rules(authority: str, origin: str) -> RobotsRules:
        """Return the robots.txt rules of a host; allow everything if it was not fetched or did not answer."""
        row = catalogue.robots(authority)
        known = row is not None and row.origin == origin and 0 < row.status < 500
        return rules_from(row.status, row.body) if row is not None and known else ALLOW_ALL

    return rules


# Rank a collection
# -----------------


def rank(
    partitions: Sequence[Partition],
    graph_folder: Path,
    config: Config,
    observer: Observer[StepProgress] | None = None,
) -> RankSummary:
    """Build the graph, compute its ranks and index anchor text; replace the old generation."""
    with _ranking(graph_folder):
        return _ranked(partitions, graph_folder, config, observer or unobserved)


def _ranking(graph_folder: Path) -> AbstractContextManager[None]:
    """Hold the lock of the graph: a ranking process may survive the crawl that started it for a moment."""
    return held(graph_folder.with_name("graph.lock"), f"the ranks in {graph_folder} are being computed")


def _ranked(
    partitions: Sequence[Partition], graph_folder: Path, config: Config, tell: Observer[StepProgress]
) -> RankSummary:
    begun = time.perf_counter()
    tell(StepProgress("reading links"))
    with suppress(GossamerError):  # a manifest of another format, or a damaged one: it will be replaced
        remove_all_but_current(graph_folder)
    links = CommittedLinks(partitions)
    with new_generation(graph_folder) as new:
        build_graphs(new, links.source(), config.rank.memory_mb * 1_000_000, tell)
        graph = new.so_far().graph()
        tell(StepProgress("computing PageRank"))
        earlier = _earlier(graph_folder)
        start = warm_start(earlier, new, config.rank.damping)
        result = pagerank(graph, config.rank.damping, config.rank.tolerance, start=start)
        new.write_rank("pagerank", result.values)
        computer = _rank_computer(partitions, graph_folder, new.so_far(), config, earlier)
        computer.start_with("pagerank", result.values)
        for name in computer.names:
            if name != "pagerank":
                tell(StepProgress(f"computing {name}"))
                new.write_rank(split(name)[1], _narrow(name, computer.values(name)), split(name)[0])
        naming = PageNameCounter()
        anchor_counts = _write_anchor_index(partitions, new.number, links, config, tell, naming)
        try:
            for name, array in naming.naming().as_arrays().items():
                new.write(name, array)
            new.finish(anchor_counts)
        except BaseException:
            remove([partition.anchors_folder(new.number) for partition in partitions])
            raise
    keep_only(partitions, new.number)
    tell(StepProgress("done", 1, 1))
    return _summary(graph, [result], begun, computer.names, computer)


def rank_only(
    partitions: Sequence[Partition],
    graph_folder: Path,
    config: Config,
    names: Sequence[str],
    observer: Observer[StepProgress] | None = None,
) -> RankSummary:
    """Recompute some ranks on the current graph, and replace their old values."""
    begun = time.perf_counter()
    with _ranking(graph_folder):
        generation = ranked_generation(graph_folder)
        computer = _rank_computer(partitions, graph_folder, generation, config, generation)
        for name in names:
            computer.check_name(name)
        for name, values in stored(generation).items():
            if name not in names:
                computer.start_with(name, values)
        for name in names:
            if observer:
                observer(StepProgress(f"computing {name}"))
            level, own = split(name)
            write_ranks(graph_folder, {own: _narrow(name, computer.values(name))}, level)
    return _summary(generation.graph(), computer.walks, begun, names, computer)


def _rank_computer(
    partitions: Sequence[Partition],
    graph_folder: Path,
    generation: Generation,
    config: Config,
    earlier: Generation | None,
) -> RankComputer:
    """Construct the `RankComputer`. The queries of topics are answered without ranks, to avoid feedback."""
    pipeline = AnswerPipeline([partition.index for partition in partitions], None, config.search)

    def found(query: str, count: int) -> list[int]:
        page = pipeline.search(query, count, everything=True, snippets=False, correct=False)
        return [hit.fingerprint for hit in page.hits]

    graph = CollectionGraph(partitions, generation)
    return RankComputer(graph, SeedSets(graph, graph_folder.parent, found), config.rank, earlier)


def _narrow(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """Convert a rank to its stored precision: 32 bits, but 64 for PageRank, because its sums are shown."""
    return values.astype(np.float64 if split(name)[1] == "pagerank" else np.float32)


def _earlier(graph_folder: Path) -> Generation | None:
    with suppress(GossamerError):  # of another format, or damaged
        return open_generation(graph_folder)
    return None


def warm_start(earlier: Generation | None, new: NewGeneration, beta: float) -> NDArray[np.float64] | None:
    """Return the PageRank of the earlier generation for the pages of a new one; None if there is none.

    A new page starts with the rank that it gets from jumps alone. For other ranks see `RankComputer`.
    """
    known, order = new.read("known"), new.read("order")
    if earlier is None or "pagerank" not in earlier.ranks or not len(known):
        return None
    values = earlier.lookup("pagerank", known)
    start = np.empty(len(known))
    start[order] = np.where(values > 0, values, (1 - beta) / len(known))
    return start if start.sum() > 0 else None


def _write_anchor_index(
    partitions: Sequence[Partition],
    number: int,
    links: CommittedLinks,
    config: Config,
    tell: Observer[StepProgress],
    naming: PageNameCounter,
) -> tuple[int, ...]:
    """Index anchor text for the generation with this number; return the number of texts per partition."""
    done = 0

    def tell_more(links: int) -> None:
        nonlocal done
        done += links
        tell(StepProgress("indexing the texts of links", done, 0))

    tell_more(0)
    memory = config.index.memory_mb * 1_000_000
    unfetched = may_be_shown(partitions, config)
    language = config.text.language
    return write_anchors(partitions, number, links, language, memory, unfetched, tell_more, naming.note)
