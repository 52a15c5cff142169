"""What was typed comes before its other forms; short addresses, and new pages where they are asked for."""

from __future__ import annotations

from calendar import timegm
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages import page

from gossamer.index.bm25f import Weighting
from gossamer.index.index import Index
from gossamer.index.writer import SegmentWriter
from gossamer.query.planner import plan
from gossamer.query.syntax import parse
from gossamer.scoring.exact_forms import BEST, TypedText, held_in
from gossamer.scoring.model import AS_TYPED, DAY
from gossamer.scoring.two_phase import TwoPhaseSearch
from gossamer.search.searcher import Searcher
from gossamer.search.settings import SearchSettings
from gossamer.text.words import is_word, words, written_as

SETTINGS = SearchSettings()
NOW = float(timegm((2026, 11, 16, 0, 0, 0)))


def searcher_of(folder, pages, partition=0):
    index, writer = Index(folder), SegmentWriter("en")
    for one in pages:
        writer.add(one)
    index.commit(writer, np.empty(0, np.uint64), Weighting(pivots=(3.0, 3.0, 3.0, 10.0, 3.0, 3.0)))
    return Searcher(partition, index.snapshot(), None, 0.0)


def found(searchers, typed, chosen=SETTINGS):
    wanted = plan(parse(typed), ["en"])
    stats = [one.snapshot.term_stats(wanted.terms) for one in searchers]
    search = TwoPhaseSearch(wanted, sum(stats[1:], stats[0]), "bm25f", "blockmax", chosen, NOW)
    return search, search.ranked(searchers, 50)


def docs(ranked):
    return ranked.candidates.docs.tolist()


def texts(*several):
    """Pages whose only difference is the text."""
    return [page(f"http://h/{n}", text, language="en") for n, text in enumerate(several)]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("ruling", ["the rules", "the ruling"]),
        ("rules", ["the ruling", "Rules: all"]),
        ("résumé", ["my resume", "my Résumé"]),
        ("resume", ["my résumé", "my “RESUME”"]),
        ("elan", ["Élan is it", "elan is it"]),
        ("Straße", ["die Strasse", "die STRAẞE"]),
        ("strasse", ["die Straße", "die Strasse"]),
        ("λόγος", ["ΛΟΓΟΣ λέει", "λόγος λέει"]),
        ("λόγος", ["λογος λέει", "ΛΌΓΟΣ λέει"]),
        ("İstanbul", ["in istanbul", "in İSTANBUL"]),
        ("U.S.A.", ["the USA", "the u.s.a."]),
        ("USA", ["the U.S.A.", "the USA"]),
        ("1,000", ["1000 kings", "1,000 kings"]),
        ("1000 AND 1000", ["1,000 kings", "1000 kings"]),
        ("café", ["the cafe", "the cafe\u0301"]),
        ("cafe", ["the cafe\u0301", "the cafe"]),
    ],
)
def test_the_form_that_was_typed_comes_first(tmp_path, typed, said):
    for order in (said, said[::-1]):
        searcher = searcher_of(tmp_path / str(order == said), texts(*order))
        search, ranked = found([searcher], typed)
        assert docs(ranked)[0] == order.index(said[1])
        assert ranked.scores[0] == pytest.approx(ranked.scores[1] * (1 + SETTINGS.exact_form_boost))
        named = [[one.term for one in search.explained(searcher, ranked, n).contributions] for n in (0, 1)]
        assert [AS_TYPED in names for names in named] == [True, False]
        without = found([searcher], typed, replace(SETTINGS, exact_form_boost=0.0))[1]
        assert without.scores[0] == pytest.approx(without.scores[1])


@pytest.mark.parametrize(("typed", "other"), [("ø", "o"), ("à", "a"), ("å", "a")])
def test_a_letter_with_a_mark_is_another_word(tmp_path, typed, other):
    searcher = searcher_of(
        tmp_path, texts(f"{other} xx {other} yy {other} zz {other}", f"en {typed} i havet")
    )
    assert docs(found([searcher], typed)[1]) == [1, 0]
    assert docs(found([searcher], other)[1]) == [0, 1]


def test_each_word_counts_for_itself(tmp_path):
    searcher = searcher_of(tmp_path, texts("kings ruling", "king rules", "nothing"))
    search, ranked = found([searcher], "king ruling", replace(SETTINGS, proximity=0.0))
    for place, score in enumerate(ranked.scores.tolist()):
        why = search.explained(searcher, ranked, place).contributions
        assert sum(one.score for one in why) == pytest.approx(score)
        words_add = {one.term: one.score for one in why}
        as_typed = "rule" if docs(ranked)[place] == 0 else "king"
        assert words_add[AS_TYPED] == pytest.approx(SETTINGS.exact_form_boost * words_add[as_typed])


def test_partitions_agree_and_only_the_best_are_read(tmp_path):
    pages = texts(*("ruling kings " + "x " * (n % 7) + "rules" * (n % 2) for n in range(60)))
    one = searcher_of(tmp_path / "one", pages)
    many = [searcher_of(tmp_path / str(n), pages[n::3], n) for n in range(3)]
    search, ranked = found([one], "rules king")
    assert found(many, "rules king")[1].candidates.pages.tolist() == ranked.candidates.pages.tolist()
    assert ranked.read == BEST
    for place, score in enumerate(ranked.scores.tolist()):
        why = search.explained(one, ranked, place).contributions
        assert sum(addend.score for addend in why) == pytest.approx(score)
        assert place < BEST or AS_TYPED not in {addend.term for addend in why}


@pytest.mark.parametrize(
    ("typed", "said", "not_said"),
    [
        ("10km", "10KM on foot", "10 km on foot"),
        ("京都", "昔の京都市は", "京と都"),
        ("ภาษาไทย", "คนไทยพูดภาษาไทยกัน", "ภาษา ไทย"),
        ("한국어", "한국어를", "한국 어"),
        ("C++", "in C++, too", "in C, too"),
        ("#Tag", "a #tag", "a tag"),
        ("3.11.2", "Python 3.11.2", "Python 3.11"),
    ],
)
def test_what_is_several_words_stands_as_it_was_typed(typed, said, not_said):
    forms = [form for own in plan(parse(typed), ["en"]).forms for form in own]
    assert all(map(TypedText(said.encode()).holds, forms))
    assert not all(map(TypedText(not_said.encode()).holds, forms))


def test_a_new_year_is_one_in_every_script_of_digits(tmp_path):
    pages = [page(f"http://h/{n}", "kings २०२६", published=NOW - n * DAY, language="en") for n in (700, 3)]
    searcher = searcher_of(tmp_path, pages)
    search, ranked = found([searcher], "kings २०२६")
    assert search.explained(searcher, ranked, 0).freshness > 1


WRITTEN = (
    "Ruling rules ÉCOLE école ecole москва Москва 3 ru “ Straße STRASSE λόγος ΛΌΓΟΣ ΛΟΓΟΣ İstanbul istanbul "
    "U.S.A. USA 1,000 1000 10km 10 km 京都 京都市 ภาษาไทย cafe\u0301 café cafe हिन्दी हिंदी"
).split()


@given(st.lists(st.sampled_from(WRITTEN)), st.sampled_from(WRITTEN))
def test_a_form_stands_where_it_is_one_of_the_words(said, typed):
    text = " ".join(said)
    held = written_as(text, words(text))
    for form in written_as(typed, words(typed)):
        assert TypedText(text.encode()).holds(form) == (form in held)


def test_a_part_of_a_word_is_no_word():
    for text in (
        "overruling",
        "rulings",
        "überruling",
        "rulingé",
        "ruling\u0301",
        "1ruling",
        "r\u00adruling",
    ):
        assert not TypedText(text.encode()).holds("ruling")
    assert TypedText("«ruling»".encode()).holds("ruling")
    assert TypedText(b"rulings ruling").holds("ruling")
    assert not TypedText("школы".encode()).holds("школ")


def test_a_short_address_lifts(tmp_path):
    pages = [page("http://h/a/b/c/d", "kings", language="en"), page("http://h/", "kings", language="en")]
    searcher = searcher_of(tmp_path, pages)
    plain = [replace(SETTINGS, short_url_boost=depth) for depth in (0.0, 0.1)]
    factors = []
    for chosen in plain:
        search, ranked = found([searcher], "kings", chosen)
        for place, score in enumerate(ranked.scores.tolist()):
            why = search.explained(searcher, ranked, place)
            assert sum(one.score for one in why.contributions) * why.address == pytest.approx(score)
            factors.append(why.address)
    assert factors[:2] == [1.0, 1.0]
    assert sorted(factors[2:]) == pytest.approx([1 + 0.1 / 5, 1 + 0.1])


@pytest.mark.parametrize(
    ("typed", "lifts"),
    [("kings news", True), ("kings 2026", True), ("kings 1998", False), ("kings", False),
     ("new york kings", False), ("new kings", True)],
)  # fmt: skip
def test_new_pages_come_first_where_they_are_asked_for(tmp_path, typed, lifts):
    ages = (700, 3)
    pages = [page(f"http://h/{n}", "kings", published=NOW - n * DAY, language="en") for n in ages]
    searcher = searcher_of(tmp_path, pages)
    search, ranked = found([searcher], typed)
    new = max(search.explained(searcher, ranked, place).freshness for place in (0, 1))
    assert new == pytest.approx(1 + SETTINGS.recency * 0.5 ** (3 / SETTINGS.recency_days) if lifts else 1)
    assert found([searcher], typed, replace(SETTINGS, recency=0.0))[1].scores.tolist() == pytest.approx(
        [min(ranked.scores)] * 2 if lifts else ranked.scores.tolist(), rel=1e-3
    )


def test_diacritics_that_were_typed_are_looked_for_among_many(tmp_path):
    pages = texts(*["my resume"] * 40, "my résumé")
    _, ranked = found([searcher_of(tmp_path, pages)], "résumé")
    assert ranked.candidates.pages[0] == pages[-1].url.fingerprint


@given(st.text("aábc1_'’.,- 京", max_size=30), st.text("abc1'_.", min_size=1, max_size=3))
def test_a_form_is_held_where_it_stands_as_a_word(text, form):
    plain = any(
        is_word(f" {text} ", place + 1, form) for place in range(len(text)) if text.startswith(form, place)
    )
    assert TypedText(text.encode()).holds(form) == plain


PIECES = ["ruling", "Rul", "1,000", "000", "1", "u.s.a", "a", "á", "ß", "_", ".", ",", " ", "-", "c++",
          "#tag", "10km", "京", "都", "'", "\n", "Z"]  # fmt: skip
FORMS = ["ruling", "1,000", "000", "1", "u.s.a", "a", "c++", "#tag", "10km", "京都", "á", "z", "zz"]
several_texts = st.lists(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), max_size=4)


@given(
    several_texts, st.lists(st.lists(st.sampled_from(FORMS), max_size=2), min_size=1, max_size=4), st.data()
)
def test_the_kernel_finds_the_forms_that_plain_python_finds(texts, forms, data):
    cut = [text.encode()[: data.draw(st.integers(0, 40))] for text in texts]  # also within a character
    assert held_in(cut, forms).tolist() == held_plain(cut, forms)


def held_plain(texts, forms):
    """Which words each text holds: one form after the other is looked for."""
    return [[any(map(TypedText(text).holds, own)) for own in forms] for text in texts]


def test_many_forms_are_found_in_one_pass():
    forms = [[f"w{n}", f"x{n}"] for n in range(100)]
    texts = [b"W7 x99 w100", b"w1 w2", b" ".join(b"x%d" % n for n in range(100))]
    held = held_in(texts, forms)
    assert held.tolist() == held_plain(texts, forms)
    assert [np.flatnonzero(row).tolist() for row in held] == [[7, 99], [1, 2], list(range(100))]
