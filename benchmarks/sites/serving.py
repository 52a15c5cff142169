"""Who serves a web on loopback, and what was asked, when?

A process of its own, so that its time is not counted with the crawler's, answers for all hosts of a web on
one port, told apart by the Host header. Every request becomes a line of the log:

    begun <tab> ended <tab> status <tab> host <tab> path

in nanoseconds of one clock. A request has begun when the server has read it, and ended just before the answer
is written. Its status is 0 when the asker has hung up by then, so that there is nobody to answer.
"""

from __future__ import annotations

import asyncio
import http.client
import multiprocessing
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple, TextIO, cast

import uvloop

from sites.web import Place, Reply, ServedWeb

ADDRESS = "127.0.0.1"
CONTROL = "control"  # a host that no web has: asking it brings the log to the disk
DONE = b"HTTP/1.1 204 No Content\r\n\r\n"
GIVEN_UP = 0  # a status
BAD = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class Request(NamedTuple):
    """A line of the log."""

    begun: int  # nanoseconds
    ended: int
    status: int
    place: Place


class _Connection(asyncio.Protocol):
    """One client; its requests are answered one after the other."""

    def __init__(self, web: ServedWeb, log: TextIO) -> None:
        self._web = web
        self._log = log
        self._buffer = b""
        self._busy = False
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._busy:
            self._next()

    def _next(self) -> None:
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        self._buffer, self._busy = rest, True
        begun = time.monotonic_ns()
        place = _asked(head.decode("latin-1"))
        if place is None:
            self._transport.write(BAD)
            self._transport.close()
        elif place.host == CONTROL:
            self._log.flush()
            self._transport.write(DONE)
            self._again()
        else:
            self._answer(begun, place, self._web.reply(*place))

    def _answer(self, begun: int, place: Place, reply: Reply) -> None:
        if reply.wait:
            self._loop.call_later(reply.wait, self._send, begun, place, reply)
        else:
            self._send(begun, place, reply)

    def _send(self, begun: int, place: Place, reply: Reply) -> None:
        ended = time.monotonic_ns()
        given_up = self._transport.is_closing()
        status = GIVEN_UP if given_up else reply.status
        self._log.write(f"{begun}\t{ended}\t{status}\t{place.host}\t{place.path}\n")
        if given_up:
            return
        self._transport.write(reply.content)
        self._again()

    def _again(self) -> None:
        self._busy = False
        if self._buffer:
            self._loop.call_soon(self._next)


def _asked(head: str) -> Place | None:
    """The host and path of a GET request; None when it is none."""
    line, *headers = head.split("\r\n")
    method, _, rest = line.partition(" ")
    hosts = [header[5:].strip() for header in headers if header[:5].lower() == "host:"]
    if method != "GET" or len(hosts) != 1:
        return None
    return Place(hosts[0].partition(":")[0].lower(), rest.partition(" ")[0])


def _serve(web: ServedWeb, log: Path, ready: Connection) -> None:
    """The serving process: tells its port when all is prepared, and ends when its parent hangs up."""
    listener = socket.create_server((ADDRESS, 0), backlog=4_096)
    port = listener.getsockname()[1]
    web.open(port)
    with log.open("w", encoding="latin-1", buffering=1 << 20) as lines:
        uvloop.run(_serving(web, listener, lines, ready))


async def _serving(web: ServedWeb, listener: socket.socket, log: TextIO, ready: Connection) -> None:
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    loop.add_reader(ready.fileno(), over.set)
    server = await loop.create_server(lambda: _Connection(web, log), sock=listener)
    ready.send(listener.getsockname()[1])
    await over.wait()
    server.close()


@dataclass(frozen=True, slots=True)
class Server:
    """The serving process as its user sees it."""

    port: int
    log: Path

    def mark(self) -> int:
        """The place in the log that is reached now."""
        asking = http.client.HTTPConnection(ADDRESS, self.port, timeout=60)
        asking.request("GET", "/", headers={"Host": CONTROL})
        asking.getresponse().read()
        asking.close()
        return self.log.stat().st_size

    def requests(self, since: int = 0) -> Iterator[Request]:
        """What was asked after a mark, in the order in which it was answered."""
        self.mark()
        with self.log.open(encoding="latin-1", newline="\n") as lines:
            lines.seek(since)
            for line in lines:
                begun, ended, status, host, path = line.rstrip("\n").split("\t")
                yield Request(int(begun), int(ended), int(status), Place(host, path))


@contextmanager
def serving(web: ServedWeb, log: Path) -> Iterator[Server]:
    """Serves a web for as long as the block runs."""
    # Not forked: the process would inherit what the benchmark has open.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(web, log, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        try:
            port = ours.recv()
        except EOFError:
            raise RuntimeError("the serving process has died; what it said stands above") from None
        yield Server(port, log)
    finally:
        ours.close()
        process.join(10)
        process.kill()
