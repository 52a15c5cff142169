"""How much of a page's PageRank comes from pages that nobody vouches for?

    M[v] = p[v] - p'[v]            absolute mass
    m[v] = M[v] / p[v]             relative mass, at most 1

where p is PageRank and p' the part of it that the good core gives, if good pages are a share gamma of the
web:

    p  = beta * M p  + (1 - beta) / n
    p' = beta * M p' + (1 - beta) * w,   w[v] = gamma / |core| for v in the core, 0 elsewhere

Z. Gyöngyi, P. Berkhin, H. Garcia-Molina, J. Pedersen, "Link spam detection based on mass estimation", VLDB
2006. Both are PageRanks in which dead ends keep what they get: only these are sums of what single pages
contribute. With jumps from dead ends the ranks are the same up to a factor, and that is how they are found.
Masses below 0 are those of pages near the core, which gets more than its share.

Page 0 has four supporters, 1 to 4; page 5, the good core, links to page 6. In units of (1 - beta) / n page 0
has PageRank 1 + 4 beta = 4.4, and none of it comes from the core:

    >>> from gossamer.links.pairs import graph_of
    >>> web = graph_of([(1, 0), (2, 0), (3, 0), (4, 0), (5, 6)])
    >>> mass = spam_mass(web, core=[5])
    >>> (mass.ranks * web.pages / 0.15).round(3).tolist()
    [4.4, 1.0, 1.0, 1.0, 1.0, 1.0, 1.85]
    >>> mass.relative.round(3).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, -4.95, -1.734]
    >>> suspects(web, mass, least_rank=4).tolist()
    [0]

Costs: two PageRanks, one if that of all pages is there already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.links.pagerank import pagerank
from gossamer.links.ranks.teleport import Nodes, Vector, teleport_set
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph

GOOD_SHARE = 0.85  # gamma: the authors take 15% of the web for spam
SUSPICIOUS = 0.98  # above this relative mass the authors found nothing but spam, but for gaps in the core
LEAST_RANK = 10.0  # times the least PageRank there is: below, the estimate says nothing


@dataclass(frozen=True, slots=True)
class SpamMass:
    """PageRank without jumps from dead ends, and how much of it the good core does not explain."""

    ranks: Vector
    absolute: Vector
    relative: Vector
    least: float  # the PageRank of a page to which nobody links


def spam_mass(
    graph: LinkGraph,
    core: Nodes,
    good_share: float = GOOD_SHARE,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    ranks: Vector | None = None,
    trust: Vector | None = None,
) -> SpamMass:
    """The spam mass of every page.

    `ranks` are PageRanks and `trust` the TrustRanks of the core, both with this beta, if they are there.
    """
    if not 0 < beta < 1 or not 0 < good_share <= 1:
        raise UsageError(
            f"spam mass needs a beta between 0 and 1, not {beta}, and a good share up to 1, not {good_share}"
        )
    if ranks is None:
        ranks = pagerank(graph, beta, tolerance, max_steps).values
    elif len(ranks) != graph.pages:
        raise UsageError(f"there are {len(ranks)} ranks for {graph.pages} pages")
    if trust is None:
        jumps = teleport_set(graph.pages, core)
        trust = pagerank(graph, beta, tolerance, max_steps, teleport=jumps).values
    elif len(trust) != graph.pages:
        raise UsageError(f"there are {len(trust)} values of trust for {graph.pages} pages")
    whole = _without_jumps(graph, ranks, beta)
    absolute = whole - good_share * _without_jumps(graph, trust, beta)
    return SpamMass(whole, absolute, absolute / whole, (1 - beta) / graph.pages)


def suspects(
    graph: LinkGraph, mass: SpamMass, relative: float = SUSPICIOUS, least_rank: float = LEAST_RANK
) -> NDArray[np.int64]:
    """Pages whose high rank is not explained by the good core, the largest mass first.

    `least_rank` is how many times the rank of a page without in-links a page must have.
    """
    chosen = np.flatnonzero((mass.relative >= relative) & (mass.ranks >= least_rank * mass.least))
    return chosen[np.lexsort((graph.fingerprints[chosen], -mass.absolute[chosen]))]


def _without_jumps(graph: LinkGraph, ranks: Vector, beta: float) -> Vector:
    """The ranks if dead ends kept what they get.

    Who jumps from a dead end goes where a teleport goes: both together are the teleport's share, times
    (1 - beta + beta s) / (1 - beta), and the ranks are proportional to it.
    """
    stuck = float(ranks[graph.out_degrees == 0].sum())
    return ranks * ((1 - beta) / (1 - beta + beta * stuck))
