"""How are numbers, times and dates said on the page?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "result"), counted(12345, "result")
    ('1 result', '12,345 results')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def took(milliseconds: float) -> str:
    """
    >>> took(0.04), took(3.21), took(47.8), took(1234.0)
    ('0.1 ms', '3.2 ms', '48 ms', '1.2 s')
    """
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{max(milliseconds, 0.1):.1f} ms"


def day(moment: float | None) -> datetime | None:
    """The day of a moment; None also for what a page's author made up, such as the year 30000."""
    if moment is None:
        return None
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment)
    except (OverflowError, ValueError):
        return None


def said_day(moment: datetime) -> str:
    """
    >>> said_day(datetime(2024, 5, 1))
    '1 May 2024'
    """
    return f"{moment.day} {moment:%B} {moment.year}"
