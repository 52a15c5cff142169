"""Which pieces is a typed query made of, and where do they stand?

Only what can hardly be meant otherwise is an operator: capitals that stand alone, a minus that begins a word,
a parenthesis that begins or ends one. A parenthesis within a word, as in `print(x)` or in an address, belongs
to the word, and so does the one that closes it. A quotation mark behind a letter or a digit that has no
partner opens no phrase: it is a part of the word, as in the Hebrew צה"ל, or means inches and is passed over,
as in `15" monitor`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from gossamer.model import BadQuery
from gossamer.text.words import is_inside

FIELDS = (
    "site",
    "inurl",
    "intitle",
    "inbody",
    "inanchor",
    "filetype",
    "lang",
    "before",
    "after",
    "sounds",
    "soundex",
    "link",
    "related",
    "info",
    "country",
    "near",
)
QUOTES = '"“”„‟«»＂'
NEAR_WORDS = 10  # how far NEAR without a number reaches
FARTHEST = 1_000

_IN_ACRONYM = '(?<=[א-ת])["”](?=[א-ת])'  # of Hebrew, also within a phrase
_PIECE = re.compile(
    rf"(?P<open>\()|(?P<close>\))|(?P<minus>(?<![^\s(])-(?=[^\s)-]))"
    rf"|(?P<field>(?i:{'|'.join(FIELDS)}):)?"
    rf"(?:(?P<quote>[{QUOTES}])(?P<phrase>(?:[^{QUOTES}]|{_IN_ACRONYM})*)(?P<unquote>[{QUOTES}]?)|(?P<word>[^\s{QUOTES}]+))"
)
_QUOTE = re.compile(f"[{QUOTES}]")
_REST = re.compile(rf"[^\s{QUOTES}]+")
_NEAR = re.compile(r"NEAR(?:/([0-9]{1,9}))?")


class Kind(Enum):
    """What a piece is."""

    WORD = auto()
    PHRASE = auto()
    OPEN = auto()
    CLOSE = auto()
    NOT = auto()
    AND = auto()
    OR = auto()
    NEAR = auto()
    END = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query; a word or a phrase may be the value of a field such as `site`."""

    kind: Kind
    text: str
    position: int
    field: str = ""
    within: int = 0  # of NEAR


Opened = list[tuple[int, bool]]  # of every open parenthesis: where, and whether it is part of a word


def tokens(query: str) -> Iterator[Token]:
    """The pieces of a query; the last one is its end.

    >>> [token.text for token in tokens('jaguar AND -"new world" (big cat)')]
    ['jaguar', 'AND', '-', 'new world', '(', 'big', 'cat', ')', '']
    """
    opened: Opened = []
    place = 0
    while match := _PIECE.search(query, place):
        place = match.end()
        if match["open"]:
            opened.append((match.start(), False))
            yield Token(Kind.OPEN, "(", match.start())
        elif match["close"]:
            if _closes_group(query, match.start(), opened):
                yield Token(Kind.CLOSE, ")", match.start())
        elif match["minus"]:
            yield Token(Kind.NOT, "-", match.start())
        elif match["quote"]:
            yield _phrase(query, match)
        else:
            whole = _with_marks(query, place)
            end = _word_end(query, match.start("word"), whole, opened)
            place = end + (end == whole and _is_lone(query, end))
            yield from _word(query, match, end)
    for position, in_word in opened:
        if not in_word:
            raise BadQuery(query, position, "this parenthesis is never closed; close it, or leave it out")
    yield Token(Kind.END, "", max(len(query) - 1, 0))


def _closes_group(query: str, position: int, opened: Opened) -> bool:
    """Whether this parenthesis closes a group, or only what was opened within a word."""
    if not opened:
        raise BadQuery(
            query, position, "this parenthesis closes nothing; open one before it, or leave it out"
        )
    return not opened.pop()[1]


def _with_marks(query: str, end: int) -> int:
    """Where a word ends that has quotation marks within."""
    while (
        _is_lone(query, end) and is_inside(query[end + 1 : end + 2]) and (rest := _REST.match(query, end + 1))
    ):
        end = rest.end()
    return end


def _is_lone(query: str, place: int) -> bool:
    """Whether a quotation mark stands here, right behind a letter or a digit, and has no partner.

    What is followed by a blank opens nothing; and what begins a word, or stands within another one, is no
    partner. Scripts without spaces have no such places: there any other mark is one.
    """
    behind = query[place - 1]
    if not (_QUOTE.match(query, place) and (behind.isalnum() or is_inside(behind))):
        return False
    partner = _QUOTE.search(query, place + 1)
    if not partner or not is_inside(behind):
        return not partner
    before, after = query[partner.start() - 1], query[partner.end() : partner.end() + 1]
    return query[place + 1].isspace() or is_inside(after) or (before.isspace() and bool(after.strip()))


def _word_end(query: str, start: int, end: int, opened: Opened) -> int:
    """Where a word ends: at the latest before a parenthesis that no word opened."""
    for place in range(start, end):
        if query[place] == "(":
            opened.append((place, True))
        elif query[place] == ")":
            if not opened or not opened[-1][1]:
                return place
            opened.pop()
    return end


def _phrase(query: str, match: re.Match[str]) -> Token:
    words = " ".join(match["phrase"].split())
    if not match["unquote"]:
        raise BadQuery(query, match.start("quote"), "this quotation mark is never closed")
    if not words:
        raise BadQuery(query, match.start("quote"), "there is nothing between the quotation marks")
    return Token(Kind.PHRASE, words, match.start(), _field(match))


def _word(query: str, match: re.Match[str], end: int) -> Iterator[Token]:
    text = query[match.start("word") : end]
    is_excluded = query[: match.start()].endswith("-")  # a minus touches nothing but words
    if match["field"]:
        yield Token(Kind.WORD, text, match.start(), _field(match))
    elif text.endswith(":") and text[:-1].lower() in FIELDS:
        yield Token(Kind.WORD, "", match.start(), text[:-1].lower())
    elif text in {"AND", "OR", "NOT"} and not is_excluded:
        yield Token(Kind[text], text, match.start())
    elif (near := _NEAR.fullmatch(text)) and not is_excluded:
        yield _near(query, match.start(), near)
    elif text.strip("-"):  # dashes alone are punctuation
        yield Token(Kind.WORD, text, match.start())


def _field(match: re.Match[str]) -> str:
    return match["field"][:-1].lower() if match["field"] else ""


def _near(query: str, position: int, match: re.Match[str]) -> Token:
    within = int(match[1]) if match[1] else NEAR_WORDS
    if not 1 <= within <= FARTHEST:
        raise BadQuery(query, position, f"NEAR reaches from 1 to {FARTHEST:,} words, as in NEAR/5")
    return Token(Kind.NEAR, match[0], position, within=within)
