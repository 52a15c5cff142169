"""All that can be said about a graph, one question after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.links.pagerank import pagerank
from gossamer.links.structure.bowtie import BowTie, bow_tie, largest
from gossamer.links.structure.communities import Communities, communities
from gossamer.links.structure.components import strong
from gossamer.links.structure.degrees import Degrees, degrees
from gossamer.links.structure.ergodic import Finding, findings
from gossamer.links.structure.farm import FarmGain, planted
from gossamer.links.structure.powerlaw import PowerLaw, power_law
from gossamer.links.structure.walk import Walk, walk
from gossamer.links.transpose import outward
from gossamer.model.graph import LinkGraph

FARMS = (0.001, 0.01, 0.1, 1.0)  # supporting pages, as shares of the pages there are
STEPS = ("the bow tie", "dead ends and traps", "PageRank", "power laws", "communities", "spam farms")
RANK_TOLERANCE = 1e-8

Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Structure:
    """What a graph looks like from far away. Pages are numbers of nodes."""

    bow_tie: BowTie
    walk: Walk
    findings: tuple[Finding, ...]
    ranks: NDArray[np.float64]  # PageRank
    in_degrees: Degrees
    in_law: PowerLaw | None
    out_degrees: Degrees
    out_law: PowerLaw | None
    communities: Communities
    farms: tuple[FarmGain, ...]


def examine(graph: LinkGraph, beta: float, tell: Tell, seed: int = 1) -> Structure:
    """Answers every question; `beta` is PageRank's."""
    steps = iter(range(len(STEPS)))

    def begin() -> None:
        number = next(steps)
        tell(f"looking at {STEPS[number]}", number, len(STEPS))

    begin()
    onward, strongly = outward(graph), strong(graph)
    tie = bow_tie(graph, onward, strongly)
    begin()
    found = walk(graph, onward, strongly, largest(graph, strongly))
    begin()
    ranks = pagerank(graph, beta, RANK_TOLERANCE).values
    begin()
    arriving, leaving = degrees(np.diff(graph.starts)), degrees(graph.out_degrees)
    laws = power_law(arriving, seed=seed), power_law(leaving, seed=seed)
    begin()
    groups = communities(graph, seed)
    begin()
    sizes = sorted({max(1, round(share * graph.pages)) for share in FARMS})
    farms = [planted(graph, ranks, size, beta) for size in sizes] if graph.pages and 0 < beta < 1 else []
    tell("done", len(STEPS), len(STEPS))
    said = findings(found, beta)
    return Structure(tie, found, said, ranks, arriving, laws[0], leaving, laws[1], groups, tuple(farms))
