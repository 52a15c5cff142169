"""Under which words is a number found?

Thousands are written 1,000, 1.000 or 1000, decimals 3.14 or 3,14: each is one word. Groups of three digits
are thousands, whatever parts them: nobody can tell 1.234 apart, and index and query read it alike. What has
more dots is a version, an address or a date, found whole and by what people ask for instead of it.
"""

from __future__ import annotations

import re

_PARTS = re.compile(r"[.,]")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\1[0-9]{3})*")
_GROUPED_DECIMAL = re.compile(
    r"([1-9][0-9]{0,2}(?:,[0-9]{3})+)\.([0-9]+)|([1-9][0-9]{0,2}(?:\.[0-9]{3})+),([0-9]+)"
)
# Those that are found together whether a space stands before them or not; 5g, 90s and 2a are no measures.
_WITH_UNIT = re.compile(
    r"([0-9]+)("
    r"[kcdmn\u03bc]?m|kmh|mph|ft|in|yd|mi|ha|[km]g|(?<=[0-9][0-9])g|lbs?|oz|[cdm]?l|gal|[kmgtp]i?b|[kmg]bps"
    r"|[kmg]?hz|[kmg]?wh?|k?v|mah?|k?pa|bar|psi|k?cal|kj|[mn]s|sec|mins?|hrs?|h|am|pm|px|pt|r?em|dpi|ppi|fps"
    r"|mp|db|eur|usd|gbp|chf)"
)
YEAR_DIGITS = 4


def number_words(written: str) -> list[str]:
    """The words of digits with dots or commas between them.

    >>> number_words("1,000"), number_words("3,14"), number_words("3.11.2"), number_words("1.234,50")
    (['1000'], ['3.14'], ['3.11.2', '3.11'], ['1234.50'])
    """
    if _GROUPED.fullmatch(written):
        return [_PARTS.sub("", written)]
    if match := _GROUPED_DECIMAL.fullmatch(written):
        whole, decimals = (match[1], match[2]) if match[1] else (match[3], match[4])
        return [f"{_PARTS.sub('', whole)}.{decimals}"]
    parts = _PARTS.split(written)
    if len(parts) == 2:
        return [".".join(parts)]
    if "," in written:  # a list without spaces
        return [word for one in written.split(",") for word in (number_words(one) if "." in one else [one])]
    if YEAR_DIGITS in (len(parts[0]), len(parts[-1])):
        return [written, *parts]
    return [written, ".".join(parts[:2])]


def measure(word: str) -> list[str]:
    """A number and its unit apart, as they stand where somebody wrote a space; any other word as it is.

    >>> measure("10km"), measure("3d")
    (['10', 'km'], ['3d'])
    """
    match = _WITH_UNIT.fullmatch(word)
    return [match[1], match[2]] if match else [word]
