"""A web of any size whose degrees follow power laws, for the measurements of link ranks.

Pages stand on hosts of very different sizes. A page has a Pareto-distributed number of links, or none; some
lead to its own host, the others to any page, to the popular ones far more often: the in-degree of the k-th
page falls like k^-0.75, which is a power law of exponent 2.33. Popular pages are spread over all hosts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.model.graph import LinkGraph

CONCENTRATION = 4  # the target is page n * u^4 for an even u
LOCAL = 0.4  # of all links stay on their host
DEAD_ENDS = 0.1
SHAPE = 1.7  # of the Pareto distribution of out-degrees


@dataclass(frozen=True, slots=True)
class Web:
    """A graph and the number of the host of each page."""

    graph: LinkGraph
    hosts: NDArray[np.uint32]


def made_web(pages: int, links: int, seed: int = 1, extra: NDArray[np.int64] | None = None) -> Web:
    """A web of so many pages and about so many links.

    `extra` are rows of (source, target) to add; pages they name beyond the others are on a host of their own.
    """
    rng = np.random.default_rng(seed)
    hosts = _hosts(rng, pages)
    sources = np.repeat(np.arange(pages), _out_degrees(rng, pages, links))
    targets = _targets(rng, hosts, sources)
    if extra is not None and len(extra):
        sources = np.concatenate([sources, extra[:, 0]])
        targets = np.concatenate([targets, extra[:, 1]])
        more = int(max(pages, extra.max() + 1)) - pages
        hosts = np.concatenate([hosts, np.full(more, hosts.max() + 1)])
    return Web(compressed(len(hosts), sources, targets), hosts.astype(np.uint32))


def compressed(pages: int, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> LinkGraph:
    """The graph of these links, without links of a page to itself and repeated ones."""
    other = sources != targets
    links = np.sort((targets[other].astype(np.uint64) << np.uint64(32)) | sources[other].astype(np.uint64))
    first = np.ones(len(links), np.bool_)
    first[1:] = links[1:] != links[:-1]
    links = links[first]
    ends = (links >> np.uint64(32)).astype(np.int64)
    origins = (links & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=pages))]).astype(np.int64)
    out_degrees = np.bincount(origins, minlength=pages).astype(np.uint32)
    return LinkGraph(np.arange(pages, dtype=np.uint64), starts, origins, out_degrees)


def _hosts(rng: np.random.Generator, pages: int) -> NDArray[np.int64]:
    sizes = 1 + (20 * rng.pareto(1.2, pages // 20 + 1)).astype(np.int64)
    ends = np.cumsum(np.minimum(sizes, max(pages // 50, 1)))
    return np.searchsorted(ends, np.arange(pages), side="right")


def _out_degrees(rng: np.random.Generator, pages: int, links: int) -> NDArray[np.int64]:
    degrees = np.minimum(1 + rng.pareto(SHAPE, pages), 1000)
    degrees[rng.random(pages) < DEAD_ENDS] = 0
    return np.round(degrees * (links / degrees.sum())).astype(np.int64)


def _targets(
    rng: np.random.Generator, hosts: NDArray[np.int64], sources: NDArray[np.int64]
) -> NDArray[np.int64]:
    pages, count = len(hosts), len(sources)
    popular = rng.permutation(pages)
    targets = popular[(pages * rng.random(count) ** CONCENTRATION).astype(np.int64)]
    local = np.flatnonzero(rng.random(count) < LOCAL)
    firsts = np.searchsorted(hosts, np.arange(hosts[-1] + 2))
    own = hosts[sources[local]]
    # within a host as well the first pages are the popular ones
    share = rng.random(len(local)) ** 2
    targets[local] = firsts[own] + (share * (firsts[own + 1] - firsts[own])).astype(np.int64)
    return targets
