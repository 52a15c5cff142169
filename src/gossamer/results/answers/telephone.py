"""Which country or area does a telephone number belong to?"""

from __future__ import annotations

import re
from functools import cache

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.countries import calling_codes, code_of, country_names
from gossamer.results.answers.lists import lines

MOST_NAMED = 4  # countries that share a calling code
NORTH_AMERICA = "1"

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


def telephone(asked: Asked, context: Context) -> InstantAnswer | None:
    """Where a number is, or what is dialled for a country."""
    text = asked.text
    if (
        not text.startswith(("+", "00"))
        and "code" not in text
        and "vorwahl" not in text
        and "indicatif" not in text
    ):
        return None
    if match := _NUMBER.fullmatch(text):
        return _number(re.sub(r"\D", "", match[1]))
    if match := _CALLING.fullmatch(text):
        return _calling(match[1] or match[2] or match[3])
    if match := _AREA.fullmatch(text):
        area = _areas().get(match[1] or match[2])
        return InstantAnswer("telephone", f"area code {match[1] or match[2]}", area, "+1") if area else None
    if match := _OF.fullmatch(text):
        return _dialled(match[1] or match[2])
    return None


def _number(digits: str) -> InstantAnswer | None:
    """A calling code alone, or a whole number that begins with one."""
    if len(digits) <= 3:
        return _calling(digits)
    if not 7 <= len(digits) <= 15:  # the longest that E.164 allows
        return None
    code = next((digits[:length] for length in (1, 2, 3) if digits[:length] in calling_codes()), None)
    if code is None:
        return None
    area = ""
    if code == NORTH_AMERICA:
        area = _areas().get(digits[1:4], "")
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
    code = next((code for code, own in calling_codes().items() if country in own), None)
    if country is None or code is None:
        return None
    return InstantAnswer("telephone", f"calling code of {country_names()[country]}", f"+{code}")


def _countries(code: str) -> str:
    names = [country_names().get(own, own) for own in calling_codes()[code]]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


@cache
def _areas() -> dict[str, str]:
    pairs = (line.split(" | ") for _, line in lines("area_codes"))
    return {code: place for place, codes in pairs for code in codes.split()}
