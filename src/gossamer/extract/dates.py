"""When was this published? Dates as authors write them into pages."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

EARLIEST = datetime(1900, 1, 1, tzinfo=UTC).timestamp()  # programs write year 1 for "unknown"
TOLERANCE = 86_400.0  # seconds that a clock or time zone may be ahead

_MONTH = re.compile(r"(\d{4})-(\d{2})")
_MONTHS = "january february march april may june july august september october november december"
# Day, month and year, or month, day and year; a weekday may stand before them, an ending behind the day.
_NAMED = re.compile(
    r"(?:[a-z]{3,9}\.?,?\s+)??(?:(\d{1,2})(?:st|nd|rd|th)?\s+)?([a-z]{3,9})\.?,?\s+"
    r"(?:(\d{1,2})(?:st|nd|rd|th)?,?\s+)?(\d{4})",
    re.IGNORECASE,
)
_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)")


def timestamp(text: str) -> float | None:
    """Seconds since 1970 of an ISO 8601 or RFC 5322 date, or of a day in English; without a time zone, UTC.

    >>> timestamp("2024-05-01T12:00:00+02:00"), timestamp("Wed, 01 May 2024 10:00:00 GMT"), timestamp("soon")
    (1714557600.0, 1714557600.0, None)
    >>> timestamp("1 May 2024"), timestamp("May 1, 2024")
    (1714521600.0, 1714521600.0)
    """
    stated = text.strip()[:64]
    try:
        moment = _iso(stated) or _named(stated) or parsedate_to_datetime(stated)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    if match := _DAY.match(text):
        return datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    if match := _MONTH.fullmatch(text):
        return datetime(int(match[1]), int(match[2]), 1, tzinfo=UTC)
    return None


def _named(text: str) -> datetime | None:
    """A day whose month has its English name, and that says no time."""
    match = _NAMED.fullmatch(text)
    if match is None or (match[1] and match[3]):
        return None
    month = next((n for n, name in enumerate(_MONTHS.split(), 1) if name.startswith(match[2].lower())), 0)
    return datetime(int(match[4]), month, int(match[1] or match[3] or 1), tzinfo=UTC)


def first_believable(candidates: list[str], fetched_at: float) -> float | None:
    """The first date that is one and does not lie in the future; `fetched_at` 0 means that now is unknown."""
    latest = fetched_at + TOLERANCE if fetched_at else float("inf")
    moments = (timestamp(candidate) for candidate in candidates if candidate)
    return next((moment for moment in moments if moment is not None and EARLIEST <= moment <= latest), None)
