"""Which terms are these words in this language, as numbers?

`analyser` knows the term of a word as a string; here words that have numbers find the numbers of their terms
in an array, so that a word of an earlier page costs next to nothing. New ones are stemmed all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from gossamer.text.analysis import analyser, in_language
from gossamer.text.strings import CODING, Strings
from gossamer.text.strings_kernel import are_ascii
from gossamer.text.terms_kernel import NOT_ASKED, look_up
from gossamer.text.words import LONGEST_WORD

WORD_ONLY = " "  # before a word that, met as a run, would be another


class Terms:
    """The terms of numbered words, in all languages. Threads may share it."""

    def __init__(self, words: Strings) -> None:
        self.texts = Strings()  # by number; they carry their languages
        self._words = words  # by number, some with `WORD_ONLY`; may grow
        self._of: dict[str, NDArray[np.uint32]] = {}  # by language, then by word
        self._table_bytes = 0
        self._lock = Lock()

    @property
    def memory(self) -> int:
        """About how many bytes it takes."""
        return self._table_bytes + self.texts.memory

    def of(self, words: NDArray[np.uint32], language: str) -> NDArray[np.uint32]:
        """The numbers of the terms under which words of this language are indexed."""
        language = analyser(language).language  # those that are read alike share a table
        with self._lock:
            known = self._table(language)
            unknown = words[known[words] == NOT_ASKED]
            if len(unknown):
                self._fill(known, unknown, language)
            return known[words]

    def of_each(
        self, words: NDArray[np.uint32], starts: NDArray[np.int64], languages: Sequence[str]
    ) -> NDArray[np.uint32]:
        """The same where the stretch words[starts[s] : starts[s + 1]] is in languages[s]."""
        numbers = {language: number for number, language in enumerate(dict.fromkeys(languages))}
        spoken = np.array([numbers[language] for language in languages], np.int64)
        terms, unknown = np.empty_like(words), np.empty(len(words), np.int64)
        with self._lock:
            for language, number in numbers.items():
                read_as = analyser(language).language
                known = self._table(read_as)
                count = look_up(words, starts, spoken, number, known, terms, unknown)
                if count:
                    places = unknown[:count]
                    new = words[places]
                    self._fill(known, np.array([*set(new.tolist())], np.uint32), read_as)
                    terms[places] = known[new]
        return terms

    def numbers(self, terms: Sequence[str]) -> NDArray[np.uint32]:
        """The numbers of these terms, whether a text has held them or not."""
        with self._lock:
            return self.texts.number("".join([f"{term}\n" for term in terms]).encode(*CODING), len(terms))

    def _fill(self, table: NDArray[np.uint32], words: NDArray[np.uint32], language: str) -> None:
        plain = are_ascii(self._words.arena, self._words.bounds, words, LONGEST_WORD)
        for alike, is_plain in ((words[plain], True), (words[~plain], False)):
            if len(alike):
                table[alike] = self._learn(alike, language, is_plain)

    def _learn(self, words: NDArray[np.uint32], language: str, plain: bool) -> NDArray[np.uint32]:
        lines = self._words.lines(words).replace(WORD_ONLY.encode(), b"")
        stems = analyser(language).stem_lines(lines, plain)
        return self.texts.number(stems.replace(b"\n", f"{in_language('', language)}\n".encode()), len(words))

    def _table(self, language: str) -> NDArray[np.uint32]:
        table = self._of.get(language, np.empty(0, np.uint32))
        if len(table) < len(self._words):
            size = len(self._words) * 5 // 4
            self._table_bytes += 4 * (size - len(table))
            table = self._of[language] = np.pad(table, (0, size - len(table)), constant_values=NOT_ASKED)
        return table
