"""Communities: planted ones are found, each hangs together, and no page would rather be elsewhere."""

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.graph.build import graph_of
from gossamer.graph.structure.communities import WeightedGraph, communities, move_nodes, refine
from gossamer.model.graph import LinkGraph

nodes = st.integers(0, 11)
pairs_of_links = st.lists(st.tuples(nodes, nodes), max_size=40)


def undirected(pairs, pages):
    web = networkx.Graph()
    web.add_nodes_from(range(pages))
    for source, target in {pair for pair in pairs if pair[0] != pair[1]}:
        more = web.edges[source, target]["weight"] if web.has_edge(source, target) else 0
        web.add_edge(source, target, weight=more + 1)
    return web


def groups_of(found):
    return [set(np.flatnonzero(found.labels == label).tolist()) for label in range(len(found.sizes))]


@given(pairs_of_links)
def test_communities_hang_together_and_nobody_would_move(pairs):
    found, web = communities(graph_of(pairs, 12)), undirected(pairs, 12)
    groups = groups_of(found)
    assert [len(group) for group in groups] == found.sizes.tolist()
    assert sorted(found.sizes.tolist(), reverse=True) == found.sizes.tolist()
    assert all(networkx.is_connected(web.subgraph(group)) for group in groups)
    if web.number_of_edges():
        best = networkx.community.modularity(web, groups)
        assert found.modularity == pytest.approx(best)
        for node in range(12):
            for group in groups:
                moved = [(other | {node}) if other is group else other - {node} for other in groups]
                assert networkx.community.modularity(web, [one for one in moved if one]) <= best + 1e-9


@given(pairs_of_links, st.permutations(range(12)))
def test_the_numbers_of_nodes_do_not_matter(pairs, order):
    graph = graph_of(pairs, 12)
    moved = graph_of([(order[source], order[target]) for source, target in pairs], 12)
    fingerprints = np.empty(12, np.uint64)
    fingerprints[order] = graph.fingerprints
    other = LinkGraph(fingerprints, moved.starts, moved.sources, moved.out_degrees)
    assert communities(other).labels[order].tolist() == communities(graph).labels.tolist()


def test_planted_communities_are_found():
    dice = np.random.default_rng(6)
    camps = np.repeat(np.arange(4), 50)
    chance = np.where(camps[:, None] == camps[None, :], 0.2, 0.01)
    pairs = list(zip(*np.nonzero(dice.random((200, 200)) < chance), strict=True))
    graph = graph_of([(int(source), int(target)) for source, target in pairs], 200)
    found = communities(graph)
    assert found.sizes.tolist() == [50, 50, 50, 50]
    assert all(len(set(found.labels[camps == camp].tolist())) == 1 for camp in range(4))
    table = found.between(graph, 4)
    assert table.sum() == graph.links
    assert np.diag(table).sum() > 4 * (table.sum() - np.diag(table).sum())


def test_a_graph_without_links_has_a_community_for_each_page():
    found = communities(graph_of([], 3))
    assert found.sizes.tolist() == [1, 1, 1]
    assert found.modularity == 0
    assert found.labels.tolist() == [0, 1, 2]


def rows_of(pairs):
    """The symmetric rows that the kernels take."""
    web = undirected(pairs, 12)
    table = networkx.to_scipy_sparse_array(web, nodelist=range(12), format="csr", dtype=float)
    strengths = np.asarray(table.sum(axis=1)).ravel()
    starts, neighbours = table.indptr.astype(np.int64), table.indices.astype(np.int32)
    return WeightedGraph(starts, neighbours, table.data, strengths)


@given(pairs_of_links.filter(lambda pairs: any(source != target for source, target in pairs)))
def test_the_kernels_do_what_their_python_does(pairs):
    rows = rows_of(pairs)
    strengths, answers = rows.strengths, []
    for move, split in ((move_nodes, refine), (move_nodes.__wrapped__, refine.__wrapped__)):
        labels, totals = np.arange(12), strengths.copy()
        move(rows, labels, totals, strengths.sum())
        parts = split(rows, labels, totals, strengths.sum())
        answers.append((labels.tolist(), totals.tolist(), parts.tolist()))
    assert answers[0] == answers[1]
    labels, totals, parts = answers[0]
    assert totals == pytest.approx(np.bincount(labels, weights=strengths, minlength=12).tolist())
    assert all(labels[node] == labels[part] for node, part in enumerate(parts)), "parts stay inside"
