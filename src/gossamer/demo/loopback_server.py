"""Serve a scripted web over HTTP on the loopback address."""

from __future__ import annotations

import asyncio
import errno
import socket
import threading
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Self, cast

from gossamer.demo.scripted_web import Reply, ScriptedWeb, text
from gossamer.model import Failure

# HTTP/1.1 connection of the demo server
# --------------------------------------

MAX_HEAD = 64 * 1024
NO_SUCH_HOST = Reply(404, b"No such host in this web.\n", {"Content-Type": "text/plain"})
BAD_REQUEST = Reply(400, b"Cannot read this request.\n", {"Content-Type": "text/plain"})
BAD_METHOD = Reply(405, b"Only GET and HEAD.\n", {"Content-Type": "text/plain"})


class Connection(asyncio.Protocol):
    """A connection of one client. Requests are answered one after the other; delays block no other client."""

    def __init__(self, web: ScriptedWeb, open_connections: set[asyncio.BaseTransport]) -> None:
        self._web = web
        self._open = open_connections
        self._buffer = bytearray()
        self._busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._open.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._open.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._serve_next()

    def _serve_next(self) -> None:
        if self._busy or not self._buffer or self._transport.is_closing():
            return
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            # A request begins with a method. A client that sends anything else, such as TLS, gets an error
            # now; without it, both sides would wait forever.
            if len(self._buffer) > MAX_HEAD or not self._buffer[:1].isalpha():
                self._send(BAD_REQUEST, wants_body=True, keep=False)
            return
        head = self._buffer[:end].decode("latin-1")
        del self._buffer[: end + 4]
        self._busy = True
        self._answer(head)

    def _answer(self, head: str) -> None:
        request, *lines = head.split("\r\n")
        parts = request.split(" ")
        if len(parts) != 3:
            self._send(BAD_REQUEST, wants_body=True, keep=False)
            return
        method, path, version = parts
        headers = _headers(lines)
        keep = version == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
        if method not in {"GET", "HEAD"}:
            self._send(BAD_METHOD, wants_body=True, keep=False)
            return
        reply = self._web.reply(headers.get("host", ""), path, headers) or NO_SUCH_HOST
        if reply.delay > 0:
            asyncio.get_running_loop().call_later(reply.delay, self._send, reply, method == "GET", keep)
        else:
            self._send(reply, method == "GET", keep)

    def _send(self, reply: Reply, wants_body: bool, keep: bool) -> None:
        if self._transport.is_closing():
            return
        if reply.failure is not None:
            self._fail(reply.failure)
            return
        pieces = reply.pieces() if wants_body and reply.status not in {204, 304} else []
        if reply.chunk:
            self._transport.write(_head(reply, keep))
            self._drip(pieces, 0, reply.pause, keep)
        else:
            self._transport.write(_head(reply, keep) + b"".join(pieces))
            self._finished(keep)

    def _drip(self, pieces: Sequence[bytes], sent: int, pause: float, keep: bool) -> None:
        if self._transport.is_closing():
            return
        if sent == len(pieces):
            self._transport.write(b"0\r\n\r\n" if pieces else b"")
            self._finished(keep)
            return
        piece = pieces[sent]
        self._transport.write(b"%x\r\n%b\r\n" % (len(piece), piece))
        # Return to the event loop even without a pause: a long body must not block other connections.
        wait = 0.0 if sent + 1 == len(pieces) else pause
        asyncio.get_running_loop().call_later(wait, self._drip, pieces, sent + 1, pause, keep)

    def _finished(self, keep: bool) -> None:
        if not keep:
            self._transport.close()
            return
        self._busy = False
        if self._buffer:
            # Not a direct call: a client that sends a thousand requests at once must not fill the stack.
            asyncio.get_running_loop().call_soon(self._serve_next)

    def _fail(self, failure: Failure) -> None:
        """Fail as the script says. A failure that a server cannot cause closes the connection."""
        match failure:
            case Failure.TIMEOUT:
                return  # the connection stays open and silent until the client closes it
            case Failure.PROTOCOL:
                self._transport.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
            case Failure.DECODING:
                broken = Reply(200, b"this is not gzip", {"Content-Encoding": "gzip"})
                self._transport.write(_head(broken, keep=False) + broken.body)
            case Failure.DISCONNECTED:
                self._transport.write(_head(text("hung up " * 100), keep=False) + b"hung up ")
            case _:
                pass
        self._transport.close()


def _headers(lines: Sequence[str]) -> dict[str, str]:
    pairs = (line.partition(":") for line in lines)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _head(reply: Reply, keep: bool) -> bytes:
    try:
        phrase = HTTPStatus(reply.status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [
        f"HTTP/1.1 {reply.status} {phrase}",
        *(f"{name}: {value}" for name, value in reply.headers.items()),
    ]
    if reply.chunk and reply.body:
        lines.append("Transfer-Encoding: chunked")
    elif reply.status not in {204, 304}:
        lines.append(f"Content-Length: {len(reply.body)}")
    if not keep:
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode("utf-8")


ADDRESS = "127.0.0.1"


class LoopbackServer:
    """A server for all hosts of a scripted web on one port; the Host header selects the host.

    It runs in a thread with its own event loop, so that the client's loop cannot block it. Use it with `with`
    or `async with`.
    """

    def __init__(self, web: ScriptedWeb, port: int = 0) -> None:
        self.web = web
        self.port = port  # 0 until the server has started: any free port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._connections: set[asyncio.BaseTransport] = set()

    def start(self) -> None:
        """Start the server. Raise OSError, with the port, if the port is in use."""
        listener = _listener(self.port)
        self.port = listener.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(self._loop, listener, ready), name=f"loopback-{self.port}", daemon=True
        )
        self._thread.start()
        ready.wait()

    def stop(self) -> None:
        """Close all connections and end the thread. A second call does nothing."""
        if self._loop is None or self._thread is None:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop = self._thread = None

    def _run(self, loop: asyncio.AbstractEventLoop, listener: socket.socket, ready: threading.Event) -> None:
        connect = partial(Connection, self.web, self._connections)
        server = loop.run_until_complete(loop.create_server(connect, sock=listener, backlog=1_024))
        loop.call_soon(ready.set)
        try:
            loop.run_forever()
        finally:
            server.close()
            for transport in list(self._connections):
                transport.close()
            loop.run_until_complete(asyncio.sleep(0))  # closed transports now call connection_lost
            loop.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()


def _listener(port: int) -> socket.socket:
    try:
        return socket.create_server((ADDRESS, port), backlog=1_024)
    except OSError as error:
        why = "it is in use" if error.errno == errno.EADDRINUSE else str(error)
        raise OSError(error.errno, f"cannot listen on {ADDRESS} port {port}: {why}") from error
