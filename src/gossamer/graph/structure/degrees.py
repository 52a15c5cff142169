"""Degree distributions and power-law fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import erfc, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Degrees:
    """A degree distribution: `counts[i]` pages have `values[i]` links."""

    values: NDArray[np.int64]  # ascending, from 1
    counts: NDArray[np.int64]
    without: int  # pages without links

    @property
    def pages(self) -> int:
        return self.without + int(self.counts.sum())

    @property
    def mean(self) -> float:
        return float(self.values @ self.counts) / max(self.pages, 1)

    @property
    def highest(self) -> int:
        return int(self.values[-1]) if len(self.values) else 0

    def at_least(self) -> NDArray[np.float64]:
        """Return for each value the share of all pages that have at least that many links."""
        return self.counts[::-1].cumsum()[::-1] / max(self.pages, 1)


def degrees(of_pages: NDArray[Any]) -> Degrees:
    """Compute the distribution from the number of links of each page."""
    found = np.bincount(of_pages.astype(np.int64), minlength=1)
    values = np.flatnonzero(found[1:]) + 1
    return Degrees(values, found[values], int(found[0]))


# Power-law fit (Clauset)
# -----------------------
#
# A. Clauset, C. R. Shalizi, M. E. J. Newman, "Power-law distributions in empirical data", SIAM Review
# 51, 2009. From x_min on, with Hurwitz' zeta function,
#
#     p(x) = x^-a / zeta(a, x_min)
#
# The exponent a has the maximum likelihood; x_min minimises the Kolmogorov-Smirnov distance D between
# the fitted and the observed distribution (for up to 40 values of x_min, at up to 200 values of x).
# The goodness of fit p is measured with samples drawn from the fitted law (below x_min, from the data)
# and fitted in the same way: p is the share of samples with a distance of at least D from their own
# fit. The authors reject a power law if p is 0.1 or less. The tail is also compared with a log-normal,
# by the likelihood ratio (Q. H. Vuong, Econometrica 57, 1989).

LEAST_TAIL = 50  # numbers in the tail: with fewer, nearly everything looks like a power law
LEAST_VALUES = 5  # distinct values in the tail
MOST_STARTS, MOST_VALUES = 40, 200  # of x_min, and of x
STEEPEST = 12.0  # largest exponent
ROUNDS = 40  # of bisection: gives the exponent to 10 digits
SAMPLES = 100
GIVEN_UP = 0.1  # p up to which the law is rejected
EXACT = 1 << 14  # values of a sample that are drawn with their exact probability
LARGEST = 1e15  # of a sample
CLEAR = 0.1  # a likelihood ratio is significant if its p is at most this
Numbers = NDArray[np.int64]
Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """A power law, and the distance of the data from it."""

    exponent: float
    x_min: int
    distance: float


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """The best power-law fit, and how good it is."""

    exponent: float
    error: float  # standard deviation of the exponent
    x_min: int
    tail: int  # how many numbers are x_min or more
    distance: float
    p: float  # share of samples of the law that are at least as far from their fit
    plausible: bool
    rival: str  # which describes the tail better: "power law", "log-normal" or "neither"


def power_law(found: Degrees, samples: int = SAMPLES, seed: int = 1) -> PowerLaw | None:
    """Fit a power law to a distribution; None if there are too few numbers."""
    best = fit(found.values, found.counts)
    if best is None:
        return None
    inside = found.values >= best.x_min
    values, counts = found.values[inside], found.counts[inside]
    tail = int(counts.sum())
    error = (best.exponent - 1) / sqrt(tail)
    p = _p(found.values, found.counts, best, samples, np.random.default_rng(seed))
    rival = _rival(_against_log_normal(values, counts, best))
    return PowerLaw(best.exponent, error, best.x_min, tail, best.distance, p, p > GIVEN_UP, rival)


def _rival(ratio: float) -> str:
    """Return which of power law and log-normal describes the tail significantly better, or "neither"."""
    if erfc(abs(ratio) / sqrt(2)) > CLEAR:
        return "neither"
    return "power law" if ratio > 0 else "log-normal"


def fit(values: Numbers, counts: Numbers) -> Fit | None:
    """Return the power law with the smallest distance from the data; None if there is too little data."""
    tails = counts[::-1].cumsum()[::-1]
    last = min(int(np.count_nonzero(tails >= LEAST_TAIL)), len(values) - LEAST_VALUES + 1)
    if last < 1:
        return None
    starts = thinned(last, MOST_STARTS)
    logs = (np.log(values) * counts)[::-1].cumsum()[::-1]
    exponents = _exponents(values[starts], logs[starts] / tails[starts])
    fits = [
        Fit(float(exponent), int(values[start]), _distance(values[start:], counts[start:], float(exponent)))
        for start, exponent in zip(starts, exponents, strict=True)
    ]
    return min(fits, key=lambda one: one.distance)


def survival(exponent: float, x_min: int, values: Vector | Numbers) -> Vector:
    """Return the probability under the law of numbers at least as large as each value."""
    from scipy.special import zeta

    shares: Vector = zeta(exponent, values) / zeta(exponent, x_min)
    return shares


def thinned(count: int, most: int) -> Numbers:
    """Return the places 0 to count - 1; if these are more than `most`, a logarithmic selection."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.geomspace(1, count, most).round().astype(np.int64)) - 1


def _exponents(x_min: Numbers, mean_log: Vector) -> Vector:
    """Return the maximum-likelihood exponents, where -d/da ln zeta(a, x_min) is the mean of ln x.

    Found by bisection, since the derivative decreases in a.
    """
    from scipy.special import zeta

    step = 1e-6
    low, high = np.full(len(x_min), 1.0 + 1e-4), np.full(len(x_min), STEEPEST)
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        slope = np.log(zeta(middle - step, x_min) / zeta(middle + step, x_min)) / (2 * step)
        low, high = np.where(slope > mean_log, middle, low), np.where(slope > mean_log, high, middle)
    found: Vector = (low + high) / 2
    return found


def _distance(values: Numbers, counts: Numbers, exponent: float) -> float:
    below = counts.cumsum() / counts.sum()
    chosen = thinned(len(values), MOST_VALUES)
    fitted = 1 - survival(exponent, int(values[0]), values[chosen] + 1)
    return float(np.abs(below[chosen] - fitted).max())


def _p(values: Numbers, counts: Numbers, best: Fit, samples: int, rng: np.random.Generator) -> float:
    draw = _sampling(values, counts, best, rng)
    fits = [fit(*draw()) for _ in range(samples)]
    return sum(one is not None and one.distance >= best.distance for one in fits) / max(samples, 1)


def _sampling(
    values: Numbers, counts: Numbers, best: Fit, rng: np.random.Generator
) -> Callable[[], tuple[Numbers, Numbers]]:
    """Return a function that draws a sample of the same size: from the law, below x_min from the data."""
    body = values < best.x_min
    total, small = int(counts.sum()), int(counts[body].sum())
    exact = np.arange(best.x_min, best.x_min + EXACT)
    above = survival(best.exponent, best.x_min, np.append(exact, exact[-1] + 1))
    chances = np.append(-np.diff(above), above[-1])

    def draw() -> tuple[Numbers, Numbers]:
        tail = int(rng.binomial(total, 1 - small / total))
        drawn = rng.multinomial(tail, chances)
        # Beyond the table, approximate the law by a continuous one.
        far = (exact[-1] + 0.5) * (1 - rng.random(int(drawn[-1]))) ** (-1 / (best.exponent - 1)) + 0.5
        rare, often = np.unique(np.minimum(far, LARGEST).astype(np.int64), return_counts=True)
        lower = rng.multinomial(total - tail, counts[body] / small) if small else counts[:0]
        all_values = np.concatenate([values[body], exact, rare])
        all_counts = np.concatenate([lower, drawn[:-1], often])
        return all_values[all_counts > 0], all_counts[all_counts > 0]

    return draw


def _against_log_normal(values: Numbers, counts: Numbers, best: Fit) -> float:
    """Return the normalised log-likelihood ratio; above 0 if the power law is better."""
    from scipy.optimize import minimize
    from scipy.special import zeta

    own = -best.exponent * np.log(values) - np.log(zeta(best.exponent, best.x_min))
    begin = np.array([np.average(np.log(values), weights=counts), 0.0])
    rival = minimize(lambda at: -(_log_normal(values, at) @ counts), begin, method="Nelder-Mead")
    gains = own - _log_normal(values, rival.x)
    total = counts.sum()
    mean = gains @ counts / total
    spread = sqrt(max((gains - mean) ** 2 @ counts / total, 1e-300))
    return float(mean * sqrt(total) / spread)


def _log_normal(values: Numbers, at: Vector) -> Vector:
    """Return the log-probabilities of integers under a log-normal truncated below the first value."""
    from scipy.special import log_ndtr

    mean, spread = at[0], np.exp(np.clip(at[1], -3, 3))
    low = log_ndtr(-(np.log(values - 0.5) - mean) / spread)
    high = log_ndtr(-(np.log(values + 0.5) - mean) / spread)
    between: Vector = low + np.log1p(-np.exp(np.minimum(high - low, -1e-12))) - low[0]
    return between
