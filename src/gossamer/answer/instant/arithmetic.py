"""Calculator: parse and evaluate expressions.

Some queries look like expressions but are names, dates or ranges: 24/7, 9/11, 747-400, 2023-24, c++. These
get no answer.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from decimal import Context as DecimalContext
from fractions import Fraction
from itertools import pairwise

from gossamer.answer.instant.context import AnswerQuery, Context
from gossamer.model import InstantAnswer

# Exact and rounded numbers
# -------------------------

MOST_BITS = 20_000  # of an exact number
NOISE = Fraction(1, 2**50)  # a result that is this small, relative to its operands, is a rounding error


class NoValue(Exception):
    """The query is no expression, or its value is too large."""


class DividedByZero(NoValue):
    """The expression divides by zero."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number, and whether it is exact."""

    number: Fraction
    exact: bool = True
    percent: bool = False
    of_pi: Fraction | None = None  # the number is exactly this multiple of pi

    def __post_init__(self) -> None:
        if self.number.numerator.bit_length() + self.number.denominator.bit_length() > MOST_BITS:
            raise NoValue


def times_pi(of_pi: Fraction) -> Value:
    """A multiple of pi, which allows exact sines."""
    return Value(of_pi * Fraction(math.pi), exact=False, of_pi=of_pi)


def added(left: Value, right: Value, factor: Fraction) -> Value:
    """Compute left + factor * right. A difference that is only a rounding error becomes 0."""
    term = factor * right.number
    number, exact = left.number + term, left.exact and right.exact
    if not exact and abs(number) <= NOISE * abs(term):
        number = Fraction(0)
    of_pi = None
    if left.of_pi is not None and right.of_pi is not None:
        of_pi = left.of_pi + factor * right.of_pi
    return Value(number, exact, left.percent and right.percent, of_pi)


def inexact(compute: Callable[[], float]) -> Value:
    """Compute in floating point; raise NoValue if there is no finite result."""
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


# Exact sine, cosine, tangent
# ---------------------------
#
# Of the angles that are rational fractions of a circle, only those below have a rational sine or tangent
# (Niven, *Irrational Numbers*, 1956, corollary 3.12). All others are computed in floating point.

Exact = dict[Fraction | int, int]  # by degrees
_HALF = Fraction(1, 2)
_TWICE_SINES: Exact = {0: 0, 30: 1, 90: 2, 150: 1, 180: 0, 210: -1, 270: -2, 330: -1}  # of degrees
_TANGENTS: Exact = {0: 0, 45: 1, 135: -1}


def sine(angle: Value) -> Value:
    """The sine, exact for angles such as 30°."""
    twice = _known(_TWICE_SINES, angle.of_pi, 360)
    return _rounded(math.sin, angle) if twice is None else Value(Fraction(twice, 2))


def cosine(angle: Value) -> Value:
    """The cosine, exact for angles such as 60°."""
    twice = _known(_TWICE_SINES, None if angle.of_pi is None else angle.of_pi + _HALF, 360)
    return _rounded(math.cos, angle) if twice is None else Value(Fraction(twice, 2))


def tangent(angle: Value) -> Value:
    """The tangent, exact for angles such as 45°; a right angle has none."""
    if angle.of_pi is not None and angle.of_pi % 1 == _HALF:
        raise DividedByZero
    known = _known(_TANGENTS, angle.of_pi, 180)
    found = _rounded(math.tan, angle) if known is None else Value(Fraction(known))
    if not angle.exact and abs(found.number) * NOISE > 1:
        raise DividedByZero
    return found


def _known(table: Exact, of_pi: Fraction | None, circle: int) -> int | None:
    """Look up an angle, reduced to the circle, in a table; None if it is not there."""
    return None if of_pi is None else table.get(of_pi * 180 % circle)


def _rounded(function: Callable[[float], float], angle: Value) -> Value:
    """Compute in floating point. For an inexact angle, a result that is only a rounding error becomes 0."""
    turned = angle if angle.of_pi is None else times_pi(angle.of_pi % 2)
    found = inexact(lambda: function(float(turned.number)))
    is_noise = not turned.exact and abs(found.number) <= NOISE * max(abs(turned.number), Fraction(1))
    return Value(Fraction(0), exact=False) if is_noise else found


# Powers, roots, functions
# ------------------------

LARGEST_FACTORIAL = 1_000
Function = Callable[..., Value]  # of one value, or of several


def power(base: Value, exponent: Value) -> Value:
    """Compute base^exponent, exact for whole exponents with a short result, else in floating point."""
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
    """The square root, exact if numerator and denominator are squares."""
    number = value.number
    if number < 0:
        raise NoValue
    up, down = math.isqrt(number.numerator), math.isqrt(number.denominator)
    if up * up == number.numerator and down * down == number.denominator:
        return Value(Fraction(up, down), value.exact)
    return inexact(lambda: math.sqrt(number))


def _cube_root(value: Value) -> Value:
    """The cube root, exact if numerator and denominator are cubes."""
    found = inexact(lambda: math.cbrt(float(value.number)))
    root = found.number.limit_denominator(10**6)
    return Value(root, value.exact) if root**3 == value.number else found


def factorial(value: Value) -> Value:
    if value.number.denominator != 1 or not 0 <= value.number <= LARGEST_FACTORIAL:
        raise NoValue
    return Value(Fraction(math.factorial(value.number.numerator)), value.exact)


def _real(function: Callable[[float], float]) -> Function:
    """Make a function that computes in floating point."""
    return lambda value: inexact(lambda: function(float(value.number)))


def _logarithm(function: Callable[[float], float], base: int) -> Function:
    """Make a logarithm that is exact for powers of the base."""

    def applied(value: Value) -> Value:
        found = inexact(lambda: function(float(value.number)))
        power = Fraction(round(found.number))
        return Value(power) if value.exact and Fraction(base) ** power == value.number else found

    return applied


def _nearest(number: Fraction) -> int:
    """Round to a whole number, halves away from zero."""
    size = math.floor(abs(number) + Fraction(1, 2))
    return size if number >= 0 else -size


def _of_all(function: Callable[..., int | Fraction]) -> Function:
    """Make a function that is exact if all arguments are."""
    return lambda *values: Value(
        Fraction(function(*[one.number for one in values])), all(one.exact for one in values)
    )


def _of_whole(function: Callable[..., int]) -> Function:
    """Make a function of whole numbers."""

    def applied(*numbers: Fraction) -> int:
        if any(number.denominator != 1 for number in numbers):
            raise NoValue
        return function(*[number.numerator for number in numbers])

    return _of_all(applied)


OF_SEVERAL: dict[str, Function] = {
    "min": _of_all(lambda *numbers: min(numbers)),
    "max": _of_all(lambda *numbers: max(numbers)),
    "gcd": _of_whole(math.gcd),
    "lcm": _of_whole(math.lcm),
}
FUNCTIONS: dict[str, Function] = OF_SEVERAL | {
    "sqrt": _root,
    "cbrt": _cube_root,
    "abs": _of_all(abs),
    "ln": _real(math.log),
    "log": _logarithm(math.log10, 10),
    "log2": _logarithm(math.log2, 2),
    "exp": _real(math.exp),
    "sin": sine,
    "cos": cosine,
    "tan": tangent,
    "asin": _real(math.asin),
    "acos": _real(math.acos),
    "atan": _real(math.atan),
    "floor": _of_all(math.floor),
    "ceil": _of_all(math.ceil),
    "round": _of_all(_nearest),
}


# Evaluate expressions exactly
# ----------------------------
#
#     sum      = product { ("+" | "-") product [ "%" ] }
#     product  = signed { ("*" | "/" | "mod" | "of") signed }
#     signed   = ("-" | "+") signed | power
#     power    = postfix [ "^" signed ]              binds to the right: 2^3^2 is 2^9
#     postfix  = atom { "!" | "%" | "°" }
#     atom     = number | constant | "(" sum ")" | function "(" sum { "," sum } ")" | function atom
#
# An added or subtracted percentage is one of the value before it, as on a pocket calculator.

DEEPEST = 30  # nested parentheses, signs and powers
Token = Fraction | str
END = ""  # follows the last token; no rule accepts it
_FACTORS: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "*": operator.mul,
    "/": operator.truediv,
    "mod": operator.mod,
    "of": operator.mul,
}
BARE = ("sqrt", "cbrt", "ln", "log2")  # functions whose argument may stand without parentheses


def value_of(tokens: Sequence[Token]) -> Value:
    """Evaluate an expression. Raises NoValue if it has no value."""
    reader = _Reader(tokens)
    value = reader.sum()
    reader.expect(END)
    return value


def _joined(sign: str, left: Value, right: Value) -> Value:
    """Compute a product, quotient or remainder; a multiple of pi stays one."""
    factor = _FACTORS[sign]
    of_pi = None
    if sign != "mod" and left.of_pi is not None and right.exact:
        of_pi = factor(left.of_pi, right.number)
    elif sign in ("*", "of") and right.of_pi is not None and left.exact:
        of_pi = factor(left.number, right.of_pi)
    return Value(factor(left.number, right.number), left.exact and right.exact, of_pi=of_pi)


class _Reader:
    """A recursive-descent parser that evaluates while it reads."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = [*tokens, END]
        self._place = 0
        self._depth = 0

    def _peek(self) -> Token:
        return self._tokens[self._place]

    def _take(self) -> Token:
        self._place += 1
        return self._tokens[self._place - 1]

    def expect(self, token: str) -> None:
        """Read a token, which must be this one."""
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
                    raise NoValue  # 5!! is a double factorial or the factorial of a factorial
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
            self.expect(")")
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
            return FUNCTIONS[name](self._deeper(self._atom))
        self._take()
        values = [self._deeper(self.sum)]
        while self._peek() == ",":
            self._take()
            values.append(self._deeper(self.sum))
        self.expect(")")
        if len(values) > 1 and name not in OF_SEVERAL:
            raise NoValue
        return FUNCTIONS[name](*values)

    def _deeper(self, read: Callable[[], Value]) -> Value:
        self._depth += 1
        if self._depth > DEEPEST:
            raise NoValue
        value = read()
        self._depth -= 1
        return value


# Read and write numbers
# ----------------------

DIGITS = 12  # significant digits of an inexact number
LONGEST = 15  # digits of a number that is not exact and is written without a power of ten
MOST_DIGITS = 40  # of an exact number that is written in full
LARGEST_EXPONENT = 300
APPROXIMATELY = "≈ "

# 1,234.5 or 1234.5 or .5 or 1,5 or 1.234,5 or 10 000
NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?: \d{3})+(?:[.,]\d+)?"
    r"|\d+(?:[.,]\d+)?|\.\d+)(?:e[+-]?\d{1,3})?"
)
_NUMBER = re.compile(rf"(-?)({NUMBER})")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+")


def read_number(text: str) -> Fraction | None:
    """Read a number; None if the text is no number, or one that is too large.

    >>> read_number("1,234.5"), read_number("2,5"), read_number("1.234,5"), read_number("12.34.56")
    (Fraction(2469, 2), Fraction(5, 2), Fraction(2469, 2), None)
    """
    match = _NUMBER.fullmatch(text.strip())
    if match is None or len(text) > 2 * MOST_DIGITS:
        return None
    digits, _, exponent = match[2].partition("e")
    digits = digits.replace(" ", "")
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _POINTS.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    else:
        digits = digits.replace(",", ".")
    power = int(exponent or 0)
    if abs(power) > LARGEST_EXPONENT:
        return None
    return Fraction(f"{match[1]}{digits}") * Fraction(10) ** power


def written(value: Fraction, digits: int = DIGITS, exact: bool = True) -> str:
    """Write a number in full if that is short, else rounded to `digits` significant digits, marked with ≈.

    >>> written(Fraction(1_000_000)), written(Fraction(1, 8)), written(Fraction(2, 3))
    ('1,000,000', '0.125', '≈ 0.666666666667')
    >>> written(Fraction(2) ** 200)
    '≈ 1.60693804426 × 10^60'
    """
    if exact and value.denominator == 1 and abs(value) < 10**MOST_DIGITS:
        return f"{value.numerator:,}".replace("-", "−")
    rounded = DecimalContext(prec=digits, rounding=ROUND_HALF_EVEN, Emax=99_999, Emin=-99_999)
    near = rounded.divide(Decimal(value.numerator), Decimal(value.denominator))
    sign, size = ("−" if near < 0 else ""), abs(near)
    mark = "" if exact and Fraction(near) == value else APPROXIMATELY
    power = size.adjusted()
    if size == 0 or -6 <= power < max(digits, LONGEST):
        return f"{mark}{sign}{_without_zeros(f'{size:,f}')}"
    mantissa = _without_zeros(f"{size.scaleb(-power, rounded):f}")
    return f"{mark}{sign}{mantissa} × 10^{power}".replace("10^-", "10^−")


def _without_zeros(decimal: str) -> str:
    """Strip the zeros at the end of the decimals."""
    return decimal.rstrip("0").rstrip(".") if "." in decimal else decimal


def rounded(value: Fraction, digits: int = 7) -> str:
    """Write a measure with these significant digits, at least to a whole number, and without ≈.

    >>> rounded(Fraction("8.04672")), rounded(Fraction(100, 3)), rounded(Fraction("149597870.7"))
    ('8.04672', '33.33333', '149,597,871')
    """
    whole = len(str(abs(round(value))))
    return written(value, whole if digits < whole <= LONGEST else digits).removeprefix(APPROXIMATELY)


# Tokens of an expression
# -----------------------

MOST_TOKENS = 100
NAMES = ("of", "mod")  # names of operators
_WORDS = (
    (re.compile(r"\b(?:divided by|over|geteilt durch|divisé par)\b"), "/"),
    (re.compile(r"\b(?:multiplied by|times|mal|fois)\b|(?<=[\d)]) x (?=[\d(])"), "*"),
    (re.compile(r"\bplus\b"), "+"),
    (re.compile(r"\b(?:minus|moins)\b"), "-"),
    (re.compile(r"\*\*|\bto the power(?: of)?\b"), "^"),
    (re.compile(r"\bsquared\b"), "^2"),
    (re.compile(r"\bcubed\b"), "^3"),
    (re.compile(r"\bsquare root(?: of)?\b|√"), "sqrt "),
    (re.compile(r"\bcube root(?: of)?\b"), "cbrt "),
    (re.compile(r"\b(?:percent|per cent|prozent|pour ?cent)\b"), "%"),
    (re.compile(r"\bmodulo\b"), "mod"),
    (re.compile(r"(?<=%)\s*(?:von|de|di|af|din|του)\s"), " of "),
)
_OFF = re.compile(r"([\d.,]+) ?%\s*off\s+([\d.,]+)")
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:[.]\d+)?|\.\d+)(?P<power>e[+-]?\d{1,3}(?!\w))?"
    r"|(?P<name>[a-zπ]+[0-9]?)|(?P<sign>[-+*/^%!°(),]))"
)
_ARGUMENT = re.compile(r"\s*(?P<number>\d+)(?P<power>)(?P<name>)(?P<sign>)")


def tokens_of(text: str) -> list[Token] | None:
    """Split an expression into tokens; None if a part of it is no token.

    >>> tokens_of("2 plus max(1,234)")
    [Fraction(2, 1), '+', 'max', '(', Fraction(1, 1), ',', Fraction(234, 1), ')']
    """
    text = _in_signs(text)
    tokens: list[Token] = []
    place, inside = 0, 0  # `inside`: open parentheses in a function call, where commas separate arguments
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or len(tokens) >= MOST_TOKENS:
            return None
        if inside and "," in (match["number"] or ""):
            match = _ARGUMENT.match(text, place) or match
        token = _token(match)
        if token is None:
            return None
        inside += _opened(token, tokens, inside)
        tokens.append(token)
        place = match.end()
    return tokens


def _in_signs(text: str) -> str:
    """Replace words by the signs that they stand for."""
    for pattern, sign in _WORDS:
        text = pattern.sub(sign, text)
    if off := _OFF.fullmatch(text):
        text = f"{off[2]} - {off[1]}%"
    return text.rstrip()


def _token(match: re.Match[str]) -> Token | None:
    if match["number"]:
        return read_number(match["number"] + (match["power"] or ""))
    if name := match["name"]:
        return name if name in FUNCTIONS or name in CONSTANTS or name in NAMES else None
    return match["sign"]


def _opened(token: Token, before: list[Token], inside: int) -> int:
    """The change of the number of open parentheses within a function call."""
    if token == "(":
        return int(inside > 0 or (bool(before) and str(before[-1]) in FUNCTIONS))
    return -1 if token == ")" and inside else 0


_GATE = re.compile(
    r"[-+*/^%!√(=]|\b(?:plus|minus|times|divided|over|mod|power|root|squared|cubed|x|sqrt|cbrt|ln|log2?|"
    r"multiplied|modulo|percent|per cent|mal|geteilt|prozent|fois|moins|divisé|pour ?cent)\b"
)

# Without spaces, these are dates, scores, model numbers, telephone numbers or seasons.
_NO_SUM = re.compile(r"\d+(?:-\d+)+|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{4}/\d{2,4}|\d+(?:/\d+){2,}|\d+x\d+")


def arithmetic(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer an expression with its value."""
    text = asked.text.removesuffix("=").rstrip()
    if not (asked.has_digit or "pi" in text) or not _GATE.search(text) or _NO_SUM.fullmatch(text):
        return None
    tokens = tokens_of(text)
    if tokens is None or not _is_sum(tokens):
        return None
    question = _expression(tokens)
    try:
        value = value_of(tokens)
    except DividedByZero:
        return InstantAnswer("arithmetic", question, "not defined", "Nothing can be divided by zero.")
    except NoValue:
        return None
    return InstantAnswer("arithmetic", question, written(value.number, exact=value.exact), _detail(value))


def _is_sum(tokens: list[Token]) -> bool:
    """Whether there is something to compute: an operator after a number, or a function."""
    joining, ends = ("+", "-", "*", "/", "^", "!", "of", "mod"), (")", "%", "!", *CONSTANTS)
    return any(token in FUNCTIONS for token in tokens) or any(
        token in joining and (isinstance(before, Fraction) or before in ends)
        for before, token in pairwise(tokens)
    )


def _expression(tokens: list[Token]) -> str:
    """Write an expression as it was understood."""
    text = ""
    for place, token in enumerate(tokens):
        if isinstance(token, Fraction):
            text += written(token).replace("≈ ", "")
        elif token in ("+", "-", "*", "/", "of", "mod"):
            unary = token in ("+", "-") and (not place or str(tokens[place - 1]) in "(+-*/^,of")
            shown = {"*": "×", "/": "÷", "-": "−"}.get(token, token)
            text += shown if unary else f" {shown} "
        else:
            text += ", " if token == "," else token + (" " if _takes_bare(tokens, place) else "")
    return text


def _takes_bare(tokens: list[Token], place: int) -> bool:
    """Whether the token is a function without a parenthesis."""
    return str(tokens[place]) in FUNCTIONS and tokens[place + 1 : place + 2] != ["("]


def _detail(value: Value) -> str:
    """Write a number with infinitely many decimals as a fraction, too."""
    number = value.number
    if value.exact and 1 < number.denominator < 10_000 and written(number).startswith("≈"):
        return f"exactly {number.numerator:,}/{number.denominator:,}".replace("-", "−")
    return ""
