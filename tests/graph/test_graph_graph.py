"""The page graph that is built, and the look-up of fingerprints, against plain-Python twins."""

from bisect import bisect_left
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_graphs import links_of, plain_build, source_of, without_waiting_for_the_disk, write_generation

from gossamer.graph.numbering import FingerprintIndex
from gossamer.model import LinkFlag

HIGH = 2**64 - 3


@pytest.fixture(scope="module", autouse=True)
def _quick():
    yield from without_waiting_for_the_disk()


def build(edges, aliases=None, pages=()):
    """The graph of these links; pages of unknown hosts are numbered by rising fingerprint."""
    with TemporaryDirectory() as folder:
        return write_generation(Path(folder), source_of(edges, aliases, pages)).graph()


pages = st.sampled_from([*range(8), HIGH, HIGH + 1])
edges = st.lists(st.tuples(pages, pages, st.sampled_from([0, 0, 0, 1, 2, 4])), max_size=40)


@settings(max_examples=30, deadline=None)
@given(edges, st.dictionaries(pages, pages, max_size=8), st.lists(pages, max_size=3))
def test_the_graph_is_that_of_its_twin(edges, aliases, extra):
    graph = build(edges, aliases, extra)
    nodes, links, _ = plain_build(edges, aliases, extra)
    assert graph.fingerprints.tolist() == sorted(nodes)
    found = links_of(graph)
    assert len(found) == graph.links == len(links)
    assert set(found) == links
    out = dict.fromkeys(nodes, 0)
    for source, _ in links:
        out[source] += 1
    assert graph.out_degrees.tolist() == [out[page] for page in sorted(nodes)]


@settings(max_examples=20, deadline=None)
@given(edges)
def test_types_are_those_of_the_model(edges):
    graph = build(edges)
    assert graph.fingerprints.dtype == np.uint64
    assert graph.starts.dtype == np.int64
    assert graph.sources.dtype == graph.out_degrees.dtype == np.uint32
    assert len(graph.starts) == graph.pages + 1
    assert graph.starts[-1] == graph.links


@given(
    st.sets(st.integers(0, 2**64 - 1) | st.integers(0, 30)),
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 30)),
)
def test_places_are_those_of_a_plain_search(names, values):
    ordered = sorted(names)
    found = FingerprintIndex(np.array(ordered, np.uint64)).places(np.array(values, np.uint64))
    assert found.tolist() == [bisect_left(ordered, value) for value in values]


def test_chains_and_circles_of_redirects():
    chain = {10: 11, 11: 12, 12: 13, 13: 1}
    circle = {20: 21, 21: 22, 22: 20, 29: 21}
    edges = [(5, 10, 0), (5, 12, 0), (6, 29, 0), (22, 6, 0), (30, 30, 0)]
    graph = build(edges, chain | circle | {30: 30})
    assert graph.fingerprints.tolist() == [1, 5, 6, 20, 30]
    assert sorted(links_of(graph)) == [(5, 1), (6, 20), (20, 6)]


def test_a_long_chain():
    aliases = {number: number + 1 for number in range(1, 1000)}
    graph = build([(HIGH, 1, 0), (HIGH, 999, 0)], aliases)
    assert links_of(graph) == [(HIGH, 1000)]


def test_unfetched_pages_are_nodes_and_nofollow_is_left_out():
    graph = build([(1, 2, 0), (1, 3, LinkFlag.NOFOLLOW), (4, 4, 0)])
    assert graph.fingerprints.tolist() == [1, 2, 4]
    assert links_of(graph) == [(1, 2)]


def test_nothing_is_a_graph_too():
    graph = build([])
    assert (graph.pages, graph.links, graph.starts.tolist()) == (0, 0, [0])
