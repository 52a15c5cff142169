"""The hash table of known URLs: open addressing with linear probing over two arrays.

A slot whose state is 0 is empty. The slot of a fingerprint is the top bits of its product with 2^64 divided
by the golden ratio (Knuth, The Art of Computer Programming 3, 6.4), so that neighbours spread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def find_slot(
    keys: NDArray[np.uint64], states: NDArray[np.uint8], shift: np.uint64, fingerprint: np.uint64
) -> np.int64:
    """Where a fingerprint stands, or the empty slot where it would."""
    slot = np.int64((fingerprint * GOLDEN) >> shift)
    mask = np.int64(len(keys) - 1)
    while states[slot] != 0 and keys[slot] != fingerprint:
        slot = (slot + np.int64(1)) & mask
    return slot


@kernel
def add_many(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    shift: np.uint64,
    fingerprints: NDArray[np.uint64],
    state: int,
    room: int,
    new: NDArray[np.bool_],
) -> tuple[int, int]:
    """Adds unknown fingerprints while there is room; returns how many were looked at, and how many added."""
    added = 0
    for i in range(len(fingerprints)):
        slot = find_slot(keys, states, shift, fingerprints[i])
        if states[slot] != 0:
            new[i] = False
            continue
        if added == room:
            return i, added
        keys[slot] = fingerprints[i]
        states[slot] = state
        new[i] = True
        added += 1
    return len(fingerprints), added


@kernel
def move_all(
    old_keys: NDArray[np.uint64],
    old_states: NDArray[np.uint8],
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    shift: np.uint64,
) -> None:
    """Puts everything into a larger table."""
    for i in range(len(old_keys)):
        if old_states[i] != 0:
            slot = find_slot(keys, states, shift, old_keys[i])
            keys[slot] = old_keys[i]
            states[slot] = old_states[i]
