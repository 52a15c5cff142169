"""Vectors of results: compiled code, arrays and the formula agree."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.clusters import agglomerative as likeness
from gossamer.answer.clusters.agglomerative import ALONE, IDF_ONE, ONE, TITLE, likenesses, shared, weighed

WORDS = st.lists(st.integers(0, 12), max_size=8)
RESULTS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8)  # title and text of each


def laid_out(results):
    """Names of words and where titles and texts begin."""
    texts = [words for result in results for words in result]
    starts = np.cumsum([0, *map(len, texts)])
    return np.array([name * 1_000 for words in texts for name in words], np.int64), starts


@pytest.fixture(params=[False, True], ids=["arrays", "kernel"])
def compiled(request, monkeypatch):
    monkeypatch.setattr(likeness, "kernels_are_loaded", lambda: request.param)


@pytest.mark.usefixtures("compiled")
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
    assert len(found) == len(results)


def vectors(results, found, weights):
    """The formula, in floats."""
    weight = dict(zip((found.names // 1_000).tolist(), (weights / IDF_ONE).tolist(), strict=True))
    for title, text in results:
        counts = Counter(text)
        for name in title:
            counts[name] += TITLE
        yield {name: (1 + math.log(tf)) * weight.get(name, 0) for name, tf in counts.items()}


@pytest.mark.usefixtures("compiled")
@given(RESULTS, st.lists(st.sampled_from([0.0, 0.3, 1.7, 6.0]), min_size=13, max_size=13))
def test_cosines_are_those_of_the_formula(results, idf):
    found = shared(*laid_out(results))
    weights = np.rint(np.array(idf)[found.names // 1_000] * IDF_ONE).astype(np.int64)
    between = likenesses(found, weights)
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
    tables = []
    for compiled in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(likeness, "kernels_are_loaded", lambda: compiled)  # noqa: B023
            found = shared(*laid_out(results))
            tables.append(likenesses(found, np.array(idf)[found.names // 1_000]))
    assert np.array_equal(*tables)


@given(st.lists(st.integers(0, 9)), st.lists(st.integers(0, 9)))
def test_which_are_among_some(names, some):
    found = likeness.are_among(np.array(names, np.int64), np.array(some, np.int64))
    assert found.tolist() == [name in some for name in names]


def test_what_most_results_hold_weighs_nothing():
    found = shared(*laid_out([([], [1, 2]), ([], [1, 2]), ([], [1, 3]), ([], [3])]))
    assert weighed(found, np.array([2.0, 2.0, 0.0])).tolist() == [0, 2 * IDF_ONE, 0]
