"""Links that stand on all pages of a host count less, against counting by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.graph.build import graph_of
from gossamer.graph.pagerank import pagerank
from gossamer.graph.ranks import editorial
from gossamer.graph.ranks.editorial import editorial_rank, host_weights
from gossamer.model import UsageError

PAGES = 15
links = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), max_size=80)
hosts = st.lists(st.integers(0, 3), min_size=PAGES, max_size=PAGES)


@given(links, hosts)
def test_weights_by_hand(pairs, owners):
    web = graph_of(sorted(set(pairs)), pages=PAGES)
    counts = Counter((owners[source], target) for source, target in set(pairs))
    targets = np.repeat(np.arange(PAGES), np.diff(web.starts)).tolist()
    expected = [
        min(1.0, editorial.FULL_VOTES / counts[owners[source], target]) ** 2
        for source, target in zip(web.sources.tolist(), targets, strict=True)
    ]
    assert host_weights(web, np.array(owners, np.uint32)).tolist() == pytest.approx(expected)


@given(links)
def test_with_a_host_for_each_page_it_is_pagerank(pairs):
    web = graph_of(sorted(set(pairs)), pages=PAGES)
    own = editorial_rank(web, np.arange(PAGES, dtype=np.uint32))
    assert own.values == pytest.approx(pagerank(web).values, abs=1e-7)


def test_a_contents_page_falls_behind_what_others_name():
    menus = [(page, 0) for page in range(1, 200)] + [(0, page) for page in range(1, 200)]
    following = [(page, page + 1) for page in range(1, 199)]
    web = graph_of([*menus, *following, (200, 5), (201, 5)])
    hosts = np.array([0] * 200 + [1, 2], np.uint32)
    plain, own = pagerank(web).values, editorial_rank(web, hosts).values
    assert plain[0] / plain[5] > 10
    assert own[0] / own[5] < plain[0] / plain[5] / 2


def test_hosts_for_every_page():
    with pytest.raises(UsageError, match="there are 1 hosts for 2 pages"):
        host_weights(graph_of([(0, 1)]), np.zeros(1, np.uint32))
