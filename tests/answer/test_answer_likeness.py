"""Vectors of results: the kernel, arrays and the formula agree."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_clusters import plain_grouped, plain_likenesses, weighed

from gossamer.answer.clusters.agglomerative import ALONE, IDF_ONE, ONE, TITLE, compare, shared
from gossamer.answer.clusters.cluster import grouped

WORDS = st.lists(st.integers(0, 12), max_size=8)
RESULTS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8)  # title and text of each


def laid_out(results):
    """Names of words and where titles and texts begin."""
    texts = [words for result in results for words in result]
    starts = np.cumsum([0, *map(len, texts)])
    return np.array([name * 1_000 for words in texts for name in words], np.int64), starts


@given(RESULTS)
def test_terms_that_several_results_hold(results):
    names, starts = laid_out(results)
    found = shared(names, starts)
    held = Counter(name for title, text in results for name in {*title, *text})
    several = [name for name in dict.fromkeys((names // 1_000).tolist()) if held[name] > 1]
    assert (found.names // 1_000).tolist() == several
    assert found.results.tolist() == [held[name] for name in several]
    numbers = {name: number for number, name in enumerate(several)}
    assert found.terms.tolist() == [numbers.get(name, ALONE) for name in (names // 1_000).tolist()]
    assert found.size == len(results)


def vectors(results, found, weights):
    """The formula, in floats."""
    weight = dict(zip((found.names // 1_000).tolist(), (weights / IDF_ONE).tolist(), strict=True))
    for title, text in results:
        counts = Counter(text)
        for name in title:
            counts[name] += TITLE
        yield {name: (1 + math.log(tf)) * weight.get(name, 0) for name, tf in counts.items()}


@given(RESULTS, st.lists(st.sampled_from([0.0, 0.3, 1.7, 6.0]), min_size=13, max_size=13))
def test_cosines_are_those_of_the_formula(results, idf):
    found = shared(*laid_out(results))
    weights = np.rint(np.array(idf)[found.names // 1_000] * IDF_ONE).astype(np.int64)
    between = compare(found, weights)
    own = list(vectors(results, found, weights))
    norms = [math.sqrt(sum(x * x for x in vector.values())) for vector in own]
    for i, a in enumerate(own):
        for j, b in enumerate(own):
            dot = sum(x * b.get(name, 0) for name, x in a.items())
            expected = dot / (norms[i] * norms[j]) if norms[i] and norms[j] else 0
            assert between[i, j] / ONE == pytest.approx(expected, abs=0.01)
            assert between[i, j] == between[j, i]
            assert 0 <= between[i, j] <= ONE


@given(RESULTS, st.lists(st.integers(0, 9_000), min_size=13, max_size=13))
def test_arrays_and_kernel_agree_to_the_last_bit(results, idf):
    found = shared(*laid_out(results))
    weights = np.array(idf)[found.names // 1_000]
    assert np.array_equal(compare(found, weights), plain_likenesses(found, weights))


def test_what_most_results_hold_weighs_nothing():
    results = [([], [1, 2]), ([], [1, 2]), ([], [1, 3]), ([], [3])]
    found = shared(*laid_out(results))
    assert weighed(found, np.array([2.0, 2.0, 0.0])).tolist() == [0, 2 * IDF_ONE, 0]
    rarity, nothing = np.array([2.0, 2.0, 0.0]), np.empty(0, np.int64)
    assert grouped(found, rarity, nothing, "average") == plain_grouped(found, rarity, nothing, "average")
    assert grouped(found, rarity, nothing, "average")[0] == [(0, 1)]


@given(RESULTS, st.lists(st.integers(0, 12), max_size=4))
def test_what_was_asked_for_weighs_nothing(results, asked):
    """Wherever it stands among the terms, and whether or not it is one of them."""
    found = shared(*laid_out(results))
    names = np.array(asked, np.int64) * 1_000
    rare = np.full(len(found.names), 3.0)
    muted = np.where(np.isin(found.names, names), 0.0, rare)
    nothing = np.empty(0, np.int64)
    assert grouped(found, rare, names, "average")[0] == grouped(found, muted, nothing, "average")[0]
