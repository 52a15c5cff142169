"""`gossamer suggest` and `gossamer similar`, on a stand-in for the engine."""

from __future__ import annotations

import json

from gossamer.model import UnknownPage


def test_suggestions_a_line_each(command, engine):
    ran = command("suggest", "big", "jag")
    assert engine.asked("suggest") == ("big jag", 8)
    assert ran.out == "jaguar\njaguar  [2Jhabitat\n"


def test_suggestions_as_json(command, engine):
    told = json.loads(command("suggest", "jag", "-k", "1", "--json").out)
    assert told == {"query": "jag", "suggestions": ["jaguar"]}


def test_similar_pages(command, engine):
    ran = command("similar", "cats.test", "-k", "3")
    assert engine.asked("similar") == ("cats.test", 3)
    assert "http://cats.test/1" in ran.out
    assert json.loads(command("similar", "cats.test", "--json").out)["hits"][0]["url"] == "http://cats.test/1"


def test_a_page_that_nobody_knows(command, engine):
    engine.failure = UnknownPage("cats.test", "is not indexed")
    ran = command("similar", "cats.test")
    assert (ran.code, ran.err) == (2, "gossamer: cats.test is not indexed\n")
