# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
"""Degree, eigenvector and harmonic centrality (HyperBall).

In-degree counts the links to a page. Popularity counts its neighbours, in either direction of links. Degree
centrality is a degree divided by its largest possible value,

    C(v) = d(v) / (n - 1)

L. C. Freeman, "Centrality in social networks: conceptual clarification", Social Networks 1, 1979.

Pages 0 and 2 link to page 1, which links back to page 2:

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.transpose import outward
    >>> web = graph_of([(0, 1), (2, 1), (1, 2)])
    >>> in_degree(web).tolist(), popularity(web, outward(web)).tolist()
    ([0, 2, 1], [1, 2, 1])
    >>> degree_centrality(in_degree(web)).tolist()
    [0.0, 1.0, 0.5]

Costs: one pass over the starts for in-degree, one over all links both ways for popularity.

Eigenvector centrality:

    lambda * x[v] = sum over links u -> v of x[u]

with the largest lambda. P. Bonacich, "Factoring and weighting approaches to status scores and clique
identification", Journal of Mathematical Sociology 2, 1972.

The method is power iteration of I + A. Adding each page's own value changes no eigenvector and increases
every eigenvalue by one, so that it also converges on bipartite graphs (where lambda and -lambda have the same
absolute value). Unlike in PageRank, a page gives its whole value along every link, and there are no jumps. In
the limit only pages that can be reached from a cycle have a value above 0. Without any cycle the iteration
does not converge, and the result says so; use the undirected graph then.

A path of three pages with links in both directions; lambda is sqrt 2 and x = (1, sqrt 2, 1) / 2:

    >>> from gossamer.graph.build import graph_of
    >>> path = graph_of([(0, 1), (1, 0), (1, 2), (2, 1)])
    >>> eigenvector(path).values.round(4).tolist()
    [0.5, 0.7071, 0.5]

Costs: a pass over all links per step. The closer the two largest eigenvalues, the more steps are needed.

Exact harmonic centrality:

    H(v) = sum over pages u other than v of 1 / d(u, v)

where d(u, v) is the length of the shortest path from u to v, and 1 / d is 0 if there is none. P. Boldi, S.
Vigna, "Axioms for centrality", Internet Mathematics 10, 2014, find that of all classic centralities only this
one behaves as expected on graphs that are not connected.

On the path 0 -> 1 -> 2 -> 3 the last page has 1 + 1/2 + 1/3:

    >>> from gossamer.graph.build import graph_of
    >>> harmonic(graph_of([(0, 1), (1, 2), (2, 3)])).round(4).tolist()
    [0.0, 1.0, 1.5, 1.8333]

Costs: a breadth-first search over all links for every node. This is feasible up to about ten thousand pages;
for larger graphs `hyperball` estimates the values.

Harmonic centrality by HyperBall:

The ball B(v, r) is the set of pages from which v can be reached by at most r links. It is the union of {v}
and the balls B(u, r - 1) of all pages u that link to v, and

    H(v) = sum over r of (|B(v, r)| - |B(v, r - 1)|) / r

Each ball is a HyperLogLog counter of p registers, whose union is a maximum, register by register. P. Boldi,
S. Vigna, "In-core computation of geometric centralities with HyperBall", ICDM Workshops 2013; P. Flajolet,
É. Fusy, O. Gandouet, F. Meunier, "HyperLogLog", AofA 2007. A round updates only the pages with an in-link
from a page whose counter changed in the round before. The rounds end when no counter has changed; their
number is the length of the longest of all shortest paths, plus one.

The relative standard deviation of a ball's size is at most beta / sqrt(p), with beta from 1.106 for 16
registers down to 1.046 for 128 or more: 13% for 64. The deviation of H is no larger: H is a sum of sizes with
positive weights, except for the ball of radius 0, whose size is almost exact. All counters of a run share
their hashes, so that large balls have similar errors, and the order of pages is more exact than the values.

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.transpose import outward
    >>> path = graph_of([(0, 1), (1, 2), (2, 3)])
    >>> found = hyperball(path, outward(path), registers=4096)
    >>> found.values.round(2).tolist(), found.reached.round(1).tolist(), found.rounds
    ([0.0, 1.0, 1.5, 1.83], [1.0, 2.0, 3.0, 4.0], 4)

Costs: 2p bytes of memory per page. The first rounds read p bytes per link, later rounds less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.pagerank import RankResult, pull
from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph, OutLinks


def in_degree(graph: LinkGraph) -> NDArray[np.uint32]:
    """Count the pages that link to each page."""
    return np.diff(graph.starts).astype(np.uint32)


@unchecked_part
def meet(page: int, starts: NDArray[np.int64], ends: NDArray[np.uint32], met: NDArray[np.int64]) -> int:
    """Mark the other ends of a page's links as met by it; return how many were not marked before."""
    count = 0
    for j in range(starts[page], starts[page + 1]):
        if met[ends[j]] != page:
            met[ends[j]] = page
            count += 1
    return count


@unchecked_kernel
def popularity(graph: LinkGraph, out: OutLinks) -> NDArray[np.uint32]:
    """Count the distinct other pages that link to each page or are linked from it."""
    counts, met = np.zeros(len(graph.out_degrees), np.uint32), np.full(len(graph.out_degrees), -1, np.int64)
    for i in range(len(counts)):
        met[i] = i
        counts[i] = meet(i, graph.starts, graph.sources, met) + meet(i, out.starts, out.targets, met)
    return counts


def degree_centrality(degrees: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Divide degrees of any kind by the number of other pages; the value of a lone page is 0."""
    return degrees / max(len(degrees) - 1, 1)


# Eigenvector centrality
# ----------------------


def eigenvector(graph: LinkGraph, tolerance: float = 1e-9, max_steps: int = 1000) -> RankResult:
    """Compute the eigenvector centrality of every page, a vector of length 1; the start is uniform."""
    values = np.full(graph.pages, 1.0 / np.sqrt(max(graph.pages, 1)))
    steps, residual = 0, 0.0
    while graph.pages and steps < max_steps:
        before = values.copy()
        pull(graph, None, before, 1.0, 1.0, before, values)  # own value plus the values of all in-links
        values /= np.linalg.norm(values)
        residual = float(np.abs(values - before).sum())
        steps += 1
        if residual <= tolerance:
            break
    converged = residual <= tolerance
    return RankResult(values, steps, residual, converged, "" if converged else _diagnosis(steps, residual))


def _diagnosis(steps: int, residual: float) -> str:
    return (
        f"not converged after {steps} steps: the last one changed values by {residual:.3g}; "
        "links without a cycle never converge: use the undirected graph, or allow more steps"
    )


# Exact harmonic centrality
# -------------------------


@unchecked_kernel
def harmonic(graph: LinkGraph) -> NDArray[np.float64]:
    """Compute the exact harmonic centrality of every page. Divide by n - 1 for values up to 1."""
    starts, sources = graph.starts, graph.sources
    values, met = np.empty(len(starts) - 1), np.full(len(starts) - 1, -1, np.int64)
    queue = np.empty(len(met), np.uint32)
    for k in range(len(met)):
        met[k] = k
        queue[0] = np.uint32(k)
        first, last, distance, total = 0, 1, 0, 0.0
        while first < last:
            distance += 1
            level = last
            for place in range(first, level):
                page = queue[place]
                for j in range(starts[page], starts[page + 1]):
                    if met[sources[j]] != k:
                        met[sources[j]] = k
                        queue[last] = sources[j]
                        last += 1
            total += (last - level) / distance
            first = level
        values[k] = total
    return values


# Kernels: HyperLogLog balls
# --------------------------

SPREAD = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_30, BY_27, BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)
ONE = np.uint64(1)


class Balls(NamedTuple):
    """The balls of all pages: counters, estimated sizes, and harmonic centralities so far."""

    registers: NDArray[np.uint8]  # a row of 2^b for each page
    sizes: NDArray[np.float64]
    values: NDArray[np.float64]
    powers: NDArray[np.float64]  # 2^-k
    scale: float  # alpha p^2


@unchecked_part
def estimate(row: NDArray[np.uint8], powers: NDArray[np.float64], scale: float) -> float:
    """Estimate the number of distinct elements of a counter; small ones from the registers that are 0."""
    total, empty = 0.0, 0
    for k in range(len(row)):
        total += powers[row[k]]
        empty += row[k] == 0
    found = scale / total
    if empty > 0 and found <= 2.5 * len(row):
        return float(len(row) * np.log(len(row) / empty))
    return found


@unchecked_kernel
def begin(seed: np.uint64, balls: Balls) -> None:
    """Add to every counter, which must be empty, its own page."""
    registers = balls.registers
    width = registers.shape[1]
    bits = np.uint64(np.log2(width) + 0.5)
    for i in range(len(registers)):
        code = (np.uint64(i) + ONE) * SPREAD + seed
        code = (code ^ (code >> BY_30)) * FIRST
        code = (code ^ (code >> BY_27)) * SECOND
        code = code ^ (code >> BY_31)
        register = np.int64(code & np.uint64(width - 1))
        code >>= bits
        zeros = 1
        while zeros <= 64 - bits and not code & ONE:
            code >>= ONE
            zeros += 1
        registers[i, register] = zeros
        balls.sizes[i] = estimate(registers[i], balls.powers, balls.scale)


@unchecked_kernel
def mark_targets(out: OutLinks, changed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark exactly the pages that are linked from a page with a changed counter."""
    marked = np.zeros(len(changed), np.bool_)
    for i in range(len(changed)):
        if changed[i]:
            for j in range(out.starts[i], out.starts[i + 1]):
                marked[out.targets[j]] = True
    return marked


@unchecked_kernel
def grow(
    graph: LinkGraph,
    balls: Balls,
    grown: NDArray[np.uint8],
    changed: NDArray[np.bool_],
    marked: NDArray[np.bool_],
    distance: float,
) -> None:
    """Compute the balls of marked pages for the next radius, `distance`, into `grown`.

    Clears the mark of pages whose counter did not change.
    """
    starts, sources, registers, sizes = graph.starts, graph.sources, balls.registers, balls.sizes
    width = registers.shape[1]
    for i in range(len(marked)):
        if not marked[i]:
            continue
        row, mine = grown[i], registers[i]
        for k in range(width):
            row[k] = mine[k]
        for j in range(starts[i], starts[i + 1]):
            if changed[sources[j]]:
                other = registers[sources[j]]
                for k in range(width):
                    row[k] = max(row[k], other[k])
        differs = np.uint8(0)
        for k in range(width):
            differs |= row[k] ^ mine[k]
        if differs == 0:
            marked[i] = False
            continue
        size = estimate(row, balls.powers, balls.scale)
        balls.values[i] += (size - sizes[i]) / distance
        sizes[i] = size


@unchecked_kernel
def settle(marked: NDArray[np.bool_], grown: NDArray[np.uint8], registers: NDArray[np.uint8]) -> None:
    """Copy the grown counters of marked pages to the registers."""
    for i in range(len(marked)):
        if marked[i]:
            for k in range(registers.shape[1]):
                registers[i, k] = grown[i, k]


# Harmonic centrality by HyperBall
# --------------------------------

LEAST_REGISTERS = 16  # the literature has no constants for fewer
MOST_REGISTERS = 1 << 16
RAW_FACTORS = {16: 0.673, 32: 0.697, 64: 0.709}  # alpha of HyperLogLog
ERRORS = {16: 1.106, 32: 1.070, 64: 1.054}  # beta of HyperLogLog


@dataclass(frozen=True, slots=True)
class HyperBalls:
    """Harmonic centralities; and for each page the number of pages that reach it, including itself."""

    values: NDArray[np.float64]
    reached: NDArray[np.float64]
    error: float  # relative standard deviation of both
    rounds: int


def hyperball(graph: LinkGraph, out: OutLinks, registers: int = 64, seed: int = 1) -> HyperBalls:
    """Estimate the harmonic centrality of all pages; `registers` per page is a power of 2."""
    if registers not in {1 << bits for bits in range(4, 17)}:
        raise UsageError(
            f"registers must be a power of 2 from {LEAST_REGISTERS} to {MOST_REGISTERS}, not {registers}"
        )
    registry = np.zeros((graph.pages, registers), np.uint8)
    sizes, values = np.empty(graph.pages), np.zeros(graph.pages)
    factor = RAW_FACTORS.get(registers, 0.7213 / (1 + 1.079 / registers))
    balls = Balls(registry, sizes, values, np.exp2(-np.arange(256.0)), factor * registers**2)
    begin(np.uint64(seed), balls)
    grown, changed, rounds = np.empty_like(registry), np.ones(graph.pages, np.bool_), 0
    while changed.any():
        rounds += 1
        marked = mark_targets(out, changed)
        grow(graph, balls, grown, changed, marked, float(rounds))
        settle(marked, grown, registry)
        changed = marked
    return HyperBalls(values, sizes, ERRORS.get(registers, 1.046) / registers**0.5, rounds)
