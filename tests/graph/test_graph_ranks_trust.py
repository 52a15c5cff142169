"""Trust, distrust and spam mass: by hand, by dense solvers, and on a planted spam farm."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_graphs import dense, webs
from spamfarm import best, judge, plant, suspects

from gossamer.graph.build import graph_of
from gossamer.graph.pagerank import pagerank
from gossamer.graph.ranks.trustrank import (
    distrust,
    inverse_pagerank,
    relative_trust,
    spam_mass,
    trustrank,
    without_jumps,
)
from gossamer.graph.transpose import outward
from gossamer.model import UsageError

BETA = 0.85


def solved(matrix, teleport):
    """PageRank without jumps from dead ends, p = beta M p + (1 - beta) t, by a dense solver."""
    walk = (matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)).T
    return np.linalg.solve(np.eye(len(matrix)) - BETA * walk, (1 - BETA) * np.asarray(teleport, float))


seeds = st.lists(st.booleans(), min_size=12, max_size=12)


@given(webs(), seeds)
def test_trust_and_distrust_are_those_of_a_dense_solver(web, chosen):
    graph = graph_of(*web)
    teleport = np.array([True, *chosen[1:]][: graph.pages], float)
    teleport /= teleport.sum()
    nodes = np.flatnonzero(teleport)
    matrix = dense(graph)
    forward, backward = solved(matrix, teleport), solved(matrix.T, teleport)
    trust = trustrank(graph, nodes, BETA, 1e-13, 2000).values
    assert trust == pytest.approx(forward / forward.sum(), abs=1e-10)
    spam = distrust(graph, outward(graph), nodes, BETA, 1e-13, 2000).values
    assert spam == pytest.approx(backward / backward.sum(), abs=1e-10)


@given(webs(), seeds, st.sampled_from([0.5, 0.85, 1.0]))
def test_spam_mass_is_that_of_a_dense_solver(web, chosen, good_share):
    graph = graph_of(*web)
    core = np.array([True, *chosen[1:]][: graph.pages], float)
    matrix = dense(graph)
    whole = solved(matrix, np.full(graph.pages, 1 / graph.pages))
    good = solved(matrix, good_share * core / core.sum())
    ranks = pagerank(graph, BETA, 1e-13, 2000).values
    trust = trustrank(graph, np.flatnonzero(core), BETA, 1e-13, 2000).values
    mass = spam_mass(graph, ranks, trust, BETA, good_share)
    own = without_jumps(graph, ranks, BETA)
    assert own == pytest.approx(whole, abs=1e-10)
    assert mass * own == pytest.approx(whole - good, abs=1e-10)
    assert mass == pytest.approx(1 - good / whole, abs=1e-8)
    assert (mass <= 1 + 1e-9).all()
    assert own.min() >= (1 - BETA) / graph.pages - 1e-10


@given(webs())
def test_a_core_of_all_pages_explains_everything(web):
    graph = graph_of(*web)
    ranks = pagerank(graph, tolerance=1e-13).values
    trust = trustrank(graph, range(graph.pages), tolerance=1e-13).values
    assert spam_mass(graph, ranks, trust, good_share=1.0) == pytest.approx(np.zeros(graph.pages), abs=1e-9)


def test_what_trust_does_not_reach_has_none():
    graph = graph_of([(0, 1), (1, 0), (2, 3), (3, 2), (2, 0)])
    trust = trustrank(graph, [0]).values
    assert trust[2:].tolist() == [0.0, 0.0]
    assert relative_trust(trust, pagerank(graph).values)[3] == 0.0
    assert (distrust(graph, outward(graph), [0]).values > 0).all()


def test_proposed_seeds_lead_far():
    """Page 0 leads to everything in two steps; 1 and 2 are equal, and go by fingerprint."""
    graph = graph_of([(0, 1), (0, 2), (1, 3), (2, 4), (2, 5), (1, 4)])
    out = outward(graph)
    far = inverse_pagerank(graph, out).values
    assert best(graph, far).tolist() == [0, 1, 2, 3, 4, 5]
    assert far.sum() == pytest.approx(1.0)


def test_suspects_are_ordered_by_mass():
    farms = [(page, 0) for page in range(10, 40)] + [(page, 1) for page in range(40, 90)]
    graph = graph_of([*farms, (2, 3)])
    ranks = pagerank(graph).values
    mass = spam_mass(graph, ranks, trustrank(graph, [2]).values)
    assert suspects(graph, ranks, mass).tolist() == [1, 0]
    assert suspects(graph, ranks, mass, least=30).tolist() == [1]


@pytest.mark.parametrize("accessible", [0, 20])
def test_a_planted_spam_farm_fools_pagerank_but_not_trust(accessible):
    """The large one is measured by benchmarks/spamfarm.py."""
    planted = plant(10_000, 100_000, 500, accessible)
    found = judge(planted, seeds=100)
    assert found.above_by_pagerank < 0.001
    assert found.below_by_relative_trust < 0.5
    assert found.relative_mass > 0.9
    assert found.place_among_suspects == 1
    assert found.struck_out >= 1  # its target links to all supporters: a person has to look
    assert found.rank == pytest.approx(found.formula, rel=1e-6)
    assert found.supporters_distrusted > 0.5


def test_impossible_wishes_are_refused():
    graph = graph_of([(0, 1)])
    with pytest.raises(UsageError, match="at least one page"):
        trustrank(graph, [])
    for beta, share in ((1.0, 0.85), (0.85, 0.0), (0.85, 1.5)):
        with pytest.raises(UsageError, match="spam mass needs"):
            spam_mass(graph, np.ones(2), np.ones(2), beta, share)
    with pytest.raises(UsageError, match="3 ranks for 2 pages"):
        spam_mass(graph, np.ones(3), np.ones(2))
    with pytest.raises(UsageError, match="3 values of trust for 2 pages"):
        spam_mass(graph, np.ones(2), np.ones(3))
