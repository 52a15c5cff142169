"""Dates of the next visit from evidence, hosts and hints."""

from __future__ import annotations

import json
import random
from dataclasses import asdict
from math import exp, expm1, inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.revisit.change_rate import (
    SHAPES,
    WEB,
    ChangeEvidence,
    HostPrior,
    Visit,
    hinted_evidence,
    is_announced,
    updated_evidence,
)
from gossamer.crawl.revisit.freshness import interval, revisit_budget
from gossamer.crawl.settings import DAY, HOUR, FreshnessSettings

SETTINGS = FreshnessSettings()
NOW = 1_700_000_000.0
MU = 1e5

evidence = st.builds(ChangeEvidence, st.floats(0, 60), st.floats(0, 1000 * DAY))


def host_of(rates, visits=12, interval=5 * DAY, seed=1):
    """Return the sums of a host after visits to its pages, and the evidence about each page."""
    randomness = random.Random(seed)
    host, pages = HostPrior(), []
    for rate in rates:
        page = ChangeEvidence()
        for _ in range(visits):
            changed = randomness.random() < -expm1(-rate * interval)
            after = updated_evidence(page, host.prior(), Visit(interval, changed))
            host, page = host.learned(page, after), after
        pages.append(page)
    return host, pages


def rate_of(page=ChangeEvidence(), host=HostPrior(), lastmod=None):  # noqa: B008
    return (host.prior() + hinted_evidence(lastmod, NOW) + page).rate


def wait(page=ChangeEvidence(), importance=1.0, mu=MU, host=HostPrior()):  # noqa: B008
    return interval(rate_of(page, host), importance, mu, SETTINGS)


class TestHostPrior:
    def test_a_new_host_is_like_the_web(self):
        prior = HostPrior().prior()
        assert prior.changes == pytest.approx(WEB.changes)
        assert prior.rate == pytest.approx(WEB.rate)

    @pytest.mark.parametrize("per_day", [0.01, 0.1, 0.3])
    def test_learns_what_its_pages_do(self, per_day):
        host, _ = host_of([per_day / DAY] * 80)
        assert host.prior().rate * DAY == pytest.approx(per_day, rel=0.25)

    def test_pages_alike_make_a_strong_prior_and_pages_unlike_a_weak_one(self):
        alike, _ = host_of([0.1 / DAY] * 80)
        randomness = random.Random(2)
        unlike, _ = host_of([exp(randomness.gauss(log(0.05), 1.5)) / DAY for _ in range(80)])
        assert alike.prior().changes > 3 * unlike.prior().changes

    def test_a_page_that_was_never_visited_profits(self):
        news, _ = host_of([0.5 / DAY] * 30)
        archive, _ = host_of([0.002 / DAY] * 30)
        assert wait(host=news) < wait(host=archive)

    @given(st.lists(st.tuples(evidence, evidence), max_size=20))
    def test_the_prior_is_always_usable(self, changes):
        host = HostPrior()
        for before, after in changes:
            host = host.learned(before, after)
        least, most = SHAPES
        assert least <= host.prior().changes <= most
        assert 0 < host.prior().rate < inf

    @given(st.lists(evidence, max_size=20))
    def test_pages_that_leave_take_their_evidence_along(self, pages):
        host = HostPrior()
        for page in pages:
            host = host.learned(ChangeEvidence(), page)
        for page in pages:
            host = host.learned(page, ChangeEvidence())
        assert host.prior().rate == pytest.approx(WEB.rate, rel=1e-3)

    def test_through_json_and_back(self):
        host, _ = host_of([0.1 / DAY] * 3)
        host = host.checked(True)
        assert HostPrior.restored(json.loads(json.dumps(asdict(host)))) == host

    @pytest.mark.parametrize("state", [{}, {"changes": float("nan")}, {"changes": "many"}, {"other": 1}])
    def test_an_unreadable_state_counts_as_unknown(self, state):
        assert HostPrior.restored(state) == HostPrior()


class TestHints:
    def test_an_old_date_makes_a_page_slow(self):
        rates = [rate_of(lastmod=date) for date in (NOW - 3000 * DAY, None, NOW - 2 * DAY)]
        assert rates == sorted(rates)

    def test_visits_weigh_more_than_dates(self):
        page = ChangeEvidence()
        for _ in range(20):
            page = updated_evidence(page, WEB, Visit(5 * DAY, False))
        assert rate_of(page, lastmod=NOW - 2 * HOUR) < 2 * rate_of(page)

    def test_a_newer_date_announces_a_change(self):
        assert is_announced(NOW + 5 * DAY, NOW, NOW + 6 * DAY)
        assert not is_announced(None, NOW, NOW + 6 * DAY)

    def test_dates_to_come_are_mistakes(self):
        assert not is_announced(NOW + 50 * DAY, NOW, NOW + 6 * DAY)

    def test_a_host_that_cries_wolf_is_not_believed_until_it_tells_the_truth_again(self):
        host = HostPrior()
        for _ in range(10):
            host = host.checked(False)
        assert not host.trusts_dates
        for _ in range(10):
            host = host.checked(True)
        assert host.trusts_dates

    def test_one_false_alarm_is_forgiven(self):
        assert HostPrior().checked(False).trusts_dates


class TestNextVisit:
    def test_important_pages_come_sooner(self):
        assert wait(importance=5.0) < wait(importance=0.5)

    def test_dearer_visits_come_later(self):
        assert wait(mu=MU) < wait(mu=10 * MU)

    @given(evidence, st.floats(0, 100), st.floats(0, 1e12))
    def test_within_the_bounds_whatever_is_known(self, page, importance, mu):
        assert HOUR <= wait(page, importance, mu) <= 90 * DAY


class TestBudget:
    def test_half_of_what_politeness_allows(self):
        assert revisit_budget(2.0, SETTINGS) == 0.25

    def test_without_a_pause_there_is_no_limit(self):
        assert revisit_budget(0.0, SETTINGS) == inf
