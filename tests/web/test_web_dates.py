"""Dates of sitemaps and feeds."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.web.dates import moment

MAY = 1714521600.0  # 2024-05-01, 0:00 UTC


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The precisions of W3C
        ("2024", 1704067200.0),
        ("2024-05", MAY),
        ("2024-05-01", MAY),
        ("2024-05-01T01:30Z", MAY + 5400),
        ("2024-05-01T01:30+01:30", MAY),
        ("2024-05-01T01:30:15-02:00", MAY + 3.5 * 3600 + 15),
        ("2024-05-01T00:00:00.25Z", MAY + 0.25),
        ("2024-05-01T00:00:00.123456789+00:00", MAY + 0.123456),
        # What people make of it
        (" 2024-05-01\n", MAY),
        ("20240501", MAY),
        ("2024-5-1", MAY),
        ("2024-05-01 00:00:00", MAY),
        ("2024-05-01 02:00:00 +0200", MAY),
        ("2024-05-01T00:00:00 UTC", MAY),
        ("2024-05-01t00:00:00z", MAY),
        ("2024-05-01T23:59:60Z", MAY + 86_399),
        ("2024-05-01T05:00:00+05", MAY),
        # RFC 822 and its heirs
        ("Wed, 01 May 2024 00:00:00 GMT", MAY),
        ("Wed, 1 May 24 02:00:00 +0200", MAY),
        ("1 May 2024 00:00 UT", MAY),
        ("Tue, 30 Apr 2024 20:00:00 EDT", MAY),
        ("Wed, 01 May 2024 00:00:00", MAY),
    ],
)
def test_dates(text, expected):
    assert moment(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2024-13", "2024-02-31", "24", "0000-00-00", "2024-05-01T25:00Z", "1" * 100, "Wed, May"],
)
def test_what_is_no_date(text):
    assert moment(text) is None


@given(st.text(alphabet="0123456789-+:TZ. ,MayWedGMT", max_size=40) | st.text(max_size=40))
def test_no_text_raises(text):
    assert moment(text) is None or isinstance(moment(text), float)


ZONES = st.integers(-1_400, 1_400).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@given(st.datetimes(datetime(2, 1, 1), timezones=ZONES))
def test_iso_dates_are_read_back(when):
    assert moment(when.isoformat()) == when.timestamp()
