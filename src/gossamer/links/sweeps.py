"""How is PageRank reached in a dozen passes over a large graph?

The walk of `pagerank` is a linear system (G. Del Corso, A. Gullí, F. Romani, "Fast PageRank computation via a
sparse linear system", Internet Mathematics 2005): for any jump j > 0, the solution of

    y[v] = beta * sum over links u -> v of y[u] / d[u]  +  j * t[v]

is the rank, up to a factor. Five things make it quick.

- Pages without links give nothing, so they wait until all others are done (I. Ipsen, T. Selee, "PageRank
  computation, with special attention to dangling nodes", SIAM J. Matrix Anal. Appl. 2007).
- A page's new rank is used by the next pages of the same sweep (Gauss-Seidel), and is taken a little
  further than it moved (successive overrelaxation: D. Young, "Iterative methods for solving partial
  difference equations of elliptic type", Trans. AMS 1954).
- j follows the ranks: it is set so that as much jumps in as leaves. Without it the sweeps converge no
  faster than the walk loses what it starts with.
- Shares have 32 bits until more is needed.
- Threads sweep spans of their own; each sees what the others had after their last part, so that the result
  depends on the number of threads, and on nothing else.

The end is a step of the walk itself, with sums of 64 bits: its change is the residual that is told.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.links.relaxation import Relaxation
from gossamer.links.sweeps_kernel import count_dead_links, first_shares, pull_all, step_from, sweep
from gossamer.model.graph import LinkGraph

Vector = NDArray[np.float64]

PARTS = 8  # of a thread's span: after each, threads see what the others have done
ROUNDING = 1e-6  # a residual that shares of 32 bits reach surely; theirs ends at some 1e-8
LINKS_A_THREAD = 1 << 20
MOST_THREADS = 8


@dataclass(frozen=True, slots=True)
class Swept:
    """Ranks that sum to 1, and how they were reached."""

    ranks: Vector
    sweeps: int
    changes: list[float]  # of each sweep
    residual: float  # what one more step of the walk changed


def default_threads(graph: LinkGraph) -> int:
    """As many as there are cores for this process, fewer for a small graph."""
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
) -> Swept:
    """PageRank for 0 < beta < 1. `teleport` and `start` sum to 1."""
    with ThreadPoolExecutor(threads) as pool:
        sweeps = _Sweeps(graph, beta, teleport, start, pool, threads)
        return sweeps.until(tolerance, max_sweeps) if sweeps.goes_on else Swept(teleport.copy(), 0, [], 0.0)


class _Sweeps:
    """The state of the iteration: every thread has shares of its own, in which its span is the newest."""

    def __init__(
        self,
        graph: LinkGraph,
        beta: float,
        teleport: Vector,
        start: Vector,
        pool: Executor,
        threads: int,
    ) -> None:
        self._graph, self._beta, self._teleport = graph, beta, teleport
        self._pool, self._threads = pool, threads
        self._parts = PARTS if threads > 1 else 1
        self._cuts = _cuts(graph, threads * self._parts)
        self._dead_links = self._counted_dead_links()
        # A page's rank is then about 1, far from the smallest numbers that 32 bits hold.
        self._scale = float(graph.pages)
        shares = np.empty(graph.pages, np.float32)
        leaving, self._jumping_in = first_shares(
            start, graph.out_degrees, self._dead_links, teleport, beta, self._scale, shares
        )
        self._jump = (self._balanced(leaving) if self.goes_on else 0.0) or self._scale
        self._take(shares)

    @property
    def goes_on(self) -> bool:
        """Whether any jump comes to a page with links; else every jump is followed by the next."""
        return self._jumping_in > 0.0

    def until(self, tolerance: float, max_sweeps: int) -> Swept:
        """Sweeps until a step of the walk changes no more than the tolerance."""
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
                return Swept(ranks, len(residuals), residuals, residual)
            if residual <= self._floor:
                self._take(self._shares[0].astype(np.float64))

    @property
    def _floor(self) -> float:
        return ROUNDING if self._shares[0].dtype == np.float32 else 0.0

    def _sweep(self, relaxation: float) -> float:
        """One sweep by all threads; returns the change, as a part of all ranks."""
        changes, leaving = 0.0, 0.0
        for part in range(self._parts):
            for change, gone in self._by_all(partial(self._part, part, relaxation)):
                changes += change
                leaving += gone
        self._jump = self._balanced(leaving)
        return changes / self._scale

    def _part(self, part: int, relaxation: float, thread: int) -> tuple[float, float]:
        """A part of a thread's span, once it has seen what the others have done."""
        graph, own = self._graph, self._shares[thread]
        self._see(thread, (part - 1) % self._parts)
        begin, end = self._span(thread, part)
        return sweep(
            graph.starts,
            graph.sources,
            graph.out_degrees,
            self._dead_links,
            self._teleport,
            self._beta,
            self._jump,
            relaxation,
            begin,
            end,
            own,
        )

    def _see(self, thread: int, part: int) -> None:
        for other in range(self._threads):
            if other != thread:
                begin, end = self._span(other, part)
                self._shares[thread][begin:end] = self._shares[other][begin:end]

    def _step(self) -> tuple[Vector, float]:
        """A step of the walk from where the sweeps are, and how much it changes."""
        graph = self._graph
        self._see(0, self._parts - 1)
        shares = self._shares[0]
        inflow = np.empty(graph.pages)
        self._by_spans(lambda begin, end: pull_all(graph.starts, graph.sources, shares, begin, end, inflow))
        total, change = step_from(inflow, graph.out_degrees, self._teleport, shares, self._beta, self._jump)
        inflow /= inflow.sum()
        return inflow, change / total

    def _take(self, shares: NDArray[Any]) -> None:
        self._shares = [shares, *(shares.copy() for _ in range(self._threads - 1))]

    def _balanced(self, leaving: float) -> float:
        return leaving / self._jumping_in

    def _counted_dead_links(self) -> NDArray[np.uint32]:
        graph = self._graph
        counts = [np.zeros(graph.pages, np.uint32) for _ in range(self._threads)]

        def count(thread: int) -> None:
            begin, end = self._span(thread, 0)[0], self._span(thread, self._parts - 1)[1]
            count_dead_links(graph.starts, graph.sources, graph.out_degrees, begin, end, counts[thread])

        self._by_all(count)
        for other in counts[1:]:
            counts[0] += other
        return counts[0]

    def _span(self, thread: int, part: int) -> tuple[int, int]:
        number = thread * self._parts + part
        return self._cuts[number], self._cuts[number + 1]

    def _by_spans(self, work: Callable[[int, int], None]) -> None:
        self._by_all(lambda thread: work(self._span(thread, 0)[0], self._span(thread, self._parts - 1)[1]))

    def _by_all(self, work: Callable[[int], Any]) -> Sequence[Any]:
        """What each thread's work gives, in the order of threads."""
        if self._threads == 1:
            return [work(0)]
        return list(self._pool.map(work, range(self._threads)))


def _cuts(graph: LinkGraph, parts: int) -> list[int]:
    """Spans of pages with about as much work each."""

    def work(page: int) -> int:
        return int(graph.starts[page]) + 4 * page

    wanted = [work(graph.pages) * part // parts for part in range(1, parts)]
    return [0, *(bisect_left(range(graph.pages + 1), one, key=work) for one in wanted), graph.pages]


def _expected(residuals: Sequence[float]) -> float:
    """The residual after one more sweep, going by the last two."""
    if len(residuals) < 2 or not residuals[-2]:
        return residuals[-1]
    return residuals[-1] * min(1.0, residuals[-1] / residuals[-2])
