"""The tests of significance against published examples and plain enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.evaluate.compare import COUNTED, compare, compare_values, randomised

# Additional hours of sleep by two drugs; Student, Biometrika 1908.
FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
# Darwin's maize, crossed less self-fertilised, in eighths of an inch; Fisher, The Design of Experiments.
MAIZE = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]


def test_students_sleep():
    found = compare_values(FIRST, SECOND)
    assert found.difference == pytest.approx(1.58)
    assert found.t == pytest.approx(4.0621, abs=1e-4)
    assert found.p_t == pytest.approx(0.002833, abs=1e-6)
    assert (found.low, found.high) == pytest.approx((0.7001142, 2.4598858), abs=1e-6)
    assert (found.queries, found.wins, found.losses) == (10, 9, 0)
    # Nine differ, all in one direction: two of the 2^9 choices of signs are as far.
    assert found.p_randomised == 2 / 2**9


def test_fishers_maize():
    """Fisher counted 863 of the 2^15 sums at least as high as the one seen; as many are as low."""
    found = compare_values([0.0] * 15, MAIZE)
    assert found.p_randomised == 2 * 863 / 2**15
    assert found.t == pytest.approx(2.148, abs=1e-3)
    assert found.p_t == pytest.approx(0.0497, abs=1e-4)


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=9))
def test_every_choice_of_signs_is_counted(gains):
    sums = [
        abs(sum(s * g for s, g in zip(signs, gains, strict=True)))
        for signs in product((-1, 1), repeat=len(gains))
    ]
    expected = sum(one >= abs(sum(gains)) for one in sums) / len(sums)
    assert randomised(np.array(gains, np.float64)) == pytest.approx(expected)


def test_many_queries_are_sampled_and_agree_with_the_count():
    gains = np.array([*MAIZE, 20, -10, 5], np.float64)
    assert len(gains) > COUNTED
    sums = np.zeros(1)
    for gain in gains:
        sums = np.concatenate((sums + gain, sums - gain))
    exact = (np.abs(sums) >= abs(gains.sum())).mean()
    assert randomised(gains) == pytest.approx(exact, abs=0.005)
    assert randomised(gains) == randomised(gains)


@pytest.mark.parametrize(
    ("after", "t", "p"), [([0.5, 0.5], 0.0, 1.0), ([0.75, 0.75], np.inf, 0.0), ([0.25, 0.25], -np.inf, 0.0)]
)
def test_queries_that_gained_all_the_same(after, t, p):
    found = compare_values([0.5, 0.5], after)
    assert (found.t, found.p_t) == (t, p)
    assert found.low == found.high == found.difference


def test_a_single_query_says_nothing():
    found = compare_values([0.1], [0.9])
    assert (found.p_t, found.p_randomised, found.high) == (1.0, 1.0, np.inf)


def test_only_queries_that_both_answered_count():
    before = {"1": {"MAP": 0.1}, "2": {"MAP": 0.5}}
    after = {"2": {"MAP": 0.75}, "3": {"MAP": 1.0}}
    found = compare(before, after, "MAP")
    assert (found.queries, found.before, found.after) == (1, 0.5, 0.75)
