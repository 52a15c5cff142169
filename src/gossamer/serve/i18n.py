"""Page languages: phrases, plurals, dates, names.

The phrases stand in `phrases/`, a file a language; those of the owner's pages in `phrases/owner/`, likewise.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from markupsafe import Markup, escape

from gossamer.text.language_codes import OWN_NAMES

# Language names, direction, Accept-Language
# ------------------------------------------

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
    codes = dict.fromkeys(map(primary, _wanted(header)))
    return tuple(code for code in codes if code.isalpha())[:MOST_ACCEPTED]


@lru_cache(REMEMBERED)
def region(header: str) -> str:
    """The country that a browser's Accept-Language names first, by its two letters; "" where it names none.

    >>> region("de-AT, en-US;q=0.7"), region("zh-Hant-TW"), region("de, en;q=0.8")
    ('AT', 'TW', '')
    """
    parts = (part for tag in _wanted(header) for part in _plain(tag)[1:])
    return next((part.upper() for part in parts if len(part) == 2 and part.isascii() and part.isalpha()), "")


def _plain(tag: str) -> list[str]:
    """The parts of a language tag before its first single letter, behind which extensions stand (RFC 5646).

    >>> _plain("en-GB-u-ca-gregory")
    ['en', 'GB']
    """
    return list(takewhile(lambda part: len(part) != 1, tag.replace("_", "-").split("-")))


def _wanted(header: str) -> list[str]:
    """The tags of the language ranges in a header, the best first."""
    ranges = [_range(part) for part in header[:LONGEST_HEADER].split(",")]
    return [tag for tag, _ in sorted([one for one in ranges if one[1] > 0], key=lambda one: -one[1])]


def _range(part: str) -> tuple[str, float]:
    """A language range with its quality, 0 where that makes no sense."""
    tag, _, quality = part.partition(";")
    name, _, value = quality.strip().lower().partition("=")
    try:
        return tag.strip(), float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return tag.strip(), 0.0


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


FOLDER = Path(__file__).parent / "phrases"
FEW = range(2, 20)  # of Romanian, by the last two digits: 2 to 19, and hundreds followed by 1 to 19


@dataclass(frozen=True, slots=True)
class Translation:
    """One language of the page. Values put into phrases are escaped, unless they are markup already."""

    language: str
    name: str
    thousands: str
    decimal: str
    written_day: str
    months: Sequence[str]
    phrases: Mapping[str, Markup]  # those without gaps may be shown as they are
    counts: Mapping[str, Mapping[str, str]]

    def say(self, key: str, **values: object) -> Markup:
        """A phrase with its gaps filled."""
        return _filled(self.phrases[key], values)

    def count(self, key: str, number: int, **values: object) -> Markup:
        """A phrase about a number, in the form that the number wants."""
        forms = self.counts[key]
        phrase = forms.get(plural(self.language, number), forms["other"])
        return _filled(phrase, {"count": self.number(number), **values})

    def problem(self, code: str) -> Markup:
        """The heading for what went wrong."""
        return self.phrases.get(f"problem_{code}", self.phrases["problem"])

    def because(self, code: str, message: str) -> tuple[str, str]:
        """What went wrong, and in which language that is said: details are said in English."""
        key = f"because_{code}"
        return (self.phrases[key], self.language) if key in self.phrases else (message, PAGE_LANGUAGE)

    def number(self, number: int) -> str:
        return f"{number:,}".replace(",", self.thousands)

    def decimals(self, number: float, places: int) -> str:
        return f"{number:.{places}f}".replace(".", self.decimal)

    def took(self, milliseconds: float) -> str:
        """A duration, as exact as anybody cares for."""
        if milliseconds >= 1000:
            return f"{self.decimals(milliseconds / 1000, 1)} s"
        if milliseconds >= 10:
            return f"{milliseconds:.0f} ms"
        return f"{self.decimals(max(milliseconds, 0.1), 1)} ms"

    def day(self, moment: datetime) -> str:
        return self.written_day.format(day=moment.day, month=self.months[moment.month - 1], year=moment.year)


def _filled(phrase: str, values: Mapping[str, object]) -> Markup:
    # Not Markup.format, which reads the phrase with a parser of its own and takes several times as long.
    return Markup(str.format(phrase, **{name: escape(value) for name, value in values.items()}))


def plural(language: str, number: int) -> str:
    """The form of a noun behind a number: `one`, `few` or `other`.

    >>> [plural("ro", number) for number in (1, 2, 19, 20, 101, 102, 120)], plural("fr", 0), plural("de", 0)
    (['one', 'few', 'few', 'other', 'few', 'few', 'other'], 'one', 'other')
    """
    if number == 1 or (language == "fr" and number == 0):
        return "one"
    if language == "ro" and (number == 0 or number % 100 in FEW or (number > 100 and number % 100 == 1)):
        return "few"
    return "other"


def translations() -> dict[str, Translation]:
    """Every language of the page, by its code; that which everybody gets who speaks none of them first."""
    found = (path.stem for path in FOLDER.glob("*.toml"))
    codes = sorted(found, key=lambda code: (code != PAGE_LANGUAGE, code))
    return {code: _read(code) for code in codes}


def _read(code: str) -> Translation:
    content, owner_s = (
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
        {key: Markup(phrase) for key, phrase in (content["say"] | owner_s["say"]).items()},
        content["count"] | owner_s["count"],
    )


def chosen(known: Mapping[str, Translation], named: str, accepted: Sequence[str]) -> Translation:
    """The language that was named, else the best that the browser asks for."""
    wanted = (code for code in (named, *accepted) if code in known)
    return known[next(wanted, PAGE_LANGUAGE)]


# Dates for display
# -----------------

_WHOLE_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


def day(moment: float | None) -> datetime | None:
    """The day of a moment; None also for what a page's author made up, such as the year 30000."""
    if moment is None:
        return None
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment)
    except (OverflowError, ValueError):
        return None


def day_written(typed: str, translation: Translation) -> str:
    """A day as the page's language writes it; years and months as they were typed."""
    whole = _WHOLE_DAY.fullmatch(typed)
    if not whole:
        return typed
    try:
        return translation.day(datetime(int(whole[1]), int(whole[2]), int(whole[3]), tzinfo=UTC))
    except ValueError:
        return typed
