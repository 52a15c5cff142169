"""The commands on a real collection: a small web on loopback, crawled, searched, exported and mended."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from replies import slow

from gossamer import Engine
from gossamer.cli.main import run
from gossamer.crawl.control import CrawlController
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import ScriptedHost, ScriptedWeb, error, page

SEED = "http://cats.test/"


def endless(path):
    if path == "/robots.txt":
        return error(404)
    return slow(page(f"Page {path}", f"This is {path}.", [f"/{int(path.strip('/') or 0) + 1}"]), 0.05)


WEB = ScriptedWeb(
    {
        "cats.test": ScriptedHost(
            {
                "/": page("All cats", "Cats big and small.", {"/jaguar": "spotted", "/gone": "gone"}),
                "/jaguar": page(
                    "Jaguar", "The jaguar is a big cat.", {"/": "all", "http://cars.test/": "a maker"}
                ),
            }
        ),
        "cars.test": ScriptedHost({"/": page("Cars", "A jaguar is also a car.", [SEED])}),
        "endless.test": ScriptedHost({}, endless),
    }
)


@pytest.fixture(scope="module")
def options():
    with LoopbackServer(WEB) as server:
        yield ["--allow-private", "--delay", "0", "--resolve", f"*.test=127.0.0.1:{server.port}"]


@pytest.fixture(scope="module")
def cats(options, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "cats"
    assert run(["-C", str(folder), "crawl", SEED, *options]) == 0
    return folder


def test_crawled_and_found(command, cats, options):
    found = json.loads(command("-C", cats, "search", "jaguar -car", "--json").out)
    assert [hit["url"] for hit in found["hits"]] == ["http://cats.test/jaguar"]
    state = json.loads(command("-C", cats, "status", "--json").out)
    assert (state["pages"], state["documents"], state["queued"], state["failed"]) == (3, 3, 0, 1)
    again = command("-C", cats, "crawl", SEED, *options)
    assert again == (0, "nothing new: all these URLs were fetched before\n", "")


def test_ranked(command, cats):
    found = json.loads(command("-C", cats, "rank", "--top", 1, "--json").out)
    assert found["top"][0]["url"] == SEED
    assert command("-C", cats, "search", "jaguar", "--explain").out.count("for its links") == 2


def test_no_suggestion_leads_to_a_blocked_site(command, cats, tmp_path):
    copy = shutil.copytree(cats, tmp_path / "copy")
    command("-C", copy, "rank")
    assert "a maker" in command("-C", copy, "suggest", "make").out
    assert command("-C", copy, "suggest", "car").out
    command("-C", copy, "sites", "block", "cars.test")
    assert command("-C", copy, "suggest", "make").out == ""
    assert "spotted" in command("-C", copy, "suggest", "spot").out


def test_a_query_that_cannot_be_read(command, cats):
    ran = command("-C", cats, "search", '"jaguar')
    assert ran.code == 2
    assert ran.err.splitlines()[-2:] == ['  "jaguar', "  ^"]


def test_out_and_in_again(command, cats, tmp_path):
    out = tmp_path / "pages.warc.gz"
    assert command("-C", cats, "export", "--format", "warc", out).code == 0
    ran = command("-C", tmp_path / "copy", "import", out)
    assert ran.code == 0
    assert ran.out.startswith("imported 3 pages (3 kept")
    assert "1.  Jaguar\n" in command("-C", tmp_path / "copy", "search", "big jaguar").out


@pytest.mark.parametrize("is_there", [False, True])
def test_an_import_that_fails_leaves_no_collection_behind(command, tmp_path, is_there):
    place, bad = tmp_path / "new", tmp_path / "bad.jsonl"
    bad.write_text("nonsense\n")
    if is_there:
        place.mkdir()
        (place / "gossamer.toml").write_text("[frontier]\ndelay = 0\n")
    before = sorted(tmp_path.rglob("*"))
    ran = command("-C", place, "import", bad, "--quiet")
    assert (ran.code, "bad.jsonl, line 1: not JSON" in ran.err) == (2, True)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_import_that_fails_later_keeps_what_it_has(command, tmp_path):
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"_id": "1", "text": "a walrus"}\nnonsense\n')
    ran = command("-C", tmp_path / "new", "import", bad, "--quiet")
    assert (ran.code, "the 1 page before it was imported" in ran.err) == (2, True)
    assert "1 page can be searched" in command("-C", tmp_path / "new", "index").out


def test_a_search_during_the_first_crawl_says_so(command, tmp_path, monkeypatch):
    with Engine.open(tmp_path / "new", create=True):
        pass
    assert "crawl or import pages first" in command("-C", tmp_path / "new", "search", "cats").out
    monkeypatch.setattr(CrawlController, "is_running", property(lambda _: True))
    out = command("-C", tmp_path / "new", "search", "cats").out
    assert "a crawl is running, and its first pages can be searched soon" in out
    assert "gossamer index" not in out


def test_damage_is_found_and_mended(command, cats, tmp_path):
    out = tmp_path / "pages.warc.gz"
    copy = tmp_path / "copy"
    command("-C", cats, "export", "--format", "warc", out)
    command("-C", copy, "import", out)
    assert command("-C", copy, "check").out.startswith("no problem found")
    manifest = next(copy.glob("partition-*/index/MANIFEST"))
    manifest.write_bytes(b"{")
    ran = command("-C", copy, "check")
    assert ran.code == 1
    assert str(manifest) in ran.out
    assert "(repaired)" in command("-C", copy, "check", "--repair").out
    assert command("-C", copy, "check").code == 0
    assert "1.  Jaguar\n" in command("-C", copy, "search", "big jaguar").out


def test_an_unreachable_seed(command, tmp_path):
    ran = command("-C", tmp_path / "c", "crawl", "http://nosuch.invalid/", "--resolve", "x.test=127.0.0.1")
    assert ran.code == 1
    assert ran.out == ""
    assert ran.err.startswith("gossamer: http://nosuch.invalid/: ")
    assert len(ran.err.splitlines()) == 1


def test_a_seed_on_this_machine_needs_an_option(command, tmp_path):
    ran = command("-C", tmp_path / "c", "crawl", "http://127.0.0.1:9/", "--quiet")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        "gossamer: http://127.0.0.1:9/: 127.0.0.1 leads to an IP address that is not public; "
        "allow it with allow_private=True (command: --allow-private)\n"
    )


def test_ctrl_c_ends_a_crawl_well(command, options, tmp_path):
    arguments = ["-C", str(tmp_path), "crawl", "http://endless.test/", *options]
    crawl = subprocess.Popen(
        [sys.executable, "-c", "from gossamer.cli.main import main; main()", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    while not any(asked.authority == "endless.test" and asked.path == "/3" for asked in WEB.asked):
        assert crawl.poll() is None, crawl.communicate()
        time.sleep(0.02)
    crawl.send_signal(signal.SIGINT)
    out, err = crawl.communicate(timeout=120)
    assert crawl.returncode == 130
    assert out.startswith("fetched ")
    assert err.splitlines()[-1] == "gossamer: stopped"
    assert json.loads(command("-C", tmp_path, "status", "--json").out)["documents"] >= 3
