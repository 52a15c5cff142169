import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.results.spelling import MOST_WORDS, did_you_mean
from gossamer.text.distance import distance, within

VOCABULARY = {
    "jaguar": 50,
    "jaguars": 5,
    "jacket": 9,
    "lantern": 30,
    "lanterns": 40,
    "planet": 20,
    "mercury": 8,
}


def nothing(word):
    return ()


def suggest(*words, vocabulary=VOCABULARY, alike=nothing):
    def near(word, mistakes):
        return vocabulary

    return did_you_mean(words, lambda word: vocabulary.get(word, 0), near, alike)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("jagaur", "jaguar"),  # swapped
        ("jguar", "jaguar"),  # left out
        ("jaaguar", "jaguar"),  # doubled
        ("jaguer", "jaguar"),  # wrong
        ("lantren", "lantern"),
        ("mrecuyr", "mercury"),  # two mistakes in seven letters
        ("Jagaur", "jaguar"),
    ],
)
def test_corrects(typed, meant):
    assert suggest(typed) == meant


@pytest.mark.parametrize("typed", ["jaguar", "xyzzy", "jgr", "2o24", "1234", "plnaey", "jag-aur"])
def test_leaves_alone(typed):
    assert suggest(typed) is None


def test_keeps_the_other_words():
    assert suggest("big", "jagaur", "mercury") == "big jaguar mercury"


def test_takes_the_most_frequent_then_the_first():
    assert suggest("lanterno") == "lanterns"
    assert suggest("cars", vocabulary={"cart": 3, "care": 3, "card": 1}) == "care"


def test_one_mistake_comes_before_two():
    assert suggest("planets", vocabulary={"planet": 1, "planers": 0, "placers": 999}) == "planet"


def test_candidates_that_stand_nowhere_do_not_help():
    assert suggest("jagaur", vocabulary={"jaguar": 0}) is None


def test_what_only_sounds_alike_comes_last():
    known = {"phone": 3, "fan": 1, "pharaoh": 2, "telephone": 4}

    def alike(word):
        return known

    assert suggest("fone", vocabulary=known, alike=alike) == "phone"  # nearest of them
    assert suggest("phonne", vocabulary={**known, "phonne": 0}, alike=alike) == "phone"
    assert suggest("fonofonofono", vocabulary=known, alike=alike) is None  # half the letters must be right


def test_only_so_many_unknown_words_are_looked_for():
    asked = []

    def near(word, mistakes):
        asked.append((word, mistakes))
        return ["jaguar"]

    typed = ["planet", *(f"unknown{letter}" for letter in "abcdefghij"), "unknowna", "jagaur"]
    assert did_you_mean(["jagaur", *typed], lambda word: VOCABULARY.get(word, 0), near, nothing) == " ".join(
        ["jaguar", *typed[:-1], "jaguar"]
    )
    looked_for = list(dict.fromkeys(word for word, _ in asked))
    assert looked_for == ["jagaur", *typed[1:MOST_WORDS]]
    assert asked[:3] == [("jagaur", 1), ("unknowna", 1), ("unknowna", 2)]


def test_no_words():
    assert suggest() is None


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("ab", "ba", 1),
        ("ca", "abc", 3),
        ("kitten", "sitting", 3),
        ("abcd", "badc", 2),
    ],
)
def test_distance(first, second, expected):
    assert distance(first, second) == expected


def twin(a, b):
    """The recurrence as the docstring has it, without any economy."""
    if not a or not b:
        return len(a) + len(b)
    best = min(twin(a[:-1], b) + 1, twin(a, b[:-1]) + 1, twin(a[:-1], b[:-1]) + (a[-1] != b[-1]))
    if len(a) > 1 and len(b) > 1 and a[-1] == b[-2] and a[-2] == b[-1]:
        best = min(best, twin(a[:-2], b[:-2]) + 1)
    return best


SHORT = st.text(alphabet="abc", max_size=5)


@given(SHORT, SHORT)
def test_distance_is_the_recurrence(first, second):
    assert distance(first, second) == twin(first, second)
    assert distance(first, second) == distance(second, first)


@given(st.text(alphabet="abc", max_size=9), st.text(alphabet="abc", max_size=9), st.integers(1, 2))
def test_within_agrees_with_distance(first, second, mistakes):
    assert within(first, second, mistakes) == (distance(first, second) <= mistakes)
