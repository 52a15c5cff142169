"""Write queries back; repair and relax them."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from gossamer.model import BadQuery, Query
from gossamer.model import query as tree
from gossamer.query.syntax import FIELDS, LONGEST, QUOTES, parse
from gossamer.text.words import words


def written(clause: tree.Clause) -> str:
    """Return a clause as a user would type it: parsing it gives the clause again.

    >>> ruled_out = tree.Or((tree.Word("car"), tree.Phrase("new world")))
    >>> written(tree.And((tree.Word("jaguar"), tree.Not(ruled_out))))
    'jaguar AND -(car OR "new world")'
    """
    match clause:
        case tree.Not(inner):
            return f"-({written(inner)})" if isinstance(inner, tree.Not) else "-" + _closed(inner)
        case tree.And(parts):
            return " AND ".join(_closed(part) for part in parts)
        case tree.Or(parts):
            return " OR ".join(_closed(part) for part in parts)
        case tree.Group(parts):
            return side_by_side(parts)
        case tree.Near(texts, within):
            return f" NEAR/{within} ".join(map(written, texts))
    return _leaf(clause)


def side_by_side(parts: Sequence[tree.Clause]) -> str:
    """Return the clauses of a query as a user would type them."""
    return " ".join(map(written, parts))


def _closed(clause: tree.Clause) -> str:
    """Return a clause inside another, in parentheses if it needs them."""
    text = written(clause)
    return f"({text})" if isinstance(clause, tree.And | tree.Or | tree.Group | tree.Near) else text


# The written forms of leaves whose fields are all strings.
_FORMS = {
    tree.Word: "{0}",
    tree.Prefix: "{0}*",
    tree.Phrase: '"{0}"',
    tree.Sounding: "{1}:{0}",
    tree.Site: "site:{0}",
    tree.FileType: "filetype:{0}",
    tree.Language: "lang:{0}",
    tree.Before: "before:{0}",
    tree.After: "after:{0}",
    tree.ByLinks: "{0}:{1}",
}


def _leaf(leaf: tree.Leaf) -> str:
    match leaf:
        case tree.Fuzzy(text, mistakes):
            return f"{text}~{mistakes or ''}"
        case tree.In(part, text):
            return f"in{part}:{written(text)}"
        case tree.ByPlace(way, name):
            return f'{way}:"{name}"' if " " in name else f"{way}:{name}"
    return _FORMS[type(leaf)].format(*[getattr(leaf, name) for name in leaf.__match_args__])


# Relaxed queries when nothing was found
# --------------------------------------


@dataclass(frozen=True, slots=True)
class RelaxedQuery:
    """A less strict query, and how it differs."""

    how: str  # a name for the change
    label: str
    query: str
    unasked: bool = True  # may be tried automatically, because it shows nothing that the user excluded


EXCLUDED = "without_exclusions"
Loosen = Callable[[tree.Clause], Iterable[tree.Clause]]  # returns the clauses that replace one


def easier(query: Query, unknown: Container[str] = ()) -> list[RelaxedQuery]:
    """Return less strict versions of a query, the most similar first; `unknown` words are on no page.

    >>> words_wanted = tree.And((tree.Word("jaguar"), tree.Phrase("new world")))
    >>> asked = Query("", (words_wanted, tree.Site("example.org")))
    >>> [way.label for way in easier(asked)][:3], easier(asked)[0].query
    (['without the quotation marks', 'on all sites', 'with any of the words'], \
'jaguar AND new AND world site:example.org')
    """
    known = _without_unknown(unknown)
    loosened: list[tuple[str, str, Loosen]] = [
        ("without_unknown", f"without {', '.join(_unknown_in(query, unknown))}", known),
        ("without_quotes", "without the quotation marks", _unquoted),
        ("any_distance", "with the words at any distance", _apart),
        ("anywhere", "anywhere on the pages", _anywhere),
        ("any_time", "of any time", _without(tree.Before, tree.After)),
        ("any_kind", "of any kind", _without(tree.FileType)),
        ("any_language", "in any language", _without(tree.Language)),
        ("any_place", "of any place", _without(tree.ByPlace)),
        ("all_sites", "on all sites", _without(tree.Site)),
        ("any_word", "with any of the words", _parts),
        ("words_alone", "with any of the words, without the conditions", _words_alone),
        (EXCLUDED, "without the exclusions", _without(tree.Not)),
    ]
    ways = [RelaxedQuery(how, label, _loosened(query, own), how != EXCLUDED) for how, label, own in loosened]
    typed = side_by_side(query.clauses)
    first = {way.query: way for way in reversed(ways) if way.query and way.query != typed}
    # The words of a long phrase may be too many for the parser.
    return [way for way in ways if first.get(way.query) is way and _fault(way.query) is None]


def _loosened(query: Query, loosen: Loosen) -> str:
    """Return the query with each clause loosened; "" if nothing to search for is left."""
    clauses = [part for clause in query.clauses for part in loosen(clause)]
    wanted = [clause for clause in clauses if not isinstance(clause, tree.Not)]
    return side_by_side(clauses) if wanted else ""


def _without(*kinds: type[tree.Clause]) -> Loosen:
    return lambda clause: () if isinstance(clause, kinds) else (clause,)


def _in_conjunctions(loosen: Loosen) -> Loosen:
    """Loosen the parts of a conjunction too, not only a clause that stands alone."""

    def loosened(clause: tree.Clause) -> Iterable[tree.Clause]:
        if isinstance(clause, tree.And):
            return (tree.And(tuple(one for part in clause.clauses for one in loosened(part))),)
        return loosen(clause)

    return loosened


@_in_conjunctions
def _unquoted(clause: tree.Clause) -> tuple[tree.Clause, ...]:
    """Replace a phrase by its words, in any order."""
    return _without_quotes(clause.text) if isinstance(clause, tree.Phrase) else (clause,)


@_in_conjunctions
def _apart(clause: tree.Clause) -> tuple[tree.Clause, ...]:
    """Replace texts that must be near each other by the same texts at any distance."""
    return (tree.And(tuple(clause.texts)),) if isinstance(clause, tree.Near) else (clause,)


def _without_quotes(text: str) -> tuple[tree.Clause, ...]:
    """Return the words of a phrase; a part that would be read as an operator is split into words.

    >>> _without_quotes("on site:a.test C++")
    (Word(text='on'), Word(text='site'), Word(text='a'), Word(text='test'), Word(text='C++'))
    """
    parts = ([part] if _is_plain(part) else words(part) for part in text.split())
    return tuple(tree.Word(word) for own in parts for word in own)


def _is_plain(text: str) -> bool:
    return _fault(text) is None and parse(text).clauses == (tree.Word(text),)


@_in_conjunctions
def _anywhere(clause: tree.Clause) -> tuple[tree.Clause, ...]:
    """Replace a text that must be in one part of a page by the text alone. Anchor text is no such part."""
    return (clause.text,) if isinstance(clause, tree.In) and clause.part != "anchor" else (clause,)


def _parts(clause: tree.Clause) -> tuple[tree.Clause, ...]:
    return clause.clauses if isinstance(clause, tree.And) else (clause,)


def _words_alone(clause: tree.Clause) -> tuple[tree.Clause, ...]:
    match clause:
        case tree.And(parts) | tree.Or(parts) | tree.Group(parts):
            return tuple(one for part in parts for one in _words_alone(part))
        case tree.In(part, text) if part != "anchor":
            return _words_alone(text)
        case tree.Near(texts, _):
            return tuple(one for part in texts for one in _words_alone(part))
        case tree.Phrase(text):
            return _without_quotes(text)
        case tree.Word() | tree.Not():
            return (clause,)
    return ()


def _without_unknown(unknown: Container[str]) -> Loosen:
    """Return a function that removes unknown words, also from conjunctions."""

    def known(clause: tree.Clause) -> tuple[tree.Clause, ...]:
        match clause:
            case tree.And(parts):
                left = tuple(part for part in parts if known(part))
                return left if len(left) < 2 else (tree.And(left),)
            case tree.Word(text) | tree.Phrase(text) if any(word in unknown for word in words(text)):
                return ()
        return (clause,)

    return known


def _unknown_in(query: Query, unknown: Container[str]) -> list[str]:
    found = (word for text in query.texts() for word in words(text.text) if word in unknown)
    return list(dict.fromkeys(found))


# Repair a query that cannot be parsed
# ------------------------------------
#
# A query that cannot be parsed has an unclosed quotation mark or parenthesis, or something superfluous.
# The repair closes the one and removes the other, fault by fault, and keeps the rest as typed.

MOST_FAULTS = 20  # that are repaired in one query
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
    """Return the query with its faults repaired; "" if it has none, or cannot be repaired.

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
    """Return the place where parsing a query fails; None if it can be parsed."""
    try:
        parse(text)
    except BadQuery as error:
        return error.position
    return None


def _without_fault(text: str, place: int) -> str:
    """Repair the fault at a place; return "" if that is impossible or only exclusions would remain."""
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
    """Return the NEAR before or after a piece, which may not be able to measure from it."""
    behind = _NEAR_BEHIND.match(text, end) if end > place else _NEAR_BEHIND_GROUP.search(text, place)
    return _NEAR_BEFORE.search(text, 0, place) or behind


def _begin(text: str, place: int) -> int:
    """Return where the operators, the minus and the field before a piece begin."""
    before = _JOINED_BY.search(text, 0, place)
    return before.start() if before else place


def _cut(text: str, begin: int, end: int) -> str:
    """Return a query without a piece and the blanks around it."""
    left, right = text[:begin].rstrip(), text[end:].lstrip()
    joint = "" if left.endswith("(") or right.startswith(")") else " "
    return f"{left}{joint}{right}".strip()
