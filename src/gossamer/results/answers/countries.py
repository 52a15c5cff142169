"""Which country does a code stand for: two letters, the end of a host name?

Names and codes of ISO 3166 come with the time zone database (the package tzdata).
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.gazetteer import folded
from gossamer.results.answers.lists import lines

# Ends of host names that are no code of a country today, or another one than it has.
DOMAINS = {"uk": "GB", "eu": "", "su": "", "ac": "", "gb": "GB"}
OTHER_DOMAINS = {"eu": "the European Union", "su": "the former Soviet Union", "ac": "Ascension Island"}
TYPED = "typed"  # the section of names that are asked by, but tell nothing of a page
# What ends in these is a file rather than a host, where nobody says otherwise.
FILES = frozenset({"cc", "gz", "md", "ml", "mo", "mp", "pl", "ps", "py", "rs", "sh", "so", "st", "vi"})

_DOMAIN = re.compile(r"\.([a-z]{2})|(?:tld|domain|country) \.([a-z]{2})")
_CODE = re.compile(r"(?:iso )?(?:country|länder)[ -]?code(?: (?:for|of|von))? \.?([a-z]{2})")
_NAME = re.compile(
    r"(?:iso )?(?:country|länder)[ -]?codes? (?:for|of|von)? ?(?:the )?(\D{3,})"
    r"|(\D{3,}) (?:iso )?country code"
)


def country(asked: Asked, context: Context) -> InstantAnswer | None:
    """The country of a code, or the codes of a country."""
    text = asked.text
    if text.startswith(".") or " ." in text:
        match = _DOMAIN.fullmatch(text)
        return _domain(match[1] or match[2]) if match and match[1] not in FILES else None
    if "code" not in text:
        return None
    if match := _CODE.fullmatch(text):
        name = country_names().get(match[1].upper())
        return _codes(match[1].upper(), name) if name else None
    if match := _NAME.fullmatch(text):
        code = code_of(match[1] or match[2])
        return _codes(code, country_names()[code]) if code else None
    return None


def _domain(end: str) -> InstantAnswer | None:
    name = OTHER_DOMAINS.get(end) or country_names().get(DOMAINS.get(end) or end.upper())
    return InstantAnswer("country", f"host names that end in .{end}", name) if name else None


def _codes(code: str, name: str) -> InstantAnswer:
    calling = next((number for number, own in calling_codes().items() if code in own), "")
    dial = f"calling code +{calling}; " if calling else ""
    end = "uk" if code == "GB" else code.lower()
    return InstantAnswer("country", f"codes of {name}", code, f"{dial}host names end in .{end}")


@cache
def country_names() -> dict[str, str]:
    """The English names of countries by their two letters."""
    table = (files("tzdata") / "zoneinfo" / "iso3166.tab").read_text(encoding="utf-8")
    rows = (line.split("\t", 1) for line in table.splitlines() if line and not line.startswith("#"))
    return dict(rows) | {"XK": "Kosovo"}


def code_of(name: str) -> str | None:
    """The two letters of a country, by one of its names: in English, at home, or in some other languages.

    >>> code_of("germany"), code_of("Österreich"), code_of("espana"), code_of("atlantis")
    ('DE', 'AT', 'ES', None)
    """
    return _codes_by_name("", TYPED).get(name.lower().strip()) or _codes_by_plain_name().get(folded(name))


def names_of(code: str) -> tuple[str, ...]:
    """The names of a country that tell it of a page, in small letters."""
    return tuple(name for name, own in _codes_by_name("").items() if own == code)


@cache
def _codes_by_name(*sections: str) -> dict[str, str]:
    """The names of the time zone database, and those of these sections of the list."""
    listed = {re.sub(r"\s*\(.*?\)", "", name).lower(): code for code, name in country_names().items()}
    rows = [line.split(" | ") for section, line in lines("countries") if section in sections]
    return listed | {name: code for code, names in rows for name in names.split(", ")}


@cache
def _codes_by_plain_name() -> dict[str, str]:
    """The same for who types no accents."""
    return {folded(name): code for name, code in _codes_by_name("", TYPED).items()}


@cache
def calling_codes() -> dict[str, tuple[str, ...]]:
    """The countries of each calling code, the largest first."""
    pairs = (line.split(" ", 1) for _, line in lines("calling"))
    return {number: tuple(codes.split()) for number, codes in pairs}
