"""Instant answers, sitelinks and intent in a terminal."""

from __future__ import annotations

from dataclasses import replace

from cli_fakes import hit

from gossamer.model import InstantAnswer, ResultPage, Sitelink


def test_answers_come_first_and_sitelinks_below_their_hit(command, engine):
    engine.results = ResultPage(
        "x",
        2,
        1.0,
        (hit(), replace(hit(), rank=2)),
        answers=(InstantAnswer("units", "5 mi in km", "8.04672 km", "a detail", "https://map.test/"),),
        sitelinks=(Sitelink("Sport\x1b[2J", "http://herald.test/sport"),),
        intent="navigational",
    )
    out = command("search", "x").out
    assert out.startswith("5 mi in km = 8.04672 km\n    a detail\n    https://map.test/\n\n1.")
    assert out.count("    > Sport [2J: http://herald.test/sport\n") == 1
    assert "intent" not in out
    assert command("search", "x", "--explain").out.endswith("\nintent: navigational\n")


def test_an_answer_without_pages_is_no_failure(command, engine):
    engine.results = ResultPage("2^2", 0, 1.0, answers=(InstantAnswer("arithmetic", "2^2", "4"),))
    assert command("search", "2^2").out == "2^2 = 4\n\nno pages found\n"


def test_without_an_answer_nothing_is_said(command, engine):
    assert command("search", "x").out.startswith("1.")
    assert "intent" not in command("search", "x", "--explain").out
