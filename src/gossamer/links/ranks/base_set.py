"""Which pages are near the ones that match a query, and how do they link to each other?

The root set is what text retrieval found. The base set adds pages that link to a root and pages that roots
link to, since a good answer need not hold the words of the query: no maker of cars calls itself an automobile
manufacturer, but pages that do link to all of them. J. Kleinberg, "Authoritative sources in a hyperlinked
environment", Journal of the ACM 46, 1999.

A root with many in-links gives at most `most_in` of them, spread evenly over the list, the same ones each
time; likewise for out-links. With the hosts of the nodes, links inside a host are passed over: they are there
to navigate and say nothing about worth.

    >>> from gossamer.links.pairs import graph_of
    >>> from gossamer.links.transpose import outward
    >>> web = graph_of([(0, 1), (1, 2), (2, 3), (3, 4), (3, 1)])
    >>> base = base_set(web, outward(web), [2])
    >>> base.nodes.tolist(), base.roots  # page 2, who links to it, where it links
    ([2, 1, 3], 1)
    >>> base.out.starts.tolist(), base.out.targets.tolist()  # 2 -> 3, 1 -> 2, 3 -> 1
    ([0, 1, 2, 3], [2, 0, 1])

Costs: one look at every out-link of the base set, whatever the size of the web.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.links.ranks.base_set_kernel import expand, links_among
from gossamer.links.ranks.teleport import Nodes, as_nodes
from gossamer.links.transpose_kernel import turn
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph, Outward


@dataclass(frozen=True, slots=True)
class BaseSet:
    """Some pages of a graph, numbered from 0, and the links among them.

    Page i is `nodes[i]` of the graph; the first `roots` are the root set. Who links to page i stands at
    `sources[starts[i]:starts[i + 1]]`, by these numbers.
    """

    nodes: NDArray[np.uint32]
    roots: int
    out: Outward
    starts: NDArray[np.int64]
    sources: NDArray[np.uint32]


def base_set(
    graph: LinkGraph,
    out: Outward,
    roots: Nodes,
    *,
    most_in: int = 50,
    most_out: int = 50,
    hosts: NDArray[np.uint32] | None = None,
) -> BaseSet:
    """The base set of these roots; with all pages of a graph as roots it is the whole graph.

    `hosts` are the numbers of the nodes' hosts; with them links inside a host are left out.
    """
    given = as_nodes(graph.pages, roots)
    if min(most_in, most_out) < 0:
        raise UsageError("a root cannot give fewer than 0 pages")
    if hosts is not None and len(hosts) != graph.pages:
        raise UsageError(f"there are {len(hosts)} hosts for {graph.pages} pages")
    owners = np.empty(0, np.uint32) if hosts is None else np.asarray(hosts, np.uint32)
    room = _room(graph, out, given, most_in, most_out)
    bits = max(2, (2 * room).bit_length())
    shift = np.uint64(64 - bits)
    keys, numbers = np.empty(1 << bits, np.uint32), np.full(1 << bits, -1, np.int32)
    members = np.empty(room, np.uint32)
    distinct, count = expand(
        graph.starts, graph.sources, out.starts, out.targets, owners, given, most_in, most_out,
        shift, keys, numbers, members,
    )  # fmt: skip
    nodes = members[:count].copy()
    starts = np.empty(count + 1, np.int64)
    targets = np.empty(int((out.starts[nodes + np.int64(1)] - out.starts[nodes]).sum()), np.uint32)
    found = links_among(out.starts, out.targets, owners, nodes, shift, keys, numbers, starts, targets)
    return _both_ways(nodes, distinct, Outward(starts, targets[:found].copy()))


def _room(graph: LinkGraph, out: Outward, roots: NDArray[np.int64], most_in: int, most_out: int) -> int:
    """How many pages there can be at most."""
    into = np.minimum(graph.starts[roots + 1] - graph.starts[roots], most_in)
    away = np.minimum(out.starts[roots + 1] - out.starts[roots], most_out)
    return min(graph.pages, len(roots) + int(into.sum() + away.sum()))


def _both_ways(nodes: NDArray[np.uint32], roots: int, out: Outward) -> BaseSet:
    starts, sources = np.zeros(len(nodes) + 1, np.int64), np.empty(len(out.targets), np.uint32)
    turn(out.starts, out.targets, starts, sources)
    return BaseSet(nodes, roots, out, starts, sources)
