"""Groups are joined in the order of the book."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_clusters import groups, merged
from plain_clusters import plain_merged as twin
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

from gossamer.answer.clusters.agglomerative import LINKAGES, ONE


def symmetric(values, n):
    table = np.zeros((n, n), np.int64)
    table[np.triu_indices(n, 1)] = values
    return table + table.T


@st.composite
def tables(draw, highest=ONE):
    n = draw(st.integers(1, 9))
    size = n * (n - 1) // 2
    return symmetric(draw(st.lists(st.integers(0, highest), min_size=size, max_size=size)), n)


@pytest.mark.parametrize("linkage", LINKAGES)
@given(tables(), st.sampled_from([0.0, 0.2, 0.5]))
def test_it_is_that_of_the_twin(linkage, table, least):
    assert merged(table, linkage, least) == twin(table, linkage, least)


@pytest.mark.parametrize("linkage", LINKAGES)
@given(tables(highest=3))
def test_ties_go_to_the_better_results(linkage, table):
    assert merged(table, linkage, 0.0) == twin(table, linkage, 0.0)


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("n", [2, 10, 64])
def test_it_is_that_of_scipy(linkage, n):
    """Without ties there is one dendrogram: the same heights, and what is joined has the same members."""
    table = symmetric(np.random.default_rng(n).permutation(ONE)[: n * (n - 1) // 2], n)
    theirs = scipy_linkage(squareform(1 - table / ONE, checks=False), linkage)
    members = {place: {place} for place in range(n)}
    for step, (a, b, _, _) in enumerate(theirs.tolist()):
        members[n + step] = members[int(a)] | members[int(b)]
    ours = {place: {place} for place in range(n)}
    for step, (kept, taken) in enumerate(merged(table, linkage, 0.0)):
        between = table[np.ix_(sorted(ours[kept]), sorted(ours[taken]))] / ONE
        likeness = between.max() if linkage == "single" else between.mean()
        assert likeness == pytest.approx(1 - theirs[step, 2])
        ours[kept] = ours[kept] | ours[taken]
        assert ours[kept] == members[n + step]


@given(tables(), st.integers(0, ONE))
def test_single_linkage_finds_the_components_of_what_is_alike(table, least):
    reached = table >= least
    for _ in range(len(table)):
        reached = reached | (reached @ reached)
    components = {
        tuple(np.flatnonzero(row | (np.arange(len(row)) == n)).tolist()) for n, row in enumerate(reached)
    }
    found = groups(merged(table, "single", least / ONE))
    assert set(found) == {one for one in components if len(one) > 1}


@pytest.mark.parametrize("linkage", LINKAGES)
@given(tables(), st.floats(0, 1))
def test_groups_are_apart_and_sorted(linkage, table, least):
    found = groups(merged(table, linkage, least))
    members = [place for group in found for place in group]
    assert len(set(members)) == len(members)
    assert all(len(group) > 1 and sorted(group) == list(group) for group in found)
    assert found == sorted(found, key=lambda group: (-len(group), group))


@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_join(n):
    assert merged(np.zeros((n, n), np.int64), "average", 0.1) == []


def test_a_chain_is_one_group_by_single_linkage_only():
    """Each is like the next one alone: 0-1-2-3."""
    table = symmetric([9, 0, 0, 9, 0, 9], 4) * ONE // 10
    assert groups(merged(table, "single", 0.5)) == [(0, 1, 2, 3)]
    assert groups(merged(table, "average", 0.5)) == [(0, 1), (2, 3)]


def test_groups_come_with_the_largest_first():
    assert groups([(1, 3), (0, 4), (1, 2)]) == [(1, 2, 3), (0, 4)]


def test_the_average_is_that_over_all_pairs():
    table = symmetric([9, 2, 5], 3) * ONE // 10
    assert merged(table, "average", 0.34) == [(0, 1), (0, 2)]
    assert merged(table, "average", 0.36) == [(0, 1)]
