"""Irregular forms have the terms of their bases, in pages and queries."""

from __future__ import annotations

import numpy as np
import pytest

from gossamer.text.stopwords import is_stop_word, languages, section
from gossamer.text.terms import SNOWBALL, analyser, irregular_forms
from gossamer.text.tokenizer import Tokenizer
from gossamer.text.words import words

LISTED = sorted(languages("irregular"))


def test_english_has_hundreds():
    assert len(irregular_forms("en")) > 400
    assert not irregular_forms("xx")


@pytest.mark.parametrize("language", LISTED)
def test_forms_and_bases_are_words_and_listed_once(language):
    lines = [line.partition(":") for line in section("irregular", language)]
    forms = [form for _, _, forms in lines for form in forms.split()]
    assert len(forms) == len(set(forms))
    known = irregular_forms(language)
    assert language in SNOWBALL
    assert [word for word in [*known, *known.values()] if words(word) != [word]] == []
    assert not known.keys() & set(known.values())  # a base is no form of another


@pytest.mark.parametrize("language", LISTED)
def test_a_form_has_the_term_of_its_base(language):
    reader, runs = analyser(language), Tokenizer()
    known = irregular_forms(language)
    numbers, _ = runs.number([" ".join(known)])
    indexed = [
        runs.terms.texts[number] for number in runs.terms.of(numbers.astype(np.uint32), language).tolist()
    ]
    assert indexed == [reader[form] for form in known] == [reader[base] for base in known.values()]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "mice", "mouse"),
        ("en", "geese", "goose"),
        ("en", "children", "childs"),
        ("en", "ran", "running"),
        ("en", "matrices", "matrix"),
        ("de", "Museen", "Museums"),
        ("fr", "travaux", "travail"),
        ("es", "voces", "voz"),
        ("nl", "steden", "stad"),
        ("ru", "людей", "человек"),
    ],
)
def test_pairs_that_people_look_for(language, one, other):
    assert analyser(language).terms(one) == analyser(language).terms(other)


@pytest.mark.parametrize(
    ("one", "other"), [("better", "good"), ("left", "leave"), ("saw", "see"), ("led", "lead")]
)
def test_words_of_their_own_stay_apart(one, other):
    assert analyser("en")[one] != analyser("en")[other]


def test_no_english_function_word_changes_its_meaning():
    assert [form for form in irregular_forms("en") if is_stop_word(form, "en")] == ["became"]
