"""What is the value of an expression? Exact as long as it can be, and bounded in time and size.

    sum      = product { ("+" | "-") product [ "%" ] }
    product  = signed { ("*" | "/" | "mod" | "of") signed }
    signed   = ("-" | "+") signed | power
    power    = postfix [ "^" signed ]              binds to the right: 2^3^2 is 2^9
    postfix  = atom { "!" | "%" | "°" }
    atom     = number | constant | "(" sum ")" | function "(" sum { "," sum } ")" | function atom

A percentage that is added or subtracted is one of what stands before it, as on a pocket calculator.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

MOST_BITS = 20_000  # of an exact number
DEEPEST = 30  # parentheses, signs and powers within each other
LARGEST_FACTORIAL = 1_000


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


Token = Fraction | str

_FACTORS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "*": operator.mul,
    "/": operator.truediv,
    "mod": operator.mod,
    "of": operator.mul,
}
CONSTANTS = {
    "pi": Fraction(math.pi),
    "π": Fraction(math.pi),
    "e": Fraction(math.e),
    "tau": Fraction(math.tau),
    "phi": Fraction((1 + math.sqrt(5)) / 2),
}
BARE = ("sqrt", "cbrt", "ln", "log2")  # functions whose argument may stand without parentheses


def value_of(tokens: Sequence[Token]) -> Value:
    """The value of an expression; raises NoValue where there is none."""
    reader = _Reader(tokens)
    value = reader.sum()
    if not reader.ended:
        raise NoValue
    return value


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._place = 0
        self._depth = 0

    @property
    def ended(self) -> bool:
        return self._place == len(self._tokens)

    def _peek(self) -> Token | None:
        return None if self.ended else self._tokens[self._place]

    def _take(self) -> Token:
        if self.ended:
            raise NoValue
        self._place += 1
        return self._tokens[self._place - 1]

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise NoValue

    def sum(self) -> Value:
        left = self._product()
        while self._peek() in ("+", "-"):
            sign = 1 if self._take() == "+" else -1
            right = self._product()
            share = left.number if right.percent and not left.percent else 1
            number = left.number + sign * share * right.number
            left = Value(number, left.exact and right.exact, left.percent and right.percent)
        return left

    def _product(self) -> Value:
        left = self._signed()
        while (token := self._peek()) in _FACTORS:
            self._take()
            right = self._signed()
            if token in ("/", "mod") and not right.number:
                raise DividedByZero
            left = Value(_FACTORS[str(token)](left.number, right.number), left.exact and right.exact)
        return left

    def _signed(self) -> Value:
        if self._peek() not in ("-", "+"):
            return self._power()
        sign = -1 if self._take() == "-" else 1
        value = self._deeper(self._signed)
        return Value(sign * value.number, value.exact, value.percent)

    def _power(self) -> Value:
        base = self._postfix()
        if self._peek() != "^":
            return base
        self._take()
        return power(base, self._deeper(self._signed))

    def _postfix(self) -> Value:
        value = self._atom()
        while (token := self._peek()) in ("!", "%", "°"):
            self._take()
            if token == "%":
                value = Value(value.number / 100, value.exact, percent=True)
            elif token == "!":
                value = _factorial(value)
            else:
                value = Value(value.number * CONSTANTS["pi"] / 180, exact=False)
        return value

    def _atom(self) -> Value:
        token = self._take()
        if isinstance(token, Fraction):
            return Value(token)
        if token == "(":
            value = self._deeper(self.sum)
            self._expect(")")
            return value
        if token in CONSTANTS:
            return Value(CONSTANTS[token], exact=False)
        if token in FUNCTIONS:
            return self._called(token)
        raise NoValue

    def _called(self, name: str) -> Value:
        if self._peek() != "(":
            if name not in BARE:
                raise NoValue
            return FUNCTIONS[name]([self._deeper(self._atom)])
        self._take()
        values = [self._deeper(self.sum)]
        while self._peek() == ",":
            self._take()
            values.append(self._deeper(self.sum))
        self._expect(")")
        return FUNCTIONS[name](values)

    def _deeper(self, read: Callable[[], Value]) -> Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise NoValue
        value = read()
        self._depth -= 1
        return value


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


def _factorial(value: Value) -> Value:
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
