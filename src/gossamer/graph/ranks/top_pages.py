"""Best pages by a rank; seed proposals; personal PageRank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.collection.partition import Partition
from gossamer.graph.blend import no_rank
from gossamer.graph.generation import PAGES, Generation, ranked_generation
from gossamer.graph.pagerank import pagerank
from gossamer.graph.ranks.registry import column_of, split, stored
from gossamer.graph.ranks.seed_sets import SeedSets
from gossamer.graph.ranks.teleport import teleport_set
from gossamer.graph.ranks.trustrank import LEAST_RANK, inverse_pagerank
from gossamer.graph.reader import CollectionGraph, names_of
from gossamer.graph.settings import RankSettings
from gossamer.model import BadSetting, UsageError
from gossamer.model.notebook import NotebookTable

SPAM_MASS = "spam-mass"
A_HOST = 2  # consecutive proposals of one host


@dataclass(frozen=True, slots=True)
class RankedPage(NotebookTable):
    """A page in a list ordered by a link rank.

    Attributes:
        rank: Its position, from 1.
        url: Its URL; for ranks of hosts and domains, the name.
        title: Its title; empty if it was never fetched.
        value: The value of the rank.
    """

    rank: int
    url: str
    title: str
    value: float


def top(partitions: Sequence[Partition], graph_folder: Path, count: int, by: str) -> list[RankedPage]:
    """Return the best pages or sites by a rank; by spam mass, the most suspect with a high PageRank."""
    generation = ranked_generation(graph_folder)
    known = stored(generation)
    if by not in known:
        raise BadSetting(no_rank(by, list(known)))
    values = known[by]
    level, name = split(by)
    among = _high(known[column_of(level, "pagerank")]) if name == SPAM_MASS else np.arange(len(values))
    if level == PAGES:
        return _best(partitions, generation, values, count, among)
    names = generation.sites(level).names
    order = among[np.argsort(-values[among], kind="stable")][:count].tolist()
    return [RankedPage(place, names[site], "", float(values[site])) for place, site in enumerate(order, 1)]


def propose_seeds(
    partitions: Sequence[Partition], graph_folder: Path, settings: RankSettings, count: int
) -> list[RankedPage]:
    """Propose candidates for trusted pages: those that lead to much of the web, by inverse PageRank.

    The list has only pages that were kept, so that the owner can look at them. Hosts take turns, so that a
    host whose pages all link to each other does not fill the list.
    """
    generation = ranked_generation(graph_folder)
    graph, outward = generation.graph(), generation.outward()
    result = inverse_pagerank(graph, outward, settings.damping, settings.tolerance)
    kept = np.concatenate([partition.catalogue.kept_versions()[0] for partition in partitions])
    among = np.flatnonzero(np.isin(generation.fingerprints, kept))
    order = _ordered(generation, result.values, among)
    order = order[_in_turns(generation.sites("hosts").site_of(order))]
    return _listed(partitions, generation, result.values, order[:count])


def personal(
    partitions: Sequence[Partition],
    graph_folder: Path,
    settings: RankSettings,
    liked: Sequence[str],
    count: int,
) -> list[RankedPage]:
    """Return the best pages by personalised PageRank, which jumps only to the liked pages."""
    generation = ranked_generation(graph_folder)
    graph = CollectionGraph(partitions, generation)
    named = SeedSets(graph, graph_folder.parent, lambda _query, _count: ()).named(liked)
    if named.unknown or not len(named.nodes):
        raise UsageError(f"the graph has no page of {', '.join(named.unknown) or 'nothing'}")
    teleport = teleport_set(graph.inward.pages, named.nodes)
    result = pagerank(graph.inward, settings.damping, settings.tolerance, teleport=teleport)
    return _best(partitions, generation, result.values, count, np.arange(graph.inward.pages))


def _best(
    partitions: Sequence[Partition],
    generation: Generation,
    values: NDArray[Any],
    count: int,
    among: NDArray[np.int64],
) -> list[RankedPage]:
    return _listed(partitions, generation, values, _ordered(generation, values, among)[:count])


def _ordered(generation: Generation, values: NDArray[Any], among: NDArray[np.int64]) -> NDArray[np.int64]:
    return among[np.lexsort((generation.fingerprints[among], -values[among]))]


def _listed(
    partitions: Sequence[Partition], generation: Generation, values: NDArray[Any], order: NDArray[np.int64]
) -> list[RankedPage]:
    names = names_of(partitions, generation.fingerprints[order])
    rows = enumerate(zip(order.tolist(), names, strict=True), 1)
    return [RankedPage(place, *name, float(values[node])) for place, (node, name) in rows]


def _high(ranks: NDArray[Any]) -> NDArray[np.int64]:
    """Return the nodes with a PageRank high enough for spam mass to be meaningful."""
    return np.flatnonzero(ranks >= LEAST_RANK * ranks.min(initial=np.inf))


def _in_turns(hosts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an order in which hosts take turns, `A_HOST` nodes at a time; within a host the order stays.

    >>> _in_turns(np.array([7, 7, 7, 8, 7, 7, 9])).tolist()
    [0, 1, 3, 6, 2, 4, 5]
    """
    by_host = np.argsort(hosts, kind="stable")
    counts = np.unique(hosts, return_counts=True)[1]
    before = np.empty(len(hosts), np.int64)  # number of earlier nodes of the same host
    before[by_host] = np.arange(len(hosts)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.argsort(before // A_HOST, kind="stable")
