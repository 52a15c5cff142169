"""Which URLs are known, where does each stand, and what is it worth? In memory: 16 to 21 bytes a URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.frontier.seen_kernel import (
    add_many,
    add_one,
    best_of,
    find_slot,
    pay,
    put_many,
    scores_of,
    states_of,
)

WAITING = 1  # to be fetched; its address stands in the catalogue
HELD = 2  # to be fetched or being fetched; its address is in memory
DONE = 3  # fetched, failed for good, or refused

FULLEST = 0.8  # of the slots in use: linear probing looks at 3 of them for a known URL, 13 for a new one
GROWTH = 1.3
SMALLEST = 1024


class Entries(NamedTuple):
    """What a table holds, as columns."""

    keys: NDArray[np.uint64]
    states: NDArray[np.uint8]
    scores: NDArray[np.float32]


class SeenTable:
    """All known fingerprints, each with a state and a score: 13 bytes a slot, at most four in five used.

    `expected` says how many will come. It matters when they come in the order of another table's slots:
    a table that is too small for them fills up from its beginning, and every look-up wades through it.
    """

    def __init__(self, expected: int = 0) -> None:
        self._count = 0
        self._allocate(max(SMALLEST, int(expected / FULLEST) + 1))

    def add(self, fingerprint: int, state: int = WAITING, score: float = 0.0) -> bool:
        """Adds a fingerprint; says whether it was new. A known one keeps its state and score."""
        if self._count >= self._limit:
            self._grow()
        new = add_one(self._keys, self._states, self._scores, np.uint64(fingerprint), state, score)
        self._count += new
        return bool(new)

    def add_many(
        self, fingerprints: NDArray[np.uint64], state: int = WAITING, score: float = 0.0
    ) -> NDArray[np.bool_]:
        """Adds many; says of each whether it was new (the first time, where one is repeated)."""
        new = np.zeros(len(fingerprints), np.bool_)
        done = 0
        while done < len(fingerprints):
            room = self._limit - self._count
            looked, added = add_many(*self._arrays, fingerprints[done:], state, score, room, new[done:])
            self._count += added
            done += looked
            if done < len(fingerprints):
                self._grow()
        return new

    def put(self, entries: Entries) -> None:
        """Adds entries, or overwrites those of the same fingerprints."""
        done = 0
        while done < len(entries.keys):
            rest = Entries(entries.keys[done:], entries.states[done:], entries.scores[done:])
            looked, added = put_many(*self._arrays, *rest, self._limit - self._count)
            self._count += added
            done += looked
            if done < len(entries.keys):
                self._grow()

    def pieces(self, slots: int = 1 << 18) -> Iterator[Entries]:
        """Everything that is known, piece by piece; what is held in memory counts as waiting."""
        for start in range(0, len(self._keys), slots):
            keys, states, scores = (column[start : start + slots] for column in self._arrays)
            used = states != 0
            written = states[used]
            written[written == HELD] = WAITING
            yield Entries(keys[used], written, scores[used])

    def state(self, fingerprint: int) -> int:
        """The state of a fingerprint, 0 when it is unknown."""
        return int(self._states[self._slot(fingerprint)])

    def states(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """The states of many."""
        found = np.empty(len(fingerprints), np.uint8)
        states_of(self._keys, self._states, fingerprints, found)
        return found

    def set_state(self, fingerprint: int, state: int) -> None:
        """Changes the state of a known fingerprint."""
        self._states[self._known_slot(fingerprint)] = state

    def score(self, fingerprint: int) -> float:
        """The score of a known fingerprint."""
        return float(self._scores[self._known_slot(fingerprint)])

    def set_score(self, fingerprint: int, score: float) -> None:
        """Changes the score of a known fingerprint."""
        self._scores[self._known_slot(fingerprint)] = score

    def scores(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.float32]:
        """The scores of many, 0 for unknown ones."""
        found = np.empty(len(fingerprints), np.float32)
        scores_of(*self._arrays, fingerprints, found)
        return found

    def pay(self, fingerprints: NDArray[np.uint64], amount: float) -> None:
        """Adds the amount to the score of each that is known."""
        pay(*self._arrays, fingerprints, amount)

    def best(self, fingerprints: NDArray[np.uint64], count: int) -> tuple[int, float]:
        """The place of the highest score among the first `count` fingerprints, and that score."""
        return best_of(*self._arrays, fingerprints, count)

    def __contains__(self, fingerprint: int) -> bool:
        return self.state(fingerprint) != 0

    def __len__(self) -> int:
        return self._count

    @property
    def _arrays(self) -> Entries:
        return Entries(self._keys, self._states, self._scores)

    def _slot(self, fingerprint: int) -> int:
        return int(find_slot(self._keys, self._states, np.uint64(fingerprint)))

    def _known_slot(self, fingerprint: int) -> int:
        slot = self._slot(fingerprint)
        if not self._states[slot]:
            raise KeyError(fingerprint)
        return slot

    def _allocate(self, size: int) -> None:
        self._keys = np.zeros(size, np.uint64)
        self._states = np.zeros(size, np.uint8)
        self._scores = np.zeros(size, np.float32)
        self._limit = int(FULLEST * size)

    def _grow(self) -> None:
        old = self._arrays
        self._allocate(int(len(old.keys) * GROWTH))
        put_many(*self._arrays, *old, self._limit)
