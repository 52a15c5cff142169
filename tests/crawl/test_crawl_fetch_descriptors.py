"""A lack of file descriptors is not counted as a failure of hosts."""

import asyncio
import errno
import os
import resource
import socket
import subprocess
import sys

import pytest

from gossamer.crawl.fetch import http
from gossamer.crawl.fetch.exchange import GLANCE, RESERVED, is_starved, spare_descriptors, worth_keeping
from gossamer.crawl.fetch.http import Connector
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import ScriptedHost, ScriptedWeb, page
from gossamer.model import Failure, GossamerError
from gossamer.storage.files import MOST_OPEN
from gossamer.web.url import canonical

UNLIMITED = resource.RLIM_INFINITY
HOST = ScriptedHost({"/": page("Start", "Welcome.")})


class Hosts(dict):
    """A server that answers for all hosts."""

    def get(self, name, default=None):
        return HOST


@pytest.fixture(scope="module")
def server():
    with LoopbackServer(ScriptedWeb(Hosts())) as running:
        yield running


MANY_HOSTS = """
import asyncio, collections, resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 200))
from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.web.url import canonical

async def main():
    transport = HttpTransport(FetchSettings(host_overrides=[f"*.test=127.0.0.1:{sys.argv[1]}"]))
    urls = [canonical(f"http://h{number}.test/") for number in range(400)]
    results = await asyncio.gather(*(transport.get(url, {}, 1_000) for url in urls))
    print(*collections.Counter(result.detail or result.status for result in results).items())
    print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 0 < len(transport._pool._open) <= 100)
    await transport.close()

asyncio.run(main())
"""


def test_more_hosts_than_descriptors(server):
    command = [sys.executable, "-c", MANY_HOSTS, str(server.port)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["(200, 400)", "200 True"]


@pytest.mark.parametrize(
    ("soft", "hard", "asked", "spare"),
    [
        (256, 4_096, 4_096, 4_096 - RESERVED),
        (256, UNLIMITED, MOST_OPEN, MOST_OPEN - RESERVED),
        (1_024, 1_024, None, 1_024 - RESERVED),
        (64, 64, None, 32),
        (UNLIMITED, UNLIMITED, None, MOST_OPEN - RESERVED),
        (200_000, 1_000_000, None, 200_000 - RESERVED),
    ],
)
def test_the_limit_is_raised_as_far_as_allowed(monkeypatch, soft, hard, asked, spare):
    limits = [(soft, hard)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: limits.append(wanted))
    assert spare_descriptors() == spare
    assert limits[1:] == ([(asked, hard)] if asked else [])


def test_a_system_that_allows_less_than_it_says(monkeypatch):
    def refuse(_kind, _limits):
        raise ValueError("current limit exceeds maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, UNLIMITED))
    monkeypatch.setattr(resource, "setrlimit", refuse)
    assert spare_descriptors() == 128


def test_own_lack_is_told_from_that_of_others(monkeypatch):
    assert is_starved(OSError(errno.EMFILE, "Too many open files"))
    assert is_starved(OSError(errno.ENFILE, "Too many open files"))
    assert not is_starved(ConnectionRefusedError(errno.ECONNREFUSED, "refused"))

    def refuse(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "open", refuse)
    assert is_starved(socket.gaierror(-3, "Temporary failure in name resolution"))


def ask(port, monkeypatch, failures, error):
    """Fetch from a host whose first sockets cannot be opened; return the result and the number of tries."""
    tries = []
    real = Connector._open

    async def open_or_fail(self, address, url, on_lost):
        tries.append(address)
        if len(tries) <= failures:
            raise OSError(error, os.strerror(error))
        return await real(self, address, url, on_lost)

    monkeypatch.setattr(Connector, "_open", open_or_fail)
    monkeypatch.setattr(http, "STARVED_PAUSES", (0.0,) * 4)

    async def once():
        transport = http.HttpTransport(FetchSettings(host_overrides=[f"a.test=127.0.0.1:{port}"]))
        try:
            return await transport.get(canonical("http://a.test/"), {}, 1_000)
        finally:
            await transport.close()

    return asyncio.run(once()), len(tries)


def test_a_lack_that_passes_is_waited_for(server, monkeypatch):
    result, tries = ask(server.port, monkeypatch, 3, errno.EMFILE)
    assert (result.status, tries) == (200, 4)


def test_a_lack_that_lasts_is_our_own(server, monkeypatch):
    with pytest.raises(GossamerError, match="ulimit -n"):
        ask(server.port, monkeypatch, 99, errno.EMFILE)


def test_other_troubles_are_the_hosts(server, monkeypatch):
    result, tries = ask(server.port, monkeypatch, 99, errno.ENETUNREACH)
    assert (result.failure, tries) == (Failure.CONNECT, 1)


@pytest.mark.parametrize(
    ("content_type", "is_read"),
    [
        ("text/html", True),
        ("", True),
        ("application/octet-stream", True),
        ("application/pdf", True),
        ("text/xml", True),
        ("image/svg+xml", False),
        ("VIDEO/mp4; codecs=x", False),
        ("font/woff2", False),
        (" application/zip ", False),
    ],
)
def test_how_much_is_worth_keeping(content_type, is_read):
    assert worth_keeping(content_type, 1_000_000) == (1_000_000 if is_read else GLANCE)
    assert worth_keeping(content_type, 10) == 10
