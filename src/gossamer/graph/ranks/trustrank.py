"""TrustRank, distrust, spam mass.

TrustRank is PageRank that jumps to trusted pages only, so that all trust comes from them:

    t = beta * M t + (1 - beta) * d,   d[v] = 1 / |S| for v in the trusted seeds S, 0 elsewhere

Z. Gyöngyi, H. Garcia-Molina, J. Pedersen, "Combating Web spam with TrustRank", VLDB 2004. Good seeds reach
much of the web, so candidates are the best pages by inverse PageRank, which is PageRank on the graph with all
links reversed. A person must check them: the target of a spam farm, which links to all pages of the farm, has
a high inverse PageRank too.

Distrust propagates in the other direction: pages that link to spam are suspect. It flows backwards along
links from known spam. V. Krishnan, R. Raj, "Web spam detection with anti-TrustRank", AIRWeb 2006.

Pages 0 and 1 are good and link to each other; page 1 also links to page 2. The spam pages 3 and 4 link to
each other, and no good page links to them:

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.transpose import outward
    >>> web = graph_of([(0, 1), (1, 0), (1, 2), (2, 0), (3, 4), (4, 3), (3, 0)])
    >>> trustrank(web, [0]).values.round(3).tolist()
    [0.452, 0.384, 0.163, 0.0, 0.0]
    >>> distrust(web, outward(web), [4]).values.round(3).tolist()
    [0.0, 0.0, 0.0, 0.459, 0.541]

Costs: one PageRank each. Inverse PageRank and distrust need the links by source.

Spam mass:

    M[v] = p[v] - p'[v]            absolute mass
    m[v] = M[v] / p[v]             relative mass, at most 1

where p is PageRank and p' the part of it that comes from a core of good pages, assuming that good pages are a
share gamma of the web:

    p  = beta * M p  + (1 - beta) / n
    p' = beta * M p' + (1 - beta) * w,   w[v] = gamma / |core| for v in the core, 0 elsewhere

Z. Gyöngyi, P. Berkhin, H. Garcia-Molina, J. Pedersen, "Link spam detection based on mass estimation", VLDB
2006. In both, dead ends do not jump: only then is a rank the sum of the contributions of single pages. Ranks
with jumps from dead ends differ only by a factor, so that p and p' are computed from PageRank and TrustRank.
Pages near the core have a negative mass, because the core has more than its share of teleport.

Page 0 has four supporters, 1 to 4; page 5, the good core, links to page 6. In units of (1 - beta) / n, page 0
has PageRank 1 + 4 beta = 4.4, and none of it comes from the core:

    >>> web = graph_of([(1, 0), (2, 0), (3, 0), (4, 0), (5, 6)])
    >>> ranks = pagerank(web).values
    >>> (without_jumps(web, ranks) * web.pages / 0.15).round(3).tolist()
    [4.4, 1.0, 1.0, 1.0, 1.0, 1.0, 1.85]
    >>> spam_mass(web, ranks, trustrank(web, [5]).values).round(3).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, -4.95, -1.734]

The authors suspect pages whose relative mass is at least 0.98 and whose rank is at least ten times the
smallest.

Costs: one pass over the nodes, given PageRank and TrustRank.
"""

from __future__ import annotations

import numpy as np

from gossamer.graph.pagerank import RankResult, pagerank
from gossamer.graph.ranks.teleport import Nodes, Vector, teleport_set
from gossamer.graph.transpose import reversed_graph
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph, OutLinks

LEAST_RANK = 10.0  # times the smallest PageRank; below this, spam mass is meaningless
GOOD_SHARE = 0.85  # gamma: the authors assume that 15% of the web is spam


def trustrank(
    graph: LinkGraph,
    trusted: Nodes,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    start: Vector | None = None,
) -> RankResult:
    """Compute the trust that flows to every page from the trusted pages, summing to 1."""
    teleport = teleport_set(graph.pages, trusted)
    return pagerank(graph, beta, tolerance, max_steps, teleport=teleport, start=start)


def inverse_pagerank(
    graph: LinkGraph, out: OutLinks, beta: float = 0.85, tolerance: float = 1e-9
) -> RankResult:
    """Compute PageRank with all links reversed: how much of the web each page leads to."""
    return pagerank(reversed_graph(graph, out), beta, tolerance)


def distrust(
    graph: LinkGraph,
    out: OutLinks,
    spam: Nodes,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    start: Vector | None = None,
) -> RankResult:
    """Compute how much each page leads to known spam pages, summing to 1."""
    teleport = teleport_set(graph.pages, spam)
    return pagerank(reversed_graph(graph, out), beta, tolerance, max_steps, teleport=teleport, start=start)


def relative_trust(trust: Vector, ranks: Vector) -> Vector:
    """Divide trust by PageRank: low for pages whose rank comes from pages that trust does not reach.

    >>> relative_trust(np.array([0.4, 0.1, 0.0]), np.array([0.2, 0.5, 0.0])).tolist()
    [2.0, 0.2, 0.0]
    """
    return np.divide(trust, ranks, out=np.zeros(len(ranks)), where=ranks > 0)


def spam_mass(
    graph: LinkGraph, ranks: Vector, trust: Vector, beta: float = 0.85, good_share: float = GOOD_SHARE
) -> Vector:
    """Compute the relative spam mass of every page, from PageRank and from the TrustRank of a good core."""
    if not 0 < beta < 1 or not 0 < good_share <= 1:
        raise UsageError(
            f"spam mass needs beta between 0 and 1, not {beta}, and a good share up to 1, not {good_share}"
        )
    for name, values in (("ranks", ranks), ("values of trust", trust)):
        if len(values) != graph.pages:
            raise UsageError(f"there are {len(values)} {name} for {graph.pages} pages")
    return 1 - good_share * without_jumps(graph, trust, beta) / without_jumps(graph, ranks, beta)


def without_jumps(graph: LinkGraph, ranks: Vector, beta: float = 0.85) -> Vector:
    """Convert ranks to those of a walk in which dead ends do not jump.

    Jumps from dead ends have the same distribution as teleport. Both together are teleport times
    (1 - beta + beta s) / (1 - beta), and ranks are proportional to teleport.
    """
    stuck = float(ranks[graph.out_degrees == 0].sum())
    return ranks * ((1 - beta) / (1 - beta + beta * stuck))
