"""Which URLs are known, where does each stand, and what is it worth? In memory: 16 to 19 bytes a URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

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
    spread,
    states_of,
)

WAITING = 1  # to be fetched; its address stands in the catalogue
HELD = 2  # to be fetched or being fetched; its address is in memory
DONE = 3  # fetched, failed for good, or refused

FULLEST = 0.8  # of the slots in use: linear probing looks at 3 of them for a known URL, 13 for a new one
GROWTH = 1.15  # in place, so that it costs little
SMALLEST = 1024
ROOM = 4  # times as large as it is, a table may become without a copy: memory costs nothing until it is used
SPARE = 4096  # entries that are set aside at a time while the table grows


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
        size = max(SMALLEST, int(expected / FULLEST) + 1)
        self._room: list[NDArray[Any]] = list(_no_entries(ROOM * size))
        self._use(size)

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

    def _use(self, size: int) -> None:
        """Makes the first slots that there is room for the table."""
        self._keys, self._states, self._scores = (column[:size] for column in self._room)
        self._limit = int(FULLEST * size)

    def _grow(self) -> None:
        """In place, so that there are never two tables."""
        end, size = len(self._keys), int(len(self._keys) * GROWTH)
        if size > len(self._room[0]):
            self._make_room(end, ROOM * size)
        self._use(size)
        spare = []
        while end:
            keys, states, scores = _no_entries(SPARE)
            end, count = spread(*self._arrays, end, keys, states, scores)
            spare.append(Entries(keys[:count], states[:count], scores[:count]))
        for entries in spare:
            put_many(*self._arrays, *entries, self._limit)

    def _make_room(self, used: int, size: int) -> None:
        """Copies the slots in use, one column after the other."""
        del self._keys, self._states, self._scores
        for number, column in enumerate(self._room):
            longer = np.zeros(size, column.dtype)
            longer[:used] = column[:used]
            self._room[number] = longer


def _no_entries(size: int) -> Entries:
    return Entries(np.zeros(size, np.uint64), np.zeros(size, np.uint8), np.zeros(size, np.float32))
