"""Harmonic centrality of millions of pages: how large are the balls around each of them?

B(v, r), the pages from which v is at most r links away, is the union of the balls B(u, r - 1) around all
pages u that link to v, and v itself; and

    H(v) = sum over r of (|B(v, r)| - |B(v, r - 1)|) / r

Each ball is a HyperLogLog counter of p registers, whose union is a maximum, register by register. P. Boldi,
S. Vigna, "In-core computation of geometric centralities with HyperBall", ICDM Workshops 2013; P. Flajolet,
É. Fusy, O. Gandouet, F. Meunier, "HyperLogLog", AofA 2007. Only pages are looked at to which one links whose
counter changed in the round before, and rounds end when none has changed: there are as many as the longest
of all shortest ways has links, and one.

The relative standard deviation of a ball's size is at most beta / sqrt(p), with beta from 1.106 for 16
registers down to 1.046 from 128 on: 13% for 64. That of H is no larger, since H is a sum of sizes with
weights above 0, but for the ball of radius 0, which is all but exact. In one run all counters share their
hashes, so that large balls err alike, and the order of pages is better than the values.

    >>> from gossamer.links.pairs import graph_of
    >>> from gossamer.links.transpose import outward
    >>> path = graph_of([(0, 1), (1, 2), (2, 3)])
    >>> found = hyperball(path, outward(path), registers=4096)
    >>> found.values.round(2).tolist(), found.reached.round(1).tolist(), found.rounds
    ([0.0, 1.0, 1.5, 1.83], [1.0, 2.0, 3.0, 4.0], 4)

Costs: 2p bytes a page; the first rounds take p bytes a link, later ones less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.links.ranks.hyperball_kernel import begin, grow, mark_targets, settle
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph, Outward

LEAST_REGISTERS = 16  # fewer have no constant in the literature
MOST_REGISTERS = 1 << 16
RAW_FACTORS = {16: 0.673, 32: 0.697, 64: 0.709}  # alpha of HyperLogLog, and below its beta
ERRORS = {16: 1.106, 32: 1.070, 64: 1.054}


@dataclass(frozen=True, slots=True)
class Balls:
    """Harmonic centralities, and from how many pages each page can be reached, itself among them."""

    values: NDArray[np.float64]
    reached: NDArray[np.float64]
    error: float  # the relative standard deviation of both
    rounds: int


def hyperball(graph: LinkGraph, out: Outward, registers: int = 64, seed: int = 1) -> Balls:
    """Estimates of the harmonic centrality of all pages, with so many registers a page, a power of 2."""
    if registers not in {1 << bits for bits in range(4, 17)}:
        raise UsageError(
            f"registers are a power of 2 from {LEAST_REGISTERS} to {MOST_REGISTERS}, not {registers}"
        )
    powers = np.exp2(-np.arange(256, dtype=np.float64))
    scale = _factor(registers) * registers**2
    now = np.zeros((graph.pages, registers), np.uint8)
    grown = np.empty_like(now)
    sizes, values = np.empty(graph.pages), np.zeros(graph.pages)
    changed, marked = np.ones(graph.pages, np.uint8), np.empty(graph.pages, np.uint8)
    begin(np.uint64(seed), powers, scale, now, sizes)
    rounds, moving = 0, graph.pages
    while moving:
        rounds += 1
        mark_targets(out.starts, out.targets, changed, marked)
        grow(
            graph.starts, graph.sources, marked, changed, now, grown, powers, scale, float(rounds),
            sizes, values,
        )  # fmt: skip
        moving = settle(marked, grown, now, changed)
    return Balls(values, sizes, ERRORS.get(registers, 1.046) / registers**0.5, rounds)


def _factor(registers: int) -> float:
    return RAW_FACTORS.get(registers, 0.7213 / (1 + 1.079 / registers))
