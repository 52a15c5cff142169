"""Find the instant answer of a query."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from zoneinfo import ZoneInfo

from gossamer.answer.gazetteer import Gazetteer
from gossamer.answer.instant.context import ASKS_WHERE, Answerer, AnswerQuery, Context, Rates, read_rates
from gossamer.answer.instant.settings import DEFAULT_LINKS, AnswerSettings
from gossamer.model import BadSetting, InstantAnswer
from gossamer.storage.files import WatchedFile


def asks_for_place(query: str) -> bool:
    """Whether a query asks where something is, which needs the gazetteer."""
    asked = AnswerQuery.of(query)
    return asked is not None and ASKS_WHERE.fullmatch(asked.text) is not None


# Cheap test: can there be an answer
# ----------------------------------
#
# Most queries have no instant answer. Two regular expressions exclude nearly all of these.

_SIGNS = re.compile(r"[\d$#:π√½⅓⅔¼¾⅛⅜⅝⅞]|^\s*\.")
_CUES = re.compile(
    r"\b(?:codes?|time (?:now )?(?:in|at)|time is it|date|days?|weeks?|weekday|today|"
    r"where is|map|location|coordinates|how many|(?:share|stock) price|stock quote|datum|kalenderwoche|"
    r"uhrzeit|spät|tage?|wochentag|wieviele?|wie viele?|wo liegt|wo ist|karte|vorwahl|"
    r"heure|jours?|combien|où est|carte de|indicatif|hora|ora|dove si trova|hvor ligger|kort over|klokken|"
    r"unde este|harta|ceasul|ώρα|πού είναι|χάρτης)\b"
    r"|^\s*(?:convert )?\S+(?: \S+){0,2} to \S+(?: \S+){0,2}\s*$",  # miles to km
    re.IGNORECASE,
)


def may_have_answer(query: str) -> bool:
    """Whether a query has a digit, sign or word that queries with instant answers have.

    >>> may_have_answer("jaguar cars"), may_have_answer("time in tokyo"), may_have_answer("2+2")
    (False, True, True)
    """
    return _SIGNS.search(query) is not None or _CUES.search(query) is not None


NAME = "rates.toml"


class InstantAnswers:
    """Answer queries at once, without a search. Threads may share it."""

    def __init__(self, settings: AnswerSettings, rates: Path) -> None:
        self._settings = settings
        self._links = DEFAULT_LINKS | {one.to: one.address for one in settings.links}
        self._rates: WatchedFile[Rates | None] = WatchedFile(rates, read_rates, None)
        self._places: Gazetteer | None = None

    def answers(self, text: str) -> tuple[InstantAnswer, ...]:
        """The answers to a query. Raises BadSetting if the owner's settings or rates are wrong."""
        if not self._settings.enabled or not (self._places or may_have_answer(text)):
            return ()
        if self._places is None and asks_for_place(text):
            self.gazetteer()
        context = Context(datetime.now(self._zone), self._rates.content(), self._links, self._places)
        return answers(text, context, self._without)

    def gazetteer(self) -> Gazetteer | None:
        """The gazetteer. It takes a second to read, so servers do this when they start."""
        if self._settings.places and self._places is None:
            self._places = Gazetteer.installed()
        return self._places

    @cached_property
    def _zone(self) -> ZoneInfo:
        return time_zone(self._settings.time_zone)

    @cached_property
    def _without(self) -> frozenset[str]:
        return known_kinds(self._settings.without)


# Try each kind of answer
# -----------------------


@cache
def answerers() -> Mapping[Answerer, tuple[str, ...]]:
    """Return the functions that find answers, with the kinds that they find; the most reliable come first.

    Their modules are imported when a query may have an answer.
    """
    from gossamer.answer.instant.arithmetic import arithmetic
    from gossamer.answer.instant.dates_and_times import clock, dates
    from gossamer.answer.instant.geography import coordinates, country, place, telephone
    from gossamer.answer.instant.identifiers import colour, flight, identifier, internet, parcel, stock
    from gossamer.answer.instant.units import currency, units

    return {
        coordinates: ("coordinates",),
        internet: ("ip",),
        parcel: ("parcel",),
        identifier: ("isbn", "issn", "ean", "doi", "iban"),
        colour: ("colour",),
        stock: ("stock",),
        flight: ("flight",),
        telephone: ("telephone",),
        country: ("country",),
        clock: ("time",),
        dates: ("date",),
        units: ("units",),
        currency: ("currency",),
        arithmetic: ("arithmetic",),
        place: ("place",),
    }


def all_kinds() -> tuple[str, ...]:
    """List the kinds of answers."""
    return tuple(chain(*answerers().values()))


def time_zone(name: str) -> ZoneInfo:
    """The time zone with a name. Raises BadSetting if there is none."""
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):  # the name may be that of a folder, or no valid path
        raise BadSetting(f"{name!r} is no time zone; write a name such as Europe/Berlin") from None


def known_kinds(kinds: Iterable[str]) -> frozenset[str]:
    """The set of these kinds of answers. Raises BadSetting if one does not exist."""
    chosen = frozenset(kinds)
    if chosen and (unknown := sorted(chosen - set(all_kinds()))):
        raise BadSetting(f"there is no kind {unknown[0]!r}; choose from: {', '.join(all_kinds())}")
    return chosen


def answers(query: str, context: Context, without: Collection[str] = ()) -> tuple[InstantAnswer, ...]:
    """Find the most reliable answer to a query; most queries have none.

    >>> [one.answer for one in answers("15% of 80", Context())]
    ['12']
    """
    asked = AnswerQuery.of(query)
    if asked is None:
        return ()
    for answer in answerers() if may_have_answer(query) else list(answerers())[-1:]:  # only `place`
        found = answer(asked, context)
        if found is not None and found.kind not in without:
            return (found,)  # only one: 10.1000/182 is a DOI and no division
    return ()
