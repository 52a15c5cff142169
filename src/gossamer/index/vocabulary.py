"""Which words have come so far into a segment, and under which terms will they stand?

Words are numbered in the order in which they first appear; what the words of a run of bytes are is remembered
by the whole process (`text.runs`), because a crawl makes many segments of one vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import numbered
from gossamer.text.runs import shared_runs
from gossamer.text.runs_kernel import number_anew

BYTES_A_WORD = 250  # in the trie while it is built, and in tables


class Vocabulary:
    """The distinct words of a segment, in all languages."""

    def __init__(self) -> None:
        self._runs = shared_runs()
        self._begun_with = self._runs.memory
        self._places: dict[str, NDArray[np.uint32]] = {}  # by language, then by number in the runs
        self._new: list[tuple[str, NDArray[np.uint32]]] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def memory(self) -> int:
        """What the process remembers more than before counts too, as this may be what it grows by."""
        places = sum(array.nbytes for array in self._places.values())
        return BYTES_A_WORD * len(self) + places + max(0, self._runs.memory - self._begun_with)

    def read(
        self, texts: Sequence[str], stretches: Sequence[tuple[str, int]]
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """The words of all texts one after the other, as numbers, and how many each text has.

        A stretch is a language and the texts in it.
        """
        numbers, counts = self._runs.number(texts)
        ends = np.cumsum(counts, dtype=np.int64)
        begin, read = 0, 0
        for language, size in stretches:
            read += size
            end = int(ends[read - 1])
            self._number(numbers[begin:end], language)
            begin = end
        return numbers, counts

    def _number(self, numbers: NDArray[np.uint32], language: str) -> None:
        """Replaces the numbers that words have in the runs by their numbers here."""
        new = number_anew(numbers, self._places_in(language), self._count)
        if len(new):
            self._new.append((language, new))
            self._count += len(new)

    def _places_in(self, language: str) -> NDArray[np.uint32]:
        places = self._places.get(language, np.empty(0, np.uint32))
        if len(places) < len(self._runs.words):
            grown = np.zeros(len(self._runs.words) * 5 // 4, np.uint32)
            grown[: len(places)] = places
            places = self._places[language] = grown
        return places

    def terms(self) -> tuple[Any, NDArray[np.uint32]]:
        """A trie of the terms of all words, and the number there of each word's term."""
        words = self._words()
        terms = np.empty(len(words), np.int64)
        languages = np.repeat([language for language, _ in self._new], [len(new) for _, new in self._new])
        for language in self._places:
            spoken = languages == language
            terms[spoken] = self._runs.terms.of(words[spoken], language)
        texts = self._runs.terms.texts
        number_of = np.zeros(len(texts), np.uint32)
        # Neighbours in the alphabet are neighbours in the trie: in order it is built and read twice as fast.
        rising = self._runs.terms.in_order(np.unique(terms))
        trie, number_of[rising] = numbered([texts[term] for term in rising.tolist()])
        return trie, number_of[terms]

    def forms(self, term_of_word: NDArray[np.uint32], counts: NDArray[np.int64], terms: int) -> list[str]:
        """Each term's most frequent word; `counts` says how often each word occurs."""
        rarest_first = np.argsort(counts, kind="stable")
        most_frequent = np.zeros(terms, np.uint32)
        most_frequent[term_of_word[rarest_first]] = self._words()[
            rarest_first
        ]  # of several the last one stays
        return [self._runs.words[number] for number in most_frequent.tolist()]

    def _words(self) -> NDArray[np.uint32]:
        """Every word by its number here, as its number in the runs."""
        return np.concatenate([np.empty(0, np.uint32), *(new for _, new in self._new)])
