"""The smaller commands: what they ask of the engine, and what they print."""

from __future__ import annotations

import json
import types
from importlib import import_module
from pathlib import Path

import pytest
from cli_fakes import STATUS

from gossamer.jobs.check import CheckReport, Problem
from gossamer.jobs.rank import RankSummary


def test_index(command, engine):
    ran = command("index", "--rebuild")
    assert engine.asked("index") == (True, False)
    assert ran == (0, "1,100 pages can be searched: 20 added, 1 removed, 2 segments, in 1.2 s\n", "")


def test_rank(command, engine):
    ran = command("rank")
    assert ran.out == "ranked 500 pages by 1 link in 80 steps, 0.5 s\n"
    assert [call[0] for call in engine.calls] == ["open", "rank", "close"]


@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (["--top", 3], (3, "pagerank")),
        (["--by", "indegree"], (10, "indegree")),
        (["--top", 1, "--by", "indegree"], (1, "indegree")),
    ],
)
def test_the_best_pages(command, engine, arguments, asked):
    ran = command("rank", *arguments)
    assert engine.asked("top") == asked
    assert ran.out.splitlines()[1:] == [
        f"   {asked[1]:>8}  title          url",
        "1      0.25  All  [31mcats  http://cats.test/",
    ]


def test_ranks_as_json(command, engine):
    found = json.loads(command("rank", "--top", 1, "--json").out)
    assert found["pages"] == 500
    assert found["converged"] is True
    assert found["top"][0]["url"] == "http://cats.test/"
    assert json.loads(command("rank", "--json").out)["top"] == []


WHY = "not converged after 100 steps: the last one still moved 0.25 of 1"


def test_ranks_that_did_not_converge_say_so(command, engine, monkeypatch):
    monkeypatch.setattr(engine, "rank", lambda only, observer: RankSummary(5, 7, 100, 0.25, False, 0.1, WHY))
    assert command("rank").out.endswith(f"in 100 steps, 0.1 s, {WHY}\n")


def test_status(command, engine):
    assert json.loads(command("status", "--json").out) == {**STATUS.as_dict(), "crawl": None}
    out = command("status").out
    for row in (
        "pages kept",
        "1,200",
        "12.3 MB",
        "no; run: gossamer rank",
        "reason: dns",
        "not indexed, duplicate: same-content",
        "never",
    ):
        assert row in out
    assert all(line == line.rstrip() for line in out.splitlines())


def test_export(command, engine):
    assert command("export", "--format", "csv", "out.csv").out == "wrote 1 page to out.csv\n"
    command("export", "out.jsonl")
    assert [call[1:] for call in engine.calls if call[0] == "export"] == [
        (Path("out.csv"), "csv"),
        (Path("out.jsonl"), "jsonl"),
    ]


@pytest.mark.parametrize("form", ["jsonl", "csv", "warc"])
def test_export_to_standard_output(command, engine, monkeypatch, form):
    monkeypatch.setattr(engine, "export", lambda out, form, observer: out.write_bytes(b"pages\n") and 3)
    ran = command("export", "--format", form, "-")
    assert ran == (0, "pages\n", "wrote 3 pages to standard output\n")


def test_a_file_a_page_does_not_go_to_standard_output(command, engine):
    ran = command("export", "--format", "text", "-")
    assert ran.code == 2
    assert "name a folder" in ran.err
    assert engine.calls == []


@pytest.mark.parametrize(("form", "said"), [("csv", "exists already"), ("text", "is not empty")])
def test_nothing_is_overwritten_unless_that_is_wished(command, engine, tmp_path, form, said):
    there = tmp_path / "there.csv"
    there.write_text("precious")
    out = there if form == "csv" else tmp_path
    ran = command("export", "--format", form, out)
    assert ran.code == 2
    assert f"{out} {said}; add --force" in ran.err
    assert engine.calls == []
    assert command("export", "--format", form, out, "--force").code == 0
    assert engine.asked("export") == (out, form)


def test_what_is_no_file_is_not_in_the_way(command, engine, tmp_path):
    assert command("export", "/dev/null").code == 0
    assert command("export", "--format", "text", tmp_path).code == 0


@pytest.mark.parametrize("exists", [True, False])
def test_import(command, engine, collection, tmp_path, exists):
    folder = collection if exists else tmp_path / "new"
    file = tmp_path / "a.warc.gz"
    file.touch()
    ran = command("-C", folder, "import", file, "--no-index")
    assert ran.out == "imported 9 pages (8 kept, 1 record skipped) in 0.5 s\n"
    assert engine.asked("open")[1]["create"] is not exists
    assert engine.asked("import") == ([file], False)


def test_check(command, engine):
    assert command("check") == (0, "no problem found in 7 files\n", "")
    assert engine.asked("check") == (False,)


def test_check_finds_something(command, engine):
    engine.report = CheckReport(7, (Problem("a/b", "torn"), Problem("c", "gone", repaired=True)))
    ran = command("check")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "a/b: torn",
        "c: gone (repaired)",
        "2 problems in 7 files: 1 repaired, 1 left",
    ]
    engine.report = CheckReport(7, (Problem("a/b", "torn"),))
    assert command("check").out.endswith(
        "1 problem in 7 files: 0 repaired, 1 left; run: gossamer check --repair\n"
    )


def test_check_says_each_thing_once(command, engine):
    path = "c/pages/0.warc.gz"
    engine.report = CheckReport(
        3,
        (
            Problem("c/MANIFEST", "damaged file c/MANIFEST: torn; run: gossamer check --repair"),
            Problem("c/graph", "c/graph/ranks: gone"),
            Problem(path, "http://a.test/: at 5, where http://a.test/ should be: torn"),
            Problem(path, "http://a.test/: torn"),
        ),
        ("2 pages are not indexed",),
    )
    assert command("check").out.splitlines() == [
        "c/MANIFEST: torn",
        "c/graph/ranks: gone",
        f"{path}: at 5, where http://a.test/ should be: torn",
        f"{path}: http://a.test/: torn",
        "4 problems in 3 files: 0 repaired, 4 left; run: gossamer check --repair",
        "2 pages are not indexed",
    ]


@pytest.mark.parametrize(("count", "shown"), [(10, 10), (11, 1)])
def test_many_problems_of_a_kind_are_one_line(command, engine, count, shown):
    again = [Problem("a", f"http://a.test/{i}: torn at {i}", True, "queued again") for i in range(count)]
    engine.report = CheckReport(7, (*again, Problem("b", "torn", repaired=True)))
    ran = command("check", "--repair")
    assert ran.code == 0
    *lines, other, last = ran.out.splitlines()
    assert len(lines) == shown
    assert lines[0].endswith("http://a.test/0: torn at 0 (queued again)")
    assert ("11 problems like this" in lines[0]) == (count == 11)
    assert other == "b: torn (repaired)"
    assert last == f"{count + 1} problems in 7 files: {count} queued again, 1 repaired, 0 left"


def test_what_cannot_be_repaired_is_not_advised_again(command, engine):
    engine.report = CheckReport(7, (Problem("a", "gone"),))
    assert command("check", "--repair").out.endswith("1 problem in 7 files: 0 repaired, 1 left\n")


def test_check_repairs(command, engine):
    engine.report = CheckReport(7, (Problem("c", "gone", repaired=True),))
    ran = command("check", "--repair")
    assert ran.code == 0
    assert engine.asked("check") == (True,)


def test_serve(command, engine, monkeypatch):
    asked = []
    own = types.SimpleNamespace(token=types.SimpleNamespace(path="here/owner/token"))

    def run(served, host, port, on_ready, settings, owned):
        asked.append((served, host, port, settings, owned))
        on_ready(f"http://{host}:{port}/")

    monkeypatch.setattr("gossamer.serve.server.run", run)
    import_module("gossamer.serve.asgi")  # it must not take the name below for its own
    monkeypatch.setattr("gossamer.serve.owner_pages.base.owned", lambda engine: own)
    ran = command("serve", "--host", "0.0.0.0", "--port", 0)
    assert asked == [(engine, "0.0.0.0", 0, engine.config.serve, own)]
    assert ran.out.splitlines() == [
        "searching at http://0.0.0.0:0/ (stop with Ctrl-C)",
        "owner's pages at http://0.0.0.0:0/owner; the token to log in is in here/owner/token",
    ]
    engine.config = engine.config.changed({"serve": {"owner": False}})
    assert "owner" not in command("serve").out


@pytest.fixture
def judged(tmp_path):
    made = tmp_path / "tiny-de"
    made.mkdir()
    rows = [{"_id": "a", "title": "Katzen", "text": "Der Jaguar"}, {"_id": "b", "text": "Autos fahren"}]
    (made / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (made / "queries.jsonl").write_text('{"_id": "1", "text": "Katze"}')
    (made / "qrels.tsv").write_text("1\ta\t1\n")
    return made


def test_eval(command, judged):
    ran = command("eval", judged, judged)
    heading, *rows = ran.out.splitlines()
    assert heading.split() == [
        "collection",
        "documents",
        "queries",
        "nDCG@10",
        "MAP",
        "MRR",
        "P@1",
        "P@10",
        "R@100",
    ]
    assert [row.split() for row in rows] == [
        ["tiny-de", "2", "1", "1.0000", "1.0000", "1.0000", "1.0000", "0.1000", "1.0000"]
    ] * 2


def test_eval_as_json(command, judged):
    (found,) = json.loads(command("eval", judged, "--json").out)["collections"]
    assert isinstance(found.pop("seconds"), float)
    assert found == {
        "collection": "tiny-de", "documents": 2, "queries": 1,
        "nDCG@10": 1.0, "MAP": 1.0, "MRR": 1.0, "P@1": 1.0, "P@10": 0.1, "R@100": 1.0,
    }  # fmt: skip
    # Without German stems, "Katze" is not "Katzen".
    (plain,) = json.loads(command("eval", judged, "--json", "--language", "xx").out)["collections"]
    assert plain["MAP"] == 0.0


def test_eval_names_the_line(command, judged):
    (judged / "qrels.tsv").write_text("1\ta\t1\n1\tb\tx\n")
    ran = command("eval", judged)
    assert ran.code == 2
    assert f"gossamer: {judged / 'qrels.tsv'}, line 2:" in ran.err
