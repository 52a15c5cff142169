"""Is the query the symbol of a share? Only with a mark or "share price": letters alone are words."""

from __future__ import annotations

import re

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context

# What stands behind the symbol of an exchange in links.
EXCHANGES = {
    "NASDAQ": ("Nasdaq", ""), "NYSE": ("New York Stock Exchange", ""), "LSE": ("London Stock Exchange", ".L"),
    "LON": ("London Stock Exchange", ".L"), "ETR": ("Xetra", ".DE"), "XETRA": ("Xetra", ".DE"),
    "FRA": ("Frankfurt", ".F"), "EPA": ("Euronext Paris", ".PA"), "AMS": ("Euronext Amsterdam", ".AS"),
    "SWX": ("SIX Swiss Exchange", ".SW"), "TYO": ("Tokyo Stock Exchange", ".T"),
    "TSE": ("Toronto Stock Exchange", ".TO"), "TSX": ("Toronto Stock Exchange", ".TO"),
    "ASX": ("Australian Securities Exchange", ".AX"),
    "HKG": ("Hong Kong Stock Exchange", ".HK"), "CPH": ("Nasdaq Copenhagen", ".CO"),
}  # fmt: skip

# What begins with a dollar as well: variables of a shell.
VARIABLES = frozenset({"PATH", "HOME", "USER", "SHELL", "PWD", "TERM", "LANG", "TZ", "PS1"})

_CASH = re.compile(r"\$([A-Z]{1,5}(?:\.[A-Z])?)(?: (?:stock|share price|stock price|quote))?")
_PRICED = re.compile(r"([A-Z]{2,5}(?:\.[A-Z])?) (?:share price|stock price|stock quote)")
_LISTED = re.compile(
    r"([A-Za-z]{3,6}): ?([A-Za-z0-9]{1,6}(?:[.-][A-Za-z])?)(?: (?:stock|share price|quote))?"
)


def stock(asked: Asked, context: Context) -> InstantAnswer | None:
    """Whose course can be looked up where."""
    if asked.typed.startswith("$"):
        match = _CASH.fullmatch(asked.typed)
        return _answer(match[1], "", "", context) if match and match[1] not in VARIABLES else None
    if match := _PRICED.fullmatch(asked.typed):
        return _answer(match[1], "", "", context)
    match = _LISTED.fullmatch(asked.typed) if ":" in asked.typed else None
    listed = EXCHANGES.get(match[1].upper()) if match else None
    return _answer(match[2].upper(), listed[0], listed[1], context) if match and listed else None


def _answer(symbol: str, exchange: str, behind: str, context: Context) -> InstantAnswer:
    where = f"a share listed at {exchange}" if exchange else "the symbol of a share"
    link = context.link("stock", symbol.replace(".", "-") + behind)
    return InstantAnswer("stock", f"symbol {symbol}", where, "", link)
