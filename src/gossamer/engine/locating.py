"""Which pages belong to a place, that of a query or of the person? By a gazetteer, where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from gossamer.model import BadSetting, ByPlace, Query
from gossamer.search.condition import Located

if TYPE_CHECKING:
    from gossamer.results.answers.gazetteer import Gazetteer
    from gossamer.results.place_names import PlaceNames

REMEMBERED = 64  # places
NO_GAZETTEER = "near: knows no places here; it takes the name as a word (towns come with the extra places)"


class Locating:
    """Places by their names. The gazetteer is read with the first that is asked for."""

    def __init__(self, gazetteer: Callable[[], Gazetteer | None] = lambda: None) -> None:
        self._gazetteer = gazetteer
        self._country = lru_cache(REMEMBERED)(self._found_country)
        self._town = lru_cache(REMEMBERED)(self._found_town)

    def country(self, code: str) -> Located | None:
        """What belongs to a country, by its two letters; raises BadSetting where these are none's."""
        from gossamer.results.place_names import country_code

        if not code:
            return None
        known = country_code(code) if len(code) == len("dk") else None
        if known is None:
            raise BadSetting(f"there is no country {code!r}; write its two letters, such as dk")
        return self._country(known)

    def places(self, query: Query) -> Mapping[ByPlace, Located]:
        """What belongs to each place that a query names by an operator; unknown ones are left out."""
        asked = dict.fromkeys(leaf for leaf, _ in query.leaves() if isinstance(leaf, ByPlace))
        found = {place: self._located(place) for place in asked}
        return {place: located for place, located in found.items() if located is not None}

    def notes(self, query: Query) -> Iterator[str]:
        """Which places are meant, and which nobody knows."""
        for place in dict.fromkeys(leaf for leaf, _ in query.leaves() if isinstance(leaf, ByPlace)):
            if place.way == "country" and self._located(place) is None:
                yield f"no country is known by the name {place.name}"
            elif place.way == "near":
                yield self._town(place.name)[1]

    def _located(self, place: ByPlace) -> Located | None:
        from gossamer.results.place_names import country_code

        if place.way == "near":
            return self._town(place.name)[0]
        code = country_code(place.name)
        return self._country(code) if code else None

    def _found_country(self, code: str) -> Located:
        from gossamer.results.place_names import of_country

        return _located(of_country(code, self._gazetteer()))

    def _found_town(self, name: str) -> tuple[Located, str]:
        """What is near a town, and what is to be said of it."""
        from gossamer.results.place_names import AROUND, around

        known = self._gazetteer()
        if known is None:
            return Located(sure=(name,)), NO_GAZETTEER
        found = around(name, known)
        if found is None:
            return Located(sure=(name,)), f"no town is known by the name {name}; near: takes it as a word"
        town, names = found
        region = f", {town.region}" if town.region else ""
        where = f"{town.name}{region}, {town.country_name}"
        return _located(names), f"near: pages that name {where}, or a town within {AROUND:.0f} km of it"


def _located(names: PlaceNames) -> Located:
    return Located(names.hosts, names.sure, names.unsure, names.company, names.company_hosts, names.towns)
