"""By which names and hosts is a page known to belong to a country, or to be about the surroundings of a town?

A name is sure when it means nothing else: those of countries, of large cities. Others may be a surname, a
word or a town elsewhere as well, and count only in company (`search.located`): "Odense" beside "Denmark", or
beside "Aarhus". A town belongs to a name only where most people of towns so called live there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from gossamer.results.answers.countries import code_of, country_names, names_of
from gossamer.results.answers.gazetteer import Gazetteer, Place, folded
from gossamer.results.answers.lists import lines
from gossamer.results.answers.places import LARGE, find
from gossamer.text.stopwords import stop_words

KNOWN = 100_000  # people of a town whose name may speak for its country
MOST_CITIES = 100  # of a country, the largest
AROUND = 50.0  # kilometres
MOST_NEIGHBOURS = 40
MOST_PEOPLE = 0.9  # of all towns of a name: where the name is that of one country
SHORTEST = 4  # letters of a name in Latin script: shorter ones are mostly other words
SHORT_NAMES = frozenset({"uk", "usa", "uae"})
# Names of countries that are as often something else.
UNSURE = frozenset({"america", "chad", "georgia", "guinea", "holland", "jersey", "jordan", "turkey", "wales"})
# Ends of host names that anybody may have, wherever they live; and those of one country beside its code.
_ANYBODYS = """
ac ad ag ai am as bz cc cd cf co cx dj fm ga gg gl gq im io la ly me ml ms nu pw sc sh sr st su sx tk to tv
vc ws
"""
ANYBODYS = frozenset(_ANYBODYS.split())
OWN_HOSTS = {"GB": ("uk",), "US": ("us", "gov", "edu", "mil")}


@dataclass(frozen=True, slots=True)
class PlaceNames:
    """Names and ends of host names; see `search.located` for how they count."""

    hosts: tuple[str, ...] = ()
    sure: tuple[str, ...] = ()
    unsure: tuple[tuple[str, ...], ...] = ()
    company: tuple[str, ...] = ()
    company_hosts: tuple[str, ...] = ()
    towns: tuple[str, ...] = ()


def country_code(typed: str) -> str | None:
    """The two letters of a country, by its code, the end of its hosts or its name.

    >>> country_code("dk"), country_code("UK"), country_code("Deutschland"), country_code("xx")
    ('DK', 'GB', 'DE', None)
    """
    code = {"UK": "GB"}.get(typed.upper(), typed.upper())
    return code if code in country_names() else code_of(typed)


def of_country(code: str, known: Gazetteer | None) -> PlaceNames:
    """What belongs to a country: its hosts, and pages that name it or its cities."""
    own = [name for name in names_of(code) if len(name) >= SHORTEST or name in SHORT_NAMES]
    sure = [name for name in own if name not in UNSURE]
    unsure = [tuple(name for name in own if name in UNSURE)]
    towns: list[str] = []
    for city in known.of_country(code)[:MOST_CITIES] if known else ():
        if city.people < KNOWN:
            break
        names = tuple(_telling(known.names(city), code, known)) if known else ()
        if city.people >= LARGE:
            towns += names
        else:
            unsure.append(names)
    towns = [name for name in dict.fromkeys(towns) if name not in sure]
    return PlaceNames(_hosts(code), tuple(sure), tuple(filter(None, unsure)), towns=tuple(towns))


def around(typed: str, known: Gazetteer) -> tuple[Place, PlaceNames] | None:
    """A town of this name, and what is about it or its surroundings; None where there is none."""
    town = find(known, typed)
    if town is None:
        return None
    own = tuple(name for name in known.names(town) if not _is_ordinary(name))
    is_sure = town.people >= LARGE and bool(own) and _share(known.named(typed), town) >= MOST_PEOPLE
    near = [one for one in known.around(town, AROUND) if one != town][:MOST_NEIGHBOURS]
    neighbours = [tuple(_telling(known.names(one), one.country, known)) for one in near]
    state = known.state_name(town.region) if town.region else ""
    company = (state,) if state else tuple(of_country(town.country, None).sure)
    names = own or tuple(known.names(town))
    return town, PlaceNames(
        towns=names if is_sure else (),
        unsure=tuple(filter(None, [() if is_sure else names, *neighbours])),
        company=company,
        company_hosts=_hosts(town.country) if town.country != "US" else (),
    )


def _hosts(code: str) -> tuple[str, ...]:
    own = OWN_HOSTS.get(code, (code.lower(),))
    return tuple(host for host in own if host not in ANYBODYS)


def _telling(names: Iterable[str], code: str, known: Gazetteer) -> Iterator[str]:
    """Of the names of a town, those that point to its country."""
    for name in names:
        if _is_ordinary(name) or (code_of(name) or code) != code:
            continue
        bearers = known.named(name)
        people = sum(one.people for one in bearers)
        if sum(one.people for one in bearers if one.country == code) >= MOST_PEOPLE * people:
            yield name


def _share(bearers: Iterable[Place], town: Place) -> float:
    people = sum(one.people for one in bearers)
    return town.people / people if people else 1.0


def _is_ordinary(name: str) -> bool:
    """Whether a name is too short to tell anything, or a word that means something else as often."""
    plain = folded(name)
    if plain.isascii() and len(plain) < SHORTEST:
        return True
    return plain in _ordinary()


@cache
def _ordinary() -> frozenset[str]:
    listed = {word for _, line in lines("ordinary_places") for word in line.split()}
    spoken = ("en", "de", "fr", "es", "it", "pt", "nl", "da", "sv", "ro", "pl")
    return frozenset(listed.union(*map(stop_words, spoken)))
