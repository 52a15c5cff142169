"""Groups are the same, made by one kernel or step by step in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_clusters import plain_grouped

from gossamer.answer.clusters.agglomerative import LINKAGES, shared
from gossamer.answer.clusters.cluster import LEAST_SHARE, MOST, grouped, least_of

WORDS = st.lists(st.integers(0, 30), max_size=12)
RESULTS = st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=40)
RARITY = st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.25, 7.125]), min_size=31, max_size=31)


def laid_out(results):
    texts = [words for result in results for words in result]
    names = np.array([word for words in texts for word in words], np.int64)
    return shared(names, np.cumsum([0, *map(len, texts)]))


@pytest.mark.parametrize("linkage", sorted(LINKAGES))
@given(results=RESULTS, rarity=RARITY, asked=st.lists(st.integers(0, 30), max_size=3))
def test_one_call_and_many_steps_find_the_same(linkage, results, rarity, asked):
    words = laid_out(results)
    own, names = np.array(rarity)[words.names], np.array(asked, np.int64)
    large, best = grouped(words, own, names, linkage)
    expected, phrases = plain_grouped(words, own, names, linkage)
    assert large == expected
    assert best == phrases


def test_groups_are_few_and_large():
    results = [([], [subject]) for subject in range(12) for _ in range(2 + (subject < 3))]
    words = laid_out(results)
    large, best = grouped(words, np.ones(12), np.empty(0, np.int64), "average")
    assert [len(group) for group in large] == [3, 3, 3, *[2] * (MOST - 3)]
    assert large[0] == (0, 1, 2)
    assert [[one.first for one in own] for own in best] == [[group[0]] for group in large]


def test_a_group_holds_two_at_least():
    assert least_of(10) == 2
    assert least_of(100) == LEAST_SHARE * 100
