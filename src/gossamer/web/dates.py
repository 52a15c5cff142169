"""When was that? The dates of sitemaps and feeds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

# A W3C date (https://www.w3.org/TR/NOTE-datetime) of any precision, with the freedoms that people take.
_W3C = re.compile(
    r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[Tt\s]\s*(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?"
    r"\s*([Zz]|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?)?)?",
    re.ASCII,
)
_LONGEST = 64


def moment(text: str) -> float | None:
    """Seconds since 1970 of a W3C or RFC 822 date, None when it is neither; without a time zone, UTC.

    >>> moment("2024-05"), moment("2024-05-01T02:00+02:00"), moment("Wed, 01 May 24 00:00:00 GMT")
    (1714521600.0, 1714521600.0, 1714521600.0)
    """
    stated = text.strip()
    if len(stated) > _LONGEST:
        return None
    try:
        found = _quickly(stated) or _w3c(stated) or parsedate_to_datetime(stated)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _quickly(stated: str) -> datetime | None:
    try:
        return datetime.fromisoformat(stated)
    except ValueError:
        return None


def _w3c(stated: str) -> datetime | None:
    match = _W3C.fullmatch(stated)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else 0 for part in match.groups()[:6])
    # A minute of 61 seconds ends with second 60, which Python does not know.
    return datetime(year, month or 1, day or 1, hour, minute, min(second, 59), tzinfo=_zone(match[7] or ""))


def _zone(written: str) -> timezone:
    if written[:1] not in {"+", "-"}:
        return UTC
    offset = timedelta(hours=int(written[1:3]), minutes=int(written[3:].lstrip(":") or 0))
    return timezone(-offset if written[0] == "-" else offset)
