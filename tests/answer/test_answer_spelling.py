"""Which word was meant, and when nothing is said."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_spelling import cost

from gossamer.answer.spelling.correct import (
    AUTOCORRECT_CONFIDENCE,
    MOST_WORDS,
    RARE,
    SUGGEST_CONFIDENCE,
    TypedWord,
    WordSpan,
    guess,
    respelt,
)
from gossamer.answer.spelling.error_model import Correction

VOCABULARY = {
    "jaguar": 50,
    "jaguars": 5,
    "jacket": 9,
    "lantern": 30,
    "planet": 20,
    "mercury": 80,
    "search": 400,
    "engine": 300,
    "the": 9000,
    "quick": 90,
    "phone": 60,
    "running": 70,
    "run": 90,
    "φιλόσοφοσ": 40,
    "phonetically": 30,
    "planetarium": 60,
}


class Words:
    """A vocabulary in memory. Words are forms of one when only a final s is between them."""

    def __init__(self, known=None, phrases=(), size=1000, pairs=None):
        self.known = VOCABULARY if known is None else known
        self.phrases, self.size, self.pairs = set(phrases), size, pairs or {}
        self.asked = []

    def stem(self, word):
        return word.removesuffix("s")

    def documents(self, words):
        stems = {}
        for word, count in self.known.items():
            stems[self.stem(word)] = stems.get(self.stem(word), 0) + count
        return [stems.get(self.stem(word), 0) for word in words]

    def near(self, word):
        self.asked.append(word)
        found = (Correction(one, count, cost(one, word)) for one, count in self.known.items())
        return [one for one in found if one.cost <= 900]

    def letter_model_cost(self, word):
        return 2.7 * len(word)

    def same(self, several, other):
        return [self.stem(one) == self.stem(other) for one in several]

    def together(self, pairs, side_by_side):
        if side_by_side:
            return [20 * (" ".join(pair) in self.phrases) for pair in pairs]
        return [self.pairs.get(pair, 0) for pair in pairs]


def spelt(text):
    found, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        found.append(WordSpan(word.lower(), place, place + len(word)))
        place += len(word)
    return found


def suggest(text, words=None):
    better = respelt(text, spelt(text), words or Words(phrases=["search engine", "the quick"]))
    return better.text if better else None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("jagaur", "jaguar"),  # swapped
        ("jguar", "jaguar"),  # left out
        ("jaaguar", "jaguar"),  # doubled
        ("jaguer", "jaguar"),  # wrong
        ("lantren", "lantern"),
        ("mrecuyr", "mercury"),  # two mistakes in seven letters
        ("foneticly", "phonetically"),  # sounds alike
        ("Jagaur", "Jaguar"),
        ("serch engien", "search engine"),
        ("searchengine", "search engine"),
        ("thequick", "the quick"),
        ("sear chengine", "search engine"),
        ("plan etarium", "planetarium"),
        ("big  jagaur,mercury", None),  # what is no plain word is not offered here
        ("Φηλόσοφοσ", "Φιλόσοφος"),
    ],
)
def test_corrects(typed, meant):
    assert suggest(typed) == meant


@pytest.mark.parametrize(
    "typed", ["jaguar", "xyzzyqx", "jgr", "bonobo", "tiger", "lentil", "jaguars", "quicks", "window house"]
)
def test_leaves_alone(typed):
    assert suggest(typed) is None


def test_only_the_words_change():
    text = "  (Jagaur OR lantren)   planet "
    words = [WordSpan("jagaur", 3, 9), WordSpan("lantren", 13, 20), WordSpan("planet", 24, 30)]
    assert respelt(text, words, Words()).text == "  (Jaguar OR lantern)   planet "


def test_words_that_stand_nowhere_any_more_do_not_help():
    words = Words()
    words.documents = lambda asked: [0 for _ in asked]
    assert suggest("jagaur", words) is None


def test_context_decides_between_two():
    known = {"marble": 30, "marbles": 0, "marmle": 0, "gamble": 30, "garble": 30, "roman": 50, "statue": 40}
    alone = Words(known)
    beside = Words(known, pairs={("garble", "statue"): 20})
    assert suggest("marbel statue", alone) == "marble statue"
    near = [Correction("garble", 30, 100), Correction("marble", 30, 100)]
    asked = TypedWord("qarble", 20.0)
    plain = guess(asked, near, beside.same, lambda words: [0.0 for _ in words])
    told = guess(asked, near, beside.same, lambda words: [log(5) * (word == "marble") for word in words])
    assert (plain.words, told.words) == ("garble", "marble")
    assert told.sureness > plain.sureness


def test_a_known_word_is_corrected_only_in_large_collections_and_never_unasked():
    known = {"recieve": 3, "receive": 9000}
    assert suggest("recieve", Words(known, size=5 * RARE)) == "receive"
    assert not respelt("recieve", spelt("recieve"), Words(known, size=5 * RARE)).sure
    assert suggest("recieve", Words(known, size=RARE)) is None
    assert suggest("recieve", Words({**known, "recieve": 30}, size=50 * RARE)) is None  # often enough a word


def test_a_form_of_a_known_word_needs_more():
    assert suggest("lanterns") is None
    assert suggest("runnings") is None


def test_a_word_is_not_meant_twice():
    assert suggest("jagaur jaguar") is None


def test_sure_is_surer_than_likely():
    assert SUGGEST_CONFIDENCE < AUTOCORRECT_CONFIDENCE
    assert respelt("jagaur", spelt("jagaur"), Words()).sure


def test_only_so_many_doubtful_words_are_looked_for():
    words = Words()
    text = " ".join(f"unknown{letter}" for letter in "abcdefghij")
    suggest(text, words)
    assert len(words.asked) == MOST_WORDS


def test_no_words():
    assert respelt("", [], Words()) is None


LETTERS = st.text(alphabet="aegjnrtu", min_size=1, max_size=8)


@given(st.dictionaries(LETTERS, st.integers(1, 10_000), min_size=1, max_size=12), LETTERS)
def test_what_is_suggested_is_known_and_stays(known, typed):
    words = Words(known)
    better = suggest(typed, words)
    if better is not None:
        assert better != typed
        assert all(words.documents([word])[0] for word in better.split())
        assert suggest(better, words) is None


@given(st.dictionaries(LETTERS, st.integers(1, 10_000), min_size=1, max_size=12), st.data())
def test_known_words_are_left_alone(known, data):
    assert suggest(data.draw(st.sampled_from(sorted(known))), Words(known)) is None


@given(st.integers(1, 1000), st.integers(1, 1000), st.integers(0, 900), st.integers(0, 900))
def test_frequent_and_near_words_come_first(count, other, near, far):
    assert (Correction("a", count, near).score <= Correction("b", count, far).score) == (near >= far)
    assert (Correction("a", count, near).score <= Correction("b", other, near).score) == (count <= other)


def test_context_is_not_asked_for_where_it_could_not_help():
    def asked(words):
        raise AssertionError(words)

    typed, near = TypedWord("qarble", 0.0), [Correction("garble", 2, 800)]
    assert guess(typed, near, Words().same, asked, likely=True) is None
    assert guess(typed, near, Words().same, lambda words: [2.0]).sureness < SUGGEST_CONFIDENCE


def test_forms_of_the_typed_word_are_passed_over_however_many_they_are():
    def same(several, other):
        asked.append(len(several))
        return [one.startswith("form") for one in several]

    asked = []
    forms = [Correction(f"form{n}", 1000, 10 + n) for n in range(50)]
    others = [Correction(f"other{n}", 1000, 200 + n) for n in range(90)]
    typed = TypedWord("formx", 30.0, is_form=True)
    found = guess(typed, [*forms, *others], same, lambda words: [0.0 for _ in words])
    plain = guess(typed, others, same, lambda words: [0.0 for _ in words])
    assert found == plain
    assert max(asked) <= 20
