"""Graphs built out of core, with little memory and with much, against a plain-Python twin."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_graphs import (
    domain_of,
    links_of,
    plain_build,
    plain_sites,
    source_of,
    without_waiting_for_the_disk,
    write_generation,
)

from gossamer.graph.build import build_graphs
from gossamer.graph.external_sort import ExternalSort
from gossamer.graph.generation import new_generation, open_generation, verify
from gossamer.model import GossamerError

HIGH = 2**64 - 3
HOSTS = ("a.org", "b.a.org", "a.org:8080", "shop.co.uk", "www.shop.co.uk", "10.0.0.1", "[::1]:81", "news:")

pages = st.sampled_from([*range(10), HIGH, HIGH + 1])
edges = st.lists(st.tuples(pages, pages, st.sampled_from([0, 0, 0, 0, 1, 1, 2, 4, 5, 8])), max_size=60)
aliases = st.dictionaries(pages, pages, max_size=8)
hosts = st.dictionaries(pages, st.sampled_from(HOSTS))
unhurried = pytest.fixture(scope="module", autouse=True)(without_waiting_for_the_disk)
memories = st.sampled_from([1, 100, 400, 1000, 1 << 20])


@settings(max_examples=100, deadline=None)
@given(edges, aliases, st.lists(pages, max_size=3), hosts, memories, st.integers(1, 9))
def test_the_graphs_are_those_of_their_twins(tmp_path_factory, edges, aliases, extra, hosts, memory, piece):
    folder = tmp_path_factory.mktemp("graph")
    source = source_of(edges, aliases, extra, hosts, piece)
    generation = write_generation(folder, source, memory=memory)
    assert verify(folder) == []
    nodes, links, unvouched = plain_build(edges, aliases, extra)
    check_pages(generation, nodes, links, hosts)
    check_sites(generation.sites("hosts"), nodes, links, {n: h for n, h in hosts.items() if n in nodes})
    check_sites(generation.sites("domains"), nodes, links, domain_of(hosts))
    other, outward = generation.unvouched()
    assert other.fingerprints.tolist() == sorted({page for link in unvouched for page in link})
    assert sorted(links_of(other)) == sorted((a, b) for a, b in unvouched if a != b)
    check_outward(other, outward)


def check_pages(generation, nodes, links, hosts):
    graph = generation.graph()
    assert sorted(graph.fingerprints.tolist()) == sorted(nodes) == generation.nodes.known.tolist()
    assert graph.fingerprints.dtype == np.uint64
    assert graph.starts.dtype == np.int64
    assert graph.sources.dtype == graph.out_degrees.dtype == np.uint32
    found = links_of(graph)
    assert len(found) == len(set(found)) == graph.links
    assert set(found) == links
    check_outward(graph, generation.outward())
    own = generation.nodes.find(graph.fingerprints)
    assert own.tolist() == list(range(len(nodes)))
    assert generation.nodes.find(np.array([77], np.uint64)).tolist() == [-1]
    order = [hosts.get(page) for page in graph.fingerprints.tolist()]
    known = [host for host in order if host is not None]
    assert order == known + [None] * (len(order) - len(known))
    for names in (known, [domain_of({0: host})[0] for host in known]):
        changes = [name for at, name in enumerate(names) if not at or name != names[at - 1]]
        assert len(changes) == len(set(changes))


def check_outward(graph, outward):
    """The same links as by target, rising."""
    assert outward.starts.dtype == np.int64
    assert outward.targets.dtype == np.uint32
    assert np.diff(outward.starts).tolist() == graph.out_degrees.tolist()
    by_source = sorted(
        (int(source), target)
        for target in range(graph.pages)
        for source in graph.sources[graph.starts[target] : graph.starts[target + 1]]
    )
    sources = np.repeat(np.arange(graph.pages), np.diff(outward.starts)).tolist()
    assert list(zip(sources, outward.targets.tolist(), strict=True)) == by_source


def check_sites(sites, nodes, links, site_of):
    names = [sites.names[number] for number in range(len(sites))]
    assert dict(zip(names, sites.pages.tolist(), strict=True)) == Counter(
        site_of[page] for page in nodes if page in site_of
    )
    assert [sites.names.number(name) for name in names] == list(range(len(names)))
    expected = plain_sites(links, site_of)
    weights = sites.weights.tolist()
    assert dict(zip(links_of(sites, names), weights, strict=True)) == expected
    targets = [names[target] for target in sites.out_targets]
    sources = np.repeat(names, np.diff(sites.out_starts)).tolist() if names else []
    assert dict(zip(zip(sources, targets, strict=True), sites.out_weights.tolist(), strict=True)) == expected
    plain = sites.as_links()
    assert plain.links == len(expected)
    check_outward(plain, sites.outward)


def test_pages_of_a_host_stand_in_the_order_in_which_they_were_met(tmp_path):
    hosts = {9: "a.org", 3: "b.org", 1: "a.org", 5: "a.org"}
    generation = write_generation(tmp_path, source_of([(5, 3, 0), (3, 9, 0), (9, 1, 0)], hosts=hosts))
    assert generation.fingerprints.tolist() == [9, 1, 5, 3]
    assert generation.sites("hosts").site_of(np.arange(4)).tolist() == [0, 0, 0, 1]


def test_sites_know_their_members(tmp_path):
    hosts = {1: "www.shop.co.uk", 2: "shop.co.uk", 3: "a.org", 4: "b.a.org"}
    generation = write_generation(tmp_path, source_of([(1, 2, 0), (3, 4, 0), (4, 9, 0)], hosts=hosts))
    domains, own = generation.sites("domains"), generation.sites("hosts")
    assert [domains.names[n] for n in range(2)] == ["a.org", "shop.co.uk"]
    assert domains.firsts.tolist() == [0, 2, 4]
    assert own.site_of(generation.nodes.find(np.array([3, 4, 2, 1, 9], np.uint64))).tolist() == [
        0,
        1,
        2,
        3,
        -1,
    ]
    assert domains.site_of(np.arange(4)).tolist() == [0, 0, 1, 1]


def test_addresses_that_stand_for_a_page_and_places_in_the_log_are_kept(tmp_path):
    edges = [(1, 2, 0), (7, 3, 0), (8, 1, 0)]
    generation = write_generation(tmp_path, source_of(edges, {7: 1, 6: 99}))
    assert generation.array("alias-fingerprints").tolist() == [6, 7]
    nodes = generation.array("alias-nodes").tolist()
    assert nodes[0] == 0xFFFFFFFF
    assert generation.fingerprints[nodes[1]] == 1
    rows = zip(
        generation.array("record-nodes").tolist(), generation.array("record-places").tolist(), strict=True
    )
    assert sorted((int(generation.fingerprints[node]), place) for node, place in rows) == [
        (1, 0),
        (1, 1),
        (8, 2),
    ]


@settings(max_examples=60)
@given(
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 300) | st.just(7), max_size=300),
    st.integers(0, 4000),
    st.sampled_from([64, 70]),
)
def test_a_spill_sorts_whatever_comes(tmp_path_factory, numbers, memory, bits):
    folder = tmp_path_factory.mktemp("spill")
    spill = ExternalSort(folder, "numbers", bits, memory)
    for begin in range(0, len(numbers), 17):
        spill.add(np.array(numbers[begin : begin + 17], np.uint64))
    found = [number for piece in spill.rising() for number in piece.tolist()]
    assert found == sorted(set(numbers))
    assert list(folder.iterdir()) == []


def test_a_page_that_all_link_to_is_spread_further(tmp_path):
    """All links have one target: only the lowest bits tell them apart."""
    spill = ExternalSort(tmp_path, "links", 64, 3000)
    target = np.uint64(5) << np.uint64(32)
    for begin in range(0, 4_000, 500):
        spill.add(target | np.arange(begin, begin + 500, dtype=np.uint64)[::-1])
    assert len(list(tmp_path.iterdir())) == 1
    pieces = list(spill.rising())
    assert len(pieces) > 20
    assert np.concatenate(pieces).tolist() == list(range(int(target), int(target) + 4_000))


def test_progress_is_told_and_nothing_temporary_is_left(tmp_path):
    edges = [(page, (page * 7) % 50, 0) for page in range(50) for _ in range(1)]
    told = []
    with new_generation(tmp_path) as new:
        build_graphs(new, source_of(edges), 2000, told.append)
        new.finish()
    said = [what for what, _, _ in told]
    assert [what for at, what in enumerate(said) if not at or said[at - 1] != what] == [
        "reading links",
        "numbering pages",
        "reading links",
        "sorting links by target",
        "sorting links by source",
        "sorting links by target",
        "sorting links by source",
    ]
    assert [done for what, done, _ in told if what == "reading links"][-1] == 100
    assert {path.suffix for path in (tmp_path / "gen-000001").iterdir()} == {".arrays"}


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    write_generation(tmp_path, source_of([(1, 2, 0)]))

    def full(_self, _bucket):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ExternalSort, "_path", full)
    edges = [(page, page + 1, 0) for page in range(500)]
    with pytest.raises(GossamerError, match=r"gen-000002: No space left on device; make room"):
        write_generation(tmp_path, source_of(edges), memory=1000)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["MANIFEST", "gen-000001"]
    assert open_generation(tmp_path).fingerprints.tolist() == [1, 2]
