"""Bow tie and connected components.

A. Broder, R. Kumar, F. Maghoul, P. Raghavan, S. Rajagopalan, R. Stata, A. Tomkins, J. Wiener, "Graph
structure in the Web", WWW 2000:

    core          the largest strongly connected component that has a cycle
    in            pages that reach the core but are not reached from it
    out           pages that are reached from the core but do not reach it
    tendrils in   other pages that are reached from "in"
    tendrils out  other pages that reach "out"
    tubes         other pages on paths from "in" to "out"
    islands       pages that are not connected with any of these, even if links are followed backwards

Some other pages link to "tendrils in" or are linked from "tendrils out", directly or through other such
pages. They are in no part of this list. The paper counts them among the tendrils; here they are the fringe.

A single page without a link to itself has no cycle. If no component has a cycle, there is no core, and all
pages are on islands.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.model.graph import LinkGraph, OutLinks

# Strong and weak components
# --------------------------
#
# SciPy computes them without recursion: D. J. Pearce, "An improved algorithm for finding the
# strongly connected components of a directed graph", 2005.

Labels = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Components:
    """The number of the component of each node, and how many nodes each component has."""

    labels: Labels
    sizes: NDArray[np.int64]


def strong(graph: LinkGraph) -> Components:
    """Return the strongly connected components: every page can be reached from every other."""
    return _components(graph, "strong")


def weak(graph: LinkGraph) -> Components:
    """Return the weakly connected components: connected if the direction of links is ignored."""
    return _components(graph, "weak")


def matrix(graph: LinkGraph) -> Any:
    """Return the graph as a SciPy array: row i has the pages that link to i."""
    from scipy.sparse import csr_array

    links = np.ones(graph.links, np.float64)
    shape = (graph.pages, graph.pages)
    return csr_array((links, graph.sources.astype(np.int32), graph.starts), shape=shape)


def _components(graph: LinkGraph, connection: str) -> Components:
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(matrix(graph), directed=True, connection=connection)
    return Components(labels, np.bincount(labels, minlength=count))


# Kernels: reachability, periods
# ------------------------------


@unchecked_kernel
def spread(links: OutLinks, marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark all nodes that can be reached from marked nodes."""
    starts, neighbours = links.starts, links.targets
    reached, queue = marked.copy(), np.empty(len(marked), np.uint32)
    end = 0
    for node in range(len(reached)):
        if reached[node]:
            queue[end] = node
            end += 1
    at = 0
    while at < end:
        node = queue[at]
        at += 1
        for link in range(starts[node], starts[node + 1]):
            neighbour = neighbours[link]
            if not reached[neighbour]:
                reached[neighbour] = True
                queue[end] = neighbour
                end += 1
    return reached


@unchecked_part
def divisor(one: int, other: int) -> int:
    """Return the greatest common divisor (Euclid); for 0 and a number it is the number."""
    while other:
        one, other = other, one % other
    return one


@unchecked_kernel
def find_periods(links: OutLinks, labels: NDArray[np.int32], components: int) -> NDArray[np.int64]:
    """Return the period of each component: the gcd of its cycle lengths, 0 if it has no cycle.

    It is the greatest common divisor of d(u) + 1 - d(v) over all links u -> v of the component, where d is
    the distance from any fixed node of the component.
    """
    starts, neighbours = links.starts, links.targets
    depths, queue = np.full(len(labels), -1, np.int64), np.empty(len(labels), np.uint32)
    periods = np.zeros(components, np.int64)
    for root in range(len(labels)):
        if depths[root] >= 0:
            continue
        depths[root] = 0
        queue[0] = root
        at, end = 0, 1
        while at < end:
            node = queue[at]
            at += 1
            for link in range(starts[node], starts[node + 1]):
                neighbour = neighbours[link]
                if depths[neighbour] < 0 and labels[neighbour] == labels[root]:
                    depths[neighbour] = depths[node] + 1
                    queue[end] = neighbour
                    end += 1
    for node in range(len(labels)):
        own = labels[node]
        for link in range(starts[node], starts[node + 1]):
            neighbour = neighbours[link]
            if labels[neighbour] == own:
                periods[own] = divisor(periods[own], abs(depths[node] + 1 - depths[neighbour]))
    return periods


Mask = NDArray[np.bool_]


class BowTiePart(IntEnum):
    """The parts of the bow tie."""

    CORE = 0
    IN = 1
    OUT = 2
    TENDRIL_IN = 3
    TENDRIL_OUT = 4
    TUBE = 5
    FRINGE = 6
    ISLAND = 7


@dataclass(frozen=True, slots=True)
class BowTie:
    """The part of every page, and how many pages each part has."""

    parts: NDArray[np.uint8]
    sizes: tuple[int, ...]  # by BowTiePart
    islands: int  # number of separate islands

    def share(self, part: BowTiePart) -> float:
        """The part's share of all pages."""
        return self.sizes[part] / max(len(self.parts), 1)


def bow_tie(graph: LinkGraph, onward: OutLinks, strong: Components) -> BowTie:
    """Find the bow tie around the largest strongly connected component."""
    parts = np.full(graph.pages, BowTiePart.ISLAND, np.uint8)
    hanging, label = weak(graph), largest(graph, strong)
    islands = len(hanging.sizes)
    if label is not None:
        core = strong.labels == label
        parts[hanging.labels == hanging.labels[np.argmax(core)]] = BowTiePart.FRINGE
        islands -= 1
        _place(graph, onward, core, parts)
    return BowTie(parts, tuple(np.bincount(parts, minlength=len(BowTiePart)).tolist()), islands)


def largest(graph: LinkGraph, strong: Components) -> int | None:
    """Return the component with the most pages that has a cycle; None if there is no cycle.

    Among components of equal size, choose the one with the page that has the most links.
    """
    links = np.diff(graph.starts) + graph.out_degrees
    sizes = strong.sizes[strong.labels]
    round_about = sizes > 1
    round_about[graph.sources[graph.sources == np.repeat(np.arange(graph.pages), np.diff(graph.starts))]] = (
        True
    )
    if not round_about.any():
        return None
    return int(strong.labels[np.lexsort((graph.fingerprints, -links, ~round_about, -sizes))[0]])


def _place(graph: LinkGraph, onward: OutLinks, core: Mask, parts: NDArray[np.uint8]) -> None:
    backward = OutLinks(graph.starts, graph.sources)
    behind, before = spread(onward, core), spread(backward, core)
    within, beyond = before & ~behind, behind & ~before
    elsewhere = ~(before | behind)
    from_in = spread(onward, within) & elsewhere
    to_out = spread(backward, beyond) & elsewhere
    parts[from_in] = BowTiePart.TENDRIL_IN
    parts[to_out] = BowTiePart.TENDRIL_OUT
    parts[from_in & to_out] = BowTiePart.TUBE
    parts[within], parts[beyond], parts[core] = BowTiePart.IN, BowTiePart.OUT, BowTiePart.CORE
