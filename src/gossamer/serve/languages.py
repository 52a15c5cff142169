"""How is a language called by those who speak it, does it run from right to left, and who reads it?"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from itertools import takewhile

from gossamer.query.languages import OWN_NAMES

PAGE_LANGUAGE = "en"  # of the search page for those who speak none of its languages
LONGEST_HEADER = 1_000  # characters of Accept-Language that are read
MOST_ACCEPTED = 10  # languages
REMEMBERED = 1_000  # tags of languages, and headers that name several
BY_LANGUAGE = {"Vary": "Accept-Language"}  # what answers say that depend on it

_RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})


@lru_cache(REMEMBERED)
def primary(language: str) -> str:
    """The first part of a language tag.

    >>> primary("pt-BR")
    'pt'
    """
    return language.lower().replace("_", "-").partition("-")[0]


@lru_cache(REMEMBERED)
def accepted(header: str) -> tuple[str, ...]:
    """The codes of the languages that a browser's Accept-Language names, best first.

    >>> accepted("de-AT, en;q=0.7, fr;q=0.9, *;q=0.5, it;q=0")
    ('de', 'fr', 'en')
    """
    ranges = [_range(part) for part in header[:LONGEST_HEADER].split(",")]
    wanted = sorted((one for one in ranges if one[1] > 0), key=lambda one: -one[1])
    return tuple(dict.fromkeys(code for code, _ in wanted if code.isalpha()))[:MOST_ACCEPTED]


@lru_cache(REMEMBERED)
def region(header: str) -> str:
    """The country that a browser's Accept-Language names first, by its two letters; "" where it names none.

    >>> region("de-AT, en-US;q=0.7"), region("zh-Hant-TW"), region("de, en;q=0.8")
    ('AT', 'TW', '')
    """
    ranges = [
        (part.partition(";")[0].strip(), _range(part)[1]) for part in header[:LONGEST_HEADER].split(",")
    ]
    wanted = sorted((one for one in ranges if one[1] > 0), key=lambda one: -one[1])
    parts = (part for tag, _ in wanted for part in _plain(tag)[1:])
    return next((part.upper() for part in parts if len(part) == 2 and part.isascii() and part.isalpha()), "")


def _plain(tag: str) -> list[str]:
    """The parts of a language tag before its first single letter, behind which extensions stand (RFC 5646).

    >>> _plain("en-GB-u-ca-gregory")
    ['en', 'GB']
    """
    return list(takewhile(lambda part: len(part) != 1, tag.replace("_", "-").split("-")))


def _range(part: str) -> tuple[str, float]:
    """A language range with its quality, 0 where that makes no sense."""
    tag, _, quality = part.partition(";")
    name, _, value = quality.strip().lower().partition("=")
    if name.strip() != "q":
        return primary(tag.strip()), 1.0
    try:
        return primary(tag.strip()), float(value)
    except ValueError:
        return primary(tag.strip()), 0.0


def foreign_name(language: str, page_language: str = PAGE_LANGUAGE) -> str:
    """The language's own name for itself; empty for the language of the search page, or for none."""
    code = primary(language)
    return "" if code == page_language else OWN_NAMES.get(code, code)


def direction(text: str, language: str) -> str:
    """The `dir` of a text: `auto` is misled when an Arabic sentence begins with "HTML"."""
    if primary(language) not in _RIGHT_TO_LEFT:
        return "auto"
    leftward = any(unicodedata.bidirectional(character) in {"R", "AL"} for character in text)
    return "rtl" if leftward else "auto"
