"""The page on the query language says what the parser does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gossamer.model import BadQuery, Not
from gossamer.query import syntax as lexer
from gossamer.query.expansion import MOST_TERMS
from gossamer.query.syntax import DEEPEST, LONGEST, MOST_CLAUSES, parse

PAGE = (Path(__file__).parents[2] / "docs" / "query-language.md").read_text(encoding="utf-8")


def table(heading):
    """The rows of the table with this first heading."""
    body = re.search(rf"^\| {heading} \|.*?\n\|---.*?\n((?:\|.*\n)+)", PAGE, re.MULTILINE)[1]
    return [row.strip("| ").split(" | ", 1) for row in body.splitlines()]


TYPED = [row for row in table("typed") if "is read as" not in row]
READ_AS = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", PAGE, re.MULTILINE)
MISTAKES = table("mistake")


@pytest.mark.parametrize("typed", re.findall(r"`([^`]+)`", " ".join(" ".join(row) for row in TYPED)))
def test_examples_can_be_read(typed):
    if typed.startswith("-"):
        (excluded,) = parse(f"jaguar {typed}").clauses[1:]
        assert isinstance(excluded, Not)
    elif not typed.startswith("NEAR"):
        assert parse(typed).clauses


@pytest.mark.parametrize(("typed", "meant"), READ_AS)
def test_what_binds_more(typed, meant):
    assert parse(typed).clauses == parse(meant).clauses


@pytest.mark.parametrize(("mistake", "message"), MISTAKES)
def test_mistakes_have_the_documented_messages(mistake, message):
    with pytest.raises(BadQuery) as caught:
        parse(mistake.strip("`"))
    assert caught.value.why == message


def test_every_field_is_documented():
    told = {row[0].strip("`").partition(":")[0] for row in TYPED if ":" in row[0]}
    assert told == set(lexer.FIELDS)


def test_limits_are_those_of_the_code():
    for told in (
        f"{LONGEST:,} characters, {MOST_CLAUSES} words and phrases, and {DEEPEST} parentheses or NOTs",
        f"{lexer.FARTHEST:,} words",
        f"`NEAR` alone means `NEAR/{lexer.NEAR_WORDS}`",
        f"at most {MOST_TERMS:,} such words",
    ):
        assert told in " ".join(PAGE.split())
    assert len(READ_AS) == 5
