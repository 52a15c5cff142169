"""Which authorities are such on this query, and not on everything?

Hubs on any topic also name what everybody names: countries, makers of browsers, a licence. Their scores as
authorities are high for every query. What tells them apart is who else links to them. With d(v) links to page
v on the whole web, and relevances w of the base set,

    focus(v) = sum over links u -> v of w[u]  /  (d(v) + 10)

is the share of all who link to v that has to do with the query; ten more, who have not, keep pages down of
which a single link speaks. An authority times its focus is what a reader expects. It is to links what the
inverse document frequency is to words.

Pages 0 and 1 have to do with the query and name 2 and 3, which are equal authorities; but ten others, on all
kinds of things, name page 3 too:

    >>> from gossamer.links.pairs import graph_of
    >>> from gossamer.links.ranks.base_set import base_set
    >>> from gossamer.links.transpose import outward
    >>> named = [(0, 2), (1, 2), (0, 3), (1, 3)]
    >>> web = graph_of(named + [(page, 3) for page in range(4, 14)])
    >>> base = base_set(web, outward(web), [0, 1])
    >>> base.nodes.tolist()
    [0, 1, 2, 3]
    >>> focus(web, base, np.array([1.0, 1.0, 0.0, 0.0])).round(4).tolist()  # 2 / 12 and 2 / 22
    [0.0, 0.0, 0.1667, 0.0909]

Where links inside hosts do not count, they do not count in d(v) either; of a page with many links two
hundred are then looked at, spread evenly over the list.

Costs: a pass over the links of the base set, and a look at up to two hundred links to each of its pages.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.links.ranks.base_set import BaseSet
from gossamer.links.ranks.focus_kernel import count_strangers
from gossamer.links.ranks.teleport import Vector
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph

OTHERS = 10.0  # who link to every page and have nothing to do with the query
MOST = 200  # links to a page that are looked at


def focus(
    graph: LinkGraph, base: BaseSet, relevance: Vector, hosts: NDArray[np.uint32] | None = None
) -> Vector:
    """What share of those who link to each page of the base set has to do with the query.

    `hosts` are those with which the base set was made, or None.
    """
    count = len(base.nodes)
    if len(relevance) != count:
        raise UsageError(f"relevance has {len(relevance)} values for {count} pages of the base set")
    targets = np.repeat(np.arange(count), np.diff(base.starts))
    votes = np.bincount(targets, weights=relevance[base.sources], minlength=count)
    return votes / (_voters(graph, base, hosts) + OTHERS)


def _voters(graph: LinkGraph, base: BaseSet, hosts: NDArray[np.uint32] | None) -> Vector:
    """How many pages of the web link to each of the base set."""
    if hosts is None:
        nodes = base.nodes.astype(np.int64)
        return (graph.starts[nodes + 1] - graph.starts[nodes]).astype(np.float64)
    found = np.empty(len(base.nodes))
    count_strangers(graph.starts, graph.sources, hosts, base.nodes, MOST, found)
    return found
