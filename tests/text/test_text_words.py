"""Words, terms and readings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.text.analysis import SNOWBALL, Analyser, analyser, fold, in_language, readings, without_language
from gossamer.text.words import LONGEST_WORD, pairs, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mac OS X at US $199", ["mac", "os", "x", "at", "us", "199"]),
        ("Apple's and Apple\u2019s", ["apple", "and", "apple"]),
        ("host-name a_b", ["host", "name", "a", "b"]),
        ("ΑΘΗΝΑΣ Straße", ["αθηνασ", "strasse"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("京都市 2024年", ["京都", "都市", "2024", "年"]),
        ("\uff28\uff25\uff2c\uff2c\uff2f \ufb01ne", ["hello", "fine"]),
        ("", []),
        ("-- ?! --", []),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_pairs_cover_every_neighbourhood():
    assert pairs("東京都") == ["東京", "京都"]
    assert pairs("猫") == ["猫"]


@given(st.text())
def test_any_text_gives_folded_words(text):
    for word in words(text):
        assert word
        assert not any(character.isspace() for character in word)


def test_diacritics_are_folded_but_not_the_vowels_of_hindi():
    assert fold("dimineață") == "dimineata"
    assert fold("Ελλάδα") == "Ελλαδα"
    assert fold("हिन्दी") == "हिन्दी"
    assert fold("السَّلَام") == fold("السلام")


def stems(language, text):
    return [without_language(term) for term in analyser(language).terms(text)]


def test_stems_follow_the_language():
    assert stems("en", "ruling families") == ["rule", "famili"]
    assert stems("de", "Häuser Haus") == ["haus", "haus"]
    assert stems("xx", "ruling families") == ["ruling", "families"]
    assert analyser("en")["haus"] != analyser("de")["haus"]
    assert stems("en", "brûlée naïve cafés") == stems("en", "brulee naive cafes")


def test_a_query_is_read_in_every_language_once():
    english, other = in_language("famili", "en"), in_language("families", "xx")
    assert readings("families", ["en", "xx"]) == [(english,), (other,)]
    assert readings("?!", ["en"]) == []


@pytest.mark.parametrize("language", sorted(SNOWBALL))
def test_every_listed_stemmer_exists(language):
    assert Analyser(language)["internationalisation"]


def test_terms_have_a_longest_length():
    assert len(without_language(analyser("en")["x" * 500])) == LONGEST_WORD


def test_the_memory_of_an_analyser_is_bounded(monkeypatch):
    monkeypatch.setattr(Analyser, "LARGEST", 3)
    small = Analyser("en")
    for word in ["a", "b", "c", "d", "e"]:
        assert small[word]
    assert len(small) <= 3
