# mypy: disable-error-code="arg-type, assignment, index"
"""Count the links among a set of pages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import unchecked_kernel, unchecked_part
from gossamer.model.graph import Nodes, OutLinks

SPREAD = 0x9E3779B1  # 2^32 / golden ratio: spreads consecutive numbers, such as the pages of a host
BITS = 32
ROOM = 4  # slots of the hash table per page, at least
Numbers = NDArray[np.int64]


@unchecked_part
def slot_of(node: int, nodes: NDArray[np.int64], table: NDArray[np.int64], shift: int) -> int:
    """Return the slot of a node in the hash table, or the free slot where it would be inserted."""
    slot = ((node * SPREAD) & ((1 << BITS) - 1)) >> shift
    while table[slot] >= 0 and nodes[table[slot]] != node:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@unchecked_kernel
def count_links(
    nodes: NDArray[np.int64],
    counts: NDArray[np.bool_],
    starts: NDArray[np.int64],
    targets: NDArray[np.uint32],
    table: NDArray[np.int64],
    shift: int,
    found: NDArray[np.int64],
) -> None:
    """Add to each page in `found` its links from pages that count; negative nodes are not in the graph.

    `table` has 2^(32 - shift) slots, more than there are pages, all -1. Links are by source, without repeats.
    """
    for row in range(len(nodes)):
        if nodes[row] >= 0:
            table[slot_of(nodes[row], nodes, table, shift)] = row
    for row in range(len(nodes)):
        if counts[row] and nodes[row] >= 0:
            for place in range(starts[nodes[row]], starts[nodes[row] + 1]):
                held = table[slot_of(np.int64(targets[place]), nodes, table, shift)]
                if held >= 0:
                    found[held] += 1


@dataclass(frozen=True, slots=True)
class LinkCounter:
    """Count links between pages, in the graph of all partitions."""

    nodes: Nodes
    in_starts: Numbers  # node i has in_starts[i + 1] - in_starts[i] in-links
    outward: OutLinks

    def degrees(self, nodes: Numbers) -> Numbers:
        """Count the pages that link to each node; 0 for -1."""
        known = np.maximum(nodes, 0)
        return np.where(nodes >= 0, self.in_starts[known + 1] - self.in_starts[known], 0)

    def among(self, nodes: Numbers, counting: NDArray[np.bool_]) -> Numbers:
        """Count the links to each of these nodes from the nodes marked in `counting`."""
        bits = max(1, (ROOM * len(nodes)).bit_length())
        found = np.zeros(len(nodes), np.int64)
        table = np.full(1 << bits, -1)
        count_links(nodes, counting, self.outward.starts, self.outward.targets, table, BITS - bits, found)
        return found
