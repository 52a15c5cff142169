"""Links by source, links turned round, links both ways, and graphs written as pairs."""

import numpy as np
import pytest
from hypothesis import given
from link_graphs import dense, webs

from gossamer.graph.build import graph_of
from gossamer.graph.ranks.centrality import popularity
from gossamer.graph.transpose import outward, reversed_graph
from gossamer.model import UsageError


def plain_outward(graph):
    """The twin of the counting sort."""
    targets = [[] for _ in range(graph.pages)]
    for target in range(graph.pages):
        for source in graph.sources[graph.starts[target] : graph.starts[target + 1]]:
            targets[source].append(target)
    return targets


@given(webs())
def test_links_by_source_are_those_of_the_twin(web):
    graph = graph_of(*web)
    out = outward(graph)
    assert (out.starts.dtype, out.targets.dtype) == (np.int64, np.uint32)
    found = [out.targets[out.starts[i] : out.starts[i + 1]].tolist() for i in range(graph.pages)]
    assert found == plain_outward(graph)
    assert len(out.starts) == graph.pages + 1
    assert out.starts[0] == 0
    assert out.starts[-1] == graph.links


@given(webs())
def test_turning_twice_gives_the_graph_again(web):
    graph = graph_of(*web)
    turned = reversed_graph(graph, outward(graph))
    assert (dense(turned) == dense(graph).T).all()
    again = reversed_graph(turned, outward(turned))
    for name in ("fingerprints", "starts", "sources", "out_degrees"):
        assert np.array_equal(getattr(again, name), getattr(graph, name))
        assert getattr(again, name).dtype == getattr(graph, name).dtype


def plain_neighbours(pairs, pages):
    """The twin of the kernel that counts neighbours."""
    sets = [set() for _ in range(pages)]
    for source, target in pairs:
        if source != target:
            sets[source].add(target)
            sets[target].add(source)
    return sets


@given(webs())
def test_neighbours_are_those_of_the_twin(web):
    graph = graph_of(*web)
    expected = [len(one) for one in plain_neighbours(*web)]
    assert popularity(graph, outward(graph)).tolist() == expected


def test_the_order_of_nodes_and_of_links_does_not_matter():
    graph = graph_of([(0, 1), (2, 1), (1, 0)])
    shuffled = type(graph)(
        np.array([7, 3, 5], np.uint64), graph.starts, graph.sources[[0, 2, 1]], graph.out_degrees
    )
    assert outward(shuffled).targets.tolist() == outward(graph).targets.tolist()


def test_nothing_is_a_graph_too():
    graph = graph_of([])
    assert (graph.pages, graph.links, graph.starts.tolist()) == (0, 0, [0])
    assert outward(graph).starts.tolist() == [0]
    assert popularity(graph, outward(graph)).tolist() == []


def test_links_to_nowhere_are_refused():
    for pairs, pages in (([(0, 4)], 4), ([(-1, 0)], None)):
        with pytest.raises(UsageError, match="must connect pages"):
            graph_of(pairs, pages)
