"""Link graph arrays: pages, hosts, domains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Maps fingerprints of pages to their ranks relative to the average page, by default of the rank
# `editorial`.
RelativeRank = Callable[[NDArray[np.uint64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class LinkColumns:
    """The links of several pages, page after page."""

    sources: NDArray[np.uint64]  # the pages
    counts: NDArray[np.int64]  # how many links each has
    targets: NDArray[np.uint64]
    flags: NDArray[np.uint8]  # a LinkFlag each
    anchors: bytes  # UTF-8, a line feed after each; empty if they were not requested
    near: bytes  # the words near each link, likewise


class LinkGraph(NamedTuple):
    """Nodes and links by target, in compressed sparse row format. Kernels take it as an argument.

    Node i is the page `fingerprints[i]`. Pages of one host are adjacent, so the fingerprints are not sorted
    (see `Nodes`). The sources of its in-links are `sources[starts[i]:starts[i + 1]]`, in ascending order.
    """

    fingerprints: NDArray[np.uint64]
    starts: NDArray[np.int64]
    sources: NDArray[np.uint32]
    out_degrees: NDArray[np.uint32]

    @property
    def pages(self) -> int:
        return len(self.fingerprints)

    @property
    def links(self) -> int:
        return len(self.sources)

    def sources_of(self, node: int) -> NDArray[np.int64]:
        """Return the nodes that link to a node, in ascending order."""
        return self.sources[self.starts[node] : self.starts[node + 1]].astype(np.int64)

    def in_degrees(self, nodes: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return how many nodes link to each of these nodes."""
        degrees: NDArray[np.int64] = self.starts[nodes + np.int64(1)] - self.starts[nodes]
        return degrees


class OutLinks(NamedTuple):
    """Links by source: node i links to `targets[starts[i]:starts[i + 1]]`, in ascending order."""

    starts: NDArray[np.int64]
    targets: NDArray[np.uint32]

    def targets_of(self, node: int) -> NDArray[np.int64]:
        """Return the nodes that a node links to, in ascending order."""
        return self.targets[self.starts[node] : self.starts[node + 1]].astype(np.int64)


def find_keys(
    keys: NDArray[Any], wanted: NDArray[Any], values: NDArray[Any] | None = None, missing: Any = -1
) -> NDArray[Any]:
    """Return the value of each wanted key, or its row if there are no values.

    Args:
        keys: All keys, in ascending order.
        wanted: The keys to look up.
        values: The value of each key.
        missing: The result for a key that is not known.
    """
    if not len(keys):
        return np.full(len(wanted), missing)
    near = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.where(keys[near] == wanted, near if values is None else values[near], missing)


def starts_of(sizes: NDArray[np.integer[Any]] | Sequence[int]) -> NDArray[np.int64]:
    """Return where each of several adjacent ranges begins, and the end of the last, from their sizes."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


@dataclass(frozen=True, slots=True)
class Nodes:
    """Map pages to nodes: `known` holds the sorted fingerprints, `order` the node of each."""

    fingerprints: NDArray[np.uint64]  # in the order of nodes
    known: NDArray[np.uint64]
    order: NDArray[np.uint32]

    def find(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the nodes of these pages; -1 for a page that is not in the graph."""
        return find_keys(self.known, fingerprints, self.order, np.int64(-1))

    def __len__(self) -> int:
        return len(self.known)


@dataclass(frozen=True)
class SiteGraph:
    """Hosts or registrable domains, and the links between them. There are no links from a site to itself.

    The members of site i (pages of a host, hosts of a domain) have the numbers from `firsts[i]` to `firsts[i
    + 1]`. The weight of a link is the number of page pairs with a link between them.
    """

    names: NameList
    firsts: NDArray[np.int64]
    pages: NDArray[np.int64]  # pages of each site
    starts: NDArray[np.int64]
    sources: NDArray[np.uint32]
    weights: NDArray[np.uint32]
    out_starts: NDArray[np.int64]
    out_targets: NDArray[np.uint32]
    out_weights: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.pages)

    @property
    def outward(self) -> OutLinks:
        return OutLinks(self.out_starts, self.out_targets)

    def as_links(self) -> LinkGraph:
        """Return the links without weights, for link ranks. Site numbers take the place of fingerprints."""
        numbers = np.arange(len(self), dtype=np.uint64)
        degrees = np.diff(self.out_starts).astype(np.uint32)
        # Read-only, as the arrays of a graph on disk are: kernels are compiled once for both.
        numbers.flags.writeable = degrees.flags.writeable = False
        return LinkGraph(numbers, self.starts, self.sources, degrees)

    def site_of(self, members: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sites of members; -1 for those of no site."""
        found = np.searchsorted(self.firsts, members, "right") - 1
        return np.where(found < len(self), found, -1)


@dataclass(frozen=True)
class NameList:
    """Many names in one array."""

    text: NDArray[np.uint8]  # UTF-8, without separators
    starts: NDArray[np.int64]  # start of each name, and the end of the last

    @classmethod
    def of(cls, names: list[str]) -> NameList:
        """Pack names.

        >>> names = NameList.of(["b.org", "a.org"])
        >>> names[1], names.number("b.org"), names.number("c.org")
        ('a.org', 0, None)
        """
        encoded = [name.encode("utf-8", "surrogatepass") for name in names]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> str:
        begin, end = self.starts[number], self.starts[number + 1]
        return self.text[begin:end].tobytes().decode("utf-8", "surrogatepass")

    def number(self, name: str) -> int | None:
        """Return the number of a name, or None."""
        return self._numbers.get(name)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {self[number]: number for number in range(len(self))}
