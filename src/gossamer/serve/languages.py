"""How is a language called by those who speak it, and does it run from right to left?"""

from __future__ import annotations

import unicodedata

PAGE_LANGUAGE = "en"

_NAMES = {
    "ar": "العربية",
    "bg": "Български",
    "bn": "বাংলা",
    "ca": "Català",
    "cs": "Čeština",
    "da": "Dansk",
    "de": "Deutsch",
    "el": "Ελληνικά",
    "en": "English",
    "es": "Español",
    "et": "Eesti",
    "fa": "فارسی",
    "fi": "Suomi",
    "fr": "Français",
    "he": "עברית",
    "hi": "हिन्दी",
    "hr": "Hrvatski",
    "hu": "Magyar",
    "id": "Bahasa Indonesia",
    "it": "Italiano",
    "ja": "日本語",
    "ko": "한국어",
    "lt": "Lietuvių",
    "lv": "Latviešu",
    "nl": "Nederlands",
    "no": "Norsk",
    "pl": "Polski",
    "pt": "Português",
    "ro": "Română",
    "ru": "Русский",
    "sk": "Slovenčina",
    "sl": "Slovenščina",
    "sr": "Српски",
    "sv": "Svenska",
    "ta": "தமிழ்",
    "th": "ไทย",
    "tr": "Türkçe",
    "uk": "Українська",
    "ur": "اردو",
    "vi": "Tiếng Việt",
    "zh": "中文",
}
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
    return "" if code == PAGE_LANGUAGE else _NAMES.get(code, code)


def direction(text: str, language: str) -> str:
    """The `dir` of a text: `auto` is misled when an Arabic sentence begins with "HTML"."""
    leftward = any(unicodedata.bidirectional(character) in {"R", "AL"} for character in text)
    return "rtl" if leftward and primary(language) in _RIGHT_TO_LEFT else "auto"
