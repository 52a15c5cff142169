"""How many days are between two, which weekday is one, and which day is so many days later?"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.days import moved, read_day, written_day

LARGEST = 1_000_000  # days, weeks, months or years that are counted

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


def dates(asked: Asked, context: Context) -> InstantAnswer | None:
    """What there is to be said of days."""
    text, today = asked.text, context.now.date()
    if not _GATE.search(text):
        return None
    return (
        _now(text, today)
        or _counted(text, today)
        or _weekday(text, today)
        or _moved(text, today)
        or (_epoch(text) if asked.has_digit else None)
    )


def _now(text: str, today: date) -> InstantAnswer | None:
    week = f"week {today.isocalendar().week}", f"of {today.isocalendar().year}"
    if _TODAY.fullmatch(text):
        return InstantAnswer("date", "today", written_day(today), " ".join(week))
    if _WEEK.fullmatch(text):
        return InstantAnswer("date", f"the week of {written_day(today)}", week[0], week[1])
    return None


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
    week = day.isocalendar()
    name = written_day(day)
    weekday, _, rest = name.partition(", ")
    return InstantAnswer("date", f"day of the week, {rest}", weekday, f"week {week.week} of {week.year}")


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
