"""How much is an amount of money in another currency, by the owner's rates? Silent without them."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import cache

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.lists import lines
from gossamer.results.answers.numbers import NUMBER, read_number, rounded
from gossamer.results.answers.rates import Rates

_INTO = r"\s+(?:in|to|into|as|nach|en|i|σε)\s+"
_BEHIND = re.compile(rf"({NUMBER}) ?([^\d\s].*?){_INTO}(\D+)")
_BEFORE = re.compile(rf"([^\d\s].{{0,3}}?) ?({NUMBER}){_INTO}(\D+)")
_ALONE = re.compile(r"(\D+?)\s+to\s+(\D+)")


def currency(asked: Asked, context: Context) -> InstantAnswer | None:
    """An amount in another currency."""
    rates = context.rates
    if rates is None:
        return None
    if match := _BEHIND.fullmatch(asked.text):
        return _answer(rates, read_number(match[1]), match[2], match[3])
    if match := _BEFORE.fullmatch(asked.text):
        return _answer(rates, read_number(match[2]), match[1], match[3])
    if match := _ALONE.fullmatch(asked.text):
        return _answer(rates, Fraction(1), match[1], match[2])
    return None


def _answer(rates: Rates, amount: Fraction | None, source: str, target: str) -> InstantAnswer | None:
    own, into = _code(source.strip(), rates), _code(target.strip(), rates)
    if amount is None or own is None or into is None or own == into:
        return None
    found = rates.converted(amount, own, into)
    if found is None:
        return None
    one = rates.converted(Fraction(1), own, into)
    assert one is not None
    day = f", {rates.day.isoformat()}" if rates.day else ""
    detail = f"1 {own} = {_money(one, 4)} {into}, by the owner's rates{day}"
    return InstantAnswer("currency", f"{_money(amount)} {own} in {into}", f"{_money(found)} {into}", detail)


def _money(amount: Fraction, places: int = 2) -> str:
    """With cents; with more places where there would be nothing left."""
    while amount and amount < Fraction(1, 10**places) * 10 and places < 12:
        places += 1
    if amount >= 10**15:
        return rounded(amount)
    exact = round(amount * 10**places)
    return f"{Decimal(exact).scaleb(-places):,.{places}f}".removesuffix(".00")


def _code(name: str, rates: Rates) -> str | None:
    """The three letters of a currency that the owner has a rate for."""
    code = name.upper() if name.upper() in rates.worth else _names().get(name)
    return code if code in rates.worth else None


@cache
def _names() -> dict[str, str]:
    pairs = (line.split(" | ") for _, line in lines("currencies"))
    return {name: code for code, names in pairs for name in names.split(", ")}
