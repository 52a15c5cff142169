# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
"""HITS and SALSA over a query's base set.

A page is a good authority when good hubs link to it, and a good hub when it links to good authorities. With
A[u, v] = 1 where u links to v,

    a := A^T h,   h := A a,   each brought to length 1

The limits are the principal eigenvectors of A^T A and A A^T: where the largest eigenvalue is a single one;
where it repeats, they are the projections of the start (all pages alike) on its eigenspace. J. Kleinberg,
"Authoritative sources in a hyperlinked environment", Journal of the ACM 46, 1999.

Two lists, 0 and 1, name page 2, and the first of them also page 3. A^T A is ((2, 1), (1, 1)), and the scores
are in the golden ratio:

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.ranks.hits import base_set
    >>> from gossamer.graph.transpose import outward
    >>> web = graph_of([(0, 2), (1, 2), (0, 3)])
    >>> found = hits(base_set(web, outward(web), range(4)))
    >>> found.authorities.round(4).tolist(), found.hubs.round(4).tolist()
    ([0.0, 0.0, 0.8507, 0.5257], [0.8507, 0.5257, 0.0, 0.0])
    >>> round(float(found.authorities[2] / found.authorities[3]), 4)
    1.618

Known faults: the tightest community of the base set takes everything, whatever the query was (topic drift),
and a page that links to many authorities becomes a hub at once, without anybody's consent. Against the first
pages can be given a relevance w, and then a[v] is the sum of w[u] h[u] and h[u] that of w[v] a[v]: K. Bharat,
M. Henzinger, "Improved algorithms for topic distillation in a hyperlinked environment", SIGIR 1998. If page
2 is a tenth as relevant as the others, the list that names nothing else falls behind:

    >>> about = hits(base_set(web, outward(web), range(4)), relevance=np.array([1, 1, 0.1, 1]))
    >>> about.hubs.round(4).tolist()
    [0.9951, 0.0985, 0.0, 0.0]

Costs: two passes over the links of the base set a step; tens of steps for most queries.

Root set and base set of a query:

The root set is what text retrieval found. The base set adds pages that link to a root and pages that roots
link to, since a good answer need not hold the words of the query: no maker of cars calls itself an automobile
manufacturer, but pages that do link to all of them. J. Kleinberg, "Authoritative sources in a hyperlinked
environment", Journal of the ACM 46, 1999.

A root with many in-links gives at most `most_in` of them, spread evenly over the list, the same ones each
time; likewise for out-links. With the hosts of the nodes, links inside a host are passed over: they are there
to navigate and say nothing about worth.

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.transpose import outward
    >>> web = graph_of([(0, 1), (1, 2), (2, 3), (3, 4), (3, 1)])
    >>> base = base_set(web, outward(web), [2])
    >>> base.nodes.tolist(), base.roots  # page 2, who links to it, where it links
    ([2, 1, 3], 1)
    >>> base.out.starts.tolist(), base.out.targets.tolist()  # 2 -> 3, 1 -> 2, 3 -> 1
    ([0, 1, 2, 3], [2, 0, 1])

Costs: one look at every out-link of the base set, whatever the size of the web.

Topic focus of authorities:

Hubs on any topic also name what everybody names: countries, makers of browsers, a licence. Their scores as
authorities are high for every query. What tells them apart is who else links to them. With d(v) links to page
v on the whole web, and relevances w of the base set,

    focus(v) = sum over links u -> v of w[u]  /  (d(v) + 10)

is the share of all who link to v that has to do with the query; ten more, who have not, keep pages down of
which a single link speaks. An authority times its focus is what a reader expects. It is to links what the
inverse document frequency is to words.

Pages 0 and 1 have to do with the query and name 2 and 3, which are equal authorities; but ten others, on all
kinds of things, name page 3 too:

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.ranks.hits import base_set
    >>> from gossamer.graph.transpose import outward
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

SALSA:

From an authority the walker takes a random in-link back, and from that hub a random out-link forward. The
walk is at rest with

    a[v] = |A_k| / |A| * d_in(v) / |E_k|,    h[u] = |H_k| / |H| * d_out(u) / |E_k|

where the pages that hang together by links, as hubs and authorities, make the parts k; A_k are the
authorities of a part (pages with an in-link), H_k its hubs, E_k its links; and the walk begins on all
authorities (all hubs) alike. So nothing has to be iterated. R. Lempel, S. Moran, "SALSA: the stochastic
approach for link-structure analysis", ACM TOIS 19, 2001.

Unlike HITS a tight community does not take everything: each part keeps its share, and inside a part it is the
number of links that counts. The scores are probabilities and sum to 1.

Lists 0 and 1 name page 2, the first of them also page 3; list 4 names page 5, and no other does:

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.ranks.hits import base_set
    >>> from gossamer.graph.transpose import outward
    >>> web = graph_of([(0, 2), (1, 2), (0, 3), (4, 5)])
    >>> found = salsa(base_set(web, outward(web), range(6)))
    >>> found.authorities.round(4).tolist()  # 2/3 * (2/3, 1/3) and 1/3
    [0.0, 0.0, 0.4444, 0.2222, 0.0, 0.3333]
    >>> found.hubs.round(4).tolist()
    [0.4444, 0.2222, 0.0, 0.0, 0.3333, 0.0]

Costs: one pass over the links of the base set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.ranks.teleport import Nodes, Vector, as_nodes
from gossamer.graph.transpose import turned
from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph, OutLinks

# Kernels: expand the base set
# ----------------------------

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # Knuth's multiplicative hashing: 2^64 over the golden ratio
GOLDEN = 0.6180339887498949
PATIENCE = 16  # so many links are looked at for each that is wanted


class NodeTable(NamedTuple):
    """Numbers of nodes, counted from 0, in a hash table of open addressing.

    It is as large as the base set, not as the web, and fits the processor's cache.
    """

    keys: NDArray[np.uint32]
    numbers: NDArray[np.int32]  # -1 in free slots
    shift: np.uint64
    nodes: NDArray[np.uint32]  # by their numbers

    @classmethod
    def empty(cls, most: int) -> NodeTable:
        """A table with room for so many nodes."""
        bits = max(2, (2 * most).bit_length())
        keys, numbers = np.empty(1 << bits, np.uint32), np.full(1 << bits, -1, np.int32)
        return cls(keys, numbers, np.uint64(64 - bits), np.empty(most, np.uint32))


@unchecked_part
def slot_of(node: np.uint32, keys: NDArray[np.uint32], numbers: NDArray[np.int32], shift: np.uint64) -> int:
    """Where the node stands in the table, or the empty slot where it would; one is always left."""
    slot = np.int64((np.uint64(node) * SPREAD) >> shift)
    while numbers[slot] >= 0 and keys[slot] != node:
        slot += 1
        if slot == len(keys):
            slot = 0
    return slot


@unchecked_part
def enter(node: np.uint32, count: int, table: NodeTable) -> int:
    """Numbers the node if it has no number; returns how many have one."""
    slot = slot_of(node, table.keys, table.numbers, table.shift)
    if table.numbers[slot] >= 0:
        return count
    table.keys[slot] = node
    table.numbers[slot] = count
    table.nodes[count] = node
    return count + 1


@unchecked_part
def stride_over(length: int) -> int:
    """A step that visits all of so many places before any twice, and spreads the first ones evenly."""
    step = max(1, int(length * GOLDEN))
    while True:
        a, b = step, length
        while b:
            a, b = b, a % b
        if a == 1:
            return step
        step += 1


@unchecked_part
def take_around(
    page: np.uint32, links: OutLinks, hosts: NDArray[np.uint32], most: int, count: int, table: NodeTable
) -> int:
    """Numbers at most so many of the pages at the other ends of a page's links."""
    first, length = links.starts[page], links.starts[page + 1] - links.starts[page]
    if length == 0 or most == 0:
        return count
    step = 1 if length <= most else stride_over(length)
    place, taken = 0, 0
    for _ in range(min(length, most * PATIENCE)):
        other = links.targets[first + place]
        place += step
        if place >= length:
            place -= length
        if len(hosts) > 0 and hosts[other] == hosts[page]:
            continue
        count = enter(other, count, table)
        taken += 1
        if taken == most:
            break
    return count


@unchecked_kernel
def expand(
    into: OutLinks,
    out: OutLinks,
    hosts: NDArray[np.uint32],
    roots: NDArray[np.int64],
    most_in: int,
    most_out: int,
    table: NodeTable,
) -> tuple[int, int]:
    """Numbers the roots, then the pages around them; returns how many are roots, and how many there are.

    `into` are the links by target. Without `hosts` (an empty array) links inside a host count as well.
    """
    count = 0
    for i in range(len(roots)):
        count = enter(np.uint32(roots[i]), count, table)
    distinct = count
    for i in range(distinct):
        page = table.nodes[i]
        count = take_around(page, into, hosts, most_in, count, table)
        count = take_around(page, out, hosts, most_out, count, table)
    return distinct, count


@unchecked_kernel
def links_among(
    out: OutLinks, hosts: NDArray[np.uint32], count: int, table: NodeTable, local: OutLinks
) -> int:
    """The links between numbered pages, by their numbers, page after page; returns how many."""
    starts, targets = out.starts, out.targets
    nodes, keys, numbers, shift = table.nodes, table.keys, table.numbers, table.shift
    local_starts, local_targets = local.starts, local.targets
    found = 0
    for i in range(count):
        local_starts[i] = found
        page = nodes[i]
        for j in range(starts[page], starts[page + 1]):
            number = numbers[slot_of(targets[j], keys, numbers, shift)]
            if number < 0 or number == i:
                continue
            if len(hosts) > 0 and hosts[targets[j]] == hosts[page]:
                continue
            local_targets[found] = number
            found += 1
    local_starts[count] = found
    return found


# Root set and base set of a query
# --------------------------------


class BaseSet(NamedTuple):
    """Some pages of a graph, numbered from 0, and the links among them.

    Page i is `nodes[i]` of the graph; the first `roots` are the root set. Who links to page i stands at
    `sources[starts[i]:starts[i + 1]]`, by these numbers.
    """

    nodes: NDArray[np.uint32]
    roots: int
    out: OutLinks
    starts: NDArray[np.int64]
    sources: NDArray[np.uint32]


def base_set(
    graph: LinkGraph,
    out: OutLinks,
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
    into, away = graph.in_degrees(given).clip(max=most_in), graph.out_degrees[given].clip(max=most_out)
    room = min(graph.pages, len(given) + int(into.sum() + away.sum()))
    table = NodeTable.empty(room)
    by_target = OutLinks(graph.starts, graph.sources)
    distinct, count = expand(by_target, out, owners, given, most_in, most_out, table)
    nodes = table.nodes[:count].copy()
    links = int(graph.out_degrees[nodes].sum(dtype=np.int64))
    local = OutLinks(np.empty(count + 1, np.int64), np.empty(links, np.uint32))
    found = links_among(out, owners, count, table, local)
    outward = OutLinks(local.starts, local.targets[:found].copy())
    return BaseSet(nodes, distinct, outward, *turned(outward))


# Kernel: links from other hosts
# ------------------------------


@unchecked_kernel
def count_strangers(
    graph: LinkGraph, hosts: NDArray[np.uint32], nodes: NDArray[np.uint32], most: int
) -> NDArray[np.float64]:
    """Estimates them for each node, from at most so many links to it, each as far from the next."""
    starts, sources = graph.starts, graph.sources
    found = np.empty(len(nodes))
    for i in range(len(nodes)):
        node = np.int64(nodes[i])
        begin, end = starts[node], starts[node + 1]
        step = max((end - begin + most - 1) // most, 1)
        seen = strangers = 0
        for j in range(begin, end, step):
            seen += 1
            if hosts[np.int64(sources[j])] != hosts[node]:
                strangers += 1
        found[i] = strangers * (end - begin) / max(seen, 1)
    return found


# Topic focus of authorities
# --------------------------

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
    if hosts is None:
        return votes / (graph.in_degrees(base.nodes) + OTHERS)
    return votes / (count_strangers(graph, hosts, base.nodes, MOST) + OTHERS)


# Kernels: HITS iteration
# -----------------------

SMALLEST = 1e-300  # nothing divided by it stays nothing


@unchecked_part
def gather(
    starts: NDArray[np.int64],
    ends: NDArray[np.uint32],
    given: NDArray[np.float64],
    values: NDArray[np.float64],
) -> float:
    """Each value becomes the sum of what the other ends give; returns the length of the vector."""
    squares = 0.0
    for i in range(len(values)):
        total = 0.0
        for j in range(starts[i], starts[i + 1]):
            total += given[ends[j]]
        values[i] = total
        squares += total * total
    return float(np.sqrt(squares))


@unchecked_kernel
def reinforce(
    base: BaseSet, weights: NDArray[np.float64], tolerance: float, max_steps: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, float]:
    """Authorities and hubs, after how many steps, and how far the last one moved the authorities.

    All hubs are alike at first. A page gives its score times its weight. Where no link has any weight, all
    becomes 0.
    """
    count = len(base.nodes)
    authorities, hubs = np.zeros(count), np.ones(count)
    before, given = np.zeros(count), np.empty(count)
    moved, steps = 0.0, 0
    while steps < max_steps:
        steps += 1
        for i in range(count):
            given[i] = hubs[i] * weights[i]
        length = gather(base.starts, base.sources, given, authorities)
        squares = 0.0
        for i in range(count):
            authorities[i] /= max(length, SMALLEST)
            squares += (authorities[i] - before[i]) ** 2
            before[i] = authorities[i]
            given[i] = authorities[i] * weights[i]
        length = gather(base.out.starts, base.out.targets, given, hubs)
        for i in range(count):
            hubs[i] /= max(length, SMALLEST)
        moved = float(np.sqrt(squares))
        if moved <= tolerance:
            break
    return authorities, hubs, steps, moved


@dataclass(frozen=True, slots=True)
class HubsAndAuthorities:
    """Two scores of every page of a base set, in its order; all 0 when no page links to another."""

    nodes: NDArray[np.uint32]
    authorities: NDArray[np.float64]
    hubs: NDArray[np.float64]
    steps: int
    residual: float  # how far the last step moved the authorities
    converged: bool
    diagnosis: str = ""  # why it did not converge, for people


def hits(
    base: BaseSet,
    tolerance: float = 1e-8,
    max_steps: int = 1000,
    *,
    relevance: NDArray[np.float64] | None = None,
) -> HubsAndAuthorities:
    """Hubs and authorities of a base set, vectors of length 1.

    `relevance` says how much each page of the base set has to do with the query; all alike when None.
    """
    count = len(base.nodes)
    weights = np.ones(count) if relevance is None else _scaled(relevance, count)
    if not len(base.sources):
        return HubsAndAuthorities(base.nodes, np.zeros(count), np.zeros(count), 0, 0.0, True)
    authorities, hubs, steps, moved = reinforce(base, weights, tolerance, max_steps)
    said = f"not converged after {steps} steps: the last one still moved {moved:.3g}; allow more steps"
    converged = moved <= tolerance
    why = "" if converged else said
    return HubsAndAuthorities(base.nodes, authorities, hubs, steps, moved, converged, why)


def _scaled(relevance: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """At most 1, so that squares of sums stay within what a number can hold."""
    given = np.asarray(relevance, np.float64)
    if len(given) != count:
        raise UsageError(f"relevance has {len(given)} values for {count} pages of the base set")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise UsageError("relevance is a number for each page, of which none is negative")
    return given / max(float(given.max(initial=0.0)), SMALLEST)


# Kernels: SALSA components
# -------------------------


@unchecked_part
def root_of(node: int, parents: NDArray[np.int64]) -> int:
    """The root of a tree, whose paths are halved on the way."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@unchecked_kernel
def join(out: OutLinks) -> NDArray[np.int64]:
    """The component of every hub i, and of every authority i as number n + i: its smallest hub.

    Union and find; every union keeps the smaller root, and hubs are numbered before authorities.
    """
    nodes = len(out.starts) - 1
    parents = np.arange(2 * nodes)
    for i in range(nodes):
        for j in range(out.starts[i], out.starts[i + 1]):
            a = root_of(i, parents)
            b = root_of(nodes + np.int64(out.targets[j]), parents)
            parents[max(a, b)] = min(a, b)
    for i in range(2 * nodes):
        parents[i] = root_of(i, parents)
    return parents


# SALSA
# -----


def salsa(base: BaseSet) -> HubsAndAuthorities:
    """SALSA's hubs and authorities of a base set, each summing to 1; all 0 when there is no link."""
    count = len(base.nodes)
    parts = join(base.out)
    authorities = _at_rest(np.diff(base.starts), parts[count:])
    hubs = _at_rest(np.diff(base.out.starts), parts[:count])
    return HubsAndAuthorities(base.nodes, authorities, hubs, 0, 0.0, True)


def _at_rest(degrees: NDArray[np.int64], parts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The chance to be on each page of one side, given its links and the part it belongs to."""
    takes_part = degrees > 0
    pages = np.bincount(parts[takes_part], minlength=2 * len(parts))[parts]
    links = np.bincount(parts, degrees, 2 * len(parts))[parts]
    total = max(int(np.count_nonzero(takes_part)), 1)
    scores: NDArray[np.float64] = pages * degrees / (np.maximum(links, 1) * total)
    return scores
