"""The measures against their formulas written out in plain Python."""

from __future__ import annotations

import math
import random

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from gossamer.evaluate.judged_collection import Judgement
from gossamer.evaluate.measures import NAMES, Measurer, means, named, rounded
from gossamer.model import UsageError

DOCUMENTS = [f"d{i}" for i in range(15)]


def measures(judgements, rankings):
    """The means over all judged queries, as they are shown."""
    return rounded(means(Measurer(judgements).each(rankings)))


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


def judged_and_ranked(seed):
    """Random judgements and rankings of 30 queries."""
    chance = random.Random(seed)
    documents = [f"d{number}" for number in range(300)]
    judged, ranked = [], {}
    for query in map(str, range(30)):
        some = chance.sample(documents, chance.randint(1, 60))
        judged += [Judgement(query, document, chance.choice([-1, 0, 0, 1, 1, 2, 3])) for document in some]
        ranked[query] = chance.sample(documents, chance.randint(0, 200))
    return judged, ranked


@pytest.mark.parametrize("seed", range(3))
def test_every_value_is_that_of_trec_eval(seed):
    """By pytrec_eval itself, with scores that fall; a query that it leaves out found nothing."""
    judged, ranked = judged_and_ranked(seed)
    qrels, run = {}, {}
    for one in judged:
        qrels.setdefault(one.query, {})[one.document] = one.score
    for query, ranking in ranked.items():
        run[query] = {document: float(len(ranking) - place) for place, document in enumerate(ranking)}
    trec = dict(zip(NAMES, "ndcg_cut_10 map recip_rank P_1 P_10 recall_100".split(), strict=True))
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"ndcg_cut.10", "map", "recip_rank", "P.1,10", "recall.100"}
    )
    theirs = evaluator.evaluate(run)
    for query, ours in Measurer(judged).each(ranked).items():
        for name in NAMES:
            assert ours[name] == pytest.approx(theirs.get(query, {}).get(trec[name], 0.0), abs=1e-9)


def test_a_measurer_of_some_measures_can_be_used_again():
    measurer = Measurer([Judgement("1", "a", 1)], ["MAP"])
    assert measurer.each({"1": ["a"], "9": ["a"]}) == {"1": {"MAP": 1.0}}
    assert means(measurer.each({"1": ["b", "a"]})) == {"MAP": 0.5}
    assert measurer.each({}) == {"1": {"MAP": 0.0}}


def test_measures_are_named_as_people_type_them():
    assert [named(typed) for typed in ("ndcg@10", " MAP ", "r@100")] == ["nDCG@10", "MAP", "R@100"]
    with pytest.raises(UsageError, match="there is no measure 'ndcg@5'; choose from: nDCG@10, MAP"):
        named("ndcg@5")
