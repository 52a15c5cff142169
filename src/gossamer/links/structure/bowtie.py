"""Which part of the web does each page stand in?

A. Broder, R. Kumar, F. Maghoul, P. Raghavan, S. Rajagopalan, R. Stata, A. Tomkins, J. Wiener, "Graph
structure in the Web", WWW 2000:

    core          the largest strongly connected component in which links lead round
    in            reaches the core, is not reached from it
    out           is reached from the core, does not reach it
    tendrils in   are reached from in, and lead nowhere of the above
    tendrils out  lead to out, and are reached from nowhere of the above
    tubes         lead from in to out, past the core
    islands       hang together with none of these, in whichever direction links are followed

Pages that touch only tendrils and tubes, such as one that links to a tendril and has no links to it, are in
no part of that list. The paper counts them among the tendrils; here they are the fringe.

A page by itself, without a link to itself, is a strongly connected component only in name. Where there is no
other, there is no core, and nothing that leads to it or away from it: all pages are on islands.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from gossamer.links.structure.components import Components, weak
from gossamer.links.structure.reach_kernel import spread
from gossamer.model.graph import LinkGraph, Outward

Mask = NDArray[np.bool_]


class Part(IntEnum):
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
    sizes: tuple[int, ...]  # by Part
    islands: int  # how many there are

    def share(self, part: Part) -> float:
        """The part's share of all pages."""
        return self.sizes[part] / max(len(self.parts), 1)


def bow_tie(graph: LinkGraph, onward: Outward, strong: Components) -> BowTie:
    """The bow tie around the largest strongly connected component."""
    parts = np.full(graph.pages, Part.ISLAND, np.uint8)
    hanging, label = weak(graph), largest(graph, strong)
    islands = len(hanging.sizes)
    if label is not None:
        core = strong.labels == label
        parts[hanging.labels == hanging.labels[np.argmax(core)]] = Part.FRINGE
        islands -= 1
        _place(graph, onward, core, parts)
    return BowTie(parts, tuple(np.bincount(parts, minlength=len(Part)).tolist()), islands)


def largest(graph: LinkGraph, strong: Components) -> int | None:
    """The component with the most pages; of several, that of the page with the most links.

    None where no page can be come back to. A page that links to itself goes before one that does not.
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


def _place(graph: LinkGraph, onward: Outward, core: Mask, parts: NDArray[np.uint8]) -> None:
    behind, before = (
        _reached(onward.starts, onward.targets, core),
        _reached(graph.starts, graph.sources, core),
    )
    within, beyond = before & ~behind, behind & ~before
    elsewhere = ~(before | behind)
    from_in = _reached(onward.starts, onward.targets, within) & elsewhere
    to_out = _reached(graph.starts, graph.sources, beyond) & elsewhere
    parts[from_in] = Part.TENDRIL_IN
    parts[to_out] = Part.TENDRIL_OUT
    parts[from_in & to_out] = Part.TUBE
    parts[within], parts[beyond], parts[core] = Part.IN, Part.OUT, Part.CORE


def _reached(starts: NDArray[np.int64], neighbours: NDArray[np.uint32], begin: Mask) -> Mask:
    reached = begin.copy()
    spread(starts, neighbours, reached, np.empty(len(begin), np.uint32))
    return reached
