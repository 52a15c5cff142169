"""What are the values of powers, roots and functions? Exact where they can be, and bounded in size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from gossamer.results.answers.angles import cosine, sine, tangent
from gossamer.results.answers.values import MOST_BITS, DividedByZero, NoValue, Value, inexact

LARGEST_FACTORIAL = 1_000


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
    return inexact(lambda: math.pow(base.number, exponent.number))


def _root(value: Value) -> Value:
    """Exact where numerator and denominator are squares."""
    number = value.number
    if number < 0:
        raise NoValue
    up, down = math.isqrt(number.numerator), math.isqrt(number.denominator)
    if up * up == number.numerator and down * down == number.denominator:
        return Value(Fraction(up, down), value.exact)
    return inexact(lambda: math.sqrt(number))


def _cube_root(value: Value) -> Value:
    """Exact where numerator and denominator are cubes."""
    found = inexact(lambda: math.cbrt(float(value.number)))
    root = found.number.limit_denominator(10**6)
    return Value(root, value.exact) if root**3 == value.number else found


def factorial(value: Value) -> Value:
    if value.number.denominator != 1 or not 0 <= value.number <= LARGEST_FACTORIAL:
        raise NoValue
    return Value(Fraction(math.factorial(value.number.numerator)), value.exact)


def _real(function: Callable[[float], float]) -> Callable[[Sequence[Value]], Value]:
    """Of one argument, in floating point."""
    return lambda values: inexact(lambda: function(float(_one(values).number)))


def _logarithm(function: Callable[[float], float], base: int) -> Callable[[Sequence[Value]], Value]:
    """Exact for powers of the base."""

    def applied(values: Sequence[Value]) -> Value:
        only = _one(values)
        found = inexact(lambda: function(float(only.number)))
        power = Fraction(round(found.number))
        return Value(power) if only.exact and Fraction(base) ** power == only.number else found

    return applied


def _whole(function: Callable[[Fraction], int]) -> Callable[[Sequence[Value]], Value]:
    return lambda values: Value(Fraction(function(_one(values).number)), values[0].exact)


def _nearest(number: Fraction) -> int:
    """As taught at school: halves away from zero."""
    size = math.floor(abs(number) + Fraction(1, 2))
    return size if number >= 0 else -size


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
    "cbrt": lambda values: _cube_root(_one(values)),
    "abs": lambda values: Value(abs(_one(values).number), values[0].exact),
    "ln": _real(math.log),
    "log": _logarithm(math.log10, 10),
    "log2": _logarithm(math.log2, 2),
    "exp": _real(math.exp),
    "sin": lambda values: sine(_one(values)),
    "cos": lambda values: cosine(_one(values)),
    "tan": lambda values: tangent(_one(values)),
    "asin": _real(math.asin),
    "acos": _real(math.acos),
    "atan": _real(math.atan),
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "round": _whole(_nearest),
    "min": _of_all(lambda *numbers: min(numbers)),
    "max": _of_all(lambda *numbers: max(numbers)),
    "gcd": _of_all(_divisors(math.gcd)),
    "lcm": _of_all(_divisors(math.lcm)),
}
