"""When does a day, a month or a year that somebody typed begin?"""

from __future__ import annotations

import re
from datetime import UTC, datetime

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{1,2}))?(?:-([0-9]{1,2}))?")


def beginning(day: str) -> float:
    """Its first moment in seconds since 1970, UTC; ValueError for what is no date.

    >>> beginning("2024-05"), beginning("1970-01-02")
    (1714521600.0, 86400.0)
    """
    match = _DATE.fullmatch(day)
    if match is None:
        raise ValueError(day)
    year, month, date = (int(part or 1) for part in match.groups())
    return datetime(year, month, date, tzinfo=UTC).timestamp()
