"""Endings that are written without accents, and plurals that no stemmer joins."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.text.stopwords import languages, section
from gossamer.text.terms import LAST, WHOLE, MultilingualAnalyser, analyser, fold, last_letters, restoring
from gossamer.text.words import folded

LISTED = sorted(languages("endings"))


@pytest.mark.parametrize("language", LISTED)
def test_the_list_is_sound(language):
    """Letters only, each ending once; nothing but accents comes back, or a plural becomes its singular."""
    pairs = [line.split(": ") for line in section("endings", language)]
    assert all(re.fullmatch(r"[^\W\d_]+", one) for pair in pairs for one in pair)
    assert len({written for written, _ in pairs}) == len(pairs)
    plurals = {written for written, read_as in pairs if fold(written) != fold(read_as)}
    assert all(fold(one).endswith("oes") for one in plurals)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("pt", "informação informações conexão João responsável possíveis ciência importância português"),
        ("fr", "année années première université qualité mangèrent"),
        ("es", "filosofía tecnologías compañía teoría inglés"),
        ("ca", "informació televisió estadística català"),
        ("cs", "českých českého veřejnými velkému"),
        ("pl", "pracować pracowała samochodów języków wolność"),
        ("it", "qualità possibilità attività"),
        ("ro", "informații națiune funcționează"),
    ],
)
def test_words_typed_without_accents_find_themselves(language, words):
    reader = analyser(language)
    assert {word for word in words.split() if reader[fold(folded(word))] != reader[folded(word)]} == set()


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("pt", "ação", "ações"),
        ("pt", "nacao", "nações"),
        ("pt", "avião", "avioes"),
        ("cs", "kalich", "kalicha"),
        ("pl", "kowal", "kowalem"),
        ("ca", "silencio", "silenciar"),
        ("pt", "diferencia", "diferença"),
    ],
)
def test_related_endings_have_one_stem(language, one, other):
    reader = analyser(language)
    assert reader[one] == reader[other]


def test_short_words_are_no_endings():
    assert restoring("pt")("ao\ncao\ncaos\nportugues") == "ao\ncão\ncaos\nportuguês"
    assert restoring("fr")("ee\nvallee") == "ee\nvallée"
    assert restoring("en") is None


def is_read(word, place, pairs):
    """A short ending needs a letter before it; the first two letters of a word stay, accents aside."""
    ending = word[place:]
    read_as = word[:place] + pairs[ending]
    keeps = len(read_as) == len(word) or fold(read_as)[:2] == fold(word)[:2]
    return len(ending) >= WHOLE or (place >= 1 and keeps)


@given(st.sampled_from(LISTED), st.lists(st.sampled_from("abcehiloprstuwyáãçéęńõ"), max_size=6), st.data())
def test_the_longest_ending_counts(language, letters, data):
    pairs = dict(line.split(": ") for line in section("endings", language))
    word = "".join(letters) + data.draw(st.sampled_from(["", *sorted(pairs)]))
    places = range(len(word))
    whole = [place for place in places if word[place:] in pairs and is_read(word, place, pairs)]
    expected = word[: whole[0]] + pairs[word[whole[0] :]] if whole else word
    assert restoring(language)(word) == expected
    assert word == expected or word[-LAST:] in last_letters(language)
    assert restoring(language)(f"x\n{word}\ny") == f"x\n{expected}\ny"


@pytest.mark.parametrize("language", LISTED)
def test_all_ways_to_stem_agree(language):
    """Words one by one, several at once, and as lines of bytes."""
    reader = type(analyser(language))(language)
    words = [written for line in section("endings", language) for written in (f"x{line.split(':')[0]}", "ab")]
    plain = [word for word in words if word.isascii()]
    assert MultilingualAnalyser.of([reader.language]).read_all(plain) == [(reader[word],) for word in plain]
    for some, is_plain in ((words, False), (plain, True), ([], True)):
        stems = reader.stem_lines("".join(f"{word}\n" for word in some).encode(), is_plain).decode()
        assert stems.split("\n")[:-1] == [reader[word].partition("\x1f")[0] for word in some]
