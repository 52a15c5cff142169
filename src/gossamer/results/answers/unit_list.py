"""Which units of measure are known, how large are they, and what are they called?"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from gossamer.results.answers.lists import lines


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, with its size in the base unit of its quantity."""

    quantity: str
    symbol: str
    size: Fraction
    offset: Fraction = Fraction(0)  # of its zero, in base units
    inverse: bool = False  # the more of it, the less of the base unit

    @property
    def many(self) -> str:
        """What is written behind more than one of it."""
        before, space, last = self.symbol.rpartition(" ")
        return before + space + PLURALS.get(last, last)

    def base(self, amount: Fraction) -> Fraction | None:
        """So much of it, in base units; None where that cannot be."""
        if not self.inverse:
            return amount * self.size + self.offset
        return self.size / amount if amount else None

    def amount(self, base: Fraction) -> Fraction | None:
        """So many base units, in this one."""
        if not self.inverse:
            return (base - self.offset) / self.size
        return self.size / base if base else None


# Of what is written in full; symbols have none.
PLURALS = {
    "acre": "acres",
    "century": "centuries",
    "cup": "cups",
    "decade": "decades",
    "fortnight": "fortnights",
    "gallon": "gallons",
    "pint": "pints",
    "quart": "quarts",
    "ton": "tons",
    "turn": "turns",
}
# What a name means in another country; said beside the answer.
ALSO = {
    "US gallon": "imperial gallon",
    "US pint": "imperial pint",
    "US quart": "imperial quart",
    "US fl oz": "imperial fl oz",
    "mpg": "imperial mpg",
}
AVERAGE = {"mo": "a month of 30.436875 days, on average", "yr": "a year of 365.2425 days, on average"}


@cache
def units() -> dict[str, Unit]:
    """All units, by every name; in small letters where no two names differ in capitals alone."""
    found: dict[str, Unit] = {}
    folded: dict[str, set[Unit]] = {}
    for unit, names in _read():
        for name in names:
            found.setdefault(name, unit)
            folded.setdefault(name.lower(), set()).add(unit)
    return {name: next(iter(own)) for name, own in folded.items() if len(own) == 1} | found


def unit(name: str) -> Unit | None:
    """The unit of a name as it was typed; None where there is none, or capitals leave it open.

    >>> unit("Miles").symbol, unit("MB").symbol, unit("Mb").symbol, unit("mb")
    ('mi', 'MB', 'Mbit', None)
    """
    known = units()
    return known.get(name) or known.get(name.lower())


@cache
def by_symbol(symbol: str) -> Unit:
    """A unit that is known to be there."""
    return next(one for one, _ in _read() if one.symbol == symbol)


@cache
def _read() -> tuple[tuple[Unit, tuple[str, ...]], ...]:
    return tuple(_unit(quantity, *line.split(" | ")) for quantity, line in lines("units"))


def _unit(quantity: str, size: str, symbol: str, names: str) -> tuple[Unit, tuple[str, ...]]:
    value, _, offset = size.partition(" + ")
    inverse = value.startswith("inverse ")
    made = Unit(
        quantity, symbol, _fraction(value.removeprefix("inverse ")), _fraction(offset or "0"), inverse
    )
    plain = symbol.replace("²", "^2").replace("³", "^3").replace("µ", "μ")
    return made, tuple(dict.fromkeys([symbol, plain, plain.replace("^", ""), *names.split(", ")]))


def _fraction(text: str) -> Fraction:
    above, _, below = text.partition("/")
    return Fraction(above) / Fraction(below or "1")
