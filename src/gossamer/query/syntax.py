"""Query language: lexer, parser, fields.

Only unmistakable text is an operator: AND, OR, NOT and NEAR in capitals, a minus at the beginning of a word,
a parenthesis at the beginning or end of one. A parenthesis inside a word, as in `print(x)` or in a URL,
belongs to the word, and so does the one that closes it. A quotation mark after a letter or digit, without a
partner, opens no phrase: it is a part of the word, as in the Hebrew צה"ל, or it means inches and is ignored,
as in `15" monitor`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from gossamer.model import BadQuery, Query
from gossamer.model import query as tree
from gossamer.text.language_codes import language_code
from gossamer.text.words import is_inside
from gossamer.web.url import canonical

# Dates in queries
# ----------------

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{1,2}))?(?:-([0-9]{1,2}))?")


def beginning(day: str) -> float:
    """Return the start of a day, month or year in seconds since 1970, UTC; raise ValueError if it is no date.

    >>> beginning("2024-05"), beginning("1970-01-02")
    (1714521600.0, 86400.0)
    """
    match = _DATE.fullmatch(day)
    if match is None:
        raise ValueError(day)
    year, month, date = (int(part or 1) for part in match.groups())
    return datetime(year, month, date, tzinfo=UTC).timestamp()


FIELDS = (
    *("site", "filetype", "lang", "before", "after", "country", "near"),
    *("inurl", "intitle", "inbody", "inanchor", "sounds", "soundex"),
    *("link", "related", "info"),
)
QUOTES = '"“”„‟«»＂'
NEAR_WORDS = 10  # distance of NEAR without a number
FARTHEST = 1_000  # words: the largest distance of NEAR
_IN_ACRONYM = '(?<=[א-ת])["”](?=[א-ת])'  # Hebrew, also inside a phrase
_PIECE = re.compile(
    rf"(?P<open>\()|(?P<close>\))|(?P<minus>(?<![^\s(])-(?=[^\s)-]))"
    rf"|(?P<field>(?i:{'|'.join(FIELDS)}):)?"
    rf"(?:(?P<quote>[{QUOTES}])(?P<phrase>(?:[^{QUOTES}]|{_IN_ACRONYM})*)(?P<unquote>[{QUOTES}]?)|(?P<word>[^\s{QUOTES}]+))"
)
_QUOTE = re.compile(f"[{QUOTES}]")
_PARENTHESIS = re.compile("[()]")
_REST = re.compile(rf"[^\s{QUOTES}]+")
_NEAR = re.compile(r"NEAR(?:/([0-9]{1,9}))?")


class TokenKind(Enum):
    """The kind of a token."""

    WORD = auto()
    PHRASE = auto()
    OPEN = auto()
    CLOSE = auto()
    NOT = auto()
    AND = auto()
    OR = auto()
    NEAR = auto()
    END = auto()


class Token(NamedTuple):
    """A token of a query; a word or a phrase may be the value of a field such as `site`."""

    kind: TokenKind
    text: str
    position: int
    field: str = ""
    within: int = 0  # of NEAR


OPERATORS = {"AND": TokenKind.AND, "OR": TokenKind.OR, "NOT": TokenKind.NOT}
_OPERATOR_WORDS = frozenset([*OPERATORS, "NEAR"])
Opened = list[tuple[int, bool]]  # open parentheses: position, and whether it is part of a word


def tokens(query: str) -> Iterator[Token]:
    """Yield the tokens of a query; the last one is its end.

    >>> [token.text for token in tokens('jaguar AND -"new world" (big cat)')]
    ['jaguar', 'AND', '-', 'new world', '(', 'big', 'cat', ')', '']
    """
    opened: Opened = []
    place = 0
    has_marks = _QUOTE.search(query) is not None
    while match := _PIECE.search(query, place):
        place = match.end()
        if match["open"]:
            opened.append((match.start(), False))
            yield Token(TokenKind.OPEN, "(", match.start())
        elif match["close"]:
            if _closes_group(query, match.start(), opened):
                yield Token(TokenKind.CLOSE, ")", match.start())
        elif match["minus"]:
            yield Token(TokenKind.NOT, "-", match.start())
        elif match["quote"]:
            yield _phrase(query, match)
        else:
            whole = _with_marks(query, place) if has_marks else place
            end = _word_end(query, match.start("word"), whole, opened)
            place = end + (has_marks and end == whole and _is_lone(query, end))
            if (token := _word(query, match, end)) is not None:
                yield token
    for position, in_word in opened:
        if not in_word:
            raise BadQuery(query, position, "this parenthesis is never closed; close it, or leave it out")
    yield Token(TokenKind.END, "", max(len(query) - 1, 0))


def _closes_group(query: str, position: int, opened: Opened) -> bool:
    """Return whether this parenthesis closes a group, not only a parenthesis inside a word."""
    if not opened:
        raise BadQuery(
            query, position, "this parenthesis is never opened; open one before it, or leave it out"
        )
    return not opened.pop()[1]


def _with_marks(query: str, end: int) -> int:
    """Return the end of a word that may contain quotation marks."""
    while (
        _is_lone(query, end) and is_inside(query[end + 1 : end + 2]) and (rest := _REST.match(query, end + 1))
    ):
        end = rest.end()
    return end


def _is_lone(query: str, place: int) -> bool:
    """Return whether there is a quotation mark at a place, right after a letter or digit, without a partner.

    A mark before a blank opens nothing. A mark at the beginning of a word, or inside another word, is no
    partner. In scripts without spaces, any other mark is a partner.
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
    """Return the end of a word: at the latest before a parenthesis that was not opened inside a word."""
    for match in _PARENTHESIS.finditer(query, start, end):
        if match[0] == "(":
            opened.append((match.start(), True))
        elif not opened or not opened[-1][1]:
            return match.start()
        else:
            opened.pop()
    return end


def _phrase(query: str, match: re.Match[str]) -> Token:
    words = " ".join(match["phrase"].split())
    if not match["unquote"]:
        raise BadQuery(query, match.start("quote"), "this quotation mark is never closed")
    if not words:
        raise BadQuery(query, match.start("quote"), "there is nothing between the quotation marks")
    return Token(TokenKind.PHRASE, words, match.start(), _field(match))


def _word(query: str, match: re.Match[str], end: int) -> Token | None:
    """Return a word, a field with its value, or an operator; None for dashes alone, which are punctuation."""
    start = match.start()
    text = query[match.start("word") : end]
    if match["field"]:
        return Token(TokenKind.WORD, text, start, _field(match))
    if text.endswith(":") and text[:-1].lower() in FIELDS:
        return Token(TokenKind.WORD, "", start, text[:-1].lower())
    if text[0] in "ANO" and not query.endswith("-", 0, start):  # a minus before an operator makes it a word
        if kind := OPERATORS.get(text):
            return Token(kind, text, start)
        if near := _NEAR.fullmatch(text):
            return _near(query, start, near)
    return Token(TokenKind.WORD, text, start) if text.strip("-") else None


def _field(match: re.Match[str]) -> str:
    return match["field"][:-1].lower() if match["field"] else ""


def _near(query: str, position: int, match: re.Match[str]) -> Token:
    within = int(match[1]) if match[1] else NEAR_WORDS
    if not 1 <= within <= FARTHEST:
        raise BadQuery(query, position, f"the distance of NEAR must be 1 to {FARTHEST:,} words, as in NEAR/5")
    return Token(TokenKind.NEAR, match[0], position, within=within)


# Fields: site:, intitle:, lang:, before:
# ---------------------------------------

_PREFIX = re.compile(r"([^*]*\w)\*")
_FUZZY = re.compile(r"([^~]*\w)~([12]?)")
_LETTERS = re.compile(r"[^\W\d_]+")
_PLACE = re.compile(r"[^\W\d_](?:[^\W_]|[ .,'’-])*")
_TYPE = re.compile(r"[\w.+-]+(?:/[\w.+-]+)?")
_A_DAY = "a day, month or year right after it, such as {0}:2024-05-01 or {0}:2024"
_AN_ADDRESS = "a URL right after it, such as {0}:https://example.org/page"
_EXAMPLES = {
    "site": "a host right after it, such as site:example.com",
    "filetype": "a type right after it, such as filetype:pdf",
    "lang": "a language right after it, by its code or name, such as lang:de or lang:German",
    **dict.fromkeys(["before", "after"], _A_DAY),
    **dict.fromkeys(["link", "related", "info"], _AN_ADDRESS),
    "sounds": "one word of letters right after it, such as sounds:meyer",
    "soundex": "one word of letters right after it, such as soundex:robert",
    "country": "a country right after it, by its code or name, such as country:dk or country:Denmark",
    "near": 'a town right after it, such as near:Odense or near:"Paris, Texas"',
}
_ANY_TEXT = 'a word or a phrase right after it, such as {0}:jaguar or {0}:"big cat"'


def text_of(token: Token) -> tree.Text:
    """Return the text of a word or phrase token.

    >>> text_of(Token(TokenKind.WORD, "jagu*", 0)), text_of(Token(TokenKind.WORD, "jagaur~1", 0))
    (Prefix(text='jagu'), Fuzzy(text='jagaur', mistakes=1))
    """
    if token.kind is TokenKind.PHRASE:
        return tree.Phrase(token.text)
    if match := _PREFIX.fullmatch(token.text):
        return tree.Prefix(match[1])
    if match := _FUZZY.fullmatch(token.text):
        return tree.Fuzzy(match[1], int(match[2]) if match[2] else None)
    return tree.Word(token.text)


def field_clause(query: str, token: Token) -> tree.Leaf:
    """Return the clause of a field and its value; raise BadQuery at the field."""
    try:
        return _clause(token.field, token.text, token)
    except ValueError:
        needed = _EXAMPLES.get(token.field, _ANY_TEXT).format(token.field)
        raise BadQuery(query, token.position, f"{token.field}: needs {needed}") from None


def _clause(field: str, value: str, token: Token) -> tree.Leaf:
    if not value or value.startswith("("):
        raise ValueError(value)
    match field:
        case "site":
            return tree.Site(host_of(value))
        case "filetype":
            return tree.FileType(_formed(_TYPE, value.lower().removeprefix("*").removeprefix(".")))
        case "lang":
            return tree.Language(language_code(value))
        case "before":
            return tree.Before(_day(value))
        case "after":
            return tree.After(_day(value))
        case "link" | "related" | "info":
            return tree.ByLinks(field, _address(value))
        case "country" | "near":
            return tree.ByPlace(field, _formed(_PLACE, value))
        case "sounds" | "soundex" if token.kind is TokenKind.WORD:
            return tree.Sounding(_formed(_LETTERS, value), field)
        case "sounds" | "soundex":
            raise ValueError(value)
    return tree.In(field.removeprefix("in"), text_of(token))


def host_of(typed: str) -> str:
    """Return the host of `site:`. The value may also be a whole URL, or begin with "*.".

    >>> host_of("https://Example.org/cats/"), host_of("*.example.org")
    ('example.org', 'example.org')
    """
    address = typed.partition("://")[2] or typed
    host = re.split(r"[/?#]", address, maxsplit=1)[0].removeprefix("*").strip(".")
    url = canonical(f"http://{host}/") if host else None
    if url is None:
        raise ValueError(typed)
    return url.authority


def _address(typed: str) -> str:
    """Return a URL as typed; raise ValueError if it cannot be one."""
    if canonical(typed if "://" in typed else f"http://{typed}") is None:
        raise ValueError(typed)
    return typed


def _formed(form: re.Pattern[str], typed: str) -> str:
    """Return the value if it matches a pattern; else raise ValueError."""
    if not form.fullmatch(typed):
        raise ValueError(typed)
    return typed


def _day(typed: str) -> str:
    beginning(typed)
    return typed


# Parser of the query language
# ----------------------------
#
#     query    = { either }
#     either   = both { "OR" both }
#     both     = negated { "AND" negated }
#     negated  = ("NOT" | "-") negated | close
#     close    = part { ("NEAR" | "NEAR/k") part }
#     part     = word | word"*" | word"~" | '"' words '"' | field ":" value | "(" query ")"
#
# Clauses without an operator between them bind least, so `cat OR dog food` is `(cat OR dog) food`.

LONGEST = 2_000  # characters
MOST_CLAUSES = 64
DEEPEST = 20  # nested parentheses and NOTs
REMEMBERED = 1_000  # queries that are cached: several parts of a results page parse the same one
_LITERALLY = "to search for the word itself, write it in lower case"


@lru_cache(REMEMBERED)
def parse(text: str) -> Query:
    """Parse a query; raise BadQuery with the position of an error.

    >>> parse('jaguar "new world" -car').clauses
    (Word(text='jaguar'), Phrase(text='new world'), Not(clause=Word(text='car')))
    """
    if len(text) > LONGEST:
        raise BadQuery(text, LONGEST, f"it is longer than {LONGEST:,} characters")
    if plain := plain_clauses(text):
        return Query(text, plain)
    query = Query(text, _Parser(text).clauses())
    if not any(wanted for _, wanted in query.leaves()):
        excluded = ", only exclusions" if query.clauses else ""
        raise BadQuery(text, 0, f"there is nothing to search for{excluded}")
    return query


def plain_clauses(text: str) -> tuple[tree.Clause, ...]:
    """Parse a list of words, words joined by AND, or one phrase; return () for any other query.

    This is a shortcut for the most frequent forms of queries, with letters and digits only. It takes 3 or
    4 µs; the parser takes 6 to 24 µs. For comparison, finding the ten best of half a million passages takes
    50 µs (`benchmarks/search.py`).
    """
    is_phrase = len(text) > 2 and text[0] == text[-1] == '"'
    typed = text[1:-1].split() if is_phrase else text.split()
    if not "".join(typed).isalnum() or len(typed) > MOST_CLAUSES:
        return ()
    if is_phrase:
        return (tree.Phrase(" ".join(typed)),)
    is_conjunction = len(typed) > 2 and typed[1] == "AND"
    if is_conjunction and (len(typed) % 2 == 0 or typed[1::2].count("AND") != len(typed) // 2):
        return ()
    typed = typed[::2] if is_conjunction else typed
    if not _OPERATOR_WORDS.isdisjoint(typed):
        return ()
    texts = tuple(map(tree.Word, typed))
    return (tree.And(texts),) if is_conjunction else texts


class _Parser:
    """Recursive descent parser of one query."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(tokens(text))
        self._next = 0
        self._parts = 0
        self._depth = 0

    def clauses(self) -> tuple[tree.Clause, ...]:
        """Return the clauses of the whole query."""
        return self._side_by_side(TokenKind.END)

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _wrong(self, token: Token, why: str) -> BadQuery:
        return BadQuery(self._text, token.position, why)

    def _side_by_side(self, end: TokenKind) -> tuple[tree.Clause, ...]:
        """Parse clauses up to a token; a group directly inside another is replaced by its parts."""
        clauses: list[tree.Clause] = []
        while self._peek().kind is not end:
            clause = self._either()
            clauses += clause.clauses if isinstance(clause, tree.Group) else (clause,)
        return tuple(clauses)

    def _either(self) -> tree.Clause:
        return self._joined(TokenKind.OR, tree.Or, self._both)

    def _both(self) -> tree.Clause:
        return self._joined(TokenKind.AND, tree.And, self._negated)

    def _joined(
        self,
        kind: TokenKind,
        join: Callable[[tuple[tree.Clause, ...]], tree.Clause],
        operand: Callable[[], tree.Clause],
    ) -> tree.Clause:
        clauses = [operand()]
        while self._peek().kind is kind:
            self._take()
            clauses.append(operand())
        return join(tuple(clauses)) if len(clauses) > 1 else clauses[0]

    def _negated(self) -> tree.Clause:
        if self._peek().kind is not TokenKind.NOT:
            return self._close()
        self._deeper(self._take())
        clause = tree.Not(self._negated())
        self._depth -= 1
        return clause

    def _deeper(self, token: Token) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._wrong(token, f"more than {DEEPEST} parentheses or NOTs are nested")

    def _close(self) -> tree.Clause:
        first = self._peek()
        clause = self._part()
        if self._peek().kind is not TokenKind.NEAR:
            return clause
        within = self._peek().within
        texts = [self._text_part(first, clause)]
        while self._peek().kind is TokenKind.NEAR:
            near = self._take()
            if near.within != within:
                raise self._wrong(
                    near, f"consecutive NEARs need the same distance; write NEAR/{within} here, too"
                )
            texts.append(self._text_part(self._peek(), self._part()))
        return tree.Near(tuple(texts), within)

    def _text_part(self, token: Token, clause: tree.Clause) -> tree.Text:
        if isinstance(clause, tree.Word | tree.Prefix | tree.Fuzzy | tree.Sounding | tree.Phrase):
            return clause
        if isinstance(clause, tree.In):
            why = f"write the words without {token.field}:, or use {token.field}: outside of NEAR"
        else:
            why = 'write words or "phrases" on both sides'
        raise self._wrong(token, f"NEAR cannot measure a distance from here; {why}")

    def _part(self) -> tree.Clause:
        token = self._take()
        if token.kind is TokenKind.OPEN:
            return self._enclosed(token)
        if token.kind not in {TokenKind.WORD, TokenKind.PHRASE}:
            raise self._missing(token)
        self._parts += 1
        if self._parts > MOST_CLAUSES:
            raise self._wrong(token, f"it has more than {MOST_CLAUSES} words and phrases")
        return field_clause(self._text, token) if token.field else text_of(token)

    def _enclosed(self, opening: Token) -> tree.Clause:
        self._deeper(opening)
        clauses = self._side_by_side(TokenKind.CLOSE)
        self._take()
        self._depth -= 1
        if not clauses:
            raise self._wrong(opening, "there is nothing between the parentheses")
        return clauses[0] if len(clauses) == 1 else tree.Group(clauses)

    def _missing(self, token: Token) -> BadQuery:
        """Return the error for a missing clause; it names the operator before the gap or the token after."""
        before = self._tokens[self._next - 2] if self._next > 1 else None
        if before and before.kind in {TokenKind.AND, TokenKind.OR, TokenKind.NEAR, TokenKind.NOT}:
            hint = "" if before.text == "-" else f"; {_LITERALLY}"
            return self._wrong(before, f"there is nothing to search for after {before.text}{hint}")
        return self._wrong(token, f"there is nothing to search for before {token.text}; {_LITERALLY}")
