"""Which day is meant? Moments and typed days as days that can be said."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from gossamer.serve.speech import Speech

_WHOLE_DAY = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")


def day(moment: float | None) -> datetime | None:
    """The day of a moment; None also for what a page's author made up, such as the year 30000."""
    if moment is None:
        return None
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=moment)
    except (OverflowError, ValueError):
        return None


def day_written(typed: str, speech: Speech) -> str:
    """A day as the page's language writes it; years and months as they were typed."""
    whole = _WHOLE_DAY.fullmatch(typed)
    if not whole:
        return typed
    try:
        return speech.day(datetime(int(whole[1]), int(whole[2]), int(whole[3]), tzinfo=UTC))
    except ValueError:
        return typed
