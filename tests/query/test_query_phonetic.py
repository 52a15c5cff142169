"""Codes of how words sound, by the examples of those who published the rules."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.query.phonetic import PhoneticAlgorithm, code, cologne

LETTERS = st.text(string.ascii_lowercase, min_size=2, max_size=20)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("muellerluedenscheidt", "65752682"),
        ("wikipedia", "3412"),
        ("breschnew", "17863"),
        ("meyer", "67"),
        ("maier", "67"),
        ("schmidt", "862"),
        ("schmitt", "862"),
        ("philipp", "351"),
        ("christian", "47826"),
        ("kristian", "47826"),
        ("xaver", "4837"),
        ("max", "648"),
        ("cyrus", "878"),
        ("aida", "02"),
    ],
)
def test_cologne(word, expected):
    assert cologne(word) == expected


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("knife nife", "en"),
        ("phone fone", "en"),
        ("catherine kathryn katherine", "en"),
        ("night nite knight", "en"),
        ("geoffrey jeffrey", ""),
        ("meier maier mayer meyer", "de"),
    ],
)
def test_words_that_sound_alike(words, language):
    assert len({code(word, language) for word in words.split()}) == 1


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("robert", "R163"),
        ("rupert", "R163"),
        ("rubin", "R150"),
        ("ashcraft", "A261"),
        ("tymczak", "T522"),
        ("pfister", "P236"),
    ],
)
def test_soundex(word, expected):
    assert (
        code(word, "en", PhoneticAlgorithm.SOUNDEX) == code(word, "de", PhoneticAlgorithm.SOUNDEX) == expected
    )


@pytest.mark.parametrize("word", ["", "a", "книга", "京都", "r2d2", "größe"])
def test_what_has_no_code(word):
    assert [code(word, language, way) for language in ("de", "en") for way in PhoneticAlgorithm] == [""] * 4


@given(LETTERS)
def test_cologne_repeats_nothing_and_keeps_vowels_only_in_front(word):
    found = cologne(word)
    assert set(found) <= set("012345678")
    assert "0" not in found[1:]
