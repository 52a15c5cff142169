"""Vietnamese syllables, with and without marks."""

from __future__ import annotations

import unicodedata

import pytest

from gossamer.text.terms import fold, is_bare_syllable, marked_syllables, with_tone_in_place


@pytest.mark.parametrize("syllable", "hà nội người đường nghiêng khuyến quyết giữa uý thuở ăn đổi".split())
def test_a_bare_syllable_may_stand_for_the_marked_one(syllable):
    bare = fold(syllable)
    assert is_bare_syllable(bare)
    assert with_tone_in_place(syllable) in marked_syllables(bare)


@pytest.mark.parametrize("bare", ["ma", "dieu", "nguoi", "y", "an"])
def test_nothing_else_is_among_them(bare):
    marked = marked_syllables(bare)
    assert bare in marked
    assert {fold(one) for one in marked} == {bare}
    assert all(unicodedata.is_normalized("NFC", one) for one in marked)
    assert {with_tone_in_place(one) for one in marked} == marked


@pytest.mark.parametrize("word", ["jaguar", "hello", "hà", "", "12", "bcd"])
def test_other_words_are_no_bare_syllables(word):
    assert not is_bare_syllable(word)
