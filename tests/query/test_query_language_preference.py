"""In which language a query was typed, and what pages in other languages count."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import TermStats
from gossamer.query.conditions import LanguagePreference, Plan
from gossamer.query.language_preference import language_preference
from gossamer.text.terms import in_language

PAGES = {"de": 1000, "en": 1000}


def asked(*words, pages=PAGES, preferred=(), others=0.5):
    """The leaning of a query whose words stand in so many pages of each language."""
    plan = Plan(tuple(tuple(in_language(f"w{n}", code) for code in word) for n, word in enumerate(words)))
    held = {in_language(f"w{n}", code): df for n, word in enumerate(words) for code, df in word.items()}
    return language_preference(plan, TermStats(sum(pages.values()), held), pages, preferred, others).leaning


def test_words_of_one_language():
    found = asked({"de": 50, "en": 0}, {"de": 30, "en": 0})
    assert (found.language, found.shares["de"]) == ("de", 1.0)
    assert 0.5 <= found.shares["en"] < 0.6


def test_a_name_decides_nothing():
    found = asked({"de": 50, "en": 40})
    assert found == LanguagePreference({"de": 1.0, "en": 1.0})
    assert asked({"de": 50, "en": 0}).shares["en"] > 0.85


def test_the_worked_example():
    """By hand: de (100 + 50 * .055) / 1050, en (10 + 50 * .055) / 1050, which is 8.06 to 1; two such, 65."""
    word = {"de": 100, "en": 10}
    assert asked(word).shares == {"de": 1.0, "en": 1.0}
    assert asked(word, word).shares["en"] == pytest.approx(1 - 0.5 * math.log10(6.495) / 2, abs=0.001)


def test_few_pages_prove_little():
    assert asked({"de": 1, "en": 50}, pages={"de": 20, "en": 10_000}).shares == {"de": 1.0, "en": 1.0}


def test_preferred_languages():
    alike = {"de": 50, "en": 50}
    assert asked(alike, preferred=["de"]).language == "de"
    assert asked(alike, preferred=["de-AT"]).shares["en"] < 1.0
    assert asked(alike, preferred=["de", "en"]).shares == {"de": 1.0, "en": 1.0}
    assert asked(alike, preferred=["xx", "", "*"]).shares == {"de": 1.0, "en": 1.0}
    english = {"de": 0, "en": 50}
    assert asked(english, english, english, preferred=["de"]).language == "en"


def test_languages_that_are_nearly_one_count_alike():
    pages = {"nb": 500, "no": 500, "en": 1000}
    found = asked({"nb": 60, "no": 1, "en": 0}, {"nb": 60, "no": 1, "en": 0}, pages=pages)
    assert found.shares["no"] == found.shares["nb"] == 1.0
    assert found.shares["en"] < 0.6


def test_what_needs_no_leaning():
    assert asked({"de": 5, "en": 0}, others=1.0) == LanguagePreference()
    assert asked({"de": 5}, pages={"de": 10}) == LanguagePreference()
    assert asked() == LanguagePreference()
    assert asked({"de": 0, "en": 0}).shares == {"de": 1.0, "en": 1.0}


def test_languages_without_a_stemmer_are_one():
    found = asked({"": 50, "en": 0}, {"": 50, "en": 0}, pages={"zh": 500, "ja": 500, "en": 1000})
    assert found.shares.keys() == {"", "en"}
    assert (found.shares[""], found.language) == (1.0, "")


def test_weights():
    assert LanguagePreference({"de": 1.0, "en": 0.5}).of_terms(
        {"a\x1fde": 9, "a\x1fen": 8, "b\x1fen": 1}
    ) == {
        "a\x1fde": 9,
        "a\x1fen": 4,
        "b\x1fen": 1,
    }


COUNTS = st.dictionaries(st.sampled_from(["de", "en", "fr"]), st.integers(0, 100), min_size=3)


@given(st.lists(COUNTS, min_size=1, max_size=6), st.floats(0.01, 1))
def test_the_likeliest_counts_in_full_and_none_less_than_the_least(words, others):
    found = asked(*words, pages={"de": 100, "en": 1000, "fr": 150}, others=others)
    shares = list(found.shares.values()) or [1.0]
    assert max(shares) == 1.0
    assert min(shares) >= others - 1e-9
