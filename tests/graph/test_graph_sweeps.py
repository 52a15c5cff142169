"""Sweeps: the same ranks as the plain walk, on any graph, from any start, with any number of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.graph import pagerank as by_pagerank
from gossamer.graph.pagerank import (
    Relaxation,
    Walk,
    count_dead_links,
    default_threads,
    first_shares,
    pagerank,
    pull_all,
    step_from,
    sweep,
    swept,
    walked,
)
from gossamer.model import UsageError
from gossamer.model.graph import LinkGraph


def graph_of(links, pages):
    """Links as given: loops stay, and repeated ones count as often as they stand there."""
    links = sorted(links, key=lambda link: (link[1], link[0]))
    sources = np.array([source for source, _ in links], np.uint32)
    degrees = np.bincount([target for _, target in links], minlength=pages)
    out = np.bincount(sources, minlength=pages).astype(np.uint32)
    starts = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    return LinkGraph(np.arange(pages, dtype=np.uint64), starts, sources, out)


def plain_residual(graph, ranks, beta, teleport):
    """Twin: one step of the walk, in plain Python, and what it changes."""
    stuck = sum(rank for rank, out in zip(ranks, graph.out_degrees, strict=True) if out == 0)
    residual = 0.0
    for page in range(graph.pages):
        after = (1 - beta + beta * stuck) * teleport[page]
        for source in graph.sources[graph.starts[page] : graph.starts[page + 1]]:
            after += beta * ranks[source] / graph.out_degrees[source]
        residual += abs(after - ranks[page])
    return residual


@st.composite
def graphs(draw):
    """Dead ends, loops, repeated links, pages without any link."""
    pages = draw(st.integers(1, 30))
    page = st.integers(0, pages - 1)
    return graph_of(draw(st.lists(st.tuples(page, page), max_size=90)), pages)


def weights(draw, pages):
    given = np.array(draw(st.lists(st.integers(0, 4), min_size=pages, max_size=pages)), float)
    return given / given.sum() if given.sum() else np.full(pages, 1 / pages)


@settings(deadline=None, max_examples=60)
@given(
    st.data(),
    graphs(),
    st.sampled_from([0.1, 0.5, 0.85, 0.95]),
    st.sampled_from([1e-4, 1e-6, 1e-10]),
    st.sampled_from([1, 1, 2, 3]),
)
def test_sweeps_reach_the_ranks_of_the_walk(data, graph, beta, tolerance, threads):
    teleport, start = weights(data.draw, graph.pages), weights(data.draw, graph.pages)
    found = swept(graph, beta, tolerance, 5000, teleport, start, threads)
    assert found.residual <= tolerance
    assert found.values.sum() == pytest.approx(1.0, abs=1e-12)
    assert found.values.min() >= 0.0
    assert plain_residual(graph, found.values, beta, teleport) <= tolerance + 1e-14
    plain = walked(graph, beta, 1e-14, 5000, teleport=teleport)
    # the distance from the limit is at most the residual over 1 - beta
    assert np.abs(found.values - plain.values).sum() <= tolerance / (1 - beta) + 1e-11


@settings(deadline=None, max_examples=20)
@given(graphs(), st.integers(1, 4))
def test_the_same_threads_give_the_same_bits(graph, threads):
    jumps = np.full(graph.pages, 1 / graph.pages)
    first, second = (swept(graph, 0.85, 1e-7, 500, jumps, jumps, threads) for _ in range(2))
    assert first.values.tobytes() == second.values.tobytes()
    assert (first.steps, first.residual) == (second.steps, second.residual)


def plain_sweep(graph, shares, teleport, beta, jump, relaxation):
    """Twin of `sweep`."""
    change = leaving = 0.0
    dead = [0] * graph.pages
    for page in range(graph.pages):
        for source in graph.sources[graph.starts[page] : graph.starts[page + 1]]:
            dead[source] += int(graph.out_degrees[page] == 0)
    for page in range(graph.pages):
        degree = int(graph.out_degrees[page])
        if degree:
            own = graph.sources[graph.starts[page] : graph.starts[page + 1]]
            rank = jump * teleport[page] + sum(float(shares[source]) for source in own)
            before = float(shares[page])
            shares[page] = max(before + relaxation * (beta * rank / degree - before), 0.0)
            change += abs(rank - before * degree / beta)
            leaving += float(shares[page]) * (degree / beta - (degree - dead[page]))
    return dead, change, leaving


@given(graphs(), st.floats(0.1, 0.99))
def test_the_first_shares_are_those_of_the_twin(graph, beta):
    pages = range(graph.pages)
    start, teleport = np.linspace(0.1, 0.9, graph.pages), np.linspace(0.5, 1.5, graph.pages)
    dead_links = np.arange(graph.pages).astype(np.uint32)
    shares = np.full(graph.pages, 7.0)
    walk = Walk(graph, dead_links, teleport, beta)
    leaving, jumping_in = first_shares(walk, start, 10.0, shares)
    degrees = graph.out_degrees.tolist()
    expected = [10.0 * beta * start[page] / degrees[page] if degrees[page] else 0.0 for page in pages]
    assert shares.tolist() == pytest.approx(expected)
    given_up = (expected[page] * (degrees[page] * (1 / beta - 1) + page) for page in pages)
    assert leaving == pytest.approx(sum(given_up))
    assert jumping_in == pytest.approx(sum(teleport[page] for page in pages if degrees[page]))


@given(graphs(), st.floats(0.1, 0.99), st.floats(1.0, 1.5), st.sampled_from([np.float32, np.float64]))
def test_a_sweep_is_that_of_its_twin(graph, beta, relaxation, kind):
    teleport = np.linspace(0.5, 1.5, graph.pages)
    shares = np.where(graph.out_degrees > 0, np.linspace(1.0, 0.2, graph.pages), 0.0).astype(kind)
    expected = shares.copy()
    dead, change, leaving = plain_sweep(graph, expected, teleport, beta, 0.7, relaxation)
    counts = np.zeros(graph.pages, np.uint32)
    count_dead_links(graph, 0, graph.pages, counts)
    assert counts.tolist() == dead
    walk = Walk(graph, counts, teleport, beta)
    found = sweep(walk, 0.7, relaxation, 0, graph.pages, shares)
    assert found == pytest.approx((change, leaving), rel=1e-5, abs=1e-6)
    assert shares == pytest.approx(expected, rel=1e-5)


@given(graphs(), st.floats(0.1, 0.99))
def test_the_last_step_is_that_of_its_twin(graph, beta):
    """Shares stand for ranks of pages with links; a dead end's rank is what it gets."""
    jump, teleport = 0.3, np.linspace(1.0, 2.0, graph.pages)
    teleport /= teleport.sum()
    dead = graph.out_degrees == 0
    shares = np.where(dead, 0.0, np.linspace(1.0, 0.2, graph.pages))
    inflow = np.empty(graph.pages)
    pull_all(graph, shares, 0, graph.pages, inflow)
    before = np.where(dead, jump * teleport + inflow, shares * graph.out_degrees / beta)
    walk = Walk(graph, np.zeros(graph.pages, np.uint32), teleport, beta)
    total, change = step_from(walk, inflow, shares, jump)
    assert total == pytest.approx(before.sum())
    assert change == pytest.approx(total * plain_residual(graph, before / total, beta, teleport), abs=1e-12)
    assert inflow.sum() == pytest.approx(total)


def ring_of_cliques(count, size):
    """Slow to converge: whoever is in a clique seldom leaves it."""
    links = [(size * c + i, size * c + j) for c in range(count) for i in range(size) for j in range(size)]
    links += [(size * c, size * ((c + 1) % count) + 1) for c in range(count)]
    return graph_of([link for link in links if link[0] != link[1]], count * size)


def test_fewer_sweeps_than_steps_on_a_slow_graph():
    graph = ring_of_cliques(40, 8)
    jumps = np.arange(1.0, graph.pages + 1)
    jumps /= jumps.sum()
    plain = walked(graph, 0.95, 1e-9, 2000, teleport=jumps)
    found = swept(graph, 0.95, 1e-9, 2000, jumps, jumps, 1)
    assert plain.converged
    assert 2 * found.steps < plain.steps


@pytest.mark.parametrize("length", [2, 3, 5])
def test_circles_of_links_converge_too(length):
    """Taken too far, the sweeps would diverge here."""
    graph = graph_of([(i, (i + 1) % length) for i in range(length)] + [(length, 0)], length + 1)
    jumps = np.full(graph.pages, 1 / graph.pages)
    start = np.eye(graph.pages)[0]
    found = swept(graph, 0.99, 1e-10, 5000, jumps, start, 1)
    assert found.residual <= 1e-10


def test_a_graph_of_dead_ends_and_a_teleport_set_of_dead_ends():
    jumps = np.array([0.0, 0.5, 0.5])
    assert swept(graph_of([], 3), 0.85, 1e-9, 10, jumps, jumps, 2).values == pytest.approx(jumps)
    found = swept(graph_of([(0, 1)], 3), 0.85, 1e-9, 10, jumps, np.array([1.0, 0.0, 0.0]), 2)
    assert found.values == pytest.approx(jumps)


def large(monkeypatch):
    """Takes every graph for a large one."""
    monkeypatch.setattr(by_pagerank, "FEW_LINKS", 0)


def test_pagerank_sweeps_over_large_graphs(monkeypatch):
    large(monkeypatch)
    graph = ring_of_cliques(20, 6)
    start = np.linspace(1, 2, graph.pages)
    cold = pagerank(graph, start=start, threads=2)
    assert cold.converged
    assert cold.values == pytest.approx(walked(graph).values, abs=1e-9)
    warm = pagerank(graph, start=cold.values)
    assert warm.steps < cold.steps
    alone = pagerank(graph, beta=1.0, max_steps=5000)
    assert alone.steps == walked(graph, beta=1.0, max_steps=5000).steps
    assert start[0] == 1.0


def test_what_large_graphs_do_not_reach_is_said(monkeypatch):
    large(monkeypatch)
    graph = ring_of_cliques(20, 6)
    jumps = np.arange(graph.pages, dtype=float)
    few = pagerank(graph, 0.95, max_steps=3, teleport=jumps)
    assert (few.converged, few.steps) == (False, 3)
    assert "more steps" in few.diagnosis
    rounded = pagerank(graph, 0.5, tolerance=0.0, max_steps=400, teleport=jumps)
    assert rounded.converged or "larger tolerance" in rounded.diagnosis
    with pytest.raises(UsageError, match="between 0 and 1"):
        pagerank(graph, beta=-0.1)


def test_relaxation_is_taken_back_where_it_does_harm():
    relaxation = Relaxation()
    first = relaxation.value
    residuals = []
    for sweep_number in range(40):
        residuals.append(1.0 + sweep_number)
        relaxation.learn(residuals)
    assert 1.0 <= relaxation.value < 1.0 + (first - 1.0) / 8


def test_threads_follow_the_size_of_the_graph():
    assert default_threads(graph_of([(0, 1)], 2)) == 1
