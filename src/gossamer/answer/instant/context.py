"""Query, time and owner's data an answer may use."""

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

_MARKED = re.compile(
    r"(?:where is|map of|location of|coordinates of|wo liegt|wo ist|karte von|où est|carte de|dove si trova|"
    r"πού είναι|χάρτης|hvor ligger|kort over|unde este|harta)\s+(.+)"
    r"|(.+?)\s+(?:map|karte|location|coordinates)"
)


# Currency rates from the owner's file
# ------------------------------------

_CODE = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class Rates:
    """How much of each currency one unit of the base is worth, and since when."""

    worth: dict[str, Fraction]
    day: date | None = None


def read_rates(text: str, source: str) -> Rates:
    """The rates of a file: base = "EUR", maybe date = 2026-11-16, and a table [rates] of USD = 1.08.

    Raises BadSetting, which names the file and what is wrong.
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
        raise BadSetting(f"{source}: {code!r} is no currency; write its three capitals, such as USD")
    if not isinstance(value, int | Fraction) or isinstance(value, bool) or value <= 0:
        raise BadSetting(f"{source}: the rate of {code} must be a number above 0, not {value!r}")
    return Fraction(value)


LONGEST = 120  # characters; what is longer asks for pages
_POLITE = re.compile(
    r"^(?:what(?:'s| is| are| was)|how much (?:is|are)|calculate|compute|convert|show me|"
    r"was (?:ist|sind)|wie ?viel (?:ist|sind)|combien font|cât fac)\s+(?=\S)"
)
_DIGIT = re.compile(r"\d")


# Signs that a typesetter takes, as a keyboard has them; powers and degrees are kept from being normalised.
_SIGNS = str.maketrans({
    "−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "²": "^2", "³": "^3", "′": "'", "’": "'", "″": '"',
    "”": '"', "“": '"', "º": "°", "\u00a0": " ", "\u202f": " ",
    "½": " 1/2", "⅓": " 1/3", "⅔": " 2/3", "¼": " 1/4", "¾": " 3/4",
    "⅛": " 1/8", "⅜": " 3/8", "⅝": " 5/8", "⅞": " 7/8",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerQuery:
    """A query without what says nothing: spaces, a question mark, "what is"."""

    typed: str  # with its capitals
    text: str  # in small letters, without the polite beginning
    has_digit: bool

    @classmethod
    def of(cls, query: str) -> AnswerQuery | None:
        """None for a query that is too long to be answered at once, or empty."""
        if len(query) > LONGEST:
            return None
        tidy = query if query.isascii() else unicodedata.normalize("NFKC", query.translate(_SIGNS))
        typed = " ".join(tidy.split()).rstrip("?").rstrip()
        if not typed or len(typed) > LONGEST:  # some characters normalise to many
            return None
        return cls(typed, _POLITE.sub("", typed.lower(), 1), _DIGIT.search(typed) is not None)


@dataclass(frozen=True, slots=True)
class Context:
    """The moment, the owner's rates and links, and the gazetteer."""

    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    rates: Rates | None = None
    links: Mapping[str, str] = field(default_factory=lambda: DEFAULT_LINKS)
    places: Gazetteer | None = None

    def link(self, to: str, value: str) -> str:
        """The address for a value; "" where the owner wants none."""
        return self._filled(to, value=quote(value, safe="/:.-_"))

    def map(self, latitude: float, longitude: float) -> str:
        """The address of a map."""
        return self._filled("map", latitude=f"{latitude:.5f}", longitude=f"{longitude:.5f}")

    def _filled(self, to: str, **values: str) -> str:
        template = self.links.get(to, NO_LINK)
        for name, value in values.items():
            template = template.replace(f"{{{name}}}", value)
        return "" if template == NO_LINK else template


Answerer = Callable[[AnswerQuery, Context], InstantAnswer | None]
