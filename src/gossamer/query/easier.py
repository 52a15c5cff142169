"""Which easier queries might find something when this one found nothing?"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass

from gossamer.model import (
    After,
    And,
    BadQuery,
    Before,
    ByPlace,
    Clause,
    FileType,
    Group,
    In,
    Language,
    Near,
    Not,
    Or,
    Phrase,
    Query,
    Site,
    Word,
)
from gossamer.query.parse import parse
from gossamer.query.written import side_by_side
from gossamer.text.words import words


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
