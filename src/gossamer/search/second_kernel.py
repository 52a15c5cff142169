# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator"
"""Full scores of documents, as `second` has the formulas, for queries of a few words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel
from gossamer.search.bounds_kernel import lower_bound


@kernel
def add_said(
    pages: NDArray[np.uint64],
    said_pages: NDArray[np.uint64],
    said: NDArray[np.float64],
    share: float,
    frequencies: NDArray[np.float64],
) -> None:
    """Adds what links say of pages to their frequencies; `said_pages` rise, said has a row for each."""
    for row in range(len(pages)):
        place = lower_bound(said_pages, 0, len(said_pages), pages[row])
        if place < len(said_pages) and said_pages[place] == pages[row]:
            for word in range(said.shape[1]):
                frequencies[row, word] += share * said[place, word]


@kernel
def weigh(
    frequencies: NDArray[np.float64],
    distances: NDArray[np.float64],
    weights: NDArray[np.float64],
    k1: float,
    proximity: float,
    words: NDArray[np.float64],
    close: NDArray[np.float64],
) -> None:
    """Fills in what each word adds, and what words add that stand close together."""
    for row in range(len(frequencies)):
        together = 0.0
        for word in range(len(weights)):
            frequency = frequencies[row, word]
            words[row, word] = weights[word] * frequency / (k1 + frequency)
            if word > 0:
                distance = distances[row, word - 1]
                together += min(weights[word - 1], weights[word]) / (distance * distance)
        close[row] = proximity * together
