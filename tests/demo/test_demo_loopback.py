"""A scripted web behind a socket."""

import asyncio
import socket
import threading

import pytest
from replies import slow

from gossamer.demo.loopback_server import LoopbackServer
from gossamer.demo.scripted_web import Reply, ScriptedHost, ScriptedWeb, page, text

WEB = ScriptedWeb(
    {
        "a.test": ScriptedHost({"/": text("hello"), "/slow": slow(text("late"), 0.3), "/none": Reply(204)}),
        "b.test": ScriptedHost({"/": page("B", "Another.")}),
        "c.test": ScriptedHost({"/": Reply(200, b"abcdef", chunk=4)}),
    }
)


@pytest.fixture(scope="module")
def server():
    with LoopbackServer(WEB) as running:
        yield running


def talk(server, *requests):
    """Sends the requests at once and returns all that comes back until the server hangs up."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall("".join(requests).encode())
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def get(path, host="a.test", method="GET", close=True):
    last = "Connection: close\r\n" if close else ""
    return f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n{last}\r\n"


@pytest.mark.parametrize("host", ["a.test", "a.test:80", "a.test:8808"])
def test_hosts_are_told_apart_by_name(server, host):
    answer = talk(server, get("/", host))
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"\r\n\r\nhello")


def test_unknown_hosts_and_paths(server):
    assert b"No such host" in talk(server, get("/", "z.test"))
    assert talk(server, get("/x")).startswith(b"HTTP/1.1 404 Not Found")


def test_many_requests_on_one_connection(server):
    requests = [get("/", close=False)] * 3_000
    answer = talk(server, *requests, get("/"))
    assert answer.count(b"HTTP/1.1 200 OK") == 3_001


def test_requests_can_come_in_pieces(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        for character in get("/"):
            connection.sendall(character.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 200")


def test_head_and_empty_answers(server):
    head = talk(server, get("/", method="HEAD"))
    assert b"Content-Length: 5" in head
    assert head.endswith(b"\r\n\r\n")
    assert b"Content-Length" not in talk(server, get("/none"))


def test_chunks(server):
    answer = talk(server, get("/", "c.test"))
    assert answer.endswith(b"\r\n\r\n4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n")
    assert b"Transfer-Encoding: chunked" in answer


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        ("POST / HTTP/1.1\r\nHost: a.test\r\n\r\n", b"405"),
        ("nonsense\r\n\r\n", b"400"),
        ("\x16\x03\x01", b"400"),
        ("GET /" + "x" * 70_000, b"400"),
    ],
)
def test_bad_requests(server, request_text, status):
    assert talk(server, request_text).split(b" ")[1] == status


def test_old_clients_are_not_kept(server):
    assert talk(server, "GET / HTTP/1.0\r\nHost: a.test\r\n\r\n").endswith(b"hello")


def test_a_slow_reply_holds_up_nobody(server):
    order = []
    late = threading.Thread(target=lambda: order.append(talk(server, get("/slow"))[-4:]))
    late.start()
    order.append(talk(server, get("/"))[-5:])
    late.join()
    assert order == [b"hello", b"late"]


def test_a_port_in_use_is_named(server):
    with pytest.raises(OSError, match=f"port {server.port}: it is in use"):
        LoopbackServer(WEB, server.port).start()


def test_it_can_be_stopped_and_started():
    server = LoopbackServer(WEB)
    server.stop()
    for _ in range(2):
        with server:
            assert talk(server, get("/")).endswith(b"hello")
        server.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))


def test_open_connections_end_with_the_server():
    with LoopbackServer(WEB) as server:
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        connection.sendall(get("/", close=False).encode())
        assert connection.recv(1_000).endswith(b"hello")
    with connection:
        assert connection.recv(1_000) == b""


def test_inside_a_running_loop():
    async def visit():
        with LoopbackServer(WEB) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(get("/").encode())
            answer = await reader.read()
            writer.close()
            await writer.wait_closed()
            return answer

    assert asyncio.run(visit()).endswith(b"hello")
