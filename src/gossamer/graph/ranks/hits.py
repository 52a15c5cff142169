# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
"""HITS and SALSA over a query's base set.

A page is a good authority if good hubs link to it, and a good hub if it links to good authorities. With
A[u, v] = 1 where u links to v,

    a := A^T h,   h := A a,   each normalised to length 1

The limits are the principal eigenvectors of A^T A and A A^T. If the largest eigenvalue is not simple, they
are the projections of the uniform start vector onto its eigenspace. J. Kleinberg, "Authoritative sources in a
hyperlinked environment", Journal of the ACM 46, 1999.

Pages 0 and 1 link to page 2; page 0 also links to page 3. A^T A is ((2, 1), (1, 1)), and the scores are in
the golden ratio:

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.ranks.hits import base_set
    >>> from gossamer.graph.transpose import outward
    >>> web = graph_of([(0, 2), (1, 2), (0, 3)])
    >>> found = hits(base_set(web, outward(web), range(4)))
    >>> found.authorities.round(4).tolist(), found.hubs.round(4).tolist()
    ([0.0, 0.0, 0.8507, 0.5257], [0.8507, 0.5257, 0.0, 0.0])
    >>> round(float(found.authorities[2] / found.authorities[3]), 4)
    1.618

Known weaknesses: the most densely linked community of the base set gets all the weight, whatever the query
(topic drift); and any page can become a hub by linking to many authorities. Weighting pages by their
relevance w reduces topic drift: a[v] is then the sum of w[u] h[u], and h[u] the sum of w[v] a[v]. K. Bharat,
M. Henzinger, "Improved algorithms for topic distillation in a hyperlinked environment", SIGIR 1998. If page 2
has a tenth of the relevance of the others, page 1, which links to nothing else, becomes a weak hub:

    >>> about = hits(base_set(web, outward(web), range(4)), relevance=np.array([1, 1, 0.1, 1]))
    >>> about.hubs.round(4).tolist()
    [0.9951, 0.0985, 0.0, 0.0]

Costs: two passes over the links of the base set per step; tens of steps for most queries.

Root set and base set of a query:

The root set is the result of text retrieval. The base set adds the pages that link to a root and the pages
that roots link to, since a good result need not contain the words of the query: car makers do not call
themselves automobile manufacturers, but pages that use this term link to them. J. Kleinberg, "Authoritative
sources in a hyperlinked environment", Journal of the ACM 46, 1999.

A root adds at most `most_in` pages by in-links and `most_out` by out-links. They are spread evenly over the
list of links and are always the same. If the hosts of nodes are given, links within a host are ignored: they
serve navigation and say nothing about quality.

    >>> from gossamer.graph.build import graph_of
    >>> from gossamer.graph.transpose import outward
    >>> web = graph_of([(0, 1), (1, 2), (2, 3), (3, 4), (3, 1)])
    >>> base = base_set(web, outward(web), [2])
    >>> base.nodes.tolist(), base.roots  # page 2, the page that links to it, the page it links to
    ([2, 1, 3], 1)
    >>> base.out.starts.tolist(), base.out.targets.tolist()  # 2 -> 3, 1 -> 2, 3 -> 1
    ([0, 1, 2, 3], [2, 0, 1])

Costs: a pass over the out-links of the base set, whatever the size of the web.

Topic focus of authorities:

Hubs on any topic also link to generally popular pages: countries, browser makers, a licence. These pages are
authorities for every query. They can be recognised by links from outside the topic. With d(v) links to page v
in the whole graph, and relevances w of the base set,

    focus(v) = sum over links u -> v of w[u]  /  (d(v) + 10)

is the share of the links to v that come from relevant pages. The constant 10 lowers the focus of pages with
very few links. Authority scores are multiplied by the focus. The focus is to links what the inverse document
frequency is to words.

Pages 0 and 1 are relevant and link to pages 2 and 3, which are equal authorities; but ten other pages, on
other topics, link to page 3 too:

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

If links within hosts are ignored, d(v) does not count them either. It is then estimated from up to 200
in-links of a page, spread evenly over the list.

Costs: a pass over the links of the base set, and up to 200 in-links of each of its pages.

SALSA:

From an authority the walker follows a random in-link backwards, and from that hub a random out-link forwards.
With a uniform start, the stationary distribution is

    a[v] = |A_k| / |A| * d_in(v) / |E_k|,    h[u] = |H_k| / |H| * d_out(u) / |E_k|

where k is the connected component of the bipartite graph of hubs and authorities; A_k are its authorities
(pages with an in-link), H_k its hubs (pages with an out-link) and E_k its links. So no iteration is needed.
R. Lempel, S. Moran, "SALSA: the stochastic approach for link-structure analysis", ACM TOIS 19, 2001.

Unlike in HITS, a dense community does not get all the weight: each component keeps its share, and within a
component the number of links decides. The scores are probabilities and sum to 1.

Pages 0 and 1 link to page 2, page 0 also to page 3; only page 4 links to page 5:

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
PATIENCE = 16  # links examined for each link that is wanted


class NodeTable(NamedTuple):
    """Consecutive numbers for some nodes of a graph: a hash table with open addressing.

    Its size depends on the base set, not on the graph, so that it fits into the processor's cache.
    """

    keys: NDArray[np.uint32]
    numbers: NDArray[np.int32]  # -1 in free slots
    shift: np.uint64
    nodes: NDArray[np.uint32]  # node of each number

    @classmethod
    def empty(cls, most: int) -> NodeTable:
        """Make a table with room for `most` nodes."""
        bits = max(2, (2 * most).bit_length())
        keys, numbers = np.empty(1 << bits, np.uint32), np.full(1 << bits, -1, np.int32)
        return cls(keys, numbers, np.uint64(64 - bits), np.empty(most, np.uint32))


@unchecked_part
def slot_of(node: np.uint32, keys: NDArray[np.uint32], numbers: NDArray[np.int32], shift: np.uint64) -> int:
    """Return the slot of a node, or the free slot where it would be inserted; one slot is always free."""
    slot = np.int64((np.uint64(node) * SPREAD) >> shift)
    while numbers[slot] >= 0 and keys[slot] != node:
        slot += 1
        if slot == len(keys):
            slot = 0
    return slot


@unchecked_part
def enter(node: np.uint32, count: int, table: NodeTable) -> int:
    """Give the node the next number if it has none; return the number of nodes in the table."""
    slot = slot_of(node, table.keys, table.numbers, table.shift)
    if table.numbers[slot] >= 0:
        return count
    table.keys[slot] = node
    table.numbers[slot] = count
    table.nodes[count] = node
    return count + 1


@unchecked_part
def stride_over(length: int) -> int:
    """Return a step, coprime to the length, that visits all positions and spreads the first ones evenly."""
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
    """Number up to `most` pages at the other ends of a page's links; return the size of the table."""
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
    """Number the roots, then the pages around them; return the number of roots and of all pages.

    `into` are the links by target. If `hosts` is empty, links within a host count too.
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
    """Write the links between numbered pages into `local`, by number; return how many there are."""
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
    """Some pages of a graph, numbered from 0, and the links between them.

    Page i is `nodes[i]` of the graph; the first `roots` pages are the root set. The pages that link to page i
    are `sources[starts[i]:starts[i + 1]]`.
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
    """Build the base set of some roots; with all pages of a graph as roots it is the whole graph.

    `hosts` is the host number of each node; if given, links within a host are ignored.
    """
    given = as_nodes(graph.pages, roots)
    if min(most_in, most_out) < 0:
        raise UsageError("most_in and most_out must not be negative")
    if hosts is not None and len(hosts) != graph.pages:
        raise UsageError(f"there are {len(hosts)} hosts for {graph.pages} pages")
    owners = np.empty(0, np.uint32) if hosts is None else np.asarray(hosts, np.uint32)
    into, away = graph.in_degrees(given).clip(max=most_in), graph.out_degrees[given].clip(max=most_out)
    table = NodeTable.empty(min(graph.pages, len(given) + int(into.sum() + away.sum())))
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
    """Estimate the in-links of each node from other hosts, from up to `most` evenly spaced in-links."""
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

OTHERS = 10.0  # irrelevant in-links added to every page
MOST = 200  # in-links of a page that are sampled


def focus(
    graph: LinkGraph, base: BaseSet, relevance: Vector, hosts: NDArray[np.uint32] | None = None
) -> Vector:
    """Return the share of relevant pages among the pages that link to each page of the base set.

    `hosts` must be the same as for the base set, or None.
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

SMALLEST = 1e-300  # lower bound of divisors: 0 divided by it is 0


@unchecked_part
def gather(
    starts: NDArray[np.int64],
    ends: NDArray[np.uint32],
    given: NDArray[np.float64],
    values: NDArray[np.float64],
) -> float:
    """Set each value to the sum of what the other ends of its links give; return the vector's length."""
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
    """Iterate HITS; return authorities, hubs, the number of steps and the last change of the authorities.

    All hubs start equal. A page gives its score times its weight. If all weights are 0, all scores become 0.
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
    """Hub and authority scores of the pages of a base set, in its order; all 0 if there is no link."""

    nodes: NDArray[np.uint32]
    authorities: NDArray[np.float64]
    hubs: NDArray[np.float64]
    steps: int
    residual: float  # change of the authorities in the last step
    converged: bool
    diagnosis: str = ""  # for users: why it did not converge


def hits(
    base: BaseSet,
    tolerance: float = 1e-8,
    max_steps: int = 1000,
    *,
    relevance: NDArray[np.float64] | None = None,
) -> HubsAndAuthorities:
    """Compute hubs and authorities of a base set, vectors of length 1.

    `relevance` is the relevance of each page of the base set to the query; equal by default.
    """
    count = len(base.nodes)
    weights = np.ones(count) if relevance is None else _scaled(relevance, count)
    if not len(base.sources):
        return HubsAndAuthorities(base.nodes, np.zeros(count), np.zeros(count), 0, 0.0, True)
    authorities, hubs, steps, moved = reinforce(base, weights, tolerance, max_steps)
    converged = moved <= tolerance
    diagnosis = f"not converged after {steps} steps: the last change was {moved:.3g}; allow more steps"
    why = "" if converged else diagnosis
    return HubsAndAuthorities(base.nodes, authorities, hubs, steps, moved, converged, why)


def _scaled(relevance: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Check relevance and scale it to at most 1, so that squares of sums do not overflow."""
    given = np.asarray(relevance, np.float64)
    if len(given) != count:
        raise UsageError(f"relevance has {len(given)} values for {count} pages of the base set")
    if not (np.isfinite(given).all() and (given >= 0).all()):
        raise UsageError("relevance must be finite and not negative")
    return given / max(float(given.max(initial=0.0)), SMALLEST)


# Kernels: SALSA components
# -------------------------


@unchecked_part
def root_of(node: int, parents: NDArray[np.int64]) -> int:
    """Return the root of a node's tree; halve the path on the way."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@unchecked_kernel
def join(out: OutLinks) -> NDArray[np.int64]:
    """Return the component of every hub i and, at n + i, of every authority i: its smallest hub.

    Union-find. Each union keeps the smaller root; hubs have smaller numbers than authorities.
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
    """Compute SALSA hubs and authorities of a base set, each summing to 1; all 0 if there is no link."""
    count = len(base.nodes)
    parts = join(base.out)
    authorities = _at_rest(np.diff(base.starts), parts[count:])
    hubs = _at_rest(np.diff(base.out.starts), parts[:count])
    return HubsAndAuthorities(base.nodes, authorities, hubs, 0, 0.0, True)


def _at_rest(degrees: NDArray[np.int64], parts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the stationary probabilities of the hubs or the authorities."""
    takes_part = degrees > 0
    pages = np.bincount(parts[takes_part], minlength=2 * len(parts))[parts]
    links = np.bincount(parts, degrees, 2 * len(parts))[parts]
    total = max(int(np.count_nonzero(takes_part)), 1)
    return pages * degrees / (np.maximum(links, 1) * total)
