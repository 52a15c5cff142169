"""Is the query a sum, and what does it come to?

Much that looks like one is none: 24/7, 9/11, 747-400, 2023-24 and c++ are things that people look for.
"""

from __future__ import annotations

import re
from fractions import Fraction

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.calculation import (
    CONSTANTS,
    FUNCTIONS,
    DividedByZero,
    NoValue,
    Token,
    Value,
    value_of,
)
from gossamer.results.answers.numbers import read_number, written

MOST_TOKENS = 100

_GATE = re.compile(
    r"[-+*/^%!√(=]|\b(?:plus|minus|times|divided|over|mod|power|root|squared|cubed|x|sqrt|cbrt|ln|log2?)\b"
)
# Written without spaces these are dates, scores, numbers of models and telephones, seasons.
_NO_SUM = re.compile(r"\d+(?:-\d+)+|\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{4}/\d{2,4}|\d+(?:/\d+){2,}|\d+x\d+")
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


def arithmetic(asked: Asked, context: Context) -> InstantAnswer | None:
    """The value of an expression."""
    text = asked.text.removesuffix("=").rstrip()
    if not (asked.has_digit or "pi" in text) or not _GATE.search(text) or _NO_SUM.fullmatch(text):
        return None
    for pattern, sign in _WORDS:
        text = pattern.sub(sign, text)
    if off := _OFF.fullmatch(text):
        text = f"{off[2]} - {off[1]}%"
    tokens = _tokens(text)
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


def _tokens(text: str) -> list[Token] | None:
    """The pieces of an expression; None where one is no piece of any."""
    tokens: list[Token] = []
    place, inside = 0, 0  # how many calls of a function are open: a comma divides their arguments
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None or len(tokens) >= MOST_TOKENS:
            return None
        if inside and match["number"] and "," in match["number"]:
            match = _ARGUMENT.match(text, place) or match
        place = match.end()
        if match["number"]:
            number = read_number(match["number"] + (match["power"] or ""))
            if number is None:
                return None
            tokens.append(number)
        elif match["name"]:
            if match["name"] not in FUNCTIONS and match["name"] not in CONSTANTS | {"of": 0, "mod": 0}:
                return None
            tokens.append(match["name"])
        else:
            calls = match["sign"] == "(" and bool(tokens) and str(tokens[-1]) in FUNCTIONS
            inside += 1 if calls or (inside and match["sign"] == "(") else 0
            inside -= 1 if inside and match["sign"] == ")" else 0
            tokens.append(match["sign"])
    return tokens


def _is_sum(tokens: list[Token]) -> bool:
    """Whether something is to be computed: two numbers and what joins them, or a function of one."""
    joined = any(
        token in ("+", "-", "*", "/", "^", "of", "mod")
        and place
        and (isinstance(tokens[place - 1], Fraction) or tokens[place - 1] in (")", "%", "!", *CONSTANTS))
        for place, token in enumerate(tokens)
    )
    called = any(isinstance(token, str) and token in FUNCTIONS for token in tokens)
    factorial = len(tokens) == 2 and tokens[1] == "!" and isinstance(tokens[0], Fraction)
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
