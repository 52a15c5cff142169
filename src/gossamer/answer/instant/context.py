"""The query, the time and the owner's data, which instant answers use."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any
from urllib.parse import quote

from gossamer.answer.gazetteer import Gazetteer
from gossamer.answer.instant.settings import DEFAULT_LINKS, NO_LINK
from gossamer.model import BadSetting, InstantAnswer

ASKS_WHERE = re.compile(
    r"(?:where is|map of|location of|coordinates of|wo liegt|wo ist|karte von|où est|carte de|dove si trova|"
    r"πού είναι|χάρτης|hvor ligger|kort over|unde este|harta)\s+(.+)"
    r"|(.+?)\s+(?:map|karte|location|coordinates)"
)


# Currency rates from the owner's file
# ------------------------------------

_CODE = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class Rates:
    """The value of one unit of the base in each currency, and the day of the rates."""

    worth: dict[str, Fraction]
    day: date | None = None


def read_rates(text: str, source: str) -> Rates:
    """Read a file of rates: base = "EUR", optionally date = 2026-11-16, and a table [rates] of USD = 1.08.

    Raises BadSetting, with the name of the file and the error.
    """
    try:
        content = tomllib.loads(text, parse_float=Fraction)
    except (tomllib.TOMLDecodeError, ValueError, OverflowError) as error:
        raise BadSetting(f"{source}: {error}") from None
    base, day, table = content.get("base"), content.get("date"), content.get("rates")
    if not isinstance(base, str) or not _CODE.fullmatch(base):
        raise BadSetting(f'{source}: it needs a base, such as base = "EUR"')
    if day is not None and type(day) is not date:
        raise BadSetting(f"{source}: date must be a day such as 2026-11-16, not {day!r}")
    if not isinstance(table, dict):
        raise BadSetting(f"{source}: it needs a table [rates] with lines such as USD = 1.08")
    worth = {code: _rate(code, value, source) for code, value in table.items()}
    return Rates({base: Fraction(1)} | worth, day)


def _rate(code: str, value: Any, source: str) -> Fraction:
    if not _CODE.fullmatch(code):
        raise BadSetting(f"{source}: {code!r} is no currency; write a code of three capitals, such as USD")
    if not isinstance(value, int | Fraction) or isinstance(value, bool) or value <= 0:
        raise BadSetting(f"{source}: the rate of {code} must be a number above 0, not {value!r}")
    return Fraction(value)


LONGEST = 120  # characters; longer queries get no instant answer
_POLITE = re.compile(
    r"^(?:what(?:'s| is| are| was)|how much (?:is|are)|calculate|compute|convert|show me|"
    r"was (?:ist|sind)|wie ?viel (?:ist|sind)|combien font|cât fac)\s+(?=\S)"
)
_DIGIT = re.compile(r"\d")


# Typographic signs, as a keyboard writes them. Powers and degrees must be replaced before normalisation.
_SIGNS = str.maketrans({
    "−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "²": "^2", "³": "^3", "′": "'", "’": "'", "″": '"',
    "”": '"', "“": '"', "º": "°", "\u00a0": " ", "\u202f": " ",
    "½": " 1/2", "⅓": " 1/3", "⅔": " 2/3", "¼": " 1/4", "¾": " 3/4",
    "⅛": " 1/8", "⅜": " 3/8", "⅝": " 5/8", "⅞": " 7/8",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerQuery:
    """A query without extra spaces, question mark and phrases such as "what is"."""

    typed: str  # with capitals, and with the phrase at its beginning
    text: str  # in small letters, without that phrase
    has_digit: bool

    @classmethod
    def of(cls, query: str) -> AnswerQuery | None:
        """Read a query; None if it is empty or too long."""
        if len(query) > LONGEST:
            return None
        tidy = query if query.isascii() else unicodedata.normalize("NFKC", query.translate(_SIGNS))
        typed = " ".join(tidy.split()).rstrip("?").rstrip()
        if not typed or len(typed) > LONGEST:  # some characters normalise to many
            return None
        return cls(typed, _POLITE.sub("", typed.lower(), 1), _DIGIT.search(typed) is not None)


@dataclass(frozen=True, slots=True)
class Context:
    """The time, the owner's rates and links, and the gazetteer."""

    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    rates: Rates | None = None
    links: Mapping[str, str] = field(default_factory=lambda: DEFAULT_LINKS)
    places: Gazetteer | None = None

    def link(self, to: str, value: str) -> str:
        """The link for a value; "" if the owner turned it off."""
        return self._filled(to, value=quote(value, safe="/:.-_"))

    def map(self, latitude: float, longitude: float) -> str:
        """The link to a map; "" if the owner turned it off."""
        return self._filled("map", latitude=f"{latitude:.5f}", longitude=f"{longitude:.5f}")

    def _filled(self, to: str, **values: str) -> str:
        template = self.links.get(to, NO_LINK)
        for name, value in values.items():
            template = template.replace(f"{{{name}}}", value)
        return "" if template == NO_LINK else template


Answerer = Callable[[AnswerQuery, Context], InstantAnswer | None]
