"""What mistakes cost, and how much something looks like a word."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_spelling import cost

from gossamer.answer.spelling.error_model import COSTS, KEY_ROWS, channel, coded, habits_of, strangeness
from gossamer.answer.spelling.known_words import words_in
from gossamer.index.dictionary import lexicon_of


@pytest.mark.parametrize(
    ("meant", "likelier", "less_likely"),
    [
        ("phone", "fone", "bone"),  # sounds alike
        ("receive", "recieve", "receixe"),  # vowels swapped
        ("definite", "definate", "defindte"),  # a vowel for a vowel
        ("occurred", "ocurred", "occured"[:-1]),  # a twin left out
        ("knife", "nife", "kife"),  # a letter that is not heard
        ("rhythm", "rythm", "rhythx"),
        ("cat", "kat", "pat"),
        ("hello", "hwllo", "hpllo"),  # e and w are neighbours
        ("lantern", "lantren", "lanstern"),
        ("garden", "gadren", "arden"),  # people seldom miss the first letter
        ("φιλοσοφία", "φηλοσοφία", "φκλοσοφία"),
        ("сегодня", "севодня", "сежодня"),
    ],
)
def test_likelier_mistakes_cost_less(meant, likelier, less_likely):
    assert 0 < cost(meant, likelier) < cost(meant, less_likely)


def test_diacritics_cost_next_to_nothing():
    assert 0 < cost("café", "cafe") < min(value for value in COSTS if value > cost("café", "cafe"))
    assert cost("café", "café") == 0


WORD = st.text(alphabet="aehkpfcst", max_size=7)


@given(WORD, WORD)
def test_only_the_same_word_costs_nothing(meant, typed):
    assert (cost(meant, typed) == 0) == (meant == typed)


@given(WORD, WORD, WORD)
def test_what_both_words_share_at_the_end_does_not_make_them_dearer(meant, typed, rest):
    assert cost(meant + rest, typed + rest) <= cost(meant, typed) + max(COSTS) * 2


def test_letters_that_two_bytes_do_not_hold_do_no_harm():
    assert coded("a\U0001d4d0").tolist() == [97, 0xFFFF]
    assert cost("a\U0001d4d0", "ab") > 0


def test_every_letter_of_a_keyboard_is_known():
    numbers = channel().numbers
    assert all(numbers[ord(letter)] > 1 for rows in KEY_ROWS for row in rows for letter in row)


def test_what_is_made_as_words_are_is_less_strange():
    known = ["planet", "planets", "plane", "lantern", "lanterns", "garden", "hardened"]
    words = words_in(lexicon_of("\n".join([*known, ""]).encode(), np.ones(len(known), np.int64)))
    habits = habits_of(words.table.letters, words.table.bounds.astype(np.int64))
    assert strangeness(habits, "planed") < strangeness(habits, "pnlaed") < strangeness(habits, "xqzvwk")
    assert np.allclose(np.exp(habits.astype(np.float64)).sum(axis=2), 1, atol=1e-3)
