"""Topic-sensitive and personalised PageRank.

PageRank whose walker jumps back to the pages of a topic, or of a person, instead of to any page:

    r = beta * M r + (1 - beta) * t,   t[v] = 1 / |S| for v in the set S, 0 elsewhere

T. Haveliwala, "Topic-sensitive PageRank", WWW 2002; G. Jeh, J. Widom, "Scaling personalized Web search", WWW
2003. What cannot be reached from the set has rank 0. Several topics are blended for a query by how likely
each is meant.

Four pages, A to B, C, D; B to A, D; C to A; D to B, C; beta 0.8, the topic {B, D}:

    >>> from fractions import Fraction
    >>> from gossamer.graph.build import graph_of
    >>> web = graph_of([(0, 1), (0, 2), (0, 3), (1, 0), (1, 3), (2, 0), (3, 1), (3, 2)])
    >>> ranks = topic_pagerank(web, {"letters": [1, 3]}, beta=0.8, tolerance=1e-14)["letters"].values
    >>> [str(Fraction(rank).limit_denominator(1000)) for rank in ranks]  # 54, 59, 38, 59 of 210
    ['9/35', '59/210', '19/105', '59/210']

Costs: one PageRank a topic, computed beforehand; a blend is a sum.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gossamer.graph.pagerank import RankResult, pagerank
from gossamer.graph.ranks.teleport import Nodes, Vector, teleport_set
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph


def topic_pagerank(
    graph: LinkGraph,
    topics: Mapping[str, Nodes],
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    starts: Mapping[str, Vector] | None = None,
) -> dict[str, RankResult]:
    """The PageRank of each topic, from its teleport set. `starts` are ranks of an earlier generation."""
    earlier = starts or {}
    return {
        name: pagerank(
            graph, beta, tolerance, max_steps,
            teleport=teleport_set(graph.pages, nodes), start=earlier.get(name),
        )
        for name, nodes in topics.items()
    }  # fmt: skip


def personalised_pagerank(
    graph: LinkGraph,
    pages: Nodes,
    weights: Vector | None = None,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
) -> RankResult:
    """The PageRank of somebody who jumps to these pages, to each by its weight."""
    teleport = teleport_set(graph.pages, pages, weights)
    return pagerank(graph, beta, tolerance, max_steps, teleport=teleport)


def blend(ranks: Mapping[str, Vector], shares: Mapping[str, float]) -> Vector:
    """The ranks of topics, each as much as its share: what a query means with which probability.

    >>> blend({"a": np.array([1.0, 0.0]), "b": np.array([0.5, 0.5])}, {"a": 1, "b": 3}).tolist()
    [0.625, 0.375]
    """
    total = sum(shares.values())
    if not total > 0 or min(shares.values()) < 0:
        raise UsageError("shares of topics are numbers of which none is negative and one is not 0")
    blended = np.zeros(len(ranks[next(iter(shares))]))
    for name, share in shares.items():
        blended += share / total * ranks[name]
    return blended
