"""Focus: by hand, as its twin, and what it makes of authorities that everybody names."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_graphs import webs

from gossamer.graph.build import graph_of
from gossamer.graph.ranks.hits import OTHERS, base_set, count_strangers, focus, hits
from gossamer.graph.transpose import outward
from gossamer.model import UsageError


def plain_strangers(graph, hosts, node, most):
    """The twin of the kernel."""
    own = graph.sources[graph.starts[node] : graph.starts[node + 1]].tolist()
    step = max(-(-len(own) // most), 1)
    looked_at = own[::step]
    strangers = [one for one in looked_at if hosts[one] != hosts[node]]
    return len(strangers) * len(own) / max(len(looked_at), 1)


def plain_focus(graph, base, relevance, hosts):
    nodes = base.nodes.tolist()
    found = []
    for node in nodes:
        own = graph.sources[graph.starts[node] : graph.starts[node + 1]].tolist()
        if hosts is not None:
            own = [one for one in own if hosts[one] != hosts[node]]
        votes = sum(relevance[nodes.index(one)] for one in own if one in nodes and one != node)
        found.append(votes / (len(own) + OTHERS))
    return found


@given(webs(most=12, links=60), st.data(), st.booleans())
def test_it_is_the_share_of_relevant_pages_among_all_who_link(web, data, by_host):
    graph = graph_of(*web)
    page = st.integers(0, graph.pages - 1)
    roots = data.draw(st.lists(page, min_size=1, max_size=4))
    numbers = data.draw(st.lists(st.integers(0, 2), min_size=graph.pages, max_size=graph.pages))
    hosts = np.array(numbers, np.uint32) if by_host else None
    base = base_set(graph, outward(graph), roots, hosts=hosts)
    weights = st.lists(st.sampled_from([0.0, 0.01, 1.0]), min_size=len(base.nodes), max_size=len(base.nodes))
    relevance = np.array(data.draw(weights))
    assert focus(graph, base, relevance, hosts) == pytest.approx(plain_focus(graph, base, relevance, hosts))


@given(webs(most=20, links=120), st.data(), st.integers(1, 6))
def test_the_kernel_counts_like_its_twin(web, data, most):
    graph = graph_of(*web)
    numbers = data.draw(st.lists(st.integers(0, 3), min_size=graph.pages, max_size=graph.pages))
    hosts, nodes = np.array(numbers, np.uint32), np.arange(graph.pages, dtype=np.uint32)
    found = count_strangers(graph, hosts, nodes, most)
    assert found.tolist() == [plain_strangers(graph, hosts, node, most) for node in range(graph.pages)]


def test_what_everybody_names_falls_behind():
    """Three lists on the topic name pages 3, 4 and 5; forty pages on other things name 5 as well."""
    named = [(hub, page) for hub in range(3) for page in (3, 4, 5)]
    graph = graph_of([*named, (0, 5), *((page, 5) for page in range(6, 46))])
    base = base_set(graph, outward(graph), [0, 1, 2])
    relevance = np.where(base.nodes < 3, 1.0, 0.01)
    authorities = hits(base, relevance=relevance).authorities
    assert authorities[3] == pytest.approx(authorities[5])
    focused = authorities * focus(graph, base, relevance)
    assert focused[3] == focused[4] > 3 * focused[5]


def test_impossible_wishes_are_refused():
    graph = graph_of([(0, 1)])
    with pytest.raises(UsageError, match="3 values for 2 pages"):
        focus(graph, base_set(graph, outward(graph), [0, 1]), np.ones(3))
