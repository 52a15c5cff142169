"""All unfinished downloads share one memory limit."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.crawl.fetch import exchange as receiving
from gossamer.crawl.fetch.exchange import DownloadBudget
from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.model import Failure
from gossamer.web.url import canonical

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"


class Receiver:
    def __init__(self, budget):
        self.budget = budget
        self.size = 0
        self.why = ""

    def grow(self, more):
        self.size += more
        self.budget.hold(self, self.size)

    def give_up(self, why):
        self.why, self.size = why, 0
        self.budget.let_go(self)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60), st.booleans()), max_size=60))
def test_the_limit_holds_after_every_step(steps):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(receiving, "MOST", 100)
        budget = DownloadBudget(50)
    receivers = [Receiver(budget) for _ in range(6)]
    for place, more, is_done in steps:
        receivers[place].grow(more)
        assert budget.total == sum(one.size for one in receivers) <= 100
        if is_done:
            receivers[place].size = 0
            budget.let_go(receivers[place])


def test_the_largest_goes_first_and_one_alone_never(monkeypatch):
    monkeypatch.setattr(receiving, "MOST", 100)
    budget = DownloadBudget(80)
    large, small = Receiver(budget), Receiver(budget)
    large.grow(160)
    assert not large.why, "a body alone has room for itself and what its decoders take"
    small.grow(10)
    assert "160 bytes" in large.why
    small.grow(150)
    assert not small.why
    small.grow(1)
    assert "161 bytes" in small.why
    assert budget.total == 0


class Stalling:
    """A server that sends most of a body and waits; it sends short pages completely, in two pieces."""

    def __init__(self):
        self.tasks = set()
        self.at_work = 0

    async def serve(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        head = await reader.readuntil(b"\r\n\r\n")
        if b"/short" in head:
            writer.write(HEAD % 4_000 + b"x" * 2_000)
            await asyncio.sleep(0.01)
            writer.write(b"x" * 2_000)
        else:
            writer.write(HEAD % 10_000 + b"x" * 9_000)
            self.at_work += 1
        await writer.drain()
        await reader.read()  # until the other side hangs up
        writer.close()


def test_many_stalling_servers_share_the_limit(monkeypatch):
    monkeypatch.setattr(receiving, "MOST", 50_000)

    async def main():
        server = Stalling()
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        settings = FetchSettings(
            host_overrides=[f"*.test=127.0.0.1:{port}"], max_bytes=20_000, read_timeout=0.5, total_timeout=5.0
        )
        transport = HttpTransport(settings)
        urls = [canonical(f"http://h{number}.test/") for number in range(20)]
        stalled = [asyncio.create_task(transport.get(url, {}, 20_000)) for url in urls]
        while server.at_work < len(urls):
            await asyncio.sleep(0.01)
        short = await transport.get(canonical("http://good.test/short"), {}, 20_000)
        results = await asyncio.gather(*stalled)
        again = await transport.get(canonical("http://fine.test/short"), {}, 20_000)
        await transport.close()
        listening.close()
        await asyncio.wait(server.tasks, timeout=5)
        return results, short, again

    results, short, again = asyncio.run(main())
    assert {result.failure for result in results} == {Failure.TIMEOUT}
    given_up = [result for result in results if "memory limit" in result.detail]
    silent = [result for result in results if "silent for" in result.detail]
    assert len(given_up) + len(silent) == 20
    assert len(given_up) >= 15, "no more than five of them fit"
    assert (len(short.body), len(again.body)) == (4_000, 4_000)
