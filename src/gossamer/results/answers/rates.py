"""What is a currency worth? Only the owner's file says so: nothing is fetched."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from gossamer.model import BadSetting

_CODE = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class Rates:
    """How much of each currency one unit of the base is worth, and since when."""

    base: str
    worth: dict[str, Fraction]
    day: date | None = None

    def converted(self, amount: Fraction, source: str, target: str) -> Fraction | None:
        """So much of one currency in another; None where a rate is missing."""
        if source not in self.worth or target not in self.worth:
            return None
        return amount / self.worth[source] * self.worth[target]


def read_rates(text: str, source: str) -> Rates:
    """The rates of a file: base = "EUR", maybe date = 2026-11-16, and a table [rates] of USD = 1.08.

    Raises BadSetting, which names the file and what is wrong.
    """
    try:
        content = tomllib.loads(text, parse_float=Fraction)
    except (tomllib.TOMLDecodeError, ValueError, OverflowError) as error:
        raise BadSetting(f"{source}: {error}") from None
    base, day, table = content.get("base"), content.get("date"), content.get("rates")
    if not isinstance(base, str) or not _CODE.fullmatch(base):
        raise BadSetting(f'{source}: it needs a base, such as base = "EUR"')
    if day is not None and type(day) is not date:
        raise BadSetting(f"{source}: date must be a day such as 2026-11-16, not {day!r}")
    if not isinstance(table, dict):
        raise BadSetting(f"{source}: it needs a table [rates] with lines such as USD = 1.08")
    worth = {code: _rate(code, value, source) for code, value in table.items()}
    return Rates(base, {base: Fraction(1)} | worth, day)


def _rate(code: str, value: Any, source: str) -> Fraction:
    if not _CODE.fullmatch(code):
        raise BadSetting(f"{source}: {code!r} is no currency; write its three capitals, such as USD")
    if not isinstance(value, int | Fraction) or isinstance(value, bool) or value <= 0:
        raise BadSetting(f"{source}: the rate of {code} must be a number above 0, not {value!r}")
    return Fraction(value)
