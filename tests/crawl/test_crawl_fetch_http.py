"""Behaviour on a real network: addresses, names, and missing servers."""

import asyncio
import shutil
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager

import pytest

from gossamer.crawl.fetch.http import HttpTransport
from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedWeb, page
from gossamer.model import BadSetting, Failure
from gossamer.web.url import canonical

HOST = ScriptedHost({"/": page("Start", "Welcome.")})


@pytest.fixture(scope="module")
def server():
    names = ["a.test", "127.0.0.1", "localhost", "x.localhost", "[::1]"]
    with LoopbackServer(ScriptedWeb(dict.fromkeys(names, HOST))) as running:
        yield running


def ask(address, headers=None, **settings):
    async def once():
        transport = HttpTransport(FetchSettings(**settings))
        try:
            return await transport.get(canonical(address), headers or {}, 1_000_000)
        finally:
            await transport.close()

    return asyncio.run(once())


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "x.localhost", "[::ffff:127.0.0.1]", "0x7f000001"]
)
def test_private_addresses_are_refused_by_name_and_by_literal(server, host):
    asked = len(server.web.asked)
    result = ask(f"http://{host}:{server.port}/")
    assert (result.status, result.failure) == (0, Failure.PRIVATE_ADDRESS)
    assert "not public" in result.detail
    assert len(server.web.asked) == asked


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "x.localhost"])
def test_private_addresses_can_be_allowed(server, host):
    result = ask(f"http://{host}:{server.port}/", allow_private=True)
    assert (result.status, result.address) == (200, "127.0.0.1")


def test_overridden_hosts_may_be_private_but_nothing_else(server):
    resolve = [f"*=127.0.0.1:{server.port}"]
    assert ask("http://a.test/", host_overrides=resolve).status == 200
    literal = ask(f"http://127.0.0.1:{server.port}/", host_overrides=resolve)
    assert literal.failure is Failure.PRIVATE_ADDRESS


def test_the_first_override_counts_and_keeps_the_port_of_the_url(server):
    resolve = ["a.test=127.0.0.1", "*.test=127.0.0.1:1"]
    assert ask(f"http://a.test:{server.port}/", host_overrides=resolve).status == 200
    assert ask("http://b.test/", host_overrides=resolve).failure is Failure.CONNECT


def test_a_bad_override_is_the_callers_mistake():
    with pytest.raises(BadSetting):
        HttpTransport(FetchSettings(host_overrides=["nonsense"]))


def test_unknown_names():
    result = ask("http://no-such-host.invalid/")
    assert (result.failure, result.status) == (Failure.DNS, 0)
    assert "no-such-host.invalid" in result.detail
    assert ask(f"http://{'a' * 70}.invalid/").failure is Failure.DNS


def test_nobody_listens():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert ask(f"http://127.0.0.1:{port}/", allow_private=True).failure is Failure.CONNECT


def test_no_secure_connection(server):
    result = ask(f"https://127.0.0.1:{server.port}/", allow_private=True)
    assert result.failure is Failure.TLS


@contextmanager
def raw_server(answer):
    """A server that sends these bytes for each connection and closes it."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(65_536)
                connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (b"", Failure.DISCONNECTED),
        (b"hello there\r\n\r\n", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort", Failure.DISCONNECTED),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", Failure.PROTOCOL),
    ],
)
def test_what_is_not_http(answer, failure):
    with raw_server(answer) as port:
        result = ask(f"http://127.0.0.1:{port}/", allow_private=True)
    assert (result.status, result.failure) == (0, failure)


def test_headers_that_are_not_utf8_are_text():
    with raw_server(b"HTTP/1.1 200 OK\r\nX-Old: caf\xe9\r\nX-New: caf\xc3\xa9\r\n\r\nbody") as port:
        result = ask(f"http://127.0.0.1:{port}/", allow_private=True)
    assert (result.header("x-old"), result.header("x-new"), result.body) == (
        "caf\u00e9",
        "caf\u00e9",
        b"body",
    )


def test_cookies_are_not_kept():
    host = ScriptedHost({"/": Reply(200, b"x", {"Set-Cookie": "a=1"})})
    seen = []

    class Recording(ScriptedWeb):
        def reply(self, authority, path, headers=None):
            seen.append(dict(headers))
            return super().reply(authority, path, headers)

    async def twice(port):
        transport = HttpTransport(FetchSettings(host_overrides=[f"c.test=127.0.0.1:{port}"]))
        for _ in range(2):
            await transport.get(canonical("http://c.test/"), {"User-Agent": "Test/1"}, 100)
        await transport.close()

    with LoopbackServer(Recording({"c.test": host})) as server:
        asyncio.run(twice(server.port))
    assert [headers.get("cookie") for headers in seen] == [None, None]
    assert seen[0]["user-agent"] == "Test/1"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_certificates_are_verified(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=a.test"
    subprocess.run([*command.split(), "-keyout", key, "-out", certificate], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def visit():
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        transport = HttpTransport(FetchSettings(host_overrides=[f"a.test=127.0.0.1:{port}"]))
        try:
            return await transport.get(canonical("https://a.test/"), {}, 100)
        finally:
            await transport.close()
            server.close()

    result = asyncio.run(visit())
    assert result.failure is Failure.TLS
    assert "certificate" in result.detail.lower()


@pytest.mark.parametrize("host", ["a..docs.test", "a" * 64 + ".test"])
def test_names_that_no_certificate_can_have_cost_their_page(server, host):
    result = ask(f"https://{host}/", host_overrides=[f"*.test=127.0.0.1:{server.port}"])
    assert (result.status, result.failure) == (0, Failure.TLS)
    assert f"{host} is not a valid name for TLS" in result.detail


@pytest.mark.parametrize(
    "where", ["gossamer.crawl.fetch.exchange.framing_of", "gossamer.crawl.fetch.exchange.Body.content"]
)
@pytest.mark.parametrize("answer", [b"Content-Length: 2\r\n\r\nok", b"\r\nok"])
def test_whatever_goes_wrong_in_an_exchange_costs_its_page(monkeypatch, where, answer):
    def broken(*_):
        raise LookupError("nobody thought of that")

    monkeypatch.setattr(where, broken)
    with raw_server(b"HTTP/1.1 200 OK\r\n" + answer) as port:
        result = ask("http://a.test/", host_overrides=[f"a.test=127.0.0.1:{port}"], read_timeout=2.0)
    assert (result.failure, "LookupError (nobody thought of that)" in result.detail) == (
        Failure.PROTOCOL,
        True,
    )


def test_who_is_cancelled_is_cancelled():
    async def main(port):
        transport = HttpTransport(FetchSettings(host_overrides=[f"a.test=127.0.0.1:{port}"]))
        asking = asyncio.create_task(transport.get(canonical("http://a.test/"), {}, 100))
        await asyncio.sleep(0.05)
        asking.cancel()
        await asyncio.wait([asking])
        await transport.close()
        return asking.cancelled()

    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert asyncio.run(main(silent.getsockname()[1]))
