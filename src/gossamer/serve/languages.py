"""How is a language called by those who speak it, and does it run from right to left?"""

from __future__ import annotations

import unicodedata

from gossamer.query.languages import OWN_NAMES

PAGE_LANGUAGE = "en"

_RIGHT_TO_LEFT = frozenset({"ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})


def primary(language: str) -> str:
    """The first part of a language tag.

    >>> primary("pt-BR")
    'pt'
    """
    return language.lower().replace("_", "-").partition("-")[0]


def foreign_name(language: str) -> str:
    """The language's own name for itself; empty for the language of the search page, or for none."""
    code = primary(language)
    return "" if code == PAGE_LANGUAGE else OWN_NAMES.get(code, code)


def direction(text: str, language: str) -> str:
    """The `dir` of a text: `auto` is misled when an Arabic sentence begins with "HTML"."""
    leftward = any(unicodedata.bidirectional(character) in {"R", "AL"} for character in text)
    return "rtl" if leftward and primary(language) in _RIGHT_TO_LEFT else "auto"
