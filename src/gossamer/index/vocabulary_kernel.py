# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""How is each term written most often?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel

MARK, SPACE, LINE_FEED = 0x1F, ord(" "), ord("\n")
ONE = np.uint64(1)


@kernel
def most_frequent(
    term_of_word: NDArray[np.uint32], counts: NDArray[np.int64], terms: int
) -> NDArray[np.uint32]:
    """The word of each term that occurs most often; of several the last one."""
    best = np.zeros(terms, np.uint32)
    highest = np.full(terms, -1, np.int64)
    for word in range(len(term_of_word)):
        term = term_of_word[word]
        if counts[word] >= highest[term]:
            highest[term] = counts[word]
            best[term] = word
    return best


@kernel
def write_forms(
    terms: NDArray[np.uint8],
    term_bounds: NDArray[np.int64],
    order: NDArray[np.uint32],
    words: NDArray[np.uint8],
    word_bounds: NDArray[np.int64],
    word_of_term: NDArray[np.uint32],
) -> NDArray[np.uint8]:
    """The word of each term in a line; the line is empty where the word is the stem.

    A space before a word, which keeps it apart from runs, does not belong to it.
    """
    size = len(order)
    for word in word_of_term:
        size += word_bounds[word + 1] - word_bounds[word]
    lines = np.empty(size, np.uint8)
    at = np.uint64(0)
    for number in range(len(order)):
        t, t_end = np.uint64(term_bounds[order[number]]), np.uint64(term_bounds[order[number] + 1])
        w = np.uint64(word_bounds[word_of_term[number]])
        end = np.uint64(word_bounds[word_of_term[number] + 1])
        if w < end and words[w] == SPACE:
            w += ONE
        begin = w
        while w < end and t < t_end and words[w] == terms[t]:
            w += ONE
            t += ONE
        if w < end or (t < t_end and terms[t] != MARK):
            for i in range(begin, end):
                lines[at] = words[i]
                at += ONE
        lines[at] = LINE_FEED
        at += ONE
    return lines[:at]
