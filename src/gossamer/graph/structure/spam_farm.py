"""PageRank gain of a spam farm.

Of n pages on the web, m support a target: they link only to the target, and it links back to all of them. If
x flows in from pages where anybody can add a link, such as forums, the target's PageRank is

    y = x / (1 - beta^2) + (beta * m + 1) * j / (1 - beta^2),    j = (1 - beta) / n

because each supporter has rank beta * y / m + j and passes on beta of it, and the target gets j by teleport.
With c = beta / (1 + beta) this is x / (1 - beta^2) + c * m / n + 1 / ((1 + beta) * n); textbooks omit the
last term (J. Leskovec, A. Rajaraman, J. D. Ullman, "Mining of Massive Datasets", section 5.4). If dead ends
jump to any page, j is larger: (1 - beta + beta * s) / n, with s the rank of all dead ends.

The walk is also simulated. If only the size of the web is known, four groups of pages suffice for the
simulation, since all supporters are equal. Its transition matrix is squared repeatedly, so that it converges
for any beta below 1. A farm in a given graph is simulated by PageRank steps; the result says whether these
converged.
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

TOLERANCE = 1e-13  # error of a simulation, relative to all rank
PLANTED_TOLERANCE = 1e-8  # the same for a farm in a given graph
DIGITS = 50  # with 16 digits and beta close to 1, rounding errors exceed the effect of jumps
ALIKE = 1e-6  # pages whose ranks differ by less share a place
MOST_STEPS = 5_000
MOST_SUPPORTERS = 10_000_000
Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class FarmGain:
    """The rank of the target of a spam farm, by the formulas and by simulation."""

    pages: int  # n, the farm included
    supporters: int  # m
    beta: float
    flow: float  # x
    factor: float  # 1 / (1 - beta^2)
    c: float
    textbook: float
    exact: float
    simulated: float
    place: int | None  # of the target among all pages by PageRank; None if only the size of the web is known
    converged: bool  # whether the simulation converged

    @property
    def times_average(self) -> float:
        """The simulated rank of the target relative to the average page."""
        return self.simulated * self.pages


def factor(beta: float) -> float:
    """Return the factor by which the farm multiplies the rank that flows in.

    >>> round(factor(0.85), 2)
    3.6
    """
    return 1 / ((1 - beta) * (1 + beta))  # beta squared would be rounded


def constant(beta: float) -> float:
    """Return c, the gain of the target per share of the web's pages that support it.

    >>> round(constant(0.85), 4)
    0.4595
    """
    return beta / (1 + beta)


def textbook(pages: int, supporters: int, flow: float, beta: float) -> float:
    """Return the rank of the target by the textbook formula, without its own teleport."""
    return flow * factor(beta) + constant(beta) * supporters / pages


def exact(supporters: int, flow: float, beta: float, jump: float) -> float:
    """Return the exact rank of the target, where `jump` is the rank that each page gets by jumps."""
    return (flow + (beta * supporters + 1) * jump) * factor(beta)


def calculate(pages: int, supporters: int, accessible: float, beta: float) -> FarmGain:
    """Calculate the gain of a farm on a web with a known size and unknown links.

    `accessible` below 1 is x itself. From 1 on it is a number of pages without in-links whose only link leads
    to the target; each of them passes on beta * (1 - beta) / n.
    """
    _check(supporters, beta)
    if supporters >= pages:
        raise UsageError(
            f"a web of {pages:,} pages is too small for a target with {supporters:,} supporters;"
            f" --supporters can be at most {pages - 1:,}"
        )
    flow = accessible if accessible < 1 else accessible * beta * (1 - beta) / pages
    doors = flow / (beta * (1 - beta))
    rest = 1 - (supporters + 1) / pages - doors
    if rest < 0 or accessible < 0:
        most = max(0.0, 1 - (supporters + 1) / pages) * beta * (1 - beta)
        raise UsageError(
            f"with {supporters:,} supporters, a web of {pages:,} pages is too small for this --accessible;"
            f" it can be a rank from 0 to {most:.3g}, or a number of pages outside the farm"
        )
    reached = _walked([1 / pages, supporters / pages, doors, rest], beta)
    return _gain(pages, supporters, beta, flow, (1 - beta) / pages, reached)


def planted(web: LinkGraph, ranks: Vector, supporters: int, beta: float) -> FarmGain:
    """Calculate the gain of a farm in a given graph, without links from outside.

    `ranks` is the PageRank of the graph without the farm.
    """
    whole = plant(web, supporters)
    before = np.append(ranks, np.full(supporters + 1, 1 / whole.pages))
    tolerance = PLANTED_TOLERANCE * (1 - beta)  # a step changes ranks by about 1 - beta of their error
    steps = min(MOST_STEPS, _steps(beta, tolerance) + 10)
    walk = pagerank(whole, beta, tolerance, steps, start=before)
    after = walk.values
    stuck = float(after[whole.out_degrees == 0].sum())
    reached = float(after[web.pages])
    place = 1 + int(np.count_nonzero(after > reached * (1 + ALIKE)))
    jump = (1 - beta + beta * stuck) / whole.pages
    return _gain(whole.pages, supporters, beta, 0.0, jump, reached, place, walk.converged)


def plant(web: LinkGraph, supporters: int) -> LinkGraph:
    """Add a farm to a graph: first the target, then the supporters, after all other pages."""
    target, links = web.pages, web.links
    helpers = np.arange(target + 1, target + 1 + supporters, dtype=np.uint32)
    sources = np.concatenate([web.sources, helpers, np.full(supporters, target, np.uint32)])
    starts = np.concatenate([web.starts, links + supporters + np.arange(supporters + 1)])
    degrees = np.concatenate([web.out_degrees, [supporters], np.ones(supporters)]).astype(np.uint32)
    # The new pages have no URL; their fingerprints do not matter to the walk.
    fingerprints = np.concatenate([web.fingerprints, np.arange(supporters + 1, dtype=np.uint64)])
    return LinkGraph(fingerprints, starts, sources, degrees)


def _walked(jumps: Sequence[float], beta: float) -> float:
    """Simulate the walk until the start is forgotten, for any beta below 1; return the target's rank.

    The four groups of pages are the target, its supporters, the accessible pages, and the rest of the web,
    which links only to itself. `jumps` are their shares of all pages.
    """
    onward = [(1, 0), (0, 1), (0, 2), (3, 3)]  # links between groups, as (target, source)
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
        raise UsageError(
            f"beta is the probability to follow a link; it must be above 0 and below 1, not {beta}"
        )
    if not 1 <= supporters <= MOST_SUPPORTERS:
        raise UsageError(f"a farm must have 1 to {MOST_SUPPORTERS:,} supporting pages, not {supporters:,}")


def _steps(beta: float, tolerance: float) -> int:
    """Return the number of steps after which the influence of the start is below the tolerance."""
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
