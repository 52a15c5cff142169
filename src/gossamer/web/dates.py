"""Parse the dates in feeds, sitemaps and pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

# Publication dates on pages
# --------------------------

EARLIEST = datetime(1900, 1, 1, tzinfo=UTC).timestamp()  # programs write year 1 for "unknown"
TOLERANCE = 86_400.0  # seconds by which a clock or time zone may be ahead
_LONGEST = 64  # characters of a date
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_MONTHS = "january february march april may june july august september october november december"

# Day, month and year, or month, day and year, after an optional weekday. The day may have an ending ("1st").
_NAMED = re.compile(
    r"(?:[a-z]{3,9}\.?,?\s+)??(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?([a-z]{3,9})\.?,?\s+"
    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})",
    re.IGNORECASE,
)
_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")


def timestamp(text: str) -> float | None:
    """Return the seconds since 1970 of an ISO 8601 or RFC 5322 date, or of a day in English.

    A date without a time zone is in UTC. Return None if the text is no date.

    >>> timestamp("2024-05-01T12:00:00+02:00"), timestamp("Wed, 01 May 2024 10:00:00 GMT"), timestamp("soon")
    (1714557600.0, 1714557600.0, None)
    >>> timestamp("1 May 2024"), timestamp("May 1, 2024")
    (1714521600.0, 1714521600.0)
    """
    return _seconds(text.strip()[:_LONGEST], _day, _named)


def _seconds(stated: str, *parsers: Callable[[str], datetime | None]) -> float | None:
    """Return the seconds since 1970, by the first parser that succeeds: ISO 8601, `parsers`, RFC 5322."""
    try:
        readings = (read(stated) for read in (_iso, *parsers, parsedate_to_datetime))
        found = next(filter(None, readings))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _day(text: str) -> datetime | None:
    if match := _DAY.match(text):
        return datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    if match := _MONTH.fullmatch(text):
        return datetime(int(match[1]), int(match[2]), 1, tzinfo=UTC)
    return None


def _named(text: str) -> datetime | None:
    """Parse a day without a time whose month is an English name."""
    match = _NAMED.fullmatch(text)
    if match is None or (match[1] and match[3]):
        return None
    month = next((n for n, name in enumerate(_MONTHS.split(), 1) if name.startswith(match[2].lower())), 0)
    return datetime(int(match[4]), month, int(match[1] or match[3] or 1), tzinfo=UTC)


def first_believable(candidates: list[str], fetched_at: float) -> float | None:
    """Return the first valid date that is neither before 1900 nor in the future.

    `fetched_at` is the current time, 0 if it is unknown.
    """
    latest = fetched_at + TOLERANCE if fetched_at else float("inf")
    moments = (timestamp(candidate) for candidate in candidates if candidate)
    return next((moment for moment in moments if moment is not None and EARLIEST <= moment <= latest), None)


# A W3C date (https://www.w3.org/TR/NOTE-datetime) of any precision, with the usual deviations.
_W3C = re.compile(
    r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[Tt\s]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
    r"\s*([Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?)?)?",
    re.ASCII,
)


def moment(text: str) -> float | None:
    """Return the seconds since 1970 of a W3C or RFC 822 date, or None if it is neither.

    A date without a time zone is in UTC.

    >>> moment("2024-05"), moment("2024-05-01T02:00+02:00"), moment("Wed, 01 May 24 00:00:00 GMT")
    (1714521600.0, 1714521600.0, 1714521600.0)
    """
    stated = text.strip()
    return _seconds(stated, _w3c) if len(stated) <= _LONGEST else None


def _w3c(stated: str) -> datetime | None:
    match = _W3C.fullmatch(stated)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else 0 for part in match.groups()[:6])
    # A leap second is second 60, which Python does not accept.
    return datetime(year, month or 1, day or 1, hour, minute, min(second, 59), tzinfo=_zone(match[7] or ""))


def _zone(written: str) -> timezone:
    if written[:1] not in {"+", "-"}:
        return UTC
    offset = timedelta(hours=int(written[1:3]), minutes=int(written[3:].lstrip(":") or 0))
    return timezone(-offset if written[0] == "-" else offset)
