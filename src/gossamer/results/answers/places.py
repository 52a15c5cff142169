"""Does the query name a place, and where is it?

A bare name is taken for a place only where a large city bears it: many small ones are called like ordinary
words. With a country or state behind it, or "where is" before it, any that is known will do.
"""

from __future__ import annotations

import re

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.gazetteer import Gazetteer, Place, folded

LARGE = 500_000  # people
# Names of large cities that people who type them rarely mean.
ORDINARY = frozenset({"van", "perm", "sale", "essen", "surrey", "solo"})
MOST_WORDS = 5

_NAME = re.compile(r"[^\W\d_]+(?:[ '.,-]+[^\W\d_]+)*\.?")
_MARKED = re.compile(
    r"(?:where is|map of|location of|coordinates of|wo liegt|wo ist|karte von|où est|carte de|dove si trova|"
    r"πού είναι|χάρτης|hvor ligger|kort over|unde este|harta)\s+(.+)"
    r"|(.+?)\s+(?:map|karte|location|coordinates)"
)


def place(asked: Asked, context: Context) -> InstantAnswer | None:
    """Where a place is."""
    if asked.has_digit or context.places is None:
        return None
    marked = _MARKED.fullmatch(asked.text)
    name = (marked[1] or marked[2]) if marked else asked.text
    if not _NAME.fullmatch(name) or len(name.split()) > MOST_WORDS:
        return None
    found = find(context.places, name, bare=marked is None)
    return _answer(found, context) if found else None


def asks_for_place(query: str) -> bool:
    """Whether a query asks where something is: reason enough to read the gazetteer."""
    asked = Asked.of(query)
    return asked is not None and _MARKED.fullmatch(asked.text) is not None


def find(known: Gazetteer, name: str, bare: bool = False) -> Place | None:
    """The place of a name, maybe with its country or state behind it; of several the largest."""
    named = known.named(name)
    if named and (not bare or _is_sure(name, named[0])):
        return named[0]
    words = name.replace(",", " ").split()
    for cut in range(len(words) - 1, 0, -1):
        region = " ".join(words[cut:])
        of = [one for one in known.named(" ".join(words[:cut])) if _lies_in(one, region, known)]
        if of:
            return of[0]
    return None


def _is_sure(name: str, place: Place) -> bool:
    """Whether a name alone means the place; foreign names of one word in plain letters are often others."""
    if place.people < LARGE or name in ORDINARY:
        return False
    return folded(place.name) == folded(name) or " " in name or not name.isascii()


def _lies_in(one: Place, region: str, known: Gazetteer) -> bool:
    if one.country == "US" and one.region == known.state(region):
        return True
    return one.country == known.country(region)


def _answer(found: Place, context: Context) -> InstantAnswer:
    region = f", {found.region}" if found.region else ""
    where = f"{_degrees(found.latitude, 'NS')}, {_degrees(found.longitude, 'EW')}"
    detail = f"{found.people:,} people; time zone {found.zone}" if found.people else f"time zone {found.zone}"
    link = context.map(found.latitude, found.longitude)
    return InstantAnswer("place", f"{found.name}{region}, {found.country_name}", where, detail, link)


def _degrees(value: float, letters: str) -> str:
    return f"{abs(value):.4f}° {letters[value < 0]}"
