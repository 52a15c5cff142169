"""Base sets, HITS and SALSA: a dense eigen-solver, networkx, the walk itself, and the kernels' twins."""

from math import gcd

import networkx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from link_graphs import FULL, dense, top_projection, webs

from gossamer.graph.build import graph_of
from gossamer.graph.ranks.hits import GOLDEN, PATIENCE, base_set, hits, salsa
from gossamer.graph.transpose import outward
from gossamer.model import UsageError


def whole(graph):
    return base_set(graph, outward(graph), range(graph.pages))


def local_links(base):
    return {
        (int(base.nodes[i]), int(base.nodes[j]))
        for i in range(len(base.nodes))
        for j in base.out.targets[base.out.starts[i] : base.out.starts[i + 1]]
    }


def matrix_of(base):
    matrix = np.zeros((len(base.nodes), len(base.nodes)))
    for i in range(len(base.nodes)):
        matrix[i, base.out.targets[base.out.starts[i] : base.out.starts[i + 1]]] = 1
    return matrix


# The base set


def plain_choice(page, others, most, hosts):
    """The twin of the choice of neighbours: with even strides over the list."""
    step = max(1, int(len(others) * GOLDEN))
    while len(others) > most and gcd(step, len(others)) != 1:
        step += 1
    step = step if len(others) > most else 1
    visited = [others[i * step % len(others)] for i in range(min(len(others), most * PATIENCE))]
    return [other for other in visited if hosts is None or hosts[other] != hosts[page]][:most]


def plain_base_set(graph, roots, most_in, most_out, hosts):
    """The twin of the kernels: its pages in order, and the links among them."""
    out = outward(graph)
    nodes = list(dict.fromkeys(roots))
    for root in tuple(nodes):
        into = graph.sources[graph.starts[root] : graph.starts[root + 1]].tolist()
        away = out.targets[out.starts[root] : out.starts[root + 1]].tolist()
        near = plain_choice(root, into, most_in, hosts) + plain_choice(root, away, most_out, hosts)
        nodes += [page for page in dict.fromkeys(near) if page not in nodes]
    linked = {
        (int(source), target)
        for target in nodes
        for source in graph.sources[graph.starts[target] : graph.starts[target + 1]]
        if source in nodes and source != target and (hosts is None or hosts[source] != hosts[target])
    }
    return nodes, linked


limits = st.integers(0, 4)


@given(webs(most=30, links=120), st.data(), limits, limits, st.booleans())
def test_the_base_set_is_that_of_its_twin(web, data, most_in, most_out, by_host):
    graph = graph_of(*web)
    page = st.integers(0, graph.pages - 1)
    roots = data.draw(st.lists(page, max_size=6))
    numbers = st.lists(st.integers(0, 3), min_size=graph.pages, max_size=graph.pages)
    hosts = np.array(data.draw(numbers), np.uint32) if by_host else None
    base = base_set(graph, outward(graph), roots, most_in=most_in, most_out=most_out, hosts=hosts)
    nodes, links = plain_base_set(graph, roots, most_in, most_out, hosts)
    assert base.nodes.tolist() == nodes
    assert base.roots == len(set(roots))
    assert len(base.sources) == len(base.out.targets) == len(links)
    assert local_links(base) == links
    by_target = {
        (int(base.nodes[j]), int(base.nodes[i]))
        for i in range(len(nodes))
        for j in base.sources[base.starts[i] : base.starts[i + 1]]
    }
    assert by_target == links


def test_of_many_links_some_are_taken_from_everywhere():
    graph = graph_of([(page, 0) for page in range(1, 1001)])
    out = outward(graph)
    base = base_set(graph, out, [0], most_in=50)
    assert len(base.nodes) == 51
    assert np.array_equal(base.nodes, base_set(graph, out, [0], most_in=50).nodes)
    spread = np.histogram(base.nodes[1:], 10, (0, 1000))[0]
    assert spread.min() >= 4


def test_links_of_the_same_host_do_not_use_up_the_cap():
    """All but every hundredth page that link to page 0 are of its host."""
    graph = graph_of([(page, 0) for page in range(1, 1001)])
    hosts = np.zeros(1001, np.uint32)
    hosts[100::100] = 1
    base = base_set(graph, outward(graph), [0], most_in=80, hosts=hosts)
    assert sorted(base.nodes) == [0, *range(100, 1001, 100)]


def test_arrays_of_a_file_do_as_well(tmp_path):
    """Graphs on disk are mapped, and cannot be written to."""
    graph = graph_of(FULL)
    out = outward(graph)
    mapped = []
    for number, array in enumerate((graph.starts, graph.sources, graph.out_degrees, out.starts, out.targets)):
        np.save(tmp_path / f"{number}.npy", array)
        mapped.append(np.load(tmp_path / f"{number}.npy", mmap_mode="r"))
    on_disk = type(graph)(graph.fingerprints, *mapped[:3])
    hosts = np.array([0, 1, 2, 3], np.uint32)
    base = base_set(on_disk, type(out)(*mapped[3:]), [0], hosts=hosts)
    assert local_links(base) == set(FULL)
    assert outward(on_disk).targets.tolist() == out.targets.tolist()


def test_impossible_wishes_are_refused():
    graph = graph_of(FULL)
    out = outward(graph)
    with pytest.raises(UsageError, match="no node 4"):
        base_set(graph, out, [4])
    with pytest.raises(UsageError, match="must not be negative"):
        base_set(graph, out, [1], most_in=-1)
    with pytest.raises(UsageError, match="3 hosts for 4 pages"):
        base_set(graph, out, [1], hosts=np.zeros(3, np.uint32))


# HITS


@given(webs())
def test_hits_are_the_principal_eigenvectors(web):
    base = whole(graph_of(*web))
    matrix = matrix_of(base)
    assume(matrix.any())
    ones = np.ones(len(base.nodes))
    authorities, gap = top_projection(matrix.T @ matrix, matrix.T @ ones)
    assume(gap > 1e-2)
    hubs, _ = top_projection(matrix @ matrix.T, ones)
    found = hits(base, 1e-13, 20000)
    assert found.converged
    assert found.authorities == pytest.approx(authorities, abs=1e-8)
    assert found.hubs == pytest.approx(hubs, abs=1e-8)


def test_where_the_top_eigenvalue_repeats_the_start_is_projected():
    """Two disjoint links, and two disjoint stars of the same eigenvalue."""
    found = hits(whole(graph_of([(0, 1), (2, 3)])))
    assert found.authorities == pytest.approx([0, np.sqrt(0.5), 0, np.sqrt(0.5)])
    assert found.hubs == pytest.approx([np.sqrt(0.5), 0, np.sqrt(0.5), 0])
    stars = whole(graph_of([(0, 1), (0, 2), (3, 5), (4, 5)]))
    matrix = matrix_of(stars)
    authorities, _ = top_projection(matrix.T @ matrix, matrix.T @ np.ones(6))
    found = hits(stars, 1e-13)
    assert found.authorities == pytest.approx(authorities, abs=1e-9)
    assert found.authorities == pytest.approx(np.array([0, 1, 1, 0, 0, 2]) / np.sqrt(6), abs=1e-9)


@given(webs(least=3))
def test_hits_are_those_of_networkx(web):
    pairs, pages = web
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    graph = graph_of(pairs, pages)
    matrix = dense(graph)
    assume(matrix.any())
    values = np.linalg.eigvalsh(matrix.T @ matrix)
    assume(values[-2] < 0.98 * values[-1])  # networkx gives any one vector of a space
    other = networkx.DiGraph()
    other.add_nodes_from(range(pages))
    other.add_edges_from(pairs)
    hubs, authorities = networkx.hits(other, tol=1e-12)
    found = hits(whole(graph), 1e-13, 20000)
    assert found.authorities / found.authorities.sum() == pytest.approx(
        [authorities[page] for page in range(pages)], abs=1e-7
    )
    assert found.hubs / found.hubs.sum() == pytest.approx([hubs[page] for page in range(pages)], abs=1e-7)


@given(webs(), st.integers(1, 4), st.lists(st.sampled_from([0.1, 0.5, 1.0]), min_size=12, max_size=12))
def test_the_kernel_steps_like_its_twin(web, steps, numbers):
    base = whole(graph_of(*web))
    matrix = matrix_of(base)
    assume(matrix.any())
    weights = np.array(numbers[: len(base.nodes)])
    hubs, authorities = np.ones(len(base.nodes)), np.zeros(len(base.nodes))
    for _ in range(steps):
        before, authorities = authorities, matrix.T @ (weights * hubs)
        authorities /= np.linalg.norm(authorities)
        hubs = matrix @ (weights * authorities)
        hubs /= np.linalg.norm(hubs)
    found = hits(base, -1.0, steps, relevance=weights)
    assert found.authorities == pytest.approx(authorities)
    assert found.hubs == pytest.approx(hubs)
    assert found.residual == pytest.approx(np.linalg.norm(authorities - before), abs=1e-12)
    assert (found.steps, found.converged) == (steps, False)
    assert "more steps" in found.diagnosis


def test_relevance_keeps_to_the_topic():
    """A tight community that links to the topic wins without relevance, and loses with it."""
    tight = [(hub, page) for hub in range(4) for page in range(4, 8)]
    base = whole(graph_of([*tight, (0, 8), (9, 8), (9, 10), (11, 8)]))
    relevance = np.where(np.arange(12) >= 8, 1.0, 0.1)
    assert np.argmax(hits(base).authorities) in range(4, 8)
    found = hits(base, relevance=relevance)
    assert (np.argmax(found.authorities), np.argmax(found.hubs)) == (8, 9)
    huge = hits(base, relevance=1e200 * relevance)
    assert huge.authorities == pytest.approx(found.authorities)


def test_where_nothing_is_relevant_nothing_has_a_score():
    found = hits(whole(graph_of(FULL)), relevance=np.zeros(4))
    assert found.converged
    assert not found.authorities.any()
    assert not found.hubs.any()
    for wrong, why in ((np.ones(3), "3 values for 4"), (np.full(4, np.nan), "not negative")):
        with pytest.raises(UsageError, match=why):
            hits(whole(graph_of(FULL)), relevance=wrong)


# SALSA


def plain_walk(matrix):
    """The twin of SALSA's closed form: the walk itself, from all authorities alike."""
    rows = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    columns = matrix / np.maximum(matrix.sum(axis=0, keepdims=True), 1)
    step = columns.T @ rows  # back to a hub, then forward
    place = (matrix.sum(axis=0) > 0).astype(float)
    place /= max(place.sum(), 1)
    return place @ np.linalg.matrix_power(step, 4096)


@given(webs(most=8, links=16))
def test_salsa_is_where_the_walk_comes_to_rest(web):
    base = whole(graph_of(*web))
    matrix = matrix_of(base)
    found = salsa(base)
    assert found.authorities == pytest.approx(plain_walk(matrix), abs=1e-9)
    assert found.hubs == pytest.approx(plain_walk(matrix.T), abs=1e-9)


def test_a_tight_community_takes_all_of_hits_but_not_of_salsa():
    tight = [(hub, page) for hub in range(3) for page in range(3, 6)]
    loose = [(6 + i, 11 + j) for i in range(5) for j in (i, (i + 1) % 5)]
    base = whole(graph_of(tight + loose))
    assert hits(base).authorities[11:].sum() < 1e-6
    assert salsa(base).authorities[11:].sum() == pytest.approx(5 / 8)


@pytest.mark.parametrize("rank", [hits, salsa])
def test_pages_without_links_have_no_scores(rank):
    for base in (whole(graph_of([], 3)), whole(graph_of([])), whole(graph_of([(0, 0)]))):
        found = rank(base)
        assert found.converged
        assert not found.authorities.any()
        assert not found.hubs.any()
        assert len(found.hubs) == len(found.authorities) == len(found.nodes)
