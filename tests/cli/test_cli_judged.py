"""`gossamer eval` and `gossamer tune` from the command line to tables, JSON and files."""

from __future__ import annotations

import json
import tomllib

import pytest
from judged_folder import titles_mislead

from gossamer.config import Config
from gossamer.evaluate import tune as tuning

LOWER = "[weighting]\ntitle_weight = 0.1\n"


@pytest.fixture
def judged(tmp_path):
    return titles_mislead(tmp_path / "titles")


@pytest.fixture
def lower(tmp_path):
    (tmp_path / "lower.toml").write_text(LOWER)
    return tmp_path / "lower.toml"


def words(line):
    return line.split()


def row_of(measure, printed):
    """The row of a comparison."""
    return next(line for line in printed.splitlines() if line.split()[1:2] == [measure])


def test_figures_are_saved_and_compared_with(command, judged, lower, tmp_path):
    ran = command("eval", judged, "--save", tmp_path / "before.json", "--quiet")
    assert ran.code == 0, ran.err
    ran = command("eval", judged, "--config", lower, "--against", tmp_path / "before.json", "--quiet")
    assert words(ran.out.splitlines()[1]) == words("titles 16 8 1.0000 1.0000 1.0000 1.0000 0.1000 1.0000")
    assert words(row_of("MRR", ran.out)) == words(
        "titles MRR 0.5000 1.0000 +100.0% +0.5000 +0.5000 8 0 0.0078 0.0000"
    )


def test_two_settings_and_every_query_as_json(command, judged, lower):
    ran = command("eval", judged, "--against", lower, "--per-query", "--json", "--quiet")
    (found,) = json.loads(ran.out)["collections"]
    assert found["per_query"]["q3"]["MRR"] == 0.5
    against = found["against"]["MRR"]
    assert (against["before"], against["after"], against["difference"], against["losses"]) == (
        1.0,
        0.5,
        -0.5,
        8,
    )


def test_every_query_as_a_table(command, judged, lower):
    lines = command("eval", judged, "--per-query", "--against", lower, "--quiet").out.splitlines()
    assert words(lines[3]) == words("titles nDCG@10 MAP MRR P@1 P@10 R@100 gained query")
    assert words(lines[4]) == words("q0 0.6309 0.5000 0.5000 0.0000 0.1000 1.0000 -0.3691 jaguar")


def test_runs_are_written_and_measured(command, judged, lower, tmp_path):
    run, better = tmp_path / "a.run", tmp_path / "b.run"
    command("eval", judged, "--write-run", run, "--quiet")
    command("eval", judged, "--write-run", better, "--config", lower, "--quiet")
    assert run.read_text().splitlines()[0] == "q0 Q0 bad0 1 2 gossamer"
    ran = command("eval", "--run", better, "--qrels", judged / "qrels.tsv", "--against", run)
    assert words(ran.out.splitlines()[1])[:2] == ["titles", "8"], "nobody told how many documents there were"
    assert words(row_of("MRR", ran.out))[2:4] == ["0.5000", "1.0000"]
    assert command("eval", judged, "--against", better, "--quiet").code == 0


def test_runs_of_several_collections_lie_in_a_folder(command, judged, tmp_path):
    other = titles_mislead(tmp_path / "other", 2)
    assert command("eval", judged, other, "--write-run", tmp_path / "runs", "--quiet").code == 0
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["other.run", "titles.run"]
    ran = command("eval", judged, other, "--against", tmp_path / "runs", "--quiet")
    assert "nDCG@10: mean change +0.0%, lowest +0.0%" in ran.out
    ran = command("eval", judged, other, "--against", tmp_path / "runs" / "other.run", "--quiet")
    assert (ran.code, "is a run of one collection" in ran.err) == (2, True)


def test_floors_hold_rise_and_do_not_fall(command, judged, lower, tmp_path):
    floors = tmp_path / "floors.toml"
    ran = command("eval", judged, "--floors", floors, "--raise-floors", "--quiet")
    assert (ran.code, ran.err) == (0, "titles: pinned\n")
    assert tomllib.loads(floors.read_text()) == {"titles": {"nDCG@10": 0.6309, "MAP": 0.5, "MRR": 0.5}}
    better = ("eval", judged, "--config", lower, "--floors", floors, "--quiet")
    before = floors.read_text()
    assert command(*better).code == 0
    assert floors.read_text() == before, "floors rise only when somebody asks"
    assert "titles: MRR from 0.5 to 1.0" in command(*better, "--raise-floors").err
    for more in ((), ("--raise-floors",)):
        ran = command("eval", judged, "--floors", floors, "--quiet", *more)
        assert ran.code == 1
        assert "gossamer: titles: MRR fell to 0.5000, the floor is 1.0000\n" in ran.err
        assert tomllib.loads(floors.read_text())["titles"]["MRR"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eval"], "name a folder with a test collection, or --topics and --qrels, or --run and --qrels"),
        (["eval", "FOLDER", "FOLDER", "--qrels", "x"], "belong to one collection"),
        (["eval", "FOLDER", "--raise-floors"], "--raise-floors needs a file"),
        (["eval", "FOLDER", "--floors", "nowhere.toml"], "nowhere.toml does not exist"),
        (["eval", "FOLDER", "--against", "nowhere.json"], "nowhere.json does not exist"),
        (["eval", "FOLDER", "--save", "nowhere/x.json"], "to write x.json into"),
        (["eval", "FOLDER", "--config", "nowhere.toml"], "nowhere.toml does not exist"),
        (["tune", "FOLDER", "--settings", "k2"], "'k2' cannot be tuned; choose from: weighting.k1,"),
        (["tune", "FOLDER", "--measure", "ndcg@5"], "there is no measure 'ndcg@5'"),
        (["tune", "FOLDER", "--out", "FOLDER"], "exists already; name a new file"),
    ],
)
def test_what_can_be_put_right_is_said_before_the_work(command, judged, arguments, said):
    ran = command(*(judged if argument == "FOLDER" else argument for argument in arguments))
    assert ran.code == 2
    assert said in ran.err


def test_figures_of_other_collections(command, judged, tmp_path):
    (tmp_path / "no.json").write_text('{"collections": []}')
    ran = command("eval", judged, "--against", tmp_path / "no.json", "--quiet")
    assert (ran.code, "has no figures of titles" in ran.err) == (2, True)
    (tmp_path / "no.json").write_text('{"other": 1}')
    ran = command("eval", judged, "--against", tmp_path / "no.json", "--quiet")
    assert (ran.code, "is not a file of `gossamer eval --save`" in ran.err) == (2, True)


def test_tune_writes_settings_that_can_be_used(command, judged, tmp_path):
    out = tmp_path / "tuned.toml"
    line = ("tune", judged, "--measure", "mrr", "--settings", "title_weight,url_weight", "--folds", 2)
    ran = command(*line, "--restarts", 0, "--out", out, "--quiet")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0] == "measured on held-out queries:"
    assert words(row_of("MRR", ran.out))[:4] == words("titles MRR 0.5000 1.0000")
    assert any(line.startswith("weighting.title_weight ") for line in lines)
    assert lines[-1] == f"written to {out}"
    chosen = Config.load(out).weighting
    assert chosen.title_weight < 1.5
    (found,) = json.loads(command("eval", judged, "--config", out, "--json", "--quiet").out)["collections"]
    assert found["MRR"] == 1.0


def test_tune_as_json_and_stopped(command, judged, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tuning._TuningRun, "run", stop)
    ran = command("tune", judged, "--json", "--quiet")
    found = json.loads(ran.out)
    assert ran.code == 130
    assert (found["stopped"], found["chosen"], found["held_out"]) == (True, None, [])
    assert "title_weight" in "".join(found["before"])
