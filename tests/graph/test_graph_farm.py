"""The spam farm: the formula, the exact form, and walks on webs with such a farm."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.graph.build import graph_of
from gossamer.graph.pagerank import pagerank
from gossamer.graph.structure.spam_farm import calculate, constant, exact, factor, plant, planted, textbook
from gossamer.model import UsageError


def test_the_constants_for_the_usual_beta():
    assert factor(0.85) == pytest.approx(3.60, abs=0.005)
    assert constant(0.85) == pytest.approx(0.4595, abs=5e-5)


def test_the_closed_form_is_the_textbooks_and_the_own_teleport_share():
    n, m, x, beta = 1_000, 50, 0.002, 0.85
    closed = textbook(n, m, x, beta) + 1 / ((1 + beta) * n)
    assert exact(m, x, beta, (1 - beta) / n) == pytest.approx(closed, rel=1e-12)


@given(st.integers(1, 60), st.floats(0.1, 0.95), st.floats(0, 0.005))
def test_a_simulated_farm_agrees_with_the_exact_form(supporters, beta, flow):
    gain = calculate(1_000, supporters, flow, beta)
    assert gain.simulated == pytest.approx(gain.exact, rel=1e-6)
    assert gain.exact == pytest.approx(gain.textbook + 1 / ((1 + beta) * 1_000), rel=1e-9)
    assert gain.times_average == pytest.approx(1_000 * gain.simulated)
    assert gain.place is None


def test_a_whole_web_with_such_a_farm_agrees_too():
    """A ring of 90 pages, of which 10 more pages, that nobody links to, lead to the target."""
    ring = [(page, (page + 1) % 80) for page in range(80)]
    web = plant(graph_of(ring, 90), 9)
    doors = [(page, 90) for page in range(80, 90)]
    targets = np.repeat(np.arange(100), np.diff(web.starts)).tolist()
    whole = graph_of([*zip(web.sources.tolist(), targets, strict=True), *doors], 100)
    ranks = pagerank(whole, 0.85, 1e-14, 2_000).values
    gain = calculate(100, 9, 10, 0.85)
    assert gain.flow == pytest.approx(10 * 0.85 * 0.15 / 100)
    assert ranks[90] == pytest.approx(gain.exact, rel=1e-9)


def test_a_farm_needs_few_pages_of_a_large_web():
    gain = calculate(10**9, 1_000, 0, 0.85)
    assert gain.simulated == pytest.approx(gain.exact, rel=1e-9)


@pytest.mark.parametrize("beta", [1e-300, 0.9999, 0.999999, 1 - 1e-12, np.nextafter(1.0, 0.0)])
def test_the_simulation_comes_to_rest_whatever_beta(beta):
    gain = calculate(100_000, 100, 10, float(beta))
    assert gain.converged
    assert gain.simulated == pytest.approx(gain.exact, rel=1e-9)


def test_a_planted_farm_says_when_its_walk_did_not_come_to_rest():
    """A ring of pages that rank alike: with this beta some 30 million steps would be needed."""
    web = graph_of([(page, (page + 1) % 50) for page in range(50)])
    ranks = pagerank(web, 0.85).values
    assert planted(web, ranks, 50, 0.85).converged
    assert not planted(web, ranks, 50, 0.999999).converged
    slow = planted(web, ranks, 5, 0.99)
    assert slow.converged
    assert slow.simulated == pytest.approx(slow.exact, abs=1e-7)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30), st.integers(1, 8))
def test_a_farm_in_a_web_with_dead_ends(pairs, supporters):
    web = graph_of([pair for pair in pairs if pair[0] != pair[1]], 10)
    ranks = pagerank(web, 0.8).values
    gain = planted(web, ranks, supporters, 0.8)
    assert gain.simulated == pytest.approx(gain.exact, abs=1e-7)
    assert gain.exact >= gain.textbook
    after = pagerank(plant(web, supporters), 0.8, 1e-12, 500).values
    assert gain.place == 1 + sum(rank > after[10] + 1e-7 for rank in after)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((100, 0, 0, 0.85), "supporting pages"),
        ((100, 10, 0, 1.0), "beta"),
        ((100, 10, 0, 0.0), "beta"),
        ((100, 100, 0, 0.85), "too small for"),
        ((100, 10, 90, 0.85), "too small for"),
        ((100, 10, 0.5, 0.85), "from 0 to 0.113"),
        ((100, 10, -0.5, 0.85), "from 0 to"),
    ],
)
def test_what_makes_no_farm_is_refused(arguments, words):
    with pytest.raises(UsageError, match=words):
        calculate(*arguments)
