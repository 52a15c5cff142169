"""PageRank without site navigation; weighted PageRank.

A site links from every page to its home page, its contents and its imprint. Such navigation links are most of
a site's links, but say nothing about quality, and PageRank ranks contents pages above the pages they list.
Navigation links can be recognised by c(h, v), the number of pages of a host h that link to page v:

    w[u, v] = min(1, 10 / c(host(u), v))²

The rank is PageRank over links of these weights (`weighted_pagerank`). Up to ten links of a host to a page
count fully; a thousand count together a tenth of one link. Footer links to another site lose their weight in
the same way. So does a page of an encyclopaedia that nearly all its other pages link to: the rank is for
finding pages, not for measuring fame. A page whose only links are its menu still passes all its rank on to
them. K. Bharat, M. Henzinger, "Improved algorithms for topic distillation in a hyperlinked environment",
SIGIR 1998, divide one vote among the links of a host to a page.

Twelve pages of host 0 link to page 12, and one of them to page 13; host 1, page 14, links to both:

    >>> from gossamer.graph.build import graph_of
    >>> web = graph_of([(page, 12) for page in range(12)] + [(0, 13), (14, 12), (14, 13)])
    >>> hosts = np.array([0] * 14 + [1], np.uint32)
    >>> weights = host_weights(web, hosts)
    >>> float(weights[:12].round(4).max()), weights[12:].tolist()  # (10 / 12)²; host 1; page 13
    (0.6944, [1.0, 1.0, 1.0])

Costs: as weighted PageRank.

Weighted PageRank:

With a weight w[u, v] for each link u -> v,

    x'[v] = beta * sum over links u -> v of x[u] * w[u, v] / W[u]  +  (1 - beta + beta * s) * t[v]

where W[u] is the total weight of the links of u, and s the part of x on nodes with W[u] = 0. Equal weights
give PageRank. W. Xing, A. Ghorbani, "Weighted PageRank algorithm", CNSR 2004, derive weights from degrees;
here the caller gives them.

Host 0 has three links to host 1 and one to host 2; both link only back to host 0:

    >>> from gossamer.graph.build import graph_of
    >>> hosts = graph_of([(0, 1), (0, 2), (1, 0), (2, 0)])
    >>> hosts.sources.tolist()
    [1, 2, 0, 0]
    >>> weighted_pagerank(hosts, np.array([1.0, 1.0, 3.0, 1.0])).values.round(4).tolist()
    [0.4865, 0.3601, 0.1534]

Costs: as PageRank, plus 8 bytes per link to read.
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
    """Compute PageRank with link weights, in the order of `graph.sources`; otherwise as `pagerank`."""
    if len(weights) != graph.links:
        raise UsageError(f"there are {len(weights)} weights for {graph.links} links")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise UsageError("link weights must be finite and not negative")
    return walked(graph, beta, tolerance, max_steps, teleport=teleport, start=start, weights=weights)


FULL_VOTES = 10.0  # links of a host to a page that count fully


def host_weights(graph: LinkGraph, hosts: NDArray[np.uint32]) -> Vector:
    """Return the weight of every link, in the order of `graph.sources`; `hosts` is the host of each node."""
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
    """Compute PageRank in which navigation links of a host count less, summing to 1.

    `start` are ranks of an earlier generation.
    """
    return weighted_pagerank(graph, host_weights(graph, hosts), beta, tolerance, start=start)
