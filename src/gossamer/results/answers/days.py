"""Which day is meant by what people write for one?"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

from gossamer.results.answers.lists import lines

FIRST_YEAR = 1583  # the first whole one of the Gregorian calendar

_NAMED = re.compile(r"(\d{1,2})(?:\.|st|nd|rd|th|er)?(?: of| de)? ([^\W\d_]+)\.?,?(?: (?:de )?(\d{4}))?")
_AMERICAN = re.compile(r"([^\W\d_]+)\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DOTTED = re.compile(r"(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})?")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_HOLIDAYS = {
    "christmas": (12, 25),
    "christmas day": (12, 25),
    "christmas eve": (12, 24),
    "xmas": (12, 25),
    "weihnachten": (12, 25),
    "heiligabend": (12, 24),
    "noël": (12, 25),
    "new year": (1, 1),
    "new year's day": (1, 1),
    "new year's": (1, 1),
    "new year's eve": (12, 31),
    "silvester": (12, 31),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
}
_NEAR = {"today": 0, "now": 0, "heute": 0, "tomorrow": 1, "morgen": 1, "yesterday": -1, "gestern": -1}


def read_day(text: str, today: date, later: bool = True) -> date | None:
    """The day; where the year is missing, the next one, or with `later` false the last one.

    >>> read_day("24 December", date(2026, 11, 16)), read_day("12/24/2026", date(2026, 11, 16))
    (datetime.date(2026, 12, 24), datetime.date(2026, 12, 24))
    >>> read_day("4/5/2026", date(2026, 11, 16)) is None  # the 4th of May, or the 5th of April
    True
    """
    text = text.lower().strip().removeprefix("the ")
    if text in _NEAR:
        return today + timedelta(_NEAR[text])
    if holiday := _HOLIDAYS.get(text):
        return _without_year(*holiday, today, later)
    for pattern, read in _FORMS:
        if match := pattern.fullmatch(text):
            year, month, day = read(match)
            if month is None:
                return None
            return _day(year, month, day) if year else _without_year(month, day, today, later)
    return None


Parts = tuple[int, int | None, int]  # year, month, day; a year of 0 is none


def _slashed(match: re.Match[str]) -> Parts:
    """Day or month first: only one of them must be possible."""
    first, second = int(match[1]), int(match[2])
    if first > 12:
        return int(match[3]), second, first
    return int(match[3]), first if second > 12 or first == second else None, second


@cache
def months() -> dict[str, int]:
    """The number of each name of a month."""
    sections: dict[str, int] = {}
    found: dict[str, int] = {}
    for language, line in lines("months"):
        sections[language] = sections.get(language, 0) + 1
        found |= dict.fromkeys(line.split(), sections[language])
    return found


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Parts]], ...] = (
    (_ISO, lambda match: (int(match[1]), int(match[2]), int(match[3]))),
    (_NAMED, lambda match: (int(match[3] or 0), months().get(match[2]), int(match[1]))),
    (_AMERICAN, lambda match: (int(match[3] or 0), months().get(match[1]), int(match[2]))),
    (_DOTTED, lambda match: (int(match[3] or 0), int(match[2]), int(match[1]))),
    (_SLASHED, _slashed),
)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if year >= FIRST_YEAR else None
    except ValueError:
        return None


def _without_year(month: int, day: int, today: date, later: bool) -> date | None:
    years = [today.year + one for one in (range(9) if later else range(0, -9, -1))]  # 29 February
    days = [found for year in years if (found := _day(year, month, day))]
    return next((one for one in days if (one >= today if later else one <= today)), None)


def moved(day: date, amount: int, unit: str) -> date | None:
    """So many days, weeks, months or years later; None beyond the calendar.

    The last day of a shorter month stands for those that it lacks.

    >>> moved(date(2026, 1, 31), 1, "month"), moved(date(2026, 11, 16), -2, "week")
    (datetime.date(2026, 2, 28), datetime.date(2026, 11, 2))
    """
    try:
        if unit in ("day", "week"):
            found = day + timedelta(amount * (7 if unit == "week" else 1))
        else:
            count = day.year * 12 + day.month - 1 + amount * (12 if unit == "year" else 1)
            year, month = count // 12, count % 12 + 1
            last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(1)).day
            found = date(year, month, min(day.day, last))
    except (ValueError, OverflowError):
        return None
    return found if found.year >= FIRST_YEAR else None


def written_day(day: date) -> str:
    """A day as people write it.

    >>> written_day(date(1945, 5, 1))
    'Tuesday, 1 May 1945'
    """
    return f"{day:%A}, {day.day} {day:%B} {day.year}"
