"""Freshness in closed form (Cho and Garcia-Molina 2003), the measure of an allocation of visits."""

import numpy as np


def expected_freshness(rate, frequency):
    """Return F(r, f), the share of the time in which a copy is up to date; 0 without visits.

    >>> round(float(expected_freshness(1.0, 1.0)), 3)
    0.632
    """
    with np.errstate(divide="ignore", over="ignore"):
        x = np.divide(rate, frequency)
    with np.errstate(invalid="ignore"):
        return np.where(x > 0, -np.expm1(-x) / x, 1.0)


def total_freshness(rates, importances, frequencies):
    return float(np.sum(importances * expected_freshness(rates, frequencies)))
