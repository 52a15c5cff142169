"""`gossamer graph`: the calculator, and a report on a collection whose graph is made by hand."""

import json

import pytest
from cli_fakes import FakeEngine

from gossamer.graph.build import graph_of
from gossamer.graph.structure.report import LevelGraph, _Reporting, examine
from gossamer.model.progress import unobserved

NAMES = ["a.test", "b.test", "c.test", "\x1b[2Jd.test", "<e>.test"]


def beta_of(level):
    """Domains are walked so slowly that no simulation comes to rest."""
    return 0.999999 if level == "domains" else 0.85


def made_report(_self, level="pages", *, observer=None):
    beta = beta_of(level)
    graph = graph_of([(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 3)], 5)
    structure = examine(graph, beta, unobserved)
    return _Reporting(LevelGraph(graph, graph.fingerprints, NAMES), structure, level, beta, []).report()


@pytest.fixture
def report_engine(engine, monkeypatch):
    monkeypatch.setattr(FakeEngine, "graph_report", made_report, raising=False)
    return engine


def test_the_farm_shows_formula_and_simulation(command):
    ran = command("graph", "farm", "--pages", 1_000_000, "--supporters", 1_000, "--accessible", 0.001)
    assert ran.code == 0
    assert "3.6036\n" in ran.out
    assert "0.4595\n" in ran.out
    assert ran.out.count("0.0040636036\n") == 2


def test_the_farm_as_json(command):
    ran = command("graph", "farm", "--pages", 100, "--supporters", 10, "--beta", 0.5, "--json")
    found = json.loads(ran.out)
    assert found["exact"] == pytest.approx((0.5 * 10 + 1) * 0.005 / 0.75)
    assert found["simulated"] == pytest.approx(found["exact"], rel=1e-9)
    assert found["times_average"] == pytest.approx(100 * found["simulated"])


@pytest.mark.parametrize(
    "wrong",
    [
        ["--pages", 10, "--supporters", 10],
        ["--pages", 10, "--supporters", 0],
        ["--pages", 10, "--supporters", 3, "--beta", 1],
        ["--pages", 10, "--supporters", 3, "--accessible", -1],
        ["--pages", 10],
    ],
)
def test_what_makes_no_farm_is_a_usage_error(command, wrong):
    ran = command("graph", "farm", *wrong)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("gossamer: ")
    assert ran.err.count("\n") == 1


def test_a_farm_that_is_too_large_is_blamed_on_what_was_given(command):
    ran = command("graph", "farm", "--pages", 10, "--supporters", 10)
    assert "--accessible" not in ran.err
    assert ran.err.endswith("; --supporters can be at most 9\n")


def test_a_report_in_the_terminal_and_as_a_page(command, report_engine, tmp_path):
    out = tmp_path / "web.html"
    ran = command("-C", tmp_path, "graph", "report", "--level", "hosts", "--out", out)
    assert ran.code == 0, ran.err
    assert "5 hosts, 6 links\n" in ran.out
    assert "Core              3  60.0%\n" in ran.out
    assert "1 group of 2 hosts traps every walker" in ran.out
    assert "the hosts form 2 strongly connected components" in ran.out
    assert "PageRank" in ran.out
    assert "\x1b" not in ran.out
    assert ran.out.endswith(f"written to {out}\n")
    page = out.read_text(encoding="utf-8")
    assert "&lt;e&gt;.test" in page
    assert "<e>" not in page


def test_farms_whose_walk_does_not_rest_are_told(command, report_engine, tmp_path):
    said = "the simulation did not converge for 1, 5 supporting domains"
    assert said in command("graph", "report", "--level", "domains").out
    assert "not come to rest" not in command("graph", "report", "--level", "hosts").out


def test_a_report_as_json(command, report_engine):
    found = json.loads(command("graph", "report", "--level", "hosts", "--json").out)
    assert [part["pages"] for part in found["bow_tie"]] == [3, 0, 2, 0, 0, 0, 0, 0]
    assert found["traps"][0]["period"] == 2
    assert found["farms"]
