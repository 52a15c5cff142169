"""Is the query a pair of coordinates?"""

from __future__ import annotations

import re

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context

_DECIMAL = re.compile(r"(-?\d{1,2}\.\d{2,12})°?[, ] ?(-?\d{1,3}\.\d{2,12})°?")
_SIXTIETHS = r"(\d{1,2}(?:\.\d{1,9})?) ?"
_ONE = rf"(\d{{1,3}}(?:\.\d{{1,12}})?) ?°? ?(?:{_SIXTIETHS}' ?)?(?:{_SIXTIETHS}(?:\"|'') ?)?"
_NAMED = re.compile(rf"{_ONE}([ns]),? {_ONE}([ew])")
_BEFORE = re.compile(rf"([ns]) ?{_ONE},? ?([ew]) ?{_ONE}")


def coordinates(asked: Asked, context: Context) -> InstantAnswer | None:
    """Where it is on a map: degrees, with minutes and seconds or without."""
    if not asked.has_digit:
        return None
    text = asked.text.removeprefix("geo:").strip()
    if match := _DECIMAL.fullmatch(text):
        return _answer(float(match[1]), float(match[2]), context)
    if match := _NAMED.fullmatch(text):
        one, other = match.group(1, 2, 3), match.group(5, 6, 7)
        return _named(one, match[4], other, match[8], text, context)
    if match := _BEFORE.fullmatch(text):
        one, other = match.group(2, 3, 4), match.group(6, 7, 8)
        return _named(one, match[1], other, match[5], text, context)
    return None


Parts = tuple[str | None, ...]


def _named(
    one: Parts, north: str, other: Parts, east: str, text: str, context: Context
) -> InstantAnswer | None:
    """Two angles with their letters; without a degree sign or decimals, "4 s 2 e" may be anything."""
    if "°" not in text and "." not in text:
        return None
    latitude, longitude = _angle(one), _angle(other)
    if latitude is None or longitude is None:
        return None
    return _answer(-latitude if north == "s" else latitude, -longitude if east == "w" else longitude, context)


def _angle(parts: Parts) -> float | None:
    """Degrees, minutes and seconds as degrees; None where 60 of one are reached."""
    degrees, minutes, seconds = (float(one or 0) for one in parts)
    return degrees + minutes / 60 + seconds / 3600 if minutes < 60 and seconds < 60 else None


def _answer(latitude: float, longitude: float, context: Context) -> InstantAnswer | None:
    if abs(latitude) > 90 or abs(longitude) > 180:
        return None
    decimal = f"{latitude:.5f}, {longitude:.5f}".replace("-", "−")
    degrees = f"{_written(latitude, 'NS')} {_written(longitude, 'EW')}"
    return InstantAnswer("coordinates", decimal, degrees, "", context.map(latitude, longitude))


def _written(value: float, letters: str) -> str:
    seconds = round(abs(value) * 3600)
    return f"{seconds // 3600}° {seconds // 60 % 60}′ {seconds % 60}″ {letters[value < 0]}"
