"""Which numbers, names and signs is an expression made of? Some are written as words."""

from __future__ import annotations

import re

from gossamer.results.answers.calculation import Token
from gossamer.results.answers.functions import FUNCTIONS
from gossamer.results.answers.numbers import read_number
from gossamer.results.answers.values import CONSTANTS

MOST_TOKENS = 100
NAMES = ("of", "mod")  # that are signs

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
    """The pieces of an expression; None where one is no piece of any.

    >>> tokens_of("2 plus max(1,234)")
    [Fraction(2, 1), '+', 'max', '(', Fraction(1, 1), ',', Fraction(234, 1), ')']
    """
    text = _in_signs(text)
    tokens: list[Token] = []
    place, inside = 0, 0  # how many calls of a function are open: a comma divides their arguments
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
    """With the signs that words stand for."""
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
    """By how much the number of open calls changes."""
    if token == "(":
        return int(inside > 0 or (bool(before) and str(before[-1]) in FUNCTIONS))
    return -1 if token == ")" and inside else 0
