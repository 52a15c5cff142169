"""The hash table of known URLs: open addressing with linear probing over three arrays.

A slot whose state is 0 is empty. The fingerprint is spread by its product with 2^64 divided by the golden
ratio (Knuth, The Art of Computer Programming 3, 6.4), its upper half scaled to the number of slots (Lemire,
"Fast random integer generation in an interval", 2019), so that the table may have any size and grow by a
seventh where a power of two would have to double. As homes rise with the hashes, whatever the size, a table
that has grown is put in order in place.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


@unchecked_kernel
def home(fingerprint: np.uint64, size: int) -> np.int64:
    """The slot where probing for a fingerprint begins; it rises with the size of the table."""
    return np.int64((((fingerprint * GOLDEN) >> HALF) * np.uint64(size)) >> HALF)


@unchecked_kernel
def find_slot(keys: NDArray[np.uint64], states: NDArray[np.uint8], fingerprint: np.uint64) -> np.int64:
    """Where a fingerprint stands, or the empty slot where it would."""
    size = len(keys)
    slot = home(fingerprint, size)
    while states[slot] != 0 and keys[slot] != fingerprint:
        slot += np.int64(1)
        if slot == size:
            slot = np.int64(0)
    return slot


@unchecked_kernel
def add_one(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    scores: NDArray[np.float32],
    fingerprint: np.uint64,
    state: int,
    score: float,
) -> bool:
    """Adds a fingerprint if it is unknown; the caller has seen to it that there is room."""
    slot = find_slot(keys, states, fingerprint)
    if states[slot] != 0:
        return False
    keys[slot] = fingerprint
    states[slot] = state
    scores[slot] = score
    return True


@unchecked_kernel
def add_many(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    scores: NDArray[np.float32],
    fingerprints: NDArray[np.uint64],
    state: int,
    score: float,
    room: int,
    new: NDArray[np.bool_],
) -> tuple[int, int]:
    """Adds unknown fingerprints while there is room; returns how many were looked at, and how many added."""
    added = 0
    for i in range(len(fingerprints)):
        slot = find_slot(keys, states, fingerprints[i])
        if states[slot] != 0:
            continue
        if added == room:
            return i, added
        keys[slot] = fingerprints[i]
        states[slot] = state
        scores[slot] = score
        new[i] = True
        added += 1
    return len(fingerprints), added


@unchecked_kernel
def put_many(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    scores: NDArray[np.float32],
    new_keys: NDArray[np.uint64],
    new_states: NDArray[np.uint8],
    new_scores: NDArray[np.float32],
    room: int,
) -> tuple[int, int]:
    """Adds entries or overwrites them, passing over empty ones, while there is room; as `add_many`."""
    added = 0
    for i in range(len(new_keys)):
        if new_states[i] == 0:
            continue
        slot = find_slot(keys, states, new_keys[i])
        if states[slot] == 0:
            if added == room:
                return i, added
            keys[slot] = new_keys[i]
            added += 1
        states[slot] = new_states[i]
        scores[slot] = new_scores[i]
    return len(new_keys), added


@unchecked_kernel
def spread(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    scores: NDArray[np.float32],
    end: int,
    spare_keys: NDArray[np.uint64],
    spare_states: NDArray[np.uint8],
    spare_scores: NDArray[np.float32],
) -> tuple[int, int]:
    """Moves the entries before `end` to where they belong in a table that has grown behind them.

    From the last to the first, each upwards into what is settled already. The few that would come to stand
    below their old slot, or beyond the last, become spare: they are to be added when all others have moved.
    Returns the new `end`, 0 unless there was no room for another spare one, and how many are spare.
    """
    size = len(keys)
    spare = 0
    for old in range(end - 1, -1, -1):
        if states[old] == 0:
            continue
        if spare == len(spare_keys):
            return old + 1, spare
        key, state, score = keys[old], states[old], scores[old]
        states[old] = 0
        slot = home(key, size)
        if slot >= old:
            while slot < size and states[slot] != 0:
                slot += np.int64(1)
        if slot >= old and slot < size:
            keys[slot], states[slot], scores[slot] = key, state, score
        else:
            spare_keys[spare], spare_states[spare], spare_scores[spare] = key, state, score
            spare += 1
    return 0, spare


@unchecked_kernel
def states_of(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    fingerprints: NDArray[np.uint64],
    found: NDArray[np.uint8],
) -> None:
    """The state of each fingerprint, 0 for unknown ones."""
    for i in range(len(fingerprints)):
        found[i] = states[find_slot(keys, states, fingerprints[i])]


@unchecked_kernel
def scores_of(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    scores: NDArray[np.float32],
    fingerprints: NDArray[np.uint64],
    found: NDArray[np.float32],
) -> None:
    """The score of each fingerprint, 0 for unknown ones."""
    for i in range(len(fingerprints)):
        slot = find_slot(keys, states, fingerprints[i])
        found[i] = scores[slot] if states[slot] != 0 else np.float32(0.0)


@unchecked_kernel
def pay(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    scores: NDArray[np.float32],
    fingerprints: NDArray[np.uint64],
    amount: float,
) -> None:
    """Adds the same amount to the score of each known fingerprint."""
    for i in range(len(fingerprints)):
        slot = find_slot(keys, states, fingerprints[i])
        if states[slot] != 0:
            scores[slot] += np.float32(amount)


@unchecked_kernel
def best_of(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    scores: NDArray[np.float32],
    fingerprints: NDArray[np.uint64],
    count: int,
) -> tuple[int, float]:
    """The place of the highest score among the first `count` (at least one), the first of equals; and it."""
    best = 0
    highest = np.float32(-np.inf)
    for i in range(count):
        slot = find_slot(keys, states, fingerprints[i])
        score = scores[slot] if states[slot] != 0 else np.float32(0.0)
        if score > highest:
            best = i
            highest = score
    return best, float(highest)
