"""Which pages would somebody who follows links at random be on most?

L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank citation ranking: bringing order to the Web",
Stanford 1999.
With out-degrees d, teleport distribution t and the walker's position x after k steps,

    x'[v] = beta * sum over links u -> v of x[u] / d[u]  +  (1 - beta + beta * s) * t[v]

where s is the part of x on dead ends, from which the walker jumps as in a teleport. The rank is the limit
of x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.links.pagerank_kernel import pull, share_out
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph

Vector = NDArray[np.float64]
DeadEnds = Literal["jump", "drain"]

STANDSTILL = 0.999  # a residual that shrinks less than this over half of all steps will not get anywhere


@dataclass(frozen=True, slots=True)
class RankResult:
    """The ranks, and how they were reached."""

    values: Vector
    steps: int
    residual: float  # the sum of all changes in the last step
    converged: bool
    diagnosis: str = ""  # why it did not converge, for people


def pagerank(
    graph: LinkGraph,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    teleport: Vector | None = None,
    start: Vector | None = None,
    dead_ends: DeadEnds = "jump",
) -> RankResult:
    """PageRank of every page, summing to 1.

    `teleport` are weights of the pages to jump to (all alike when None): a set of pages makes the rank one of
    a topic, or of trust. `start` is where the walk begins; ranks of an earlier generation make it shorter.
    Dead ends "drain" only for teaching: the ranks then sum to less than 1.
    """
    if not 0.0 <= beta <= 1.0:
        raise UsageError(f"beta is the probability to follow a link, between 0 and 1, not {beta}")
    jumps = _distribution("teleport", teleport, graph.pages)
    ranks = _distribution("start", start, graph.pages).copy() if start is not None else jumps.copy()
    residuals: list[float] = []
    while graph.pages and len(residuals) < max_steps and not (residuals and residuals[-1] <= tolerance):
        residuals.append(_walk(graph, ranks, beta, jumps, dead_ends))
    return _result(ranks, residuals, tolerance, dead_ends)


def step(
    graph: LinkGraph,
    ranks: Vector,
    beta: float = 0.85,
    teleport: Vector | None = None,
    dead_ends: DeadEnds = "jump",
) -> Vector:
    """The walker's position one step on."""
    after = ranks.astype(np.float64, copy=True)
    _walk(graph, after, beta, _distribution("teleport", teleport, graph.pages), dead_ends)
    return after


def _walk(graph: LinkGraph, ranks: Vector, beta: float, teleport: Vector, dead_ends: DeadEnds) -> float:
    shares = np.empty_like(ranks)
    stuck = share_out(ranks, graph.out_degrees, shares)
    jump = 1.0 - beta + (beta * stuck if dead_ends == "jump" else 0.0)
    return pull(graph.starts, graph.sources, shares, beta, jump, teleport, ranks)


def _distribution(name: str, weights: Vector | None, pages: int) -> Vector:
    if weights is None:
        return np.full(pages, 1.0 / max(pages, 1))
    if len(weights) != pages:
        raise UsageError(f"{name} has {len(weights)} weights for {pages} pages")
    total = float(np.sum(weights))
    if not (np.isfinite(total) and total > 0 and np.min(weights) >= 0):
        raise UsageError(f"{name} needs weights of which none is negative and one is not 0")
    return np.asarray(weights, np.float64) / total


def _result(ranks: Vector, residuals: list[float], tolerance: float, dead_ends: DeadEnds) -> RankResult:
    residual = residuals[-1] if residuals else 0.0
    converged = residual <= tolerance
    if dead_ends == "jump" and len(ranks):
        ranks /= ranks.sum()
    return RankResult(ranks, len(residuals), residual, converged, "" if converged else _diagnosis(residuals))


def _diagnosis(residuals: list[float]) -> str:
    said = f"not converged after {len(residuals)} steps: the last one still moved {residuals[-1]:.3g} of 1"
    if residuals[-1] > STANDSTILL * residuals[len(residuals) // 2]:
        return f"{said}, no less than before; the walk is periodic: use a beta below 1"
    return f"{said}; allow more steps or a larger tolerance"
