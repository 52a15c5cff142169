"""How what is typed goes on: by its beginning, by its words, with a mistake; against a plain twin."""

from __future__ import annotations

from itertools import pairwise

import jellyfish
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_completions import completions_of

from gossamer.answer.completion.phrase_index import Phrases, folded_words, likely_words, typed
from gossamer.answer.completion.suggestions import without_site_names

PHRASES = [
    ("jaguar", 9.0),
    ("Jaguar XJ", 8.0),
    ("The black jaguar", 7.0),
    ("Shared memory", 6.0),
    ("The shared memory of servers", 5.0),
    ("Memory that servers share", 4.0),
    ("Äpfel und Birnen", 3.0),
    ("Ελληνική ιστορία", 2.0),
    ("京都市の歴史", 2.0),
    ("C++ for all", 1.0),
]
KNOWN = completions_of(PHRASES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("jag", ["jaguar", "Jaguar XJ", "The black jaguar"]),
        ("JAGUAR", ["Jaguar XJ", "The black jaguar"]),  # what is there already is not offered
        ("jaguar ", ["Jaguar XJ", "The black jaguar"]),
        ("jaguar b", ["The black jaguar"]),
        ("memory sh", ["Shared memory", "The shared memory of servers", "Memory that servers share"]),
        ("mem", ["Memory that servers share", "Shared memory", "The shared memory of servers"]),
        ("apfel", ["Äpfel und Birnen"]),
        ("birnen ä", ["Äpfel und Birnen"]),
        ("ελλη", ["Ελληνική ιστορία"]),
        ("京", ["京都市の歴史"]),
        ("京都市", ["京都市の歴史"]),
        ("c++", ["C++ for all"]),
        ("", []),
        ("   ", []),
        ("!?", []),
        ("zebra", []),
        ("jaguar zebra", []),
    ],
)
def test_what_is_offered(text, expected):
    assert KNOWN.complete(text, 5) == expected


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("jagaur", "jaguar"),
        ("jaugar x", "Jaguar XJ"),
        ("haguar", "jaguar"),
        ("shred mem", "Shared memory"),
        ("memroy sh", "Shared memory"),
        ("ιστρια", "Ελληνική ιστορία"),
    ],
)
def test_a_mistake_is_forgiven(text, first):
    assert KNOWN.complete(text, 5)[0] == first


def test_only_so_many_are_offered():
    many = completions_of([(f"word number {n}", float(n)) for n in range(500)])
    assert many.complete("word", 3) == ["word number 499", "word number 498", "word number 497"]
    assert len(many.complete("number wo", 8)) == 8


def test_of_the_same_words_the_first_is_shown_with_the_weight_of_the_heaviest():
    known = completions_of([("Jaguar", 1.0), ("JAGUAR!", 3.0), ("jackal", 2.0), ("x" * 100, 9.0)])
    assert known.complete("ja", 5) == ["Jaguar", "jackal"]
    assert len(known) == 2


def test_where_very_many_begin_so(monkeypatch):
    from gossamer.answer.completion import phrase_index as completion

    monkeypatch.setattr(completion, "MOST_LOOKED_AT", 3)
    many = completions_of([(f"number {n} one{n}", float(n)) for n in range(50)] + [("two onyx", 0.0)])
    assert many.complete("one", 3) == []  # too many hold it, and none begins with it
    assert many.complete("number one", 2) == ["number 49 one49", "number 48 one48"]
    assert many.complete("two on", 2) == ["two onyx"]
    assert many.complete("onyx on", 2) == ["two onyx"]


def test_nothing_is_known():
    assert completions_of([]).complete("jaguar", 5) == []


def plainly(phrases, text, k):
    """The same by looking at every phrase."""
    asked = typed(text)
    if not asked.key.strip():
        return []
    shown, heaviest = {}, {}
    for phrase, weight in phrases:
        words = folded_words(phrase)
        shown.setdefault(words, phrase)
        heaviest[words] = max(weight, heaviest.get(words, weight))
    order = sorted(shown, key=lambda words: (-heaviest[words], len(shown[words]), " ".join(words)))
    best = {words: shown[words] for words in order}
    own = folded_words(text)
    keys = {words: " ".join(words) for words in best if words and words != own}
    begin = [best[words] for words, key in keys.items() if key.startswith(asked.key)]
    hold = [
        best[words]
        for words in keys
        if set(asked.whole) <= set(words)
        and (not asked.begun or any(word.startswith(asked.begun) for word in words))
        and best[words] not in begin
    ]
    return [*begin, *hold][:k]


WORDS = st.lists(st.sampled_from(["a", "ab", "abc", "b", "bc", "Ä", "cat", "京都"]), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(WORDS.map(" ".join), st.integers(0, 9).map(float)), max_size=15),
    WORDS.map(" ".join),
    st.sampled_from(["", " "]),
    st.integers(1, 6),
)
def test_the_same_as_by_looking_at_every_phrase(phrases, words, space, k):
    expected = plainly(phrases, words + space, k)
    if expected:
        assert completions_of(phrases).complete(words + space, k) == expected


@given(st.text(max_size=60))
def test_anything_may_be_typed(text):
    assert all(isinstance(one, str) for one in KNOWN.complete(text, 3))


@given(st.lists(st.tuples(st.text(max_size=30), st.floats(0, 10))), st.text(max_size=10))
def test_any_phrases_may_be_known(phrases, text):
    texts = {text for text, _ in phrases}
    assert set(completions_of(phrases).complete(text, 5)) <= {
        one.encode("utf-8", "replace").decode() for one in texts
    }


@given(st.text("abc", min_size=3, max_size=6))
def test_likely_words_are_one_mistake_away(word):
    likely = list(likely_words(word, "abc"))
    assert likely
    assert all(jellyfish.damerau_levenshtein_distance(word, one) <= 1 for one in likely)


def test_short_words_and_other_scripts_are_left_alone():
    assert not list(likely_words("ab", "abc"))
    assert not list(likely_words("a" * 30, "abc"))
    assert not [one for one in likely_words("кот", "abcкотя") if one.isascii() and one]


def frequent_phrases(titles, stop_words):
    phrases = Phrases()
    for title in titles:
        phrases.add(title, 1.0)
    return phrases.frequent(stop_words)


def test_phrases_that_titles_have_in_common():
    titles = [
        "New York Stock Exchange",
        "The New York Stock Exchange",
        "New York Stock Exchange today",
        "New York in spring",
        "New York in autumn",
        "Spring in 2024",
    ]
    found = dict(frequent_phrases(titles, {"the", "in", "of"}))
    assert found["new york"] == 5
    assert found["york stock exchange"] == 3 or found["new york stock"] == 3
    assert "york stock" not in found
    assert "in" not in found
    assert "2024" not in found


@given(
    st.lists(st.lists(st.sampled_from(["cat", "dog", "the", "owl"]), max_size=5).map(" ".join), max_size=30)
)
def test_frequent_phrases_are_counted_rightly(titles):
    for phrase, count in frequent_phrases(titles, {"the"}):
        words, places = phrase.split(), 0
        for title in set(titles):
            row = title.split()
            places += sum(row[i : i + len(words)] == words for i in range(len(row)))
        assert places == count >= 3
        assert "the" not in {words[0], words[-1]}


def test_names_of_sites_are_taken_off_titles():
    titles = ["Home", "Wildcats | Jaguar", "Wildcats | Lynx", "Wildcats | Puma - a cat", "Wildcats"]
    assert without_site_names(titles, [1] * 5) == ["Home", "Jaguar", "Lynx", "Puma - a cat", "Wildcats"]
    assert without_site_names(titles, range(5)) == titles
    assert without_site_names([], []) == []


def test_phrases_of_scripts_without_spaces_have_none():
    assert frequent_phrases(["京都大学", "京都大学 図書館", "私の京都大学"], set())[0] == ("京都大学", 3)
    assert frequent_phrases(["서울 여행", "서울 여행 사진", "봄 서울 여행"], set())[0] == ("서울 여행", 3)


def test_phrases_are_shown_as_people_write_them():
    titles = ["Größe der Häuser", "Die Größe", "Größe heute"]
    assert frequent_phrases(titles, {"die", "der"}) == [("größe", 3)]


@given(
    st.lists(st.tuples(st.text("abä京 ", max_size=12), st.floats(0, 3)), max_size=20),
    st.text("abä京", max_size=3),
)
def test_keys_stand_in_the_order_of_their_bytes(phrases, text):
    made = completions_of(phrases)
    bounds = made.key_bounds.tolist()
    keys = [made.keys[begin:end] for begin, end in pairwise(bounds)]
    assert keys == sorted({" ".join(folded_words(one)).encode() for one, _ in phrases} - {b""})
    assert [" ".join(made.words_in(phrase)).encode() for phrase in made.key_phrases.tolist()] == keys
    begun = [
        phrase
        for phrase, key in zip(made.key_phrases.tolist(), keys, strict=True)
        if key.startswith(text.encode())
    ]
    assert made.beginning(text, 5) == sorted(begun)[:5]
