import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.snippets import TermMatcher, find_places, snippet, written_in
from gossamer.text.terms import analyser

own = TermMatcher(lambda word: [word.lower()])


def marked(shown):
    return [shown.text[start:end] for start, end in shown.highlights]


FILLER = "Nothing of interest stands here and it goes on like that. " * 20


def test_highlights_the_words():
    shown = snippet("The jaguar is a cat.", {"jaguar", "cat"}, own)
    assert shown.text == "The jaguar is a cat."
    assert marked(shown) == ["jaguar", "cat"]


def test_matches_by_terms_not_by_spelling():
    english = analyser("en")
    shown = snippet(
        "Families of JAGUARS, the jaguar's life.", set(english.terms("jaguar family")), written_in("en")
    )
    assert marked(shown) == ["Families", "JAGUARS", "jaguar"]


def test_prefers_distinct_terms_to_repetitions():
    text = "cat cat cat cat. " + FILLER + "Here a jaguar meets a cat. " + FILLER
    assert marked(snippet(text, {"cat", "jaguar"}, own)) == ["jaguar", "cat"]


def test_prefers_repetitions_to_early_places():
    text = "One cat. " + FILLER + "A cat sees a cat. " + FILLER + "A cat hears a cat."
    shown = snippet(text, {"cat"}, own)
    assert shown.text.startswith("A cat sees a cat.")


def test_prefers_the_earliest_of_equals():
    text = FILLER + "First cat. " + FILLER + "Second cat."
    assert "First cat" in snippet(text, {"cat"}, own).text


def test_begins_with_the_sentence_and_marks_the_cut():
    text = FILLER + "In the forest lives a jaguar. " + FILLER
    shown = snippet(text, {"jaguar"}, own, width=60)
    assert shown.text.startswith("In the forest lives a jaguar.")
    assert shown.text.endswith(" …")
    assert len(shown.text) <= 60 + 4


def test_a_long_sentence_is_cut_at_words():
    text = "start " + "word " * 200 + "jaguar " + "other " * 200
    shown = snippet(text, {"jaguar"}, own, width=50)
    assert shown.text.startswith("… word ")
    assert shown.text.endswith((" other …", " other"))
    assert set(shown.text.split()) == {"…", "word", "jaguar", "other"}


def test_lines_become_one_and_are_sentence_starts():
    text = "heading without a stop\n" * 30 + "The jaguar\nswims\n\n  well"
    shown = snippet(text, {"jaguar"}, own, width=40)
    assert shown.text == "The jaguar · swims · well"
    assert marked(shown) == ["jaguar"]


def test_lines_without_punctuation_are_told_apart():
    text = "Cats with sidecars\nComputing and games\nAtari made the Jaguar."
    shown = snippet(text, {"sidecars", "games", "jaguar"}, own)
    assert shown.text == "Cats with sidecars · Computing and games · Atari made the Jaguar."
    assert marked(shown) == ["sidecars", "games", "Jaguar"]


@pytest.mark.parametrize("end", [".", "!", "?", "…", ":", ",", ";", '."', ".)", "。", "؟", "।", " ·"])
def test_lines_that_end_with_punctuation_are_not(end):
    assert snippet(f"One cat{end}\nAnother", {"cat"}, own).text == f"One cat{end} Another"


def test_plain_text_goes_on_behind_a_full_line():
    text = "A sentence of plain text that was broken here\nby an editor, with a cat in it"
    assert snippet(text, {"cat"}, own).text == text.replace("\n", " ")
    assert snippet("cats\ndogs\nFish", {"cats"}, own).text == "cats · dogs · Fish"


@pytest.mark.parametrize("width", range(12, 40))
def test_no_snippet_begins_or_ends_between_lines(width):
    shown = snippet("Home\nNews\nAll about cats\nContact\nImprint\n" * 3, {"cats"}, own, width=width)
    assert not shown.text.strip("… ").startswith("·")
    assert not shown.text.strip("… ").endswith("·")
    assert marked(shown)[0] == "cats"


def test_a_cut_between_lines_needs_no_ellipsis():
    assert snippet("All about cats\nContact us today", {"cats"}, own, width=16).text == "All about cats"


def test_whole_short_text_has_no_dots():
    assert snippet("a cat here", {"cat"}, own).text == "a cat here"


@pytest.mark.parametrize(
    ("text", "description", "expected"),
    [
        ("Beginning of the text.", "What it is.", "What it is."),
        ("Beginning of it all.", "", "Beginning of it all."),
        ("", "", ""),
        ("word " * 30, "", "word word word word …"),
    ],
)
def test_without_matches(text, description, expected):
    shown = snippet(text, {"jaguar"}, own, description, width=20)
    assert shown.text == expected
    assert shown.highlights == ()


def test_description_is_searched_when_the_text_has_nothing():
    shown = snippet("Beginning.", {"jaguar"}, own, "All about the jaguar.")
    assert shown.text == "All about the jaguar."
    assert marked(shown) == ["jaguar"]


def test_pairs_of_han_are_joined():
    asked = []

    def term_of(pair):
        asked.append(pair)
        return [pair]

    shown = snippet("私は京都市に行く。", {"京都", "都市"}, TermMatcher(term_of))
    assert marked(shown) == ["京都市"]
    assert "京都" in asked
    assert all(len(pair) == 2 for pair in asked)


def test_mixed_scripts_are_taken_apart():
    shown = snippet("Python言語 한국어 ภาษาไทย", {"python", "言語", "한국", "국어", "าไทย"}, own)
    assert marked(shown) == ["Python言語", "한국어", "าไทย"]


def test_unspaced_text_is_cut_anywhere():
    shown = snippet("山" * 500 + "京都" + "川" * 500, {"京都"}, own, width=40)
    assert "京都" in shown.text
    assert shown.text.startswith("… 山")
    assert 30 <= len(shown.text) <= 44


def test_combining_marks_stay_with_their_word():
    assert marked(snippet("यह हिन्दी है", {"हिन्दी"}, own)) == ["हिन्दी"]


def test_a_word_wider_than_the_window():
    shown = snippet("x" * 1000, {"x" * 1000}, own, width=50)
    assert len(shown.text) <= 54
    assert marked(shown) == ["x" * 50]


def test_looks_at_the_first_hundred_thousand_characters():
    assert snippet("dog. " * 20_001 + "jaguar", {"jaguar"}, own).highlights == ()


def test_term_of_is_asked_once_a_word():
    asked = []
    written = TermMatcher(lambda word: asked.append(word) or [word])
    for text in ("cat dog cat dog", "a dog, a (cat)"):
        find_places(text, frozenset({"cat"}), written)
    assert sorted(asked) == ["a", "cat", "dog"]


ALPHABET = "ab. \n京都çé\u0301\u0e44-…"


@given(
    st.text(alphabet=ALPHABET, max_size=300),
    st.sets(st.text(alphabet="ab京都", min_size=1, max_size=2), max_size=4),
    st.text(alphabet=ALPHABET, max_size=30),
    st.integers(5, 60),
)
def test_any_text(text, terms, description, width):
    shown = snippet(text, terms, own, description, width)
    assert "\n" not in shown.text
    assert len(shown.text) <= width + 4
    reached = -1
    for start, end in shown.highlights:
        assert reached < start < end <= len(shown.text)
        reached = end
    if find_places(text, frozenset(terms), own):
        assert shown.highlights


@given(st.lists(st.sampled_from(["cat", "dog", "eel", "x", "yyyy"]), max_size=60), st.integers(10, 50))
def test_no_window_holds_more_distinct_terms(words, width):
    terms = {"cat", "dog", "eel"}
    text = " ".join(words)
    shown = snippet(text, terms, own, width=width)
    starts = [i for i in range(len(text)) if i == 0 or text[i - 1] == " "]
    whole_words = (f"{text} "[i : i + width + 1].rsplit(" ", 1)[0] for i in starts)
    best = max((len(terms & set(window.split())) for window in whole_words), default=0)
    assert len(set(marked(shown))) >= best


def test_a_snippet_does_not_begin_with_a_comma():
    text = "It went on and on for many words without an end until late, the jaguar slept on a branch"
    for width in range(20, 70):
        shown = snippet(text, {"jaguar"}, own, width=width).text.removeprefix("… ")
        assert shown[0].isalnum()
