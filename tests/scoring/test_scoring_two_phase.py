"""The second phase: full scores, their order, and the sums behind them."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page

from gossamer.index.bm25f import Weighting, idf
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.scoring.model import CLOSENESS, DAY, Factors, weigh
from gossamer.scoring.two_phase import TwoPhaseSearch
from gossamer.search.retrieve.choose import ALGORITHMS
from gossamer.search.retrieve.textbook import champion
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings

PIVOTS = Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0))
SETTINGS = SearchSettings()
NOW = 1_000 * DAY
TEXT = st.lists(st.sampled_from("a b c d".split()), max_size=12).map(" ".join)


def searcher_of(folder, pages, partition=0):
    index = Index(folder)
    writer = SegmentWriter("xx")
    for one in pages:
        writer.add(one)
    index.commit(writer, np.empty(0, np.uint64), PIVOTS)
    return Searcher(partition, index.snapshot(), None, 0.0)


def found(searchers, typed, depth=10, scheme="bm25f", chosen=SETTINGS):
    wanted = plan(parse(typed), ["xx"])
    stats = [one.snapshot.term_stats(wanted.terms) for one in searchers]
    search = TwoPhaseSearch(wanted, sum(stats[1:], stats[0]), scheme, "blockmax", chosen, NOW)
    return search, search.ranked(searchers, depth)


def test_the_recall_of_champion_lists_is_reported(tmp_path, monkeypatch):
    """The third page holds both words, and holds neither as strongly as two others do."""
    texts = ["a", "a a", "a x x b x x", "b", "b b"]
    searcher = searcher_of(tmp_path, [page(f"http://h/{n}", text) for n, text in enumerate(texts)])
    search, exact = found([searcher], "a b", depth=1)
    assert exact.candidates[0].address.doc == 2
    for champions, recall in ((1, (0, 1)), (3, (1, 1))):
        monkeypatch.setitem(ALGORITHMS, "champion", partial(champion, champions=champions))
        search = replace(search, algorithm="champion")
        assert search.recall([searcher], search.ranked([searcher], 1), 1) == recall


def test_the_formula():
    weights, shared = np.array([3.0, 4.0, 5.0]), np.array([0.0, 0.5])
    frequencies, distances = np.array([[2.0, 0.5, 0.5]]), np.array([[2.0, 1.0]])
    nobody, nothing = np.empty(0, np.uint64), np.empty((0, 3))
    words, close, sums = np.empty((1, 3)), np.empty(1), np.empty(1)
    weigh(np.array([7], np.uint64), frequencies, distances, nobody, nothing, nothing, 0.4, shared, weights,
          1.2, 0.5, words, close, sums)  # fmt: skip
    assert words[0] == pytest.approx([3 * 2 / 3.2, 4 * 0.5 / 1.7, 0.75 * 5 * 0.5 / 1.7])
    assert close == pytest.approx(0.5 * 3 / 4)
    assert sums == pytest.approx(words.sum() + close)
    factors = [np.array([value]) for value in (1.5, 1.1, 0.5, 1.2, 1.3, 1.4, 1.6)]
    product = 1.5 * 1.1 * 0.5 * 1.2 * 1.3 * 1.4 * 1.6
    assert Factors(*factors).product == pytest.approx(product)


def test_age_and_address_multiply_as_their_formulas_say(tmp_path):
    searcher = searcher_of(tmp_path, [page("http://h.test/b/c/d", "a", published=NOW - 20 * DAY)])
    chosen = replace(SETTINGS, freshness=0.1, freshness_days=10.0, short_url_boost=0.2)
    search, ranked = found([searcher], "a", chosen=chosen)
    why = search.explained(searcher, ranked, 0)
    assert (why.freshness, why.address) == pytest.approx((1 + 0.1 / 4, 1 + 0.2 / 4))
    total = sum(one.score for one in why.contributions)
    assert ranked.scores[0] == pytest.approx(total * why.freshness * why.address)


def test_words_that_stand_together_come_first(tmp_path):
    apart, close = "a x y z w v b", "a b x y z w v"
    searcher = searcher_of(tmp_path, [page("http://h/1", apart), page("http://h/2", close)])
    _, ranked = found([searcher], "a b")
    docs = [candidate.address.doc for candidate in ranked.candidates]
    assert docs == [1, 0]
    assert found([searcher], "a b", chosen=replace(SETTINGS, proximity=0.0))[1].scores[0] < ranked.scores[0]


def test_an_emphasised_word_counts_more_and_is_no_neighbour_of_the_next_one(tmp_path):
    runs = ["", "a", "a\nc"]
    texts = [page(f"http://h/{n}", "a x b x c", emphasised=run) for n, run in enumerate(runs)]
    searcher = searcher_of(tmp_path, texts)

    def docs(typed):
        return [candidate.address.doc for candidate in found([searcher], typed)[1].candidates]

    assert docs("a")[-1] == 0
    assert docs("c")[0] == 2
    assert docs('"a c"') == []
    assert docs("a NEAR/2 c") == []


def test_a_younger_page_is_lifted(tmp_path):
    pages = [page(f"http://h/{days}", "a", published=NOW - days * DAY) for days in (700, 7)]
    searcher = searcher_of(tmp_path, pages)
    assert len(set(found([searcher], "a")[1].scores)) == 1
    ranked = found([searcher], "a", chosen=replace(SETTINGS, freshness=0.5))[1]
    assert ranked.scores[0] > 1.1 * ranked.scores[1]


@settings(max_examples=25)
@given(
    st.lists(TEXT, min_size=1, max_size=14), st.sampled_from(["a b", "a b c", '"a b"', "d AND a"]), st.data()
)
def test_full_scores_rank_and_are_explained(tmp_path_factory, texts, typed, data):
    pages = [page(f"http://h{n % 4}/{n}", text, f"a {n}") for n, text in enumerate(texts)]
    one = [searcher_of(tmp_path_factory.mktemp("one"), pages)]
    halves = [pages[::2], pages[1::2]]
    many = [searcher_of(tmp_path_factory.mktemp("p"), half, n) for n, half in enumerate(halves)]
    chosen = replace(SETTINGS, rerank_depth=data.draw(st.sampled_from([0, 3, 300])))
    search, ranked = found(one, typed, chosen=chosen)
    key = [(-score, c.fingerprint) for score, c in zip(ranked.scores, ranked.candidates, strict=True)]
    assert key[: ranked.rescored] == sorted(key[: ranked.rescored])
    for place, score in enumerate(ranked.scores):
        why = search.explained(one[0], ranked, place)
        total = sum(addend.score for addend in why.contributions) * why.static_factor * why.freshness
        assert total == pytest.approx(score)
    other = found(many, typed, chosen=chosen)[1]
    assert [c.fingerprint for c in other.candidates] == [c.fingerprint for c in ranked.candidates]
    assert other.scores == pytest.approx(ranked.scores)


def test_a_score_is_bm25f_and_closeness(tmp_path):
    searcher = searcher_of(tmp_path, [page("http://h.test/1", "a b"), page("http://h.test/2", "c")])
    search, ranked = found([searcher], "a b", chosen=replace(SETTINGS, exact_form_boost=0.0))
    share = PIVOTS.shares(np.array([[0, 0, 1, 2, 0, 0]]))[0, 3]
    word = idf(2, 1) * share / (PIVOTS.k1 + share)
    assert ranked.scores == pytest.approx([2 * word + SETTINGS.proximity * idf(2, 1)])
    names = [one.term for one in search.explained(searcher, ranked, 0).contributions]
    assert names == ["a", "b", CLOSENESS]


def test_other_schemes_are_shown_as_their_formulas_are(tmp_path):
    searcher = searcher_of(tmp_path, [page("http://h/1", "a a b"), page("http://h/2", "c")])
    ranked = found([searcher], "a b", scheme="tfidf")[1]
    assert ranked.rescored == 0
    assert ranked.scores[0] == pytest.approx((2 + math.log10(2)) * math.log10(2), abs=1e-3)


def test_what_was_shown_before_does_not_change_a_page_of_results(tmp_path):
    pages = [page(f"http://h/{n}", "a " + "x " * (n % 5) + "b") for n in range(30)]
    searcher = searcher_of(tmp_path, pages)
    deep, shallow = found([searcher], "a b", 30)[1], found([searcher], "a b", 5)[1]
    assert list(deep.candidates[:5]) == list(shallow.candidates[:5])
    few = replace(SETTINGS, rerank_depth=4)
    deep, shallow = (found([searcher], "a b", depth, chosen=few)[1] for depth in (30, 9))
    assert list(deep.candidates[:9]) == list(shallow.candidates[:9])
