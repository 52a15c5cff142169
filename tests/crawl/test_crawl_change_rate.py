"""Change rates: the estimate from two numbers against the whole history and against known rates."""

from __future__ import annotations

import random
from math import exp, expm1, isfinite, log, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.revisit.change_rate import MEMORY, WEB, ChangeEvidence, Visit, updated_evidence
from gossamer.crawl.settings import DAY, HOUR

intervals = st.floats(log(HOUR), log(90 * DAY)).map(exp)
undated = st.builds(Visit, intervals, st.booleans())
priors = st.builds(
    lambda shape, every: ChangeEvidence(shape, shape * every),
    st.floats(0.2, 20),
    st.floats(log(HOUR), log(1000 * DAY)).map(exp),
)


@st.composite
def dated(draw):
    interval = draw(intervals)
    return Visit(interval, True, draw(st.floats(0.01, 1)) * interval)


def learned(visits, prior=WEB):
    page = ChangeEvidence()
    for visit in visits:
        page = updated_evidence(page, prior, visit)
    return page


def rate(visits, prior=WEB):
    return (prior + learned(visits, prior)).rate


def watched(true_rate, visits, randomness, interval=None):
    """Simulate visits to a page of a known rate, at fixed or random intervals."""
    spans = [interval or exp(randomness.uniform(log(HOUR), log(90 * DAY))) for _ in range(visits)]
    return [Visit(span, randomness.random() < -expm1(-true_rate * span)) for span in spans]


STEPS = 100  # halvings of a bracket, enough for any two floats


def most_likely_rate(visits, prior):
    """Return the exact estimate: the rate of highest density (over log r) given all visits, oldest first.

    With prior Gamma(a, b), undated changes after w, dated changes of age t and quiet intervals q, each with
    weight m that fades with age, it is the one root of

        a + sum m g(r w) + sum m (1 - r t)  =  r (b + sum m q),       g(x) = x / (exp(x) - 1)

    whose left side falls and whose right side rises; found by halving a bracket around it. The prior keeps it
    above 0 when nothing ever changed and below infinity when everything always did.
    """
    weights = [(1 - 1 / MEMORY) ** age for age in reversed(range(len(visits)))]
    undated = [(m, v.interval) for m, v in zip(weights, visits, strict=True) if v.changed and v.age is None]
    known = prior
    for m, visit in zip(weights, visits, strict=True):
        if not visit.changed:
            known += ChangeEvidence(0.0, m * visit.interval)
        elif visit.age is not None:
            known += ChangeEvidence(m, m * visit.age)
    low = known.rate
    high = (known.changes + sum(m for m, _ in undated)) / known.seconds
    for _ in range(STEPS):
        middle = sqrt(low * high)
        pull = known.changes + sum(m * _share(middle * interval) for m, interval in undated)
        low, high = (middle, high) if pull > middle * known.seconds else (low, middle)
    return sqrt(low * high)


def _share(x):
    """Return x / (exp(x) - 1): the weight of an undated change if x changes were expected."""
    if x > 700:
        return 0.0
    return x / expm1(x) if x > 0 else 1.0


class TestFewVisits:
    def test_without_any_the_prior_speaks(self):
        assert rate([]) == WEB.rate
        assert most_likely_rate([], WEB) == pytest.approx(WEB.rate)

    def test_one_change_makes_it_faster_and_one_quiet_interval_slower(self):
        assert rate([Visit(10 * DAY, True)]) > WEB.rate > rate([Visit(10 * DAY, False)])

    def test_a_change_after_a_short_interval_tells_more(self):
        assert rate([Visit(HOUR, True)]) > rate([Visit(30 * DAY, True)])

    @given(st.lists(undated | dated(), max_size=60), priors)
    def test_the_rate_is_never_zero_and_never_infinite(self, visits, prior):
        assert 0 < rate(visits, prior) < 1
        assert isfinite(rate(visits, prior))
        assert 0 < most_likely_rate(visits, prior) < 1

    @given(undated | dated(), priors)
    def test_a_change_is_worth_no_more_than_one(self, visit, prior):
        page = updated_evidence(ChangeEvidence(), prior, visit)
        assert 0 <= page.changes <= 1 + 1e-9
        assert 0 <= page.seconds <= visit.interval * (1 + 1e-9)

    def test_two_visits_at_the_same_instant_tell_nothing(self):
        page = ChangeEvidence(1.0, DAY)
        assert updated_evidence(page, WEB, Visit(0.0, True)) == page


class TestWholeHistory:
    """Check error bounds of the estimate in constant space against the exact estimate."""

    @given(st.lists(undated, min_size=1, max_size=40))
    def test_within_a_factor_of_4_whatever_happened(self, visits):
        assert 1 / 4 < rate(visits) / most_likely_rate(visits, WEB) < 4

    def test_nine_of_ten_are_within_20_percent(self):
        randomness = random.Random(1)
        errors = []
        for _ in range(150):
            visits = watched(exp(randomness.gauss(log(WEB.rate), 1.5)), 20, randomness)
            errors.append(abs(log(rate(visits) / most_likely_rate(visits, WEB))))
        assert sorted(errors)[int(0.9 * len(errors))] < 0.2

    @pytest.mark.parametrize("visits", [3, 12, 40])
    def test_no_further_from_the_truth(self, visits):
        randomness = random.Random(visits)
        short, whole = 0.0, 0.0
        for _ in range(150):
            true = exp(randomness.gauss(log(1 / (20 * DAY)), 1.0))
            history = watched(true, visits, randomness)
            short += log(rate(history) / true) ** 2
            whole += log(most_likely_rate(history, WEB) / true) ** 2
        assert short**0.5 < 1.1 * whole**0.5

    @given(st.lists(dated() | st.builds(Visit, intervals, st.just(False)), max_size=30), priors)
    def test_exact_where_every_change_is_dated(self, visits, prior):
        assert rate(visits, prior) == pytest.approx(most_likely_rate(visits, prior))

    def test_the_classic_formula_for_regular_visits(self):
        """Cho and Garcia-Molina 2003, for a weak prior: -log(share of unchanged visits) / interval."""
        visits = [Visit(DAY, number % 4 == 0) for number in range(16)]
        weak = ChangeEvidence(1e-4, 1e-4 * DAY)
        assert most_likely_rate(visits, weak) * DAY == pytest.approx(-log(12 / 16), rel=0.05)

    def test_old_visits_fade(self):
        busy, quiet = [Visit(DAY, True)] * 50, [Visit(DAY, False)] * 3 * MEMORY
        assert rate(busy + quiet) < 0.03 * rate(busy)
        assert rate(quiet + busy) > 20 * rate(quiet)


class TestSimulation:
    """Check that the estimate has no bias except that of the prior."""

    @pytest.mark.parametrize("every", [2, 10, 40])
    def test_pages_with_the_rates_that_the_prior_expects_are_estimated_without_bias(self, every):
        randomness = random.Random(every)
        prior = ChangeEvidence(2.0, 2.0 * every * DAY)
        true, found = 0.0, 0.0
        for _ in range(1500):
            one = randomness.gammavariate(prior.changes, 1 / prior.seconds)
            true += one
            found += rate(watched(one, 6, randomness, interval=7 * DAY), prior)
        assert found / true == pytest.approx(1.0, abs=0.05)

    @pytest.mark.parametrize("per_day", [0.02, 0.1, 0.5])
    def test_many_visits_find_the_rate(self, per_day):
        randomness = random.Random(7)
        logs = [log(rate(watched(per_day / DAY, 60, randomness)) * DAY / per_day) for _ in range(150)]
        assert sum(logs) / len(logs) == pytest.approx(0.0, abs=0.15)

    def test_dates_find_rates_that_visits_alone_cannot(self):
        """Ten changes a day, visited once a day: without dates, only a lower bound can be known."""
        randomness = random.Random(3)
        true = 10 / DAY
        blind = [Visit(DAY, True)] * 20
        told = [Visit(DAY, True, min(randomness.expovariate(true), DAY)) for _ in range(20)]
        few_changes = ChangeEvidence(0.2, DAY / 4)
        assert rate(told, few_changes) == pytest.approx(true, rel=0.25)
        assert rate(blind, few_changes) < 0.7 * true


class TestVisit:
    def test_a_date_between_two_visits_counts(self):
        assert Visit.between(0, 10 * DAY, True, 4 * DAY) == Visit(10 * DAY, True, 6 * DAY)

    @pytest.mark.parametrize(
        "last_modified",
        [None, -DAY, 0.0, 10 * DAY, 10 * DAY - 5, 11 * DAY],
        ids=["none", "before", "same", "now", "live", "to come"],
    )
    def test_a_date_that_cannot_be_true_is_none(self, last_modified):
        assert Visit.between(0, 10 * DAY, True, last_modified) == Visit(10 * DAY, True)

    def test_the_content_decides_not_the_date(self):
        assert Visit.between(0, 10 * DAY, False, 4 * DAY) == Visit(10 * DAY, False)
