"""What leaves a collection: harmless in a spreadsheet, and counted as it is."""

from __future__ import annotations

import csv
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import Engine
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedTransport, ScriptedWeb, html, redirect
from gossamer.jobs.export import file_name
from gossamer.storage.warc import iter_warc
from gossamer.web.url import canonical

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


def test_a_text_file_for_each_page(folder, tmp_path):
    with Engine.open(folder) as engine:
        count = engine.export(tmp_path / "texts", "text")
        engine.export(tmp_path / "texts", "text")
    files = sorted((tmp_path / "texts").rglob("*.txt"))
    assert count == len(files) == len(TITLES) + 1
    assert {file.parent.name for file in files} == {"a.test"}
    start = next(file for file in files if file.name.startswith("index-"))
    assert start.read_text().startswith("http://a.test/\nstart\n\n")


def test_authors_and_dates_leave_too(tmp_path):
    head = "<title>Cats</title><meta name=author content=Ada><meta name=date content=1969-07-20>"
    web = ScriptedTransport(ScriptedWeb({"a.test": ScriptedHost({"/": html(f"{head}<p>words")})}))
    with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
        engine.crawl(["http://a.test/"], transport=web)
        engine.export(tmp_path / "out.jsonl", "jsonl")
        engine.export(tmp_path / "out.csv", "csv")
    line = json.loads((tmp_path / "out.jsonl").read_text())
    assert (line["author"], line["published"]) == ("Ada", "1969-07-20T00:00:00+00:00")
    with (tmp_path / "out.csv").open(newline="") as file:
        assert [row["author"] for row in csv.DictReader(file)] == ["Ada"]


def test_what_leaves_as_json_lines_comes_in_again(tmp_path):
    head = "<title>Cats &amp; dogs</title><meta name=author content='Ada &lt;ada@a.test>'>"
    subtitles = b"WEBVTT\n\n00:01.000 --> 00:04.000\nThe cat is on the roof and sings.\n"
    routes = {
        "/": html(f'{head}<meta name=date content=1969-07-20><p>words <a href="/roof">roof</a>'),
        "/roof": Reply(200, subtitles, {"Content-Type": "text/vtt"}),
    }
    web = ScriptedTransport(ScriptedWeb({"a.test": ScriptedHost(routes)}))
    with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
        engine.crawl(["http://a.test/"], transport=web)
        assert engine.export(tmp_path / "out.jsonl", "jsonl") == 2
    out = re.sub(r'("fetched": ")\d{4}', r"\g<1>2019", (tmp_path / "out.jsonl").read_text())
    (tmp_path / "out.jsonl").write_text(out)
    with Engine.open(tmp_path / "d", create=True, settings=SETTINGS) as engine:
        engine.import_files(tmp_path / "out.jsonl")
        engine.export(tmp_path / "again.jsonl", "jsonl")
    assert sorted((tmp_path / "again.jsonl").read_text().splitlines()) == sorted(out.splitlines())


@given(st.text(max_size=400))
def test_every_page_has_a_file_name_that_can_be_written(path):
    url = canonical("http://a.test/" + path)
    name = file_name(url)
    assert len(name.parts) == 2
    assert len(name.name.encode()) < 255
    assert not set(name.name) & set('/\\:*?"<>|\0')
