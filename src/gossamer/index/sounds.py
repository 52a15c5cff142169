"""Which terms of a segment sound like this one?

The codes of all terms are computed when a segment is first asked, and kept as hashes in order: twelve bytes
a term. What a hash finds is compared by the code itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary import Dictionary
from gossamer.text.analysis import MARK
from gossamer.text.sounds import Way, code
from gossamer.text.strings import CODING


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
        return code(stem, language, self.way), language


def sounds_of(dictionary: Dictionary, way: Way) -> Sounds:
    """The terms of a dictionary by how they sound."""
    found = np.fromiter(_hashes(dictionary, way), np.dtype((np.int64, 2)))
    order = np.argsort(found[:, 0], kind="stable")
    return Sounds(dictionary, way, found[order, 0], found[order, 1].astype(np.uint32))


def _hashes(dictionary: Dictionary, way: Way) -> Iterator[tuple[int, int]]:
    for number, key in enumerate(dictionary.keys(range(len(dictionary)))):
        stem, _, language = key.decode(*CODING).partition(MARK)
        if sound := code(stem, language, way):
            yield hash((sound, language)), number
