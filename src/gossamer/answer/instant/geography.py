"""Places, coordinates, telephone codes.

A name alone means a place only if a large city has this name, because many small places have names that are
ordinary words. With a country or state after it, or "where is" before it, it means any known place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gossamer.answer.gazetteer import DOMAINS, Place, calling_codes, code_of, country_names, find
from gossamer.answer.instant.context import ASKS_WHERE, AnswerQuery, Context
from gossamer.answer.instant.lists import by_name
from gossamer.model import InstantAnswer

OTHER_DOMAINS = {"eu": "the European Union", "su": "the former Soviet Union", "ac": "Ascension Island"}

# Names with these endings are usually files, not hosts.
FILES = frozenset({"cc", "gz", "md", "ml", "mo", "mp", "pl", "ps", "py", "rs", "sh", "so", "st", "vi"})
_DOMAIN = re.compile(r"\.([a-z]{2})|(?:tld|domain|country) \.([a-z]{2})")
_CODE = re.compile(r"(?:iso )?(?:country|länder)[ -]?code(?: (?:for|of|von))? \.?([a-z]{2})")
_COUNTRY_NAME = re.compile(
    r"(?:iso )?(?:country|länder)[ -]?codes? (?:for|of|von)? ?(?:the )?(\D{3,})"
    r"|(\D{3,}) (?:iso )?country code"
)


def country(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer with the country of a code, or the codes of a country."""
    text = asked.text
    if text.startswith(".") or " ." in text:
        match = _DOMAIN.fullmatch(text)
        return _domain(match[1] or match[2]) if match and match[1] not in FILES else None
    if "code" not in text:
        return None
    if match := _CODE.fullmatch(text):
        name = country_names().get(match[1].upper())
        return _codes(match[1].upper(), name) if name else None
    if match := _COUNTRY_NAME.fullmatch(text):
        code = code_of(match[1] or match[2])
        return _codes(code, country_names()[code]) if code else None
    return None


def _domain(end: str) -> InstantAnswer | None:
    name = OTHER_DOMAINS.get(end) or country_names().get(DOMAINS.get(end) or end.upper())
    return InstantAnswer("country", f"host names that end in .{end}", name) if name else None


def _codes(code: str, name: str) -> InstantAnswer:
    calling = calling_code(code)
    dial = f"calling code +{calling}; " if calling else ""
    end = "uk" if code == "GB" else code.lower()
    return InstantAnswer("country", f"codes of {name}", code, f"{dial}host names end in .{end}")


# Coordinates
# -----------

_DECIMAL = re.compile(r"(-?\d{1,2}\.\d{2,12})°?[, ] ?(-?\d{1,3}\.\d{2,12})°?")
_SIXTIETHS = r"(\d{1,2}(?:\.\d{1,9})?) ?"
_ONE = rf"(\d{{1,3}}(?:\.\d{{1,12}})?) ?°? ?(?:{_SIXTIETHS}' ?)?(?:{_SIXTIETHS}(?:\"|'') ?)?"
_NAMED = re.compile(rf"{_ONE}([ns]),? {_ONE}([ew])")
_BEFORE = re.compile(rf"([ns]) ?{_ONE},? ?([ew]) ?{_ONE}")


def coordinates(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer a query that consists of coordinates: write them in other forms, with a link to a map.

    The coordinates are in degrees, with or without minutes and seconds.
    """
    text = asked.text.removeprefix("geo:").strip()
    if match := _DECIMAL.fullmatch(text):
        return _coordinates_answer(float(match[1]), float(match[2]), context)
    if "°" not in text and "." not in text:  # "4 s 2 e" can mean many things
        return None
    if match := _NAMED.fullmatch(text):
        latitude, longitude = _angle(match.group(4, 1, 2, 3)), _angle(match.group(8, 5, 6, 7))
    elif match := _BEFORE.fullmatch(text):
        latitude, longitude = _angle(match.group(1, 2, 3, 4)), _angle(match.group(5, 6, 7, 8))
    else:
        return None
    if latitude is None or longitude is None:
        return None
    return _coordinates_answer(latitude, longitude, context)


def _angle(parts: Sequence[str | None]) -> float | None:
    """Convert a letter, degrees, minutes and seconds to degrees; None if minutes or seconds reach 60."""
    degrees, minutes, seconds = (float(one or 0) for one in parts[1:])
    if minutes >= 60 or seconds >= 60:
        return None
    size = degrees + minutes / 60 + seconds / 3600
    return -size if parts[0] in ("s", "w") else size


def _coordinates_answer(latitude: float, longitude: float, context: Context) -> InstantAnswer | None:
    if abs(latitude) > 90 or abs(longitude) > 180:
        return None
    decimal = f"{latitude:.5f}, {longitude:.5f}".replace("-", "−")
    degrees = f"{_written(latitude, 'NS')} {_written(longitude, 'EW')}"
    return InstantAnswer("coordinates", decimal, degrees, "", context.map(latitude, longitude))


def _written(value: float, letters: str) -> str:
    seconds = round(abs(value) * 3600)
    return f"{seconds // 3600}° {seconds // 60 % 60}′ {seconds % 60}″ {letters[value < 0]}"


MOST_WORDS = 5
_PLACE_NAME = re.compile(r"[^\W\d_]+(?:[ '.,-]+[^\W\d_]+)*\.?")


def place(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer with the location of a place."""
    if asked.has_digit or context.places is None:
        return None
    marked = ASKS_WHERE.fullmatch(asked.text)
    name = (marked[1] or marked[2]) if marked else asked.text
    if not _PLACE_NAME.fullmatch(name) or len(name.split()) > MOST_WORDS:
        return None
    found = find(context.places, name, bare=marked is None)
    return _place_answer(found, context) if found else None


def _place_answer(found: Place, context: Context) -> InstantAnswer:
    region = f", {found.region}" if found.region else ""
    where = f"{_degrees(found.latitude, 'NS')}, {_degrees(found.longitude, 'EW')}"
    detail = f"{found.people:,} people; time zone {found.zone}" if found.people else f"time zone {found.zone}"
    link = context.map(found.latitude, found.longitude)
    return InstantAnswer("place", f"{found.name}{region}, {found.country_name}", where, detail, link)


def _degrees(value: float, letters: str) -> str:
    return f"{abs(value):.4f}° {letters[value < 0]}"


# Country of a telephone number
# -----------------------------

MOST_NAMED = 4  # countries that share a calling code
NORTH_AMERICA = "1"
_TELEPHONE_GATE = re.compile(r"^\+|^00|code|vorwahl|indicatif")
_NUMBER = re.compile(r"\+ ?(\d[\d ()/.-]{0,24})")
_CALLING = re.compile(
    r"(?:country |calling |dialling |dialing |country calling )?(?:code|prefix) (?:\+|00)(\d{1,4})"
    r"|(?:\+|00)(\d{1,4}) (?:country|calling|dialling|dialing) code|(?:vorwahl|indicatif) (?:\+|00)(\d{1,4})"
)
_OF = re.compile(
    r"(?:calling|dialling|dialing|phone|telephone)(?: country)? code (?:for|of) (\D+)"
    r"|(\D+) (?:calling|dialling|dialing) code"
)
_AREA = re.compile(r"(?:us )?area code \(?([2-9]\d\d)\)?|\(?([2-9]\d\d)\)? area code")


def telephone(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer with the country of a telephone number, or the calling code of a country."""
    text = asked.text
    if not _TELEPHONE_GATE.search(text):
        return None
    if match := _NUMBER.fullmatch(text):
        return _number(re.sub(r"\D", "", match[1]))
    if match := _CALLING.fullmatch(text):
        return _calling(match[1] or match[2] or match[3])
    if match := _AREA.fullmatch(text):
        code = match[1] or match[2]
        area = by_name("area_codes").get(code)
        return InstantAnswer("telephone", f"area code {code}", area, "+1") if area else None
    if match := _OF.fullmatch(text):
        return _dialled(match[1] or match[2])
    return None


def _number(digits: str) -> InstantAnswer | None:
    """Answer a calling code, or a number that begins with one."""
    if len(digits) <= 3:
        return _calling(digits)
    if not 7 <= len(digits) <= 15:  # 15 is the longest number in E.164
        return None
    code = next((digits[:length] for length in (1, 2, 3) if digits[:length] in calling_codes()), None)
    if code is None:
        return None
    area = ""
    if code == NORTH_AMERICA:
        area = by_name("area_codes").get(digits[1:4], "")
        if len(digits) != 11 or not area:
            return None
    where = f"{area} (+1 {digits[1:4]})" if area else _countries(code)
    return InstantAnswer("telephone", f"telephone number +{digits}", where)


def _calling(code: str) -> InstantAnswer | None:
    if code not in calling_codes():
        return None
    return InstantAnswer("telephone", f"calling code +{code}", _countries(code))


def _dialled(name: str) -> InstantAnswer | None:
    country = code_of(name)
    code = calling_code(country) if country else ""
    if not country or not code:
        return None
    return InstantAnswer("telephone", f"calling code of {country_names()[country]}", f"+{code}")


def calling_code(country: str) -> str:
    """The calling code of a country; "" if it has none."""
    return next((code for code, countries in calling_codes().items() if country in countries), "")


def _countries(code: str) -> str:
    names = [country_names().get(own, own) for own in calling_codes()[code]]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
