"""The demo from beginning to end, and what it does when ports are taken."""

from __future__ import annotations

import socket

import pytest

from gossamer.cli.main import run
from gossamer.demo import tour
from gossamer.demo.bundled_web import PORT
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import ScriptedWeb
from gossamer.demo.tour import MAX_PAGES, QUERIES, free_port, open_demo, prepare, searches, serving
from gossamer.model import GossamerError
from gossamer.model.progress import CrawlProgress


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "collection"


def test_once(folder, capsys):
    assert run(["demo", "--once", "--dir", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert "crawling the demo web" in err
    for query in QUERIES:
        assert f"search: {query}\n" in out
    assert out.count("\n1.  ") == len(QUERIES)
    assert "http://elliniki-kouzina.localhost:8808/" in out


def test_a_second_run_uses_what_is_there(folder, capsys):
    assert run(["demo", "--once", "--dir", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert "crawling" not in err
    assert f"using {folder} again" in err
    assert f"search: {QUERIES[0]}\n" in out


def test_the_limits_tame_the_endless_hosts_and_lose_no_page(folder):
    with open_demo(folder, PORT) as engine:
        state = engine.status()
        assert state.documents + state.duplicates < MAX_PAGES
        assert state.queued == 0
        assert state.hosts >= 40
        assert [page.query for page in searches(engine)] == list(QUERIES)
        for site in ("kernel-notes", "herbata", "skywatchers", "town-events", "ticket-maze"):
            assert engine.search(f"site:{site}.localhost").total >= 3, site


def test_the_web_moves_when_its_port_is_taken():
    said = []
    with serving(said.append) as first, serving(said.append) as second:
        assert second.port not in {first.port, PORT}
    assert "links in results will not open" in said


def test_a_web_that_does_not_answer_is_said(tmp_path):
    with (
        LoopbackServer(ScriptedWeb({})) as nobody,
        open_demo(tmp_path, nobody.port) as engine,
        pytest.raises(GossamerError, match="no page of the demo web could be fetched"),
    ):
        prepare(engine, lambda _: None)


def test_a_crawl_that_was_stopped_stops_the_demo(tmp_path, monkeypatch):
    with open_demo(tmp_path, PORT) as engine:
        monkeypatch.setattr(engine, "crawl", lambda *_, **__: CrawlProgress(stopping=True))
        with pytest.raises(KeyboardInterrupt):
            prepare(engine, lambda _: None)


def test_a_free_port_is_found(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert free_port("127.0.0.1", port) != port
        monkeypatch.setattr(tour, "PORTS_TRIED", 1)
        assert free_port("127.0.0.1", port) == 0


def test_a_port_that_was_asked_for_and_is_taken(capsys, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run(["demo", "--port", str(port), "--dir", str(tmp_path / "c")]) == 2
    assert f"port {port} on 127.0.0.1 is in use" in capsys.readouterr().err
    assert not (tmp_path / "c").exists()
