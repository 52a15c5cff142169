# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return"
"""Balls around all pages at once: a HyperLogLog counter a page, and their unions along links."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel, unchecked_part

SPREAD = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_30, BY_27, BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)
ONE = np.uint64(1)


@unchecked_part
def estimate(row: NDArray[np.uint8], powers: NDArray[np.float64], scale: float) -> float:
    """How many different things a counter has met; few are counted by the registers that are still 0."""
    total, empty = 0.0, 0
    for k in range(len(row)):
        total += powers[row[k]]
        empty += row[k] == 0
    found = scale / total
    if empty > 0 and found <= 2.5 * len(row):
        return float(len(row) * np.log(len(row) / empty))
    return found


@unchecked_kernel
def begin(
    seed: np.uint64,
    powers: NDArray[np.float64],
    scale: float,
    registers: NDArray[np.uint8],
    sizes: NDArray[np.float64],
) -> None:
    """Every counter, zeros so far, meets its own page. There are 2^b registers in a row."""
    width = registers.shape[1]
    bits = np.uint64(np.log2(width) + 0.5)
    for i in range(len(registers)):
        code = (np.uint64(i) + ONE) * SPREAD + seed
        code = (code ^ (code >> BY_30)) * FIRST
        code = (code ^ (code >> BY_27)) * SECOND
        code = code ^ (code >> BY_31)
        register = np.int64(code & np.uint64(width - 1))
        code >>= bits
        zeros = 1
        while zeros <= 64 - bits and not code & ONE:
            code >>= ONE
            zeros += 1
        registers[i, register] = zeros
        sizes[i] = estimate(registers[i], powers, scale)


@unchecked_kernel
def mark_targets(
    out_starts: NDArray[np.int64],
    targets: NDArray[np.uint32],
    changed: NDArray[np.uint8],
    marked: NDArray[np.uint8],
) -> None:
    """Marks the pages that a page with a changed counter links to, and no others."""
    for i in range(len(marked)):
        marked[i] = 0
    for i in range(len(changed)):
        if changed[i]:
            for j in range(out_starts[i], out_starts[i + 1]):
                marked[targets[j]] = 1


@unchecked_kernel
def grow(
    starts: NDArray[np.int64],
    sources: NDArray[np.uint32],
    marked: NDArray[np.uint8],
    changed: NDArray[np.uint8],
    registers: NDArray[np.uint8],
    grown: NDArray[np.uint8],
    powers: NDArray[np.float64],
    scale: float,
    distance: float,
    sizes: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Balls of the next radius of marked pages, into `grown`; marks stay where a counter changed.

    What a ball has gained is `distance` away.
    """
    width = registers.shape[1]
    for i in range(len(marked)):
        if not marked[i]:
            continue
        row, mine = grown[i], registers[i]
        for k in range(width):
            row[k] = mine[k]
        for j in range(starts[i], starts[i + 1]):
            if changed[sources[j]]:
                other = registers[sources[j]]
                for k in range(width):
                    row[k] = max(row[k], other[k])
        differs = np.uint8(0)
        for k in range(width):
            differs |= row[k] ^ mine[k]
        if differs == 0:
            marked[i] = 0
            continue
        size = estimate(row, powers, scale)
        values[i] += (size - sizes[i]) / distance
        sizes[i] = size


@unchecked_kernel
def settle(
    marked: NDArray[np.uint8],
    grown: NDArray[np.uint8],
    registers: NDArray[np.uint8],
    changed: NDArray[np.uint8],
) -> int:
    """Makes the grown counters the ones that count; returns how many they are."""
    count = 0
    for i in range(len(marked)):
        changed[i] = marked[i]
        if marked[i]:
            count += 1
            for k in range(registers.shape[1]):
                registers[i, k] = grown[i, k]
    return count
