"""How alike are results, by the words with which they begin?

A result is a vector with a component for each term that at least one other result holds too:

    x(t, d) = (1 + ln tf(t, d)) * idf(t)        s(a, b) = x(a) . x(b) / (|x(a)| |x(b)|)

tf counts a word of the title as `TITLE` words. Terms of the query tell results apart as little as function
words do, and as terms that most results hold: they weigh nothing. Everything is a whole number, so that
compiled code and arrays agree to the last bit. Reference: Salton, Buckley, "Term-weighting approaches in
automatic text retrieval", Information Processing & Management 24, 1988.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernels_are_loaded
from gossamer.results.clustering import ONE, Likenesses
from gossamer.results.likeness_kernel import ALONE, compare, find_shared

TITLE = 3  # words of the text that one of the title counts for
MOST_SHARE = 0.7  # of the results: what more of them hold tells nothing
IDF_ONE = 1 << 10  # an idf of 1
# 1 + ln tf as whole numbers; what comes more often counts as the last.
LOGS = np.array([0, *(round(64 * (1 + math.log(tf))) for tf in range(1, 256))], np.int64)

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Shared:
    """The words of results, as numbers of terms that at least two of them hold.

    Result r has the words of its title from starts[2 r] to before starts[2 r + 1], and behind them those of
    its text until starts[2 r + 2].
    """

    terms: (
        Numbers  # of each word, from 0 in the order in which they first come; ALONE where no other holds it
    )
    starts: Numbers
    names: Numbers  # of each term: what it is called outside
    results: Numbers  # of each term: how many results hold it

    def __len__(self) -> int:
        """How many results there are."""
        return len(self.starts) // 2


def shared(names: Numbers | NDArray[np.uint32], starts: Numbers) -> Shared:
    """The words of results, each named by its term."""
    if not kernels_are_loaded():
        return _shared_without_kernel(names, starts)
    slots = np.full(1 << len(names).bit_length(), ALONE)
    terms, own, results = (np.empty(len(names), np.int64) for _ in range(3))
    count = find_shared(names, starts, slots, terms, own, results)
    return Shared(terms, starts, own[:count].copy(), results[:count].copy())


def _shared_without_kernel(names: Numbers | NDArray[np.uint32], starts: Numbers) -> Shared:
    rows = np.repeat(np.arange(len(starts) // 2), np.diff(starts[::2]))
    pairs = dict.fromkeys(zip(rows.tolist(), names.tolist(), strict=True))
    counts: dict[int, int] = {}
    for _, name in pairs:
        counts[name] = counts.get(name, 0) + 1
    numbers = {name: n for n, name in enumerate([name for name, count in counts.items() if count > 1])}
    terms = np.array([numbers.get(name, ALONE) for name in names.tolist()], np.int64)
    results = np.array([counts[name] for name in numbers], np.int64)
    return Shared(terms, starts, np.array(list(numbers), np.int64), results)


def weighed(words: Shared, idf: NDArray[np.float64]) -> Numbers:
    """What the terms weigh, where this is how rare they are; nothing where it is 0."""
    common = words.results > MOST_SHARE * len(words)
    return np.where(common, 0, np.rint(idf * IDF_ONE)).astype(np.int64)


def are_among(names: Numbers, some: Numbers) -> NDArray[np.bool_]:
    """Which of the names are some of these."""
    if not len(some):
        return np.zeros(len(names), np.bool_)
    rising = np.sort(some)
    among: NDArray[np.bool_] = rising.take(np.searchsorted(rising, names), mode="clip") == names
    return among


def likenesses(words: Shared, weights: Numbers) -> Likenesses:
    """The cosine of every two results, in `ONE`ths."""
    if not kernels_are_loaded():
        return _likenesses_without_kernel(words, weights)
    between = np.zeros((len(words), len(words)), np.int64)
    compare(words.terms, words.starts, words.results, weights, LOGS, TITLE, ONE, between)
    return between


def _likenesses_without_kernel(words: Shared, weights: Numbers) -> Likenesses:
    stretches = np.repeat(np.arange(len(words.starts) - 1), np.diff(words.starts))
    held = words.terms != ALONE
    counts = np.zeros((len(words), len(weights)), np.int64)
    each = np.where(stretches % 2, 1, TITLE)
    np.add.at(counts, (stretches[held] // 2, words.terms[held]), each[held])
    vectors = LOGS[counts.clip(max=len(LOGS) - 1)] * weights
    norms = np.sqrt((vectors * vectors).sum(axis=1).astype(np.float64))
    product = np.outer(norms, norms)
    cosines = np.divide(vectors @ vectors.T, product, out=np.zeros_like(product), where=product > 0)
    between: Likenesses = np.rint(cosines * ONE).astype(np.int64)
    return between
