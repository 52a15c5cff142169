"""Which time zone does a name stand for: a city, a country, three letters, a distance from UTC?"""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import datetime, timedelta, timezone, tzinfo
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from gossamer.results.answers.countries import code_of
from gossamer.results.answers.gazetteer import Gazetteer, folded
from gossamer.results.answers.places import find

# Letters that mean one thing nearly everywhere; IST, which is three, is left out. Hours from UTC.
ABBREVIATIONS = {
    "utc": 0, "gmt": 0, "bst": 1, "cet": 1, "mez": 1, "cest": 2, "mesz": 2,
    "eet": 2, "eest": 3, "msk": 3, "jst": 9, "kst": 9, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "hst": -10,
}  # fmt: skip
ALSO = {
    "et": "America/New_York",
    "eastern time": "America/New_York",
    "central time": "America/Chicago",
    "mountain time": "America/Denver",
    "pt": "America/Los_Angeles",
    "pacific time": "America/Los_Angeles",
    "washington": "America/New_York",
    "washington dc": "America/New_York",
    "san francisco": "America/Los_Angeles",
    "beijing": "Asia/Shanghai",
    "peking": "Asia/Shanghai",
    "mumbai": "Asia/Kolkata",
    "delhi": "Asia/Kolkata",
    "new delhi": "Asia/Kolkata",
    "munich": "Europe/Berlin",
    "hamburg": "Europe/Berlin",
    "frankfurt": "Europe/Berlin",
    "geneva": "Europe/Zurich",
    "milan": "Europe/Rome",
    "barcelona": "Europe/Madrid",
    "edinburgh": "Europe/London",
    "kyoto": "Asia/Tokyo",
    "osaka": "Asia/Tokyo",
    "hawaii": "Pacific/Honolulu",
    "california": "America/Los_Angeles",
    "rio de janeiro": "America/Sao_Paulo",
    "cape town": "Africa/Johannesburg",
    "saint petersburg": "Europe/Moscow",
}

_FROM_UTC = re.compile(r"(?:utc|gmt) ?([+-])(\d{1,2})(?::?([0-5]\d))?")


def zone_named(name: str, places: Gazetteer | None, now: datetime) -> tuple[str, tzinfo] | None:
    """The zone of a name, and how it is written; None where it is none, or could be several."""
    name = folded(name) if not name.startswith(("utc", "gmt")) else name
    if match := _FROM_UTC.fullmatch(name):
        hours = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        shift = hours if match[1] == "+" else -hours
        return (name.upper(), timezone(shift)) if abs(shift) < timedelta(hours=15) else None
    if name in ABBREVIATIONS:
        shift = timedelta(hours=ABBREVIATIONS[name])
        return name.upper(), timezone(shift, name.upper())
    if key := ALSO.get(name) or _cities().get(name):
        written = name.upper() if len(name) < 3 else name.title()
        return written.replace(" De ", " de "), ZoneInfo(key)
    if (code := code_of(name)) and (only := _only_zone(code, now)):
        return name.title() if len(name) > 3 else name.upper(), only
    if places is not None and (found := find(places, name)):
        return f"{found.name}, {found.country_name}", ZoneInfo(found.zone)
    return None


def offset(moment: datetime) -> str:
    """How far a moment's zone is from UTC.

    >>> offset(datetime(2026, 7, 1, tzinfo=timezone(timedelta(hours=5, minutes=30))))
    'UTC+05:30'
    """
    written = moment.strftime("%z")
    return f"UTC{written[:3]}:{written[3:5]}".replace("-", "−")


@cache
def _cities() -> dict[str, str]:
    """Zones by the city that they are named for."""
    keys = (files("tzdata") / "zones").read_text(encoding="utf-8").split()
    parts = [(key.rpartition("/")[2], key) for key in keys if "/" in key and not key.startswith("Etc/")]
    return {folded(city.replace("_", " ")): key for city, key in parts if city.isprintable()}


@cache
def _zones_of_countries() -> dict[str, list[str]]:
    table = (files("tzdata") / "zoneinfo" / "zone.tab").read_text(encoding="utf-8")
    found: dict[str, list[str]] = defaultdict(list)
    for line in table.splitlines():
        if line and not line.startswith("#"):
            code, _, key = line.split("\t")[:3]
            found[code].append(key)
    return found


def _only_zone(code: str, now: datetime) -> tzinfo | None:
    """The zone of a country, where its clocks all say the same."""
    zones = [ZoneInfo(key) for key in _zones_of_countries().get(code, [])]
    return zones[0] if len({now.astimezone(zone).utcoffset() for zone in zones}) == 1 else None
