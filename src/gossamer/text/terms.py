"""Which terms are these words in this language, as numbers?

`analyser` knows the term of a word as a string; here words that have numbers find the numbers of their terms
in an array, so that a word of an earlier page costs next to nothing.
"""

from __future__ import annotations

from threading import Lock

import numpy as np
from numpy.typing import NDArray

from gossamer.text.analysis import analyser

BYTES_A_STRING = 150  # with its entries in a dictionary, a list and an array


def number_of(text: str, numbers: dict[str, int], texts: list[str]) -> int:
    """The number of a text, which is its place among the texts; a new one becomes the last."""
    number = numbers.setdefault(text, len(texts))
    if number == len(texts):
        texts.append(text)
    return number


class Terms:
    """The terms of numbered words, in all languages. Threads may share it."""

    def __init__(self, words: list[str]) -> None:
        self.texts: list[str] = []  # by number; they carry their languages
        self._words = words  # by number; may grow
        self._numbers: dict[str, int] = {}
        self._of: dict[
            str, NDArray[np.int64]
        ] = {}  # by language, then by word; -1 where it was not asked for
        self._table_bytes = 0
        self._heads = np.empty(0, np.uint64)  # by number: the first eight bytes
        self._lock = Lock()

    @property
    def memory(self) -> int:
        """About how many bytes it takes."""
        return self._table_bytes + BYTES_A_STRING * len(self.texts)

    def of(self, words: NDArray[np.uint32], language: str) -> NDArray[np.int64]:
        """The numbers of the terms under which words of this language are indexed."""
        with self._lock:
            known = self._table(language)
            unknown = words[known[words] < 0]
            terms = analyser(language)
            found = [terms[self._words[number]] for number in unknown.tolist()]
            known[unknown] = [number_of(term, self._numbers, self.texts) for term in found]
            return known[words]

    def in_order(self, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same terms roughly in the order of the alphabet: by their first eight bytes."""
        with self._lock:
            new = [text.encode("utf-8", "surrogatepass") for text in self.texts[len(self._heads) :]]
            heads = np.array(new, np.dtype("S8")).view(">u8").astype(np.uint64)
            self._heads = np.concatenate((self._heads, heads))
            return terms[np.argsort(self._heads[terms])]

    def _table(self, language: str) -> NDArray[np.int64]:
        table = self._of.get(language, np.empty(0, np.int64))
        if len(table) < len(self._words):
            size = len(self._words) * 5 // 4
            self._table_bytes += 8 * (size - len(table))
            table = self._of[language] = np.pad(table, (0, size - len(table)), constant_values=-1)
        return table
