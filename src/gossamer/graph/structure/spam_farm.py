"""PageRank gain of a spam farm.

Of n pages on the web, m support a target: they link to it alone, and it links back to all of them. If x flows
in from pages where anybody can leave a link, the target's PageRank is

    y = x / (1 - beta^2) + (beta * m + 1) * j / (1 - beta^2),    j = (1 - beta) / n

because each supporter has beta * y / m + j and hands on beta of it, and the target has j of its own. With
c = beta / (1 + beta) that is x / (1 - beta^2) + c * m / n + 1 / ((1 + beta) * n); textbooks drop the last
(J. Leskovec, A. Rajaraman, J. D. Ullman, "Mining of Massive Datasets", section 5.4). Where dead ends jump to
any page, j is larger: (1 - beta + beta * s) / n, with s the rank of all dead ends.

The walk is simulated beside the formula. All supporters are alike, so a web of which only the size is known
has four places; where m steps lead tells where 2m do, and so a walk takes as many as any beta below 1 needs.
A farm that is planted into a graph is walked step by step, and it is told where that did not come to rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from math import ceil, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.pagerank import pagerank
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph

TOLERANCE = 1e-13  # of all rank, by which a simulation may be wrong
PLANTED_TOLERANCE = 1e-8
DIGITS = 50  # with 16, rounding counts for more than jumps do where beta is all but 1
ALIKE = 1e-6  # ranks that are no further apart share a place
MOST_STEPS = 5_000
MOST_SUPPORTERS = 10_000_000
Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FarmGain:
    """What the formulas and the simulation give the target of one farm."""

    pages: int  # n, the farm included
    supporters: int  # m
    beta: float
    flow: float  # x
    factor: float  # 1 / (1 - beta^2)
    c: float
    textbook: float
    exact: float
    simulated: float
    place: int | None  # of the target among all pages by PageRank, where they are known
    converged: bool  # whether the simulation came to rest

    @property
    def times_average(self) -> float:
        """How many times the rank of an average page it has."""
        return self.simulated * self.pages


def factor(beta: float) -> float:
    """By how much the farm multiplies what flows in.

    >>> round(factor(0.85), 2)
    3.6
    """
    return 1 / ((1 - beta) * (1 + beta))  # beta squared would be rounded


def constant(beta: float) -> float:
    """c, what a farm of as many pages as the rest of the web would have of all rank, about.

    >>> round(constant(0.85), 4)
    0.4595
    """
    return beta / (1 + beta)


def textbook(pages: int, supporters: int, flow: float, beta: float) -> float:
    """The rank of the target without its own teleport share."""
    return flow * factor(beta) + constant(beta) * supporters / pages


def exact(supporters: int, flow: float, beta: float, jump: float) -> float:
    """The rank of the target, when a jump gives every page so much."""
    return (flow + (beta * supporters + 1) * jump) * factor(beta)


def calculate(pages: int, supporters: int, accessible: float, beta: float) -> FarmGain:
    """The gain of a farm on a web of which nothing is known but its size.

    `accessible` below 1 is x itself; from 1 on it is a number of pages that nobody links to and whose only
    link leads to the target, each of which hands on beta * (1 - beta) / n.
    """
    _check(supporters, beta)
    if supporters >= pages:
        raise UsageError(
            f"a web of {pages:,} pages has no room for a target with {supporters:,} supporters;"
            f" --supporters can be at most {pages - 1:,}"
        )
    flow = accessible if accessible < 1 else accessible * beta * (1 - beta) / pages
    doors = flow / (beta * (1 - beta))
    rest = 1 - (supporters + 1) / pages - doors
    if rest < 0 or accessible < 0:
        most = max(0.0, 1 - (supporters + 1) / pages) * beta * (1 - beta)
        raise UsageError(
            f"of {pages:,} pages, a farm of {supporters:,} and its target leave no room for that;"
            f" --accessible can be a rank from 0 to {most:.3g}, or a number of pages outside of the farm"
        )
    reached = _walked([1 / pages, supporters / pages, doors, rest], beta)
    return _gain(pages, supporters, beta, flow, (1 - beta) / pages, reached)


def planted(web: LinkGraph, ranks: Vector, supporters: int, beta: float) -> FarmGain:
    """The gain of a farm in this web, to which nobody outside links; `ranks` are those without it."""
    whole = plant(web, supporters)
    before = np.append(ranks, np.full(supporters + 1, 1 / whole.pages))
    tolerance = PLANTED_TOLERANCE * (1 - beta)  # a step moves ranks by this part of how wrong they are
    steps = min(MOST_STEPS, _steps(beta, tolerance) + 10)
    walk = pagerank(whole, beta, tolerance, steps, start=before)
    after = walk.values
    stuck = float(after[whole.out_degrees == 0].sum())
    reached = float(after[web.pages])
    place = 1 + int(np.count_nonzero(after > reached * (1 + ALIKE)))
    jump = (1 - beta + beta * stuck) / whole.pages
    return _gain(whole.pages, supporters, beta, 0.0, jump, reached, place, walk.converged)


def plant(web: LinkGraph, supporters: int) -> LinkGraph:
    """The web with a farm: the target is its first new page, then come the supporters."""
    target, links = web.pages, web.links
    helpers = np.arange(target + 1, target + 1 + supporters, dtype=np.uint32)
    sources = np.concatenate([web.sources, helpers, np.full(supporters, target, np.uint32)])
    starts = np.concatenate([web.starts, links + supporters + np.arange(supporters + 1)])
    degrees = np.concatenate([web.out_degrees, [supporters], np.ones(supporters)]).astype(np.uint32)
    # new pages have no addresses; who they are does not matter to the walk
    fingerprints = np.concatenate([web.fingerprints, np.arange(supporters + 1, dtype=np.uint64)])
    return LinkGraph(fingerprints, starts, sources, degrees)


def _walked(jumps: Sequence[float], beta: float) -> float:
    """The target's rank after so many steps that the start is forgotten, for any beta below 1.

    The places are the target, its supporters, the pages with a link to it, and the rest of the web, which
    keeps to itself; `jumps` are their shares of all pages.
    """
    onward = [(1, 0), (0, 1), (0, 2), (3, 3)]  # to, from
    with localcontext(prec=DIGITS):
        follow = Decimal(beta)
        shares = [Decimal(share) for share in jumps]
        start: NDArray[Any] = np.array([share / sum(shares) for share in shares], object)
        walk = np.tile((1 - follow) * start[:, None], len(start))
        for target, source in onward:
            walk[target, source] += follow
        for _ in range(_steps(beta, TOLERANCE).bit_length()):
            walk = walk @ walk
        return float((walk @ start)[0])


def _check(supporters: int, beta: float) -> None:
    if not 0 < beta < 1:
        raise UsageError(f"beta is the probability to follow a link, above 0 and below 1, not {beta}")
    if not 1 <= supporters <= MOST_SUPPORTERS:
        raise UsageError(f"a farm has 1 to {MOST_SUPPORTERS:,} supporting pages, not {supporters:,}")


def _steps(beta: float, tolerance: float) -> int:
    """After how many of them no more than that is left of any start."""
    return ceil(log(tolerance) / log(beta))


def _gain(
    pages: int,
    supporters: int,
    beta: float,
    flow: float,
    jump: float,
    simulated: float,
    place: int | None = None,
    converged: bool = True,
) -> FarmGain:
    return FarmGain(
        pages=pages,
        supporters=supporters,
        beta=beta,
        flow=flow,
        factor=factor(beta),
        c=constant(beta),
        textbook=textbook(pages, supporters, flow, beta),
        exact=exact(supporters, flow, beta, jump),
        simulated=simulated,
        place=place,
        converged=converged,
    )
