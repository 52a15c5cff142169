"""Which pages can be reached from each other, along links or regardless of their direction?

SciPy does it, without recursion: D. J. Pearce, "An improved algorithm for finding the strongly connected
components of a directed graph", 2005.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.model.graph import LinkGraph

Labels = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Components:
    """The number of the component of each node, and how many nodes each component has."""

    labels: Labels
    sizes: NDArray[np.int64]

    def nodes(self, component: int) -> NDArray[np.int64]:
        """The nodes of one of them."""
        return np.flatnonzero(self.labels == component)


def strong(graph: LinkGraph) -> Components:
    """Components in which a walker can go from every page to every other."""
    return _components(graph, "strong")


def weak(graph: LinkGraph) -> Components:
    """Components that hang together by links in whichever direction."""
    return _components(graph, "weak")


def matrix(graph: LinkGraph) -> Any:
    """The graph as SciPy knows it: row i has the pages that link to i."""
    from scipy.sparse import csr_array

    links = np.ones(graph.links, np.float64)
    shape = (graph.pages, graph.pages)
    return csr_array((links, graph.sources.astype(np.int32), graph.starts), shape=shape)


def _components(graph: LinkGraph, connection: str) -> Components:
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(matrix(graph), directed=True, connection=connection)
    return Components(labels, np.bincount(labels, minlength=count))
