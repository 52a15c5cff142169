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

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from gossamer.results.answers.functions import FUNCTIONS, factorial, power
from gossamer.results.answers.values import CONSTANTS, DividedByZero, NoValue, Value, added, times_pi

DEEPEST = 30  # parentheses, signs and powers within each other

Token = Fraction | str

_FACTORS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "*": operator.mul,
    "/": operator.truediv,
    "mod": operator.mod,
    "of": operator.mul,
}
BARE = ("sqrt", "cbrt", "ln", "log2")  # functions whose argument may stand without parentheses


def value_of(tokens: Sequence[Token]) -> Value:
    """The value of an expression; raises NoValue where there is none."""
    reader = _Reader(tokens)
    value = reader.sum()
    if not reader.ended:
        raise NoValue
    return value


def _joined(sign: str, left: Value, right: Value) -> Value:
    """A product, a quotient or a rest; a multiple of pi stays one."""
    factor = _FACTORS[sign]
    of_pi = None
    if sign != "mod" and left.of_pi is not None and right.exact:
        of_pi = factor(left.of_pi, right.number)
    elif sign in ("*", "of") and right.of_pi is not None and left.exact:
        of_pi = factor(left.number, right.of_pi)
    return Value(factor(left.number, right.number), left.exact and right.exact, of_pi=of_pi)


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
            left = added(left, right, Fraction(sign * share))
        return left

    def _product(self) -> Value:
        left = self._signed()
        while (token := self._peek()) in _FACTORS:
            self._take()
            right = self._signed()
            if token in ("/", "mod") and not right.number:
                raise DividedByZero
            left = _joined(str(token), left, right)
        return left

    def _signed(self) -> Value:
        if self._peek() not in ("-", "+"):
            return self._power()
        sign = -1 if self._take() == "-" else 1
        value = self._deeper(self._signed)
        return replace(value, number=sign * value.number, of_pi=value.of_pi and sign * value.of_pi)

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
                if self._peek() == "!":
                    raise NoValue  # of every second number to some, of a factorial to others
                value = factorial(value)
            else:
                value = _joined("*", value, times_pi(Fraction(1, 180)))
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
            return CONSTANTS[token]
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
