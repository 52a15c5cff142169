"""Pages that are named together, against counting by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.graph.build import graph_of
from gossamer.graph.ranks import cocitation
from gossamer.graph.ranks.cocitation import cocited
from gossamer.graph.transpose import outward
from gossamer.model import UsageError

PAGES = 12
links = st.lists(st.tuples(st.integers(0, PAGES - 1), st.integers(0, PAGES - 1)), max_size=60)


def by_hand(pairs, page):
    citers = {node: {source for source, target in pairs if target == node} for node in range(PAGES)}
    common = {node: len(citers[node] & citers[page]) for node in range(PAGES) if node != page}
    least = 2 if max(common.values()) > 1 else 1
    return {
        node: both / math.sqrt(len(citers[node]) * len(citers[page]))
        for node, both in common.items()
        if both >= least
    }


@given(links, st.integers(0, PAGES - 1))
def test_the_cosine_of_those_that_link_to_both(pairs, page):
    web = graph_of(sorted(set(pairs)), pages=PAGES)
    found = cocited(web, outward(web), page)
    expected = by_hand(set(pairs), page)
    assert dict(zip(found.nodes.tolist(), found.likeness.tolist(), strict=True)) == pytest.approx(expected)
    assert (np.diff(found.likeness) <= 0).all()


def test_pages_that_name_everything_are_not_asked(monkeypatch):
    monkeypatch.setattr(cocitation, "MOST_NAMED", 3)
    web = graph_of([(0, 5), (0, 6), (1, 5), (1, 7), (1, 8), (1, 9)])
    assert cocited(web, outward(web), 5).nodes.tolist() == [6]


def test_of_many_some_are_asked_the_same_each_time(monkeypatch):
    monkeypatch.setattr(cocitation, "MOST_CITERS", 4)
    web = graph_of([(source, target) for source in range(10) for target in (10, 11)])
    found = cocited(web, outward(web), 10)
    assert found.nodes.tolist() == [11]
    assert 0 < found.likeness[0] <= 1
    assert cocited(web, outward(web), 10, most=0).nodes.tolist() == []


def test_a_page_that_is_none():
    web = graph_of([(0, 1)])
    with pytest.raises(UsageError, match="no node 7"):
        cocited(web, outward(web), 7)
