"""The weighting schemes give the numbers that their formulas and the literature's worked examples give."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from segments import counted, rows, task_of

from gossamer.index.bm25f import idf
from gossamer.search.link_rank import NEUTRAL
from gossamer.search.retrieve.choose import ALGORITHMS, EXACT
from gossamer.search.retrieve.conjunction import conjunction
from gossamer.search.retrieve.top_k import as_weights
from gossamer.search.weighting import SCHEMES, DocumentLengths

PROVERBS = [
    "cine împarte parte își face",
    "cine se scoală de dimineață departe ajunge",
    "așchia nu sare departe de trunchi",
    "omul face haina și nu haina pe om",
    "cămașa e mai aproape de piele decât haina",
]
JAGUARS = [
    "jaguar new world mammal felidae family",
    "jaguar design four new engine",
    "jaguar atari keen 68k family device",
    "jacksonville jaguar professional us football team",
    "mac os x jaguar available price us $199 apple new family pack",
    "one such rule family incorporate jaguar their name jaguar paw",
    "big cat",
]


def scores(name, texts, query, algorithm, pivot=10.0):
    """The score of each text that holds one of the words, as the formula gives it, by its number."""
    scheme = SCHEMES[name]
    postings, words, lengths = counted(texts)
    frequencies = [sum(word in text.split() for text in texts) for word in query.split()]
    terms = [words.index(word) for word in query.split()]
    weights = scheme.weights(len(texts), frequencies)
    task = replace(
        task_of(postings, terms, [1] * len(terms), len(texts)),
        weights=as_weights(weights, scheme.levels),
        impacts=scheme.impacts(postings, DocumentLengths(lengths, pivot)),
    )
    found = rows(ALGORITHMS[algorithm](task, len(texts)))
    return {doc + 1: scheme.shown(score / NEUTRAL) for score, _, doc in found}


@pytest.mark.parametrize("algorithm", EXACT)
def test_log_tfidf_of_the_proverbs(algorithm):
    found = scores("tfidf", PROVERBS, "haina cine departe", algorithm)
    printed = {doc: round(score, 4) for doc, score in found.items()}
    assert printed == {2: 0.7959, 4: 0.5177, 1: 0.3979, 3: 0.3979, 5: 0.3979}
    assert list(found)[:2] == [2, 4]


def test_share_times_log2_of_the_jaguars():
    lists = {word: scores("tfidf-norm", JAGUARS, word, "exhaustive") for word in
             "family football jaguar new rule us world".split()}  # fmt: skip
    printed = {word: {d: round(s, 2) for d, s in found.items()} for word, found in lists.items()}
    jaguar = printed.pop("jaguar")
    assert printed == {
        "family": {1: 0.13, 3: 0.13, 6: 0.08, 5: 0.07},
        "football": {4: 0.47},
        "new": {2: 0.24, 1: 0.2, 5: 0.1},
        "rule": {6: 0.28},
        "us": {4: 0.3, 5: 0.15},
        "world": {1: 0.47},
    }
    assert {d: s for d, s in jaguar.items() if d not in {5, 2}} == {6: 0.04, 1: 0.04, 3: 0.04, 4: 0.04}
    assert min(jaguar, key=jaguar.__getitem__) == 5
    assert jaguar[5] == 0.02


def test_cosine_of_the_insurance():
    """N = 1,000,000; the document "car insurance auto insurance", the query "best car insurance"."""
    scheme = SCHEMES["lnc.ltc"]
    best, car, insurance = scheme.weights(1_000_000, [50_000, 10_000, 1_000])
    weights = [round(weight / scheme.weight_unit, 2) for weight in (best, car, insurance)]
    assert weights == [0.34, 0.52, 0.78]
    postings, words, lengths = counted(["car insurance auto insurance"])
    levels = scheme.impacts(postings, DocumentLengths(lengths, 4.0)).postings.posting_impacts
    document = dict(zip(words, levels.tolist(), strict=True))
    assert {w: round(v * scheme.unit, 2) for w, v in document.items()} == {
        "auto": 0.52,
        "car": 0.52,
        "insurance": 0.68,
    }
    score = scheme.shown(car * document["car"] + insurance * document["insurance"])
    assert round(score, 2) == 0.80


@pytest.mark.parametrize(("count", "value"), [(1, 1.0), (2, 1.3), (10, 2.0), (1000, 4.0)])
def test_log_tf(count, value):
    found = scores("tf", ["word " * count], "word", "exhaustive")
    assert round(found[1], 2) == value


@pytest.mark.parametrize(("frequency", "value"), [(1, 6), (100, 4), (1000, 3), (10_000, 2), (100_000, 1)])
def test_log_idf_of_a_million(frequency, value):
    assert SCHEMES["tfidf"].weight(1_000_000, frequency) == pytest.approx(value)


def test_bm25_takes_the_whole_length_and_all_fields_alike():
    texts = ["a a b", "a b b b b b c c", "d"]
    found = scores("bm25", texts, "a", "exhaustive", pivot=4.0)
    for doc, count, length in ((1, 2, 3), (2, 1, 8)):
        expected = idf(3, 2) * count / (1.2 * (0.25 + 0.75 * length / 4) + count)
        assert found[doc] == pytest.approx(expected, rel=0.01)


def test_boolean_counts_the_words():
    assert scores("boolean", JAGUARS, "jaguar new family", "blockmax") == {1: 3, 5: 3, 2: 2, 3: 2, 6: 2, 4: 1}


def test_incidence_as_a_conjunction():
    plays = ["antony brutus caesar cleopatra mercy worser", "antony brutus caesar calpurnia",
             "mercy worser", "brutus caesar mercy worser", "caesar mercy worser",
             "antony caesar mercy"]  # fmt: skip
    postings, words, _ = counted(plays)
    without_calpurnia = np.array(["calpurnia" not in play for play in plays])
    terms = [words.index("brutus"), words.index("caesar")]
    task = task_of(postings, terms, [1, 1], len(plays), without_calpurnia)
    assert sorted(conjunction(task, 10)[2].tolist()) == [0, 3]


@pytest.mark.parametrize("name", SCHEMES)
def test_every_scheme_scores_near_its_formula(name):
    """Quantised impacts stay within a hundredth of what the definition gives, and never reach 0."""
    scheme = SCHEMES[name]
    if scheme.values is None:
        return
    postings, words, lengths = counted(JAGUARS + PROVERBS)
    exact = scheme.values(postings, DocumentLengths(lengths, 8.0))
    levels = scheme.impacts(postings, DocumentLengths(lengths, 8.0)).postings.posting_impacts
    assert levels.min() >= 1
    assert np.allclose(levels * scheme.unit, exact, rtol=0.01)
    assert len(words) > 30
    assert all(weight >= 1 for weight in scheme.weights(12, [1, 6, 12]))
    if scheme.normal:
        assert math.hypot(*scheme.weights(12, [1, 6, 3])) == pytest.approx(scheme.weight_unit, rel=0.001)
