"""Kept connections, lost connections, forms, and several addresses of a host."""

import asyncio
import shutil
import ssl
import subprocess
from contextlib import suppress

import pytest
import uvloop

from gossamer.crawl.fetch import http as pool
from gossamer.crawl.fetch.dns import DnsCache, NameAnswer
from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.model import Failure
from gossamer.web.url import canonical

URL = canonical("http://a.test/")
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
LOOPS = [asyncio.new_event_loop, uvloop.new_event_loop]


class Server:
    """A server that gives each request the next answer; None closes the connection."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.connections = 0
        self.tasks = set()

    async def serve(self, reader, writer):
        self.tasks.add(asyncio.current_task())
        self.connections += 1
        while self.answers:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except (asyncio.IncompleteReadError, ConnectionError):
                break
            length = int(head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0] or 0)
            body = await reader.readexactly(length)
            self.requests.append((self.connections, head, body))
            answer = self.answers.pop(0)
            if answer is None:
                break
            writer.write(answer)
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def ended(self, listening):
        listening.close()
        if self.tasks:
            await asyncio.wait(self.tasks, timeout=5)


def run(server, work, loop=asyncio.new_event_loop, tls=None, **settings):
    async def main():
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=tls)
        port = listening.sockets[0].getsockname()[1]
        transport = HttpTransport(FetchSettings(host_overrides=[f"*.test=127.0.0.1:{port}"], **settings))
        try:
            return await work(transport)
        finally:
            await transport.close()
            await server.ended(listening)

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(main())


def ask(server, times=1, url=URL, pause=0.0, **more):
    async def work(transport):
        results = []
        for _ in range(times):
            results.append(await transport.get(url, {}, 1_000))
            await asyncio.sleep(pause)
        return results

    return run(server, work, **more)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_connection_is_used_again(loop):
    server = Server(*[OK] * 5)
    assert [result.body for result in ask(server, 5, loop=loop)] == [b"ok"] * 5
    assert server.connections == 1


@pytest.mark.parametrize("loop", LOOPS)
def test_a_kept_connection_that_was_closed_costs_nothing(loop):
    server = Server(OK, None, OK)
    assert [result.status for result in ask(server, 2, loop=loop)] == [200, 200]
    assert (server.connections, len(server.requests)) == (2, 3)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_connection_closed_while_it_waited_is_not_used(loop):
    server = Server(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", OK)
    assert [result.status for result in ask(server, 2, pause=0.01, loop=loop)] == [200, 200]
    assert (server.connections, len(server.requests)) == (2, 2)


def test_a_new_connection_that_is_closed_is_the_last_word():
    server = Server(None, OK)
    (result,) = ask(server)
    assert (result.failure, len(server.requests)) == (Failure.DISCONNECTED, 1)


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"more",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 5_000,
        b"HTTP/1.1 304 Not Modified\r\n\r\nbody that should not be",
    ],
)
def test_connections_that_are_not_trusted_again(answer):
    server = Server(answer, OK)
    assert [result.failure for result in ask(server, 2)] == [None, None]
    assert server.connections == 2


def test_interim_answers_are_passed_over():
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    server = Server(hints + hints + OK, OK)
    results = ask(server, 2)
    assert [(result.status, result.body, result.headers) for result in results] == [
        (200, b"ok", (("Content-Length", "2"),))
    ] * 2
    assert server.connections == 1


def test_bodies_until_the_end_of_the_connection():
    server = Server(b"HTTP/1.1 200 OK\r\n\r\nall of it")
    assert [result.body for result in ask(server)] == [b"all of it"]


def test_connections_are_kept_for_a_while_and_no_longer(monkeypatch):
    monkeypatch.setattr(pool, "KEEP_ALIVE_SECONDS", 0.05)
    server = Server(OK, OK)
    assert len(ask(server, 2, pause=0.15)) == 2
    assert server.connections == 2


def test_a_form_is_sent_once_over_a_connection_of_its_own():
    async def work(transport):
        await transport.get(URL, {}, 1_000)
        good = await transport.post(URL, {"User-Agent": "Test/1"}, {"name": "caf\u00e9", "x": "1&2"}, 1_000)
        return good, await transport.post(URL, {}, {}, 1_000)

    server = Server(OK, OK, None, OK)
    good, hung_up = run(server, work)
    assert (good.body, hung_up.failure) == (b"ok", Failure.DISCONNECTED)
    connection, head, body = server.requests[1]
    assert (connection, head.startswith(b"POST / HTTP/1.1\r\nHost: a.test\r\n")) == (2, True)
    assert b"Content-Type: application/x-www-form-urlencoded\r\n" in head
    assert body == b"name=caf%C3%A9&x=1%262"
    assert len(server.requests) == 3, "who hung up after a form is not sent it again"


def test_who_stops_waiting_leaves_nothing_behind():
    async def work(transport):
        waiting = asyncio.create_task(transport.get(URL, {}, 1_000))
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await transport.get(URL, {}, 1_000)

    half = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
    server = Server(half, OK)
    assert run(server, work).body == b"ok"
    assert server.connections == 2


class Book:
    def __init__(self, *addresses):
        self.addresses = addresses

    async def ask(self, host):
        return NameAnswer(self.addresses, 60)

    async def close(self):
        pass


@pytest.mark.parametrize(
    ("addresses", "expected"),
    [
        (("127.0.0.2", "127.0.0.1"), "127.0.0.1"),
        (("::1", "127.0.0.1"), "127.0.0.1"),
        (("127.0.0.1", "::1"), "127.0.0.1"),
        (("127.0.0.2", "127.0.0.3"), Failure.CONNECT),
    ],
)
def test_addresses_are_tried_in_turn(addresses, expected):
    async def main():
        server = Server(OK)
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        settings = FetchSettings(allow_private=True)
        transport = HttpTransport(settings, DnsCache(settings, (), Book(*addresses)))
        try:
            return await transport.get(canonical(f"http://a.test:{port}/"), {}, 1_000)
        finally:
            await transport.close()
            await server.ended(listening)

    result = asyncio.run(main())
    assert (result.failure or result.address) == expected


def test_of_several_addresses_only_public_ones_are_asked():
    async def main():
        settings = FetchSettings(connect_timeout=0.2)
        transport = HttpTransport(settings, DnsCache(settings, (), Book("127.0.0.1", "10.0.0.1", "::1")))
        try:
            return await transport.get(canonical("http://a.test/"), {}, 1_000)
        finally:
            await transport.close()

    assert asyncio.run(main()).failure is Failure.PRIVATE_ADDRESS


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
@pytest.mark.parametrize("loop", LOOPS)
def test_secure_connections_are_kept_too(loop, tmp_path, monkeypatch):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=a.test"
        " -addext subjectAltName=DNS:a.test"
    )
    subprocess.run([*command.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    server = Server(OK, OK, b"HTTP/1.1 200 OK\r\n\r\nuntil the end")
    results = ask(server, 3, canonical("https://a.test/"), tls=context, loop=loop)
    assert [result.body for result in results] == [b"ok", b"ok", b"until the end"]
    assert server.connections == 1
    (other,) = ask(Server(OK), 1, canonical("https://b.test/"), tls=context, loop=loop)
    assert other.failure is Failure.TLS
