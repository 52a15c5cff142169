"""The graph of pages, of hosts, or of registrable domains, and what its nodes are called."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.engine.graph_report import HOSTS, PAGES
from gossamer.links.generation import Generation
from gossamer.model.graph import LinkGraph, Names


@dataclass(frozen=True, slots=True)
class LevelGraph:
    """A graph and the sites of its nodes, -1 where one is not known; a site is its own."""

    graph: LinkGraph
    sites: NDArray[np.int64]
    names: Names  # of the sites


def at_level(level: str, generation: Generation) -> LevelGraph:
    """The graph at a level."""
    if level == PAGES:
        graph, hosts = generation.graph(), generation.sites("hosts")
        return LevelGraph(graph, hosts.site_of(np.arange(graph.pages)), hosts.names)
    found = generation.sites("hosts" if level == HOSTS else "domains")
    return LevelGraph(found.as_links(), np.arange(len(found)), found.names)
