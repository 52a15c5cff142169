"""What does a field ask for: `site:`, `intitle:`, `lang:`, `before:` and the others?"""

from __future__ import annotations

import re

from gossamer.model import (
    After,
    BadQuery,
    Before,
    ByLinks,
    ByPlace,
    FileType,
    Fuzzy,
    In,
    Language,
    Leaf,
    Phrase,
    Prefix,
    Site,
    Sounding,
    Word,
)
from gossamer.model import Text as TextClause
from gossamer.query.dates import beginning
from gossamer.query.languages import language_code
from gossamer.query.lexer import Kind, Token
from gossamer.web.url import canonical

_PREFIX = re.compile(r"([^*]*\w)\*")
_FUZZY = re.compile(r"([^~]*\w)~([12]?)")
_LETTERS = re.compile(r"[^\W\d_]+")
_PLACE = re.compile(r"[^\W\d_](?:[^\W_]|[ .,'’-])*")
_TYPE = re.compile(r"[\w.+-]+(?:/[\w.+-]+)?")

_EXAMPLES = {
    "site": "a host right behind it, such as site:example.com",
    "filetype": "a type right behind it, such as filetype:pdf",
    "lang": "a language right behind it, by its code or name, such as lang:de or lang:German",
    "before": "a day, month or year right behind it, such as before:2024-05-01 or before:2024",
    "after": "a day, month or year right behind it, such as after:2024-05-01 or after:2024",
    "sounds": "one word of letters right behind it, such as sounds:meyer",
    "link": "an address right behind it, such as link:https://example.org/page",
    "related": "an address right behind it, such as related:https://example.org/page",
    "info": "an address right behind it, such as info:https://example.org/page",
    "country": "a country right behind it, by its code or name, such as country:dk or country:Denmark",
    "near": 'a town right behind it, such as near:Odense or near:"Paris, Texas"',
    "soundex": "one word of letters right behind it, such as soundex:robert",
}


def text_of(token: Token) -> TextClause:
    """The text that a word or a phrase stands for.

    >>> text_of(Token(Kind.WORD, "jagu*", 0)), text_of(Token(Kind.WORD, "jagaur~1", 0))
    (Prefix(text='jagu'), Fuzzy(text='jagaur', mistakes=1))
    """
    if token.kind is Kind.PHRASE:
        return Phrase(token.text)
    if match := _PREFIX.fullmatch(token.text):
        return Prefix(match[1])
    if match := _FUZZY.fullmatch(token.text):
        return Fuzzy(match[1], int(match[2]) if match[2] else None)
    return Word(token.text)


def field_clause(query: str, token: Token) -> Leaf:
    """What a field and its value ask for; raises BadQuery at the field."""
    try:
        return _clause(token.field, token.text, token)
    except ValueError:
        needed = _EXAMPLES.get(
            token.field,
            f'a word or a phrase right behind it, such as {token.field}:jaguar or {token.field}:"big cat"',
        )
        raise BadQuery(query, token.position, f"{token.field}: needs {needed}") from None


def _clause(field: str, value: str, token: Token) -> Leaf:
    if not value or value.startswith("("):
        raise ValueError(value)
    match field:
        case "site":
            return Site(host_of(value))
        case "filetype":
            return FileType(_file_type(value))
        case "lang":
            return Language(language_code(value))
        case "before":
            return Before(_day(value))
        case "after":
            return After(_day(value))
        case "link" | "related" | "info":
            return ByLinks(field, _address(value))
        case "country" | "near":
            return ByPlace(field, _place(value))
        case "sounds" | "soundex":
            return Sounding(_spoken(value, token.kind), field)
    return In(field.removeprefix("in"), text_of(token))


def host_of(typed: str) -> str:
    """The host of `site:`; people also paste whole addresses, and write *. for "all below".

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
    """The address of a page as it was typed, if it can be one."""
    if canonical(typed if "://" in typed else f"http://{typed}") is None:
        raise ValueError(typed)
    return typed


def _place(typed: str) -> str:
    if not _PLACE.fullmatch(typed):
        raise ValueError(typed)
    return typed


def _file_type(typed: str) -> str:
    name = typed.lower().removeprefix("*").removeprefix(".")
    if not _TYPE.fullmatch(name):
        raise ValueError(typed)
    return name


def _spoken(typed: str, kind: Kind) -> str:
    if kind is not Kind.WORD or not _LETTERS.fullmatch(typed):
        raise ValueError(typed)
    return typed


def _day(typed: str) -> str:
    beginning(typed)
    return typed
