"""An internal error while one response is ingested loses only that page, now and in later crawls."""

from __future__ import annotations

import errno
import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from gossamer import Engine
from gossamer.cli.main import run
from gossamer.crawl import ingest as intake
from gossamer.crawl.fetch import robots_cache
from gossamer.crawl.fetch.fetcher import Fetcher
from gossamer.crawl.frontier.frontier import Frontier
from gossamer.crawl.hosts.knowledge import HostKnowledge
from gossamer.crawl.live_index import LiveIndex
from gossamer.crawl.revisit.schedule import Schedule
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedTransport, ScriptedWeb, page, text
from gossamer.duplicates.verdict import Duplicates
from gossamer.extract.workers.pool import ExtractionPool
from gossamer.index import writer
from gossamer.jobs import crawl as runs
from gossamer.model import GossamerError
from gossamer.model.errors import INTERNAL_ERROR, internal_error
from gossamer.storage.catalogue.catalogue import Catalogue
from gossamer.storage.link_log import LinkLog
from gossamer.storage.warc import WarcStore
from gossamer.text import tokenizer as text_runs
from gossamer.text.terms import Terms
from gossamer.web.url import canonical

SETTINGS = {"frontier": {"delay": 0.0}, "extract": {"workers": 0}}
START = "http://a.test/"
EVIL = canonical("http://a.test/evil")
GOOD = {"http://a.test/", "http://a.test/1", "http://a.test/2", "http://b.test/3"}
EVIL_PAGE = page("Evil", "shared words of evil", ["/2", "/hidden"])


@pytest.fixture
def web():
    routes = {
        "/robots.txt": text("User-agent: *\nAllow: /"),
        "/": page("Start", "shared words of the start", ["/1", "/evil", "/2", "http://b.test/3"]),
        "/1": page("One", "shared words of one"),
        "/2": page("Two", "shared words of two"),
        "/evil": EVIL_PAGE,
    }
    there = {"/robots.txt": routes["/robots.txt"], "/3": page("Three", "shared words of three")}
    return ScriptedWeb({"a.test": ScriptedHost(routes), "b.test": ScriptedHost(there)})


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "c"


def crawl(folder, web, *seeds, **options):
    with Engine.open(folder, create=True, settings=SETTINGS) as engine:
        return engine.crawl(seeds, transport=ScriptedTransport(web), **options)


def found(folder):
    with Engine.open(folder) as engine:
        return {hit.url for hit in engine.search("shared", k=50).hits}


def row(folder, url=EVIL):
    with closing(sqlite3.connect(folder / "partition-000" / "catalogue.sqlite")) as connection:
        sql = "SELECT state, reason, verdict FROM urls WHERE url = ?"
        return connection.execute(sql, (url.text,)).fetchone()


def logged(folder):
    """Return the reasons in the log for the page."""
    lines = [line for path in (folder / "logs").glob("*.jsonl") for line in path.read_text().splitlines()]
    return [one["reason"] for one in map(json.loads, lines) if one.get("url") == EVIL.text]


def is_evil(*arguments, **options):
    """Return whether a call is about the page, by any of its arguments."""
    texts = {str(getattr(getattr(one, "url", one), "text", "")) for one in arguments}
    numbers = {one for one in arguments if isinstance(one, int)}
    numbers |= {getattr(one, "fingerprint", None) for one in arguments}
    listed = [one for group in arguments if isinstance(group, list) for one in group]
    return EVIL.text in texts or EVIL.fingerprint in numbers or any(is_evil(one) for one in listed)


def break_at(monkeypatch, owner, name, error=None):
    """Make a function fail for the page, and for no other."""
    real = getattr(owner, name)

    def broken(*arguments, **options):
        if is_evil(*arguments):
            raise error or KeyError("nobody has thought of this")
        return real(*arguments, **options)

    monkeypatch.setattr(owner, name, broken)


CHAIN = [
    (Fetcher, "fetch"),
    (WarcStore, "append"),
    (ExtractionPool, "page"),
    (HostKnowledge, "is_soft_404"),
    (Duplicates, "resolve"),
    (LinkLog, "append"),
    (Schedule, "answered"),
    (LiveIndex, "add"),
    (Frontier, "follow_links"),
    (HostKnowledge, "observe"),
    (Catalogue, "record_fetch"),
    (Catalogue, "set_verdict"),
    (Catalogue, "set_visits"),
]


@pytest.mark.parametrize(("owner", "name"), CHAIN)
def test_an_error_anywhere_on_the_way_costs_one_page(folder, web, monkeypatch, owner, name):
    break_at(monkeypatch, owner, name)
    progress = crawl(folder, web, START)
    assert found(folder) == GOOD
    assert progress.errors[INTERNAL_ERROR] == 1
    (trouble,) = progress.troubles
    assert EVIL.text in trouble
    state, reason, verdict = row(folder)
    assert (state, verdict) == ("failed", None)
    assert reason.startswith(f"{INTERNAL_ERROR}: KeyError in gossamer.")
    assert "nobody has thought of this" in reason
    assert reason in logged(folder)


@pytest.mark.parametrize(("owner", "name"), CHAIN)
def test_later_crawls_go_on(folder, web, monkeypatch, owner, name):
    with monkeypatch.context() as patch:
        break_at(patch, owner, name)
        crawl(folder, web, START)
        web.asked.clear()
        crawl(folder, web)
        assert web.asked == []
        crawl(folder, web, EVIL.text)
        assert row(folder)[0] == "failed"
    crawl(folder, web, EVIL.text)
    assert row(folder) == ("fetched", "", "keep")
    assert found(folder) == GOOD | {EVIL.text}
    with Engine.open(folder) as engine:
        assert engine.check().problems == ()


@pytest.mark.parametrize(("owner", "name"), [(ExtractionPool, "page"), (writer, "packed")])
def test_a_rebuilt_index_lacks_one_page(folder, web, monkeypatch, owner, name):
    crawl(folder, web, START)
    break_at(monkeypatch, owner, name)
    with Engine.open(folder, settings=SETTINGS) as engine:
        done = engine.index(rebuild=True)
    assert (done.documents, list(done.failed)) == (4, [EVIL.text])
    assert found(folder) == GOOD
    state, reason, verdict = row(folder)
    assert (state, verdict) == ("fetched", "keep")
    assert reason == done.failed[EVIL.text]


def test_a_page_that_cannot_be_indexed_is_left_out_of_every_index(folder, web, monkeypatch):
    with monkeypatch.context() as patch:
        break_at(patch, writer, "packed")
        assert crawl(folder, web, START).errors[INTERNAL_ERROR] == 1
        assert found(folder) == GOOD
        assert row(folder)[1].startswith(INTERNAL_ERROR)
        assert logged(folder)[-1].startswith(INTERNAL_ERROR)
        with Engine.open(folder, settings=SETTINGS) as engine:
            done = engine.index(rebuild=True)
            assert (done.documents, done.added, list(done.failed)) == (4, 4, [EVIL.text])
            assert engine.check().problems == ()
        crawl(folder, web)
        assert found(folder) == GOOD
    with Engine.open(folder, settings=SETTINGS) as engine:
        assert engine.index().added == 1
    assert found(folder) == GOOD | {EVIL.text}
    assert row(folder) == ("fetched", "", "keep")


def test_a_truncated_page_is_said_to_be_truncated_once_it_is_indexed(folder, web, monkeypatch):
    web.hosts["a.test"].routes["/evil"] = page("Evil", "shared words of evil " * 200)
    settings = {**SETTINGS, "fetch": {"max_bytes": 2_000}}
    with monkeypatch.context() as patch:
        break_at(patch, writer, "packed")
        with Engine.open(folder, create=True, settings=settings) as engine:
            engine.crawl([START], transport=ScriptedTransport(web))
            for _ in range(2):
                engine.index()
                assert row(folder)[1].startswith(INTERNAL_ERROR)
    with Engine.open(folder, settings=SETTINGS) as engine:
        assert engine.index().added == 1
    assert row(folder) == ("fetched", "truncated", "keep")


def test_a_word_that_cannot_be_stemmed_costs_one_page(tmp_path, folder, web, monkeypatch):
    web.hosts["a.test"].routes["/evil"] = page("Evil", "shared words of zzzevil", ["/2"])
    real = Terms._learn

    def broken(self, words, language, plain):
        if b"zzzevil" in self._words.lines(words):
            raise KeyError("no stem")
        return real(self, words, language, plain)

    text_runs._shared.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(Terms, "_learn", broken)
        assert crawl(folder, web, START).errors[INTERNAL_ERROR] == 1
        crawl(folder, web)
        assert found(folder) == GOOD
        assert row(folder)[1].startswith(INTERNAL_ERROR)
        with Engine.open(folder, settings=SETTINGS) as engine:
            assert list(engine.index(rebuild=True).failed) == [EVIL.text]
        assert found(folder) == GOOD
        (file,) = (folder / "partition-000" / "pages").glob("*.warc.gz")
        with Engine.open(tmp_path / "other", create=True, settings=SETTINGS) as engine:
            engine.import_files([file])
        assert found(tmp_path / "other") == GOOD
    with Engine.open(folder, settings=SETTINGS) as engine:
        assert engine.index().added == 1
    assert found(folder) == GOOD | {EVIL.text}


def test_an_index_may_refuse_all_it_is_given(folder, web, monkeypatch):
    def broken(pages, languages):
        raise KeyError("none")

    monkeypatch.setattr(writer, "packed", broken)
    assert crawl(folder, web, START).errors[INTERNAL_ERROR] == 5
    assert found(folder) == set()
    with Engine.open(folder, settings=SETTINGS) as engine:
        assert len(engine.index(rebuild=True).failed) == 5


def test_a_known_page_stays(folder, web, monkeypatch):
    crawl(folder, web, START)
    with closing(sqlite3.connect(folder / "partition-000" / "catalogue.sqlite")) as connection, connection:
        connection.execute("UPDATE urls SET next_visit = 1.0 WHERE next_visit IS NOT NULL")
    routes = web.hosts["a.test"].routes
    routes["/evil"] = page("Evil", "shared words of evil that have changed")
    break_at(monkeypatch, Duplicates, "resolve")
    progress = crawl(folder, web, refresh=True)
    assert progress.errors[INTERNAL_ERROR] == 1
    assert found(folder) == GOOD | {EVIL.text}
    state, reason, verdict = row(folder)
    assert (state, verdict) == ("fetched", "keep")
    assert reason.startswith(INTERNAL_ERROR)


@pytest.mark.parametrize("links", [["/evil", "/1"], ["/1", "/evil"]])
@pytest.mark.parametrize(
    ("owner", "name"),
    [(Schedule, "answered"), (HostKnowledge, "observe"), (LiveIndex, "add"), (Catalogue, "set_verdict")],
)
def test_copies_of_a_page_that_failed_are_kept(folder, web, monkeypatch, owner, name, links):
    """The copies come before the page and are demoted, or they come after it."""
    routes = web.hosts["a.test"].routes
    copy = canonical("http://a.test/a/copy/of/it")
    routes["/"] = page("Start", "shared words of the start", links)
    routes["/1"] = page("One", "shared words of one", [copy.path])
    routes["/evil"] = routes[copy.path] = page("Same", "the very shared words")
    break_at(monkeypatch, owner, name)
    crawl(folder, web, START)
    assert row(folder)[0] == "failed"
    assert row(folder, copy) == ("fetched", "", "keep")
    assert copy.text in found(folder)


TOO_LARGE = 2**70  # SQLite has 64 bits


def spoil_fetch(fetch):
    return (replace(fetch, attempts=TOO_LARGE),)


def spoil_history(fetch):
    return (replace(fetch, size=TOO_LARGE),)


def spoil_verdict(number, verdict, digest):
    return number, verdict, object()


def spoil_visits(number, visits):
    return number, replace(visits, misses=TOO_LARGE)


def spoil_sketch(number, sketch):
    return number, object()


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("record_fetch", spoil_fetch),
        ("record_fetch", spoil_history),
        ("set_verdict", spoil_verdict),
        ("set_visits", spoil_visits),
        ("set_sketch", spoil_sketch),
    ],
)
def test_a_row_that_sqlite_refuses_costs_one_page(folder, web, monkeypatch, name, spoil):
    """Rows are written together, so the error occurs long after the page's own step."""
    web.hosts["a.test"].routes["/evil"] = page("Evil", LONG)
    real = getattr(Catalogue, name)

    def spoiled(self, *values):
        real(self, *(spoil(*values) if is_evil(*values) else values))

    with monkeypatch.context() as patch:
        patch.setattr(Catalogue, name, spoiled)
        progress = crawl(folder, web, START)
        assert progress.errors[INTERNAL_ERROR] == 1
        assert row(folder)[0] == "failed"
        assert row(folder)[1] in logged(folder)
        assert found(folder) == GOOD
        crawl(folder, web)
        assert found(folder) == GOOD
    crawl(folder, web, EVIL.text)
    assert row(folder) == ("fetched", "", "keep")
    assert found(folder) == GOOD | {EVIL.text}
    with Engine.open(folder) as engine:
        assert engine.check().problems == ()


COPY = canonical("http://a.test/a/copy/of/it")
LONG = " ".join(f"shared word{i} and thing{i * 7 % 31}" for i in range(150))


@pytest.fixture
def copied(web):
    """A web in which the page has a copy with a worse URL; both are long enough for a sketch."""
    routes = web.hosts["a.test"].routes
    routes["/evil"] = routes[COPY.path] = page("Same", LONG)
    routes["/"] = page("Start", "shared words of the start", ["/evil", COPY.path])
    return web


def live_sketches(folder):
    """Return the pages with a sketch in the catalogue."""
    with closing(sqlite3.connect(folder / "partition-000" / "catalogue.sqlite")) as connection:
        sql = "SELECT url, sketch FROM sketches JOIN urls USING (fingerprint) ORDER BY id"
        return {url for url, sketch in dict(connection.execute(sql)).items() if sketch is not None}


@pytest.mark.parametrize("links", [["/evil", COPY.path], [COPY.path, "/evil"]])
def test_the_last_commit_keeps_copies_of_a_page_that_it_lost(folder, copied, monkeypatch, links):
    copied.hosts["a.test"].routes["/"] = page("Start", "shared words of the start", links)
    break_at(monkeypatch, Catalogue, "set_verdict")
    settings = {**SETTINGS, "crawl": {"max_pages": 3}}
    with Engine.open(folder, create=True, settings=settings) as engine:
        engine.crawl([START], transport=ScriptedTransport(copied))
    assert row(folder)[0] == "failed"
    assert row(folder, COPY) == ("fetched", "", "keep")
    assert found(folder) == {START, COPY.text}
    assert EVIL.text not in live_sketches(folder)


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_commit_keeps_copies_in_every_partition(folder, web, monkeypatch, partitions):
    routes, there = web.hosts["a.test"].routes, web.hosts["b.test"].routes
    routes["/"] = page("Start", "shared words of the start", ["/evil", "http://b.test/3"])
    routes["/evil"] = there["/3"] = page("Same", LONG)
    break_at(monkeypatch, Catalogue, "set_verdict")
    settings = {**SETTINGS, "crawl": {"max_pages": 3}}
    with Engine.open(folder, create=True, partitions=partitions, settings=settings) as engine:
        engine.crawl([START], transport=ScriptedTransport(web))
    assert found(folder) == {START, "http://b.test/3"}


@pytest.mark.parametrize("links", [["/evil", COPY.path], [COPY.path, "/evil"]])
def test_an_import_keeps_copies_of_a_page_that_a_commit_lost(tmp_path, copied, monkeypatch, links):
    copied.hosts["a.test"].routes["/"] = page("Start", "shared words of the start", links)
    crawl(tmp_path / "first", copied, START)
    (file,) = (tmp_path / "first" / "partition-000" / "pages").glob("*.warc.gz")
    break_at(monkeypatch, Catalogue, "set_verdict")
    other = tmp_path / "other"
    with Engine.open(other, create=True, settings=SETTINGS) as engine:
        done = engine.import_files([file])
        assert (done.pages, done.kept, list(done.failed)) == (2, 2, [EVIL.text])
        assert engine.check().problems == ()
    assert row(other, COPY) == ("fetched", "", "keep")
    assert found(other) == {START, COPY.text}
    assert live_sketches(other) <= {COPY.text}


@pytest.mark.parametrize("links", [["/evil", COPY.path], [COPY.path, "/evil"]])
def test_an_import_keeps_what_a_page_that_failed_had_demoted(tmp_path, copied, monkeypatch, links):
    copied.hosts["a.test"].routes["/"] = page("Start", "shared words of the start", links)
    crawl(tmp_path / "first", copied, START)
    (file,) = (tmp_path / "first" / "partition-000" / "pages").glob("*.warc.gz")
    break_at(monkeypatch, intake, "canonical_claim")  # the first step behind the ruling
    other = tmp_path / "other"
    with Engine.open(other, create=True, settings=SETTINGS) as engine:
        done = engine.import_files([file])
        assert (done.pages, done.kept, list(done.failed)) == (2, 2, [EVIL.text])
    assert found(other) == {START, COPY.text}


def test_rules_at_which_the_reader_fails_cost_their_host_alone(folder, web, monkeypatch):
    real = robots_cache.parse

    def broken(body):
        if b"evil" in body:
            raise IndexError("no such rule")
        return real(body)

    monkeypatch.setattr(robots_cache, "parse", broken)
    web.hosts["b.test"].routes["/robots.txt"] = text("evil")
    for seeds in ([START], [], ["http://b.test/3"]):
        crawl(folder, web, *seeds)
        assert found(folder) == GOOD - {"http://b.test/3"} | {EVIL.text}
        assert row(folder, canonical("http://b.test/3"))[1].startswith(INTERNAL_ERROR)


@pytest.mark.parametrize("reply", [Reply(0, b"x"), Reply(1_000, b"x")])
def test_answers_that_no_server_can_give(folder, web, reply):
    """A plug-in transport may return anything."""
    web.hosts["a.test"].routes["/evil"] = reply
    crawl(folder, web, START)
    assert found(folder) == GOOD
    assert row(folder)[0] == "failed"
    crawl(folder, web)
    with Engine.open(folder) as engine:
        assert engine.check().problems == ()


def test_headers_that_cannot_be_written(folder, web):
    headers = {"Content-Type": "text/html", "ETag": '"\udcff"', "Last-Modified": "\ud800"}
    web.hosts["a.test"].routes["/evil"] = Reply(200, EVIL_PAGE.body, headers)
    crawl(folder, web, START)
    assert found(folder) == GOOD | {EVIL.text}


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "no space left"), GossamerError("cannot write"), MemoryError()]
)
@pytest.mark.parametrize(("owner", "name"), [(WarcStore, "append"), (Catalogue, "record_fetch")])
def test_what_is_wrong_with_the_machine_ends_the_crawl(folder, web, monkeypatch, error, owner, name):
    with monkeypatch.context() as patch:
        break_at(patch, owner, name, error)
        with pytest.raises(type(error)):
            crawl(folder, web, START)
    crawl(folder, web)
    assert found(folder) == GOOD | {EVIL.text}


def test_an_import_goes_on(tmp_path, folder, web, monkeypatch):
    crawl(folder, web, START)
    (file,) = (folder / "partition-000" / "pages").glob("*.warc.gz")
    with monkeypatch.context() as patch:
        break_at(patch, Duplicates, "resolve")
        with Engine.open(tmp_path / "other", create=True, settings=SETTINGS) as engine:
            done = engine.import_files([file])
            assert (done.pages, done.kept) == (4, 4)
            assert done.failed[EVIL.text].startswith(INTERNAL_ERROR)
            assert engine.check().problems == ()
        assert found(tmp_path / "other") == GOOD
    with Engine.open(tmp_path / "other", settings=SETTINGS) as engine:
        engine.import_files([file])
    assert found(tmp_path / "other") == GOOD | {EVIL.text}


def test_the_command_ends_well_and_names_the_page(folder, web, monkeypatch, capsys):
    break_at(monkeypatch, Frontier, "follow_links")
    monkeypatch.setattr(runs, "open_transport", lambda settings: ScriptedTransport(web))
    folder.mkdir()
    (folder / "gossamer.toml").write_text("[frontier]\ndelay = 0.0\n[extract]\nworkers = 0\n")
    for seeds in ([START], []):
        assert run(["-C", str(folder), "crawl", *seeds, "--quiet"]) == 0
    said = capsys.readouterr()
    assert f"{EVIL.text} was left out" in said.err
    assert "1 error" in said.out
    assert run(["-C", str(folder), "status"]) == 0
    assert f"reason: {INTERNAL_ERROR}" in capsys.readouterr().out


def test_the_reason_can_be_written_anywhere():
    said = internal_error(ValueError("half \ud800 a\ncharacter " + "x" * 1_000))
    assert said.isascii()
    assert said.startswith(f"{INTERNAL_ERROR}: ValueError (half \\ud800 a character xxx")
    assert len(said) < 200
