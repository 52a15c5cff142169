"""Decode gzip, brotli, zstd, deflate bodies within size limits.

A few kilobytes of gzip or brotli can stand for gigabytes; every decoder here is told how much it may give,
and gets its input in small pieces, so that nothing grows and nothing is copied again and again.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar

import brotli
import zstandard

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
MAX_MEMBERS = 10_000  # a body of many empty members costs time and never reaches the size limit
PIECE = 4_096  # bytes decoded at a time: so much is lost, at most, before the place where a stream breaks
LARGEST_WINDOW = 8 << 20  # of zstd on the web: RFC 9659, section 3
MAX_CODINGS = 3  # one upon the other: nobody means more, and each may look back over megabytes
_GZIP_WBITS = 16 + zlib.MAX_WBITS
_GZIP_MAGIC = b"\x1f\x8b"


class BadEncoding(ValueError):
    """The compression of the body is broken."""


class _Decoder(ABC):
    """One content coding on its way to being undone."""

    piece: ClassVar[int] = PIECE
    window: ClassVar[int] = 1 << 15  # bytes that it may have to look back over

    def __init__(self) -> None:
        self._given = 0

    @property
    def held(self) -> int:
        """Bytes that it keeps to look back over; a window is taken as it fills."""
        return min(self._given, self.window)

    def feed(self, data: bytes, room: int) -> bytes:
        """What the next bytes stand for, cut at about `room`; a full answer ends the decoding."""
        decoded = bytearray()
        for start in range(0, len(data), self.piece):
            if len(decoded) >= room:
                break
            decoded += self._undone(data[start : start + self.piece], room - len(decoded))
        self._given += len(decoded)
        return bytes(decoded)

    @abstractmethod
    def _undone(self, data: bytes, room: int) -> bytes:
        """What a small piece stands for."""

    @abstractmethod
    def is_complete(self) -> bool:
        """Whether the compressed stream has ended as it should; one that never began has."""


class _Members(_Decoder):
    """A coding whose streams may follow one another; what follows the last is padding, as for browsers."""

    magics: ClassVar[tuple[bytes, ...]] = ()

    def __init__(self) -> None:
        super().__init__()
        self._stream: Any = None  # the open member
        self._begun = b""  # bytes that may be the beginning of the next one
        self._members = 0
        self._ended = False

    def _undone(self, data: bytes, room: int) -> bytes:
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
        """Opens the next member, if the data begin one; the very first is opened whatever it looks like."""
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
        """A decompressor for one member."""

    @abstractmethod
    def _decompress(self, data: bytes, room: int) -> bytes:
        """What the open member makes of the data."""

    def is_complete(self) -> bool:
        return self._stream is None


class _Gzip(_Members):
    magics = (_GZIP_MAGIC,)

    def _opened(self) -> Any:
        return zlib.decompressobj(_GZIP_WBITS)

    def _decompress(self, data: bytes, room: int) -> bytes:
        decoded: bytes = self._stream.decompress(data, room)
        return decoded


class _Zstd(_Members):
    # The library has no limit on what a piece becomes, but each block gives at most 128 KB and takes four
    # bytes: out of 128 bytes come no more than 4 MB.
    piece = 128
    window = LARGEST_WINDOW
    # A frame of data, or one to be skipped (RFC 8878, section 3.1).
    magics = (b"\x28\xb5\x2f\xfd", *(bytes([0x50 + kind, 0x2A, 0x4D, 0x18]) for kind in range(16)))

    def _opened(self) -> Any:
        return zstandard.ZstdDecompressor(max_window_size=LARGEST_WINDOW).decompressobj()

    def _decompress(self, data: bytes, room: int) -> bytes:
        decoded: bytes = self._stream.decompress(data)
        return decoded


class _Deflate(_Decoder):
    """Servers disagree over what deflate means: zlib (RFC 1950), or the bare stream (RFC 1951)."""

    def __init__(self) -> None:
        super().__init__()
        self._head = b""  # until it can be told which of the two it is
        self._stream: Any = None

    def _undone(self, data: bytes, room: int) -> bytes:
        if self._stream is None:
            data = self._head = self._head + data
            if len(data) < 2:
                return b""
            # Bare streams never look so: they would begin with a stored block and padding that is not zero.
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

    def _undone(self, data: bytes, room: int) -> bytes:
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
    """The codings in the order they must be undone; names nobody knows are passed over, as browsers do.

    >>> known_codings("X-GZip, identity, br")
    ['br', 'x-gzip']
    """
    names = (name.strip().lower() for name in reversed(content_encoding.split(",")))
    return [name for name in names if name in _DECODERS]


class Body:
    """A body that grows as its pieces come in, decoded and limited; `BadEncoding` if it has many codings."""

    def __init__(self, content_encoding: str, max_bytes: int) -> None:
        self._codings = known_codings(content_encoding)
        if len(self._codings) > MAX_CODINGS:
            raise BadEncoding(f"the body has {len(self._codings):,} codings, more than {MAX_CODINGS}")
        self._decoders: list[_Decoder] = []  # made when there is something to decode
        self._max_bytes = max_bytes
        self._raw = 0
        self._decoded: list[bytes] = []
        self._length = 0
        self.is_full = False  # more came, compressed or decoded, than may be kept

    def add(self, data: bytes) -> None:
        """Takes the next piece as it came from the server; `BadEncoding` when it cannot be decoded."""
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
            raise BadEncoding(f"the compressed body is broken ({error})") from error
        self._decoded.append(data[:room])
        self._length += len(self._decoded[-1])
        self.is_full |= self._length > self._max_bytes

    @property
    def held(self) -> int:
        """Bytes of memory that it takes, what the decoders look back over included."""
        return self._length + sum([decoder.held for decoder in self._decoders])

    def so_far(self) -> bytes:
        """What could be decoded, whether or not the compressed stream is whole."""
        # Joining one piece, as most bodies are, copies nothing.
        return b"".join(self._decoded)[: self._max_bytes]

    def content(self) -> bytes:
        """The decoded bytes; `BadEncoding` when the compressed stream was not at its end."""
        if not self.is_full and not all(decoder.is_complete() for decoder in self._decoders):
            raise BadEncoding("the compressed body ends too early")
        return self.so_far()


def decode(pieces: Iterable[bytes], content_encoding: str, max_bytes: int) -> tuple[bytes, bool]:
    """The decoded body of pieces that are all there, and whether it was cut."""
    body = Body(content_encoding, max_bytes)
    for piece in pieces:
        body.add(piece)
        if body.is_full:
            break
    return body.content(), body.is_full
