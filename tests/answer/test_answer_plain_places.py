import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.snippets import (
    Begun,
    TermMatcher,
    find_term_positions,
    plain_places,
    sought,
    table_of,
    written_in,
)
from gossamer.text.terms import analyser

TEXTS = (
    'Yields of yich, Jaguars and the jaguar\'s JAGUAR; a twin-pyramid (jaguar) "Yield" - icy, iced',
    "semi-jaguar/jaguar: #jaguar @jaguar C++ C# c 10km km U.S.A. usa u.s. .NET net jaguar_x x.jaguar",
    "It's Jane's: 's s S’s l'eau L’eau mp3 3d 1,000 v1.5 word1.5 jaguar+ jaguar++ don't d",
    "“Jagüar” – jaguar… été Éte etes a€jaguar jaguar† ja\u00adguar jaguar\u0301 京jaguar jaguar京",
    "26 of 26, (1984) 19-84 10:30 1/2 $5 .5 5. 12 000 1000's '90 2nd 0x1f 3.11.2 26\x1aa jaguar\x1ax",
)
LETTERS = "aAiyY sS12 .,'’+#@_-\n\u00ad\u0301京…çé·?“\x1a\x0e"


def all_places(texts, wanted, language):
    """As pages of results find them."""
    return find_term_positions(texts, wanted, [written_in(language)] * len(texts))


def closely(text, wanted, language):
    """The same, where every word is looked at."""
    return find_term_positions([text], wanted, [TermMatcher(analyser(language).terms)])[0]


@pytest.mark.parametrize("language", ["en", "fr", "de", "", "tr"])
@pytest.mark.parametrize("text", [*TEXTS, *" ".join(TEXTS).split(" ")])
def test_places_are_those_of_a_closer_look(text, language):
    for term in set(analyser(language).terms(text)):
        wanted = frozenset({term, "jaguar\x1fen"})
        assert all_places([text], wanted, language) == [closely(text, wanted, language)]


@given(
    st.lists(st.text(alphabet=LETTERS, max_size=60), max_size=4),
    st.sampled_from(["en", "fr", "de", ""]),
    st.data(),
)
def test_any_texts(texts, language, data):
    terms = sorted({term for text in texts for term in analyser(language).terms(text)})
    wanted = frozenset(data.draw(st.lists(st.sampled_from(terms), max_size=3))) if terms else frozenset("a")
    assert all_places(texts, wanted, language) == [closely(text, wanted, language) for text in texts]


def test_several_languages_in_one_answer():
    wanted = frozenset({"katz\x1fde", "cat\x1fen"})
    written = [written_in("de"), written_in("en"), written_in("de")]
    found = find_term_positions(["Die Katze", "a cat", "cat und Katzen"], wanted, written)
    assert [[place[:2] for place in own] for own in found] == [[(4, 9)], [(2, 5)], [(8, 14)]]


def twin(text, beginnings):
    """Words of ASCII that begin so, in plain Python; None where one may be part of another."""
    firsts, found = {one[0] for one in beginnings}, []
    if re.search(r"[0-9][.,][0-9]", text) and firsts & set("0123456789"):
        return None
    for run in re.finditer(r"[a-z]+|[0-9]+", text, re.IGNORECASE):
        word, before, behind = run[0].lower(), text[: run.start()][-1:], text[run.end() :][:1]
        if len(word) == 1 and word in firsts and word.isalpha() and behind == ".":
            return None
        if word.startswith(tuple(beginnings)):
            if before not in " \n([{<\"'-/:" or behind not in " \n.,;:!?)]}>\"'-/":
                return None
            if len(word) == 1 and before == "'":
                return None
            found.append(run.span())
    return found


@given(
    st.text(alphabet="aAbB12 .,'+#_-\n(?", max_size=40),
    st.sets(st.sampled_from(["a", "ab", "ba", "b", "1", "12", "21"]), min_size=1),
)
def test_the_kernel_finds_what_plain_python_finds(text, beginnings):
    class Anything(dict):
        def __missing__(self, word):
            return frozenset({"term"})

    begun = Begun(table_of(one.encode() for one in beginnings), Anything())
    [found] = plain_places([text], begun)
    assert (None if found is None else [place[:2] for place in found]) == twin(text, beginnings)


def test_plain_words_take_no_closer_look():
    borne = {"Jaguars": frozenset({"jaguar"}), "jam": frozenset(), "jagüar": frozenset({"other"})}
    begun = Begun(table_of([b"ja"]), borne)
    assert plain_places(["The Jaguars’ jam, “jagüar”? (1984)", "Jaguars"], begun) == [
        [(4, 11, {"jaguar"}), (19, 25, {"other"})],
        [(0, 7, {"jaguar"})],
    ]


def test_numbers_take_no_closer_look():
    known = sought(frozenset({"26\x1fen", "usb\x1fen"}), "en")
    assert known is not None
    assert known.plain is not None
    begun = Begun(table_of(known.plain), {"26": frozenset({"26"}), "USB": frozenset({"usb"})})
    assert plain_places(["26 USB, 7 (26)"], begun) == [[(0, 2, {"26"}), (3, 6, {"usb"}), (11, 13, {"26"})]]
