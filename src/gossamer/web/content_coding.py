"""Decode gzip, brotli, zstd and deflate bodies within size limits.

A few kilobytes of gzip or brotli can expand to gigabytes. So each decoder has a limit for its output and gets
its input in small pieces. This bounds memory and avoids repeated copies.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import brotli
import zstandard

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
MAX_MEMBERS = 10_000  # many empty members cost time and never reach the size limit
PIECE = 4_096  # bytes decoded at a time, and the most that are lost before an error in the stream
LARGEST_WINDOW = 8 << 20  # bytes; limit of zstd on the web (RFC 9659, section 3)
MAX_CODINGS = 3  # applied to one body; no honest server uses more, and each may take megabytes for its window
_GZIP_WBITS = 16 + zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"


class BadEncoding(ValueError):
    """The compressed body is invalid."""


class _Decoder(ABC):
    """A streaming decoder of one content coding."""

    piece: ClassVar[int] = PIECE
    window: ClassVar[int] = 1 << 15  # bytes of past output that it keeps

    def __init__(self) -> None:
        self._given = 0

    @property
    def held(self) -> int:
        """Bytes of memory that its window takes; a window grows as it fills."""
        return min(self._given, self.window)

    def feed(self, data: bytes, room: int) -> bytes:
        """Decode the next bytes, up to about `room` bytes of output, and stop there."""
        decoded = bytearray()
        for start in range(0, len(data), self.piece):
            if len(decoded) >= room:
                break
            decoded += self._decode(data[start : start + self.piece], room - len(decoded))
        self._given += len(decoded)
        return bytes(decoded)

    @abstractmethod
    def _decode(self, data: bytes, room: int) -> bytes:
        """Decode a small piece."""

    @abstractmethod
    def is_complete(self) -> bool:
        """Return whether the compressed stream has reached its end, or has not begun."""


class _Members(_Decoder):
    """A coding with one or more concatenated streams ("members"). Data after the last is ignored padding."""

    magics: ClassVar[tuple[bytes, ...]] = ()

    def __init__(self) -> None:
        super().__init__()
        self._stream: Any = None  # the open member
        self._begun = b""  # bytes that may be the start of the next member
        self._members = 0
        self._ended = False

    def _decode(self, data: bytes, room: int) -> bytes:
        decoded = bytearray()
        while data and not self._ended and len(decoded) < room:
            if self._stream is None:
                data = self._begun + data
                self._begun = b""
                if not self._begin(data):
                    break
            decoded += self._decompress(data, room - len(decoded))
            data = b""
            if self._stream.eof:
                data, self._stream = self._stream.unused_data, None
        return bytes(decoded)

    def _begin(self, data: bytes) -> bool:
        """Open the next member if the data begin with one. The first is opened without this check."""
        if self._members and not data.startswith(self.magics):
            if any(magic.startswith(data) for magic in self.magics):
                self._begun = data
            else:
                self._ended = True
            return False
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise BadEncoding(f"the compressed body has more than {MAX_MEMBERS:,} members")
        self._stream = self._opened()
        return True

    @abstractmethod
    def _opened(self) -> Any:
        """Return a decompressor for one member."""

    def _decompress(self, data: bytes, room: int) -> bytes:
        """Decode data with the open member."""
        decoded: bytes = self._stream.decompress(data, room)
        return decoded

    def is_complete(self) -> bool:
        return self._stream is None


class _Gzip(_Members):
    magics = (_GZIP_MAGIC,)

    def _opened(self) -> Any:
        return zlib.decompressobj(_GZIP_WBITS)


class _Zstd(_Members):
    # The library cannot limit its output. But a block takes at least four bytes and gives at most 128 KB, so
    # a piece of 128 bytes gives at most 4 MB.
    piece = 128
    window = LARGEST_WINDOW
    # A data frame or a skippable frame (RFC 8878, section 3.1).
    magics = (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + kind, 0x2A, 0x4D, 0x18]) for kind in range(16)))

    def _opened(self) -> Any:
        return zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).decompressobj()

    def _decompress(self, data: bytes, room: int) -> bytes:
        decoded: bytes = self._stream.decompress(data)
        return decoded


class _Deflate(_Decoder):
    """Deflate, with or without a zlib header: servers use either (RFC 1950, RFC 1951)."""

    def __init__(self) -> None:
        super().__init__()
        self._head = b""  # the first bytes, until the header is recognised
        self._stream: Any = None

    def _decode(self, data: bytes, room: int) -> bytes:
        if self._stream is None:
            data = self._head = self._head + data
            if len(data) < 2:
                return b""
            # A stream without a header never has these bytes: a stored block whose padding is not zero.
            has_header = data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0
            self._stream = zlib.decompressobj(zlib.MAX_WBITS if has_header else -zlib.MAX_WBITS)
        decoded: bytes = b"" if self._stream.eof else self._stream.decompress(data, room)
        return decoded

    def is_complete(self) -> bool:
        return bool(self._stream.eof) if self._stream else not self._head


class _Brotli(_Decoder):
    window = 1 << 24  # RFC 7932, section 9.1

    def __init__(self) -> None:
        super().__init__()
        self._stream: Any = brotli.Decompressor()
        self._fed = False

    def _decode(self, data: bytes, room: int) -> bytes:
        if self._stream.is_finished():
            return b""
        self._fed = True
        decoded = bytearray(self._stream.process(data, output_buffer_limit=room))
        while len(decoded) < room and not self._stream.can_accept_more_data():
            more = self._stream.process(b"", output_buffer_limit=room - len(decoded))
            if not more:
                break
            decoded += more
        return bytes(decoded)

    def is_complete(self) -> bool:
        return bool(self._stream.is_finished()) or not self._fed


_DECODERS: dict[str, type[_Decoder]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}


def known_codings(content_encoding: str) -> list[str]:
    """Return the codings in the order of decoding; unknown names are ignored, as in browsers.

    >>> known_codings("X-GZip, identity, br")
    ['br', 'x-gzip']
    """
    names = (name.strip().lower() for name in reversed(content_encoding.split(",")))
    return [name for name in names if name in _DECODERS]


class Body:
    """A body that is decoded in pieces, up to a size limit. Raises `BadEncoding` for too many codings."""

    def __init__(self, content_encoding: str, max_bytes: int) -> None:
        self._codings = known_codings(content_encoding)
        if len(self._codings) > MAX_CODINGS:
            raise BadEncoding(f"the body has {len(self._codings):,} codings, more than {MAX_CODINGS}")
        self._decoders: list[_Decoder] = []  # made when there is something to decode
        self._max_bytes = max_bytes
        self._raw = 0
        self._decoded: list[bytes] = []
        self._length = 0
        self.is_full = False  # the compressed or the decoded body is larger than the limit

    def add(self, data: bytes) -> None:
        """Add the next piece from the server; raise `BadEncoding` if it cannot be decoded."""
        self._raw += len(data)
        if self._codings and not self._decoders:
            self._decoders = [_DECODERS[name]() for name in self._codings]
        step = PIECE if self._decoders else max(len(data), 1)
        for start in range(0, len(data), step):
            if self.is_full:
                return
            self._add_piece(data[start : start + step])
        self.is_full |= self._raw > self._max_bytes

    def _add_piece(self, data: bytes) -> None:
        room = self._max_bytes + 1 - self._length
        try:
            for decoder in self._decoders:
                data = decoder.feed(data, room)
                self.is_full |= len(data) >= room
        except (zlib.error, brotli.error, zstandard.ZstdError) as error:
            raise BadEncoding(f"the compressed body is invalid ({error})") from error
        self._decoded.append(data[:room])
        self._length += len(self._decoded[-1])
        self.is_full |= self._length > self._max_bytes

    @property
    def held(self) -> int:
        """Bytes of memory that the body takes, including the windows of the decoders."""
        return self._length + sum([decoder.held for decoder in self._decoders])

    def so_far(self) -> bytes:
        """Return the bytes decoded so far, even if the compressed stream is incomplete."""
        # Most bodies are one piece, and joining one piece copies nothing.
        return b"".join(self._decoded)[: self._max_bytes]

    def content(self) -> bytes:
        """Return the decoded bytes; raise `BadEncoding` if the compressed stream is incomplete."""
        if not self.is_full and not all(decoder.is_complete() for decoder in self._decoders):
            raise BadEncoding("the compressed body ends too early")
        return self.so_far()


def decode(pieces: Iterable[bytes], content_encoding: str, max_bytes: int) -> tuple[bytes, bool]:
    """Decode a body that has arrived completely; return it, and whether it was truncated."""
    body = Body(content_encoding, max_bytes)
    for piece in pieces:
        body.add(piece)
        if body.is_full:
            break
    return body.content(), body.is_full
