"""Is one way of answering better than another, or was it luck? Two tests over the same queries.

With d(q) what query q gained and n queries:

    paired t-test        t = mean(d) / (s / sqrt(n)), s the standard deviation of d; p from Student's
                         distribution with n - 1 degrees of freedom, which also gives the interval
    randomisation test   if both were alike, each d(q) might as well have the other sign: p is the part of
                         all 2^n choices of signs whose sum is as far from 0 as the one seen, or farther

Up to 16 queries that differ, all choices are counted; beyond that 100,000 random ones, the same in every
run, and p is (1 + those as far) / (1 + all). Both p are two-sided. References: Student, "The probable error
of a mean", Biometrika 6, 1908; Fisher, "The Design of Experiments", 1935, section 21; Smucker, Allan,
Carterette, "A comparison of statistical significance tests for information retrieval evaluation", CIKM
2007.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.evaluate.measures import PerQuery

CONFIDENCE = 0.95
COUNTED = 16  # queries that differ, up to which every choice of signs is looked at
SAMPLES = 100_000
AT_ONCE = 1 << 22  # signs that are held at the same time
SAME = 1e-9  # values nearer than this are one: sums of the same numbers differ in their last bits

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What changed over the same queries, from before to after."""

    queries: int
    before: float  # means
    after: float
    low: float  # the interval of the difference
    high: float
    wins: int  # queries that became better
    losses: int
    t: float
    p_t: float
    p_randomised: float

    @property
    def difference(self) -> float:
        return self.after - self.before


def compare(before: PerQuery, after: PerQuery, measure: str) -> Comparison:
    """One measure of the queries that both answered; there must be one."""
    both = [query for query in after if query in before]
    return compare_values(
        [before[query][measure] for query in both], [after[query][measure] for query in both]
    )


def compare_values(before: Sequence[float], after: Sequence[float]) -> Comparison:
    """Two rows of values, of the same queries in the same order.

    >>> found = compare_values([0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.4, 0.4])
    >>> found.wins, found.losses, found.p_randomised
    (3, 0, 0.25)
    """
    one, other = np.array(before, np.float64), np.array(after, np.float64)
    gains = np.where(np.abs(other - one) < SAME, 0.0, other - one)
    t, p, reach = _student(gains)
    mean = float(gains.mean())
    return Comparison(
        len(gains), float(one.mean()), float(other.mean()), mean - reach, mean + reach,
        int((gains > 0).sum()), int((gains < 0).sum()), t, p, randomised(gains),
    )  # fmt: skip


def _student(gains: Floats) -> tuple[float, float, float]:
    """t, its p, and how far the interval reaches to both sides of the mean."""
    from scipy.special import stdtr, stdtrit

    n, mean = len(gains), float(gains.mean())
    if n < 2:
        return 0.0, 1.0, math.inf
    error = float(gains.std(ddof=1)) / math.sqrt(n)
    if error < SAME:  # every query gained the same
        return (math.copysign(math.inf, mean), 0.0, 0.0) if abs(mean) >= SAME else (0.0, 1.0, 0.0)
    t = mean / error
    return t, float(2 * stdtr(n - 1, -abs(t))), float(stdtrit(n - 1, (1 + CONFIDENCE) / 2)) * error


def randomised(gains: Floats) -> float:
    """The p of the randomisation test."""
    sizes = np.abs(gains[gains != 0])
    seen = abs(float(gains.sum())) - SAME
    if len(sizes) <= COUNTED:
        sums = np.zeros(1)
        for size in sizes:
            sums = np.concatenate((sums + size, sums - size))
        return float((np.abs(sums) >= seen).mean())
    chance = np.random.default_rng(0)
    as_far, left = 0, SAMPLES
    while left > 0:
        some = min(left, max(1, AT_ONCE // len(sizes)))
        signs = chance.integers(0, 2, (some, len(sizes)), np.int8)
        sums = 2 * (signs @ sizes) - sizes.sum()
        as_far += int((np.abs(sums) >= seen).sum())
        left -= some
    return (1 + as_far) / (1 + SAMPLES)
