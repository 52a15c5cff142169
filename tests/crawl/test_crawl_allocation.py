"""Allocation of visits: examples of the paper, conditions of the optimum, budgets of hosts."""

from __future__ import annotations

from math import exp, inf, log

import numpy as np
import pytest
from freshness_formula import total_freshness as total
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.revisit.freshness import allocate
from gossamer.model import UsageError

rates = st.floats(log(1e-3), log(1e3)).map(exp)
weights = st.floats(log(1e-2), log(1e2)).map(exp)
webs = st.lists(st.tuples(rates, weights, st.integers(0, 4)), min_size=1, max_size=40)
budgets = st.floats(log(1e-2), log(1e3)).map(exp)
seeds = st.integers(0, 2**32)


def arrays(pages):
    change, worth, hosts = zip(*pages, strict=True)
    return np.array(change), np.array(worth), np.array(hosts, np.intp)


class TestThePaper:
    """Examples of Cho and Garcia-Molina 2003, "Effective page refresh policies for Web crawlers"."""

    def test_of_two_pages_the_one_that_changes_nine_times_a_day_gets_nothing(self):
        found = allocate(np.array([9.0, 1.0]), np.ones(2), 1.0)
        assert found.frequencies == pytest.approx([0.0, 1.0])
        assert total(np.array([9.0, 1.0]), np.ones(2), found.frequencies) == pytest.approx(1 - exp(-1))
        assert found.mu == pytest.approx(1 - 2 * exp(-1))

    def test_five_pages(self):
        found = allocate(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.ones(5), 5.0)
        assert np.round(found.frequencies, 2) == pytest.approx([1.15, 1.36, 1.35, 1.14, 0.0])

    def test_better_than_uniform_which_is_better_than_proportional(self):
        change = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
        best = total(change, np.ones(5), allocate(change, np.ones(5), 5.0).frequencies) / 5
        uniform = total(change, np.ones(5), np.ones(5)) / 5
        proportional = total(change, np.ones(5), change / 3) / 5
        assert best > uniform > proportional


class TestOptimum:
    @given(webs, budgets)
    def test_uses_the_budget_and_not_more(self, pages, budget):
        change, worth, _ = arrays(pages)
        found = allocate(change, worth, budget)
        assert np.all(found.frequencies >= 0)
        assert found.frequencies.sum() == pytest.approx(budget, rel=1e-6)

    @given(webs, budgets, seeds)
    def test_no_other_split_is_fresher(self, pages, budget, seed):
        change, worth, _ = arrays(pages)
        best = total(change, worth, allocate(change, worth, budget).frequencies)
        other = np.random.default_rng(seed).exponential(size=len(pages)) + 1e-9
        assert total(change, worth, budget * other / other.sum()) <= best * (1 + 1e-6)

    @given(webs, budgets)
    def test_moving_a_visit_gains_nothing(self, pages, budget):
        change, worth, _ = arrays(pages)
        found = allocate(change, worth, budget).frequencies
        best = total(change, worth, found)
        giver, taker = int(np.argmax(found)), int(np.argmin(found))
        moved = found.copy()
        moved[giver] -= 0.01 * found[giver]
        moved[taker] += 0.01 * found[giver]
        assert total(change, worth, moved) <= best * (1 + 1e-6)

    @given(webs, st.floats(1.2, 50))
    def test_bounds_hold(self, pages, times):
        change, worth, _ = arrays(pages)
        slowest, fastest = 0.01, 1.0
        found = allocate(change, worth, times * slowest * len(pages), slowest=slowest, fastest=fastest)
        assert np.all(found.frequencies >= slowest * (1 - 1e-9))
        assert np.all(found.frequencies <= fastest * (1 + 1e-9))
        wanted = min(times * slowest, fastest) * len(pages)
        assert found.frequencies.sum() == pytest.approx(wanted, rel=1e-6)

    def test_too_little_for_the_slowest_is_shared_alike(self):
        found = allocate(np.array([1.0, 2.0]), np.ones(2), 0.1, slowest=1.0)
        assert found.frequencies == pytest.approx([0.05, 0.05])

    def test_without_limits_every_page_is_visited_as_often_as_allowed(self):
        found = allocate(np.array([1.0, 2.0]), np.ones(2), inf, fastest=3.0)
        assert list(found.frequencies) == [3.0, 3.0]
        assert found.mu == 0.0

    def test_what_nobody_needs_gets_nothing(self):
        found = allocate(np.array([1.0, 1.0]), np.array([0.0, 1.0]), 1.0)
        assert found.frequencies == pytest.approx([0.0, 1.0])

    def test_worthless_pages_beside_priceless_ones(self):
        found = allocate(np.array([1e-9, 1e3]), np.array([1e150, 0.0]), 1e-12)
        assert found.frequencies == pytest.approx([1e-12, 0.0])

    def test_a_single_page_gets_everything_even_if_that_is_hopelessly_little(self):
        found = allocate(np.array([1e6]), np.ones(1), 1.0)
        assert found.frequencies == pytest.approx([1.0])

    def test_no_pages(self):
        found = allocate(np.zeros(0), np.zeros(0), 1.0)
        assert len(found.frequencies) == 0
        assert found.mu == 0.0


class TestHosts:
    @given(webs, budgets, st.lists(budgets | st.just(inf), min_size=5, max_size=5))
    def test_no_budget_is_exceeded(self, pages, budget, of_hosts):
        change, worth, hosts = arrays(pages)
        limits = np.array(of_hosts)
        found = allocate(change, worth, budget, hosts, limits)
        used = np.bincount(hosts, found.frequencies, 5)
        assert np.all(used <= limits * (1 + 1e-6))
        allowed = min(budget, sum(limits[sorted(set(hosts.tolist()))]))
        assert found.frequencies.sum() == pytest.approx(allowed, rel=1e-6)

    @given(webs, budgets, st.lists(budgets, min_size=5, max_size=5), seeds)
    def test_no_other_split_within_the_budgets_is_fresher(self, pages, budget, of_hosts, seed):
        change, worth, hosts = arrays(pages)
        limits = np.array(of_hosts)
        best = total(change, worth, allocate(change, worth, budget, hosts, limits).frequencies)
        other = np.random.default_rng(seed).exponential(size=len(pages)) + 1e-9
        other *= (limits / np.maximum(np.bincount(hosts, other, 5), 1e-300))[hosts]
        other *= min(1.0, budget / other.sum())
        assert total(change, worth, other) <= best * (1 + 1e-6)

    def test_a_slow_host_leaves_its_visits_to_others(self):
        change = np.ones(4)
        found = allocate(change, change, 4.0, np.array([0, 0, 1, 1]), np.array([0.5, inf]))
        assert found.frequencies == pytest.approx([0.25, 0.25, 1.75, 1.75])
        assert found.host_mu[0] > found.mu > found.host_mu[1] == 0.0

    def test_hosts_with_room_change_nothing(self):
        change = np.array([1.0, 2.0, 3.0])
        free = allocate(change, np.ones(3), 2.0)
        held = allocate(change, np.ones(3), 2.0, np.array([0, 1, 1]), np.array([50.0, 50.0]))
        assert held.frequencies == pytest.approx(free.frequencies)
        assert held.mu == pytest.approx(free.mu)


class TestMistakes:
    @pytest.mark.parametrize(
        ("change", "worth", "budget"),
        [
            ([1.0, 2.0], [1.0], 1.0),
            ([0.0], [1.0], 1.0),
            ([float("nan")], [1.0], 1.0),
            ([1.0], [-1.0], 1.0),
            ([1.0], [inf], 1.0),
            ([1.0], [1.0], 0.0),
            ([1.0], [1.0], inf),
        ],
    )
    def test_are_told(self, change, worth, budget):
        with pytest.raises(UsageError):
            allocate(np.array(change), np.array(worth), budget)

    @pytest.mark.parametrize(
        ("hosts", "limits"), [([0], [1.0]), ([0, 2], [1.0, 1.0]), ([0, -1], [1.0, 1.0]), ([0, 0], [0.0])]
    )
    def test_of_hosts_too(self, hosts, limits):
        with pytest.raises(UsageError):
            allocate(np.ones(2), np.ones(2), 1.0, np.array(hosts), np.array(limits))


def test_a_web_of_many_pages_and_hosts():
    random = np.random.default_rng(5)
    change, worth = np.exp(random.normal(-14, 2, 20_000)), np.exp(random.normal(0, 1, 20_000))
    hosts, limits = random.integers(0, 500, 20_000), np.exp(random.normal(-9, 1, 500))
    found = allocate(change, worth, 0.01, hosts, limits, slowest=1e-7, fastest=1e-3)
    assert found.frequencies.sum() == pytest.approx(0.01, rel=1e-6)
    assert np.all(np.bincount(hosts, found.frequencies, 500) <= limits * (1 + 1e-6))
    assert total(change, worth, found.frequencies) > total(change, worth, np.full(20_000, 0.01 / 20_000))
