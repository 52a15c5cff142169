"""Language codes, names and closely related languages.

Each language has one code here, of two letters if there is one. Pages also declare obsolete codes, codes of
three letters, and codes of countries.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache

from gossamer.text.stopwords import list_lines
from gossamer.text.terms import fold

MOST_CLOSE = 5  # codes proposed for an unknown one
CLOSE = 0.5  # smallest similarity of a proposed code, from 0 to 1; 0.5 is one letter of two
REMEMBERED = 1_000  # language tags whose first parts are cached
_LANGUAGE_TAG = re.compile(r"[a-z\d]{1,8}(?:-[a-z\d]{1,8}){0,4}")


def language_tag(text: str) -> str:
    """Return a language tag in lower case, as in hreflang; "" for anything else.

    >>> language_tag(" pt-BR "), language_tag("x-default"), language_tag("all languages")
    ('pt-br', 'x-default', '')
    """
    match = _LANGUAGE_TAG.fullmatch(text.strip().lower().replace("_", "-"))
    return match[0] if match else ""


@lru_cache(REMEMBERED)
def primary(language: str) -> str:
    """Return the first part of a language tag, in lower case.

    >>> primary("pt-BR")
    'pt'
    """
    return language.lower().replace("_", "-").partition("-")[0]


# Codes for no language. The last ones are the detector's codes for scripts without a language,
# Klingon and jokes.
_NONE = frozenset({"mis", "mul", "und", "zxx", "tlh", "un", "xx", "xxx", "zzb", "zze", "zzh", "zzp"})

# Languages so similar that the page's declaration is more reliable than detection.
_FAMILIES = (("no", "nb", "nn"), ("tl", "fil"), ("bs", "hr", "sr"), ("id", "ms"), ("zh", "wuu", "yue"))


_CODES = [line.split() for line in list_lines("language_codes")]
_KNOWN_CODES = {other: code for code, *others in _CODES for other in others}
_IN_USE = frozenset(code for code, *_ in _CODES)
_PRIMARY = re.compile(r"[a-z]{2,3}(?![a-z])")  # the part before regions, scripts and so on
_KIN = {code: frozenset(family) for family in _FAMILIES for code in family}


def canonical_code(declared: str) -> str:
    """Return our code for a declared language code or tag; "" if it is unknown.

    >>> canonical_code("eng"), canonical_code("iw"), canonical_code("jp"), canonical_code("und")
    ('en', 'he', 'ja', '')
    >>> canonical_code("haw"), canonical_code("us"), canonical_code("qq")
    ('haw', '', '')
    >>> canonical_code("pt-BR"), canonical_code(" EN_us"), canonical_code("english")
    ('pt', 'en', '')
    """
    found = _PRIMARY.match(declared.strip().lower()) if declared else None
    primary = found[0] if found else ""
    code = "" if primary in _NONE else _KNOWN_CODES.get(primary, primary)
    # There are thousands of codes of three letters, and each is accepted.
    return code if len(code) > 2 or code in _IN_USE else ""


def close_codes(typed: str) -> list[str]:
    """Return codes that a mistyped language code may stand for, the likeliest first.

    >>> close_codes("german"), close_codes("enn"), close_codes("42")
    (['de'], ['nn', 'en'], [])
    """
    name = primary(typed.strip())
    if named := _CODES_BY_NAME.get(_normalised(name)):
        return [named]
    near = get_close_matches(name, _IN_USE, MOST_CLOSE, CLOSE)
    return sorted(near, key=lambda code: (code not in OWN_NAMES, near.index(code)))


def kin(language: str) -> frozenset[str]:
    """Return the language and its closely related ones.

    >>> sorted(kin("nb")), sorted(kin("de"))
    (['nb', 'nn', 'no'], ['de'])
    """
    return _KIN.get(language) or frozenset({language})


# Language names in English and in themselves
# -------------------------------------------

_CODE = re.compile(r"([a-z]{2,3})(?:[-_][a-z0-9_-]+)?")


def _normalised(name: str) -> str:
    return fold(" ".join(name.replace("_", " ").split()).casefold())


_ROWS = [line.split() for line in list_lines("language_names")]
OWN_NAMES = {code: own.replace("_", " ") for code, _, own in _ROWS}
_CODES_BY_NAME = {_normalised(name): code for code, *names in _ROWS for name in names}


def language_code(typed: str) -> str:
    """Return the code of a language given by code or name; raise ValueError for anything else.

    >>> language_code("pt-BR"), language_code("german"), language_code("Français"), language_code("mi")
    ('pt', 'de', 'fr', 'mi')
    >>> language_code("jpn"), language_code("iw")
    ('ja', 'he')
    """
    name = _normalised(typed)
    if name in _CODES_BY_NAME:
        return _CODES_BY_NAME[name]
    code = _CODE.fullmatch(typed.lower())
    if code is None:
        raise ValueError(typed)
    return canonical_code(code[1]) or code[1]
