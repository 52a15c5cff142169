# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return, index, call-overload, operator"
"""Anchors that were met before are found again by a key of 64 bits: open addressing with linear probing.

The key is mixed (D. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014)
from the target, from who speaks, and from the hash of the words (FNV-1a; Fowler, Noll, Vo) with a secret
seed. Two different anchors among n have the same key with a probability of about n^2 / 2^65: one in 400,000
for ten million of them, and then one of the two is missing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part

ZERO = np.uint64(0)
ONE = np.uint64(1)
PRIME = np.uint64(0x100000001B3)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
BY_30, BY_27, BY_31 = np.uint64(30), np.uint64(27), np.uint64(31)
LINE_FEED = ord("\n")


@kernel_part
def mixed(value: np.uint64) -> np.uint64:
    """Another number for each, all of whose bits depend on all bits."""
    value = (value ^ (value >> BY_30)) * FIRST
    value = (value ^ (value >> BY_27)) * SECOND
    return value ^ (value >> BY_31)


@kernel_part
def is_new(key: np.uint64, slots: NDArray[np.uint64]) -> bool:
    """Whether the key was not there; it is now. A slot of 0 is empty, and one is always left."""
    mask = np.uint64(len(slots) - 1)
    slot = key & mask
    while slots[slot] != ZERO:
        if slots[slot] == key:
            return False
        slot = (slot + ONE) & mask
    slots[slot] = key
    return True


@kernel
def take_new(
    lines: NDArray[np.uint8],
    targets: NDArray[np.uint64],
    speakers: NDArray[np.uint64],
    counted: NDArray[np.bool_],
    seed: np.uint64,
    slots: NDArray[np.uint64],
    chosen: NDArray[np.int64],
    words: NDArray[np.uint8],
) -> tuple[int, int]:
    """Which of these anchors count, say anything, and were not met before.

    Anchor i is a line, ended by a line feed. The numbers of the new ones go to `chosen`, their lines to
    `words`; returned is how many they are, and how many bytes their lines have.
    """
    found, size = ZERO, ZERO
    line, begin, code = ZERO, ZERO, seed
    for at in range(np.uint64(len(lines))):
        if lines[at] != LINE_FEED:
            code = (code ^ np.uint64(lines[at])) * PRIME
            continue
        if counted[line] and at > begin:
            key = mixed(code ^ mixed(targets[line] ^ mixed(speakers[line] + ONE)))
            if is_new(max(key, ONE), slots):
                chosen[found] = np.int64(line)
                found += ONE
                for i in range(begin, at + ONE):
                    words[size] = lines[i]
                    size += ONE
        line, begin, code = line + ONE, at + ONE, seed
    return found, size


@kernel
def move_keys(old: NDArray[np.uint64], slots: NDArray[np.uint64]) -> None:
    """Puts all keys into empty slots, of which there are more."""
    for key in old:
        if key != ZERO:
            is_new(key, slots)
