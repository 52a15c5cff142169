"""How often and how close words stand in documents: the kernel against plain Python."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.index.bm25f import FIELDS, Field, Weighting
from gossamer.index.postings import invert
from gossamer.scoring.evidence import evidence

WEIGHTING = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
TERMS = 6
DOCUMENT = st.lists(st.lists(st.integers(0, TERMS - 1), max_size=7), min_size=FIELDS, max_size=FIELDS)
WORDS = st.lists(st.lists(st.integers(0, TERMS - 1), max_size=2, unique=True), min_size=1, max_size=4)


def segment_of(documents):
    lengths = np.array([[len(field) for field in doc] for doc in documents], np.uint32).reshape(-1, FIELDS)
    sizes = lengths.sum(axis=1, dtype=np.int64)
    stream = np.array([t for doc in documents for field in doc for t in field], np.uint32)
    postings = invert(stream, TERMS, np.cumsum(sizes) - sizes, lengths, WEIGHTING)
    return SimpleNamespace(postings=postings, columns=SimpleNamespace(lengths=lengths))


def plain(documents, docs, words, counted):
    """By the book: every pair of places is looked at."""
    frequencies, distances = [], []
    for doc in docs:
        shares = WEIGHTING.shares(np.array([[len(field) for field in documents[doc]]]))[0]
        places = [
            [(f, p, t) for f, field in enumerate(documents[doc]) for p, t in enumerate(field) if t in terms]
            for terms in words
        ]
        frequencies.append([sum(counted.get(t, 1.0) * shares[f] for f, _, t in own) for own in places])
        distances.append(
            [
                min(
                    (
                        abs(p - q)
                        for f, p, _ in one
                        for g, q, _ in other
                        if f == g < Field.EMPHASISED and p != q
                    ),
                    default=np.inf,
                )
                for one, other in pairwise(places)
            ]
        )
    return frequencies, distances


@given(
    documents=st.lists(DOCUMENT, min_size=1, max_size=6),
    words=WORDS,
    counted=st.dictionaries(st.integers(0, TERMS - 1), st.sampled_from([0.0, 0.25, 0.5])),
    random=st.randoms(use_true_random=False),
)
def test_evidence_equals_the_plain_reference(documents, words, counted, random):
    docs = random.sample(range(len(documents)), random.randint(1, len(documents)))
    found = evidence(segment_of(documents), np.array(docs, np.int64), words, WEIGHTING, counted)
    frequencies, distances = plain(documents, docs, words, counted)
    assert np.allclose(found.frequencies, np.array(frequencies).reshape(len(docs), len(words)))
    assert found.distances.tolist() == distances


def test_a_word_that_stands_very_often_is_counted_in_full():
    documents = [[[], [], [], [0] * 1000 + [1], [], []]]
    found = evidence(segment_of(documents), np.array([0]), [[0], [1]], WEIGHTING)
    share = WEIGHTING.shares(np.array([[0, 0, 0, 1001, 0, 0]]))[0, 3]
    assert np.allclose(found.frequencies, [[1000 * share, share]])


def test_the_nearest_of_very_many_positions_counts():
    documents = [[[], [], [], [0] * 1000 + [1] + [2] * 1000 + [0], [], []]]
    found = evidence(segment_of(documents), np.array([0]), [[0, 2], [1]], WEIGHTING)
    assert found.distances.tolist() == [[1.0]]
    found = evidence(segment_of(documents), np.array([0]), [[2], [0]], WEIGHTING)
    assert found.distances.tolist() == [[1.0]]
