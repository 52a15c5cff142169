"""The measures against their formulas written out in plain Python."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.evaluate.collection import Judgement
from gossamer.evaluate.measures import NAMES, measures

DOCUMENTS = [f"d{i}" for i in range(15)]


def plain(scores, ranking):
    """One query's measures; `scores` are the judged ones by document."""
    gains = [scores.get(document, 0) for document in ranking]
    relevant = sum(score > 0 for score in scores.values())
    hits = [gain > 0 for gain in gains]
    precision = [sum(hits[: i + 1]) / (i + 1) for i in range(len(hits))]
    ideal = sum(gain / math.log2(i + 2) for i, gain in enumerate(sorted(scores.values(), reverse=True)[:10]))
    dcg = sum(gain / math.log2(i + 2) for i, gain in enumerate(gains[:10]))
    return {
        "nDCG@10": dcg / ideal if ideal else 0.0,
        "MAP": sum(p for p, hit in zip(precision, hits, strict=True) if hit) / relevant if relevant else 0.0,
        "MRR": next((1 / (i + 1) for i, hit in enumerate(hits) if hit), 0.0),
        "P@1": sum(hits[:1]) / 1,
        "P@10": sum(hits[:10]) / 10,
        "R@100": sum(hits[:100]) / relevant if relevant else 0.0,
    }


def test_a_worked_example():
    """Two queries: a b c with a, c relevant (c twice as much); and one that found nothing."""
    judged = [Judgement("1", "a", 1), Judgement("1", "b", 0), Judgement("1", "c", 2), Judgement("2", "a", 1)]
    found = measures(judged, {"1": ["a", "b", "c"], "2": []})
    assert list(found) == list(NAMES)
    assert found["MAP"] == pytest.approx((1 + 2 / 3) / 2 / 2, abs=1e-4)
    assert found["nDCG@10"] == pytest.approx((1 + 2 / 2) / (2 + 1 / math.log2(3)) / 2, abs=1e-4)
    assert found["MRR"] == found["P@1"] == found["R@100"] == 0.5
    assert found["P@10"] == 0.1


@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1).filter(
                lambda scores: any(scores.values())
            ),
            st.lists(st.sampled_from(DOCUMENTS), unique=True),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_measures_equal_their_formulas(queries):
    judged = [
        Judgement(str(number), document, score)
        for number, (scores, _) in enumerate(queries)
        for document, score in scores.items()
    ]
    found = measures(judged, {str(number): ranking for number, (_, ranking) in enumerate(queries)})
    each = [plain(scores, ranking) for scores, ranking in queries]
    for name in NAMES:
        assert found[name] == pytest.approx(sum(one[name] for one in each) / len(each), abs=1e-4)


def test_a_query_that_was_never_asked_counts_as_nothing_found():
    judged = [Judgement("1", "a", 1), Judgement("2", "b", 1)]
    assert measures(judged, {"1": ["a"]})["MAP"] == 0.5
