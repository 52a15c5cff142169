"""Fetchers as plug-ins: found, chosen by scheme, and named in errors."""

import asyncio
import sys

import pytest

from gossamer.crawl.fetch import transport as plugins
from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.crawl.fetch.transport import SchemeTransport, offers, open_transport
from gossamer.demo.scripted_web import ScriptedHost, ScriptedTransport, ScriptedWeb, page
from gossamer.model import Failure, FetchResult, GossamerError, Url
from gossamer.web.url import canonical

MODULE = """
from gossamer.model import FetchResult

class Gemini:
    made = 0
    closed = 0

    def __init__(self, settings):
        Gemini.made += 1
        self.agent = settings.user_agent

    async def get(self, url, headers, max_bytes):
        if url.path == "/broken":
            raise ValueError("of its own")
        return FetchResult(url, 1.0, status=200, body=self.agent.encode()[:max_bytes])

    async def close(self):
        Gemini.closed += 1
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that installs distributions with entry points, as pip does."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "capsule.py").write_text(MODULE, encoding="utf-8")

    def made(name, **points):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8"
        )
        lines = "".join(f"{scheme} = {target}\n" for scheme, target in points.items())
        (folder / "entry_points.txt").write_text(f"[{plugins.GROUP}]\n{lines}", encoding="utf-8")

    yield made
    sys.modules.pop("capsule", None)


def gemini(path):
    return Url(f"gemini://a.test{path}", "gemini", "a.test", 1965, path)


def test_without_distributions_there_is_only_http():
    async def opened():
        transport = open_transport(FetchSettings())
        await transport.close()
        return transport

    assert offers() == {}
    assert isinstance(asyncio.run(opened()), HttpTransport)


def test_a_scheme_is_left_to_its_fetcher(install):
    install("capsules", gemini="capsule:Gemini")
    web = ScriptedWeb({"a.test": ScriptedHost({"/": page("A", "a")})})

    async def ask():
        transport = SchemeTransport(ScriptedTransport(web), offers(), FetchSettings(user_agent="Test/1"))
        urls = [gemini("/"), gemini("/x"), canonical("http://a.test/"), gemini("/broken")]
        results = [await transport.get(url, {}, 4) for url in urls]
        form = await transport.post(canonical("http://a.test/"), {}, {}, 100)
        transport.prefetch(["a.test"])
        assert (form.status, transport.address_of("a.test")) == (405, None)
        await transport.close()
        return results

    first, second, http, broken = asyncio.run(ask())
    assert (first.body, second.status, http.status) == (b"Test", 200, 200)
    assert (broken.failure, "capsules" in broken.detail) == (Failure.PROTOCOL, True)
    capsule = sys.modules["capsule"].Gemini
    assert (capsule.made, capsule.closed) == (1, 1)


def test_the_real_web_has_the_schemes_that_are_installed(install):
    install("capsules", gemini="capsule:Gemini")

    async def ask():
        transport = open_transport(FetchSettings())
        try:
            return await transport.get(gemini("/"), {}, 8)
        finally:
            await transport.close()

    assert asyncio.run(ask()) == FetchResult(gemini("/"), 1.0, status=200, body=b"Gossamer")


@pytest.mark.parametrize("target", ["capsule:Nothing", "no_such_module:X"])
def test_what_cannot_be_loaded_is_named(install, target):
    install("broken-capsules", gemini=target)
    with pytest.raises(GossamerError, match="broken-capsules"):
        offers()


def test_a_scheme_has_one_fetcher(install):
    install("capsules", gemini="capsule:Gemini")
    install("others", gemini="capsule:Gemini")
    with pytest.raises(GossamerError, match="remove one"):
        offers()


def test_http_is_our_own(install):
    install("takeover", https="capsule:Gemini")
    with pytest.raises(GossamerError, match="takeover and Gossamer both offer a fetcher for https"):
        offers()
