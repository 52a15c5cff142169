"""What may an instant answer know: the query, tidied, and what surrounds it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from urllib.parse import quote

from gossamer.model import InstantAnswer
from gossamer.results.answers.gazetteer import Gazetteer
from gossamer.results.answers.rates import Rates
from gossamer.results.answers.settings import DEFAULT_LINKS, NO_LINK

LONGEST = 120  # characters; what is longer asks for pages

_POLITE = re.compile(
    r"^(?:what(?:'s| is| are| was)|how much (?:is|are)|calculate|compute|convert|show me|"
    r"was (?:ist|sind)|wie ?viel (?:ist|sind)|combien font|cât fac)\s+(?=\S)"
)
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Asked:
    """A query without what says nothing: spaces, a question mark, "what is"."""

    typed: str  # with its capitals
    text: str  # in small letters, without the polite beginning
    has_digit: bool

    @classmethod
    def of(cls, query: str) -> Asked | None:
        """None for a query that is too long to be answered at once, or empty."""
        if len(query) > LONGEST:
            return None
        tidy = query if query.isascii() else unicodedata.normalize("NFKC", _plain(query))
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

    @property
    def zone(self) -> tzinfo:
        """Where the person is, as far as is known."""
        return self.now.tzinfo or UTC

    def link(self, to: str, value: str) -> str:
        """The address for a value; "" where the owner wants none."""
        template = self.links.get(to, NO_LINK)
        return "" if template == NO_LINK else template.replace("{value}", quote(value, safe="/:.-_"))

    def map(self, latitude: float, longitude: float) -> str:
        """The address of a map."""
        template = self.links.get("map", NO_LINK)
        if template == NO_LINK:
            return ""
        return template.replace("{latitude}", f"{latitude:.5f}").replace("{longitude}", f"{longitude:.5f}")


Answerer = Callable[[Asked, Context], InstantAnswer | None]


def _plain(text: str) -> str:
    """With the signs that a keyboard has, instead of those that a typesetter takes.

    Powers and degrees are kept from being normalised into other things.
    """
    return text.translate(_SIGNS)


_SIGNS = str.maketrans({
    "−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "²": "^2", "³": "^3", "′": "'", "’": "'", "″": '"',
    "”": '"', "“": '"', "º": "°", "\u00a0": " ", "\u202f": " ",
    "½": " 1/2", "⅓": " 1/3", "⅔": " 2/3", "¼": " 1/4", "¾": " 3/4",
    "⅛": " 1/8", "⅜": " 3/8", "⅝": " 5/8", "⅞": " 7/8",
})  # fmt: skip
