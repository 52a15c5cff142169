"""Which runs of words do many titles have in common?

A run of one to three words that stands in at least `LEAST` different titles, and neither begins nor ends with
a function word, is something that people look for. A shorter run that hardly ever stands outside of a longer
one is left out: nobody looks for "york stock".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from gossamer.text.words import joined

LEAST = 3  # titles that have the run
MOST = 200_000  # runs, the most frequent
WITHIN = 0.8  # the share of a run's places within one longer run, from which it is left out
SHORTEST = 2  # characters of a word that tells something

Codes = NDArray[np.uint64]


def frequent_runs(
    tokens: Codes, sizes: NDArray[np.int64], forms: Sequence[str], stop_words: Collection[str]
) -> list[tuple[str, int]]:
    """The runs as they are written, and in how many places they stand, the most frequent first.

    Titles are numbers into `forms` one behind the other; `sizes` says how many each has.
    """
    tells = np.array([_tells(form, stop_words) for form in forms], np.bool_)
    runs = [_counted(tokens, sizes, tells, length) for length in (1, 2, 3)]
    shown = sorted(_outside(runs), key=lambda one: (-one[1], len(one[0])))[:MOST]
    return [(joined([forms[word] for word in own]), count) for own, count in shown]


def _tells(form: str, stop_words: Collection[str]) -> bool:
    return len(form) >= SHORTEST and not form.isdigit() and form not in stop_words


def _counted(
    tokens: NDArray[np.uint64], sizes: NDArray[np.int64], tells: NDArray[np.bool_], length: int
) -> dict[tuple[int, ...], int]:
    """The frequent runs of so many words."""
    places = _begins(sizes, length)
    if not len(places):
        return {}
    told = tells[tokens[places].astype(np.int64)] & tells[tokens[places + length - 1].astype(np.int64)]
    rows = np.stack([tokens[places[told] + step] for step in range(length)], axis=1)
    codes = _codes(rows, len(tells))
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    kept = counts >= LEAST
    found = zip(rows[first[kept]].tolist(), counts[kept].tolist(), strict=True)
    return {tuple(run): count for run, count in found}


def _begins(sizes: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """The places at which a run of so many words begins that ends in the same title."""
    fits = np.maximum(sizes - length + 1, 0)
    firsts = np.cumsum(sizes) - sizes
    within = np.arange(int(fits.sum())) - np.repeat(np.cumsum(fits) - fits, fits)
    begins: NDArray[np.int64] = np.repeat(firsts, fits) + within
    return begins


def _codes(rows: Codes, words: int) -> Codes:
    """One number for each run; three words of two million fit into 64 bits, beyond that some coincide."""
    codes = rows[:, 0].copy()
    for column in range(1, rows.shape[1]):
        codes = codes * np.uint64(max(words, 1)) + rows[:, column]
    return codes


def _outside(runs: Sequence[dict[tuple[int, ...], int]]) -> list[tuple[tuple[int, ...], int]]:
    """The runs that often enough stand outside of any one longer run."""
    within: dict[tuple[int, ...], int] = {}
    for longer in runs[1:]:
        for run, count in longer.items():
            for part in (run[1:], run[:-1]):
                within[part] = max(within.get(part, 0), count)
    every = [one for own in runs for one in own.items()]
    return [(run, count) for run, count in every if within.get(run, 0) < WITHIN * count]
