"""Folders that are no collection, settings, locks, checks and repairs, import and export."""

from __future__ import annotations

import csv
import dataclasses
import gzip
import json
import shutil
import sqlite3
import zlib

import pytest

from gossamer import Config, Engine
from gossamer.collection.collection import Collection
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.index.index import Index
from gossamer.index.manifest import FORMAT, write_manifest
from gossamer.model import (
    BadQuery,
    BadSetting,
    CollectionBusy,
    CollectionError,
    DamagedFile,
    GossamerError,
    NotACollection,
    UsageError,
    WrongFormat,
)

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}


def site(count=6):
    routes = {f"/{i}": page(f"Title {i}", f"body of number{i} shared", [f"/{i + 1}"]) for i in range(count)}
    return ScriptedTransport(ScriptedWeb({"a.test": ScriptedHost(routes)}))


@pytest.fixture
def folder(tmp_path):
    with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
        assert engine.crawl(["http://a.test/0"], transport=site()).kept == 6
        engine.rank()
    return tmp_path / "c"


def total(folder, query="shared"):
    with Engine.open(folder) as engine:
        return engine.search(query).total


def test_a_folder_that_is_no_collection(tmp_path):
    with pytest.raises(NotACollection, match="crawl URL"):
        Engine.open(tmp_path / "missing")
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(CollectionError, match="not empty"):
        Engine.open(tmp_path, create=True)
    with pytest.raises(CollectionError, match="folder"):
        Engine.open(tmp_path / "photo.jpg" / "below", create=True)


def test_another_format_is_said(folder):
    path = folder / "collection.json"
    path.write_text(path.read_text().replace('"format": 2', '"format": 99'))
    with pytest.raises(WrongFormat, match="99"):
        Engine.open(folder)
    path.write_text("{")
    with pytest.raises(DamagedFile, match=r"collection\.json"):
        Engine.open(folder)


def test_an_index_of_another_format_can_be_rebuilt(folder):
    path = folder / "partition-000" / "index" / "MANIFEST"
    own, other = f'"format": {FORMAT}'.encode(), b'"format": 1'
    body = path.read_bytes().rpartition(b"\n")[0].rpartition(b"\n")[0].replace(own, other)
    path.write_bytes(body + f"\n{zlib.crc32(body):08x}\n".encode())
    with Engine.open(folder, settings=SETTINGS) as engine:
        with pytest.raises(WrongFormat, match="index --rebuild"):
            engine.search("shared")
        assert engine.index(rebuild=True).documents == 6
        assert engine.search("shared").total == 6


def test_one_writer_at_a_time(folder):
    with Engine.open(folder) as engine, Collection.open(folder).writing():
        with pytest.raises(CollectionBusy, match="another process"):
            engine.index()
        assert engine.search("shared").total == 6


def test_the_template_is_the_default_configuration(tmp_path):
    path = tmp_path / "gossamer.toml"
    path.write_text(Config.template())
    assert Config.load(path) == Config()
    uncommented = "\n".join(
        line.removeprefix("# ") if " = " in line and line.startswith("# ") else line
        for line in Config.template().splitlines()
    )
    path.write_text(uncommented)
    assert Config.load(path) == Config()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[crawl]\ndepht = 3", "did you mean 'depth'"),
        ("[crwl]\ndepth = 3", "did you mean 'crawl'"),
        ('[crawl]\ndepth = "three"', "a whole number"),
        ("[crawl]\ninclude = [1]", "strings"),
        ("crawl = 3", "section"),
        ("[crawl]\nconnections = 0", "at least 1"),
        ("[crawl]\nmax_pages = -5", "at least 0"),
        ("[index]\nmerge_factor = 0", "at least 2"),
        ("[rank]\ndamping = 1.5", "at most 1"),
        ("[search]\nproximity = nan", "a number"),
        ('[fetch]\nuser_agent = "a\\nb"', "one line"),
        ('[fetch]\nuser_agent = ""', "one line"),
        ("[crawl\n", "gossamer.toml"),
        ("[serve]\n[crawl]\n[serve]", "below one header"),
    ],
)
def test_wrong_settings_are_explained(folder, content, message):
    (folder / "gossamer.toml").write_text(content)
    with pytest.raises(BadSetting, match=message):
        Engine.open(folder)


def test_a_malformed_query_shows_the_place(folder):
    with Engine.open(folder) as engine, pytest.raises(BadQuery) as error:
        engine.search('shared "unclosed')
    assert error.value.pointer().splitlines()[1].index("^") == 7


def test_searching_sees_new_commits_and_ranks(tmp_path):
    with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as reader:
        assert reader.search("shared").notes
        with Engine.open(tmp_path / "c", settings=SETTINGS) as writer:
            writer.crawl(["http://a.test/0"], transport=site())
        before = reader.search("shared")
        assert before.total == 6
        with Engine.open(tmp_path / "c") as writer:
            writer.rank()
        after = reader.search("shared", explain=True)
        assert after.hits[0].score > before.hits[0].score
        assert max(hit.explanation.static_factor for hit in after.hits) > 1


def test_status_counts(folder):
    with Engine.open(folder) as engine:
        found = engine.status().as_dict()
    assert found["pages"] == found["documents"] == 6
    assert (found["failed"], found["queued"], found["ranked"], found["hosts"]) == (1, 0, True, 1)
    assert found["reasons"] == {"http-404": 1}
    assert found["oldest_fetch"] <= found["newest_fetch"]
    assert found["bytes_on_disk"] > 1000


def test_check_is_clean_after_a_crawl(folder):
    with Engine.open(folder) as engine:
        report = engine.check()
    assert report.problems == ()
    assert report.files > 8


FILES = ["index/MANIFEST", "index/segment-000001/entries.arrays", "index/segment-000001/terms.arrays",
         "index/segment-000001/stored.arrays", "pages/00000.warc.gz", "links/links.log"]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("damage", ["flip", "cut"])
def test_damage_is_found_named_and_repaired(folder, name, damage):
    path = folder / "partition-000" / name
    data = bytearray(path.read_bytes())
    place = len(data) // 2
    data[place] ^= 0x55
    path.write_bytes(data if damage == "flip" else data[:place])
    with Engine.open(folder, settings=SETTINGS) as engine:
        report = engine.check()
        assert any(name.split("/")[-1] in problem.path for problem in report.problems), report
        assert not any(problem.repaired for problem in report.problems)
        repaired = engine.check(repair=True)
        assert all(problem.repaired for problem in repaired.problems)
        assert engine.check().problems == ()
        engine.crawl(["http://a.test/0"], transport=site())
        assert engine.check().problems == ()
    assert total(folder) == 6


def test_a_damaged_catalogue_says_what_to_do(folder):
    path = folder / "partition-000" / "catalogue.sqlite"
    data = bytearray(path.read_bytes())
    data[0:100] = b"\0" * 100
    path.write_bytes(data)
    with Engine.open(folder) as engine:
        problems = engine.check().problems
    assert any("catalogue.sqlite" in p.path and "import" in p.what for p in problems)


@pytest.mark.parametrize("loss", ["missing", "empty"])
def test_a_lost_catalogue_costs_no_page(folder, tmp_path, loss):
    """Made anew, it would say that nothing was fetched, and the page store would be cut to match."""
    for path in (folder / "partition-000").glob("catalogue.sqlite*"):
        path.unlink()
    if loss == "empty":
        (folder / "partition-000" / "catalogue.sqlite").touch()
    pages = folder / "partition-000" / "pages" / "00000.warc.gz"
    size = pages.stat().st_size
    with Engine.open(folder, settings=SETTINGS) as engine:
        assert any(
            "missing or empty" in p.what and not p.repaired for p in engine.check(repair=True).problems
        )
        for action in (engine.index, engine.rank, lambda: engine.crawl("http://a.test/0", transport=site())):
            with pytest.raises(DamagedFile, match="import the WARC files"):
                action()
        assert engine.search("shared").total == 6
    assert pages.stat().st_size == size
    with Engine.open(tmp_path / "new", create=True, settings=SETTINGS) as engine:
        assert engine.import_files(pages).kept == 6


def test_pages_without_an_index_are_noted(folder):
    shutil.rmtree(folder / "partition-000" / "index")
    with Engine.open(folder, settings=SETTINGS) as engine:
        report = engine.check()
        assert (report.problems, len(report.notes)) == ((), 1)
        assert engine.search("shared").notes
        engine.index()
        assert engine.search("shared").total == 6
        assert engine.check().notes == ()


def test_a_damaged_record_is_no_empty_page(folder):
    path = folder / "partition-000" / "pages" / "00000.warc.gz"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x55
    path.write_bytes(data)
    with Engine.open(folder, settings=SETTINGS) as engine:
        summary = engine.index(rebuild=True)
        assert (summary.documents, summary.added, summary.unreadable) == (5, 5, 1)
        assert engine.status().queued == 1
        engine.crawl(transport=site())
        assert engine.search("shared").total == 6


def test_partitions_that_weigh_differently_are_rebuilt(tmp_path):
    """A rebuild that dies between two partitions must not leave two ways of weighing words."""
    hosts = {
        f"h{i}.test": ScriptedHost({"/": page(f"T{i}", f"shared words {i} " * (1 + i))}) for i in range(8)
    }
    seeds = [f"http://h{i}.test/" for i in range(8)]
    with Engine.open(tmp_path / "c", create=True, partitions=2, settings=SETTINGS) as engine:
        engine.crawl(seeds, transport=ScriptedTransport(ScriptedWeb(hosts)))
        right = [(hit.url, hit.score) for hit in engine.search("shared").hits]
        index = engine._partitions[1].index
        manifest = index.manifest()
        other = dataclasses.replace(manifest.weighting, k1=2.0)
        write_manifest(index.directory, manifest.successor(weighting=other))
        assert any("different weightings" in problem.what for problem in engine.check().problems)
        engine.index()
        assert engine.check().problems == ()
        assert [(hit.url, hit.score) for hit in engine.search("shared").hits] == right


def test_damaged_ranks_are_found_and_forgotten(folder):
    path = next(folder.glob("graph/gen-*/rank-pagerank*"))
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with Engine.open(folder) as engine:
        assert engine.check().problems
        engine.check(repair=True)
        assert engine.search("shared").total == 6


def test_rebuild_gives_the_same_answers(folder):
    with Engine.open(folder, settings=SETTINGS) as engine:
        before = engine.search("number3 shared")
        summary = engine.index(rebuild=True)
        after = engine.search("number3 shared")
    assert (summary.documents, summary.added, summary.segments) == (6, 6, 1)
    assert [(h.url, h.score, h.title, h.snippet) for h in before.hits] == [
        (h.url, h.score, h.title, h.snippet) for h in after.hits
    ]


def test_an_empty_rebuild_freezes_nothing(tmp_path):
    """Pivots of no pages at all would weigh every later page wrongly."""

    def scores(folder, *, rebuilt):
        with Engine.open(folder, create=True, settings=SETTINGS) as engine:
            if rebuilt:
                engine.index(rebuild=True)
            engine.crawl("http://a.test/0", transport=site())
            return [(hit.url, hit.score) for hit in engine.search("number3 shared").hits]

    assert scores(tmp_path / "a", rebuilt=True) == scores(tmp_path / "b", rebuilt=False)


def test_small_memory_makes_many_segments_and_the_same_answers(folder, monkeypatch):
    written, write = [], Index.write
    monkeypatch.setattr(Index, "write", lambda *given: written.append(given) or write(*given))
    with Engine.open(folder, settings=SETTINGS) as engine:
        before = [(h.url, h.score) for h in engine.search("shared").hits]
    tiny = {**SETTINGS, "index": {"memory_mb": 0, "merge_factor": 50}}
    with Engine.open(folder, settings=tiny) as engine:
        assert engine.index(rebuild=True).segments == 1  # none of them held half
        assert len(written) == 6
        again = [(h.url, h.score) for h in engine.search("shared").hits]
    assert again == before


def test_jsonl_and_warc_go_out_and_come_in(folder, tmp_path):
    with Engine.open(folder) as engine:
        assert engine.export(tmp_path / "out.jsonl") == 6
        assert engine.export(tmp_path / "out.warc.gz", "warc") == 7
        assert engine.export(tmp_path / "out.csv", "csv") == 6
        assert engine.export(tmp_path / "texts", "text") == 6
        with pytest.raises(BadSetting, match="jsonl"):
            engine.export(tmp_path / "x", "docx")
        with pytest.raises(GossamerError, match="nowhere"):
            engine.export(tmp_path / "nowhere" / "x.csv", "csv")
        original = {hit.url: hit.title for hit in engine.search("shared").hits}
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["url"]: row["title"] for row in rows} == original
    assert len(list((tmp_path / "texts").rglob("*.txt"))) == 6
    for name in ("out.jsonl", "out.warc.gz"):
        with Engine.open(tmp_path / f"from-{name}", create=True, settings=SETTINGS) as engine:
            assert engine.import_files([tmp_path / name]).kept == 6
            assert {hit.url: hit.title for hit in engine.search("shared").hits} == original
            assert engine.check().problems == ()


def test_a_corpus_of_json_lines(tmp_path):
    rows = [{"_id": "17", "title": "Wings", "text": "boundary layer"}, {"_id": "18", "text": "heat transfer"}]
    with gzip.open(tmp_path / "corpus.jsonl.gz", "wt") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    with Engine.open(tmp_path / "c", create=True, settings=SETTINGS) as engine:
        assert engine.import_files([tmp_path / "corpus.jsonl.gz"]).kept == 2
        assert engine.search("boundary").hits[0].title == "Wings"
        (tmp_path / "bad.jsonl").write_text('{"_id": "1", "text": "fine"}\n[3]\n')
        with pytest.raises(UsageError, match="line 2"):
            engine.import_files([tmp_path / "bad.jsonl"])
        with pytest.raises(UsageError, match="no file"):
            engine.import_files([tmp_path / "missing.jsonl"])
        with pytest.raises(UsageError, match=r"\.warc"):
            engine.import_files([tmp_path / "c" / "gossamer.toml"])


def test_the_catalogue_is_readable_with_any_sqlite_tool(folder):
    connection = sqlite3.connect(folder / "partition-000" / "catalogue.sqlite")
    assert connection.execute("SELECT count(*) FROM urls WHERE state = 'fetched'").fetchone() == (6,)
    connection.close()


def test_top_pages(folder):
    with Engine.open(folder) as engine:
        best = engine.top(3)
        assert [page.rank for page in best] == [1, 2, 3]
        assert best[0].value >= best[1].value
        assert engine.top(1, "indegree")[0].value == 1.0
        with pytest.raises(BadSetting, match="pagerank"):
            engine.top(3, "beauty")
