"""Was this URL seen before? All known fingerprints in memory: 15 to 30 bytes a URL."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.frontier.seen_kernel import add_many, find_slot, move_all

SEEN = 1  # the state of a URL of which nothing else was said
LOAD = 0.6  # linear probing is fast below, and degrades above
SMALLEST_BITS = 10


class SeenTable:
    """A set of 64-bit fingerprints, each with a small state (1 to 255). Doubles when it is 60% full."""

    def __init__(self) -> None:
        self._count = 0
        self._allocate(SMALLEST_BITS)

    def add(self, fingerprint: int, state: int = SEEN) -> bool:
        """Adds a fingerprint; says whether it was new. A known one keeps its state."""
        return bool(self.add_many(np.array([fingerprint], np.uint64), state)[0])

    def add_many(self, fingerprints: NDArray[np.uint64], state: int = SEEN) -> NDArray[np.bool_]:
        """Adds many; says of each whether it was new (the first time, where one is repeated)."""
        _check_state(state)
        new = np.zeros(len(fingerprints), np.bool_)
        done = 0
        while done < len(fingerprints):
            room = self._limit - self._count
            rest = fingerprints[done:]
            looked, added = add_many(self._keys, self._states, self._shift, rest, state, room, new[done:])
            self._count += added
            done += looked
            if done < len(fingerprints):
                self._grow()
        return new

    def state(self, fingerprint: int) -> int:
        """The state of a fingerprint, 0 when it is unknown."""
        return int(self._states[self._slot(fingerprint)])

    def set_state(self, fingerprint: int, state: int) -> None:
        """Changes the state of a known fingerprint."""
        _check_state(state)
        slot = self._slot(fingerprint)
        if not self._states[slot]:
            raise KeyError(fingerprint)
        self._states[slot] = state

    def __contains__(self, fingerprint: int) -> bool:
        return self.state(fingerprint) != 0

    def __len__(self) -> int:
        return self._count

    def _slot(self, fingerprint: int) -> int:
        return int(find_slot(self._keys, self._states, self._shift, np.uint64(fingerprint)))

    def _allocate(self, bits: int) -> None:
        self._bits = bits
        self._shift = np.uint64(64 - bits)
        self._keys = np.zeros(1 << bits, np.uint64)
        self._states = np.zeros(1 << bits, np.uint8)
        self._limit = int(LOAD * (1 << bits))

    def _grow(self) -> None:
        keys, states = self._keys, self._states
        self._allocate(self._bits + 1)
        move_all(keys, states, self._keys, self._states, self._shift)


def _check_state(state: int) -> None:
    if not 1 <= state <= 255:
        raise ValueError(f"a state is a number from 1 to 255, not {state}")
