"""From streams of terms to postings and back, against plain Python."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.index.bm25f import FIELDS, IMPACT_LEVELS, Weighting
from gossamer.index.postings import RANGE_SIZE, invert, renumber

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
TERMS = 5

DOCUMENT = st.lists(st.lists(st.integers(0, TERMS - 1), max_size=6), min_size=FIELDS, max_size=FIELDS)
DOCUMENTS = st.lists(DOCUMENT, max_size=8)


def stream_of(documents):
    """The terms of all documents, where each begins, and the lengths of their fields."""
    lengths = np.array([[len(field) for field in doc] for doc in documents], np.uint32).reshape(-1, FIELDS)
    sizes = lengths.sum(axis=1, dtype=np.int64)
    terms = [t for doc in documents for field in doc for t in field]
    return np.array(terms, np.uint32), np.cumsum(sizes) - sizes, lengths


def places_of(documents):
    """Term -> document -> positions."""
    places = defaultdict(lambda: defaultdict(list))
    for number, doc in enumerate(documents):
        position = 0
        for field in doc:
            for term in field:
                places[term][number].append(position)
                position += 1
    return places


def plain_impact(places, lengths, weighting):
    """BM25F by the book, for one posting."""
    starts = [int(sum(lengths[:f])) for f in range(len(lengths))]
    tf = 0.0
    for place in places:
        field = max(f for f in range(len(lengths)) if starts[f] <= place < starts[f] + lengths[f])
        b, pivot = weighting.slopes[field], weighting.pivots[field]
        tf += weighting.weights[field] / (1 - b + b * lengths[field] / pivot)
    return max(1, min(IMPACT_LEVELS, int(np.ceil(IMPACT_LEVELS * tf / (weighting.k1 + tf)))))


def check(documents):
    stream, begins, lengths = stream_of(documents)
    postings, places = invert(stream, TERMS, begins, lengths, PIVOTS), places_of(documents)
    for term in range(TERMS):
        found = zip(*(a.tolist() for a in postings.places(term)), strict=True)
        assert list(found) == [(d, p) for d, spots in places[term].items() for p in spots]
        assert postings.documents(term).tolist() == list(places[term])
        assert postings.frequency(term) == len(places[term])
        levels = [plain_impact(spots, lengths[d], PIVOTS) for d, spots in places[term].items()]
        assert postings.levels(term).tolist() == levels
    assert postings.frequencies().tolist() == [len(places[term]) for term in range(TERMS)]
    counts = [len(spots) for term in range(TERMS) for spots in places[term].values()]
    assert postings.counts().tolist() == counts
    for entry, first in enumerate(postings.entry_postings[:-1].tolist()):
        own = postings.posting_impacts[first : postings.entry_postings[entry + 1]]
        assert postings.entry_highest[entry] == own.max()
    return postings


@given(DOCUMENTS)
@example([[[], [], [], [], [], []]])
@example([[[0, 0], [1], [], [0, 1, 0], [4], [0]], [[], [], [], [], [], []], [[0], [0], [0], [0], [0], [0]]])
def test_postings_equal_the_plain_reference(documents):
    check(documents)


def test_a_term_has_an_entry_for_each_range_of_documents_that_holds_it():
    documents = [[[], [], [], [0], [], []] for _ in range(2 * RANGE_SIZE + 3)]
    documents[7][3] = [1, 0, 1]
    documents[2 * RANGE_SIZE + 1][0] = [1]
    postings = check(documents)
    assert np.diff(postings.term_entries).tolist() == [3, 2, 0, 0, 0]
    assert postings.entry_ranges.tolist() == [0, 1, 2, 0, 2]


@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_terms_follow_the_order_in_which_documents_are_given(documents, random):
    stream, begins, lengths = stream_of(documents)
    order = random.sample(range(len(documents)), random.randint(0, len(documents)))
    found, again = (
        invert(stream, TERMS, begins[order], lengths[order], PIVOTS),
        check([documents[d] for d in order]),
    )
    assert_same(found, again)


def assert_same(found, expected):
    for name in type(expected).__slots__:
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


@given(st.lists(st.integers(0, 9)), st.permutations(range(10)))
def test_words_are_counted_and_renumbered(words, numbers):
    stream, counts = np.empty(len(words), np.uint32), np.zeros(10, np.int64)
    renumber(np.array(words, np.uint32), np.array(numbers, np.uint32), counts, stream)
    assert counts.tolist() == [words.count(word) for word in range(10)]
    assert stream.tolist() == [numbers[word] for word in words]
