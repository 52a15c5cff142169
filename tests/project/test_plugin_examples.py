"""The plug-ins of docs/crawling.md do what it says, installed as `pip install` would leave them."""

from __future__ import annotations

import asyncio
import re
import sys
import tomllib
from pathlib import Path

import pytest

from gossamer import Engine
from gossamer.extract.plugins import GROUP as EXTRACTORS
from gossamer.extract.plugins import extractors
from gossamer.fetch.plugins import GROUP as FETCHERS
from gossamer.fetch.plugins import open_transport
from gossamer.fetch.scripted import Reply, ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.fetch.settings import FetchSettings
from gossamer.model import Failure, Url

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
        modules.append(name)

    yield installed
    extractors.cache_clear()
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


def ask(settings, url_of, max_bytes=1_000):
    """What the installed fetcher says of a server that repeats what it is asked."""

    async def repeat(reader, writer):
        writer.write(b"You asked for " + await reader.readline())
        writer.close()

    async def asked():
        transport = open_transport(settings)
        async with await asyncio.start_server(repeat, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            result = await transport.get(url_of(port), {}, max_bytes)
        await transport.close()
        return result

    return asyncio.run(asked())


def gopher(port):
    return Url(f"gopher://127.0.0.1:{port}/about", "gopher", "127.0.0.1", port, "/about")


def test_gopher_is_spoken(install):
    install(FETCHERS)
    answer = ask(FetchSettings(allow_private=True), gopher)
    assert (answer.status, answer.body, answer.address) == (200, b"You asked for /about\r\n", "127.0.0.1")
    assert ask(FetchSettings(allow_private=True), gopher, 3).body == b"You"


def test_gopher_refuses_private_addresses_and_names_its_failures(install):
    install(FETCHERS)
    assert ask(FetchSettings(), gopher).failure is Failure.PRIVATE_ADDRESS
    closed = ask(FetchSettings(allow_private=True), lambda port: gopher(1))
    assert closed.failure is Failure.CONNECT
