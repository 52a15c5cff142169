"""Which pages are linked to by pages that are themselves linked to by such pages?

    lambda * x[v] = sum over links u -> v of x[u]

with the largest lambda there is. P. Bonacich, "Factoring and weighting approaches to status scores and clique
identification", Journal of Mathematical Sociology 2, 1972.

Found by power iteration of I + A: the page's own value is added, which changes no eigenvector and moves every
eigenvalue by one, so that on a bipartite graph (where lambda and -lambda are equally far from 0) it converges
too. Unlike in PageRank a page gives its whole value along every link, and nobody jumps: only pages behind a
circle of links are worth anything in the limit. Where links make no circle the values drift for ever towards
the ends of the longest chains, and the result says that it has not converged: take `links.undirected` then.

A path of three pages, links both ways; lambda is sqrt 2 and x = (1, sqrt 2, 1) / 2:

    >>> from gossamer.links.pairs import graph_of
    >>> path = graph_of([(0, 1), (1, 0), (1, 2), (2, 1)])
    >>> eigenvector(path).values.round(4).tolist()
    [0.5, 0.7071, 0.5]

Costs: each step is a pass over all links; their number grows as the two largest eigenvalues come close.
"""

from __future__ import annotations

import numpy as np

from gossamer.links.pagerank import RankResult
from gossamer.links.ranks.eigenvector_kernel import gather
from gossamer.model.graph import LinkGraph


def eigenvector(graph: LinkGraph, tolerance: float = 1e-9, max_steps: int = 1000) -> RankResult:
    """Eigenvector centrality of every page, a vector of length 1, begun with all pages alike."""
    values = np.full(graph.pages, 1.0 / np.sqrt(max(graph.pages, 1)))
    after = np.empty_like(values)
    steps, residual = 0, 0.0
    while graph.pages and steps < max_steps:
        residual = gather(graph.starts, graph.sources, values, after)
        values, after = after, values
        steps += 1
        if residual <= tolerance:
            break
    converged = residual <= tolerance
    return RankResult(values, steps, residual, converged, "" if converged else _diagnosis(steps, residual))


def _diagnosis(steps: int, residual: float) -> str:
    return (
        f"not converged after {steps} steps: the last one still moved {residual:.3g}; "
        "links without a circle never come to rest: take the undirected graph, or allow more steps"
    )
