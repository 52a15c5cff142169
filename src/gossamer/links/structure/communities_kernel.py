"""Pages move to where their links lead, and communities are taken apart where they hang together badly.

The two loops of V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing well-connected
communities", Scientific Reports 9, 2019. A node of strength k gains w(c) - k * K(c) / 2m by being in
community c, where w(c) is the weight of its links to c, K(c) the strength of all other nodes there,
and 2m that of all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel

LEAST = 1e-9  # what is gained beyond rounding


@unchecked_kernel
def move_nodes(
    starts: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    weights: NDArray[np.float64],
    strengths: NDArray[np.float64],
    labels: NDArray[np.int64],
    totals: NDArray[np.float64],
    whole: float,
) -> None:
    """Moves nodes while one gains by it; after a move its neighbours elsewhere are looked at again.

    Labels are below the number of nodes; `totals` are the strengths of the communities.
    """
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
    starts: NDArray[np.int64],
    neighbours: NDArray[np.int32],
    weights: NDArray[np.float64],
    strengths: NDArray[np.float64],
    labels: NDArray[np.int64],
    totals: NDArray[np.float64],
    whole: float,
    parts: NDArray[np.int64],
) -> None:
    """Builds each community anew from single nodes: `parts`, each of which hangs together.

    A node that is still alone joins the part of its community where it gains most, if both have enough links
    to the rest of the community. Where the authors draw lots among the parts, the best one is taken.
    """
    count = len(labels)
    inner = np.zeros(count, np.float64)  # links of a part to the rest of its community
    sizes = np.ones(count, np.int64)
    sums = strengths.copy()
    tally = np.zeros(count, np.float64)
    touched = np.empty(count, np.int64)
    for node in range(count):
        parts[node] = node
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
