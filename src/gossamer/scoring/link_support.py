"""Boost for pages linked from other results.

support = 1 + strength * (k - 0.7 m) / (m + 12)

m pages link to the candidate, k of them are candidates with at least 0.4 of the best score. A page that is
meant by the words is linked to where they are written: nearly all that link to it hold them. What stands in
a menu is linked to from everywhere, and k is a small part of m. Where few links are known, they say little,
and a page without any stays as it is. So nothing but the query tells which links count, and no number of
links alone lifts a page. After Bharat, "Ranking search results by reranking the results based on local
inter-connectivity", US patent 6,526,440, 2003, who counts links between the best results, one a host.

The constants were chosen on one half of the queries of a known-item test; docs/ranking.md has what the other
half says, and `benchmarks/known_items.py` measures what they do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.link_counts import BITS, count_links
from gossamer.kernels import kernels_are_loaded
from gossamer.model.graph import Nodes, Outward

ANSWERS = 0.4  # of the best score: what has less does not answer, and its links say nothing of the query
EXPECTED = 0.7  # of the links to a page: the part from pages that answer by which it neither rises nor falls
DOUBT = 12.0  # links: with so many, half of what they say is believed
ROOM = 4  # slots of the hash table for each page, at least
Floats = NDArray[np.float64]
Pages = NDArray[np.uint64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Links:
    """The links of all partitions, as they are counted here."""

    nodes: Nodes
    in_starts: Numbers  # node i has in_starts[i + 1] - in_starts[i] links that lead to it
    outward: Outward

    def degrees(self, nodes: Numbers) -> Numbers:
        """How many pages link to each of these; 0 for what is no node."""
        known = np.maximum(nodes, 0)
        return np.where(nodes >= 0, self.in_starts[known + 1] - self.in_starts[known], 0)

    def among(self, nodes: Numbers, counting: NDArray[np.bool_]) -> Numbers:
        """How many links lead to each of these from those of them that count."""
        if not kernels_are_loaded():
            return without_kernel(nodes, counting, self.outward)
        bits = max(1, (ROOM * len(nodes)).bit_length())
        found = np.zeros(len(nodes), np.int64)
        table = np.full(1 << bits, -1)
        count_links(nodes, counting, self.outward.starts, self.outward.targets, table, BITS - bits, found)
        return found


@dataclass(frozen=True, slots=True)
class Support:
    """What links from other answers make of each candidate: a factor."""

    pages: Pages
    factors: Floats

    def of(self, page: int) -> float:
        """The factor of one page; 1 where it is not among them."""
        row = np.flatnonzero(self.pages == np.uint64(page))
        return float(self.factors[row[0]]) if len(row) else 1.0


NO_SUPPORT = Support(np.empty(0, np.uint64), np.empty(0))


def supported(links: Links, pages: Pages, scores: Floats, strength: float) -> Support:
    """The support of candidates with these scores by each other."""
    if not len(pages) or not len(links.nodes):
        return NO_SUPPORT
    nodes = links.nodes.find(pages)
    known = links.degrees(nodes)
    found = links.among(nodes, scores >= ANSWERS * scores.max())
    return Support(pages, 1 + strength * (found - EXPECTED * known) / (known + DOUBT))


def without_kernel(nodes: Numbers, counting: NDArray[np.bool_], outward: Outward) -> Numbers:
    """The same as the kernel, by sorting."""
    rising = np.argsort(nodes)
    ordered = nodes[rising]
    begins = outward.starts
    lists = [outward.targets[begins[node] : begins[node + 1]] for node in nodes[counting & (nodes >= 0)]]
    targets = np.concatenate([np.empty(0, np.uint32), *lists]).astype(np.int64)
    at = np.searchsorted(ordered, targets).clip(max=len(nodes) - 1)
    return np.bincount(rising[at[ordered[at] == targets]], minlength=len(nodes))
