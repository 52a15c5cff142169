"""How much is a measure in another unit?"""

from __future__ import annotations

import re
from fractions import Fraction

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.numbers import NUMBER, read_number, rounded
from gossamer.results.answers.unit_list import ALSO, AVERAGE, Unit, by_symbol, unit

SHORTEST_ALONE = 2  # letters of a unit's name that is converted without any number before it

_INTO = r"\s+(?:in|to|into|as|nach|en|auf|i|στα|σε)\s+"
_GATE = re.compile(rf"\S{_INTO}\S|\bhow many\b|\bwie ?viele?\b|\bcombien\b", re.IGNORECASE)
_POLITE = re.compile(r"(?:what(?:'s| is)|how much is|convert|calculate)\s+", re.IGNORECASE)
_PLAIN = re.compile(rf"(-?{NUMBER}) ?(\D.*?){_INTO}(\D.*)", re.IGNORECASE)
_PARTS = re.compile(rf"(?:(\d{{1,3}}) )?(\d{{1,2}})/([1-9]\d?) ?(\D.*?){_INTO}(\D.*)", re.IGNORECASE)
_MANY = re.compile(
    rf"(?:how many|wie ?viele?|combien de)\s+(\D+?)\s+"
    rf"(?:are (?:there )?in|in|make(?: up)?|is|sind(?: in)?|hat|y a-t-il dans)\s+"
    rf"(?:(?:an?|one|ein(?:e|em|er)?|une?)\s+|({NUMBER}) ?)(\D.*)",
    re.IGNORECASE,
)
_ALONE = re.compile(r"(\D+?)\s+to\s+(\D+)", re.IGNORECASE)
_FEET = re.compile(
    r"(\d+) ?(?:'|ft|feet|foot) ?(?:and )?(\d+(?:\.\d+)?) ?(?:\"|''|in|inch|inches)?" + _INTO + r"(\D+)",
    re.IGNORECASE,
)
_STONE = re.compile(
    r"(\d+) ?(?:st|stones?) ?(?:and )?(\d+(?:\.\d+)?) ?(?:lbs?|pounds?)?" + _INTO + r"(\D+)", re.IGNORECASE
)


def units(asked: Asked, context: Context) -> InstantAnswer | None:
    """A measure in another unit of the same quantity."""
    if not _GATE.search(asked.typed):
        return None
    text = _POLITE.sub("", asked.typed, 1)
    for pattern, large, small in ((_FEET, "ft", "in"), (_STONE, "st", "lb")):
        if match := pattern.fullmatch(text):
            return _two(by_symbol(large), by_symbol(small), match)
    if match := _PARTS.fullmatch(text):
        amount = int(match[1] or 0) + Fraction(int(match[2]), int(match[3]))
        return _converted(amount, match[4], match[5])
    if match := _PLAIN.fullmatch(text):
        return _converted(read_number(match[1].lower()), match[2], match[3])
    if match := _MANY.fullmatch(text):
        return _converted(read_number(match[2] or "1"), match[3], match[1])
    match = _ALONE.fullmatch(text)
    if match and min(len(match[1]), len(match[2])) >= SHORTEST_ALONE:
        return _converted(Fraction(1), match[1], match[2])
    return None


def _two(large: Unit, small: Unit, match: re.Match[str]) -> InstantAnswer | None:
    """5'11" in cm, 11 st 4 lb in kg."""
    first, second, into = read_number(match[1]), read_number(match[2]), unit(match[3].strip())
    if first is None or second is None or into is None or into.quantity != large.quantity:
        return None
    if second * small.size >= large.size:  # more than 11 inches: something else is meant
        return None
    base = first * large.size + second * small.size
    amount = into.amount(base)
    question = f"{rounded(first)} {large.symbol} {rounded(second)} {small.symbol}"
    return None if amount is None else _answer(question, amount, into)


def _converted(amount: Fraction | None, source: str, target: str) -> InstantAnswer | None:
    """The answer, where both are units of one quantity and the amount can be."""
    own, into = unit(source.strip()), unit(target.strip())
    if amount is None or own is None or into is None or own.quantity != into.quantity or own == into:
        return None
    base = own.base(amount)
    if base is None or (own.quantity == "temperature" and base < 0):  # below absolute zero
        return None
    found = into.amount(base)
    if found is None:
        return None
    return _answer(_measure(amount, own), found, into, _also(amount, own, into, found))


def _answer(question: str, amount: Fraction, into: Unit, also: str = "") -> InstantAnswer:
    details = [also, AVERAGE.get(into.symbol, "")]
    return InstantAnswer(
        "units", f"{question} in {into.many}", _measure(amount, into), "; ".join(filter(None, details))
    )


def _measure(amount: Fraction, of: Unit) -> str:
    space = "" if of.symbol == "°" else " "
    return f"{rounded(amount)}{space}{of.symbol if abs(amount) == 1 else of.many}"


def _also(amount: Fraction, own: Unit, into: Unit, found: Fraction) -> str:
    """What it would be by the unit that has the same name elsewhere."""
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
