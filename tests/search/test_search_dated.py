"""Moments as whole numbers in the same order, and the newest of some documents."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.search.match.filters import in_order, moments
from gossamer.search.searcher import newest_first

MOMENTS = st.floats(allow_nan=False)
ROWS = st.lists(
    st.tuples(st.floats() | st.integers(-3, 3).map(float), MOMENTS | st.integers(0, 3).map(float))
)


def columns(rows):
    published, fetched = zip(*rows, strict=True) if rows else ((), ())
    return SimpleNamespace(
        published=np.array(published, float),
        fetched_at=np.array(fetched, float),
        fingerprints=np.arange(len(rows), 0, -1, dtype=np.uint64),
    )


@given(MOMENTS, MOMENTS)
def test_numbers_are_ordered_as_moments_are(one, other):
    first, second = in_order(np.array([one, other])).tolist()
    assert (first < second, first == second) == (one < other, one == other)


@given(ROWS, st.integers(0, 8))
def test_the_newest_come_first_and_ties_go_by_fingerprint(rows, k):
    known = columns(rows)
    docs = np.arange(0, len(rows), 2)
    found = newest_first(known, docs, k)[2].tolist()
    when = [fetched if math.isnan(published) else published for published, fetched in rows]
    expected = sorted(docs.tolist(), key=lambda doc: (-when[doc], known.fingerprints[doc]))
    assert found == expected[:k]


def test_what_does_not_say_when_it_was_published_counts_from_when_it_was_fetched():
    assert moments(columns([(float("nan"), 7.0), (3.0, 9.0)])).tolist() == [7.0, 3.0]
