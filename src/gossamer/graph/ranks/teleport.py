"""Teleport sets: PageRank for a topic or for a person.

PageRank whose walker jumps only to the pages of a set S: the pages of a topic, or pages that a person likes:

    r = beta * M r + (1 - beta) * t,   t[v] = 1 / |S| for v in the set S, 0 elsewhere

T. Haveliwala, "Topic-sensitive PageRank", WWW 2002; G. Jeh, J. Widom, "Scaling personalized Web search", WWW
2003. Pages that cannot be reached from S have rank 0.

Four pages with links A -> B, C, D; B -> A, D; C -> A; D -> B, C; beta is 0.8, S is {B, D}:

    >>> from fractions import Fraction
    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.pagerank import pagerank
    >>> web = graph_of([(0, 1), (0, 2), (0, 3), (1, 0), (1, 3), (2, 0), (3, 1), (3, 2)])
    >>> ranks = pagerank(web, beta=0.8, tolerance=1e-14, teleport=teleport_set(4, [1, 3])).values
    >>> [str(Fraction(rank).limit_denominator(1000)) for rank in ranks]  # 54, 59, 38, 59 of 210
    ['9/35', '59/210', '19/105', '59/210']

Costs: one PageRank per topic, computed in advance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.model import UsageError

Nodes = NDArray[np.integer] | Sequence[int]
Vector = NDArray[np.float64]


def teleport_set(pages: int, nodes: Nodes) -> Vector:
    """Return the teleport distribution over all pages: uniform over these nodes, 0 elsewhere.

    >>> teleport_set(4, [1, 3]).tolist()
    [0.0, 0.5, 0.0, 0.5]
    """
    chosen = np.zeros(pages)
    chosen[as_nodes(pages, nodes)] = 1.0
    total = chosen.sum()
    if not total:
        raise UsageError("a teleport set needs at least one page")
    chosen /= total
    return chosen


def as_nodes(pages: int, nodes: Nodes) -> NDArray[np.int64]:
    """Return node numbers as an array; raise UsageError if one is not in the graph (kernels do not check)."""
    places = np.asarray(nodes, np.int64).reshape(-1)
    if len(places) and (places.min() < 0 or places.max() >= pages):
        wrong = places[(places < 0) | (places >= pages)][0]
        raise UsageError(f"the graph has no node {wrong}; its nodes are 0 to {pages - 1}")
    return places
