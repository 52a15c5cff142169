"""What time is it elsewhere, and what is a time of one zone in another?"""

from __future__ import annotations

import re
from datetime import datetime

from gossamer.model import InstantAnswer
from gossamer.results.answers.asking import Asked, Context
from gossamer.results.answers.zones import offset, zone_named

_NOW = re.compile(
    r"(?:(?:current |local )?time (?:now )?(?:in|at)|what time is it (?:now )?in|"
    r"uhrzeit in|wie spät ist es in|(?:quelle )?heure(?: est-il)? (?:à|en|au)|qué hora es en|hora en|"
    r"che ora è a|τι ώρα είναι (?:στ\w+|σε)|ώρα (?:στ\w+|σε)|(?:hvad er )?klokken (?:er )?i|"
    r"cât e ceasul (?:în|la)|ora (?:în|la))\s+(.+?)(?: (?:now|right now|jetzt))?"
)
_THERE = re.compile(
    r"(\d{1,2})(?:[:.]([0-5]\d))? ?(a\.?m\.?|p\.?m\.?|uhr|h)? (.+?) (?:in|to|nach|en) (.+?)(?: time)?"
)


def clock(asked: Asked, context: Context) -> InstantAnswer | None:
    """The time of day somewhere."""
    if match := _NOW.fullmatch(asked.text):
        return _now(match[1], context)
    if asked.has_digit and (match := _THERE.fullmatch(asked.text)):
        return _there(match, context)
    return None


def _now(name: str, context: Context) -> InstantAnswer | None:
    found = zone_named(name, context.places, context.now)
    if found is None:
        return None
    there = context.now.astimezone(found[1])
    return InstantAnswer("time", f"time in {found[0]}", f"{there:%H:%M}", f"{_day(there)}, {offset(there)}")


def _there(match: re.Match[str], context: Context) -> InstantAnswer | None:
    hour = _hour(int(match[1]), match[3] or "", has_minutes=match[2] is not None)
    own = zone_named(match[4], context.places, context.now)
    other = zone_named(match[5], context.places, context.now)
    if hour is None or own is None or other is None:
        return None
    today = context.now.astimezone(own[1])
    here = today.replace(hour=hour, minute=int(match[2] or 0), second=0, microsecond=0)
    there = here.astimezone(other[1])
    days = (there.date() - here.date()).days
    moved = {-1: "the day before, ", 1: "the next day, "}.get(days, "")
    question = f"{here:%H:%M} {own[0]} ({offset(here)}) in {other[0]}"
    return InstantAnswer("time", question, f"{there:%H:%M}", f"{moved}{_day(there)}, {offset(there)}")


def _hour(typed: int, half: str, has_minutes: bool) -> int | None:
    """Of 24; None where it is no time of day: "3 miles" has neither minutes nor a half."""
    if half[:1] in ("a", "p"):
        if not 1 <= typed <= 12:
            return None
        return typed % 12 + (12 if half[0] == "p" else 0)
    return typed if typed < 24 and (half or has_minutes) else None


def _day(moment: datetime) -> str:
    return f"{moment:%A}, {moment.day} {moment:%B %Y}"
