"""Links of a synthetic web, drawn page by page from a counter: the same for the same seed, everywhere.

Random numbers are splitmix64 of (page, draw) (D. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom
number generators", OOPSLA 2014), so that no draw depends on the one before.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel, kernel_part

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_11, BY_27, BY_30, BY_31 = np.uint64(11), np.uint64(27), np.uint64(30), np.uint64(31)
TO_ONE = 1.0 / (1 << 53)
LARGEST = 250  # links of a page

# Where a link leads: of all links, then of those inside of a host, then of those to others.
INSIDE = 0.83
MENU, NEAR = 0.3, 0.5  # the rest anywhere on the host, the first pages more often
MENU_PAGES = 12
HOME = 0.3  # the rest anywhere on that host
DRIFT = 0.1  # hosts are linked to with the weight (rank of the host)^(DRIFT - 1)
DEAD = 0.2  # of all pages but the first of a host


@kernel_part
def uniform(key: np.uint64, draw: np.uint64) -> float:
    """A number in [0, 1) that looks random."""
    value = key + (draw + np.uint64(1)) * STEP
    value = (value ^ (value >> BY_30)) * FIRST
    value = (value ^ (value >> BY_27)) * SECOND
    value ^= value >> BY_31
    return np.float64(value >> BY_11) * TO_ONE


@kernel_part
def popular(chance: float, hosts: int, stretch: float) -> int:
    """A host, drawn by a power law over their order: the inverse of the distribution, in closed form."""
    root = 1.0 + stretch * chance
    square = root * root
    fourth = square * square
    return min(np.int64(fourth * fourth * square) - 1, hosts - 1)


@kernel_part
def inside(page: int, first: int, size: int, kind: float, chance: float) -> int:
    """A page of the same host."""
    if kind < MENU:
        return first + np.int64(min(size, MENU_PAGES) * chance)
    if kind < MENU + NEAR:
        away = np.int64(1.0 / (0.01 + 0.99 * abs(2.0 * chance - 1.0)))  # 1 to 100, near ones more often
        other = page + away if chance < 0.5 else page - away
        return min(max(other, first), first + size - 1)
    return first + np.int64(size * chance * chance)


@kernel
def draw_links(
    host_of: NDArray[np.uint32],
    firsts: NDArray[np.int64],
    seed: np.uint64,
    begin: int,
    end: int,
    ends: NDArray[np.int64],
    targets: NDArray[np.uint32],
) -> int:
    """Links of the pages `begin` to `end` (by host), each once, none to the page itself.

    Page i's are `targets[ends[i - 1 - begin]:ends[i - begin]]`. Returns how many there are.
    """
    hosts = len(firsts) - 1
    stretch = hosts**DRIFT - 1.0
    filled = 0
    for page in range(begin, end):
        host = host_of[page]
        first = firsts[host]
        size = firsts[host + 1] - first
        key = (seed + np.uint64(page)) * STEP
        wanted = 0
        if page == first or uniform(key, np.uint64(0)) >= DEAD:
            normal = -2.0
            for draw in range(1, 5):
                normal += uniform(key, np.uint64(draw))
            wanted = min(1 + np.int64(math.exp(2.97 + 1.5 * normal)), LARGEST)
        own = filled
        for link in range(wanted):
            draw = np.uint64(5 + 3 * link)
            where, kind = uniform(key, draw), uniform(key, draw + np.uint64(1))
            chance = uniform(key, draw + np.uint64(2))
            if where < INSIDE:
                target = inside(page, first, size, kind, chance)
            else:
                other = popular((where - INSIDE) / (1.0 - INSIDE), hosts, stretch)
                room = firsts[other + 1] - firsts[other]
                skewed = 0.0 if kind < HOME else chance * chance * chance
                target = firsts[other] + np.int64(room * skewed)
            known = target == page
            for i in range(own, filled):
                known |= targets[i] == target
            if not known:
                targets[filled] = target
                filled += 1
        ends[page - begin] = filled
    return filled


@kernel
def renumber(
    ends: NDArray[np.int64],
    targets: NDArray[np.uint32],
    order: NDArray[np.uint32],
    places: NDArray[np.uint32],
    starts: NDArray[np.int64],
    moved: NDArray[np.uint32],
) -> None:
    """The same links in another order: new page i was `order[i]`, old page j becomes `places[j]`."""
    filled = 0
    for i in range(len(order)):
        old = order[i]
        starts[i] = filled
        for j in range(ends[old - 1] if old else 0, ends[old]):
            moved[filled] = places[targets[j]]
            filled += 1
    starts[len(order)] = filled


@kernel
def transpose(
    starts: NDArray[np.int64],
    targets: NDArray[np.uint32],
    in_starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
) -> None:
    """Links by target, the sources of each rising. `in_starts` has one place more than there are pages."""
    pages = len(starts) - 1
    in_starts[:] = 0
    for target in targets:
        in_starts[target + 1] += 1
    for page in range(pages):
        in_starts[page + 1] += in_starts[page]
    for page in range(pages):
        for i in range(starts[page], starts[page + 1]):
            target = targets[i]
            sources[in_starts[target]] = page
            in_starts[target] += 1
    for page in range(pages, 0, -1):
        in_starts[page] = in_starts[page - 1]
    in_starts[0] = 0
