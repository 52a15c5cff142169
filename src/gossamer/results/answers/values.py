"""What is a number that was computed: exact, rounded, a percentage, a multiple of pi?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

MOST_BITS = 20_000  # of an exact number
NOISE = Fraction(1, 2**50)  # what is so much smaller than what it was computed from is a rounding error


class NoValue(Exception):
    """What was typed is no expression, or one whose value is beyond measure."""


class DividedByZero(NoValue):
    """It would have a value, had it not divided by zero."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number, and whether it is exactly so."""

    number: Fraction
    exact: bool = True
    percent: bool = False
    of_pi: Fraction | None = None  # the number stands for exactly so many times pi

    def __post_init__(self) -> None:
        if self.number.numerator.bit_length() + self.number.denominator.bit_length() > MOST_BITS:
            raise NoValue


def times_pi(of_pi: Fraction) -> Value:
    """So many times pi, from which sines are known exactly."""
    return Value(of_pi * Fraction(math.pi), exact=False, of_pi=of_pi)


def added(left: Value, right: Value, factor: Fraction) -> Value:
    """left + factor * right; a rounding error that is left of two numbers that should be the same is 0."""
    behind = factor * right.number
    number, exact = left.number + behind, left.exact and right.exact
    if not exact and abs(number) <= NOISE * abs(behind):
        number = Fraction(0)
    of_pi = None
    if left.of_pi is not None and right.of_pi is not None:
        of_pi = left.of_pi + factor * right.of_pi
    return Value(number, exact, left.percent and right.percent, of_pi)


def inexact(compute: Callable[[], float]) -> Value:
    """What floating point gives."""
    try:
        found = compute()
    except (ValueError, OverflowError):
        raise NoValue from None
    if not isinstance(found, float) or not math.isfinite(found):
        raise NoValue
    return Value(Fraction(found), exact=False)


CONSTANTS = {
    "pi": times_pi(Fraction(1)),
    "π": times_pi(Fraction(1)),
    "e": Value(Fraction(math.e), exact=False),
    "tau": times_pi(Fraction(2)),
    "phi": Value(Fraction((1 + math.sqrt(5)) / 2), exact=False),
}
