"""Page languages: phrases, plurals, dates, names.

`phrases/` has one file per language, and `phrases/owner/` one per language for the owner's pages.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from markupsafe import Markup, escape

from gossamer.text.language_codes import OWN_NAMES, primary

# Language names, direction, Accept-Language
# ------------------------------------------

PAGE_LANGUAGE = "en"  # page language if none of the user's languages is available
LONGEST_HEADER = 1_000  # characters of Accept-Language that are parsed
MOST_ACCEPTED = 10  # languages
REMEMBERED = 1_000  # language tags and headers whose results are cached
BY_LANGUAGE = {"Vary": "Accept-Language"}  # header of responses that depend on it
_RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})


@lru_cache(REMEMBERED)
def accepted(header: str) -> tuple[str, ...]:
    """Return the language codes in a header Accept-Language, best first.

    >>> accepted("de-AT, en;q=0.7, fr;q=0.9, *;q=0.5, it;q=0")
    ('de', 'fr', 'en')
    """
    codes = dict.fromkeys(map(primary, _wanted(header)))
    return tuple(code for code in codes if code.isalpha())[:MOST_ACCEPTED]


@lru_cache(REMEMBERED)
def region(header: str) -> str:
    """Return the first country code in a header Accept-Language; "" if there is none.

    >>> region("de-AT, en-US;q=0.7"), region("zh-Hant-TW"), region("de, en;q=0.8")
    ('AT', 'TW', '')
    """
    parts = (part for tag in _wanted(header) for part in _plain(tag)[1:])
    return next((part.upper() for part in parts if len(part) == 2 and part.isascii() and part.isalpha()), "")


def _plain(tag: str) -> list[str]:
    """Return the parts of a language tag before any extensions, which begin with a single letter (RFC 5646).

    >>> _plain("en-GB-u-ca-gregory")
    ['en', 'GB']
    """
    return list(takewhile(lambda part: len(part) != 1, tag.replace("_", "-").split("-")))


def _wanted(header: str) -> list[str]:
    """Return the tags of the language ranges in a header, best first."""
    ranges = [_range(part) for part in header[:LONGEST_HEADER].split(",")]
    return [tag for tag, _ in sorted([one for one in ranges if one[1] > 0], key=lambda one: -one[1])]


def _range(part: str) -> tuple[str, float]:
    """Return a language range and its quality; 0 if the quality is invalid."""
    tag, _, quality = part.partition(";")
    name, _, value = quality.strip().lower().partition("=")
    try:
        return tag.strip(), float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return tag.strip(), 0.0


def foreign_name(language: str, page_language: str = PAGE_LANGUAGE) -> str:
    """Return the language's own name; "" if it is the page language or unknown."""
    code = primary(language)
    return "" if code == page_language else OWN_NAMES.get(code, code)


def direction(text: str, language: str) -> str:
    """Return the HTML attribute `dir` of a text.

    `auto` would be wrong for an Arabic sentence that begins with "HTML".
    """
    if primary(language) not in _RIGHT_TO_LEFT:
        return "auto"
    leftward = any(unicodedata.bidirectional(character) in {"R", "AL"} for character in text)
    return "rtl" if leftward else "auto"


FOLDER = Path(__file__).parent / "phrases"
FEW = range(2, 20)  # last two digits of Romanian numbers with the plural form `few`; see `plural`


@dataclass(frozen=True, slots=True)
class Translation:
    """One page language. Values that are put into phrases are escaped, unless they are Markup."""

    language: str
    name: str
    thousands: str
    decimal: str
    written_day: str
    months: Sequence[str]
    phrases: Mapping[str, Markup]  # those without placeholders may be shown directly
    counts: Mapping[str, Mapping[str, str]]

    def say(self, key: str, **values: object) -> Markup:
        """Return a phrase with its placeholders filled."""
        return _filled(self.phrases[key], values)

    def count(self, key: str, number: int, **values: object) -> Markup:
        """Return a phrase about a number, in the plural form for the number."""
        forms = self.counts[key]
        phrase = forms.get(plural(self.language, number), forms["other"])
        return _filled(phrase, {"count": self.number(number), **values})

    def problem(self, code: str) -> Markup:
        """Return the heading for an error code."""
        return self.phrases.get(f"problem_{code}", self.phrases["problem"])

    def because(self, code: str, message: str) -> tuple[str, str]:
        """Return the error message and its language: details exist in English only."""
        key = f"because_{code}"
        return (self.phrases[key], self.language) if key in self.phrases else (message, PAGE_LANGUAGE)

    def number(self, number: int) -> str:
        return f"{number:,}".replace(",", self.thousands)

    def decimals(self, number: float, places: int) -> str:
        return f"{number:.{places}f}".replace(".", self.decimal)

    def took(self, milliseconds: float) -> str:
        """Format a duration."""
        if milliseconds >= 1000:
            return f"{self.decimals(milliseconds / 1000, 1)} s"
        if milliseconds >= 10:
            return f"{milliseconds:.0f} ms"
        return f"{self.decimals(max(milliseconds, 0.1), 1)} ms"

    def day(self, moment: datetime) -> str:
        return self.written_day.format(day=moment.day, month=self.months[moment.month - 1], year=moment.year)


def _filled(phrase: str, values: Mapping[str, object]) -> Markup:
    # Not Markup.format: it has a parser of its own and takes several times as long.
    return Markup(str.format(phrase, **{name: escape(value) for name, value in values.items()}))


def plural(language: str, number: int) -> str:
    """Return the plural form for a number: `one`, `few` or `other`.

    >>> [plural("ro", number) for number in (1, 2, 19, 20, 101, 102, 120)], plural("fr", 0), plural("de", 0)
    (['one', 'few', 'few', 'other', 'few', 'few', 'other'], 'one', 'other')
    """
    if number == 1 or (language == "fr" and number == 0):
        return "one"
    if language == "ro" and (number == 0 or number % 100 in FEW or (number > 100 and number % 100 == 1)):
        return "few"
    return "other"


def translations() -> dict[str, Translation]:
    """Return all page languages by code, the default first."""
    found = (path.stem for path in FOLDER.glob("*.toml"))
    codes = sorted(found, key=lambda code: (code != PAGE_LANGUAGE, code))
    return {code: _read(code) for code in codes}


def _read(code: str) -> Translation:
    content, for_owner = (
        tomllib.loads((folder / f"{code}.toml").read_text(encoding="utf-8"))
        for folder in (FOLDER, FOLDER / "owner")
    )
    return Translation(
        code,
        content["name"],
        content["thousands"],
        content["decimal"],
        content["day"],
        tuple(content["months"]),
        {key: Markup(phrase) for key, phrase in (content["say"] | for_owner["say"]).items()},
        content["count"] | for_owner["count"],
    )


def chosen(known: Mapping[str, Translation], named: str, accepted: Sequence[str]) -> Translation:
    """Return the language that the URL names, else the best one that the browser accepts."""
    wanted = (code for code in (named, *accepted) if code in known)
    return known[next(wanted, PAGE_LANGUAGE)]


# Dates for display
# -----------------

_WHOLE_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


def day_written(typed: str, translation: Translation) -> str:
    """Return a date in the page language. A year or a month stays as typed."""
    whole = _WHOLE_DAY.fullmatch(typed)
    if not whole:
        return typed
    try:
        return translation.day(datetime(int(whole[1]), int(whole[2]), int(whole[3]), tzinfo=UTC))
    except ValueError:
        return typed
