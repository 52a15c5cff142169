"""The search benchmark: its corpus, its judge, its tables, and a contest of two engines."""

from __future__ import annotations

import gzip
import json
import lzma
import random
import sys
from dataclasses import replace

import pytest
from passages.contest import Contest, Outcome, Times, compared_words
from passages.corpus import KINDS, built, cut, distinct, drawn_queries, opened, passages_of, repeated, tokens
from passages.engine import Asked, Clock, Engine
from passages.indexing import cheapest, cost, indexed
from passages.judging import judged
from passages.report import (
    best,
    builds_text,
    figures,
    growth,
    growth_text,
    outcome_json,
    ratio,
    serving_text,
    times_text,
    verdict_text,
)
from passages.serving import forget, larger, served
from passages.sources import Text, articles, pages, plain_files
from passages.stand import Missing, Stand

WORDS = [f"w{number:x}" for number in range(300)]


def texts(count=40, seed=1):
    source = random.Random(seed)
    shares = [1 / (number + 2) for number in range(len(WORDS))]
    for _ in range(count):
        lines = [" ".join(source.choices(WORDS, shares, k=30)).capitalize() + "." for _ in range(9)]
        yield Text((" ".join(source.choices(WORDS, shares, k=3)), "one"), lines)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return built(tmp_path_factory.mktemp("cache") / "passages", texts(), 100)


def test_tokens_are_what_any_engine_sees():
    assert tokens("The Jaguar's 4 paws: naïve_x") == ["the", "jaguar", "s", "4", "paws", "na", "ve", "x"]
    assert tokens("a " + "b" * 41) == ["a"]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([19], []),
        ([20], [20]),
        ([40, 40, 5], [80]),
        ([40, 40, 30], [80, 30]),
        ([149], [149]),
        ([260], [100, 100, 60]),
        ([70, 80], [100, 50]),
        ([], []),
    ],
)
def test_passages_follow_the_lines(lines, expected):
    assert [len(words) for words in cut("x " * count for count in lines)] == expected


def test_no_word_is_lost_between_passages():
    lines = [" ".join(WORDS[start : start + 37]) for start in range(0, 259, 37)]
    found = [word for words in cut(lines) for word in words]
    assert found == WORDS[: len(found)]


def test_exact_duplicates_are_dropped_and_headings_kept():
    headings = {}
    text = Text(("A short title", "One", "the The the", "one two three four five six"), ["x y " * 30])
    assert list(distinct([text, text], headings)) == [" ".join(["x", "y"] * 30)]
    assert list(headings) == ["a short title"]


def test_queries_are_drawn_from_what_is_there(corpus):
    passages = passages_of(corpus)
    known = {word for passage in passages for word in passage.split(" ")}
    drawn = drawn_queries(passages, ["w1 w2", "w1 unheard"], 50)
    assert drawn == drawn_queries(passages, ["w1 w2", "w1 unheard"], 50)
    assert [len(set(queries)) for queries in drawn.values()] == [50, 50, 50]
    assert "w1 w2" in drawn["or"]
    assert all(known.issuperset(query.split(" ")) for query in drawn["or"])
    for query in drawn["and"]:
        assert any(set(query.split(" ")) <= set(passage.split(" ")) for passage in passages)
    for query in drawn["phrase"]:
        assert any(f" {query} " in f" {passage} " for passage in passages)


def test_a_corpus_is_found_again(corpus):
    assert opened(corpus.folder) == corpus
    assert corpus.passages == len(passages_of(corpus)) == len(set(passages_of(corpus)))
    assert {len(corpus.queries(kind)) for kind in KINDS} == {100}
    assert opened(corpus.folder / "elsewhere") is None


def test_repeated_passages_differ_in_a_word():
    passages = ["a b c", "d e"]
    assert list(repeated(passages, 5)) == ["a b c", "d e", "a b c1", "d e1", "a b2 c"]


def test_texts_come_from_files(tmp_path):
    (tmp_path / "a.html").write_text("<title>Cats</title><h1>Big cats</h1><p>The jaguar swims.</p>")
    with gzip.open(tmp_path / "b.yaml.gz", "wt") as out:
        out.write("kind: cat\n")
    with lzma.open(tmp_path / "c.jsonl.xz", "wt") as out:
        out.write(json.dumps({"title": "Two_words", "text": "One\nline"}) + "\n")
    (page,) = pages(tmp_path)
    assert page.headings[0] == "Cats"
    assert "The jaguar swims." in page.lines
    assert list(plain_files(tmp_path)) == [Text((), ["kind: cat\n"])]
    assert list(articles(tmp_path / "c.jsonl.xz")) == [Text(("Two words",), ["One", "line"])]


def test_the_time_of_preparation_is_not_the_engines(tmp_path):
    (tmp_path / "lines").write_text("a b\nc\n")
    clock = Clock()
    with clock.stage("add"):
        assert list(clock.prepared(tmp_path / "lines", lambda number, line: (number, line))) == [
            [(0, "a b"), (1, "c")]
        ]
        with clock.preparation():
            sum(range(2_000_000))
    assert clock.preparing > clock.stages["add"]["cpu"] >= 0


class Echo(Engine):
    """Finds the numbers that a query names."""

    def prepared(self, kind, text):
        return [int(word) for word in text.split(" ")]

    def found(self, query, algorithm, k):
        return query[:k]

    def numbers(self, found):
        return list(found)


@pytest.mark.parametrize("clock", ["wall", "cpu"])
def test_every_query_is_timed(clock):
    asked = Echo().ask("or", "", 2, ["1 2 3", "4"], clock)
    assert asked == Asked(asked.parsing, asked.searching, [[1, 2], [4]])
    assert len(asked.parsing) == len(asked.searching) == 2


def times(*micros, step=1, answers=()):
    return Times(step, [0] * len(micros), [1000 * value for value in micros], list(answers))


def outcome():
    found = {
        ("gossamer", "and", "maxscore", 10): times(1, 2, 3, answers=[[1, 2], [3], []]),
        ("gossamer", "and", "maxscore", 1000): times(2, 2, 2, answers=[[1, 2], [3], []]),
        ("pisa", "and", "fast", 10): times(4, 12, step=2, answers=[[2, 9], []]),
        ("pisa", "and", "slow", 10): times(40, 12, step=2, answers=[[2, 1], []]),
        ("pisa", "and", "fast", 1000): times(4, 12, step=2, answers=[[2, 1], [7]]),
    }
    states = {name: {"frequencies": {"cat": 3}, "documents": 9} for name in ("gossamer", "pisa")}
    return Outcome(found, states, {"and": [[1, 2], [3], []]})


QUERIES = {"and": ["a", "b", "c"]}


def test_the_judge_has_nothing_to_complain_of():
    verdict = judged(outcome(), QUERIES)
    assert verdict.wrong == []
    assert verdict.overlap == {"pisa": {"and": 1.0}}
    assert verdict.matching == {"pisa": {"and": (1, 2)}}


def test_the_judge_sees_a_wrong_document_and_a_wrong_frequency():
    found = outcome()
    found.times["gossamer", "and", "maxscore", 10].answers[1] = [4]
    found.states["pisa"]["frequencies"] = {"cat": 2}
    wrong = judged(found, QUERIES).wrong
    assert len(wrong) == 2
    assert "'b'" in wrong[0]
    assert "'cat'" in wrong[1]
    assert "wrong answers: 2" in verdict_text(judged(found, QUERIES))


def test_figures_and_ratios():
    found = outcome()
    key = ("pisa", "and", "fast", 10)
    assert figures(times(*range(1, 101))) == {"mean": 50.5, "p50": 51, "p95": 96, "p99": 100, "parsing": 0}
    assert ratio(found.times, key) == 8 / 2  # over the first and the third query
    assert best(found.times)["pisa", "and", 10] == key
    small = {key: replace_total(value) for key, value in found.times.items()}
    assert set(growth(found.times, small).values()) == {2.0}


def replace_total(value):
    return replace(value, total=[nanoseconds / 2 for nanoseconds in value.total])


def test_the_least_of_all_rounds_counts():
    taken = Times()
    taken.take({"parsing": [1, 2], "searching": [10, 20], "answers": [[1], [2]]})
    taken.take({"parsing": [2, 1], "searching": [8, 40], "answers": [[1], [2]]})
    assert (taken.parsing, taken.total, taken.answers) == ([1, 1], [10, 22], [[1], [2]])


@pytest.fixture(scope="module")
def stand(tmp_path_factory):
    pythons = {"gossamer": sys.executable, "sqlite": sys.executable}
    return Stand(tmp_path_factory.mktemp("stand"), pythons, 0, 500_000_000)


@pytest.fixture(scope="module")
def builds(stand, corpus):
    return indexed(stand, ["gossamer", "sqlite"], corpus, 0)


def test_what_is_measured_of_a_build(builds, corpus):
    for name, runs in builds.items():
        assert cost(cheapest(runs), "cpu") > 0
        assert sum(runs[0]["sizes"].values()) > corpus.size, name
    assert min(builds["gossamer"][0]["sizes"].values()) > 0
    assert "dictionary" in builds_text(corpus, builds)


def test_a_contest(stand, corpus, builds):
    found = Contest(repeat=1, patience=20.0, clock="cpu").held(stand, list(builds), corpus)
    verdict = judged(found, {kind: corpus.queries(kind) for kind in KINDS})
    assert verdict.wrong == []
    assert set(found.states["sqlite"]["frequencies"]) == set(compared_words(corpus))
    assert {same == asked for same, asked in verdict.matching["sqlite"].values()} == {True}
    assert min(verdict.overlap["sqlite"].values()) > 0.5
    assert json.loads(json.dumps(outcome_json(found, verdict)))["wrong"] == []
    assert "gossamer blockmax" in times_text(corpus, found)
    factors = growth(found.times, found.times)
    assert "1.00" in growth_text(factors, corpus, corpus)


def test_serving(stand, corpus):
    many = larger(corpus, corpus.passages + 10)
    found = served(stand, ["gossamer"], many)
    assert (
        found["gossamer"]["warm"]["memory"]["pss"] > found["gossamer"]["warm"]["memory"]["without_files"] > 0
    )
    assert "gossamer" in serving_text(many, found)
    forget(stand.kept("gossamer", many))


def test_an_engine_that_is_missing(stand):
    absent = replace(stand, pythons={"xapian": sys.executable, "pisa": "/nowhere/python"})
    reasons = absent.missing()
    assert set(reasons) == {"xapian", "pisa"}
    with stand.process("sqlite") as process, pytest.raises(Missing):
        process.tell("fly")
