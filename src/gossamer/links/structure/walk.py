"""Where does somebody who only follows links get stuck, or go round in circles?

A dead end has no links out. A spider trap is a set of pages that can all be reached from each other and that
no link leaves; the whole web is none, as there is nothing outside of it. A component is periodic when the
lengths of all its circles have a common divisor: a walker is then on some of its pages at certain steps only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.links.structure.components import Components
from gossamer.links.structure.reach_kernel import find_periods
from gossamer.model.graph import LinkGraph, Outward

Nodes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trap:
    """A spider trap; its pages with the most linked first."""

    nodes: Nodes
    entrances: int  # links into it
    period: int


@dataclass(frozen=True, slots=True)
class Walk:
    """What the links do to a walk without teleport."""

    pages: int
    components: int  # strongly connected ones
    dead_ends: Nodes  # the most linked first
    traps: tuple[Trap, ...]  # the largest first
    period: int  # of the core: 1 when it is aperiodic, 0 when it has no circle at all

    @property
    def irreducible(self) -> bool:
        """Whether every page can be reached from every page."""
        return self.components == 1

    @property
    def aperiodic(self) -> bool:
        """Whether nowhere, where a walk can stay for ever, it goes round in step."""
        closed = [trap.period for trap in self.traps]
        return all(period == 1 for period in ([self.period] if self.irreducible else closed))

    @property
    def ergodic(self) -> bool:
        """Whether the plain walk has one limit, whatever its start, in which every page has a part."""
        return self.irreducible and self.period == 1

    @property
    def settles(self) -> bool:
        """Whether it has one limit, whatever its start: in one trap, or nothing where all drains away."""
        ends = len(self.traps) + (len(self.dead_ends) > 0)
        return self.ergodic or (ends == 1 and all(trap.period == 1 for trap in self.traps))


def walk(graph: LinkGraph, onward: Outward, strong: Components, core: int | None) -> Walk:
    """Finds dead ends, traps and periods; `core` is the component that counts as the web's own, if any is."""
    components = len(strong.sizes)
    leaving, entering, inside = _links(graph, strong)
    periods = np.zeros(components, np.int64)
    depths = np.full(graph.pages, -1, np.int64)
    queue = np.empty(graph.pages, np.uint32)
    find_periods(onward.starts, onward.targets, strong.labels, depths, queue, periods)
    closed = (leaving == 0) & (inside > 0) & (strong.sizes < graph.pages)
    members = _members(graph, strong, np.flatnonzero(closed))
    traps = [Trap(nodes, int(entering[label]), int(periods[label])) for label, nodes in members.items()]
    traps.sort(key=lambda trap: (-len(trap.nodes), int(graph.fingerprints[trap.nodes].min())))
    stuck = most_linked(graph, np.flatnonzero(graph.out_degrees == 0))
    period = 0 if core is None else int(periods[core])
    return Walk(graph.pages, components, stuck, tuple(traps), period)


def most_linked(graph: LinkGraph, nodes: Nodes) -> Nodes:
    """These nodes by falling number of in-links."""
    degrees = graph.starts[nodes + 1] - graph.starts[nodes]
    return nodes[np.lexsort((graph.fingerprints[nodes], -degrees))]


def _links(graph: LinkGraph, strong: Components) -> tuple[Nodes, Nodes, Nodes]:
    """How many links leave each component, enter it, stay inside."""
    count = len(strong.sizes)
    origins = strong.labels[graph.sources]
    ends = np.repeat(strong.labels, np.diff(graph.starts))
    crossing = origins != ends
    leaving = np.bincount(origins[crossing], minlength=count)
    entering = np.bincount(ends[crossing], minlength=count)
    return leaving, entering, np.bincount(ends[~crossing], minlength=count)


def _members(graph: LinkGraph, strong: Components, chosen: Nodes) -> dict[int, Nodes]:
    """The nodes of the chosen components."""
    wanted = np.zeros(len(strong.sizes), np.bool_)
    wanted[chosen] = True
    nodes = most_linked(graph, np.flatnonzero(wanted[strong.labels]))
    nodes = nodes[np.argsort(strong.labels[nodes], kind="stable")]
    bounds = np.flatnonzero(np.diff(strong.labels[nodes])) + 1
    return {int(strong.labels[part[0]]): part for part in np.split(nodes, bounds) if len(part)}
