"""Write queries back; repair and relax them."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from gossamer.model import (
    After,
    And,
    BadQuery,
    Before,
    ByLinks,
    ByPlace,
    Clause,
    FileType,
    Fuzzy,
    Group,
    In,
    Language,
    Near,
    Not,
    Or,
    Phrase,
    Prefix,
    Query,
    Site,
    Sounding,
    Word,
)
from gossamer.query.syntax import FIELDS, LONGEST, QUOTES, parse
from gossamer.text.words import words


def written(clause: Clause) -> str:
    """A clause as one would type it: parsing it gives the clause again.

    >>> written(And((Word("jaguar"), Not(Or((Word("car"), Phrase("new world")))))))
    'jaguar AND -(car OR "new world")'
    """
    match clause:
        case Not(inner):
            return f"-({written(inner)})" if isinstance(inner, Not) else "-" + _closed(inner)
        case And(parts):
            return " AND ".join(_closed(part) for part in parts)
        case Or(parts):
            return " OR ".join(_closed(part) for part in parts)
        case Group(parts):
            return side_by_side(parts)
        case Near(texts, within):
            return f" NEAR/{within} ".join(map(written, texts))
    return _leaf(clause)


def side_by_side(parts: Sequence[Clause]) -> str:
    """The parts of a query one after the other."""
    return " ".join(map(written, parts))


def _closed(clause: Clause) -> str:
    """A clause that stands within another: in parentheses, unless nothing can tear it apart."""
    text = written(clause)
    return f"({text})" if isinstance(clause, And | Or | Group | Near) else text


def _leaf(clause: Clause) -> str:  # noqa: PLR0912 (one line a kind)
    match clause:
        case Word(text):
            return text
        case Prefix(text):
            return f"{text}*"
        case Fuzzy(text, mistakes):
            return f"{text}~{mistakes or ''}"
        case Sounding(text, way):
            return f"{way}:{text}"
        case Phrase(text):
            return f'"{text}"'
        case In(part, text):
            return f"in{part}:{written(text)}"
        case Site(host):
            return f"site:{host}"
        case FileType(name):
            return f"filetype:{name}"
        case Language(code):
            return f"lang:{code}"
        case Before(day):
            return f"before:{day}"
        case After(day):
            return f"after:{day}"
        case ByLinks(way, url):
            return f"{way}:{url}"
        case ByPlace(way, name):
            return f'{way}:"{name}"' if " " in name else f"{way}:{name}"
    raise TypeError(clause)


# Relaxed queries when nothing was found
# --------------------------------------


@dataclass(frozen=True, slots=True)
class Easier:
    """A query to try instead, and in what it differs."""

    how: str  # a name for it
    label: str
    query: str
    unasked: bool = True  # may be tried by itself: it shows nothing that the person ruled out


EXCLUDED = "without_exclusions"
Loosen = Callable[[Clause], Iterable[Clause]]  # what comes in the place of a clause


def easier(query: Query, unknown: Container[str] = ()) -> list[Easier]:
    """Ways to ask for more, what costs least first; `unknown` are words that stand nowhere.

    >>> asked = Query("", (And((Word("jaguar"), Phrase("new world"))), Site("example.org")))
    >>> [way.label for way in easier(asked)][:3], easier(asked)[0].query
    (['without the quotation marks', 'on all sites', 'with any of the words'], \
'jaguar AND new AND world site:example.org')
    """
    known = _without_unknown(unknown)
    loosened: list[tuple[str, str, Loosen]] = [
        ("without_unknown", f"without {', '.join(_unknown_in(query, unknown))}", known),
        ("without_quotes", "without the quotation marks", _unquoted),
        ("anywhere", "anywhere on the pages", _anywhere),
        ("any_time", "of any time", _without(Before, After)),
        ("any_kind", "of any kind", _without(FileType)),
        ("any_language", "in any language", _without(Language)),
        ("any_place", "of any place", _without(ByPlace)),
        ("all_sites", "on all sites", _without(Site)),
        ("any_word", "with any of the words", _parts),
        ("words_alone", "with any of the words, without the conditions", _words_alone),
        (EXCLUDED, "without the exclusions", _without(Not)),
    ]
    ways = [Easier(how, label, _loosened(query, own), how != EXCLUDED) for how, label, own in loosened]
    typed = side_by_side(query.clauses)
    first = {way.query: way for way in reversed(ways) if way.query and way.query != typed}
    return [way for way in ways if first.get(way.query) is way and _can_be_read(way.query)]


def _can_be_read(text: str) -> bool:
    """The words of a long phrase may be too many."""
    try:
        parse(text)
    except BadQuery:
        return False
    return True


def _loosened(query: Query, loosen: Loosen) -> str:
    """The query with each clause loosened; "" where nothing to look for is left."""
    clauses = [part for clause in query.clauses for part in loosen(clause)]
    wanted = [clause for clause in clauses if not isinstance(clause, Not)]
    return side_by_side(clauses) if wanted else ""


def _without(*kinds: type[Clause]) -> Loosen:
    return lambda clause: () if isinstance(clause, kinds) else (clause,)


def _unquoted(clause: Clause) -> tuple[Clause, ...]:
    """All words of a phrase, in any order."""
    match clause:
        case Phrase(text):
            return _without_quotes(text)
        case Near(texts, _):
            return (And(tuple(texts)),)
        case And(parts):
            return (And(tuple(one for part in parts for one in _unquoted(part))),)
    return (clause,)


def _without_quotes(text: str) -> tuple[Clause, ...]:
    """The words of a phrase; what would be read as an operator falls into the words it is made of.

    >>> _without_quotes("on site:a.test C++")
    (Word(text='on'), Word(text='site'), Word(text='a'), Word(text='test'), Word(text='C++'))
    """
    parts = ([part] if _is_plain(part) else words(part) for part in text.split())
    return tuple(Word(word) for own in parts for word in own)


def _is_plain(text: str) -> bool:
    try:
        return parse(text).clauses == (Word(text),)
    except BadQuery:
        return False


def _anywhere(clause: Clause) -> tuple[Clause, ...]:
    """What should stand in one part of a page."""
    match clause:
        case In(part, text) if part != "anchor":  # what links say is no part of a page
            return (text,)
        case And(parts):
            return (And(tuple(one for part in parts for one in _anywhere(part))),)
    return (clause,)


def _parts(clause: Clause) -> tuple[Clause, ...]:
    return clause.clauses if isinstance(clause, And) else (clause,)


def _words_alone(clause: Clause) -> tuple[Clause, ...]:
    match clause:
        case And(parts) | Or(parts) | Group(parts):
            return tuple(one for part in parts for one in _words_alone(part))
        case In(part, text) if part != "anchor":
            return _words_alone(text)
        case Near(texts, _):
            return tuple(one for part in texts for one in _words_alone(part))
        case Phrase(text):
            return _without_quotes(text)
        case Word() | Not():
            return (clause,)
    return ()


def _without_unknown(unknown: Container[str]) -> Loosen:
    """Of what must hold together, those parts that can."""

    def known(clause: Clause) -> tuple[Clause, ...]:
        match clause:
            case And(parts):
                left = tuple(part for part in parts if known(part))
                return left if len(left) < 2 else (And(left),)
            case Word(text) | Phrase(text) if any(word in unknown for word in words(text)):
                return ()
        return (clause,)

    return known


def _unknown_in(query: Query, unknown: Container[str]) -> list[str]:
    found = (word for text in query.texts() for word in words(text.text) if word in unknown)
    return list(dict.fromkeys(found))


# Repair a query that cannot be parsed
# ------------------------------------
#
# Where it cannot be read, something was never closed, or something stands that should not. The one is
# closed, the other is left out, until the rest can be read: everything else stays as it was typed.

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
