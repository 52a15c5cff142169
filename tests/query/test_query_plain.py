"""The shortcuts for plain queries give what the parser and the planner give."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gossamer.model import BadQuery, Query
from gossamer.query import planner, syntax

LANGUAGES = [("xx",), ("en",), ("de", "en", "fr"), ("vi", "zh")]
WORDS = [
    "cat",
    "Cats",
    "the",
    "der",
    "und",
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "x1",
    "Straße",
    "日本語",
    "ῼ",
    "host-name",
    "C++",
]
PIECES = st.sampled_from([*WORDS, '"', "(", ")", "-", "*", "~", "lang:de", "U.S.A."])
PLAIN = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)
TEXTS = st.one_of(
    st.lists(PIECES, min_size=1, max_size=8).map(" ".join),
    PLAIN.map(" AND ".join),
    PLAIN.map(lambda words: f'"{" ".join(words)}"'),
    st.text(max_size=12),
)


def parsed_in_full(text: str) -> Query:
    return Query(text, syntax._Parser(text).clauses())


@given(TEXTS)
@example('" "')
@example('"')
@example("cat AND AND AND cat")
@example("AND")
def test_plain_clauses_are_those_of_the_parser(text):
    plain = syntax.plain_clauses(text)

    assert not plain or plain == parsed_in_full(text).clauses


@given(TEXTS, st.sampled_from(LANGUAGES))
@example("cat AND cat", ("en",))
@example('"cat cat"', ("en",))
@example("the AND the AND cat", ("de", "en"))
def test_plain_plans_are_those_of_the_planner(text, languages):
    try:
        query = syntax.parse(text)
    except BadQuery:
        return
    plain = planner.plan_plain_query(query, languages)
    in_full = planner._Planner(languages, planner.NO_EXPANSIONS, planner.NO_COMPOUNDS, [], {}).plan(query)

    assert plain is None or plain == in_full


@pytest.mark.parametrize("text", ["new york city", "new AND york", '"new york city"', "york"])
def test_plain_queries_take_the_shortcuts(text):
    assert syntax.plain_clauses(text)
    assert planner.plan_plain_query(syntax.parse(text), ("en",)) is not None


@pytest.mark.parametrize(
    "text", ["new OR york", "new -york", "yor*", '"new york" city', "new AND (york OR city)"]
)
def test_other_queries_do_not_take_the_shortcuts(text):
    assert not syntax.plain_clauses(text)
    assert planner.plan_plain_query(syntax.parse(text), ("en",)) is None
