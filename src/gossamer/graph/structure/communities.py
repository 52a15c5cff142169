"""Communities by the Leiden algorithm.

Modularity (M. E. J. Newman, M. Girvan, Physical Review E 69, 2004), ignoring the direction of links:

    Q = sum over communities c of  L(c) / m - (K(c) / 2m)^2

where L(c) is the number of links within c, K(c) the sum of the degrees of its pages, and m the number of
links. The Leiden algorithm maximises it (`move_nodes`, `refine`): nodes move between communities, communities
are refined into parts, and the parts become the nodes of a smaller graph, until no node moves. Then the
algorithm starts again from the result, as long as that improves the modularity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import unchecked_kernel
from gossamer.model.graph import LinkGraph

# Kernels: Leiden moves and refinement
# ------------------------------------
#
# The two loops of V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing well-
# connected communities", Scientific Reports 9, 2019. A node of strength k gains w(c) - k * K(c) / 2m
# by being in community c, where w(c) is the weight of its links to c, K(c) the strength of all other
# nodes there, and 2m that of all.

LEAST = 1e-9  # least gain that is not a rounding error


class WeightedGraph(NamedTuple):
    """An undirected graph: each link is in the rows of both of its ends."""

    starts: NDArray[np.int64]
    neighbours: NDArray[np.int32]
    weights: NDArray[np.float64]
    strengths: NDArray[np.float64]  # of each node, the weight of its links


@unchecked_kernel
def move_nodes(
    web: WeightedGraph, labels: NDArray[np.int64], totals: NDArray[np.float64], whole: float
) -> None:
    """Move nodes to the best neighbouring community until none gains; update `labels` and `totals`.

    After a move, the node's neighbours in other communities are examined again. Labels are below the number
    of nodes; `totals` are the strengths of the communities, and `whole` is their sum.
    """
    starts, neighbours, weights, strengths = web
    count = len(labels)
    queue = np.arange(count)
    waits = np.ones(count, np.bool_)
    tally = np.zeros(count, np.float64)
    touched = np.empty(count, np.int64)
    at, waiting = 0, count
    while waiting:
        node = queue[at]
        at = (at + 1) % count
        waiting -= 1
        waits[node] = False
        own = labels[node]
        met = 0
        for link in range(starts[node], starts[node + 1]):
            if neighbours[link] != node:
                label = labels[neighbours[link]]
                if tally[label] == 0.0:
                    touched[met] = label
                    met += 1
                tally[label] += weights[link]
        totals[own] -= strengths[node]
        share = strengths[node] / whole
        stay = tally[own] - share * totals[own]
        best, most = own, -np.inf
        for i in range(met):
            label = touched[i]
            gain = tally[label] - share * totals[label]
            if label != own and (gain > most or (gain == most and label < best)):
                best, most = label, gain
        for i in range(met):
            tally[touched[i]] = 0.0
        if most <= stay + LEAST:
            best = own
        totals[best] += strengths[node]
        if best == own:
            continue
        labels[node] = best
        for link in range(starts[node], starts[node + 1]):
            neighbour = neighbours[link]
            if labels[neighbour] != best and not waits[neighbour]:
                waits[neighbour] = True
                queue[(at + waiting) % count] = neighbour
                waiting += 1


@unchecked_kernel
def refine(
    web: WeightedGraph, labels: NDArray[np.int64], totals: NDArray[np.float64], whole: float
) -> NDArray[np.int64]:
    """Split each community into connected parts, starting from single nodes; return the part of each node.

    A node that is still alone joins the part of its community where it gains most, if both are well connected
    to the rest of the community. The published algorithm chooses a part at random; this function chooses the
    best.
    """
    starts, neighbours, weights, strengths = web
    count = len(labels)
    parts = np.arange(count)
    inner = np.zeros(count, np.float64)  # weight of the links of a part to the rest of its community
    sizes = np.ones(count, np.int64)
    sums = strengths.copy()
    tally = np.zeros(count, np.float64)
    touched = np.empty(count, np.int64)
    for node in range(count):
        for link in range(starts[node], starts[node + 1]):
            neighbour = neighbours[link]
            if neighbour != node and labels[neighbour] == labels[node]:
                inner[node] += weights[link]
    for node in range(count):
        total = totals[labels[node]]
        share = strengths[node] / whole
        if sizes[parts[node]] > 1 or inner[node] < share * (total - strengths[node]) - LEAST:
            continue
        met = 0
        for link in range(starts[node], starts[node + 1]):
            neighbour = neighbours[link]
            if neighbour != node and labels[neighbour] == labels[node]:
                part = parts[neighbour]
                if tally[part] == 0.0:
                    touched[met] = part
                    met += 1
                tally[part] += weights[link]
        best, most = node, LEAST
        for i in range(met):
            part = touched[i]
            gain = tally[part] - share * sums[part]
            holds = inner[part] >= sums[part] * (total - sums[part]) / whole - LEAST
            if holds and (gain > most or (gain == most and part < best)):
                best, most = part, gain
        if best != node:
            inner[best] += inner[node] - 2 * tally[best]
            sums[best] += strengths[node]
            sizes[best] += 1
            parts[node] = best
        for i in range(met):
            tally[touched[i]] = 0.0
    return parts


MOST_ROUNDS = 3
LEAST_GAIN = 1e-4  # of modularity; less ends the search
Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Communities:
    """The community of every page; 0 is the largest."""

    labels: Labels
    sizes: NDArray[np.int64]
    modularity: float

    def between(self, graph: LinkGraph, count: int) -> NDArray[np.int64]:
        """Count the links between each pair of the largest `count` communities, as a table."""
        origins = self.labels[graph.sources]
        ends = np.repeat(self.labels, np.diff(graph.starts))
        inside = (origins < count) & (ends < count)
        pairs = np.bincount(origins[inside] * count + ends[inside], minlength=count * count)
        return pairs.reshape(count, count)


def communities(graph: LinkGraph, seed: int = 1) -> Communities:
    """Find the communities of a graph; deterministic for the same pages, links and seed."""
    if not graph.links:
        order = np.argsort(np.argsort(graph.fingerprints))
        return Communities(order, np.ones(graph.pages, np.int64), 0.0)
    order = _order(graph, seed)
    web = _undirected(graph, order)
    found = _leiden(web, np.arange(graph.pages))
    quality = _modularity(web, found)
    for _ in range(MOST_ROUNDS):
        again = _leiden(web, found)
        better = _modularity(web, again)
        if better < quality + LEAST_GAIN:
            break
        found, quality = again, better
    return _by_size(graph, found[order], quality)


def _order(graph: LinkGraph, seed: int) -> Labels:
    """Return a random position for every node, which depends only on its fingerprint and the seed."""
    order = np.empty(graph.pages, np.int64)
    order[np.argsort(graph.fingerprints)] = np.random.default_rng(seed).permutation(graph.pages)
    return order


def _undirected(graph: LinkGraph, order: Labels) -> Any:
    """Return the links in both directions, without self-links, as a SciPy array."""
    from scipy.sparse import coo_array

    ends = order[np.repeat(np.arange(graph.pages), np.diff(graph.starts))].astype(np.int32)
    origins = order[graph.sources].astype(np.int32)
    other = origins != ends
    one_way = coo_array(
        (np.ones(int(other.sum())), (origins[other], ends[other])), shape=(graph.pages, graph.pages)
    ).tocsr()
    return (one_way + one_way.T).tocsr()


def _leiden(web: Any, labels: Labels) -> Labels:
    """Run one round of Leiden from the given communities; return the new community of each node."""
    membership = np.arange(web.shape[0])
    labels = labels.copy()
    whole = web.sum()
    while whole:
        strengths = np.asarray(web.sum(axis=1)).ravel()
        rows = WeightedGraph(web.indptr.astype(np.int64), web.indices.astype(np.int32), web.data, strengths)
        totals = np.bincount(labels, weights=strengths, minlength=len(labels)).astype(np.float64)
        move_nodes(rows, labels, totals, whole)
        kept, parts = np.unique(refine(rows, labels, totals, whole), return_inverse=True)
        if len(kept) == len(labels):
            break
        web = _smaller(web, parts, len(kept))
        labels = np.unique(labels[kept], return_inverse=True)[1]
        membership = parts[membership]
    found: Labels = labels[membership]
    return found


def _smaller(web: Any, parts: Labels, count: int) -> Any:
    """Return the graph whose nodes are the parts."""
    from scipy.sparse import coo_array

    links = web.tocoo()
    ends = parts[links.coords[0]], parts[links.coords[1]]
    return coo_array((links.data, ends), shape=(count, count)).tocsr()


def _modularity(web: Any, labels: Labels) -> float:
    whole = web.sum()
    if not whole:
        return 0.0
    links = web.tocoo()
    inside = links.data[labels[links.coords[0]] == labels[links.coords[1]]].sum()
    totals = np.bincount(labels, weights=np.asarray(web.sum(axis=1)).ravel())
    return float(inside / whole - ((totals / whole) ** 2).sum())


def _by_size(graph: LinkGraph, labels: Labels, modularity: float) -> Communities:
    """Number communities by size, the largest first; ties by the smallest fingerprint."""
    _, first, labels, sizes = np.unique(
        labels[np.argsort(graph.fingerprints)], return_index=True, return_inverse=True, return_counts=True
    )
    ranked = np.lexsort((first, -sizes))
    places = np.empty_like(ranked)
    places[ranked] = np.arange(len(ranked))
    own = np.empty(graph.pages, np.int64)
    own[np.argsort(graph.fingerprints)] = places[labels]
    return Communities(own, sizes[ranked], modularity)
