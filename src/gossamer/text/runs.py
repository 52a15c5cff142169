"""Which words stand in these texts, as numbers?

A kernel cuts UTF-8 into runs, stretches between bytes that certainly part words, and numbers them. Nearly all
are letters and digits of ASCII, and words as they stand. At each other one `words` looks once: it gives no
word, one, or several. What comes out is exactly `words(text)`, a number a word, at the price of a hash table.
The table outlives the texts: most runs of a page were met on an earlier one.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from gossamer.text.runs_kernel import BEHIND, END, MANY, cut, expand, learn
from gossamer.text.strings import CODING, Strings, with_room
from gossamer.text.terms import WORD_ONLY, Terms
from gossamer.text.words import words


class Runs:
    """The runs met so far, and the words of each. Threads may share it."""

    LARGEST = 100_000_000  # bytes, about 700,000 words; beyond it `shared_runs` starts anew

    def __init__(self) -> None:
        self.strings = Strings()  # a word has the number of the run that is nothing but this word
        self.terms = Terms(self.strings)
        self._words = np.empty(0, np.uint32)  # by run: its word, or `MANY` and the place of its words
        self._many = 0  # runs that have not one word
        self._many_starts = np.zeros(1, np.int64)
        self._many_words = np.empty(0, np.uint32)
        self._lock = Lock()

    def __len__(self) -> int:
        """All numbers of words are below."""
        return len(self.strings)

    def word(self, number: int) -> str:
        return self.strings[number].removeprefix(WORD_ONLY)

    @property
    def memory(self) -> int:
        """About how many bytes it takes."""
        words = 4 * len(self.strings) + 8 * self._many + 4 * int(self._many_starts[self._many])
        return self.strings.memory + words + self.terms.memory

    @property
    def is_full(self) -> bool:
        return self.memory > self.LARGEST

    def number(self, texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The words of all texts one after the other, as numbers, and how many each text has.

        >>> runs = Runs()
        >>> numbers, counts = runs.number(["The Jaguar's paws", "the jaguar"])
        >>> [runs.word(number) for number in numbers.tolist()], counts.tolist()
        (['the', 'jaguar', 'paws', 'the', 'jaguar'], [3, 2])
        """
        return self._number(_joined(texts), len(texts))

    def number_utf8(self, texts: Sequence[bytes]) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The same of texts in UTF-8."""
        return self._number(_joined_utf8(texts), len(texts))

    def _number(self, data: NDArray[np.uint8], texts: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        counts = np.empty(texts, np.uint32)
        with self._lock:
            found, found_ends = self._cut(data, texts)
            return (
                expand(found, found_ends, self._words, self._many_starts, self._many_words, counts),
                counts,
            )

    def _cut(self, data: NDArray[np.uint8], texts: int) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        runs, before, most = self.strings, self.strings.known, len(data) // 2 + 1
        size = len(data) - len(BEHIND)
        runs.make_room(most, 2 * len(data))  # pairs overlap
        found, found_ends = np.empty(most, np.uint32), np.empty(texts, np.uint64)
        state = np.array([0, 0, before, 0, 0], np.uint64)
        try:
            while state[0] < size:
                runs.make_slots(int(state[2]))
                cut(data, runs.slots, runs.arena, runs.bounds, runs.seed, found, found_ends, state)
            runs.known = int(state[2])
            self._learn(before)
        except BaseException:
            runs.keep(before, len(runs.slots))  # an interrupted page must not leave runs without words
            raise
        return found[: state[3]], found_ends

    def _learn(self, before: int) -> None:
        """Finds the words of the runs that are new."""
        runs = self.strings
        known = runs.known
        if known == before:
            return
        self._words = with_room(self._words, before, known - before)
        others = np.empty(known - before, np.uint32)
        others = others[: learn(runs.arena, runs.bounds, before, known, self._words, others)]
        if len(others):
            self._look_at(others)

    def _look_at(self, others: NDArray[np.uint32]) -> None:
        """Finds the words of the runs that are not plain ASCII."""
        runs = self.strings
        texts = runs.lines(others).decode(*CODING).split("\n")[:-1]
        found = [words(text) for text in texts]
        named = [
            word if one == [text] else _named(word)
            for text, one in zip(texts, found, strict=True)
            for word in one
        ]
        known = runs.known
        numbers = runs.number("".join(f"{name}\n" for name in named).encode(*CODING), len(named))
        self._words = with_room(self._words, known, runs.known - known)
        self._words[known : runs.known] = np.arange(known, runs.known)
        self._remember(others, np.array([len(one) for one in found]), numbers)

    def _remember(
        self, runs: NDArray[np.uint32], sizes: NDArray[np.int64], numbers: NDArray[np.uint32]
    ) -> None:
        """Run i has sizes[i] words, whose numbers stand one after the other."""
        one = sizes == 1
        in_one = np.repeat(one, sizes)
        self._words[runs[one]] = numbers[in_one]
        many, rest = sizes[~one], numbers[~in_one]
        begin, end = self._many, self._many + len(many)
        used = int(self._many_starts[begin])
        self._many_words = with_room(self._many_words, used, len(rest))
        self._many_words[used : used + len(rest)] = rest
        self._many_starts = with_room(self._many_starts, begin + 1, len(many))
        self._many_starts[begin + 1 : end + 1] = used + np.cumsum(many)
        self._words[runs[~one]] = MANY + np.arange(begin, end, dtype=np.uint32)
        self._many = end


def _joined(texts: Sequence[str]) -> NDArray[np.uint8]:
    """All texts as UTF-8, each ended by `END`, and what the kernel may read behind them."""
    data = np.frombuffer(END.join([*texts, BEHIND]).encode(*CODING), np.uint8)
    if np.count_nonzero(data) + len(texts) < len(data):
        # One stands in a text, where it parts words as a space does.
        return _joined([text.replace(END, " ") for text in texts])
    return data


def _joined_utf8(texts: Sequence[bytes]) -> NDArray[np.uint8]:
    joined = END.encode().join([*texts, BEHIND.encode()])
    if joined.count(END.encode()) > len(texts):
        return _joined_utf8([text.replace(END.encode(), b" ") for text in texts])
    return np.frombuffer(joined, np.uint8)


def _named(word: str) -> str:
    """The run that stands for a word: the word itself, unless `words` would make something else of it."""
    return word if words(word) == [word] else WORD_ONLY + word


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
