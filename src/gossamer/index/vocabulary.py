"""Which words have come so far into a segment, and under which terms will they stand?

Words are numbered in the order in which they first appear; what the words of a run of bytes are is remembered
by the whole process (`text.runs`), because a crawl makes many segments of one vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import Dictionary, dictionary_of
from gossamer.index.lexicon import Lexicon, lexicon_of
from gossamer.index.vocabulary_kernel import most_frequent, write_forms
from gossamer.text.runs import shared_runs
from gossamer.text.runs_kernel import number_anew
from gossamer.text.terms import WORD_ONLY

BYTES_A_WORD = 80  # at the peak, while the dictionary is made


@dataclass(frozen=True, slots=True)
class SegmentTerms:
    """The terms of a segment in their order, as numbers of the process, and each word's place among them."""

    order: NDArray[np.uint32]
    of_word: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.order)


class Vocabulary:
    """The distinct words of a segment, in all languages."""

    def __init__(self) -> None:
        self._runs = shared_runs()
        self._begun_with = self._runs.memory
        self._places: dict[str, NDArray[np.uint32]] = {}  # by language, then by number in the runs
        self._new: list[tuple[str, NDArray[np.uint32]]] = []
        self._terms: list[NDArray[np.uint32]] = []  # of the words of each
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

        A stretch is a language and the texts in it. After an error the words of the texts are not known here:
        one that no text holds would be a term without postings.
        """
        numbers, counts = self._runs.number(texts)
        known = len(self._new)
        ends = np.cumsum(counts, dtype=np.int64)
        begin, read = 0, 0
        for language, size in stretches:
            read += size
            end = int(ends[read - 1])
            self._number(numbers[begin:end], language)
            begin = end
        try:
            self._stem(known)
        except BaseException:
            self._forget(known)
            raise
        return numbers, counts

    def _stem(self, known: int) -> None:
        """Finds the terms of new words, all of a language at once.

        An error at a word shows here, where it costs the pages that hold the word.
        """
        spoken: dict[str, list[NDArray[np.uint32]]] = {}
        for language, words in self._new[known:]:
            spoken.setdefault(language, []).append(words)
        terms = {
            language: self._runs.terms.of(np.concatenate(several), language)
            for language, several in spoken.items()
        }
        used = dict.fromkeys(terms, 0)
        for language, words in self._new[known:]:
            begin, end = used[language], used[language] + len(words)
            self._terms.append(terms[language][begin:end])
            used[language] = end

    def _forget(self, known: int) -> None:
        for language, words in self._new[known:]:
            self._places[language][words] = 0
            self._count -= len(words)
        del self._new[known:]

    def _number(self, numbers: NDArray[np.uint32], language: str) -> None:
        """Replaces the numbers that words have in the runs by their numbers here."""
        new = number_anew(numbers, self._places_in(language), self._count)
        if len(new):
            self._new.append((language, new))
            self._count += len(new)

    def _places_in(self, language: str) -> NDArray[np.uint32]:
        places = self._places.get(language, np.empty(0, np.uint32))
        if len(places) < len(self._runs):
            grown = np.zeros(len(self._runs) * 5 // 4, np.uint32)
            grown[: len(places)] = places
            places = self._places[language] = grown
        return places

    def terms(self) -> SegmentTerms:
        """The terms of all words."""
        terms = np.concatenate([np.empty(0, np.uint32), *self._terms])
        texts = self._runs.terms.texts
        place_of = np.zeros(len(texts), np.uint32)
        place_of[terms] = 1
        order = texts.in_order(np.flatnonzero(place_of).astype(np.uint32))
        place_of[order] = np.arange(len(order), dtype=np.uint32)
        return SegmentTerms(order, place_of[terms])

    def dictionary(self, terms: SegmentTerms, counts: NDArray[np.int64]) -> Dictionary:
        """What a segment writes; `counts` says how often each word occurs."""
        texts, runs = self._runs.terms.texts, self._runs.strings
        best = most_frequent(terms.of_word, counts, len(terms))
        words = self._words()[best] if len(terms) else best
        forms = write_forms(texts.arena, texts.bounds, terms.order, runs.arena, runs.bounds, words)
        return dictionary_of(texts.arena, texts.bounds, terms.order, forms.tobytes())

    def lexicon(self, counts: NDArray[np.int64]) -> Lexicon:
        """All words as they are written; in how many languages one is read does not matter here."""
        totals = np.bincount(self._words(), counts, len(self._runs))
        numbers = np.flatnonzero(totals)
        lines = self._runs.strings.lines(numbers.astype(np.uint32)).replace(WORD_ONLY.encode(), b"")
        return lexicon_of(lines, totals[numbers].astype(np.int64))

    def _words(self) -> NDArray[np.uint32]:
        """Every word by its number here, as its number in the runs."""
        return np.concatenate([np.empty(0, np.uint32), *(new for _, new in self._new)])
