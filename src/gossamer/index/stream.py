"""Which words have come, one after the other, as numbers? It grows until a segment is made of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import renumber

# Words in a piece. So much memory is asked of the system when it is touched, and given back when it is freed.
PIECE = 1 << 24


class Stream:
    """Words in, terms out. Pieces, so that what has come is never moved when more comes."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._full: list[NDArray[np.uint32]] = []
        self._piece = np.empty(0, np.uint32)
        self._used = 0  # of the piece
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, words: NDArray[np.uint32]) -> None:
        end = self._used + len(words)
        if end > len(self._piece):
            self._full.append(self._piece[: self._used])
            self._piece, self._used, end = np.empty(max(PIECE, len(words)), np.uint32), 0, len(words)
        self._piece[self._used : end] = words
        self._used = end
        self._count += len(words)

    def drain(self, term_of_word: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The terms of all words, and how often each word came. The stream is empty afterwards."""
        terms, counts = np.empty(len(self), np.uint32), np.zeros(len(term_of_word), np.int64)
        pieces = [*self._full, self._piece[: self._used]]
        self._start()
        begin = 0
        while pieces:
            words = pieces.pop(0)  # its memory is free before the terms of the next one take as much
            renumber(words, term_of_word, counts, terms[begin : begin + len(words)])
            begin += len(words)
        return terms, counts
