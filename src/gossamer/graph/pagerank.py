# mypy: disable-error-code="arg-type, assignment, return-value"
"""PageRank, exact and by Gauss-Seidel sweeps.

L. Page, S. Brin, R. Motwani, T. Winograd, "The PageRank citation ranking: bringing order to the Web",
Stanford 1999.
With out-degrees d, teleport distribution t and the distribution x of the walker's position, a step gives

    x'[v] = beta * sum over links u -> v of x[u] / d[u]  +  (1 - beta + beta * s) * t[v]

where s is the part of x on dead ends, from which the walker jumps as in a teleport. The rank is the limit
of x. `walked` performs these steps one by one. For large graphs `swept` computes the same ranks with fewer
passes over the links.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph

# Kernels: one step of the walk
# -----------------------------


@unchecked_kernel
def share_out(ranks: NDArray[np.float64], totals: NDArray[Any], shares: NDArray[np.float64]) -> float:
    """Compute the rank that each page gives along a link of weight 1; return the total rank on dead ends.

    `totals` has the total weight of each page's links; for unweighted links this is the out-degree.
    """
    stuck = 0.0
    for i in range(len(ranks)):
        if totals[i] == 0:
            shares[i] = 0.0
            stuck += ranks[i]
        else:
            shares[i] = ranks[i] / totals[i]
    return stuck


@unchecked_kernel
def pull(
    graph: LinkGraph,
    weights: NDArray[np.float64] | None,
    shares: NDArray[np.float64],
    beta: float,
    jump: float,
    teleport: NDArray[np.float64],
    ranks: NDArray[np.float64],
) -> float:
    """Replace the ranks by those after a step; return the sum of all absolute changes."""
    starts, sources = graph.starts, graph.sources
    change = 0.0
    for i in range(len(ranks)):
        brought = 0.0
        for j in range(starts[i], starts[i + 1]):
            if weights is None:  # known when the kernel is compiled
                brought += shares[sources[j]]
            else:
                brought += weights[j] * shares[sources[j]]
        after = beta * brought + jump * teleport[i]
        change += abs(after - ranks[i])
        ranks[i] = after
    return change


# Over-relaxation factor of sweeps
# --------------------------------

FIRST, LARGEST, STEP = 1.1, 1.5, 0.05
PROBE = 4  # sweeps over which the speed of convergence is measured


class Relaxation:
    """Adapt the over-relaxation factor of the sweeps to the speed of convergence.

    The first factor, 1.1, was faster than 1 on five of six test graphs. Every few sweeps the factor changes
    by a step, in the direction that made convergence faster. It is reduced when the residual grows, which
    happens on some graphs with short cycles. A factor of exactly 1 always converges.
    """

    def __init__(self) -> None:
        self.value = FIRST
        self._change = STEP
        self._speed = 0.0

    def learn(self, residuals: Sequence[float]) -> None:
        """Update the factor from the residuals of all sweeps so far."""
        if len(residuals) % PROBE or len(residuals) < 2 * PROBE or not residuals[-1]:
            return
        speed = (residuals[-1] / residuals[-1 - PROBE]) ** (1 / PROBE)
        if speed >= 1.0:
            self.value, self._change = (1.0 + self.value) / 2.0, -STEP
        else:
            if self._speed and speed > self._speed:
                self._change = -self._change
            self.value = min(max(self.value + self._change, 1.0), LARGEST)
        self._speed = speed


# Kernels: Gauss-Seidel sweeps
# ----------------------------
#
# A share is the rank that a page gives along each of its links, `beta * rank / out-degree`. Shares may
# have 32 bits; sums have 64. Four partial sums are kept, so that an addition need not wait for the one
# before it.

Shares = NDArray[np.float32] | NDArray[np.float64]


class Walk(NamedTuple):
    """A walk on a graph. `dead_links` is the number of links of each page that lead to dead ends."""

    graph: LinkGraph
    dead_links: NDArray[np.uint32]
    teleport: NDArray[np.float64]
    beta: float


@unchecked_part
def brought(sources: NDArray[np.uint32], shares: Shares, begin: int, end: int) -> float:
    """Sum the shares of the in-links from `begin` to `end`."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    at = np.uint64(begin)
    last = np.uint64(end)
    while at + np.uint64(4) <= last:
        first += shares[sources[at]]
        second += shares[sources[at + np.uint64(1)]]
        third += shares[sources[at + np.uint64(2)]]
        fourth += shares[sources[at + np.uint64(3)]]
        at += np.uint64(4)
    while at < last:
        first += shares[sources[at]]
        at += np.uint64(1)
    return (first + second) + (third + fourth)


@unchecked_kernel
def first_shares(walk: Walk, start: NDArray[np.float64], scale: float, shares: Shares) -> tuple[float, float]:
    """Compute the shares of the initial ranks, times `scale`.

    Returns the rank that leaves the pages with links (see `sweep`), and the part of a jump that reaches them.
    """
    out_degrees, dead_links, teleport = walk.graph.out_degrees, walk.dead_links, walk.teleport
    leaving, jumping_in = 0.0, 0.0
    jumping = 1.0 / walk.beta - 1.0
    for page in range(len(start)):
        degree = np.float64(out_degrees[page])
        if degree == 0.0:
            shares[page] = 0.0
            continue
        share = scale * walk.beta * start[page] / degree
        shares[page] = share
        leaving += share * (degree * jumping + np.float64(dead_links[page]))
        jumping_in += teleport[page]
    return leaving, jumping_in


@unchecked_kernel
def sweep(
    walk: Walk, jump: float, relaxation: float, begin: int, end: int, shares: Shares
) -> tuple[float, float]:
    """Update, in place, the shares of the pages from `begin` to `end`. Skip pages without links.

    Returns two sums. The first is the sum of the changes of ranks, before `relaxation` is applied. The second
    is the rank that these pages pass on to jumps and dead ends instead of pages with links.
    """
    starts, sources, out_degrees = walk.graph.starts, walk.graph.sources, walk.graph.out_degrees
    dead_links, teleport, beta = walk.dead_links, walk.teleport, walk.beta
    change, leaving = 0.0, 0.0
    jumping = 1.0 / beta - 1.0
    for page in range(begin, end):
        degree = np.float64(out_degrees[page])
        if degree == 0.0:
            continue
        rank = jump * teleport[page] + brought(sources, shares, starts[page], starts[page + 1])
        before = np.float64(shares[page])
        moved = beta * rank / degree - before
        after = max(before + relaxation * moved, 0.0)
        shares[page] = after
        change += abs(moved) * degree
        leaving += after * (degree * jumping + np.float64(dead_links[page]))
    return change / beta, leaving


@unchecked_kernel
def pull_all(graph: LinkGraph, shares: Shares, begin: int, end: int, inflow: NDArray[np.float64]) -> None:
    """Sum the shares of the in-links of each page from `begin` to `end`."""
    starts, sources = graph.starts, graph.sources
    for page in range(begin, end):
        inflow[page] = brought(sources, shares, starts[page], starts[page + 1])


@unchecked_kernel
def count_dead_links(graph: LinkGraph, begin: int, end: int, counts: NDArray[np.uint32]) -> None:
    """Add to the count of every page its links to the dead ends among the pages `begin` to `end`."""
    starts, sources, out_degrees = graph.starts, graph.sources, graph.out_degrees
    for page in range(begin, end):
        if out_degrees[page] == 0:
            for i in range(starts[page], starts[page + 1]):
                counts[sources[i]] += np.uint32(1)


@unchecked_kernel
def step_from(walk: Walk, inflow: NDArray[np.float64], shares: Shares, jump: float) -> tuple[float, float]:
    """Take one step of the walk from the ranks given by the shares; `inflow` becomes the ranks after it.

    A dead end has no share; its rank is computed with this `jump`. Returns the sum of all ranks before the
    step and the sum of all changes.
    """
    out_degrees, teleport, beta = walk.graph.out_degrees, walk.teleport, walk.beta
    total, stuck = 0.0, 0.0
    for page in range(len(inflow)):
        if out_degrees[page] == 0:
            rank = jump * teleport[page] + inflow[page]
            stuck += rank
        else:
            rank = np.float64(shares[page]) * out_degrees[page] / beta
        total += rank
    true_jump = (1.0 - beta) * total + beta * stuck
    change = 0.0
    for page in range(len(inflow)):
        after = true_jump * teleport[page] + inflow[page]
        if out_degrees[page] == 0:
            change += abs(true_jump - jump) * teleport[page]
        else:
            change += abs(after - np.float64(shares[page]) * out_degrees[page] / beta)
        inflow[page] = after
    return total, change


# PageRank of large graphs by sweeps
# ----------------------------------
#
# The walk of `pagerank` is a linear system (G. Del Corso, A. Gullí, F. Romani, "Fast PageRank
# computation via a sparse linear system", Internet Mathematics 2005): for any jump j > 0, the
# solution of
#
#     y[v] = beta * sum over links u -> v of y[u] / d[u]  +  j * t[v]
#
# is the rank, up to a factor. Five things make it fast.
#
# - Pages without links pass on no rank, so they are computed once, at the end (I. Ipsen, T. Selee, "PageRank
#   computation, with special attention to dangling nodes", SIAM J. Matrix Anal. Appl. 2007).
# - A page's new rank is used by the next pages of the same sweep (Gauss-Seidel), and its change is
#   multiplied by a factor above 1 (successive overrelaxation: D. Young, "Iterative methods for solving
#   partial difference equations of elliptic type", Trans. AMS 1954).
# - After each sweep j is set so that the rank that jumps in equals the rank that leaves. With a fixed j,
#   sweeps would converge no faster than the walk forgets its start.
# - Shares have 32 bits until more precision is needed.
# - Each thread sweeps its own span of pages, and after each part of it sees the results that the others had
#   after their previous part. So the result depends on the number of threads, but not on timing.
#
# At the end one step of the walk is taken, with sums of 64 bits; its change is the reported residual.

Vector = NDArray[np.float64]
PARTS = 8  # parts of a thread's span; before each part, the thread copies the results of the others
ROUNDING = 1e-6  # a residual that is always reached with shares of 32 bits; their limit is about 1e-8
LINKS_A_THREAD = 1 << 20
MOST_THREADS = 8


@dataclass(frozen=True, slots=True)
class RankResult:
    """Ranks, and how the computation converged."""

    values: Vector
    steps: int  # steps of the walk, or sweeps over a large graph
    residual: float  # sum over all pages of the change that a step of the walk would still make
    converged: bool
    diagnosis: str = ""  # for users: why it did not converge


def default_threads(graph: LinkGraph) -> int:
    """Return the number of cores available to this process; fewer for a small graph."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, MOST_THREADS, graph.links // LINKS_A_THREAD))


def swept(
    graph: LinkGraph,
    beta: float,
    tolerance: float,
    max_sweeps: int,
    teleport: Vector,
    start: Vector,
    threads: int,
) -> RankResult:
    """Compute PageRank by sweeps, for 0 < beta < 1. `teleport` and `start` must sum to 1."""
    with ThreadPoolExecutor(threads) as pool:
        sweeps = _Sweeps(graph, beta, teleport, start, pool, threads)
        if not sweeps.goes_on:
            return RankResult(teleport.copy(), 0, 0.0, True)
        return sweeps.until(tolerance, max_sweeps)


class _Sweeps:
    """The state of the sweeps. Each thread has its own copy of the shares, newest in its own span."""

    def __init__(
        self,
        graph: LinkGraph,
        beta: float,
        teleport: Vector,
        start: Vector,
        pool: Executor,
        threads: int,
    ) -> None:
        self._graph, self._pool, self._threads = graph, pool, threads
        self._parts = PARTS if threads > 1 else 1
        self._cuts = _cuts(graph, threads * self._parts)
        self._walk = Walk(graph, self._counted_dead_links(), teleport, beta)
        # Scaled ranks are about 1, far from the smallest numbers of 32 bits.
        self._scale = float(graph.pages)
        shares = np.empty(graph.pages, np.float32)
        leaving, self._jumping_in = first_shares(self._walk, start, self._scale, shares)
        self._jump = (leaving / self._jumping_in if self.goes_on else 0.0) or self._scale
        self._take(shares)

    @property
    def goes_on(self) -> bool:
        """Whether a jump can reach a page with links; otherwise every step is a jump."""
        return self._jumping_in > 0.0

    def until(self, tolerance: float, max_sweeps: int) -> RankResult:
        """Sweep until a step of the walk changes the ranks by no more than the tolerance."""
        residuals: list[float] = []
        relaxation = Relaxation()
        while True:
            while len(residuals) < max_sweeps:
                residuals.append(self._sweep(relaxation.value))
                relaxation.learn(residuals)
                if _expected(residuals) <= max(tolerance, self._floor):
                    break
            ranks, residual = self._step()
            if residual <= tolerance or len(residuals) >= max_sweeps:
                return _result(ranks, len(residuals), [*residuals, residual], tolerance, self._walk.beta)
            if residual <= self._floor:
                self._take(self._shares[0].astype(np.float64))

    @property
    def _floor(self) -> float:
        return ROUNDING if self._shares[0].dtype == np.float32 else 0.0

    def _sweep(self, relaxation: float) -> float:
        """Run one sweep with all threads; return the change relative to the sum of all ranks."""
        changes, leaving = 0.0, 0.0
        for part in range(self._parts):
            for change, gone in self._by_all(partial(self._part, part, relaxation)):
                changes += change
                leaving += gone
        self._jump = leaving / self._jumping_in
        return changes / self._scale

    def _part(self, part: int, relaxation: float, thread: int) -> tuple[float, float]:
        """Sweep a part of a thread's span, after copying the latest results of the other threads."""
        self._see(thread, (part - 1) % self._parts)
        return sweep(self._walk, self._jump, relaxation, *self._span(thread, part), self._shares[thread])

    def _see(self, thread: int, part: int) -> None:
        for other in range(self._threads):
            if other != thread:
                begin, end = self._span(other, part)
                self._shares[thread][begin:end] = self._shares[other][begin:end]

    def _step(self) -> tuple[Vector, float]:
        """Take a step of the walk from the current ranks; return the new ranks and the change."""
        self._see(0, self._parts - 1)
        shares, inflow = self._shares[0], np.empty(self._graph.pages)
        self._by_all(lambda thread: pull_all(self._graph, shares, *self._whole_span(thread), inflow))
        total, change = step_from(self._walk, inflow, shares, self._jump)
        inflow /= inflow.sum()
        return inflow, change / total

    def _take(self, shares: NDArray[Any]) -> None:
        self._shares = [shares, *(shares.copy() for _ in range(self._threads - 1))]

    def _counted_dead_links(self) -> NDArray[np.uint32]:
        counts = [np.zeros(self._graph.pages, np.uint32) for _ in range(self._threads)]
        self._by_all(lambda own: count_dead_links(self._graph, *self._whole_span(own), counts[own]))
        return reduce(np.add, counts)

    def _span(self, thread: int, part: int) -> tuple[int, int]:
        number = thread * self._parts + part
        return self._cuts[number], self._cuts[number + 1]

    def _whole_span(self, thread: int) -> tuple[int, int]:
        return self._cuts[thread * self._parts], self._cuts[(thread + 1) * self._parts]

    def _by_all(self, work: Callable[[int], Any]) -> Sequence[Any]:
        """Run `work` for every thread number; return the results in order."""
        if self._threads == 1:
            return [work(0)]
        return list(self._pool.map(work, range(self._threads)))


def _cuts(graph: LinkGraph, parts: int) -> list[int]:
    """Return the bounds of spans of pages with about equal work."""

    def work(page: int) -> int:
        return int(graph.starts[page]) + 4 * page

    wanted = [work(graph.pages) * part // parts for part in range(1, parts)]
    return [0, *(bisect_left(range(graph.pages + 1), one, key=work) for one in wanted), graph.pages]


def _expected(residuals: Sequence[float]) -> float:
    """Extrapolate the residual after one more sweep from the last two."""
    if len(residuals) < 2 or not residuals[-2]:
        return residuals[-1]
    return residuals[-1] * min(1.0, residuals[-1] / residuals[-2])


STANDSTILL = 0.999  # no progress: half of all steps left more than this part of the residual
FEW_LINKS = 1 << 17  # graphs with fewer links are walked step by step
LEAST_SWEPT_BETA = 0.01  # below this, a few steps of the walk suffice


def pagerank(
    graph: LinkGraph,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    teleport: Vector | None = None,
    start: Vector | None = None,
    threads: int | None = None,
) -> RankResult:
    """Compute the PageRank of every page, summing to 1.

    `teleport` are the weights of the pages to jump to (equal by default); a set of pages gives the rank of a
    topic, or trust. `start` are the initial ranks; ranks of an earlier generation make convergence faster.
    `threads` is the number of threads (all cores by default). The result is deterministic for the same
    number of threads; for different numbers it differs within the tolerance.
    """
    if graph.links < FEW_LINKS or not LEAST_SWEPT_BETA <= beta < 1.0:
        return walked(graph, beta, tolerance, max_steps, teleport=teleport, start=start)
    jumps, ranks = _jumps_and_start(graph, beta, teleport, start)
    return swept(graph, beta, tolerance, max_steps, jumps, ranks, threads or default_threads(graph))


def walked(
    graph: LinkGraph,
    beta: float = 0.85,
    tolerance: float = 1e-9,
    max_steps: int = 200,
    *,
    teleport: Vector | None = None,
    start: Vector | None = None,
    weights: Vector | None = None,
) -> RankResult:
    """Compute PageRank by steps of the walk only. Beta may be 1; non-convergence is then diagnosed.

    `weights` are the link weights, in the order of `graph.sources` (equal by default).
    """
    jumps, ranks = _jumps_and_start(graph, beta, teleport, start)
    totals = graph.out_degrees if weights is None else np.bincount(graph.sources, weights, graph.pages)
    residuals: list[float] = []
    shares = np.empty_like(ranks)
    while graph.pages and len(residuals) < max_steps and not (residuals and residuals[-1] <= tolerance):
        jump = 1.0 - beta + beta * share_out(ranks, totals, shares)
        residuals.append(pull(graph, weights, shares, beta, jump, jumps, ranks))
    if len(ranks):
        ranks /= ranks.sum()
    return _result(ranks, len(residuals), residuals, tolerance, beta)


def _result(ranks: Vector, steps: int, residuals: list[float], tolerance: float, beta: float) -> RankResult:
    residual = residuals[-1] if residuals else 0.0
    converged = residual <= tolerance
    return RankResult(ranks, steps, residual, converged, "" if converged else _diagnosis(residuals, beta))


def _jumps_and_start(
    graph: LinkGraph, beta: float, teleport: Vector | None, start: Vector | None
) -> tuple[Vector, Vector]:
    """Return the teleport and start distributions; the start is the teleport distribution by default."""
    if not 0.0 <= beta <= 1.0:
        raise UsageError(f"beta is the probability to follow a link; it must be between 0 and 1, not {beta}")
    jumps = _distribution("teleport", teleport, graph.pages)
    return jumps, jumps.copy() if start is None else _distribution("start", start, graph.pages)


def _distribution(name: str, weights: Vector | None, pages: int) -> Vector:
    if weights is None:
        return np.full(pages, 1.0 / max(pages, 1))
    if len(weights) != pages:
        raise UsageError(f"{name} has {len(weights)} weights for {pages} pages")
    total = float(np.sum(weights))
    if not (np.isfinite(total) and total > 0 and np.min(weights) >= 0):
        raise UsageError(f"{name} needs weights that are finite and not negative, at least one above 0")
    return np.asarray(weights, np.float64) / total


def _diagnosis(residuals: list[float], beta: float) -> str:
    said = f"not converged after {len(residuals)} steps: the last one changed ranks by {residuals[-1]:.3g}"
    if residuals[-1] <= STANDSTILL * residuals[len(residuals) // 2]:
        return f"{said}; allow more steps or a larger tolerance"
    if beta == 1.0:
        return f"{said}, no less than before; the walk is periodic: use a beta below 1"
    return f"{said}, no less than before; this is the limit of precision: use a larger tolerance"
