"""When a missing page leaves the index."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.revisit.schedule import GONE, MISSING_STATUS, SUSPECT, after_miss, look_again_at
from gossamer.crawl.settings import DAY, FreshnessSettings
from gossamer.storage.catalogue.urls import VisitHistory

SETTINGS = FreshnessSettings()

statuses = st.sampled_from([0, 200, 204, 301, 304, 401, 403, 404, 408, 410, 429, 451, 500, 502, 503])
visits = st.lists(st.tuples(statuses, st.floats(0.01, 5.0)), max_size=25)


def told(history, settings=SETTINGS):
    """Return the history after visits given as (status, days later); a found page resets it."""
    now, visits = 0.0, VisitHistory()
    for status, days in history:
        now += days * DAY
        if status in MISSING_STATUS:
            visits = after_miss(visits, now, settings)
        elif 200 <= status < 400:
            visits = VisitHistory()
    return visits


def missing_twice_days_apart(history, settings=SETTINGS):
    """A model of the rule: two 404 or 410, days apart, and the page is not found in between."""
    now, first = 0.0, None
    for status, days in history:
        now += days * DAY
        if 200 <= status < 400:
            first = None
        elif status in {404, 410}:
            if first is not None and now - first >= settings.gone_days * DAY:
                return True
            first = now if first is None else first
    return False


class TestGone:
    @given(visits)
    def test_only_after_two_404_or_410_days_apart(self, history):
        """A sequence of visits leads to gone exactly if the model says so."""
        ever = any(told(history[:end]).standing == GONE for end in range(len(history) + 1))
        assert ever == missing_twice_days_apart(history)

    @given(st.lists(st.tuples(st.sampled_from([0, 401, 403, 408, 429, 500, 502, 503]), st.floats(0.01, 99))))
    def test_never_by_silence_and_errors_of_the_server(self, history):
        assert told(history) == VisitHistory()

    @given(visits, st.sampled_from([0, 408, 429, 500, 503]))
    def test_silence_changes_nothing_at_any_time(self, history, status):
        assert told([*history, (status, 1e9)]) == told(history)

    @given(visits)
    def test_a_page_that_is_there_is_kept_whatever_was_before(self, history):
        assert told([*history, (200, 1.0)]) == VisitHistory()

    @given(visits)
    def test_it_leaves_once(self, history):
        standings = [told(history[:end]).standing for end in range(len(history) + 1)]
        for (before, after), (status, _) in zip(pairwise(standings), history, strict=True):
            assert before != GONE or after == GONE or 200 <= status < 400

    def test_missing_once_is_a_suspicion(self):
        assert told([(404, 1)]) == VisitHistory(standing=SUSPECT, misses=1, missing_since=DAY)

    def test_missing_all_day_is_still_a_suspicion(self):
        assert told([(404, 0.1)] * 20).standing == SUSPECT

    def test_an_outage_between_does_not_make_it_new(self):
        assert told([(404, 1), (503, 1), (0, 1), (410, 1)]).standing == GONE

    def test_back_in_between_begins_anew(self):
        assert told([(404, 1), (200, 2), (404, 2)]).standing == SUSPECT


def test_a_page_that_the_site_excluded_stays_gone_while_it_is_missing():
    assert after_miss(VisitHistory(standing=GONE), 2.0, SETTINGS).standing == GONE


class TestSettings:
    def test_once_is_enough_for_who_wants_it(self):
        assert told([(404, 1)], FreshnessSettings(gone_after=1)).standing == GONE

    def test_no_days_between(self):
        history = [(404, 1), (404, 0.001)]
        assert told(history, FreshnessSettings(gone_days=0.0)).standing == GONE

    def test_three_times(self):
        strict = FreshnessSettings(gone_after=3)
        assert told([(404, 1), (404, 4)], strict).standing == SUSPECT
        assert told([(404, 1), (404, 4), (410, 0.1)], strict).standing == GONE


class TestLookAgain:
    def test_when_the_next_visit_can_decide(self):
        assert look_again_at(told([(404, 1)]), SETTINGS) == 4 * DAY
        assert look_again_at(told([(404, 1), (404, 1)]), SETTINGS) == 4 * DAY

    def test_spread_over_the_days_when_more_visits_are_wanted(self):
        strict = FreshnessSettings(gone_after=4)
        assert look_again_at(told([(404, 1)], strict), strict) == 2 * DAY

    @pytest.mark.parametrize(
        "presence", [VisitHistory(), VisitHistory(standing=GONE, misses=2, missing_since=DAY)]
    )
    def test_never_for_others(self, presence):
        assert look_again_at(presence, SETTINGS) == inf

    @given(st.integers(2, 6), st.floats(0.5, 30))
    def test_following_it_decides_without_a_visit_too_many(self, times, days):
        own = FreshnessSettings(gone_after=times, gone_days=days)
        presence, now, count = VisitHistory(), 0.0, 0
        while presence.standing != GONE:
            presence, count = after_miss(presence, now, own), count + 1
            now = look_again_at(presence, own)
        assert count == times
