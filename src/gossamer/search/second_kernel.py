# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator"
"""Full scores of documents, as `second` has the formulas, for queries of a few words.

`score` is all of it in one call: what the documents say, what links say of them, the sums and the static
factors. Between the steps Python would take as long as they do.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import unchecked_kernel
from gossamer.search.bounds_kernel import lower_bound
from gossamer.search.evidence_kernel import gather


@unchecked_kernel
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


@unchecked_kernel
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


@unchecked_kernel
def score(
    docs: NDArray[np.int64],
    order: NDArray[np.int64],
    pages: NDArray[np.uint64],
    terms: NDArray[np.int64],
    word_of: NDArray[np.int64],
    counts: NDArray[np.float64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    weighting: NDArray[np.float64],
    said_pages: NDArray[np.uint64],
    said: NDArray[np.float64],
    near: NDArray[np.float64],
    share: float,
    shared: NDArray[np.float64],
    weights: NDArray[np.float64],
    k1: float,
    proximity: float,
    static: NDArray[np.uint16],
    neutral: float,
    distances: NDArray[np.float64],
    words: NDArray[np.float64],
    sums: NDArray[np.float64],
    factors: NDArray[np.float64],
) -> None:
    """Fills the rows of docs[order], which rise: what each word adds, the sums, and the static factors.

    `words` has zeros there, `distances` is infinite; the arguments up to `weighting` are those of `gather`,
    `said_pages` and `said` those of `add_said`; `near`, if it has rows at all, is what stands near links;
    `shared` is the part of each word that it shares with the one before it, from the second word on: 0 but
    for pieces that overlap; `neutral` is the static factor that changes nothing.
    """
    gather(
        docs,
        order,
        terms,
        word_of,
        counts,
        term_entries,
        entry_ranges,
        entry_postings,
        posting_docs,
        position_blocks,
        positions,
        lengths,
        weighting,
        words,
        distances,
    )
    last = np.int64(len(said_pages))
    for row in order:
        place = last
        if last > 0:
            place = lower_bound(said_pages, 0, last, pages[row])
        speaks = place < last and said_pages[place] == pages[row]
        total, together = 0.0, 0.0
        for word in range(len(weights)):
            links = said[place, word] if speaks else 0.0
            if len(near) > 0:
                links += near[row, word]
            frequency = words[row, word] + share * links
            words[row, word] = weights[word] * frequency / (k1 + frequency)
            overlap = shared[word - 1] if word > 0 else 0.0
            if overlap > 0 and words[row, word - 1] > 0:
                words[row, word] *= 1 - overlap / 2
            total += words[row, word]
            if word > 0 and overlap == 0:
                distance = distances[row, word - 1]
                together += min(weights[word - 1], weights[word]) / (distance * distance)
        sums[row] = total + proximity * together
        factors[row] = static[docs[row]] / neutral
