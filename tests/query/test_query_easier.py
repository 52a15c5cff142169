"""Easier queries, and the words of a query that may be misspelt."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.answer.spelling import correct as spelt_module
from gossamer.answer.spelling.correct import correctable_words
from gossamer.model import BadQuery, Word
from gossamer.query import rewrite as easier_module
from gossamer.query.rewrite import easier
from gossamer.query.syntax import parse


@pytest.mark.parametrize("module", [easier_module, spelt_module])
def test_examples_in_docstrings(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize(
    ("typed", "ways"),
    [
        ("cat", []),
        ("cat dog", []),
        ("site:example.org -cat", ["site:example.org"]),
        ('"a b" -"c d"', ['a b -"c d"', '"a b"']),
        ('"site:a.test" cat', ["site a test cat"]),
        ('cat AND "lang:de x"', ["cat AND lang AND de AND x", 'cat "lang:de x"', "cat lang de x"]),
        ('"cat OR -dog (x*" C++', ["cat or dog x C++"]),
        ('"site:a.test" site:b.test', ["site a test site:b.test", '"site:a.test"', "site a test"]),
        ("a NEAR b", ["a AND b", "a b"]),
        ("intitle:a AND b", ["a AND b", "intitle:a b", "a b"]),
        ("a before:2020 lang:de", ["a lang:de", "a before:2020", "a"]),
        ("cat country:dk", ["cat"]),
        ('cat near:"paris texas"', ["cat"]),
        ("cat AND dog", ["cat dog"]),
        ("inanchor:cat", []),
        ("link:http://a.test/", []),
    ],
)
def test_relaxed_queries(typed, ways):
    assert [way.query for way in easier(parse(typed))] == ways


def test_each_way_says_what_it_changes():
    ways = easier(parse('lanterns NEAR/1 tikal "big cat"'))
    assert [way.label for way in ways][:2] == [
        "without the quotation marks",
        "with the words at any distance",
    ]
    assert [way.query for way in ways][:2] == [
        "lanterns NEAR/1 tikal big cat",
        'lanterns AND tikal "big cat"',
    ]


def test_exclusions_are_left_out_only_by_a_person():
    assert [way.unasked for way in easier(parse('"a b" -c'))] == [True, False]


def test_unknown_words_go_first():
    first = easier(parse('cat AND xyzzy AND "blue xyzzy" site:a.test'), {"xyzzy"})[0]
    assert (first.label, first.query) == ("without xyzzy", "cat site:a.test")
    assert easier(parse("xyzzy"), {"xyzzy"}) == []


def test_what_would_be_too_long_is_not_tried():
    assert easier(parse(f'"{"cat " * 70}"')) == []
    assert len(easier(parse(f'"{"cat " * 60}"'))) == 1


PIECES = st.sampled_from(
    ['"a b"', "cat", "-dog", "site:a.test", "AND", "OR", "(", ")", "intitle:x", "x*", "NOT", "я"]
)


@given(st.lists(PIECES, max_size=8))
def test_what_is_easier_can_be_read_and_is_another_query(pieces):
    try:
        asked = parse(" ".join(pieces))
    except BadQuery:
        return
    ways = easier(asked, {"cat"})
    assert len({way.query for way in ways}) == len(ways)
    for way in ways:
        assert parse(way.query).clauses != asked.clauses


@given(st.lists(PIECES.filter(lambda piece: '"' not in piece), min_size=1, max_size=8))
def test_what_was_quoted_stays_plain_text(pieces):
    for way in easier(parse(f'cat "{" ".join(pieces)}"')):
        assert all(isinstance(clause, Word) for clause in parse(way.query).clauses)


@given(st.lists(PIECES, max_size=8))
def test_plain_words_stand_where_they_are_said_to(pieces):
    text = " ".join(pieces)
    try:
        parse(text)
    except BadQuery:
        return
    for word, start, end in correctable_words(text):
        assert text[start:end].lower() == word


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("Jagaur, cat!", ["jagaur", "cat"]),
        ("c++ x86 e-mail 2024 don't", []),
        ("-(big cat) -dog mouse", ["mouse"]),
        ("-(big (cat)) dog", ["dog"]),
        ("NOT big cat", ["cat"]),
        ("jag* jagaur~ jagaur~2 sounds:cat", []),
        ("NASA ABSTRACT", ["abstract"]),
        ("日本語 한국어 ไทย", []),
        ("Straße", ["strasse"]),
    ],
)
def test_which_words_may_be_misspelt(typed, words):
    assert [place.word for place in correctable_words(typed)] == words
