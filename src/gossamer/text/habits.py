"""How much does this look like a word, by the letters that follow each other in words?

A word that is in no list may be a new one or a wrong one. New ones are made as others are; a model of three
letters tells how likely such a row of letters is:

    strangeness(w) = - sum over i of ln p(w_i | w_(i-2) w_(i-1))

with the edges of the word as letters, and p smoothed by the model of two letters, that by the model of one
(Dirichlet, with `PRIOR` letters of the smaller model). Letters have 5 bits, which scripts share: words do not
mix them. C. E. Shannon, Prediction and entropy of printed English, Bell System Technical Journal 30, 1951.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.text.channel import OTHER, channel, coded

BITS = 5
SIZE = 1 << BITS
PRIOR = 5.0

Habits = NDArray[np.float32]  # ln p by the letter, the one before it and the one before that


def slots_of(letters: NDArray[np.uint16]) -> NDArray[np.int64]:
    """A letter as a number below `SIZE`, the same with diacritics and without; none of Latin is 0 or 1."""
    numbers = channel().numbers[letters]
    slots: NDArray[np.int64] = np.where(numbers > OTHER, numbers, letters).astype(np.int64) & (SIZE - 1)
    return slots


def habits_of(letters: NDArray[np.uint16], bounds: NDArray[np.int64]) -> Habits:
    """What words, each letters[bounds[i] : bounds[i + 1]], have taught."""
    marked = _with_edges(slots_of(letters), bounds)
    keys = (marked[:-2] << BITS | marked[1:-1]) << BITS | marked[2:]
    threes = np.bincount(keys, minlength=SIZE**3).astype(np.float64).reshape(SIZE, SIZE, SIZE)
    threes[:, 0, 0] = 0  # between two words
    twos = threes.sum(axis=0)
    ones = (twos.sum(axis=0) + 1) / (twos.sum() + SIZE)
    pairs = (twos + PRIOR * ones) / (twos.sum(axis=1, keepdims=True) + PRIOR)
    habits: Habits = np.log((threes + PRIOR * pairs) / (threes.sum(axis=2, keepdims=True) + PRIOR)).astype(
        np.float32
    )
    return habits


def _with_edges(slots: NDArray[np.int64], bounds: NDArray[np.int64]) -> NDArray[np.int64]:
    """All words with two edges before each, and two behind the last."""
    words = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    marked = np.zeros(len(slots) + 2 * len(bounds), np.int64)
    marked[np.arange(len(slots)) + 2 * (words + 1)] = slots
    return marked


def strangeness(habits: Habits, word: str) -> float:
    """How unlikely a word is, as a negative logarithm."""
    row = [0, 0, *slots_of(coded(word)).tolist(), 0]
    return -float(sum(habits[three] for three in zip(row, row[1:], row[2:], strict=False)))
