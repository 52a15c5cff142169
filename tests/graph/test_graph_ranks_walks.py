"""Topics, personal pages and weighted links: the worked example, networkx, and the kernels' twins."""

from fractions import Fraction

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_graphs import FULL, B, D, dense, webs

from gossamer.graph.build import graph_of
from gossamer.graph.pagerank import pagerank, pull, share_out
from gossamer.graph.ranks.editorial import editorial_rank, weighted_pagerank
from gossamer.graph.ranks.teleport import as_nodes, teleport_set
from gossamer.graph.ranks.trustrank import distrust, trustrank
from gossamer.graph.transpose import outward
from gossamer.model import UsageError


def fractions(values):
    return [Fraction(value).limit_denominator(1000) for value in values]


def test_the_worked_example_of_a_teleport_set():
    graph, teleport = graph_of(FULL), teleport_set(4, [B, D])
    ranks = teleport
    for numbers, divisor in [((2, 3, 2, 3), 10), ((42, 41, 26, 41), 150), ((62, 71, 46, 71), 250)]:
        ranks = pagerank(graph, 0.8, 0.0, 1, teleport=teleport, start=ranks).values
        assert fractions(ranks) == [Fraction(number, divisor) for number in numbers]
    found = pagerank(graph, 0.8, 1e-14, teleport=teleport)
    assert fractions(found.values) == [Fraction(number, 210) for number in (54, 59, 38, 59)]
    of_all = pagerank(graph, 0.8, 1e-14, teleport=teleport_set(4, range(4)))
    assert of_all.values == pytest.approx(pagerank(graph, 0.8, 1e-14).values, abs=1e-12)


def test_an_earlier_rank_saves_steps():
    graph = graph_of(FULL)
    cold = pagerank(graph, teleport=teleport_set(4, [B]))
    warm = pagerank(graph, teleport=teleport_set(4, [B]), start=cold.values)
    assert warm.steps < cold.steps


def test_an_earlier_rank_over_weights_trust_and_distrust_saves_steps():
    graph, weights = graph_of(FULL), np.arange(1.0, 9.0)
    out = outward(graph)
    ways = [
        lambda start: weighted_pagerank(graph, weights, start=start),
        lambda start: editorial_rank(graph, np.zeros(4, np.uint32), start=start),
        lambda start: trustrank(graph, [B], start=start),
        lambda start: distrust(graph, out, [B], start=start),
    ]
    for way in ways:
        cold = way(None)
        for earlier in (3.0 * cold.values, cold.values.astype(np.float32)):
            warm = way(earlier)
            assert warm.steps < cold.steps
            assert warm.values == pytest.approx(cold.values, abs=1e-8)


@given(webs(), st.lists(st.integers(0, 5), min_size=12, max_size=12))
def test_personal_ranks_are_those_of_networkx(web, numbers):
    pairs, pages = web
    weights = np.array(numbers[:pages], float)
    weights[0] += 1
    other = networkx.DiGraph(pairs)
    other.add_nodes_from(range(pages))
    expected = networkx.pagerank(
        other, 0.85, dict(enumerate(weights)), tol=1e-12, max_iter=2000, dangling=dict(enumerate(weights))
    )
    found = pagerank(graph_of(pairs, pages), 0.85, 1e-12, 2000, teleport=weights)
    assert found.values == pytest.approx([expected[page] for page in range(pages)], abs=1e-9)


@given(webs(), st.data())
def test_weighted_ranks_are_those_of_networkx(web, data):
    pairs, pages = web
    graph = graph_of(pairs, pages)
    weights = np.array(
        data.draw(st.lists(st.integers(0, 4), min_size=graph.links, max_size=graph.links)), float
    )
    other = networkx.DiGraph()
    other.add_nodes_from(range(pages))
    ends = np.repeat(np.arange(pages), np.diff(graph.starts))
    other.add_weighted_edges_from(zip(graph.sources.tolist(), ends.tolist(), weights, strict=True))
    expected = networkx.pagerank(other, 0.85, tol=1e-12, max_iter=2000)
    found = weighted_pagerank(graph, weights, 0.85, 1e-12, 2000)
    assert found.converged
    assert found.values == pytest.approx([expected[page] for page in range(pages)], abs=1e-9)


@given(webs())
def test_equal_weights_are_no_weights(web):
    graph = graph_of(*web)
    jumps = teleport_set(graph.pages, [0])
    found = weighted_pagerank(graph, np.full(graph.links, 2.5), 0.8, 1e-12, 2000, teleport=jumps)
    expected = pagerank(graph, 0.8, 1e-12, 2000, teleport=jumps)
    assert found.values == pytest.approx(expected.values, abs=1e-9)


@given(webs(), st.floats(0, 1), st.data())
def test_the_kernels_step_like_their_twin(web, beta, data):
    graph = graph_of(*web)
    numbers = st.floats(0.1, 2)
    weights = np.array(data.draw(st.lists(numbers, min_size=graph.links, max_size=graph.links)))
    ranks = np.array(data.draw(st.lists(numbers, min_size=graph.pages, max_size=graph.pages)))
    matrix = dense(graph).T
    matrix[matrix > 0] = weights  # both are by target, then by source
    totals, shares = matrix.sum(axis=0), np.empty(graph.pages)
    assert share_out(ranks, totals, shares) == pytest.approx(ranks[totals == 0].sum())
    assert shares == pytest.approx(np.divide(ranks, totals, out=np.zeros(graph.pages), where=totals > 0))
    expected = beta * (matrix @ shares) + 0.3 * ranks[::-1]
    after = ranks.copy()
    change = pull(graph, weights, shares, beta, 0.3, ranks[::-1].copy(), after)
    assert after == pytest.approx(expected)
    assert change == pytest.approx(np.abs(expected - ranks).sum())


def test_sets_of_pages():
    assert teleport_set(3, [0, 0, 2]).tolist() == [0.5, 0.0, 0.5]
    assert as_nodes(3, np.array([2], np.uint32)).tolist() == [2]
    assert as_nodes(0, []).tolist() == []


def test_impossible_sets_are_refused():
    with pytest.raises(UsageError, match="at least one page"):
        teleport_set(3, [])
    for wrong in ([3], [-1]):
        with pytest.raises(UsageError, match="no node"):
            teleport_set(3, wrong)
    with pytest.raises(UsageError, match="2 weights for 3 pages"):
        pagerank(graph_of([], 3), teleport=np.ones(2))
    for weight in (-1.0, np.nan):
        with pytest.raises(UsageError, match="not negative"):
            pagerank(graph_of([], 3), teleport=np.array([0.0, weight, 0.0]))


def test_impossible_weights_are_refused():
    graph = graph_of(FULL)
    with pytest.raises(UsageError, match="3 weights for 8 links"):
        weighted_pagerank(graph, np.ones(3))
    with pytest.raises(UsageError, match="not negative"):
        weighted_pagerank(graph, np.full(8, -1.0))
    with pytest.raises(UsageError, match="between 0 and 1"):
        weighted_pagerank(graph, np.ones(8), beta=2.0)
    periodic = weighted_pagerank(graph_of([(0, 1), (1, 0)]), np.ones(2), 1.0, teleport=np.array([1.0, 0.0]))
    assert not periodic.converged
    assert "periodic" in periodic.diagnosis
