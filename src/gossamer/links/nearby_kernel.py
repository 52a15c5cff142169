# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return, index, call-overload, operator"
"""The least hash of the texts of a heap is kept by a key of 64 bits: open addressing with linear probing.

Hash and mixing are those of `anchors_kernel`, but without a secret: so every run takes the same texts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part
from gossamer.links.anchors_kernel import LINE_FEED, ONE, PRIME, ZERO, mixed

FIRST_CODE = np.uint64(0xCBF29CE484222325)  # FNV's offset


@kernel_part
def _slot(key: np.uint64, keys: NDArray[np.uint64]) -> np.uint64:
    """Where a key stands, or the empty slot where it belongs; one is always empty."""
    mask = np.uint64(len(keys) - 1)
    slot = key & mask
    while keys[slot] != ZERO and keys[slot] != key:
        slot = (slot + ONE) & mask
    return slot


@kernel_part
def _heap(code: np.uint64, target: np.uint64, speaker: np.uint64, heaps: int) -> np.uint64:
    """The key of the heap that a text belongs to; never 0."""
    number = mixed(code) % np.uint64(heaps)
    return max(mixed(number ^ mixed(target ^ mixed(speaker + ONE))), ONE)


@kernel
def note_least(
    lines: NDArray[np.uint8],
    targets: NDArray[np.uint64],
    speakers: NDArray[np.uint64],
    counted: NDArray[np.bool_],
    heaps: int,
    keys: NDArray[np.uint64],
    least: NDArray[np.uint64],
) -> int:
    """Notes the texts of links that count, each a line; returns how many heaps are new."""
    new = 0
    line, begin, code = ZERO, ZERO, FIRST_CODE
    for at in range(np.uint64(len(lines))):
        if lines[at] != LINE_FEED:
            code = (code ^ np.uint64(lines[at])) * PRIME
            continue
        if counted[line] and at > begin:
            key = _heap(code, targets[line], speakers[line], heaps)
            slot = _slot(key, keys)
            if keys[slot] == ZERO:
                keys[slot] = key
                least[slot] = max(code, ONE)
                new += 1
            else:
                least[slot] = min(least[slot], max(code, ONE))
        line, begin, code = line + ONE, at + ONE, FIRST_CODE
    return new


@kernel
def take_least(
    lines: NDArray[np.uint8],
    targets: NDArray[np.uint64],
    speakers: NDArray[np.uint64],
    counted: NDArray[np.bool_],
    heaps: int,
    keys: NDArray[np.uint64],
    least: NDArray[np.uint64],
    chosen: NDArray[np.int64],
    words: NDArray[np.uint8],
) -> tuple[int, int]:
    """Which of these texts are the least of their heaps, and were not taken before.

    Their numbers go to `chosen`, their lines to `words`; returned is how many they are, and how many bytes
    their lines have.
    """
    found, size = ZERO, ZERO
    line, begin, code = ZERO, ZERO, FIRST_CODE
    for at in range(np.uint64(len(lines))):
        if lines[at] != LINE_FEED:
            code = (code ^ np.uint64(lines[at])) * PRIME
            continue
        if counted[line] and at > begin:
            slot = _slot(_heap(code, targets[line], speakers[line], heaps), keys)
            if least[slot] == max(code, ONE):
                least[slot] = ZERO
                chosen[found] = np.int64(line)
                found += ONE
                for i in range(begin, at + ONE):
                    words[size] = lines[i]
                    size += ONE
        line, begin, code = line + ONE, at + ONE, FIRST_CODE
    return found, size


@kernel
def move_least(
    old_keys: NDArray[np.uint64],
    old_least: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    least: NDArray[np.uint64],
) -> None:
    """Puts all keys into empty slots, of which there are more."""
    for k in range(np.uint64(len(old_keys))):
        if old_keys[k] != ZERO:
            slot = _slot(old_keys[k], keys)
            keys[slot] = old_keys[k]
            least[slot] = old_least[k]
