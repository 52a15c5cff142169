"""A hostile server on raw sockets; each path is another attack."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import zlib
from contextlib import suppress

import brotli
import zstandard

from gossamer.model import Failure

PAGE = b"<!doctype html><title>%b</title><p>A good page about %b.</p>"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
REDIRECTS = 10_000
LINKS_SIZE = 50_000_000
GOOD = [b"amber", b"basalt", b"copper", b"dolomite", b"emerald"]


def whole(body, headers=b""):
    return HTML + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body


def encoded(body, coding):
    return whole(body, b"Content-Encoding: %b\r\n" % coding)


def bomb(compressor, flush):
    """Compress 100 MB of zeros without holding them in memory."""
    return b"".join([*(compressor.compress(bytes(1_000_000)) for _ in range(100)), flush()])


def gzip_bomb():
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    return encoded(bomb(compressor, compressor.flush), b"gzip")


def zstd_bomb():
    compressor = zstandard.ZstdCompressor(level=19).compressobj()
    return encoded(bomb(compressor, compressor.flush), b"zstd")


def brotli_bomb():
    return encoded(brotli.compress(bytes(20_000_000), quality=5), b"br")


# What is sent at once, and what comes of it: a failure, or whether the body is cut.
AT_ONCE = {
    "/bad-chunks": (HTML + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n", Failure.PROTOCOL),
    "/long-chunk": (
        HTML + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello, world\r\n0\r\n\r\n",
        Failure.PROTOCOL,
    ),
    "/half-a-chunk": (HTML + b"Transfer-Encoding: chunked\r\n\r\nff\r\nhello", Failure.DISCONNECTED),
    "/tiny-chunks": (
        HTML + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 200_000 + b"0\r\n\r\n",
        Failure.PROTOCOL,
    ),
    "/a-megabyte-of-headers": (HTML + b"X: " + b"y" * 1_000_000 + b"\r\n\r\nbody", Failure.PROTOCOL),
    "/many-headers": (HTML + b"X: y\r\n" * 170_000 + b"\r\nbody", Failure.PROTOCOL),
    "/many-interim": (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 5_000, Failure.PROTOCOL),
    "/not-http": (b"220 smtp.example ESMTP\r\n\r\n", Failure.PROTOCOL),
    "/status-000": (b"HTTP/1.1 000 x\r\nContent-Length: 4\r\n\r\nbody", Failure.PROTOCOL),
    "/short": (HTML + b"Content-Length: 5000\r\n\r\nshort", Failure.DISCONNECTED),
    "/negative": (HTML + b"Content-Length: -1\r\n\r\nbody", Failure.PROTOCOL),
    "/two-lengths": (HTML + b"Content-Length: 4\r\nContent-Length: 2\r\n\r\nbody", Failure.PROTOCOL),
    "/no-gzip": (encoded(b"this is no gzip", b"gzip"), Failure.DECODING),
    "/half-gzip": (encoded(gzip.compress(b"hello " * 900)[:-20], b"gzip"), Failure.DECODING),
    "/many-members": (encoded(gzip.compress(b"") * 12_000, b"gzip"), Failure.DECODING),
    "/many-codings": (HTML + b"Content-Encoding: " + b"br," * 32_000 + b"\r\n\r\nbody", Failure.DECODING),
    "/gzip-bomb": (gzip_bomb(), True),
    "/zstd-bomb": (zstd_bomb(), True),
    "/brotli-bomb": (brotli_bomb(), True),
    "/long": (HTML + b"Content-Length: 6\r\n\r\nlonger than it says", False),
    "/charset": (
        whole("<title>Lies</title><p>caf\u00e9 cr\u00e8me".encode("latin-1")).replace(
            b"text/html", b"text/html; charset=utf-16"
        ),
        False,
    ),
}


async def endless(writer, piece, head=HTML + b"\r\n"):
    writer.write(head)
    while True:
        writer.write(piece)
        await writer.drain()


async def endless_body(writer):
    await endless(writer, b"<p>and so on and on</p>" * 3_000)


async def endless_chunks(writer):
    piece = b"<p>and on</p>" * 1_000
    await endless(writer, b"%x\r\n%b\r\n" % (len(piece), piece), HTML + b"Transfer-Encoding: chunked\r\n\r\n")


async def endless_head(writer):
    await endless(writer, b"X-More: and more\r\n" * 100, HTML)


async def endless_nothing(writer):
    """Yield endless compressed data that decode to nothing: empty blocks."""
    compressor = zlib.compressobj(0, zlib.DEFLATED, 31)
    head = (
        HTML
        + b"Content-Encoding: gzip\r\n\r\n"
        + compressor.compress(b"")
        + compressor.flush(zlib.Z_FULL_FLUSH)
    )
    await endless(writer, b"\0\0\0\xff\xff" * 5_000, head)


async def a_lot_of_links(writer):
    writer.write(HTML + b"Content-Length: %d\r\n\r\n" % LINKS_SIZE)
    for number in range(0, LINKS_SIZE, 50_000):
        links = b"".join(b'<a href="/x/%015d">another one of them</a>\n' % (number + i) for i in range(1_000))
        writer.write(links[:50_000])
        await writer.drain()


async def dribble(writer, head, body):
    writer.write(head)
    for place in range(len(body)):
        writer.write(body[place : place + 1])
        await writer.drain()
        await asyncio.sleep(0.03)


async def loris_body(writer):
    await dribble(writer, HTML + b"Content-Length: 5000\r\n\r\n", b"x" * 5_000)


async def loris_head(writer):
    await dribble(writer, HTML, b"X-Slow: and slower\r\n" * 300)


async def silent(_writer):
    await asyncio.sleep(60)


# What takes its time, and what comes of it.
OVER_TIME = {
    "/endless-body": (endless_body, True),
    "/endless-chunks": (endless_chunks, True),
    "/endless-nothing": (endless_nothing, True),
    "/a-lot-of-links": (a_lot_of_links, True),
    "/endless-head": (endless_head, Failure.PROTOCOL),
    "/loris-body": (loris_body, Failure.TIMEOUT),
    "/loris-head": (loris_head, Failure.TIMEOUT),
    "/silent": (silent, Failure.TIMEOUT),
}
EXPECTED = {path: outcome for path, (_, outcome) in (AT_ONCE | OVER_TIME).items()}


class HostileServer:
    """Serves all attacks and a few good pages in a thread; each connection takes one request."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.asked = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self):
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, sock=self._listener))
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self):
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)

    async def _serve(self, reader, writer):
        with suppress(OSError, asyncio.CancelledError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode()
            self.asked.append(path)
            if path in OVER_TIME:
                await OVER_TIME[path][0](writer)
            else:
                writer.write(self._answer(path))
                await writer.drain()
        writer.close()
        with suppress(OSError, asyncio.CancelledError):
            await writer.wait_closed()

    def _answer(self, path):
        if path in AT_ONCE:
            return AT_ONCE[path][0]
        name = path[1:].encode()
        if name in GOOD:
            return whole(PAGE % (name, name))
        if path.startswith("/redirect/") and int(path[10:]) < REDIRECTS:
            return b"HTTP/1.1 302 Found\r\nLocation: /redirect/%d\r\nContent-Length: 0\r\n\r\n" % (
                int(path[10:]) + 1
            )
        if path == "/round":
            return b"HTTP/1.1 302 Found\r\nLocation: /round\r\nContent-Length: 0\r\n\r\n"
        if path == "/inwards":
            return (
                b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:%d/amber\r\nContent-Length: 0\r\n\r\n"
                % self.port
            )
        if path == "/":
            paths = [*EXPECTED, "/redirect/1", "/round", "/inwards", *(f"/{name.decode()}" for name in GOOD)]
            return whole(
                b"<title>Start</title>" + "".join(f'<a href="{one}">x</a>\n' for one in paths).encode()
            )
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
