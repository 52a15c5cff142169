"""Which terms of a segment sound like this one?

The codes of all terms are computed when a segment is first asked, and kept as hashes in order: twelve bytes
a term. What a hash finds is compared by the code itself.

A term sounds as people write it most often. Its stem may have lost what tells it from others: German and many
of its neighbours leave "mey" of Meyer, which sounds like "neu". English stems only lose real endings, and
stand for all of their forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import Dictionary
from gossamer.text.analysis import MARK, fold
from gossamer.text.sounds import Way, code
from gossamer.text.strings import CODING

SAFE_STEMS = frozenset({"en"})  # languages whose stems sound as their words do, but for endings


@dataclass(frozen=True, slots=True)
class Sounds:
    """The terms of a dictionary that have a code, in the order of the hashes of their codes."""

    dictionary: Dictionary
    way: Way
    hashes: NDArray[np.int64]
    numbers: NDArray[np.uint32]

    def like(self, sound: str, language: str) -> list[int]:
        """The numbers of all terms of a language with this code."""
        wanted = hash((sound, language))
        first, last = np.searchsorted(self.hashes, [wanted, wanted + 1])
        found = self.numbers[first:last].tolist()
        return [number for number in found if self._sound(number) == (sound, language)]

    def _sound(self, number: int) -> tuple[str, str]:
        stem, _, language = self.dictionary.term(number).partition(MARK)
        return code(spoken_form(stem, self.dictionary.form(number), language), language, self.way), language


def spoken_form(stem: str, written: str, language: str) -> str:
    """What of a word tells how it sounds.

    >>> spoken_form("mull", "müller", "de"), spoken_form("parent", "parents", "en")
    ('muller', 'parent')
    """
    return stem if language in SAFE_STEMS else fold(written)


def sounds_of(dictionary: Dictionary, way: Way) -> Sounds:
    """The terms of a dictionary by how they sound."""
    found = np.fromiter(_hashes(dictionary, way), np.dtype((np.int64, 2)))
    order = np.argsort(found[:, 0], kind="stable")
    return Sounds(dictionary, way, found[order, 0], found[order, 1].astype(np.uint32))


def _hashes(dictionary: Dictionary, way: Way) -> Iterator[tuple[int, int]]:
    forms = dictionary.form_lines.decode(*CODING).split("\n")[:-1]
    keys = dictionary.keys(range(len(dictionary)))
    for number, (key, form) in enumerate(zip(keys, forms, strict=True)):
        stem, _, language = key.decode(*CODING).partition(MARK)
        if sound := code(spoken_form(stem, form or stem, language), language, way):
            yield hash((sound, language)), number
