"""What leaves a collection: harmless in a spreadsheet, and counted as it is."""

from __future__ import annotations

import csv

import pytest

from gossamer import Engine
from gossamer.fetch.scripted import ScriptedHost, ScriptedTransport, ScriptedWeb, html, redirect
from gossamer.store.warc import iter_warc

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
TITLES = ["=1+1", "+1", "-1", "@SUM(A1)", "plain", "'quoted", "a = b"]


@pytest.fixture
def folder(tmp_path):
    links = "".join(f'<a href="/{i}">{i}</a>' for i in range(len(TITLES)))
    routes = {f"/{i}": html(f"<title>{title}</title><p>words {i}") for i, title in enumerate(TITLES)}
    routes |= {"/": html(f"<title>start</title>{links}<a href=/moved>x</a>"), "/moved": redirect("/0")}
    web = ScriptedTransport(ScriptedWeb({"a.test": ScriptedHost(routes)}))
    with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
        engine.crawl(["http://a.test/"], transport=web)
    return tmp_path / "c"


def test_a_title_is_no_formula(folder, tmp_path):
    with Engine.open(folder) as engine:
        engine.export(tmp_path / "out.csv", "csv")
        engine.export(tmp_path / "out.jsonl", "jsonl")
    with (tmp_path / "out.csv").open(newline="") as file:
        titles = {row["title"] for row in csv.DictReader(file)}
    assert titles == {"'=1+1", "'+1", "'-1", "'@SUM(A1)", "plain", "'quoted", "a = b", "start"}
    assert '"title": "=1+1"' in (tmp_path / "out.jsonl").read_text()


def test_the_answers_of_a_warc_file_are_counted(folder, tmp_path):
    with Engine.open(folder) as engine:
        count = engine.export(tmp_path / "out.warc.gz", "warc")
    written = list(iter_warc(tmp_path / "out.warc.gz"))
    assert count == len(written)
    assert {301, 200} <= {result.status for result in written}
