"""One HTTP/1.1 exchange over a connection: head, framing, body, memory limit, errors."""

from __future__ import annotations

import asyncio
import errno
import os
import re
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from gossamer.crawl.fetch.settings import FetchSettings
from gossamer.model import Failure, Url
from gossamer.storage.files import most_open
from gossamer.web.content_coding import BadEncoding, Body

# File-descriptor limit
# ---------------------
#
# Each connection takes a file descriptor. So do DNS lookups, page stores and workers. A crawl of many
# hosts reaches this limit before any other limit of the machine.

RESERVED = 128  # descriptors for databases, page stores, workers and DNS
_STARVED = frozenset({errno.EMFILE, errno.ENFILE})


def spare_descriptors() -> int:
    """Return how many file descriptors connections may take."""
    usable = most_open()
    return max(usable - RESERVED, usable // 2)


def is_starved(error: BaseException) -> bool:
    """Return whether an error comes from a lack of file descriptors; a failed DNS lookup may hide it."""
    causes = (error, error.__cause__)
    if any(isinstance(cause, OSError) and cause.errno in _STARVED for cause in causes):
        return True
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as refused:
        return refused.errno in _STARVED
    return False


# Names of network errors
# -----------------------


class FetchError(Exception):
    """An exchange failed. `HttpTransport` turns this into a `FetchResult`."""

    def __init__(self, failure: Failure, why: str) -> None:
        super().__init__(why)
        self.failure = failure
        self.why = why


class StaleConnection(FetchError):
    """The server closed a kept connection before it answered; the request may be sent again."""

    def __init__(self) -> None:
        super().__init__(Failure.DISCONNECTED, "the connection was closed before an answer came")


def not_http(why: str) -> FetchError:
    """Make the error for a response that is not valid HTTP."""
    return FetchError(Failure.PROTOCOL, why)


def explained(error: Exception, url: Url) -> tuple[Failure, str]:
    """Return the kind of a failure, and a short explanation for people."""
    match error:
        case FetchError(failure=Failure.DNS | Failure.PRIVATE_ADDRESS):
            return error.failure, f"{url.host} {error.why}"
        case FetchError(failure=Failure.PROTOCOL):
            return error.failure, f"{url.authority} sent invalid HTTP ({error.why})"
        case FetchError(failure=Failure.DISCONNECTED):
            return error.failure, f"{url.authority} closed the connection ({error.why})"
        case FetchError():
            return error.failure, f"{url.authority} {error.why}"
        case ssl.SSLError():
            return Failure.TLS, f"no secure connection to {url.authority} ({brief(error)})"
        case BadEncoding():
            return Failure.DECODING, str(error)
        case OSError():
            return Failure.CONNECT, f"no connection to {url.authority} ({brief(error)})"
        case _:
            return (
                Failure.PROTOCOL,
                f"the request to {url.authority} failed: {type(error).__name__} ({brief(error)})",
            )


def brief(error: BaseException) -> str:
    """Return the first line of an error, short enough for a table."""
    return (str(error) or type(error).__name__).splitlines()[0][:120]


# Request and response heads
# --------------------------
#
# The head of a response is read as in browsers: bare line feeds, folded lines and invalid header lines
# are accepted, because old servers send them. A head that allows two readings of the body is an error.

MAX_HEAD = 96 * 1024  # bytes; some sites send security policies of many kilobytes
HEAD_END = re.compile(rb"\r?\n\r?\n")

# A status begins with its class, 1 to 5 (RFC 9110, section 15); some sites send 999 to crawlers.
_STATUS_LINE = re.compile(r"HTTP/1\.([01]) +([1-9]\d{2})(?: [^\n]*)?(?:\n|$)")
_HEADER = re.compile(r"^([!#$%&'*+\-.^_`|~0-9A-Za-z]+)[ \t]*:(.*)$", re.MULTILINE)
_FOLD = re.compile(r"\n[ \t]+")


@dataclass(slots=True)
class Head:
    """Status line and headers of a response."""

    minor: int  # of HTTP/1.x
    status: int
    headers: tuple[tuple[str, str], ...]
    fields: dict[str, str]  # values by name in lower case, those of one name joined by commas

    @property
    def is_interim(self) -> bool:
        """Whether this is an interim response (1xx), before the final one."""
        return 100 <= self.status < 200 and self.status != 101

    @property
    def lasts(self) -> bool:
        """Whether the connection may be reused."""
        return self.minor == 1 and "close" not in self.fields.get("connection", "").lower()


def read_head(raw: bytes) -> Head:
    """Parse a head, without the empty line that ends it; raise `FetchError` if it is invalid."""
    is_ascii = raw.isascii()
    text = raw.decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\0" in text:
        raise not_http("a zero byte in the headers")
    # A bare carriage return in a value could be taken for a line end by other readers (RFC 9112, 2.2).
    if "\r" in text:
        text = text.replace("\r", " ")
    start = _STATUS_LINE.match(text)
    if start is None:
        raise not_http(f"the response begins with {text[:40]!r}")
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    found = _HEADER.findall(text, start.end())
    headers = tuple([(name, value.strip(" \t")) for name, value in found])
    if not is_ascii:
        headers = tuple((name, _as_text(value)) for name, value in headers)
    return Head(int(start[1]), int(start[2]), headers, _by_name(headers))


def _by_name(headers: tuple[tuple[str, str], ...]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        fields[key] = f"{fields[key]}, {value}" if key in fields else value
    return fields


def _as_text(value: str) -> str:
    """Decode a Latin-1 value again as UTF-8 if it is valid UTF-8."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return value


def write_head(method: str, url: Url, headers: Mapping[str, str]) -> bytes:
    """Build the head of a request; raise ValueError if a header contains a line break."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers.items()])
    text = f"{method} {url.path} HTTP/1.1\r\nHost: {url.authority}\r\n{lines}\r\n"
    if text.count("\n") != len(headers) + 3 or text.count("\r") != len(headers) + 3:
        raise ValueError(f"a header for {url} contains a line break")
    return text.encode("utf-8")


# Body framing: length, chunked
# -----------------------------
#
# A framing takes the bytes from the socket and returns those of the body. `done` says that the body is
# complete, `excess` that bytes came after its end.

MAX_LINE = 4_096  # bytes of a line with a chunk size and its extensions, or of a trailer
MAX_TRAILERS = 100  # lines
SMALL_CHUNKS = 10_000  # chunks after which their mean size is checked
LEAST_CHUNK = 16  # bytes; a smaller mean size of chunks only keeps the reader busy
_LENGTH = re.compile("[0-9]{1,15}")
_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)


class Framing:
    """Finds the end of a body."""

    done = False
    excess = False

    def feed(self, data: bytes) -> bytes:
        """Return the bytes that belong to the body; raise `FetchError` if they are invalid."""
        return data


class UntilCloseBody(Framing):
    """A body that ends when the server closes the connection."""


class FixedLengthBody(Framing):
    """A body with a Content-Length."""

    def __init__(self, length: int) -> None:
        self._left = length
        self.done = length == 0

    def feed(self, data: bytes) -> bytes:
        if len(data) > self._left:
            self.excess = True
            data = data[: self._left]
        self._left -= len(data)
        self.done = self._left == 0
        return data


class ChunkedBody(Framing):
    """A chunked body: each chunk follows a line with its size; an empty chunk and trailers end it."""

    def __init__(self) -> None:
        self._rest = b""  # an incomplete line
        self._left = 0  # missing bytes of the open chunk
        self._chunks = 0
        self._taken = 0
        self._trailers = 0
        self._read_line = self._size_line

    def feed(self, data: bytes) -> bytes:
        data, self._rest = self._rest + data if self._rest else data, b""
        pieces, place = [], 0
        while place < len(data) and not self.done:
            if self._left:
                piece = data[place : place + self._left]
                pieces.append(piece)
                place += len(piece)
                self._left -= len(piece)
                continue
            end = data.find(b"\n", place, place + MAX_LINE)
            if end < 0:
                self._rest = data[place:]
                break
            self._read_line(data[place:end].removesuffix(b"\r"))
            place = end + 1
        if len(self._rest) >= MAX_LINE:
            raise not_http("a line between chunks is too long")
        self.excess = self.done and place < len(data)
        return b"".join(pieces)

    def _size_line(self, line: bytes) -> None:
        size = _SIZE.fullmatch(line)
        if size is None:
            raise not_http(f"invalid chunk size {line[:20]!r}")
        self._left = int(size[1], 16)
        self._chunks += 1
        self._taken += self._left
        if self._chunks > SMALL_CHUNKS and self._taken < LEAST_CHUNK * self._chunks:
            raise not_http(f"{self._chunks:,} tiny chunks")
        self._read_line = self._end_of_chunk if self._left else self._trailer_line

    def _end_of_chunk(self, line: bytes) -> None:
        if line:
            raise not_http("a chunk is longer than its size")
        self._read_line = self._size_line

    def _trailer_line(self, line: bytes) -> None:
        self.done = not line
        self._trailers += 1
        if self._trailers > MAX_TRAILERS:
            raise not_http(f"more than {MAX_TRAILERS} trailers")


def framing_of(head: Head) -> Framing:
    """Return the framing of the body after a head; raise `FetchError` if the head contradicts itself."""
    if head.status in {204, 304}:
        return FixedLengthBody(0)
    transfer = head.fields.get("transfer-encoding", "").strip().lower()
    if transfer and transfer != "identity":
        if transfer != "chunked":
            raise not_http(f"unknown transfer encoding {transfer[:40]!r}")
        return ChunkedBody()
    stated = head.fields.get("content-length")
    if stated is None:
        return UntilCloseBody()
    length, *others = {length.strip() for length in stated.split(",")}  # a repeated header is accepted
    if others or not _LENGTH.fullmatch(length):
        raise not_http(f"invalid content length {stated[:40]!r}")
    return FixedLengthBody(int(length))


# Media types worth downloading
# -----------------------------

GLANCE = 64 * 1024  # bytes kept of types that are not readable as text, to recognise their content
_UNREAD_KINDS = ("image/", "audio/", "video/", "font/", "model/", "application/vnd.ms-")
_READ_ENDING = ".macroenabled.12"  # office documents with macros, which are readable
_UNREAD_TYPES = re.compile(
    r"application/(?:zip|x-tar|x-bzip2|x-xz|zstd|x-7z-compressed|vnd\.rar|x-rar-compressed|java-archive"
    r"|vnd\.android\.package-archive|x-msdownload|x-iso9660-image|x-shockwave-flash|ogg|wasm|font-woff"
    r"|msword)"
)


def worth_keeping(content_type: str, max_bytes: int) -> int:
    """Return how many bytes of a response to keep: `max_bytes`, or less for images, videos and archives.

    >>> worth_keeping("text/html; charset=utf-8", 1_000_000), worth_keeping("Image/PNG", 1_000_000)
    (1000000, 65536)
    """
    kind = content_type.partition(";")[0].strip().lower()
    is_of_unread_kind = kind.startswith(_UNREAD_KINDS) and not kind.endswith(_READ_ENDING)
    return min(max_bytes, GLANCE) if is_of_unread_kind or _UNREAD_TYPES.fullmatch(kind) else max_bytes


# Memory limit over all downloads
# -------------------------------
#
# Each body has a limit of its own. But many slow downloads at the same time could add up to more memory
# than there is.

MOST = 100_000_000  # bytes


class DownloadBudget:
    """One memory limit for all unfinished bodies.

    Above the limit, the largest of them is aborted. Downloads do not wait for each other, so there is no
    deadlock. The limit is larger than any single body, so a single download is never aborted.
    """

    def __init__(self, max_bytes: int) -> None:
        self._most = max(MOST, 2 * max_bytes)  # decoders take up to 48 MB besides the body
        self._held: dict[Connection, int] = {}
        self.total = 0

    def hold(self, receiver: Connection, size: int) -> None:
        """Record how many bytes a connection holds; abort the largest download if the limit is exceeded."""
        self.total += size - self._held.get(receiver, 0)
        self._held[receiver] = size
        if self.total > self._most:
            largest = max(self._held, key=self._held.__getitem__)
            largest.give_up(
                f"took too long (with {self._held[largest]:,} bytes it was the largest of the unfinished "
                f"downloads when these exceeded the memory limit, with {self.total:,} in all)"
            )

    def let_go(self, receiver: Connection) -> None:
        """Record that a connection holds no bytes any more."""
        self.total -= self._held.pop(receiver, 0)


MAX_INTERIM = 20  # interim responses, such as 103, before the final one


@dataclass(slots=True)
class Answer:
    """A response, complete or cut at the size limit."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    truncated: bool
    peer: str  # the address that answered


class Connection(asyncio.Protocol):
    """A connection that carries out one exchange after another.

    An exchange has no timer of its own. The pool calls `check` on all connections at regular intervals.
    """

    def __init__(
        self, on_lost: Callable[[Connection], None], receiving: DownloadBudget, key: tuple[str, str, int]
    ) -> None:
        self.key = key  # scheme, host and port
        self._on_lost = on_lost
        self._receiving = receiving
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[Answer] | None = None
        self._is_reused = False
        self.peer = ""
        self.is_open = False
        self.idle_since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peername = transport.get_extra_info("peername")
        self.peer = peername[0] if peername else ""
        self.is_open = True

    def ask(self, request: bytes, max_bytes: int, begun: float) -> asyncio.Future[Answer]:
        """Send a request; the future gets the response, or a `FetchError`."""
        answer: asyncio.Future[Answer] = self._loop.create_future()
        self._answer = answer
        self._max_bytes = max_bytes
        self._begun = begun
        self._heard_at = self._loop.time()
        self._first_heard_at = 0.0
        self._received = 0
        self._interim = 0
        self._head: Head | None = None
        self._pending = bytearray()  # an incomplete head
        if self.is_open:
            self._transport.write(request)
        else:
            self._fail(StaleConnection())
        return answer

    def data_received(self, data: bytes) -> None:
        if self._answer is None:
            self.drop()  # there was no request
            return
        self._heard_at = self._loop.time()
        if not self._received:
            self._first_heard_at = self._heard_at
        self._received += len(data)
        try:
            self._take(data)
        except Exception as error:  # any exception must reach the future
            self._fail(error)

    def _take(self, data: bytes) -> None:
        if self._head is None:
            data = self._read_head(data)
            if self._head is None:
                return
        framing, body = self._framing, self._body
        if data and not framing.done:
            body.add(framing.feed(data))
        elif data:
            framing.excess = True
        if framing.done or body.is_full:
            self._finish(framing.done and not framing.excess and self._head.lasts and not body.is_full)
        else:
            self._receiving.hold(self, body.held)

    def _read_head(self, data: bytes) -> bytes:
        """Read the head as soon as it is complete; return the bytes after it."""
        searched = max(len(self._pending) - 3, 0)
        if self._pending:
            self._pending += data
            data = bytes(self._pending) if b"\n" in data else data
        while (end := HEAD_END.search(data, searched)) is not None and end.start() <= MAX_HEAD:
            head, data, searched = read_head(data[: end.start()]), data[end.end() :], 0
            self._pending.clear()
            if not head.is_interim:
                self._begin_body(head)
                return data
            self._interim += 1
            if self._interim > MAX_INTERIM:
                raise not_http(f"more than {MAX_INTERIM} interim responses")
        if not self._pending:
            self._pending += data
        if len(self._pending) > MAX_HEAD:
            raise not_http(f"headers of more than {MAX_HEAD:,} bytes")
        return b""

    def _begin_body(self, head: Head) -> None:
        if head.status == 101:
            raise not_http("an upgrade that was not requested")
        self._head = head
        self._framing: Framing = framing_of(head)
        limit = worth_keeping(head.fields.get("content-type", ""), self._max_bytes)
        self._body = Body(head.fields.get("content-encoding", ""), limit)

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        self._on_lost(self)
        if self._answer is None:
            return
        if not self._received and self._is_reused:
            self._fail(StaleConnection())
        elif self._head is not None and isinstance(self._framing, UntilCloseBody) and error is None:
            try:
                self._finish(keep=False)
            except Exception as broken:  # see `data_received`
                self._fail(broken)
        else:
            why = str(error) if error else "the response is incomplete" if self._received else "no response"
            self._fail(FetchError(Failure.DISCONNECTED, why))

    def check(self, now: float, limits: FetchSettings) -> None:
        """Abort the exchange if it takes too long."""
        if self._answer is None:
            return
        if now - self._begun > limits.total_timeout:
            self.give_up(f"took too long (no complete response in {limits.total_timeout:g} s)")
        elif now - self._heard_at > limits.read_timeout:
            self.give_up(f"took too long (silent for {limits.read_timeout:g} s)")
        elif self._first_heard_at:
            listened = now - self._first_heard_at
            if listened > limits.read_timeout and self._received < limits.min_bytes_per_second * listened:
                self.give_up(f"took too long ({self._received / listened:.0f} bytes a second)")

    def give_up(self, why: str) -> None:
        """Abort the exchange because of a limit of time or memory; it may be tried again."""
        self._fail(FetchError(Failure.TIMEOUT, why))

    def drop(self) -> None:
        """Close the connection at once, even during an exchange."""
        if self.is_open:
            self.is_open = False
            self._transport.abort()

    def _finish(self, keep: bool) -> None:
        assert self._head is not None
        body = self._body
        answer = Answer(self._head.status, self._head.headers, body.content(), body.is_full, self.peer)
        del self._body  # a kept connection must not keep this response in memory
        waiting = self._end()
        self._is_reused = True
        if not keep:
            self.drop()
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def _fail(self, error: Exception) -> None:
        waiting = self._end()
        self.drop()
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)

    def _end(self) -> asyncio.Future[Answer] | None:
        """End the exchange; return the future that waits for it."""
        self._receiving.let_go(self)
        waiting, self._answer = self._answer, None
        return waiting
