# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
"""The pages around a few pages, and the links among them.

Pages get numbers of their own, counted from 0, in a hash table of open addressing: it is as large as the base
set, not as the web, and fits the processor's cache.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part

SPREAD = np.uint64(0x9E3779B97F4A7C15)  # Knuth's multiplicative hashing: 2^64 over the golden ratio
GOLDEN = 0.6180339887498949
PATIENCE = 16  # so many links are looked at for each that is wanted


@unchecked_part
def slot_of(node: np.uint32, shift: np.uint64, keys: NDArray[np.uint32], numbers: NDArray[np.int32]) -> int:
    """Where the node stands in the table, or the empty slot where it would; one is always left."""
    slot = np.int64((np.uint64(node) * SPREAD) >> shift)
    while numbers[slot] >= 0 and keys[slot] != node:
        slot += 1
        if slot == len(keys):
            slot = 0
    return slot


@unchecked_part
def enter(
    node: np.uint32,
    count: int,
    shift: np.uint64,
    keys: NDArray[np.uint32],
    numbers: NDArray[np.int32],
    members: NDArray[np.uint32],
) -> int:
    """Numbers the node if it has no number; returns how many have one."""
    slot = slot_of(node, shift, keys, numbers)
    if numbers[slot] >= 0:
        return count
    keys[slot] = node
    numbers[slot] = count
    members[count] = node
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
    page: np.uint32,
    first: int,
    last: int,
    ends: NDArray[np.uint32],
    hosts: NDArray[np.uint32],
    most: int,
    count: int,
    shift: np.uint64,
    keys: NDArray[np.uint32],
    numbers: NDArray[np.int32],
    members: NDArray[np.uint32],
) -> int:
    """Numbers at most so many of the pages at the other ends of a page's links."""
    length = last - first
    if length == 0 or most == 0:
        return count
    step = 1 if length <= most else stride_over(length)
    place, taken = 0, 0
    for _ in range(min(length, most * PATIENCE)):
        other = ends[first + place]
        place += step
        if place >= length:
            place -= length
        if len(hosts) > 0 and hosts[other] == hosts[page]:
            continue
        count = enter(other, count, shift, keys, numbers, members)
        taken += 1
        if taken == most:
            break
    return count


@unchecked_kernel
def expand(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    out_starts: NDArray[np.int64],
    targets: NDArray[np.uint32],
    hosts: NDArray[np.uint32],
    roots: NDArray[np.int64],
    most_in: int,
    most_out: int,
    shift: np.uint64,
    keys: NDArray[np.uint32],
    numbers: NDArray[np.int32],
    members: NDArray[np.uint32],
) -> tuple[int, int]:
    """Numbers the roots, then the pages around them; returns how many are roots, and how many there are.

    Without `hosts` (an empty array) links inside a host count as well.
    """
    count = 0
    for i in range(len(roots)):
        count = enter(np.uint32(roots[i]), count, shift, keys, numbers, members)
    distinct = count
    for i in range(distinct):
        page = members[i]
        count = take_around(
            page, starts[page], starts[page + 1], sources, hosts, most_in,
            count, shift, keys, numbers, members,
        )  # fmt: skip
        count = take_around(
            page, out_starts[page], out_starts[page + 1], targets, hosts, most_out,
            count, shift, keys, numbers, members,
        )  # fmt: skip
    return distinct, count


@unchecked_kernel
def links_among(
    out_starts: NDArray[np.int64],
    targets: NDArray[np.uint32],
    hosts: NDArray[np.uint32],
    members: NDArray[np.uint32],
    shift: np.uint64,
    keys: NDArray[np.uint32],
    numbers: NDArray[np.int32],
    local_starts: NDArray[np.int64],
    local_targets: NDArray[np.uint32],
) -> int:
    """The links between numbered pages, by their numbers, page after page; returns how many."""
    found = 0
    for i in range(len(members)):
        local_starts[i] = found
        page = members[i]
        for j in range(out_starts[page], out_starts[page + 1]):
            number = numbers[slot_of(targets[j], shift, keys, numbers)]
            if number < 0 or number == i:
                continue
            if len(hosts) > 0 and hosts[targets[j]] == hosts[page]:
                continue
            local_targets[found] = number
            found += 1
    local_starts[len(members)] = found
    return found
