"""Which pages would somebody who follows links at random be on most?

L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank citation ranking: bringing order to the Web",
Stanford 1999.
With out-degrees d, teleport distribution t and the walker's position x after k steps,

    x'[v] = beta * sum over links u -> v of x[u] / d[u]  +  (1 - beta + beta * s) * t[v]

where s is the part of x on dead ends, from which the walker jumps as in a teleport. The rank is the limit
of x. `walked` takes these steps one by one; a large graph comes to the same ranks by fewer passes over its
links, see `sweeps`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gossamer.links.pagerank_kernel import pull, share_out
from gossamer.links.sweeps import default_threads, swept
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph

Vector = NDArray[np.float64]
DeadEnds = Literal["jump", "drain"]

STANDSTILL = 0.999  # a residual that shrinks less than this over half of all steps will not get anywhere
FEW_LINKS = 1 << 17  # are walked step by step, as in a textbook
LEAST_SWEPT_BETA = 0.01  # below it a few steps do


@dataclass(frozen=True, slots=True)
class RankResult:
    """The ranks, and how they were reached."""

    values: Vector
    steps: int  # of the walk, or sweeps over a large graph
    residual: float  # what a step of the walk would still change, summed over all pages
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
    threads: int | None = None,
) -> RankResult:
    """PageRank of every page, summing to 1.

    `teleport` are weights of the pages to jump to (all alike when None): a set of pages makes the rank one of
    a topic, or of trust. `start` is where the walk begins; ranks of an earlier generation make it shorter.
    Dead ends "drain" only for teaching: the ranks then sum to less than 1. Ranks depend on the number of
    threads (all cores when None), within the tolerance; for the same number they are always the same.
    """
    textbook = graph.links < FEW_LINKS or dead_ends == "drain" or not LEAST_SWEPT_BETA <= beta < 1.0
    if textbook:
        return walked(graph, beta, tolerance, max_steps, teleport=teleport, start=start, dead_ends=dead_ends)
    jumps, ranks = _jumps_and_start(graph, beta, teleport, start)
    found = swept(graph, beta, tolerance, max_steps, jumps, ranks, threads or default_threads(graph))
    converged = found.residual <= tolerance
    diagnosis = "" if converged else _diagnosis([*found.changes, found.residual], beta)
    return RankResult(found.ranks, found.sweeps, found.residual, converged, diagnosis)


def walked(
    graph: LinkGraph,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    teleport: Vector | None = None,
    start: Vector | None = None,
    dead_ends: DeadEnds = "jump",
) -> RankResult:
    """PageRank by nothing but steps of the walk: beta may be 1, and a walk that never rests is told."""
    jumps, ranks = _jumps_and_start(graph, beta, teleport, start)
    residuals: list[float] = []
    while graph.pages and len(residuals) < max_steps and not (residuals and residuals[-1] <= tolerance):
        residuals.append(_walk(graph, ranks, beta, jumps, dead_ends))
    residual = residuals[-1] if residuals else 0.0
    converged = residual <= tolerance
    if dead_ends == "jump" and len(ranks):
        ranks /= ranks.sum()
    diagnosis = "" if converged else _diagnosis(residuals, beta)
    return RankResult(ranks, len(residuals), residual, converged, diagnosis)


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


def _jumps_and_start(
    graph: LinkGraph, beta: float, teleport: Vector | None, start: Vector | None
) -> tuple[Vector, Vector]:
    """Both summing to 1; the walk starts by a jump unless it is told where."""
    if not 0.0 <= beta <= 1.0:
        raise UsageError(f"beta is the probability to follow a link, between 0 and 1, not {beta}")
    jumps = _distribution("teleport", teleport, graph.pages)
    return jumps, jumps.copy() if start is None else _distribution("start", start, graph.pages)


def _distribution(name: str, weights: Vector | None, pages: int) -> Vector:
    if weights is None:
        return np.full(pages, 1.0 / max(pages, 1))
    if len(weights) != pages:
        raise UsageError(f"{name} has {len(weights)} weights for {pages} pages")
    total = float(np.sum(weights))
    if not (np.isfinite(total) and total > 0 and np.min(weights) >= 0):
        raise UsageError(f"{name} needs weights of which none is negative and one is not 0")
    return np.asarray(weights, np.float64) / total


def _diagnosis(residuals: list[float], beta: float) -> str:
    said = f"not converged after {len(residuals)} steps: the last one still moved {residuals[-1]:.3g} of 1"
    if residuals[-1] <= STANDSTILL * residuals[len(residuals) // 2]:
        return f"{said}; allow more steps or a larger tolerance"
    if beta == 1.0:
        return f"{said}, no less than before; the walk is periodic: use a beta below 1"
    return f"{said}, no less than before; sums cannot be more exact: use a larger tolerance"
