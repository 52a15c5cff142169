"""The terms of numbered words are those of the analyser, for every word in every language."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.text.terms import SNOWBALL, Analyser, analyser
from gossamer.text.tokenizer import Tokenizer
from gossamer.text.words import LONGEST_WORD, words

SHARED = Tokenizer()  # one for all examples: what earlier words left must not matter
LANGUAGES = [*sorted(SNOWBALL), "", "xx"]
SYLLABLES = "running s ed ies ful ness 's é ü ß ция ого हि ن 京都 ing ation 42 a o \u0301".split()
TEXT = st.lists(st.sampled_from([*SYLLABLES, " ", " "]) | st.characters(), max_size=25).map("".join)


def terms_of(runs, text, language):
    numbers, _ = runs.number([text])
    return [runs.terms.texts[number] for number in runs.terms.of(numbers, language).tolist()]


@given(TEXT, st.sampled_from(LANGUAGES))
@example("x" * LONGEST_WORD + " " + "x" * (LONGEST_WORD + 1) + " " + "é" * 70, "")
@example("x" * 500 + " " + "runnings" * 10, "en")
def test_terms_are_those_of_the_analyser(text, language):
    expected = [analyser(language)[word] for word in words(text)]
    assert terms_of(SHARED, text, language) == expected
    assert terms_of(SHARED, text, language) == expected  # and remembered


@given(st.lists(st.tuples(TEXT, st.sampled_from(LANGUAGES)), max_size=5))
def test_texts_of_several_languages_are_read_together(spoken):
    numbers, counts = SHARED.number([text for text, _ in spoken])
    starts = np.cumsum([0, *counts.tolist()])
    found = SHARED.terms.of_each(numbers, starts, [language for _, language in spoken])
    expected = [analyser(language)[word] for text, language in spoken for word in words(text)]
    assert [SHARED.terms.texts[number] for number in found.tolist()] == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_many_words_at_once(language):
    """Endings of many languages on a few roots, so that stemmers have something to do."""
    roots = "jag hous gener organ national ess mañan größ étud книг cas".split()
    endings = [
        "",
        "s",
        "es",
        "ing",
        "ation",
        "ations",
        "en",
        "ern",
        "ité",
        "ами",
        "ului",
        "lerden",
        "ssa",
        "ità",
    ]
    text = " ".join(root + ending for root in roots for ending in endings)
    fresh = Analyser(analyser(language).language)
    assert terms_of(Tokenizer(), text, language) == [fresh[word] for word in words(text)]


def test_a_word_of_which_the_stemmer_leaves_nothing_stands_for_itself(monkeypatch):
    class Harsh:
        def stemWords(self, found):
            return ["" for _ in found]

    one = Analyser("en")
    monkeypatch.setattr(one, "_stemmer", Harsh())
    assert one.stem_lines(b"all\ngone\n", plain=True) == b"all\ngone\n"


def test_languages_that_are_read_alike_share_a_table():
    runs = Tokenizer()
    size = {}
    for language in ("", "xx", "ro-x", "he", "vi", "en"):
        terms_of(runs, "running má", language)
        size[language] = runs.terms.memory
    assert size[""] == size["xx"] == size["ro-x"] == size["he"] < size["vi"] < size["en"]


def test_no_words_have_no_terms():
    assert Tokenizer().terms.of(np.empty(0, np.uint32), "fr").tolist() == []
