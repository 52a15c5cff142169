"""Harmonic centrality: exactly, against networkx; by HyperBall, within its error, and as its twin."""

from math import log

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from link_graphs import webs
from powerlaw import made_web

from gossamer.graph.build import graph_of
from gossamer.graph.ranks.centrality import harmonic, hyperball
from gossamer.graph.transpose import outward
from gossamer.model import UsageError


@given(webs())
def test_exact_values_are_those_of_networkx(web):
    pairs, pages = web
    other = networkx.DiGraph(pairs)
    other.add_nodes_from(range(pages))
    expected = networkx.harmonic_centrality(other)
    assert harmonic(graph_of(pairs, pages)) == pytest.approx([expected[page] for page in range(pages)])


def plain_distances(graph, page):
    """The twin of the breadth-first kernel: the distance from every page that can reach this one."""
    distances, level = {page: 0}, [page]
    while level:
        following = []
        for target in level:
            for source in graph.sources[graph.starts[target] : graph.starts[target + 1]].tolist():
                if source not in distances:
                    distances[source] = distances[target] + 1
                    following.append(source)
        level = following
    return distances


def mixed(value):
    """The twin of the hash of a page's number."""
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) % 2**64
    return value ^ (value >> 31)


def plain_size(pages, width, seed):
    """The twin of a counter that has met these pages."""
    registers = [0] * width
    for page in pages:
        code = mixed(((page + 1) * 0x9E3779B97F4A7C15 + seed) % 2**64)
        place, rest = code % width, code // width
        zeros = (rest & -rest).bit_length() if rest else 64 - width.bit_length() + 2
        registers[place] = max(registers[place], zeros)
    factor = {16: 0.673, 32: 0.697, 64: 0.709}.get(width, 0.7213 / (1 + 1.079 / width))
    found = factor * width**2 / sum(0.5**one for one in registers)
    empty = registers.count(0)
    return width * log(width / empty) if empty and found <= 2.5 * width else found


@settings(max_examples=40)
@given(webs(most=30, links=60), st.sampled_from([16, 32, 128]), st.integers(0, 2**64 - 1))
def test_balls_are_those_of_the_twin(web, registers, seed):
    graph = graph_of(*web)
    found = hyperball(graph, outward(graph), registers, seed)
    furthest = 0
    for page in range(graph.pages):
        distances = plain_distances(graph, page)
        balls = [[page]]
        while len(balls[-1]) < len(distances):
            balls.append([other for other, far in distances.items() if far <= len(balls)])
        sizes = [plain_size(ball, registers, seed) for ball in balls]
        value = sum((sizes[r] - sizes[r - 1]) / r for r in range(1, len(sizes)))
        assert found.values[page] == pytest.approx(value, abs=1e-9)
        assert found.reached[page] == pytest.approx(sizes[-1])
        furthest = max(furthest, len(balls) - 1)
    assert found.rounds <= furthest + 1


@pytest.mark.parametrize("registers", [16, 64, 256])
def test_estimates_are_within_the_stated_error(registers):
    """Over many runs: in one all pages share the same hashes, and err alike."""
    graph = made_web(500, 4000, seed=3).graph
    out, exact = outward(graph), harmonic(graph)
    reached = np.array([len(plain_distances(graph, page)) for page in range(graph.pages)])
    linked = exact > 0
    runs = [hyperball(graph, out, registers, seed) for seed in range(300)]
    nearness = np.array([run.values[linked] / exact[linked] - 1 for run in runs])
    sizes = np.array([run.reached / reached - 1 for run in runs])
    for errors in (nearness, sizes):
        assert np.sqrt(np.mean(errors**2)) < 1.1 * runs[0].error
        assert abs(errors.mean()) < 0.3 * runs[0].error
    assert not any(run.values[~linked].any() for run in runs)


def test_the_order_of_pages_by_estimates_is_nearly_the_exact_one():
    graph = made_web(3000, 24_000, seed=4).graph
    exact = harmonic(graph)
    estimated = hyperball(graph, outward(graph), 256).values
    top = set(np.argsort(-exact)[:100].tolist())
    assert len(top & set(np.argsort(-estimated)[:100].tolist())) >= 70


def test_graphs_without_links():
    for graph in (graph_of([]), graph_of([], 3), graph_of([(0, 0)])):
        assert not harmonic(graph).any()
        found = hyperball(graph, outward(graph))
        assert not found.values.any()
        assert found.reached == pytest.approx(np.ones(graph.pages), abs=0.1)


@pytest.mark.parametrize("registers", [0, 8, 100, 1 << 17])
def test_registers_are_a_power_of_two(registers):
    graph = graph_of([(0, 1)])
    with pytest.raises(UsageError, match="power of 2"):
        hyperball(graph, outward(graph), registers)
