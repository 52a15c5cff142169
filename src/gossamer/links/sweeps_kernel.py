# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value"
"""Sweeps over the in-links of all pages, each page's new share being used by the pages after it.

A share is what a page gives along each of its links, `beta * rank / out-degree`. Shares may have 32 bits,
sums have 64. Sums are taken four at a time: one after the other each addition would wait for the last.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part

Shares = NDArray[np.float32] | NDArray[np.float64]


@unchecked_part
def brought(sources: NDArray[np.uint32], shares: Shares, begin: int, end: int) -> float:
    """What the in-links from `begin` to `end` bring."""
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    at = np.uint64(begin)
    last = np.uint64(end)
    while at + np.uint64(4) <= last:
        first += shares[sources[at]]
        second += shares[sources[at + np.uint64(1)]]
        third += shares[sources[at + np.uint64(2)]]
        fourth += shares[sources[at + np.uint64(3)]]
        at += np.uint64(4)
    while at < last:
        first += shares[sources[at]]
        at += np.uint64(1)
    return (first + second) + (third + fourth)


@unchecked_kernel
def first_shares(
    start: NDArray[np.float64],
    out_degrees: NDArray[np.uint32],
    dead_links: NDArray[np.uint32],
    teleport: NDArray[np.float64],
    beta: float,
    scale: float,
    shares: Shares,
) -> tuple[float, float]:
    """The shares of the ranks to start from, times `scale`.

    Returns how much rank leaves pages with links (as `sweep` does), and how much of a jump comes to them.
    """
    leaving, jumping_in = 0.0, 0.0
    jumping = 1.0 / beta - 1.0
    for page in range(len(start)):
        degree = np.float64(out_degrees[page])
        if degree == 0.0:
            shares[page] = 0.0
            continue
        share = scale * beta * start[page] / degree
        shares[page] = share
        leaving += share * (degree * jumping + np.float64(dead_links[page]))
        jumping_in += teleport[page]
    return leaving, jumping_in


@unchecked_kernel
def sweep(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    out_degrees: NDArray[np.uint32],
    dead_links: NDArray[np.uint32],
    teleport: NDArray[np.float64],
    beta: float,
    jump: float,
    relaxation: float,
    begin: int,
    end: int,
    shares: Shares,
) -> tuple[float, float]:
    """New shares of the pages from `begin` to `end` that have links, in place.

    Returns the sum of all changes of ranks before they are relaxed, and how much rank leaves these pages and
    comes to no page with links: by a jump, or into a dead end.
    """
    change, leaving = 0.0, 0.0
    jumping = 1.0 / beta - 1.0
    for page in range(begin, end):
        degree = np.float64(out_degrees[page])
        if degree == 0.0:
            continue
        rank = jump * teleport[page] + brought(sources, shares, starts[page], starts[page + 1])
        before = np.float64(shares[page])
        moved = beta * rank / degree - before
        after = max(before + relaxation * moved, 0.0)
        shares[page] = after
        change += abs(moved) * degree
        leaving += after * (degree * jumping + np.float64(dead_links[page]))
    return change / beta, leaving


@unchecked_kernel
def pull_all(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    shares: Shares,
    begin: int,
    end: int,
    inflow: NDArray[np.float64],
) -> None:
    """What in-links bring to each page from `begin` to `end`."""
    for page in range(begin, end):
        inflow[page] = brought(sources, shares, starts[page], starts[page + 1])


@unchecked_kernel
def count_dead_links(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    out_degrees: NDArray[np.uint32],
    begin: int,
    end: int,
    counts: NDArray[np.uint32],
) -> None:
    """Adds to every page the number of its links to dead ends from `begin` to `end`."""
    for page in range(begin, end):
        if out_degrees[page] == 0:
            for i in range(starts[page], starts[page + 1]):
                counts[sources[i]] += np.uint32(1)


@unchecked_kernel
def step_from(
    inflow: NDArray[np.float64],
    out_degrees: NDArray[np.uint32],
    teleport: NDArray[np.float64],
    shares: Shares,
    beta: float,
    jump: float,
) -> tuple[float, float]:
    """One step of the walk from the ranks that the shares stand for; `inflow` becomes the ranks after it.

    A dead end's rank is what it gets with this `jump`. Returns the sum of all ranks before the step, and of
    all changes.
    """
    total, stuck = 0.0, 0.0
    for page in range(len(inflow)):
        if out_degrees[page] == 0:
            rank = jump * teleport[page] + inflow[page]
            stuck += rank
        else:
            rank = np.float64(shares[page]) * out_degrees[page] / beta
        total += rank
    true_jump = (1.0 - beta) * total + beta * stuck
    change = 0.0
    for page in range(len(inflow)):
        after = true_jump * teleport[page] + inflow[page]
        if out_degrees[page] == 0:
            change += abs(true_jump - jump) * teleport[page]
        else:
            change += abs(after - np.float64(shares[page]) * out_degrees[page] / beta)
        inflow[page] = after
    return total, change
