"""What does the body say once its content encoding is undone, without ever holding more than the limit?

A few kilobytes of gzip can stand for gigabytes; every decoder here is told how much it may give.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, Protocol

import brotli

ACCEPT_ENCODING = "gzip, deflate, br"
MAX_MEMBERS = 1_000  # a gzip body of many empty members costs time and never reaches the size limit

_GZIP_WBITS = 16 + zlib.MAX_WBITS


class BadEncoding(ValueError):
    """The compression of the body is broken."""


class Decoder(Protocol):
    """One content encoding on its way to being undone."""

    def feed(self, data: bytes, room: int) -> bytes:
        """What the next bytes stand for, cut at about `room`; a full answer ends the decoding."""

    def is_complete(self) -> bool:
        """Whether the compressed stream has ended as it should."""


class _Zlib:
    """gzip (also in several members) and deflate, the latter with or without the zlib header."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._stream = zlib.decompressobj(wbits)
        self._fed = False
        self._members = 1

    def feed(self, data: bytes, room: int) -> bytes:
        parts: list[bytes] = []
        while data and room > 0:
            part = self._decompress(data, room)
            parts.append(part)
            room -= len(part)
            data = self._stream.unused_data if self._stream.eof else b""
            if self._wbits != _GZIP_WBITS or not data.startswith(b"\x1f\x8b"):
                break  # what follows the last member is padding that browsers pass over, too
            self._next_member()
        return b"".join(parts)

    def _next_member(self) -> None:
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise BadEncoding(f"the compressed body has more than {MAX_MEMBERS:,} members")
        self._stream = zlib.decompressobj(self._wbits)

    def _decompress(self, data: bytes, room: int) -> bytes:
        try:
            part = self._stream.decompress(data, room)
        except zlib.error:
            if self._fed or self._wbits != zlib.MAX_WBITS:
                raise
            # Servers disagree over what deflate means: zlib (RFC 1950), or the bare stream (RFC 1951).
            self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
            part = self._stream.decompress(data, room)
        self._fed = True
        return part

    def is_complete(self) -> bool:
        return self._stream.eof or not self._fed


class _Brotli:
    def __init__(self) -> None:
        self._stream: Any = brotli.Decompressor()
        self._fed = False

    def feed(self, data: bytes, room: int) -> bytes:
        if self._stream.is_finished():
            return b""
        self._fed = True
        decoded = bytearray(self._stream.process(data, output_buffer_limit=room))
        while len(decoded) < room and not self._stream.can_accept_more_data():
            more = self._stream.process(b"", output_buffer_limit=room)
            if not more:
                break
            decoded += more
        return bytes(decoded)

    def is_complete(self) -> bool:
        return bool(self._stream.is_finished()) or not self._fed


class Body:
    """A body that grows as its pieces come in, decoded and limited."""

    def __init__(self, content_encoding: str, max_bytes: int) -> None:
        self._decoders = _decoders(content_encoding)
        self._max_bytes = max_bytes
        self._raw = 0
        self._decoded = bytearray()
        self.is_full = False  # more came, compressed or decoded, than may be kept

    def add(self, data: bytes) -> None:
        """Takes the next piece as it came from the server; `BadEncoding` when it cannot be decoded."""
        self._raw += len(data)
        room = self._max_bytes + 1 - len(self._decoded)
        try:
            for decoder in self._decoders:
                data = decoder.feed(data, room)
                self.is_full |= len(data) >= room
        except (zlib.error, brotli.error) as error:
            raise BadEncoding(f"the compressed body is broken ({error})") from error
        self._decoded += data[:room]
        self.is_full |= max(self._raw, len(self._decoded)) > self._max_bytes

    def content(self) -> bytes:
        """The decoded bytes; `BadEncoding` when the compressed stream was not at its end."""
        if not self.is_full and not all(decoder.is_complete() for decoder in self._decoders):
            raise BadEncoding("the compressed body ends too early")
        return bytes(self._decoded[: self._max_bytes])


def _decoders(content_encoding: str) -> list[Decoder]:
    """The decoders in the order they must be applied; names nobody knows are passed over, as browsers do."""
    names = [name.strip().lower() for name in content_encoding.split(",")]
    found = (_decoder(name) for name in reversed(names))
    return [decoder for decoder in found if decoder is not None]


def _decoder(name: str) -> Decoder | None:
    match name:
        case "gzip" | "x-gzip":
            return _Zlib(_GZIP_WBITS)
        case "deflate":
            return _Zlib(zlib.MAX_WBITS)
        case "br":
            return _Brotli()
        case _:
            return None


def decode(pieces: Iterable[bytes], content_encoding: str, max_bytes: int) -> tuple[bytes, bool]:
    """The decoded body of pieces that are all there, and whether it was cut."""
    body = Body(content_encoding, max_bytes)
    for piece in pieces:
        body.add(piece)
        if body.is_full:
            break
    return body.content(), body.is_full
