"""What are the values of powers, roots and functions? Exact where they can be, and bounded in size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

MOST_BITS = 20_000  # of an exact number
LARGEST_FACTORIAL = 1_000
CONSTANTS = {
    "pi": Fraction(math.pi),
    "π": Fraction(math.pi),
    "e": Fraction(math.e),
    "tau": Fraction(math.tau),
    "phi": Fraction((1 + math.sqrt(5)) / 2),
}


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

    def __post_init__(self) -> None:
        if self.number.numerator.bit_length() + self.number.denominator.bit_length() > MOST_BITS:
            raise NoValue


def power(base: Value, exponent: Value) -> Value:
    """base^exponent: exact for whole exponents that keep it short, else as a fraction of 53 bits."""
    whole = exponent.number.denominator == 1
    if not base.number and exponent.number < 0:
        raise DividedByZero
    bits = max(base.number.numerator.bit_length(), base.number.denominator.bit_length())
    if whole and bits * abs(exponent.number) <= MOST_BITS:
        return Value(base.number**exponent.number.numerator, base.exact and exponent.exact)
    if exponent.number == Fraction(1, 2):
        return _root(base)
    return _inexact(lambda: math.pow(base.number, exponent.number))


def _root(value: Value) -> Value:
    """Exact where numerator and denominator are squares."""
    number = value.number
    if number < 0:
        raise NoValue
    up, down = math.isqrt(number.numerator), math.isqrt(number.denominator)
    if up * up == number.numerator and down * down == number.denominator:
        return Value(Fraction(up, down), value.exact)
    return _inexact(lambda: math.sqrt(number))


def factorial(value: Value) -> Value:
    if value.number.denominator != 1 or not 0 <= value.number <= LARGEST_FACTORIAL:
        raise NoValue
    return Value(Fraction(math.factorial(value.number.numerator)), value.exact)


def _inexact(compute: Callable[[], float]) -> Value:
    try:
        found = compute()
    except (ValueError, OverflowError):
        raise NoValue from None
    if not isinstance(found, float) or not math.isfinite(found):
        raise NoValue
    return Value(Fraction(found), exact=False)


def _real(function: Callable[[float], float]) -> Callable[[Sequence[Value]], Value]:
    """Of one argument, in floating point; what should be 0 and is a rounding error becomes 0."""

    def applied(values: Sequence[Value]) -> Value:
        only = _one(values).number
        found = _inexact(lambda: function(float(only)))
        return Value(Fraction(0), exact=False) if abs(found.number) < 1e-15 else found

    return applied


def _whole(function: Callable[[Fraction], int]) -> Callable[[Sequence[Value]], Value]:
    return lambda values: Value(Fraction(function(_one(values).number)), values[0].exact)


def _of_all(function: Callable[..., Fraction]) -> Callable[[Sequence[Value]], Value]:
    return lambda values: Value(function(*[one.number for one in values]), all(one.exact for one in values))


def _divisors(function: Callable[..., int]) -> Callable[..., Fraction]:
    def applied(*numbers: Fraction) -> Fraction:
        if any(number.denominator != 1 for number in numbers):
            raise NoValue
        return Fraction(function(*[number.numerator for number in numbers]))

    return applied


def _one(values: Sequence[Value]) -> Value:
    if len(values) != 1:
        raise NoValue
    return values[0]


FUNCTIONS: dict[str, Callable[[Sequence[Value]], Value]] = {
    "sqrt": lambda values: _root(_one(values)),
    "cbrt": _real(math.cbrt),
    "abs": lambda values: Value(abs(_one(values).number), values[0].exact),
    "ln": _real(math.log),
    "log": _real(math.log10),
    "log2": _real(math.log2),
    "exp": _real(math.exp),
    "sin": _real(math.sin),
    "cos": _real(math.cos),
    "tan": _real(math.tan),
    "asin": _real(math.asin),
    "acos": _real(math.acos),
    "atan": _real(math.atan),
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "round": _whole(round),
    "min": _of_all(lambda *numbers: min(numbers)),
    "max": _of_all(lambda *numbers: max(numbers)),
    "gcd": _of_all(_divisors(math.gcd)),
    "lcm": _of_all(_divisors(math.lcm)),
}
