"""Power laws: known ones are found again, others are told apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import zeta

from gossamer.graph.structure.degrees import LEAST_TAIL, Degrees, degrees, fit, power_law, survival


def drawn(exponent, x_min, count, seed):
    """Numbers of a power law, by the inverse of its distribution."""
    table = np.arange(x_min, 1_000_000)
    shares = np.cumsum(table**-exponent / zeta(exponent, x_min))
    return table[np.searchsorted(shares, np.random.default_rng(seed).random(count))]


@given(st.lists(st.integers(0, 30), max_size=60))
def test_degrees_count_every_page_once(numbers):
    found = degrees(np.array(numbers, np.int64))
    assert found.pages == len(numbers)
    assert found.without == numbers.count(0)
    assert dict(zip(found.values.tolist(), found.counts.tolist(), strict=True)) == {
        value: numbers.count(value) for value in numbers if value
    }
    assert found.mean == pytest.approx(np.mean(numbers) if numbers else 0)
    expected = [sum(number >= value for number in numbers) / len(numbers) for value in found.values.tolist()]
    assert found.at_least() == pytest.approx(expected)


def test_survival_is_the_sum_of_what_lies_above():
    table = np.arange(3, 200_000, dtype=float)
    weights = table**-2.5 / (table**-2.5).sum()
    assert survival(2.5, 3, np.array([3, 4, 10])) == pytest.approx(
        [1, weights[1:].sum(), weights[7:].sum()], abs=1e-6
    )


@pytest.mark.parametrize(("exponent", "x_min"), [(2.1, 1), (2.5, 5), (3.3, 2)])
def test_a_power_law_is_found_again_and_plausible(exponent, x_min):
    numbers = drawn(exponent, x_min, 20_000, seed=4)
    law = power_law(degrees(numbers), samples=40)
    assert abs(law.exponent - exponent) < 4 * law.error
    assert law.plausible
    assert law.rival != "log-normal"


def test_where_the_law_begins_is_found():
    body = np.random.default_rng(2).integers(1, 20, 10_000)
    found = fit(*_histogram(np.concatenate([body, drawn(2.5, 20, 10_000, seed=3)])))
    assert 15 <= found.x_min <= 30
    assert found.exponent == pytest.approx(2.5, abs=0.1)


def test_what_is_no_power_law_is_called_a_poor_fit():
    numbers = 1 + np.random.default_rng(1).poisson(12, 5_000)
    law = power_law(degrees(numbers), samples=40)
    assert law is None or not law.plausible or law.tail < 500
    wide = np.maximum(1, np.random.default_rng(1).lognormal(2, 1, 20_000).astype(int))
    assert power_law(degrees(wide), samples=40).x_min > 5, "only its far end looks like one"


def test_a_log_normal_is_told_apart():
    numbers = np.maximum(1, np.random.default_rng(5).lognormal(1.5, 0.8, 30_000).astype(int))
    counts = np.bincount(numbers)
    values = np.flatnonzero(counts)
    found = Degrees(values[:12], counts[values[:12]], 0)
    law = power_law(found, samples=40)
    assert not law.plausible
    assert law.rival == "log-normal"


def test_few_numbers_are_no_law():
    assert power_law(degrees(np.arange(LEAST_TAIL - 1))) is None
    assert power_law(degrees(np.ones(10_000, np.int64))) is None
    assert power_law(degrees(np.zeros(0, np.int64))) is None


def test_the_same_seed_gives_the_same_answer():
    numbers = degrees(drawn(2.4, 1, 3_000, seed=9))
    assert power_law(numbers, samples=20, seed=7) == power_law(numbers, samples=20, seed=7)


def _histogram(numbers):
    found = degrees(numbers)
    return found.values, found.counts
