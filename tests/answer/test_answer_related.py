"""Queries that others might go on with."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from made_completions import completions_of

from gossamer.answer.completion.phrase_index import folded_words
from gossamer.answer.completion.suggestions import related

STOP = {"the", "of", "a"}


def test_known_phrases_that_say_more():
    known = completions_of(
        [("jaguar cars", 3.0), ("Jaguar cars of the sixties", 2.5), ("black jaguar", 2.0), ("lynx", 9.0)]
    )
    assert related("jaguar", [], STOP, known) == ("jaguar cars", "black jaguar")


def test_those_that_the_best_results_speak_of_come_first():
    known = completions_of([("jaguar cars", 3.0), ("jaguar habitat", 2.0)])
    assert related("jaguar", ["The habitat of cats"], STOP, known)[0] == "jaguar habitat"


def test_titles_alone_will_do():
    titles = ["The Jaguar E-Type", "Jaguar habitat", "A jaguar habitat in Peru", "Lynx"]
    assert related("Jaguar", titles, STOP) == ("jaguar habitat",)


def test_long_or_empty_queries_have_none():
    known = completions_of([("a b c d e f", 1.0)])
    assert related("a b c d e", [], STOP, known) == ()
    assert related("!", [], STOP, known) == ()


WORDS = st.lists(st.sampled_from(["cat", "the", "dog", "owl", "of", "Élan"]), min_size=1, max_size=6).map(
    " ".join
)


@given(WORDS, st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=20))
def test_each_says_more_and_something_else(query, titles, phrases):
    known = completions_of([(phrase, float(n)) for n, phrase in enumerate(phrases)])
    found = related(query, titles, STOP, known)
    assert len(found) <= 8
    asked = set(folded_words(query))
    added = [frozenset(folded_words(one)) - asked - STOP for one in found]
    assert all(added)
    assert len(set(added)) == len(added)
    assert all(asked <= set(folded_words(one)) for one in found)  # none has another ending here


def test_other_endings_will_do():
    known = completions_of([("wild cats", 3.0), ("category theory", 9.0), ("cats", 5.0)])
    assert related("cat", [], STOP, known) == ("wild cats",)
    assert related("cat", ["Cats of prey", "The cats of prey"], STOP) == ("cats of prey",)


def test_scripts_without_spaces_are_written_without_them():
    titles = ["京都さんぽ", "京都さんぽ 秋の寺", "京都大学", "旅行 京都"]
    assert related("京都", titles, STOP) == ("京都さんぽ",)
    assert related("京都", ["京都 旅行", "京都、旅行"], STOP) == ("京都 旅行",)
