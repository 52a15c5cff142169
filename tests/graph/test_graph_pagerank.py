"""PageRank: the worked examples with every printed step, the spam farm, networkx, and the kernels' twins."""

from fractions import Fraction

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.graph.pagerank import pagerank, pull, share_out
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph

A, B, C, D = range(4)
FULL = [(A, B), (A, C), (A, D), (B, A), (B, D), (C, A), (D, B), (D, C)]
DEAD_END = [link for link in FULL if link != (C, A)]
TRAP = [*DEAD_END, (C, C)]
QUARTERS = np.full(4, 0.25)


def graph_of(links, pages):
    """The graph as given: links of a page to itself stay, which the examples need."""
    links = sorted(set(links), key=lambda link: (link[1], link[0]))
    sources = np.array([source for source, _ in links], np.uint32)
    starts = np.concatenate([[0], np.cumsum(np.bincount([t for _, t in links], minlength=pages))])
    out = np.bincount(sources, minlength=pages).astype(np.uint32)
    return LinkGraph(np.arange(pages, dtype=np.uint64), starts.astype(np.int64), sources, out)


def check_steps(graph, ranks, expected, **options):
    for numbers, divisor in expected:
        ranks = pagerank(graph, tolerance=0.0, max_steps=1, start=ranks, **options).values
        assert ranks == pytest.approx([number / divisor for number in numbers], abs=1e-15)


def check_limit(graph, numbers, divisor, **options):
    result = pagerank(graph, tolerance=1e-14, max_steps=2000, **options)
    assert result.converged
    assert result.diagnosis == ""
    assert result.values == pytest.approx([number / divisor for number in numbers], abs=1e-12)


def test_plain_walk():
    graph = graph_of(FULL, 4)
    check_steps(graph, QUARTERS, [((9, 5, 5, 5), 24), ((15, 11, 11, 11), 48)], beta=1.0)
    check_limit(graph, (3, 2, 2, 2), 9, beta=1.0)


def test_a_dead_end_jumps_to_any_page():
    graph = graph_of(DEAD_END, 4)
    steps = [((9, 13, 13, 13), 48), ((39, 51, 51, 51), 192), ((153, 205, 205, 205), 768)]
    check_steps(graph, QUARTERS, steps, beta=1.0)
    check_limit(graph, (3, 4, 4, 4), 15, beta=1.0)


def test_a_spider_trap_takes_everything():
    graph = graph_of(TRAP, 4)
    steps = [((3, 5, 11, 5), 24), ((5, 7, 29, 7), 48), ((21, 31, 205, 31), 288)]
    check_steps(graph, QUARTERS, steps, beta=1.0)
    check_limit(graph, (0, 0, 1, 0), 1, beta=1.0)


def test_teleport_leaves_the_trap():
    graph = graph_of(TRAP, 4)
    steps = [((9, 13, 25, 13), 60), ((41, 53, 153, 53), 300), ((543, 707, 2543, 707), 4500)]
    check_steps(graph, QUARTERS, steps, beta=0.8)
    check_limit(graph, (15, 19, 95, 19), 148, beta=0.8)


def test_a_teleport_set():
    graph = graph_of(FULL, 4)
    teleport = np.array([0.0, 1.0, 0.0, 1.0])
    steps = [((2, 3, 2, 3), 10), ((42, 41, 26, 41), 150), ((62, 71, 46, 71), 250)]
    check_steps(graph, np.array([0.0, 0.5, 0.0, 0.5]), steps, beta=0.8, teleport=teleport)
    check_limit(graph, (54, 59, 38, 59), 210, beta=0.8, teleport=teleport)


def test_two_pages_that_link_to_each_other_are_periodic():
    graph = graph_of([(0, 1), (1, 0)], 2)
    start = np.array([1.0, 0.0])
    check_steps(graph, start, [((0, 1), 1), ((1, 0), 1), ((0, 1), 1)], beta=1.0)
    result = pagerank(graph, beta=1.0, start=start, max_steps=50)
    assert not result.converged
    assert (result.steps, result.residual) == (50, 2.0)
    assert "periodic" in result.diagnosis
    check_limit(graph, (1, 1), 2, beta=0.85, start=start)


def test_five_pages():
    links = [(0, 1), (0, 2), (1, 4), (2, 1), (3, 0), (3, 1), (3, 2), (4, 0), (4, 3)]
    check_limit(graph_of(links, 5), (4, 6, 3, 3, 6), 22, beta=1.0)


def test_too_few_steps_are_said():
    result = pagerank(graph_of(TRAP, 4), beta=0.8, max_steps=3)
    assert not result.converged
    assert "more steps" in result.diagnosis
    assert "periodic" not in result.diagnosis


@pytest.mark.parametrize("beta", [0.85, 0.5])
def test_a_spam_farm_has_the_rank_that_the_formula_says(beta):
    supporters, web = 30, 70
    total = 1 + supporters + web
    farm = range(1, supporters + 1)
    links = [(0, page) for page in farm] + [(page, 0) for page in farm]
    links += [(total - web + i, total - web + (7 * i + j) % web) for i in range(web) for j in (1, 2, 5)]
    accessible = [total - 3, total - 2]
    links += [(page, 0) for page in accessible]
    graph = graph_of(links, total)
    ranks = pagerank(graph, beta=beta, tolerance=1e-14, max_steps=2000).values
    inflow = beta * sum(ranks[page] / graph.out_degrees[page] for page in accessible)
    c = beta / (1 + beta)
    exact = inflow / (1 - beta**2) + c * supporters / total + 1 / ((1 + beta) * total)
    assert ranks[0] == pytest.approx(exact, rel=1e-10)


def test_the_numbers_of_the_spam_farm():
    beta = Fraction(85, 100)
    assert round(float(1 / (1 - beta**2)), 2) == 3.60
    assert round(float(beta / (1 + beta)), 4) == 0.4595


@st.composite
def graphs(draw):
    pages = draw(st.integers(1, 12))
    page = st.integers(0, pages - 1)
    return draw(st.lists(st.tuples(page, page), max_size=40)), pages


weights = st.lists(st.integers(0, 5), min_size=12, max_size=12)


@given(graphs(), st.sampled_from([0.5, 0.85, 0.95]), weights)
def test_the_ranks_are_those_of_networkx(drawn, beta, teleport):
    links, pages = drawn
    given = np.array(teleport[:pages], float)
    if not given.sum():
        given = None
    other = networkx.DiGraph()
    other.add_nodes_from(range(pages))
    other.add_edges_from(links)
    personal = None if given is None else dict(enumerate(given))
    expected = networkx.pagerank(other, beta, personalization=personal, tol=1e-12, max_iter=2000)
    result = pagerank(graph_of(links, pages), beta, 1e-12, 2000, teleport=given)
    assert result.converged
    assert result.values.sum() == pytest.approx(1.0, abs=1e-12)
    assert result.values == pytest.approx([expected[page] for page in range(pages)], abs=1e-9)


def plain_step(graph, ranks, beta, teleport):
    """The twin of both kernels: push along every link."""
    after = [0.0] * graph.pages
    stuck = sum(rank for rank, out in zip(ranks, graph.out_degrees, strict=True) if out == 0)
    for target in range(graph.pages):
        for source in graph.sources[graph.starts[target] : graph.starts[target + 1]]:
            after[target] += beta * ranks[source] / graph.out_degrees[source]
    return [
        value + (1 - beta + beta * stuck) * weight for value, weight in zip(after, teleport, strict=True)
    ], stuck


@given(graphs(), st.floats(0, 1), weights)
def test_the_kernels_step_like_their_twin(drawn, beta, numbers):
    links, pages = drawn
    graph = graph_of(links, pages)
    ranks = np.array(numbers[:pages], float) + 0.5
    ranks /= ranks.sum()
    teleport = ranks[::-1].copy()
    expected, expected_stuck = plain_step(graph, ranks.tolist(), beta, teleport)
    shares, after = np.empty(pages), ranks.copy()
    stuck = share_out(ranks, graph.out_degrees, shares)
    change = pull(graph, None, shares, beta, 1 - beta + beta * stuck, teleport, after)
    assert stuck == pytest.approx(expected_stuck)
    assert after == pytest.approx(expected)
    assert change == pytest.approx(np.abs(after - ranks).sum())


def test_a_good_start_saves_steps():
    graph = graph_of(TRAP, 4)
    cold = pagerank(graph)
    warm = pagerank(graph, start=cold.values)
    assert warm.steps < cold.steps
    assert warm.values == pytest.approx(cold.values, abs=1e-8)


def test_the_given_arrays_are_left_alone():
    graph, start = graph_of(FULL, 4), np.array([1.0, 0.0, 0.0, 0.0])
    pagerank(graph, start=start, teleport=start)
    assert start.tolist() == [1.0, 0.0, 0.0, 0.0]


def test_a_web_without_pages():
    result = pagerank(graph_of([], 0))
    assert (len(result.values), result.steps, result.converged) == (0, 0, True)


def test_impossible_wishes_are_refused():
    graph = graph_of(FULL, 4)
    with pytest.raises(UsageError, match="between 0 and 1"):
        pagerank(graph, beta=1.5)
    with pytest.raises(UsageError, match="3 weights for 4 pages"):
        pagerank(graph, teleport=np.ones(3))
    for wrong in (np.zeros(4), np.array([1.0, -1.0, 1.0, 1.0]), np.array([np.nan, 1, 1, 1])):
        with pytest.raises(UsageError, match="start needs weights"):
            pagerank(graph, start=wrong)
