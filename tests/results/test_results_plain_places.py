import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.results.places import find_places
from gossamer.results.plain_places import plain_places
from gossamer.results.written import Written, written_in
from gossamer.text.analysis import analyser

TEXTS = (
    'Yields of yich, Jaguars and the jaguar\'s JAGUAR; a twin-pyramid (jaguar) "Yield" - icy, iced',
    "semi-jaguar/jaguar: #jaguar @jaguar C++ C# c 10km km U.S.A. usa u.s. .NET net jaguar_x x.jaguar",
    "It's Jane's: 's s S’s l'eau L’eau mp3 3d 1,000 v1.5 word1.5 jaguar+ jaguar++ don't d",
    "“Jagüar” – jaguar… été Éte etes a€jaguar jaguar† ja\u00adguar jaguar\u0301 京jaguar jaguar京",
)
LETTERS = "aAiyY sS1 .,'’+#@_-\n\u00ad\u0301京…çé·?“"


def closely(text, wanted, language):
    """The same, where every word is looked at."""
    return find_places(text, wanted, Written(analyser(language).terms))


@pytest.mark.parametrize("language", ["en", "fr", "de", "", "tr"])
@pytest.mark.parametrize("text", [*TEXTS, *" ".join(TEXTS).split()])
def test_places_are_those_of_a_closer_look(text, language):
    for term in set(analyser(language).terms(text)):
        wanted = frozenset({term, "jaguar\x1fen"})
        assert find_places(text, wanted, written_in(language)) == closely(text, wanted, language)


@given(st.text(alphabet=LETTERS, max_size=60), st.sampled_from(["en", "fr", "de", ""]), st.data())
def test_any_text(text, language, data):
    terms = sorted(set(analyser(language).terms(text)))
    wanted = frozenset(data.draw(st.lists(st.sampled_from(terms), max_size=3))) if terms else frozenset("a")
    assert find_places(text, wanted, written_in(language)) == closely(text, wanted, language)


def test_plain_words_take_no_closer_look():
    borne = {"Jaguars": frozenset({"jaguar"}), "jam": frozenset(), "jagüar": frozenset({"other"})}
    found = plain_places("The Jaguars’ jam, “jagüar” (1984)", [b"ja"], borne)
    assert found == [(4, 11, {"jaguar"}), (19, 25, {"other"})]
