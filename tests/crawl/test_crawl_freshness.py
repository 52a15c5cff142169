"""Freshness in closed form, compared with simulation, differences and intervals of single pages."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from freshness_formula import expected_freshness
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.revisit.freshness import allocate, changes_between, interval
from gossamer.crawl.settings import DAY, HOUR, FreshnessSettings

SETTINGS = FreshnessSettings()

rates = st.floats(log(1e-9), log(1e-2)).map(exp)
weights = st.floats(log(1e-3), log(1e3)).map(exp)
multipliers = st.floats(log(1e-6), log(1e9)).map(exp)


def gain(x):
    """Return h(x) = 1 - (1 + x) exp(-x), without cancellation for small x."""
    return x**2 / 2 - x**3 / 3 if x < 1e-4 else 1 - (1 + x) * exp(-x)


class TestExpectedFreshness:
    def test_one_change_expected_between_two_visits(self):
        assert expected_freshness(1.0, 1.0) == pytest.approx(1 - exp(-1))

    def test_the_ends(self):
        assert expected_freshness(1.0, 0.0) == 0.0
        assert expected_freshness(1.0, float("inf")) == 1.0
        assert expected_freshness(0.0, 1.0) == 1.0

    def test_arrays(self):
        found = expected_freshness(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 0.0]))
        assert found == pytest.approx([1 - exp(-1), (1 - exp(-2)) / 2, 0.0])

    def test_simulated(self):
        """Simulate a page whose copy is fresh until the first change or the next visit."""
        first_changes = np.random.default_rng(0).exponential(1 / 3.0, 200_000)
        fresh = np.minimum(first_changes, 0.5).mean() / 0.5
        assert expected_freshness(3.0, 2.0) == pytest.approx(fresh, abs=0.003)

    @given(st.floats(0.1, 5), st.floats(0.1, 5))
    def test_the_gain_of_one_more_visit_is_its_derivative(self, rate, frequency):
        step = 1e-5
        higher, lower = (expected_freshness(rate, frequency + s) for s in (step, -step))
        assert (higher - lower) / (2 * step) == pytest.approx(gain(rate / frequency) / rate, rel=1e-3)


class TestChangesBetween:
    @given(st.floats(log(1e-7), log(35.0)).map(exp))
    def test_inverts_the_gain(self, x):
        found = float(changes_between(np.array([gain(x)]))[0])
        assert gain(found) == pytest.approx(gain(x), rel=1e-9)
        assert x > 15 or found == pytest.approx(x, rel=1e-6)

    def test_nothing_gained_is_nothing_expected(self):
        assert changes_between(np.array([0.0])) == [0.0]


class TestInterval:
    @given(rates, weights, multipliers)
    def test_always_within_the_bounds(self, rate, importance, mu):
        assert HOUR <= interval(rate, importance, mu, SETTINGS) <= 90 * DAY

    @given(rates, weights, multipliers)
    def test_more_important_is_sooner(self, rate, importance, mu):
        assert interval(rate, 2 * importance, mu, SETTINGS) <= interval(rate, importance, mu, SETTINGS)

    @given(rates, weights)
    def test_before_a_visit_has_a_value_a_page_is_due_when_a_change_is_expected(self, rate, importance):
        assert interval(rate, importance, None, SETTINGS) == min(max(1 / rate, HOUR), 90 * DAY)

    def test_a_page_that_never_changes_still_is_looked_at(self):
        assert interval(1e-15, 1.0, 1e5, SETTINGS) == 90 * DAY

    def test_a_page_that_always_changes_is_not_worth_it(self):
        assert interval(1.0, 1.0, 1e5, SETTINGS) == 90 * DAY

    def test_in_between_are_the_pages_worth_it(self):
        assert interval(1 / (10 * DAY), 1.0, 1e5, SETTINGS) < 10 * DAY

    def test_visits_that_cost_nothing_are_made_as_often_as_allowed(self):
        assert interval(1 / DAY, 1.0, 0.0, SETTINGS) == HOUR

    def test_what_nobody_needs_comes_last(self):
        assert interval(1 / DAY, 0.0, 1e-3, SETTINGS) == 90 * DAY

    def test_the_owner_decides_about_the_bounds(self):
        own = FreshnessSettings(least_interval_hours=48.0, most_interval_days=1.0)
        assert interval(1 / DAY, 1.0, 0.0, own) == interval(1e-15, 1.0, 1e5, own) == 2 * DAY

    @given(st.lists(st.tuples(rates, weights), min_size=1, max_size=30), st.floats(HOUR, 80 * DAY))
    def test_the_same_as_the_allocation_that_gave_mu(self, pages, every):
        change, worth = (np.array(column) for column in zip(*pages, strict=True))
        slowest, fastest = 1 / SETTINGS.most_interval, 1 / SETTINGS.least_interval
        shared = allocate(change, worth, len(pages) / every, slowest=slowest, fastest=fastest)
        single = [interval(float(r), float(w), shared.mu, SETTINGS) for r, w in pages]
        steady = single == pytest.approx(list(1 / shared.frequencies), rel=1e-5)
        # A page that is only just worth a visit gets part of one, which no multiplier tells.
        edge = np.abs(shared.mu * change / worth - 1) < 1e-6
        assert steady or edge.any()
