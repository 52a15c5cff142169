"""Dates, weekdays, time zones."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from gossamer.answer.gazetteer import Gazetteer, code_of, find, folded, time_zone_table
from gossamer.answer.instant.context import AnswerQuery, Context
from gossamer.answer.instant.lists import by_name, lines
from gossamer.model import InstantAnswer

# Time zone of a name
# -------------------

_FROM_UTC = re.compile(r"(?:utc|gmt) ?([+-])(\d{1,2})(?::?([0-5]\d))?")


def zone_named(name: str, places: Gazetteer | None, now: datetime) -> tuple[str, tzinfo] | None:
    """Find the time zone of a name; return how the name is written, and the zone.

    Return None if there is no such zone, or several.
    """
    name = folded(name) if not name.startswith(("utc", "gmt")) else name
    if match := _FROM_UTC.fullmatch(name):
        hours = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        shift = hours if match[1] == "+" else -hours
        return (name.upper(), timezone(shift)) if abs(shift) < timedelta(hours=15) else None
    if hours_from_utc := by_name("zones", "hours").get(name):
        return name.upper(), timezone(timedelta(hours=int(hours_from_utc)), name.upper())
    if key := by_name("zones", "").get(name) or _cities().get(name):
        written = name.upper() if len(name) < 3 else name.title()
        return written.replace(" De ", " de "), ZoneInfo(key)
    if (code := code_of(name)) and (only := _only_zone(code, now)):
        return name.title() if len(name) > 3 else name.upper(), only
    if places is not None and (found := find(places, name)):
        return f"{found.name}, {found.country_name}", ZoneInfo(found.zone)
    return None


def offset(moment: datetime) -> str:
    """The offset of a time from UTC.

    >>> offset(datetime(2026, 7, 1, tzinfo=timezone(timedelta(hours=5, minutes=30))))
    'UTC+05:30'
    """
    written = moment.strftime("%z")
    return f"UTC{written[:3]}:{written[3:5]}".replace("-", "−")


@cache
def _cities() -> dict[str, str]:
    """Time zones by the city in their names."""
    keys = (files("tzdata") / "zones").read_text(encoding="utf-8").split()
    parts = [(key.rpartition("/")[2], key) for key in keys if "/" in key and not key.startswith("Etc/")]
    return {folded(city.replace("_", " ")): key for city, key in parts if city.isprintable()}


@cache
def _zones_of_countries() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for code, _, key, *_ in time_zone_table("zone"):
        found[code].append(key)
    return found


def _only_zone(code: str, now: datetime) -> tzinfo | None:
    """A time zone of a country, if all its zones have the same time now."""
    zones = [ZoneInfo(key) for key in _zones_of_countries().get(code, [])]
    return zones[0] if len({now.astimezone(zone).utcoffset() for zone in zones}) == 1 else None


# Time elsewhere
# --------------

_NOW = re.compile(
    r"(?:(?:current |local )?time (?:now )?(?:in|at)|what time is it (?:now )?in|"
    r"uhrzeit in|wie spät ist es in|(?:quelle )?heure(?: est-il)? (?:à|en|au)|qué hora es en|hora en|"
    r"che ora è a|τι ώρα είναι (?:στ\w+|σε)|ώρα (?:στ\w+|σε)|(?:hvad er )?klokken (?:er )?i|"
    r"cât e ceasul (?:în|la)|ora (?:în|la))\s+(.+?)(?: (?:now|right now|jetzt))?"
)
_THERE = re.compile(
    r"(\d{1,2})(?:[:.]([0-5]\d))? ?(a\.?m\.?|p\.?m\.?|uhr|h)? (.+?) (?:in|to|nach|en) (.+?)(?: time)?"
)


def clock(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer with the time in another place."""
    if match := _NOW.fullmatch(asked.text):
        return _time_in(match[1], context)
    if match := _THERE.fullmatch(asked.text):
        return _there(match, context)
    return None


def _time_in(name: str, context: Context) -> InstantAnswer | None:
    found = zone_named(name, context.places, context.now)
    if found is None:
        return None
    return _time_answer(f"time in {found[0]}", context.now.astimezone(found[1]))


def _time_answer(question: str, there: datetime, moved: str = "") -> InstantAnswer:
    detail = f"{moved}{written_day(there)}, {offset(there)}"
    return InstantAnswer("time", question, f"{there:%H:%M}", detail)


def _there(match: re.Match[str], context: Context) -> InstantAnswer | None:
    hour = _hour(int(match[1]), match[3] or "", has_minutes=match[2] is not None)
    own = zone_named(match[4], context.places, context.now)
    other = zone_named(match[5], context.places, context.now)
    if hour is None or own is None or other is None:
        return None
    today = context.now.astimezone(own[1])
    here = today.replace(hour=hour, minute=int(match[2] or 0), second=0, microsecond=0)
    there = here.astimezone(other[1])
    moved = {-1: "the day before, ", 1: "the next day, "}.get((there.date() - here.date()).days, "")
    return _time_answer(f"{here:%H:%M} {own[0]} ({offset(here)}) in {other[0]}", there, moved)


def _hour(typed: int, half: str, has_minutes: bool) -> int | None:
    """The hour from 0 to 23; None if it is no time of day: "3 miles" has neither minutes nor am or pm."""
    if half[:1] in ("a", "p"):
        if not 1 <= typed <= 12:
            return None
        return typed % 12 + (12 if half[0] == "p" else 0)
    return typed if typed < 24 and (half or has_minutes) else None


# Parse typed days
# ----------------

FIRST_YEAR = 1583  # the first complete year of the Gregorian calendar
_NAMED = re.compile(r"(\d{1,2})(?:\.|st|nd|rd|th|er)?(?: of| de)? ([^\W\d_]+)\.?,?(?: (?:de )?(\d{4}))?")
_AMERICAN = re.compile(r"([^\W\d_]+)\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_DOTTED = re.compile(r"(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})?")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_NEAR = {"today": 0, "now": 0, "heute": 0, "tomorrow": 1, "morgen": 1, "yesterday": -1, "gestern": -1}


def read_day(text: str, today: date, later: bool = True) -> date | None:
    """Read a day; without a year, the next such day, or the last one if `later` is false.

    >>> read_day("24 December", date(2026, 11, 16)), read_day("12/24/2026", date(2026, 11, 16))
    (datetime.date(2026, 12, 24), datetime.date(2026, 12, 24))
    >>> read_day("4/5/2026", date(2026, 11, 16)) is None  # the 4th of May, or the 5th of April
    True
    """
    text = text.lower().strip().removeprefix("the ")
    if text in _NEAR:
        return today + timedelta(_NEAR[text])
    text = by_name("holidays").get(text, text)
    for pattern, read in _FORMS:
        if match := pattern.fullmatch(text):
            year, month, day = read(match)
            if month is None:
                return None
            return _valid_date(year, month, day) if year else _without_year(month, day, today, later)
    return None


Parts = tuple[int, int | None, int]  # year (0: missing), month, day


def _slashed(match: re.Match[str]) -> Parts:
    """Read a date with the day or the month first; the month is None if both are possible."""
    first, second = int(match[1]), int(match[2])
    if first > 12:
        return int(match[3]), second, first
    return int(match[3]), first if second > 12 or first == second else None, second


@cache
def months() -> dict[str, int]:
    """The number of each name of a month."""
    rows = enumerate(line.split() for _, line in lines("months"))  # twelve a language
    return {name: row % 12 + 1 for row, names in rows for name in names}


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Parts]], ...] = (
    (_ISO, lambda match: (int(match[1]), int(match[2]), int(match[3]))),
    (_NAMED, lambda match: (int(match[3] or 0), months().get(match[2]), int(match[1]))),
    (_AMERICAN, lambda match: (int(match[3] or 0), months().get(match[1]), int(match[2]))),
    (_DOTTED, lambda match: (int(match[3] or 0), int(match[2]), int(match[1]))),
    (_SLASHED, _slashed),
)


def _valid_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if year >= FIRST_YEAR else None
    except ValueError:
        return None


def _without_year(month: int, day: int, today: date, later: bool) -> date | None:
    years = [today.year + one for one in (range(9) if later else range(0, -9, -1))]  # 29 February
    days = [found for year in years if (found := _valid_date(year, month, day))]
    return next((one for one in days if (one >= today if later else one <= today)), None)


def moved(day: date, amount: int, unit: str) -> date | None:
    """Move a day by an amount of days, weeks, months or years; None if the result is out of range.

    If the month is too short, the result is its last day.

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
    """Write a day in English.

    >>> written_day(date(1945, 5, 1))
    'Tuesday, 1 May 1945'
    """
    return f"{day:%A}, {day.day} {day:%B} {day.year}"


LARGEST = 1_000_000  # days, weeks, months or years that a day may be moved by
_UNIT = r"(day|week|month|year)s?"
_GATE = re.compile(
    r"\b(?:days?|weeks?|months?|years?|date|today|tomorrow|yesterday|weekday|timestamp|epoch|tage?|wochentag|datum|kalenderwoche|jours?)\b"
)
_UNTIL = re.compile(
    r"(?:how many |wie ?viele |combien de )?(days|weeks|tage|jours)(?: are(?: there)?)?(?: left)? "
    r"(?:until|till|til|to|before|bis(?: zum)?|avant|jusqu'au|jusqu'à)(?: the)? (.+)"
)
_SINCE = re.compile(
    r"(?:how many |wie ?viele |combien de )?(days|weeks|tage|jours)(?: has it been)?(?: (?:passed|gone))? "
    r"(?:since|seit(?: dem)?|depuis)(?: the)? (.+)"
)
_BETWEEN = re.compile(
    r"(?:how many )?(days|weeks)(?: are(?: there)?)? (?:between|from) (.+?) (?:and|to|until) (.+)"
)
_WEEKDAY = re.compile(
    r"(?:(?:what |which )?(?:day of the week|weekday|wochentag)(?: (?:is|was|of|for|on|war|ist(?: der)?))?|"
    r"(?:what|which) (?:week)?day (?:is|was|will be))(?: the)? (.+)"
)
_TODAY = re.compile(
    r"(?:what|which) (?:day|date) is it(?: today)?|(?:the )?(?:today'?s date|date today)|current date|"
    r"welcher tag ist heute|welches datum (?:ist|haben wir) heute|quel jour (?:sommes-nous|est-on)"
)
_WEEK = re.compile(
    r"(?:what|which) (?:calendar )?week (?:is it|is this|are we in)|(?:current )?(?:calendar )?week number|"
    r"(?:aktuelle )?kalenderwoche"
)
_PLUS = re.compile(rf"(.+?) ?([+-]|plus|minus) ?(\d{{1,7}}) {_UNIT}")
_FROM = re.compile(rf"(?:what is |date )?(\d{{1,7}}) {_UNIT} (from|after|before|since|ago)(?: (.+))?")
_EPOCH = re.compile(
    r"(?:unix )?(?:timestamp|epoch|unix time) (\d{1,11})|(\d{9,10}) (?:unix )?(?:timestamp|epoch)"
)


def dates(asked: AnswerQuery, context: Context) -> InstantAnswer | None:
    """Answer questions on dates, weekdays and distances between days."""
    text, today = asked.text, context.now.date()
    if not _GATE.search(text):
        return None
    return (
        _today(text, today)
        or _counted(text, today)
        or _weekday(text, today)
        or _moved(text, today)
        or _epoch(text)
    )


def _today(text: str, today: date) -> InstantAnswer | None:
    if _TODAY.fullmatch(text):
        return InstantAnswer("date", "today", written_day(today), " ".join(_week(today)))
    if _WEEK.fullmatch(text):
        return InstantAnswer("date", f"the week of {written_day(today)}", *_week(today))
    return None


def _week(day: date) -> tuple[str, str]:
    """The week of a day and its year, by ISO 8601."""
    year, week, _ = day.isocalendar()
    return f"week {week}", f"of {year}"


def _counted(text: str, today: date) -> InstantAnswer | None:
    if match := _UNTIL.fullmatch(text):
        return _distance(today, read_day(match[2], today), match[1])
    if match := _SINCE.fullmatch(text):
        return _distance(read_day(match[2], today, later=False), today, match[1])
    if match := _BETWEEN.fullmatch(text):
        first = read_day(match[2], today)
        return _distance(first, read_day(match[3], first or today), match[1])
    return None


def _distance(first: date | None, last: date | None, unit: str) -> InstantAnswer | None:
    if first is None or last is None or first > last:
        return None
    days = (last - first).days
    question = f"from {written_day(first)} to {written_day(last)}"
    if unit == "weeks" and days >= 7:
        return InstantAnswer("date", question, _in_weeks(days), _many(days, "day"))
    return InstantAnswer("date", question, _many(days, "day"), _in_weeks(days) if days >= 14 else "")


def _in_weeks(days: int) -> str:
    rest = f" and {_many(days % 7, 'day')}" if days % 7 else ""
    return _many(days // 7, "week") + rest


def _weekday(text: str, today: date) -> InstantAnswer | None:
    match = _WEEKDAY.fullmatch(text)
    day = read_day(match[1], today) if match else None
    if day is None:
        return None
    weekday, _, rest = written_day(day).partition(", ")
    return InstantAnswer("date", f"day of the week, {rest}", weekday, " ".join(_week(day)))


def _moved(text: str, today: date) -> InstantAnswer | None:
    if match := _PLUS.fullmatch(text):
        start, sign = match[1], 1 if match[2] in ("+", "plus") else -1
        day = today if start == "date" else read_day(start, today)
        return _later(day, sign * int(match[3]), match[4])
    if match := _FROM.fullmatch(text):
        way, start = match[3], match[4]
        if (start is None) != (way == "ago"):
            return None
        day = today if start is None else read_day(start, today)
        return _later(day, int(match[1]) * (-1 if way in ("ago", "before") else 1), match[2])
    return None


def _later(day: date | None, amount: int, unit: str) -> InstantAnswer | None:
    if day is None or abs(amount) > LARGEST:
        return None
    found = moved(day, amount, unit)
    if found is None:
        return None
    way = "before" if amount < 0 else "after"
    return InstantAnswer("date", f"{_many(abs(amount), unit)} {way} {written_day(day)}", written_day(found))


def _epoch(text: str) -> InstantAnswer | None:
    match = _EPOCH.fullmatch(text)
    if match is None:
        return None
    moment = datetime.fromtimestamp(int(match[1] or match[2]), UTC)
    shown = f"{written_day(moment.date())}, {moment:%H:%M:%S} UTC"
    return InstantAnswer("date", f"{match[1] or match[2]} seconds after 1 January 1970", shown)


def _many(number: int, unit: str) -> str:
    return f"{number:,} {unit}" + ("" if number == 1 else "s")
