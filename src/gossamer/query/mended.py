"""What may somebody have meant whose query cannot be read?

Where it cannot be read, something was never closed, or something stands that should not. The one is closed,
the other is left out, until the rest can be read: everything else stays as it was typed.
"""

from __future__ import annotations

import re

from gossamer.model import BadQuery
from gossamer.query.lexer import FIELDS, QUOTES
from gossamer.query.parse import LONGEST, parse

MOST_FAULTS = 20  # of a query that is mended

_NEAR = r"NEAR(?:/[0-9]*)?(?![^\s()])"
_JOINT = rf"(?:(?:AND|OR)(?![^\s()])|{_NEAR})"
_FIELD = rf"(?i:{'|'.join(FIELDS)}):"
_OPERATOR = re.compile(rf"{_JOINT}|NOT(?![^\s()])|\)")
_JOINTS_AFTER_NOT = re.compile(rf"(?<=NOT)(?:\s+{_JOINT})+")
_NEAR_BEFORE = re.compile(rf"(?<!\S){_NEAR}\s*$")
_NEAR_BEHIND = re.compile(rf"\s*{_NEAR}")
_NEAR_BEHIND_GROUP = re.compile(rf"(?<=\))\s*{_NEAR}")
_JOINED_BY = re.compile(rf"(?:(?<![^\s(])(?:{_JOINT}|NOT)\s*|(?<![^\s(])-|{_FIELD})*$")
_EMPTY = re.compile(rf"[{QUOTES}]\s*[{QUOTES}]|\([\s-]*\)")
_WORD = re.compile(rf"(?:{_FIELD})?(?:[{QUOTES}][^{QUOTES}]*[{QUOTES}]|[^\s{QUOTES}()]*)")


def mended(query: str) -> str:
    """A query that can be read, as near to this one as there is; "" where none is.

    >>> mended('big "black cat'), mended("(jaguar OR lion"), mended("-car jaguar OR"), mended("site:")
    ('big "black cat"', '(jaguar OR lion)', '-car jaguar', '')
    """
    typed = text = query.strip()
    for _ in range(MOST_FAULTS):
        place = _fault(text) if text else None
        if place is None:
            break
        text = _without_fault(text, place)
    else:
        return ""
    return "" if text == typed else text


def _fault(text: str) -> int | None:
    """Where a query cannot be read."""
    try:
        parse(text)
    except BadQuery as error:
        return error.position
    return None


def _without_fault(text: str, place: int) -> str:
    """A query with one fault less; "" where it is beyond help, or only excludes."""
    if len(text) > LONGEST or (not place and re.match(r"-|NOT\s", text)):
        return ""
    if joints := _JOINTS_AFTER_NOT.match(text, place + len("NOT")):
        return _cut(text, *joints.span())
    if operator := _OPERATOR.match(text, place):
        return _cut(text, *operator.span())
    begin = _begin(text, place)
    if empty := _EMPTY.match(text, place):
        return _cut(text, begin, empty.end())
    if text[place] in QUOTES:
        return f'{text}"'
    if text[place] == "(" and text.count("(") > text.count(")"):
        return f"{text})"
    word = _WORD.match(text, place)
    end = word.end() if word else place
    if near := _near(text, place, end):
        return _cut(text, *near.span())
    return _cut(text, begin, end) if end > place else ""


def _near(text: str, place: int, end: int) -> re.Match[str] | None:
    """The NEAR beside a piece, from which it can perhaps not count."""
    behind = _NEAR_BEHIND.match(text, end) if end > place else _NEAR_BEHIND_GROUP.search(text, place)
    return _NEAR_BEFORE.search(text, 0, place) or behind


def _begin(text: str, place: int) -> int:
    """Where the operators, the minus and the field begin that a piece belongs to."""
    before = _JOINED_BY.search(text, 0, place)
    return before.start() if before else place


def _cut(text: str, begin: int, end: int) -> str:
    """A query without a piece, and without the blanks that it leaves."""
    left, right = text[:begin].rstrip(), text[end:].lstrip()
    joint = "" if left.endswith("(") or right.startswith(")") else " "
    return f"{left}{joint}{right}".strip()
