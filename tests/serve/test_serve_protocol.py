"""Requests with an endless head or endless trailers are refused."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading

import pytest
import uvicorn

from gossamer.serve.server import LARGEST_HEAD, BoundedProtocol


async def said_hello(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"hello"})


@contextlib.contextmanager
def served():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(
            uvicorn.Config(said_hello, http=BoundedProtocol, ws="none", lifespan="off", log_level=50)
        )
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def answer_to(port, *pieces):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        with contextlib.suppress(OSError):  # it may be closed before all is sent
            for piece in pieces:
                connection.sendall(piece)
        try:
            return connection.recv(65_536)
        except ConnectionError:
            return b""


@pytest.mark.parametrize(
    ("begun", "more"),
    [
        (b"GET /", b"a" * 1000),
        (b"GET / HTTP/1.1\r\nHost: x\r\nFiller: ", b"a" * 1000),
        (b"GET / HTTP/1.1\r\nHost: x\r\n", b"Filler: " + b"a" * 1000 + b"\r\n"),
    ],
)
def test_endless_heads_are_refused(begun, more):
    with served() as port:
        answer = answer_to(port, begun, *[more] * (8 * LARGEST_HEAD // len(more)))
        assert not answer or b" 400 " in answer.split(b"\r\n")[0]
        assert b" 200 " in answer_to(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")


def test_endless_trailers_are_refused():
    begun = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    with served() as port:
        answer = answer_to(port, begun, *[b"Filler: " + b"a" * 1000 + b"\r\n"] * (8 * LARGEST_HEAD // 1000))
        assert b" 200 " not in answer


def test_each_request_of_a_connection_has_a_head_of_its_own():
    request = b"GET / HTTP/1.1\r\nHost: x\r\nFiller: " + b"a" * (LARGEST_HEAD // 2) + b"\r\n\r\n"
    with served() as port, socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        for _ in range(4):
            connection.sendall(request)
            answer = b""
            while not answer.endswith(b"hello"):
                piece = connection.recv(65_536)
                assert piece
                answer += piece
            assert answer.startswith(b"HTTP/1.1 200 ")
