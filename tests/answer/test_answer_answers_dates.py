"""Times and dates."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from answer_context import CONTEXT, only, said
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.gazetteer import country_names
from gossamer.answer.instant.dates_and_times import months, moved, read_day, zone_named
from gossamer.answer.instant.lists import by_name

TODAY = date(2026, 11, 16)
DAYS = st.dates(date(1583, 1, 1), date(9000, 1, 1))


@given(DAYS, st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y"]))
def test_days_are_read_as_they_are_written(day, form):
    assert read_day(day.strftime(form).lower(), TODAY) == day


@given(DAYS, st.integers(-3_000, 3_000), st.sampled_from(["day", "week", "month", "year"]))
def test_moving_there_and_back(day, amount, unit):
    there = moved(day, amount, unit)
    if there is not None:
        back = moved(there, -amount, unit)
        lost = timedelta(0) if unit in ("day", "week") else timedelta(3)  # days that a shorter month lacks
        assert back is None or abs(back - day) <= lost


def test_months_have_names_in_many_languages():
    assert (months()["dezember"], months()["décembre"], months()["δεκεμβρίου"]) == (12, 12, 12)
    assert set(months().values()) == set(range(1, 13))


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("days until christmas", "39 days"),
        ("tage bis 24. dezember", "38 days"),
        ("jours avant 24 décembre 2026", "38 days"),
        ("days until 29 February", "470 days"),
        ("days since 15 november", "1 day"),
        ("weeks until 24.12.2026", "5 weeks and 3 days"),
        ("days between 1 may 2026 and 24 dec 2026", "237 days"),
        ("what day was 1945-05-01", "Tuesday"),
        ("90 days from now", "Sunday, 14 February 2027"),
        ("90 days ago", "Tuesday, 18 August 2026"),
        ("31 january 2026 + 1 month", "Saturday, 28 February 2026"),
        ("today minus 2 weeks", "Monday, 2 November 2026"),
        ("timestamp 0", "Thursday, 1 January 1970, 00:00:00 UTC"),
        ("What time is it in New York?", "06:00"),
        ("uhrzeit in Tokyo", "20:00"),
        ("time in germany", "12:00"),
        ("time in utc", "11:00"),
        ("10:30 am PST to UTC", "18:30"),
        ("9 uhr london in utc+5:30", "14:30"),
        ("11pm berlin in tokyo", "07:00"),
        ("12am utc in utc-1", "23:00"),
    ],
)
def test_what_is_said(query, answer):
    assert [one.partition(" (")[0] for one in said(query)] == [answer]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("days until 28 december", "42 days (6 weeks)"),
        ("days until 29 december", "43 days (6 weeks and 1 day)"),
        ("weeks until 28 december", "6 weeks (42 days)"),
        ("weeks until tomorrow", "1 day"),
    ],
)
def test_no_weeks_and_no_days_are_left_out(query, answer):
    assert said(query) == [answer]


def test_another_day_is_told():
    assert only("11pm berlin in tokyo").detail.startswith("the next day, Tuesday")
    assert only("12am utc in utc-1").detail.startswith("the day before, Sunday")


@pytest.mark.parametrize(
    "query",
    ["time in russia", "time in ist", "13pm cet in utc", "days until 1 may 1945", "days since 1 may 3000",
     "day of the week 1 may 1500", "date + 9999999 years", "3 days from", "2 weeks ago today",
     "day of the week 4/5/2026"],
)  # fmt: skip
def test_what_is_not_sure_is_not_said(query):
    assert said(query) == []


def test_zones_are_there():
    now = datetime(2026, 7, 1, tzinfo=ZoneInfo("UTC"))
    assert all(
        zone_named(name, None, now) for name in [*by_name("zones"), "cet", "berlin", "são paulo", "utc-3:30"]
    )
    assert zone_named("utc+15", None, now) is None
    assert CONTEXT.now.tzinfo.key == "Europe/Berlin"
    assert country_names()["GR"] == "Greece"
