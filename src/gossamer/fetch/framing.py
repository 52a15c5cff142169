"""Where does the body of an answer end? (RFC 9112, section 6)

A framing takes what comes from the socket and gives back what belongs to the body. `done` says that the
body is whole, `excess` that more came than belongs to it.
"""

from __future__ import annotations

import re
from typing import Protocol

from gossamer.fetch.head import Head
from gossamer.fetch.trouble import not_http

MAX_LINE = 4_096  # bytes of a chunk's size with its extensions, or of a trailer
MAX_TRAILERS = 100  # lines
SMALL_CHUNKS = 10_000  # so many, and chunks must hold more than a few bytes each
LEAST_CHUNK = 16  # bytes that chunks hold in the mean: less only serves to keep a reader busy

_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)


class Framing(Protocol):
    """Tells a body from what follows it."""

    done: bool
    excess: bool
    until_close: bool  # whether the end of the connection ends the body

    def feed(self, data: bytes) -> bytes:
        """The part of these bytes that belongs to the body; `Trouble` when they break the rules."""


class Counted:
    """A body whose length was told before."""

    until_close = False

    def __init__(self, length: int) -> None:
        self._left = length
        self.done = length == 0
        self.excess = False

    def feed(self, data: bytes) -> bytes:
        if len(data) > self._left:
            self.excess = True
            data = data[: self._left]
        self._left -= len(data)
        self.done = self._left == 0
        return data


class UntilClose:
    """A body that ends when the server hangs up."""

    until_close = True

    def __init__(self) -> None:
        self.done = False
        self.excess = False

    def feed(self, data: bytes) -> bytes:
        return data


class Chunked:
    """A body in chunks, each after a line with its size; an empty chunk and trailers end it."""

    until_close = False

    def __init__(self) -> None:
        self.done = False
        self.excess = False
        self._rest = b""  # the beginning of a line
        self._left = 0  # bytes of the open chunk that are still to come
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
            raise not_http("a line between chunks that does not end")
        self.excess = self.done and place < len(data)
        return b"".join(pieces)

    def _size_line(self, line: bytes) -> None:
        size = _SIZE.fullmatch(line)
        if size is None:
            raise not_http(f"a chunk of size {line[:20]!r}")
        self._left = int(size[1], 16)
        self._chunks += 1
        self._taken += self._left
        if self._chunks > SMALL_CHUNKS and self._taken < LEAST_CHUNK * self._chunks:
            raise not_http(f"{self._chunks:,} chunks of almost nothing")
        self._read_line = self._end_of_chunk if self._left else self._trailer_line

    def _end_of_chunk(self, line: bytes) -> None:
        if line:
            raise not_http("a chunk longer than its size")
        self._read_line = self._size_line

    def _trailer_line(self, line: bytes) -> None:
        self.done = not line
        self._trailers += 1
        if self._trailers > MAX_TRAILERS:
            raise not_http(f"more than {MAX_TRAILERS} trailers")


def framing_of(head: Head) -> Framing:
    """How the body after this head ends; `Trouble` when the head contradicts itself."""
    if head.status in {204, 304}:
        return Counted(0)
    transfer = head.fields.get("transfer-encoding", "").strip().lower()
    if transfer and transfer != "identity":
        if transfer != "chunked":
            raise not_http(f"the transfer encoding {transfer[:40]!r}")
        return Chunked()
    length = head.fields.get("content-length")
    if length is None:
        return UntilClose()
    if not length.isdigit():
        length = _agreed(length)
    if not (length.isascii() and len(length) < 16):
        raise not_http(f"a length of {length[:20]!r}")
    return Counted(int(length))


def _agreed(lengths: str) -> str:
    """The length that was told several times over, if it was always the same."""
    told = {length.strip() for length in lengths.split(",")}
    length = told.pop()
    if told or not length.isdigit():
        raise not_http(f"a length of {lengths[:40]!r}")
    return length
