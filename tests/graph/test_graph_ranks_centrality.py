"""Degrees and eigenvector centrality, against networkx and dense solvers."""

import networkx
import numpy as np
import pytest
from hypothesis import assume, given
from link_graphs import dense, top_projection, webs

from gossamer.graph.build import graph_of
from gossamer.graph.ranks.centrality import degree_centrality, eigenvector, in_degree, popularity
from gossamer.graph.transpose import outward


@given(webs(least=2))
def test_degrees_are_those_of_networkx(web):
    pairs, pages = web
    graph = graph_of(pairs, pages)
    other = networkx.DiGraph(pairs)
    other.add_nodes_from(range(pages))
    expected = networkx.in_degree_centrality(other)
    assert in_degree(graph).tolist() == [other.in_degree(page) for page in range(pages)]
    assert degree_centrality(in_degree(graph)) == pytest.approx([expected[page] for page in range(pages)])
    around = other.to_undirected()
    around.remove_edges_from(list(networkx.selfloop_edges(around)))
    assert popularity(graph, outward(graph)).tolist() == [around.degree(page) for page in range(pages)]


def test_a_lone_page_has_no_centrality():
    assert degree_centrality(in_degree(graph_of([], 1))).tolist() == [0.0]
    assert len(degree_centrality(in_degree(graph_of([])))) == 0


@given(webs())
def test_undirected_it_is_the_projection_on_the_top_eigenspace(web):
    pairs, pages = web
    both = graph_of([link for a, b in pairs if a != b for link in ((a, b), (b, a))], pages)
    matrix = dense(both) + np.eye(pages)
    expected, gap = top_projection(matrix, np.ones(pages))
    assume(gap > 1e-2)
    result = eigenvector(both, 1e-13, 20000)
    assert result.converged
    assert result.values == pytest.approx(expected, abs=1e-8)


@given(webs(least=2))
def test_directed_it_is_the_principal_eigenvector(web):
    """A circle through all pages makes the largest eigenvalue a single one (Perron and Frobenius)."""
    pairs, pages = web
    graph = graph_of(pairs + [(page, (page + 1) % pages) for page in range(pages)], pages)
    result = eigenvector(graph, 1e-13, 20000)
    values, vectors = np.linalg.eig(dense(graph).T)
    expected = np.abs(vectors[:, np.argmax(values.real)].real)
    assert result.converged
    assert result.values == pytest.approx(expected / np.linalg.norm(expected), abs=1e-7)


def test_a_bipartite_graph_comes_to_rest():
    star = [(0, leaf) for leaf in range(1, 5)] + [(leaf, 0) for leaf in range(1, 5)]
    result = eigenvector(graph_of(star))
    assert result.converged
    assert result.values == pytest.approx([np.sqrt(0.5)] + [np.sqrt(0.125)] * 4)


def test_links_without_a_circle_are_told():
    result = eigenvector(graph_of([(0, 1), (1, 2), (2, 3)]), max_steps=100)
    assert not result.converged
    assert "undirected" in result.diagnosis
    nothing = eigenvector(graph_of([]))
    assert (len(nothing.values), nothing.steps, nothing.converged) == (0, 0, True)


@given(webs())
def test_a_step_adds_the_values_of_who_links(web):
    graph = graph_of(*web)
    begin = np.full(graph.pages, 1 / np.sqrt(graph.pages))
    raw = (dense(graph).T + np.eye(graph.pages)) @ begin
    found = eigenvector(graph, max_steps=1)
    assert found.values == pytest.approx(raw / np.linalg.norm(raw))
    assert found.residual == pytest.approx(np.abs(raw / np.linalg.norm(raw) - begin).sum())
