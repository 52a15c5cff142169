"""PageRank without site navigation; weighted PageRank.

A site links from every page to its front page, its contents, its imprint. These links help to find the way
and say nothing about worth, but they make most of a site's links, and PageRank lifts contents pages above
what they lead to. Who counts how many pages c(h, v) of a host h link to page v can tell:

    w[u, v] = min(1, 10 / c(host(u), v))²

and PageRank over links of these weights (`weighted_pagerank`) is the rank. Ten votes of a host for a page
count fully; of a thousand, all together count a tenth of a vote. So do footers that name another site
everywhere. A page of an encyclopaedia that nearly all others name falls too: the rank is for finding pages,
not for fame. A page that has no other links than its menu follows that all the same. K. Bharat, M. Henzinger,
"Improved algorithms for topic distillation in a hyperlinked environment", SIGIR 1998, let the links of a host
to a page share one vote.

Twelve pages of host 0 link to page 12, and one of them to page 13; host 1, page 14, links to both:

    >>> from gossamer.graph.build import graph_of
    >>> web = graph_of([(page, 12) for page in range(12)] + [(0, 13), (14, 12), (14, 13)])
    >>> hosts = np.array([0] * 14 + [1], np.uint32)
    >>> weights = host_weights(web, hosts)
    >>> float(weights[:12].round(4).max()), weights[12:].tolist()  # (10 / 12)²; host 1; page 13
    (0.6944, [1.0, 1.0, 1.0])

Costs: as weighted PageRank.

PageRank over weighted links:

PageRank where link u -> v has the weight w[u, v], for graphs of hosts and domains whose links stand for many:

    x'[v] = beta * sum over links u -> v of x[u] * w[u, v] / W[u]  +  (1 - beta + beta * s) * t[v]

with W[u] the weight of all links of u, and s the part of x on nodes without any weight to follow. With all
weights alike it is PageRank. W. Xing, A. Ghorbani, "Weighted PageRank algorithm", CNSR 2004, weigh by
degrees; here whoever counted the links decides.

Host 0 has three links to host 1 and one to host 2, and both only link back:

    >>> from gossamer.graph.build import graph_of
    >>> hosts = graph_of([(0, 1), (0, 2), (1, 0), (2, 0)])
    >>> hosts.sources.tolist()
    [1, 2, 0, 0]
    >>> weighted_pagerank(hosts, np.array([1.0, 1.0, 3.0, 1.0])).values.round(4).tolist()
    [0.4865, 0.3601, 0.1534]

Costs: as PageRank, and 8 bytes a link more to read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.pagerank import RankResult, walked
from gossamer.graph.ranks.teleport import Vector
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph


def weighted_pagerank(
    graph: LinkGraph,
    weights: Vector,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    teleport: Vector | None = None,
    start: Vector | None = None,
) -> RankResult:
    """PageRank over links of these weights, in the order of `graph.sources`; else as `pagerank`."""
    if len(weights) != graph.links:
        raise UsageError(f"there are {len(weights)} weights for {graph.links} links")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise UsageError("weights of links are numbers of which none is negative")
    return walked(graph, beta, tolerance, max_steps, teleport=teleport, start=start, weights=weights)


FULL_VOTES = 10.0  # of a host for a page


def host_weights(graph: LinkGraph, hosts: NDArray[np.uint32]) -> Vector:
    """The weight of every link, in the order of `graph.sources`; `hosts` are numbers of the nodes' hosts."""
    if len(hosts) != graph.pages:
        raise UsageError(f"there are {len(hosts)} hosts for {graph.pages} pages")
    if not graph.links:
        return np.empty(0)
    targets = np.repeat(np.arange(graph.pages, dtype=np.uint64), np.diff(graph.starts))
    pairs = (targets << np.uint64(32)) | hosts[graph.sources]
    order = np.argsort(pairs, kind="stable")
    begins = np.flatnonzero(np.concatenate([[True], np.diff(pairs[order]) > 0]))
    counts = np.diff(np.concatenate([begins, [len(pairs)]]))
    weights = np.empty(len(pairs))
    weights[order] = np.repeat(np.minimum(1.0, FULL_VOTES / counts) ** 2, counts)
    return weights


def editorial_rank(
    graph: LinkGraph,
    hosts: NDArray[np.uint32],
    beta: float = 0.85,
    tolerance: float = 1e-9,
    *,
    start: Vector | None = None,
) -> RankResult:
    """PageRank in which what many pages of a host link to counts less, summing to 1.

    `start` are ranks of an earlier generation.
    """
    return weighted_pagerank(graph, host_weights(graph, hosts), beta, tolerance, start=start)
