"""Lists of synonyms: what can be written, what is found, and what is said of mistakes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.model import BadSetting
from gossamer.query.synonyms import NO_SYNONYMS, read_synonyms, starter_list
from gossamer.text.terms import analyser, without_language

LIST = """
# equal
tv, television, idiot box   # a comment
laptop -> notebook, portable computer
[en fr]
new york city, nyc
colour, color
[de]
handy, mobiltelefon
[*]
www -> web
"""


def found(typed, language, text=LIST):
    """(what was typed, what may stand for it), as stems."""
    terms = analyser(language).terms(typed)
    stems = [without_language(term) for term in terms]
    return [
        (" ".join(stems[place.start : place.stop]), " ".join(map(without_language, instead)))
        for place, instead in read_synonyms(text, "list").found(terms, (language,))
    ]


def test_equal_ones_find_each_other():
    assert found("television", "en") == [("televis", "tv"), ("televis", "idiot box")]
    assert found("an idiot box", "en") == [("idiot box", "tv"), ("idiot box", "televis")]


def test_one_way_rules():
    assert found("laptops", "en") == [("laptop", "notebook"), ("laptop", "portabl comput")]
    assert found("notebook portable computer", "en") == []


def test_several_words_must_all_stand_there():
    assert found("new york city hall", "en") == [("new york citi", "nyc")]
    assert found("new york", "en") == []
    assert found("nyc", "en") == [("nyc", "new york citi")]


def test_sections():
    assert found("handy", "de") == [("handy", "mobiltelefon")]
    assert found("handy", "en") == []
    assert found("colours", "en") == [("colour", "color")]
    assert found("colour", "de") == []
    assert found("www", "de") == found("www", "xx") == [("www", "web")]


def test_sections_know_a_language_by_all_its_codes():
    for code in ("no", "nb", "nn"):
        assert found("mobil", "nb", f"[{code}]\nmobil, telefon") == [("mobil", "telefon")]
    assert found("handy", "de", "[ger]\nhandy, telefon") == [("handy", "telefon")]
    assert found("рак", "uk", "[ua]\nрак, пухлина") == [("рак", "пухлина")]
    assert found("рак", "bg", "[uk]\nрак, пухлина") == []


def test_entries_with_equal_stems_are_ignored():
    assert found("cat", "en", "cat, cats") == []


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("tv, television\n\nlonely", 3, "lonely is only one entry"),
        ("a, b\n[english]", 2, "should have language codes"),
        ("a, b\n[en xx]", 2, "should have language codes, but xx is not one"),
        ("[en", 1, "should have language codes"),
        ("a -> b -> c", 1, "more than one ->"),
        ("tv, , television", 1, "'' should have one to 8 words"),
        ("tv ->", 1, "'' should have one to 8 words"),
        ("-> tv", 1, "'' should have one to 8 words"),
        ("a, " + "b " * 9, 1, "should have one to 8 words"),
        ("tv, ?!", 1, "'?!' should have one to 8 words"),
    ],
)
def test_mistakes_name_the_file_and_the_line(text, line, why):
    with pytest.raises(BadSetting) as caught:
        read_synonyms(text, "my/synonyms.txt")
    assert str(caught.value).startswith(f"my/synonyms.txt, line {line}: ")
    assert why in str(caught.value)


@given(st.text("ab ,->[]#*\n", max_size=60))
def test_any_text_is_a_list_or_a_mistake(text):
    with suppress(BadSetting):
        assert all(rule.typed != rule.instead for rule in read_synonyms(text, "list").rules)


def test_the_starter_list_can_be_read():
    rules = read_synonyms(starter_list(), "starter").rules
    assert {("tv", "television"), ("television", "tv"), ("colour", "color")} <= {
        (rule.typed, rule.instead) for rule in rules
    }
    assert all(rule.languages for rule in rules), "what is safe in one language may not be in another"
    assert list(NO_SYNONYMS.found(["tv"], ("en",))) == []
