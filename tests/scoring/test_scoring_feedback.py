"""How much the words of a query count, and what the best pages add to it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page

from gossamer.index.bm25f import Field, Weighting, idf
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.model import DocAddress, TermStats
from gossamer.query.planner import K3, LITTLE, plan, query_term_weights
from gossamer.query.syntax import parse
from gossamer.query.vocabulary import Vocabulary
from gossamer.scoring.feedback import (
    LEAST_WORDS,
    SHARPNESS,
    STRONGEST,
    Feedback,
    feedback_from,
    strength,
    strongest_terms,
    tells,
    words_among,
)
from gossamer.scoring.model import LIKENESS
from gossamer.scoring.two_phase import TwoPhaseSearch
from gossamer.search.match.cooccurrence import side_by_side_in
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.terms import analyser, without_language

SETTINGS = SearchSettings()
TOPIC = "ants bees wasps hornets moths beetles crickets"
HELD = [f"w{n} word{n}" for n in range(60)] + ["the", "Äste", "5"]
WORDS = st.lists(st.sampled_from([*TOPIC.split(), "honey", "wax", "road"]), min_size=1, max_size=15)


def searcher_of(folder, pages, partition=0):
    index = Index(folder)
    writer = SegmentWriter("en")
    for one in pages:
        writer.add(one)
    index.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
    return Searcher(partition, index.snapshot(), None, 0.0)


def found(searchers, typed, feedback=1.0, depth=20):
    wanted = plan(parse(typed), ["en"])
    stats = [one.snapshot.term_stats(wanted.terms) for one in searchers]
    chosen = replace(SETTINGS, feedback=feedback)
    search = TwoPhaseSearch(wanted, sum(stats[1:], stats[0]), "bm25f", "blockmax", chosen, 0.0)
    return search, search.ranked(searchers, depth)


def test_emphasis_counts_what_was_typed_twice_and_less_what_tells_little():
    typed = "what are ants and ants and bees".split()
    made = query_term_weights(typed, [(word,) for word in typed], ["en"])
    assert made.words == (("ants",), ("bees",), ("what",), ("are",), ("and",))
    assert made.telling == 2
    twice = (K3 + 1) * 2 / (K3 + 2)
    assert made.emphasis == pytest.approx((1, 1 / twice, LITTLE / twice, LITTLE / twice, LITTLE))


@pytest.mark.parametrize("typed", ["ants bees", "the who", "to be or not"])
def test_words_count_alike_where_all_or_none_tell_something(typed):
    slots = [(word,) for word in typed.split()]
    made = query_term_weights(typed.split(), slots, ["en"])
    assert (made.words, made.emphasis, made.telling) == (tuple(slots), (), len(slots))


def test_a_pattern_that_stands_for_nothing_is_left_out():
    assert query_term_weights(["ants", "zz"], [("ant",), ()], ["en"]).words == (("ant",),)


def test_function_words_still_decide_between_equals(tmp_path):
    pages = [
        page("http://h/1", "ants on them", language="en"),
        page("http://h/2", "ants in them", language="en"),
    ]
    _, ranked = found([searcher_of(tmp_path, pages)], "ants in")
    assert [candidate.address.doc for candidate in ranked.candidates] == [1, 0]


def test_feedback_raises_similar_pages(tmp_path):
    """The last two pages hold the query alike; honey stands with the topic, roads do not."""
    pages = [page(f"http://h/{n}", f"{TOPIC} honey and wax", language="en") for n in range(6)]
    pages += [
        page("http://h/x", "ants roads", language="en"),
        page("http://h/y", "ants honey", language="en"),
    ]
    searcher = searcher_of(tmp_path, [*pages, page("http://h/z", "roads", language="en")])
    without, with_feedback = (found([searcher], TOPIC, value)[1] for value in (0.0, 1.0))
    assert without.scores[6] == pytest.approx(without.scores[7])
    assert [one.address.doc for one in with_feedback.candidates[6:8]] == [7, 6]
    search, short = found([searcher], "ants bees wasps hornets moths beetles")
    assert not short.feedback.terms
    assert search.plan.telling < LEAST_WORDS


def test_pieces_of_unspaced_scripts_are_no_words():
    assert words_among([("ants\x1fen",), ("京都\x1f", "京都\x1fen"), ("ภาษา\x1f",)]) == 1


def test_one_page_far_before_the_others_is_believed_alone():
    assert strength([10, 8, 8, 8, 5], 0.8) == pytest.approx(0.4)
    assert strength([10, 8], 0.8) == 0.0


def test_the_plain_feedback_is_the_formula():
    stats = TermStats(100, {"honey": 10, "wax": 10, "odd": 0})
    made = plain_feedback([{"honey": 0.5, "odd": 0.9}, {"wax": 0.5}], [4.0, 2.0], stats, 3.0)
    rare, share = idf(100, 10), 0.5**4
    assert made.terms == ("honey", "wax")
    assert made.weights == pytest.approx((3 * rare / (1 + share), 3 * rare * share / (1 + share)))


@settings(max_examples=25)
@given(st.lists(WORDS, min_size=6, max_size=14))
def test_partitions_agree_and_sums_are_explained(tmp_path_factory, texts):
    pages = [page(f"http://h{n % 4}/{n}", " ".join(text), language="en") for n, text in enumerate(texts)]
    one = [searcher_of(tmp_path_factory.mktemp("one"), pages)]
    halves = enumerate([pages[::2], pages[1::2]])
    many = [searcher_of(tmp_path_factory.mktemp("p"), half, n) for n, half in halves]
    search, ranked = found(one, TOPIC)
    for place, score in enumerate(ranked.scores):
        why = search.explained(one[0], ranked, place)
        assert sum(addend.score for addend in why.contributions) == pytest.approx(score)
        named = {addend.term for addend in why.contributions}
        assert LIKENESS not in named or ranked.feedback.terms
    other = found(many, TOPIC)[1]
    assert other.feedback == ranked.feedback
    assert [c.fingerprint for c in other.candidates] == [c.fingerprint for c in ranked.candidates]


def plain_terms(searcher, address):
    """The strongest terms of a page and their impacts, counted term by term."""
    segment, weighting = searcher.snapshot.views[address.segment].segment, searcher.snapshot.weighting
    shares = weighting.shares(segment.columns.lengths[[address.doc]])[0]
    stored = segment.stored.document(address.doc)
    frequencies = defaultdict(float)
    for text, field in ((stored.title, Field.TITLE), (stored.text, Field.BODY)):
        for term in analyser(stored.language).terms(text):
            frequencies[term] += shares[field]
    telling = [(-tf, term) for term, tf in frequencies.items() if tells(term, stored.language)]
    return {term: -tf / (weighting.k1 - tf) for tf, term in sorted(telling)[:STRONGEST]}


def plain_feedback(pages, scores, stats, strength):
    """The formula over the terms of pages, best first; `strength` holds f and q."""
    said = defaultdict(float)
    for impacts, score in zip(pages, scores, strict=True):
        for term, impact in impacts.items():
            said[term] += (score / scores[0]) ** SHARPNESS * impact
    rare = {term: idf(stats.documents, n) for term, n in stats.frequencies.items() if n}
    worth = sorted([(-said[term] * own, term) for term, own in rare.items()])[:20]
    whole = sum(value for value, _ in worth)
    weights = [strength * value / whole * rare[term] for value, term in worth]
    return Feedback(tuple(term for _, term in worth), tuple(weights))


@settings(max_examples=40)
@given(st.lists(st.sampled_from(HELD), max_size=150))
def test_the_strongest_terms_of_a_page_are_those_of_plain_python(tmp_path_factory, said):
    one = page("http://h/", " ".join(said), "The w1 title", language="en")
    searcher = searcher_of(tmp_path_factory.mktemp("strongest"), [one])
    found = strongest_terms([searcher], DocAddress(0, 0, 0))
    expected = plain_terms(searcher, DocAddress(0, 0, 0))
    assert list(found.items()) == list(expected.items())
    assert not {"the", "5"} & {without_language(term) for term in found}


@settings(max_examples=20)
@given(st.lists(WORDS, min_size=1, max_size=8))
def test_gains_are_the_impacts_of_the_index_times_weights(tmp_path_factory, texts):
    pages = [page(f"http://h/{n}", " ".join(text), language="en") for n, text in enumerate(texts)]
    searcher = searcher_of(tmp_path_factory.mktemp("k"), pages)
    terms = plan(parse(f"{TOPIC} honey unheard"), ["en"]).terms
    feedback = Feedback(terms, tuple(range(1, len(terms) + 1)))
    docs = np.arange(len(pages))
    gains = feedback.gains(searcher, 0, docs)
    numbers = searcher.snapshot.views[0].segment.look_up(terms).numbers
    for column, number in enumerate(numbers):
        levels = np.zeros(len(docs))
        if number >= 0:
            postings = searcher.snapshot.views[0].segment.postings
            held = postings.levels(number)
            levels[postings.documents(number)] = held
        assert gains[:, column] == pytest.approx(levels * (column + 1) / 255)


@settings(max_examples=25)
@given(st.lists(WORDS, min_size=5, max_size=9), st.integers(1, 5))
def test_numbers_of_terms_tell_what_strings_tell(tmp_path_factory, texts, best):
    pages = [page(f"http://h/{n}", " ".join(text), language="en") for n, text in enumerate(texts)]
    halves = enumerate([pages[::2], pages[1::2]])
    searchers = [searcher_of(tmp_path_factory.mktemp("n"), half, n) for n, half in halves]
    addresses = [DocAddress(n % 2, 0, n // 2) for n in range(best)]
    scores = [9.0 - n for n in range(best)]
    own = [plain_terms(searchers[one.partition], one) for one in addresses]
    book = Vocabulary([one.snapshot for one in searchers], side_by_side_in)
    stats = book.stats(dict.fromkeys(term for terms in own for term in terms))
    assert feedback_from(searchers, addresses, scores, 0.7) == plain_feedback(own, scores, stats, 0.7)
