"""How fresh is a copy that is renewed so often, and what is one more visit worth?

J. Cho and H. Garcia-Molina, "Effective page refresh policies for Web crawlers", ACM Trans. Database Systems
28 (2003). A page that changes at rate r and is visited at regular intervals, f times a second, is up to date
for a share of the time of

    F(r, f) = (f / r) (1 - exp(-r / f))

and a little more visiting gains, with x = r / f changes expected between two visits,

    dF/df = h(x) / r,        h(x) = 1 - (1 + x) exp(-x).

Freshness summed over pages of importance w is highest, for a given number of visits, when w h(x) / r is the
same number mu for all pages that are visited at all. As h < 1, a page with w / r < mu is not: it changes too
often for visits to keep it fresh, and they are better spent elsewhere.
"""

from __future__ import annotations

from math import inf, log1p, sqrt
from typing import overload

import numpy as np
from numpy.typing import NDArray

from gossamer.frontier.freshness.settings import FreshnessSettings

Vector = NDArray[np.float64]

CERTAIN = 1 - 2.0**-53  # the largest float below 1
NEWTON_STEPS = 3  # from the series, enough for 12 digits everywhere


@overload
def expected_freshness(rate: float, frequency: float) -> float: ...
@overload
def expected_freshness(rate: Vector, frequency: Vector) -> Vector: ...
def expected_freshness(rate: float | Vector, frequency: float | Vector) -> float | Vector:
    """The share of the time in which a copy is up to date: F(r, f), 0 for a page that is never visited.

    >>> round(expected_freshness(1.0, 1.0), 3)
    0.632
    """
    with np.errstate(divide="ignore", over="ignore"):
        x = np.divide(rate, frequency)
    with np.errstate(invalid="ignore"):
        fresh = np.where(x > 0, -np.expm1(-x) / x, 1.0)
    return fresh if fresh.ndim else float(fresh)


def changes_between(gain: Vector) -> Vector:
    """The x with h(x) = gain, for gains from 0 to below 1.

    With L = -log(1 - gain) it is the root of x - log(1 + x) = L (a branch of Lambert's W): the series
    s + s^2/3 + s^3/36 in s = sqrt(2 L), then Newton's method.
    """
    target = -np.log1p(-gain)
    s = np.sqrt(2 * target)
    x = s + s**2 / 3 + s**3 / 36
    for _ in range(NEWTON_STEPS):
        with np.errstate(divide="ignore", invalid="ignore"):
            step = (x - np.log1p(x) - target) * (1 + x) / x
        x = np.where(s > 1e-4, x - step, x)
    return np.asarray(x, np.float64)


def interval(rate: float, importance: float, mu: float, settings: FreshnessSettings) -> float:
    """Seconds until a page should be visited again, when one more visit anywhere gains mu.

    `mu` comes from the latest `allocation.allocate` over all pages. Between two of those it changes slowly,
    so each page can be scheduled by itself: the same frequency as there, within the owner's bounds.
    """
    gain = mu * rate / importance if importance > 0 else inf
    longest = settings.most_interval
    seconds = _changes_between(gain) / rate if gain < 1 else longest
    return min(max(seconds, settings.least_interval), longest)


def _changes_between(gain: float) -> float:
    """`changes_between` of one number, twenty times as fast."""
    target = -log1p(-gain)
    s = sqrt(2 * target)
    x = s + s**2 / 3 + s**3 / 36
    if s > 1e-4:
        for _ in range(NEWTON_STEPS):
            x -= (x - log1p(x) - target) * (1 + x) / x
    return x
