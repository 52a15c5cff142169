"""The plug-ins of docs/crawling.md do what it says, installed as `pip install` would leave them."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest

from gossamer import Engine
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.fetch.transport import GROUP as FETCHERS
from gossamer.crawl.fetch.transport import open_transport
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.extract.document import GROUP as EXTRACTORS
from gossamer.extract.document import extractors
from gossamer.model import Failure, Url
from gossamer.storage.warc import iter_warc
from gossamer.web.url import other_schemes

TEXT = (Path(__file__).parents[2] / "docs" / "crawling.md").read_text(encoding="utf-8")
SUBTITLES = b"WEBVTT\n\n1\n00:01 --> 00:04\nNobody expects the tortoise\n\n2\n00:05 --> 00:09\nto win"


def example(group):
    """The two files of an example: what its pyproject.toml says, and its module with the name of its file."""
    pairs = re.findall(r"```toml\n(# pyproject.*?)```\n\n```python\n# (\w+)\.py\n(.*?)```", TEXT, re.DOTALL)
    found = [(tomllib.loads(toml), name, code) for toml, name, code in pairs]
    return next(one for one in found if group in one[0]["project"]["entry-points"])


@pytest.fixture
def install(tmp_path, monkeypatch):
    """A function that installs the example of a group."""
    modules = []

    def installed(group):
        project, name, code = example(group)
        project = project["project"]
        folder = tmp_path / f"{project['name']}-{project['version']}.dist-info"
        folder.mkdir()
        head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
        (folder / "METADATA").write_text(head, encoding="utf-8")
        points = "".join(f"{kind} = {target}\n" for kind, target in project["entry-points"][group].items())
        (folder / "entry_points.txt").write_text(f"[{group}]\n{points}", encoding="utf-8")
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        extractors.cache_clear()
        other_schemes.cache_clear()
        modules.append(name)

    yield installed
    extractors.cache_clear()
    other_schemes.cache_clear()
    for name in modules:
        sys.modules.pop(name, None)


def test_subtitles_can_be_found(install, tmp_path):
    install(EXTRACTORS)
    film = Reply(200, SUBTITLES, {"Content-Type": "text/vtt"})
    front = page("Films", "A race.", ["/race.vtt"])
    web = ScriptedTransport(ScriptedWeb({"films.test": ScriptedHost({"/": front, "/race.vtt": film})}))
    settings = {"frontier": {"delay": 0}, "extract": {"workers": 0}}
    with Engine.open(tmp_path / "films", create=True, settings=settings) as engine:
        engine.crawl("http://films.test/", transport=web)
        (found,) = engine.search('"tortoise to win"').hits
    assert (found.title, found.url, found.media_type) == (
        "race.vtt",
        "http://films.test/race.vtt",
        "text/vtt",
    )


def menu(*items):
    """A menu of Gopher, as a server sends it."""
    return "".join("\t".join(map(str, item)) + "\r\n" for item in items).encode() + b".\r\n"


@contextmanager
def burrow(answers):
    """A server that speaks Gopher, in a thread of its own: its port, and the selectors it was asked for."""
    asked = []

    class Handler(StreamRequestHandler):
        def handle(self):
            selector = self.rfile.readline().decode().rstrip("\r\n")
            asked.append(selector)
            self.wfile.write(answers.get(selector, b"3no such thing\terror\thost\t1\r\n"))

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server.server_address[1], asked
        finally:
            server.shutdown()
            thread.join()


def gopher(port, path="/0/about"):
    return Url(f"gopher://127.0.0.1:{port}{path}", "gopher", "127.0.0.1", port, path)


def ask(settings, url, max_bytes=1_000):
    """What the installed fetcher says."""

    async def asked():
        transport = open_transport(settings)
        result = await transport.get(url, {}, max_bytes)
        await transport.close()
        return result

    return asyncio.run(asked())


def test_gopher_is_spoken(install):
    install(FETCHERS)
    private = FetchSettings(allow_private=True)
    with burrow({"/about": b"About us", "/old caf\u00e9": b"closed"}) as (port, asked):
        answer = ask(private, gopher(port))
        assert (answer.status, answer.body, answer.address) == (200, b"About us", "127.0.0.1")
        assert ask(private, gopher(port), 3).body == b"Abo"
        assert ask(private, gopher(port, "/0/old%20caf%C3%A9")).body == b"closed"
        assert asked == ["/about", "/about", "/old caf\u00e9"]


@pytest.mark.parametrize("escape", ["%0d%0a", "%0A", "%0D", "%00"])
def test_gopher_asks_one_thing_at_a_time(install, escape):
    install(FETCHERS)
    with burrow({"/about": b"About us"}) as (port, asked):
        answer = ask(FetchSettings(allow_private=True), gopher(port, f"/0/about{escape}RCPT%20TO:anna"))
        assert (answer.failure, answer.detail) == (Failure.PROTOCOL, "the selector is not one line")
        assert not asked


def test_gopher_refuses_private_addresses_and_names_its_failures(install):
    install(FETCHERS)
    with burrow({}) as (port, asked):
        assert ask(FetchSettings(), gopher(port)).failure is Failure.PRIVATE_ADDRESS
        assert not asked
    closed = ask(FetchSettings(allow_private=True), gopher(1))
    assert closed.failure is Failure.CONNECT


def settings_of_the_page():
    """The lines that the page tells to put into gossamer.toml."""
    (lines,) = re.findall(r"lines in `gossamer.toml`.*?```toml\n(.*?)```", TEXT, re.DOTALL)
    return lines


def run(folder, site, *arguments):
    """A command in a process of its own, with the plug-in beside it."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-m", "gossamer", "-C", str(folder), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_gopher_is_crawled_from_the_seed_to_the_search(install, tmp_path):
    install(FETCHERS)
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "gossamer.toml").write_text(settings_of_the_page(), encoding="utf-8")
    answers = {
        "": b"",
        "/about": b"A burrow about moles",
        "/deep": b"",
        "/back": b"Moles that the web links to",
    }
    web = ScriptedWeb({"127.0.0.1": ScriptedHost()})
    with burrow(answers) as (port, asked), LoopbackServer(web) as http:
        root = f"gopher://127.0.0.1:{port}"
        site = f"http://127.0.0.1:{http.port}/"
        web.hosts["127.0.0.1"] = ScriptedHost({"/": page("Web", "Moles of the web", [f"{root}/0/back"])})
        answers[""] = menu(("0About", "/about", "127.0.0.1", port), ("1Deep", "/deep", "127.0.0.1", port))
        answers["/deep"] = menu(("hThe mole on the web", f"URL:{site}", "127.0.0.1", port))
        run(folder, tmp_path, "crawl", root, "--allow-private", "--delay", "0", "--quiet")
        assert sorted(asked) == ["", "/about", "/back", "/deep"], "each once, and no robots.txt"
    found = json.loads(run(folder, tmp_path, "search", "moles", "--json"))
    assert {hit["url"] for hit in found["hits"]} >= {f"{root}/0/about", f"{root}/0/back", site}
    known = json.loads(run(folder, tmp_path, "status", "--host", root, "--json"))
    assert (known["host"], known["urls"], known["robots"]) == (f"127.0.0.1:{port}", {"fetched": 4}, None)
    stored = [one.url.text for path in folder.rglob("*.warc.gz") for one in iter_warc(path)]
    assert sorted(stored) == sorted([f"{root}/", f"{root}/0/about", f"{root}/0/back", f"{root}/1/deep", site])
