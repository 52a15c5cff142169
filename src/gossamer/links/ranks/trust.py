"""Which pages do trusted pages lead to, and which lead to spam?

TrustRank is PageRank that jumps to trusted pages only, so that all trust comes from them:

    t = beta * M t + (1 - beta) * d,   d[v] = 1 / |S| for v in the trusted seeds S, 0 elsewhere

Z. Gyöngyi, H. Garcia-Molina, J. Pedersen, "Combating Web spam with TrustRank", VLDB 2004. Good seeds reach
much of the web: candidates are the best pages by inverse PageRank, that of the graph with all links turned
round. They are only candidates: the target of a spam farm, which links to all its pages, stands high among
them, and a person has to look.

Distrust goes the other way: who links to spam is suspect, so it flows backwards from known spam. V. Krishnan,
R. Raj, "Web spam detection with anti-TrustRank", AIRWeb 2006.

Pages 0 and 1 are good and link to each other, 1 also to 2; the spam pages 3 and 4 link to each other, and
nothing good links to them:

    >>> from gossamer.links.pairs import graph_of
    >>> from gossamer.links.transpose import outward
    >>> web = graph_of([(0, 1), (1, 0), (1, 2), (2, 0), (3, 4), (4, 3), (3, 0)])
    >>> trustrank(web, [0]).values.round(3).tolist()
    [0.452, 0.384, 0.163, 0.0, 0.0]
    >>> distrust(web, outward(web), [4]).values.round(3).tolist()
    [0.0, 0.0, 0.0, 0.459, 0.541]

Costs: one PageRank each; for proposals and distrust the links by source.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.links.pagerank import RankResult, pagerank
from gossamer.links.ranks.order import best
from gossamer.links.ranks.teleport import Nodes, Vector, teleport_set
from gossamer.links.transpose import reversed_graph
from gossamer.model.graph import LinkGraph, Outward


def trustrank(
    graph: LinkGraph,
    trusted: Nodes,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    start: Vector | None = None,
) -> RankResult:
    """The trust that reaches every page from the trusted ones, summing to 1; `start` is an earlier one."""
    teleport = teleport_set(graph.pages, trusted)
    return pagerank(graph, beta, tolerance, max_steps, teleport=teleport, start=start)


def inverse_pagerank(
    graph: LinkGraph, out: Outward, beta: float = 0.85, tolerance: float = 1e-9, max_steps: int = 200
) -> RankResult:
    """How much of the web each page leads to: PageRank with all links turned round."""
    return pagerank(reversed_graph(graph, out), beta, tolerance, max_steps)


def propose_seeds(graph: LinkGraph, out: Outward, count: int, beta: float = 0.85) -> NDArray[np.int64]:
    """Pages from which trust would get far, best first, for a person to confirm or to strike out."""
    return best(graph, inverse_pagerank(graph, out, beta).values, count)


def distrust(
    graph: LinkGraph,
    out: Outward,
    spam: Nodes,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    start: Vector | None = None,
) -> RankResult:
    """How much each page leads to these known spam pages, summing to 1; `start` is an earlier one."""
    teleport = teleport_set(graph.pages, spam)
    return pagerank(reversed_graph(graph, out), beta, tolerance, max_steps, teleport=teleport, start=start)


def relative_trust(trust: Vector, ranks: Vector) -> Vector:
    """Trust for every unit of PageRank: low where the rank comes from pages that trust does not reach.

    >>> relative_trust(np.array([0.4, 0.1, 0.0]), np.array([0.2, 0.5, 0.0])).tolist()
    [2.0, 0.2, 0.0]
    """
    return np.divide(trust, ranks, out=np.zeros(len(ranks)), where=ranks > 0)
