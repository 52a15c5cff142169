"""`gossamer search`: plain in a pipe, coloured on a terminal, and nothing but JSON when JSON is asked for."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace

import pytest
from cli_fakes import EXPLANATION, hit, terminal_as

from gossamer.answer.as_dict import as_dict
from gossamer.cli.output import LONGEST_TITLE, aligned, clean, counted, print_results, print_table
from gossamer.model import Cluster, ResultPage, SearchOptions


def test_what_the_engine_is_asked(command, engine):
    command("search", "big", "cats")
    command(
        "search", "x", "-k", 3, "--offset", 5, "--scheme", "tfidf", "--algorithm", "exhaustive", "--explain"
    )
    command("search", "x", "--all")
    command("search", "x", "--no-correct")
    command("search", "x", "--newest")
    command("search", "x", "--languages", "de, en")
    command("search", "x", "--clusters", "--cluster", "big cats")
    command("search", "x", "--country", "dk", "--context", "big cats", "--context", "lions")
    command("search", "x", "--country", "none")
    assert [call[1:] for call in engine.calls if call[0] == "search"] == [
        ("big cats", SearchOptions()),
        ("x", SearchOptions(3, 5, "tfidf", "exhaustive", explain=True)),
        ("x", SearchOptions(everything=True)),
        ("x", SearchOptions(correct=False)),
        ("x", SearchOptions(newest_first=True)),
        ("x", SearchOptions(languages=("de", "en"))),
        ("x", SearchOptions(clusters=True, cluster="big cats")),
        ("x", SearchOptions(country="dk", context=("big cats", "lions"))),
        ("x", SearchOptions(country="")),
    ]


def test_plain_results(command, engine):
    ran = command("search", "jaguar")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out == (
        "1.  Jaguar\n    http://cats.test/1\n    The jaguar is a cat.\n\n"
        "2.  Car\n    http://cats.test/2\n    A car.\n\n"
        "12 pages match (3.2 ms)\n"
    )


def test_groups_stand_below_the_results(command, engine):
    groups = (Cluster("big \x1b cats", 12, ("Lion", "Tiger")), Cluster("cars", 3, ("E-Type",)))
    engine.results = replace(engine.results, clusters=groups)
    ran = command("search", "jaguar", "--clusters")
    assert ran.out.endswith(
        "    A car.\n\n12 big   cats: Lion; Tiger\n 3 cars: E-Type\n\n12 pages match (3.2 ms)\n"
    )


def test_json_and_nothing_else(command, engine):
    engine.results = replace(engine.results, did_you_mean="ягуар", notes=("ignored: ?",))
    ran = command("search", "jaguar", "--json")
    assert ran.err == ""
    assert json.loads(ran.out) == as_dict(engine.results)
    assert "ягуар" in ran.out


def test_json_where_not_all_of_unicode_can_be_written(engine, monkeypatch):
    from gossamer.cli.main import run

    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1"))
    engine.results = ResultPage("x", 1, 0.1, (hit(title="ягуар é \ud800"),))
    assert run(["search", "x", "--json"]) == 0
    assert run(["search", "x"]) == 0
    sys.stdout.flush()
    document, _, plain = raw.getvalue().decode("latin-1").partition("\n}\n")
    assert json.loads(document + "}")["hits"][0]["title"] == "ягуар é \ud800"
    assert "\\u044f" in plain


def test_nothing_found(command, engine):
    engine.results = ResultPage("jagaur", 0, 0.1, did_you_mean="jaguar", notes=("the index is empty",))
    ran = command("search", "jagaur")
    assert ran.code == 0
    assert ran.out == "nothing found for: jagaur\ndid you mean: jaguar\nnote: the index is empty\n"


def test_what_was_searched_for_instead(command, engine):
    engine.results = replace(
        engine.results, query="jagaur", searched="jaguar", searched_because="corrected", hits=()
    )
    assert command("search", "jagaur").out == (
        "nothing found for: jagaur\n"
        "searched instead for: jaguar (add --no-correct to search as typed)\n"
        "no more results: 12 pages match\n"
    )


def test_beyond_the_last_result(command, engine):
    engine.results = ResultPage("jaguar", 1, 0.1, offset=50)
    assert command("search", "jaguar", "--offset", 50).out == "no more results: 1 page matches\n"


@pytest.mark.parametrize(("offset", "shown"), [(1000, 0), (998, 2), (1500, 0)])
def test_no_further_than_the_thousandth(command, engine, offset, shown):
    found = tuple(hit(rank) for rank in range(offset + 1, offset + 1 + shown))
    engine.results = ResultPage("jaguar", 5000, 0.1, found, offset)
    out = command("search", "jaguar", "--offset", offset).out
    assert "5,000 pages match" in out
    assert out.endswith(
        "\nonly the first 1,000 results can be paged through; add a word that narrows the search\n"
    )


def test_the_limit_is_not_spoken_of_where_it_is_not_met(command, engine):
    for page in (ResultPage("x", 5000, 0.1, (hit(),), 997), ResultPage("x", 1000, 0.1, (), 1000)):
        engine.results = page
        assert "only the first" not in command("search", "x").out


def test_endless_titles_are_cut(command, engine, monkeypatch):
    title = "jaguar and more " * 1000
    page = ResultPage("x", 1, 0.1, (hit(title=title),))
    engine.results = page
    first = command("search", "x").out.splitlines()[0]
    assert first.endswith(("jaguar…", "and…", "more…"))
    assert len(first) <= 4 + LONGEST_TITLE
    assert json.loads(command("search", "x", "--json").out)["hits"][0]["title"] == title
    terminal = terminal_as(monkeypatch, "stdout")
    print_results(page)
    assert len(terminal.getvalue()) < 600


def test_what_is_special_of_a_hit_is_said_below_it(command, engine, monkeypatch):
    similar = ("http://cats.test/copy", "http://cats.test/\x1b[2J")
    page = ResultPage("x", 9, 0.1, (hit(unfetched=True, similar=similar, more_from_host=3),))
    engine.results = page
    shown = command("search", "x").out
    assert "(not fetched yet: the text is anchor text)" in shown
    assert "2 near-duplicates: http://cats.test/copy, http://cats.test/ [2J" in shown
    assert "3 more from cats.test" in shown
    terminal = terminal_as(monkeypatch, "stdout")
    print_results(page)
    assert "3 more from cats.test" in terminal.getvalue()


def test_an_explanation_shows_its_sum(command, engine):
    engine.results = ResultPage("jaguar", 1, 0.1, (hit(explanation=EXPLANATION),))
    assert "score 1.5000 = (jaguar 1.500 x 0.500 = 0.750) x 2.000 for its links" in command("search", "x").out


def test_a_terminal_gets_colours_and_wrapped_lines(monkeypatch):
    terminal = terminal_as(monkeypatch, "stdout")
    text = "The jaguar is a cat. " * 5
    print_results(ResultPage("jaguar", 1, 0.1, (hit(text=text, explanation=EXPLANATION),)))
    shown = terminal.getvalue()
    assert "\x1b[1mJaguar\x1b[0m" in shown
    assert "The \x1b[1;33mjaguar\x1b[0m is a cat." in shown
    assert "score 1.5000" in shown
    assert all(line.startswith("    ") for line in shown.splitlines()[1:4])


HOSTILE = "\x1b[2J\x1b]0;owned\x07 line\nbreak \u202egnp.exe\u2028 [bold]x[/bold] \x9b31m"


def test_hostile_titles_cannot_steer_the_terminal(monkeypatch):
    terminal = terminal_as(monkeypatch, "stdout")
    print_results(ResultPage(HOSTILE, 1, 0.1, (hit(title=HOSTILE, text=HOSTILE),)))
    print_results(ResultPage(HOSTILE, 0, 0.1, did_you_mean=HOSTILE, notes=(HOSTILE,)))
    print_table(("a", "b"), [(1, HOSTILE)], numbers=(0,))
    shown = terminal.getvalue()
    for poison in ("\x1b[2J", "\x1b]", "\x07", "\u202e", "\u2028", "\x9b", "line\nbreak"):
        assert poison not in shown
    assert "[bold]x[/bold]" in shown


def test_cleaning_keeps_places():
    assert len(clean(HOSTILE)) == len(HOSTILE)
    assert clean("παντού çok güzel 京都") == "παντού çok güzel 京都"


def test_numbers_and_columns():
    assert counted(1, "query", "queries") == "1 query"
    assert counted(1200, "page") == "1,200 pages"
    assert aligned([["name", "n"], ["a", "10"]], {1}) == ["name   n", "a     10"]
    assert aligned([], ()) == []


def test_the_rank_and_the_topic_reach_the_engine(command, engine):
    assert command("search", "jaguar", "--rank", "hubs").code == 0
    assert command("search", "jaguar", "--topic", "cats").code == 0
    asked = [call[1:] for call in engine.calls if call[0] == "search"]
    assert asked == [("jaguar", SearchOptions(rank="hubs")), ("jaguar", SearchOptions(topic="cats"))]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("de,xx-unknown", "there is no language 'xx-unknown'; close codes: xh"),
        ("german", "there is no language 'german'; close codes: de"),
        ("42", "there is no language '42'; write codes such as de,en"),
    ],
)
def test_an_unknown_language_is_a_usage_error(command, engine, typed, said):
    ran = command("search", "cats", "--languages", typed)
    assert (ran.code, ran.err) == (2, f"gossamer: --languages: {said}\n")


def test_an_unknown_language_in_the_settings_is_told(command, engine):
    engine.config = engine.config.changed({"search": {"languages": ["de", "german"]}})
    ran = command("search", "cats")
    assert ran.code == 0
    assert ran.err == (
        "gossamer: here/gossamer.toml: [search] languages: there is no language 'german'; close codes: de\n"
    )
