"""Unit and currency conversion."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache

from gossamer.answer.instant.arithmetic import NUMBER, read_number, rounded
from gossamer.answer.instant.context import AnswerQuery, Context, Rates
from gossamer.answer.instant.lists import by_name, lines
from gossamer.model import InstantAnswer

# Convert currencies
# ------------------

_INTO_CURRENCY = r"\s+(?:in|to|into|as|nach|en|i|σε)\s+"
_CURRENCY_FORMS = [
    re.compile(rf"(?P<amount>{NUMBER}) ?(?P<source>[^\d\s].*?){_INTO_CURRENCY}(?P<target>\D+)"),
    re.compile(rf"(?P<source>[^\d\s].{{0,3}}?) ?(?P<amount>{NUMBER}){_INTO_CURRENCY}(?P<target>\D+)"),
    re.compile(r"(?P<source>\D+?)\s+to\s+(?P<target>\D+)"),
]


def currency(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Convert an amount to another currency."""
    rates = context.rates
    match = next(filter(None, (form.fullmatch(asked.text) for form in _CURRENCY_FORMS)), None)
    if rates is None or match is None:
        return None
    named = match.groupdict("1")
    return _currency_answer(rates, read_number(named.get("amount", "1")), named["source"], named["target"])


def _currency_answer(rates: Rates, amount: Fraction | None, source: str, target: str) -> InstantAnswer | None:
    own, into = _code(source.strip(), rates), _code(target.strip(), rates)
    if amount is None or own is None or into is None or own == into:
        return None
    rate = rates.worth[into] / rates.worth[own]
    found = amount * rate
    day = f", {rates.day.isoformat()}" if rates.day else ""
    detail = f"1 {own} = {_money(rate, 4)} {into}, by the owner's rates{day}"
    return InstantAnswer("currency", f"{_money(amount)} {own} in {into}", f"{_money(found)} {into}", detail)


def _money(amount: Fraction, places: int = 2) -> str:
    """Write an amount with cents, or with more places if it is tiny."""
    while amount and amount < Fraction(1, 10**places) * 10 and places < 12:
        places += 1
    if amount >= 10**15:
        return rounded(amount)
    exact = round(amount * 10**places)
    return f"{Decimal(exact).scaleb(-places):,.{places}f}".removesuffix(".00")


def _code(name: str, rates: Rates) -> str | None:
    """The code of a currency, by name or code, if the owner has a rate for it."""
    code = name.upper() if name.upper() in rates.worth else by_name("currencies").get(name)
    return code if code in rates.worth else None


# Known units
# -----------


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, with its size in the base unit of its quantity."""

    quantity: str
    symbol: str
    size: Fraction
    offset: Fraction = Fraction(0)  # its zero, in base units
    inverse: bool = False  # the amount is `size` divided by that in base units, as in litres per 100 km

    @property
    def many(self) -> str:
        """The plural of the symbol."""
        before, space, last = self.symbol.rpartition(" ")
        return before + space + PLURALS.get(last, last)

    def base(self, amount: Fraction) -> Fraction | None:
        """Convert an amount to base units; None if that is impossible."""
        if not self.inverse:
            return amount * self.size + self.offset
        return self.size / amount if amount else None

    def amount(self, base: Fraction) -> Fraction | None:
        """Convert base units to this unit; None if that is impossible."""
        if not self.inverse:
            return (base - self.offset) / self.size
        return self.size / base if base else None


# Plurals of units that are written in full; other symbols have none.
PLURALS = {"century": "centuries"} | {
    one: f"{one}s" for one in ("acre", "cup", "decade", "fortnight", "gallon", "pint", "quart", "ton", "turn")
}

# Units that have the same name in another country; the answer mentions them.
ALSO = {
    "US gallon": "imperial gallon",
    "US pint": "imperial pint",
    "US quart": "imperial quart",
    "US fl oz": "imperial fl oz",
    "mpg": "imperial mpg",
}
AVERAGE = {"mo": "a month of 30.436875 days, on average", "yr": "a year of 365.2425 days, on average"}


@cache
def known_units() -> dict[str, Unit]:
    """All units by name. Names in small letters are added if only one unit has them."""
    found: dict[str, Unit] = {}
    folded: dict[str, set[Unit]] = {}
    for unit, names in _read():
        for name in names:
            found.setdefault(name, unit)
            folded.setdefault(name.lower(), set()).add(unit)
    return {name: next(iter(own)) for name, own in folded.items() if len(own) == 1} | found


def unit(name: str) -> Unit | None:
    """The unit with a typed name; None if there is none, or if it depends on capitals.

    >>> unit("Miles").symbol, unit("MB").symbol, unit("Mb").symbol, unit("mb")
    ('mi', 'MB', 'Mbit', None)
    """
    known = known_units()
    return known.get(name) or known.get(name.lower())


@cache
def by_symbol(symbol: str) -> Unit:
    """The unit with a symbol, which must exist."""
    return next(one for one, _ in _read() if one.symbol == symbol)


@cache
def _read() -> tuple[tuple[Unit, tuple[str, ...]], ...]:
    return tuple(_unit(quantity, *line.split(" | ")) for quantity, line in lines("units"))


def _unit(quantity: str, size: str, symbol: str, names: str) -> tuple[Unit, tuple[str, ...]]:
    value, _, offset = size.removeprefix("inverse ").partition(" + ")
    inverse = size.startswith("inverse ")
    made = Unit(quantity, symbol, _fraction(value), _fraction(offset or "0"), inverse)
    plain = symbol.replace("²", "^2").replace("³", "^3").replace("µ", "μ")
    return made, tuple(dict.fromkeys([symbol, plain, plain.replace("^", ""), *names.split(", ")]))


def _fraction(text: str) -> Fraction:
    above, _, below = text.partition("/")
    return Fraction(above) / Fraction(below or "1")


SHORTEST_ALONE = 2  # letters of a unit's name that needs no number before it
_INTO_UNIT = r"\s+(?:in|to|into|as|nach|en|auf|i|στα|σε)\s+"
_GATE = re.compile(rf"\S{_INTO_UNIT}\S|\bhow many\b|\bwie ?viele?\b|\bcombien\b", re.IGNORECASE)
_POLITE = re.compile(r"(?:what(?:'s| is)|how much is|convert|calculate)\s+", re.IGNORECASE)
_PLAIN = re.compile(rf"(-?{NUMBER}) ?(\D.*?){_INTO_UNIT}(\D.*)", re.IGNORECASE)
_PARTS = re.compile(rf"(?:(\d{{1,3}}) )?(\d{{1,2}})/([1-9]\d?) ?(\D.*?){_INTO_UNIT}(\D.*)", re.IGNORECASE)
_MANY = re.compile(
    rf"(?:how many|wie ?viele?|combien de)\s+(\D+?)\s+"
    rf"(?:are (?:there )?in|in|make(?: up)?|is|sind(?: in)?|hat|y a-t-il dans)\s+"
    rf"(?:(?:an?|one|ein(?:e|em|er)?|une?)\s+|({NUMBER}) ?)(\D.*)",
    re.IGNORECASE,
)
_UNITS_ALONE = re.compile(r"(\D+?)\s+to\s+(\D+)", re.IGNORECASE)


def _in_two_units(large: str, small: str) -> re.Pattern[str]:
    both = rf"(\d+) ?(?:{large}) ?(?:and )?(\d+(?:\.\d+)?) ?(?:{small})?"
    return re.compile(rf"{both}{_INTO_UNIT}(\D+)", re.IGNORECASE)


_TWO_UNITS = (
    (_in_two_units("'|ft|feet|foot", "\"|''|in|inch|inches"), "ft", "in"),
    (_in_two_units("st|stones?", "lbs?|pounds?"), "st", "lb"),
)


def units(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Convert a measure to another unit of the same quantity."""
    if not _GATE.search(asked.typed):
        return None
    text = _POLITE.sub("", asked.typed, 1)
    for pattern, large, small in _TWO_UNITS:
        if match := pattern.fullmatch(text):
            return _two(by_symbol(large), by_symbol(small), match)
    if match := _PARTS.fullmatch(text):
        amount = int(match[1] or 0) + Fraction(int(match[2]), int(match[3]))
        return _converted(amount, match[4], match[5])
    if match := _PLAIN.fullmatch(text):
        return _converted(read_number(match[1].lower()), match[2], match[3])
    if match := _MANY.fullmatch(text):
        return _converted(read_number(match[2] or "1"), match[3], match[1])
    match = _UNITS_ALONE.fullmatch(text)
    if match and min(len(match[1]), len(match[2])) >= SHORTEST_ALONE:
        return _converted(Fraction(1), match[1], match[2])
    return None


def _two(large: Unit, small: Unit, match: re.Match[str]) -> InstantAnswer | None:
    """Convert a measure in two units, such as 5'11" or 11 st 4 lb."""
    first, second, into = read_number(match[1]), read_number(match[2]), unit(match[3].strip())
    if first is None or second is None or into is None or into.quantity != large.quantity:
        return None
    if second * small.size >= large.size:  # such as 12 inches: something else is meant
        return None
    amount = into.amount(first * large.size + second * small.size)
    question = f"{rounded(first)} {large.symbol} {rounded(second)} {small.symbol}"
    return None if amount is None else _unit_answer(question, amount, into)


def _converted(amount: Fraction | None, source: str, target: str) -> InstantAnswer | None:
    """Convert an amount, if both units are of one quantity and the amount is possible."""
    own, into = unit(source.strip()), unit(target.strip())
    if amount is None or own is None or into is None or own.quantity != into.quantity or own == into:
        return None
    base = own.base(amount)
    if base is None or (own.quantity == "temperature" and base < 0):  # below absolute zero
        return None
    found = into.amount(base)
    if found is None:
        return None
    return _unit_answer(_measure(amount, own), found, into, _also(amount, own, into, found))


def _unit_answer(question: str, amount: Fraction, into: Unit, also: str = "") -> InstantAnswer:
    details = [also, AVERAGE.get(into.symbol, "")]
    return InstantAnswer(
        "units", f"{question} in {into.many}", _measure(amount, into), "; ".join(filter(None, details))
    )


def _measure(amount: Fraction, of: Unit) -> str:
    space = "" if of.symbol == "°" else " "
    return f"{rounded(amount)}{space}{of.symbol if abs(amount) == 1 else of.many}"


def _also(amount: Fraction, own: Unit, into: Unit, found: Fraction) -> str:
    """The result with units that have the same name in another country."""
    details = [AVERAGE.get(own.symbol, "")]
    if other := ALSO.get(own.symbol):
        elsewhere = by_symbol(other)
        base = elsewhere.base(amount)
        if base is not None and (there := into.amount(base)) is not None:
            details.append(f"{_measure(amount, elsewhere)}: {_measure(there, into)}")
    if other := ALSO.get(into.symbol):
        base = into.base(found)
        if base is not None and (there := by_symbol(other).amount(base)) is not None:
            details.append(f"or {_measure(there, by_symbol(other))}")
    return "; ".join(filter(None, details))
