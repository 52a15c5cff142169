"""Attacks by servers get the right failure, and cost little time and memory."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from hostile import EXPECTED, HostileServer

from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.model import Failure
from gossamer.web.url import canonical

IMPATIENT = {"connect_timeout": 2.0, "read_timeout": 1.5, "total_timeout": 5.0}
LIMIT = 1_000_000


@pytest.fixture(scope="module")
def results():
    """Fetch all paths of the hostile server at the same time."""

    async def ask(port):
        transport = HttpTransport(FetchSettings(**IMPATIENT, host_overrides=[f"evil.test=127.0.0.1:{port}"]))
        urls = [canonical(f"http://evil.test{path}") for path in [*EXPECTED, "/amber"]]
        try:
            return await asyncio.gather(*(transport.get(url, {}, LIMIT) for url in urls))
        finally:
            await transport.close()

    with HostileServer() as server:
        found = asyncio.run(ask(server.port))
    return {result.url.path: result for result in found}


@pytest.mark.parametrize("path", EXPECTED)
def test_what_is_done_to_us_has_a_name(results, path):
    result, expected = results[path], EXPECTED[path]
    if isinstance(expected, Failure):
        assert (result.failure, result.status, result.body) == (expected, 0, b"")
        assert result.detail
    else:
        assert (result.failure, result.status, result.truncated) == (None, 200, expected), result.detail
        assert len(result.body) <= LIMIT


def test_what_was_kept(results):
    assert results["/long"].body == b"longer"
    assert results["/a-lot-of-links"].body.startswith(b'<a href="/x/')
    assert len(results["/gzip-bomb"].body) == LIMIT
    assert b"amber" in results["/amber"].body
    assert "bytes a second" in results["/loris-body"].detail
    assert results["/many-codings"].detail == "the body has 32,000 codings, more than 3"


MEMORY = """
import asyncio, re, sys
from pathlib import Path
from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.web.url import canonical

async def main(port, paths):
    resolve = [f"*.test=127.0.0.1:{port}"]
    transport = HttpTransport(FetchSettings(read_timeout=0.3, total_timeout=5.0, host_overrides=resolve))
    urls = [canonical(f"http://evil.test{path}") for path in paths for _ in range(3)]
    for start in range(0, len(urls), 9):
        await asyncio.gather(*(transport.get(url, {}, 10_000_000) for url in urls[start:start + 9]))
    await transport.close()

def most():  # ru_maxrss would begin at the size of the process that started this one
    return re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]

before = most()
asyncio.run(main(sys.argv[1], sys.argv[2:]))
print(before, most())
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_memory_stays_where_it_is():
    with HostileServer() as server:
        command = [sys.executable, "-c", MEMORY, str(server.port), *EXPECTED]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    before, after = map(int, done.stdout.split())
    assert after < 500_000, f"kilobytes, {before:,} of them before the first question"


def ask(port, *paths, **settings):
    async def run():
        transport = HttpTransport(FetchSettings(host_overrides=[f"evil.test=127.0.0.1:{port}"], **settings))
        try:
            return [await transport.get(canonical(f"http://evil.test{path}"), {}, LIMIT) for path in paths]
        finally:
            await transport.close()

    return asyncio.run(run())


def test_redirects_are_for_others_to_count():
    with HostileServer() as server:
        (result,) = ask(server.port, "/redirect/1")
        assert (result.status, result.header("location"), server.asked) == (
            302,
            "/redirect/2",
            ["/redirect/1"],
        )


def test_an_answer_may_take_long_if_it_is_allowed_to():
    with HostileServer() as server:
        (slow,) = ask(server.port, "/loris-body", read_timeout=0.2, total_timeout=0.6, min_bytes_per_second=0)
    assert (slow.failure, "no complete response in" in slow.detail) == (Failure.TIMEOUT, True)
