"""Is the query a sum, and what does it come to?

Much that looks like one is none: 24/7, 9/11, 747-400, 2023-24 and c++ are things that people look for.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.calculation import Token, value_of
from gossamer.results.answers.expression import tokens_of
from gossamer.results.answers.functions import FUNCTIONS
from gossamer.results.answers.numbers import written
from gossamer.results.answers.values import CONSTANTS, DividedByZero, NoValue, Value

_GATE = re.compile(
    r"[-+*/^%!√(=]|\b(?:plus|minus|times|divided|over|mod|power|root|squared|cubed|x|sqrt|cbrt|ln|log2?|"
    r"multiplied|modulo|percent|per cent|mal|geteilt|prozent|fois|moins|divisé|pour ?cent)\b"
)
# Written without spaces these are dates, scores, numbers of models and telephones, seasons.
_NO_SUM = re.compile(r"\d+(?:-\d+)+|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{4}/\d{2,4}|\d+(?:/\d+){2,}|\d+x\d+")


def arithmetic(asked: Asked, context: Context) -> InstantAnswer | None:
    """The value of an expression."""
    text = asked.text.removesuffix("=").rstrip()
    if not (asked.has_digit or "pi" in text) or not _GATE.search(text) or _NO_SUM.fullmatch(text):
        return None
    tokens = tokens_of(text)
    if tokens is None or not _is_sum(tokens):
        return None
    question = _said(tokens)
    try:
        value = value_of(tokens)
    except DividedByZero:
        return InstantAnswer("arithmetic", question, "not defined", "Nothing can be divided by zero.")
    except NoValue:
        return None
    return InstantAnswer("arithmetic", question, written(value.number, exact=value.exact), _detail(value))


def _is_sum(tokens: list[Token]) -> bool:
    """Whether something is to be computed: two numbers and what joins them, or a function of one."""
    joined = any(
        token in ("+", "-", "*", "/", "^", "of", "mod")
        and place
        and (isinstance(tokens[place - 1], Fraction) or tokens[place - 1] in (")", "%", "!", *CONSTANTS))
        for place, token in enumerate(tokens)
    )
    called = any(isinstance(token, str) and token in FUNCTIONS for token in tokens)
    factorial = any(
        token == "!" and (before == ")" or isinstance(before, Fraction)) for before, token in pairwise(tokens)
    )
    return joined or called or factorial


def _said(tokens: list[Token]) -> str:
    """The expression as it was understood."""
    said = ""
    for place, token in enumerate(tokens):
        if isinstance(token, Fraction):
            said += written(token).replace("≈ ", "")
        elif token in ("+", "-", "*", "/", "of", "mod"):
            unary = token in ("+", "-") and (not place or str(tokens[place - 1]) in "(+-*/^,of")
            shown = {"*": "×", "/": "÷", "-": "−"}.get(token, token)
            said += shown if unary else f" {shown} "
        else:
            said += ", " if token == "," else token + (" " if _takes_bare(tokens, place) else "")
    return said


def _takes_bare(tokens: list[Token], place: int) -> bool:
    """Whether a function stands before its argument without a parenthesis."""
    return str(tokens[place]) in FUNCTIONS and tokens[place + 1 : place + 2] != ["("]


def _detail(value: Value) -> str:
    """A fraction that does not end, as a fraction."""
    number = value.number
    if value.exact and 1 < number.denominator < 10_000 and written(number).startswith("≈"):
        return f"exactly {number.numerator:,}/{number.denominator:,}".replace("-", "−")
    return ""
