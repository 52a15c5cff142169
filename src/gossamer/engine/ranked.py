"""Which pages, hosts or domains are the best by a rank, for a person, and which pages could be trusted?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.columns import split, stored
from gossamer.engine.config import Config
from gossamer.engine.graph import CollectionGraph
from gossamer.engine.naming import names_of
from gossamer.engine.partition import Partition
from gossamer.engine.seeds import Seeds
from gossamer.links.generation import PAGES, Generation, open_generation
from gossamer.links.ranks.topic import personalised_pagerank
from gossamer.links.ranks.trust import inverse_pagerank
from gossamer.model import BadSetting, NotRanked, UsageError
from gossamer.model.notebook import Tabled


@dataclass(frozen=True, slots=True)
class RankedPage(Tabled):
    """A page at its place by some rank; a page that was never fetched has no title."""

    rank: int
    url: str
    title: str
    value: float


def ranked_generation(graph_folder: Path) -> Generation:
    """The generation that counts; an error before there is one."""
    generation = open_generation(graph_folder)
    if generation is None:
        raise NotRanked
    return generation


def top(partitions: Sequence[Partition], graph_folder: Path, count: int, by: str) -> list[RankedPage]:
    """The best pages by a rank."""
    generation = ranked_generation(graph_folder)
    known = stored(generation)
    if by not in known:
        raise BadSetting(f"there is no rank {by!r}; there are: {', '.join(known)}")
    values = known[by]
    level = split(by)[0]
    if level != PAGES:
        names = generation.sites("hosts" if level == "hosts" else "domains").names
        order = np.argsort(-values, kind="stable")[:count].tolist()
        return [
            RankedPage(place, names[site], "", float(values[site])) for place, site in enumerate(order, 1)
        ]
    return _best(partitions, generation, values, count)


def propose_seeds(
    partitions: Sequence[Partition], graph_folder: Path, config: Config, count: int
) -> list[RankedPage]:
    """Pages from which trust would get far, by inverse PageRank; a person decides which are trusted."""
    generation = ranked_generation(graph_folder)
    result = inverse_pagerank(
        generation.graph(), generation.outward(), config.rank.beta, config.rank.tolerance
    )
    return _best(partitions, generation, result.values, count)


def personal(
    partitions: Sequence[Partition], graph_folder: Path, config: Config, liked: Sequence[str], count: int
) -> list[RankedPage]:
    """The best pages for somebody who likes these pages: PageRank that jumps to them and nowhere else."""
    generation = ranked_generation(graph_folder)
    graph = CollectionGraph(partitions, generation)
    named = Seeds(graph, graph_folder.parent, lambda _query, _count: ()).named(liked)
    if named.unknown or not len(named.nodes):
        raise UsageError(f"the graph has no page of {', '.join(named.unknown) or 'nothing'}")
    beta, tolerance = config.rank.beta, config.rank.tolerance
    result = personalised_pagerank(graph.inward, named.nodes, beta=beta, tolerance=tolerance)
    return _best(partitions, generation, result.values, count)


def _best(
    partitions: Sequence[Partition], generation: Generation, values: NDArray[Any], count: int
) -> list[RankedPage]:
    order = np.lexsort((generation.fingerprints, -values))[:count]
    names = names_of(partitions, generation.fingerprints[order])
    rows = enumerate(zip(order.tolist(), names, strict=True), 1)
    return [RankedPage(place, *name, float(values[node])) for place, (node, name) in rows]
