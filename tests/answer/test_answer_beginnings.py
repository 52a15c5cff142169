from itertools import product
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.snippets import KEPT, LETTERS, sought
from gossamer.query.synonyms import starter_list
from gossamer.text.stopwords import languages, section
from gossamer.text.terms import analyser, fold, irregular_forms, without_language
from gossamer.text.words import words

ENDINGS = (
    "",
    "s",
    "es",
    "ing",
    "ies",
    "er",
    "en",
    "ed",
    "ation",
    "ement",
    "ying",
    "a",
    "ai",
    "ia",
    "ov",
    "ami",
)
SHORT = ["".join(letters) + end for letters in product(ascii_lowercase, repeat=2) for end in ENDINGS]
LISTED = {
    word
    for name in ("stopwords", "irregular", "intent")
    for language in languages(name)
    for line in section(name, language)
    for word in words(line)
} | set(words(starter_list()))


def bare(word, size):
    return fold(word)[:size].replace("y", "i")


@pytest.mark.parametrize("language", KEPT)
def test_stemmers_leave_beginnings(language):
    """What the module takes for granted; irregular forms are known to it one by one."""
    terms, kept = analyser(language), KEPT[language]
    irregular = {fold(form) for form in irregular_forms(language)}
    for word in {*SHORT, *LISTED} - irregular:
        if word.isalpha() and word == fold(word).lower():
            stem = without_language(terms[word])
            assert bare(word, len(bare(stem, kept))) == bare(stem, kept), (word, stem)


TEXTS = (
    "A Jaguar's (jaguar) JAGUARS, semi-jaguar; the U.S.A. at 10km of #jaguars in C++ for 1,000 MICE and men",
    "L’école de la École, l’ÉTÉ: Æsop’s Straße – “Übung” am 3.14. für Œuvres; œil, yeux",
    "Быстрая лиса и ёлка прыгают через ЛИСУ 京都市x86 Pythonを ﬁne e\u0301cole İstanbul ½cup x½y ŉa",
    "dying and lying; they die, went, go, gone 3d 4D 1984 1984's mp3 MP3s",
)


@pytest.mark.parametrize("language", [*KEPT, "ar", "tr"])
@pytest.mark.parametrize("text", TEXTS)
def test_nothing_that_matters_is_passed_over(text, language):
    terms = analyser(language).terms
    stretches = text.split()
    for stretch in stretches:
        for term in terms(stretch):
            known = sought(frozenset({term, "other\x1fxx"}), language)
            assert (known is None) == (language not in KEPT)
            if known:
                assert known.terms == {term}
                assert {one for one in stretches if term in terms(one)} <= set(known.among(text))


@given(st.text(), st.sampled_from(sorted(KEPT)))
def test_any_text(text, language):
    terms = analyser(language).terms
    for stretch in text.split():
        for term in terms(stretch):
            known = sought(frozenset({term}), language)
            assert known
            assert stretch in known.among(text)


def test_most_words_are_passed_over():
    known = sought(frozenset({"jaguar\x1fen", "mous\x1fen"}), "en")
    assert known is not None
    assert set(known.among("the mice of a Jaguar family, 1984")) == {"mice", "Jaguar"}
    assert all(len(head) == LETTERS for head in known.heads)
