"""Which words stand in these texts, as numbers?

A kernel cuts UTF-8 into runs, stretches between bytes that certainly part words, and numbers them. `words`
looks at each distinct run once: it gives no word, one, or several. What comes out is exactly `words(text)`,
a number a word, at the price of a hash table. The table outlives the texts: most runs of a page were met on
an earlier one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import accumulate, pairwise
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.text.runs_kernel import BEHIND, SEVERAL, cut, expand, move_all
from gossamer.text.terms import BYTES_A_STRING, Terms, number_of
from gossamer.text.words import words

FIRST_SLOTS = 1 << 14

Scalar = TypeVar("Scalar", bound=np.generic)


class Runs:
    """The runs met so far, and the words of each. Threads may share it."""

    LARGEST = 100_000_000  # bytes, about half a million words; beyond it `shared_runs` starts anew

    def __init__(self) -> None:
        self.words: list[str] = []  # by number
        self.terms = Terms(self.words)
        self._numbers: dict[str, int] = {}
        self._known = 0
        self._array_bytes = 0
        self._slots = np.zeros((FIRST_SLOTS, 2), np.uint64)
        self._arena = np.empty(0, np.uint8)
        self._bounds = np.zeros(1, np.int64)
        self._starts = np.zeros(1, np.int64)
        self._only = np.empty(0, np.uint32)  # by run: its word, or `SEVERAL`
        self._run_words = np.empty(0, np.uint32)
        self._seed = np.uint64(int.from_bytes(os.urandom(8), "little"))
        self._lock = Lock()

    @property
    def memory(self) -> int:
        """About how many bytes it takes."""
        return self._slots.nbytes + self._array_bytes + BYTES_A_STRING * len(self.words) + self.terms.memory

    @property
    def is_full(self) -> bool:
        return self.memory > self.LARGEST

    def number(self, texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The words of all texts one after the other, as numbers, and how many each text has.

        >>> runs = Runs()
        >>> numbers, counts = runs.number(["The Jaguar's paws", "the jaguar"])
        >>> numbers.tolist(), counts.tolist(), runs.words
        ([0, 1, 2, 0, 1], [3, 2], ['the', 'jaguar', 'paws'])
        """
        pieces = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.array(list(accumulate(len(piece) + 1 for piece in pieces)), np.uint64)
        pieces.append(BEHIND)
        data = np.frombuffer(b"\n".join(pieces), np.uint8)
        counts = np.empty(len(texts), np.uint32)
        with self._lock:
            found, found_ends = self._cut(data, ends)
            return expand(found, found_ends, self._only, self._starts, self._run_words, counts), counts

    def _cut(
        self, data: NDArray[np.uint8], ends: NDArray[np.uint64]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        before = self._known
        most = len(data) // 2 + 1
        self._bounds = _with_room(self._bounds, before + 1, most)
        self._arena = _with_room(self._arena, int(self._bounds[before]), 2 * len(data))  # pairs overlap
        found, found_ends = np.empty(most, np.uint32), np.empty(len(ends), np.uint64)
        state = np.array([0, 0, before, 0, 0], np.uint64)
        try:
            while len(ends) and state[0] < ends[-1]:
                self._make_slots(int(state[2]))
                cut(data, ends, self._slots, self._arena, self._bounds, self._seed, found, found_ends, state)
            self._learn(before, int(state[2]))
        except BaseException:
            self._move(len(self._slots), before)  # an interrupted page must not leave runs without words
            raise
        return found[: state[3]], found_ends

    def _make_slots(self, known: int) -> None:
        if 2 * known >= len(self._slots):
            self._move(2 * len(self._slots), known)

    def _move(self, slots: int, known: int) -> None:
        old, self._slots = self._slots, np.zeros((slots, 2), np.uint64)
        move_all(old, self._slots, known, self._seed)

    def _learn(self, before: int, known: int) -> None:
        """Finds the words of the runs that are new."""
        if known == before:
            return
        bounds = self._bounds[before : known + 1].tolist()
        data = self._arena[bounds[0] : bounds[-1]].tobytes()
        found: list[int] = []
        ends: list[int] = []
        for begin, end in pairwise(bounds):
            run = data[begin - bounds[0] : end - bounds[0]]
            # An ASCII word is a run of its own, as nearly all of them are.
            for word in (run.decode(),) if run.isalnum() else words(run.decode("utf-8", "surrogatepass")):
                found.append(number_of(word, self._numbers, self.words))
            ends.append(len(found))
        base = int(self._starts[before])
        self._run_words = _with_room(self._run_words, base, len(found))
        self._run_words[base : base + len(found)] = found
        self._starts = _with_room(self._starts, before + 1, len(ends))
        self._starts[before + 1 : known + 1] = np.array(ends) + base
        self._only = _with_room(self._only, before, known - before)
        sizes = np.diff(ends, prepend=0)
        self._only[before:known] = SEVERAL
        self._only[before:known][sizes == 1] = np.array(found, np.uint32)[np.array(ends)[sizes == 1] - 1]
        self._known = known
        # The words hold most of the arena's bytes a second time.
        self._array_bytes = 20 * known + 4 * (base + len(found)) + 2 * bounds[-1]


def _with_room(array: NDArray[Scalar], used: int, wanted: int) -> NDArray[Scalar]:
    """The array, or a larger copy of its used part when fewer than the wanted places are free."""
    if len(array) - used >= wanted:
        return array
    larger = np.empty(max(2 * len(array), used + wanted), array.dtype)
    larger[:used] = array[:used]
    return larger


class _Shelf:
    """Holds the runs that the whole process shares."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._runs: Runs | None = None

    def runs(self) -> Runs:
        with self._lock:
            if self._runs is None or self._runs.is_full:
                self._runs = Runs()
            return self._runs


_SHELF = _Shelf()


def shared_runs() -> Runs:
    """What the process remembers of earlier texts. Who holds it goes on using it when a new one is begun."""
    return _SHELF.runs()
