"""What did the server mean by these bytes? Undoes transfer and content encodings of stored answers.

Archives are not consistent: some keep the header and store the body decoded. So bytes that are not what the
header says are left as they are, and a compressed body that was cut gives what can be read of it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator

BODY_LIMIT = 64 << 20  # a few kilobytes of archive must not become gigabytes in memory
PIECE = 16 << 10

_CHUNK_SIZE = re.compile(rb"\s*([0-9a-fA-F]{1,15})[^\r\n]*\r?\n")


def unchunk(body: bytes) -> bytes:
    """The body without the framing of `Transfer-Encoding: chunked`."""
    pieces: list[bytes] = []
    position = 0
    while line := _CHUNK_SIZE.match(body, position):
        size = int(line[1], 16)
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[line.end() : line.end() + size])
        position = line.end() + size
    complete = position >= len(body) and bool(pieces)
    return b"".join(pieces) if complete else body


def decode_content(body: bytes, encodings: str, limit: int = BODY_LIMIT) -> tuple[bytes, bool]:
    """The body without its content encodings, and whether it was cut at the limit."""
    cut = False
    for name in reversed(encodings.lower().split(",")):
        decoder = _DECODERS.get(name.strip())
        if decoder is not None and body:
            decoded = _up_to(decoder(body), limit + 1)
            cut = cut or len(decoded) > limit
            body = decoded[:limit] or body
    return body, cut


def _up_to(pieces: Iterator[bytes], limit: int) -> bytes:
    kept = bytearray()
    for piece in pieces:
        kept += piece
        if len(kept) >= limit:
            break
    return bytes(kept)


def _inflate(body: bytes, window: int) -> Iterator[bytes]:
    decoder = zlib.decompressobj(window)
    rest = body
    try:
        while rest and not decoder.eof:
            yield decoder.decompress(rest, PIECE)
            rest = decoder.unconsumed_tail
        yield decoder.flush()
    except zlib.error:
        return
    # a gzip body may consist of several members
    if decoder.unused_data[:2] == b"\x1f\x8b":
        yield from _inflate(decoder.unused_data, window)


def _gzip(body: bytes) -> Iterator[bytes]:
    return _inflate(body, 31)


def _deflate(body: bytes) -> Iterator[bytes]:
    # RFC 9110 asks for the zlib format; servers that send it raw are common
    has_zlib_header = len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return _inflate(body, 15 if has_zlib_header else -15)


def _brotli(body: bytes) -> Iterator[bytes]:
    import brotli

    decoder = brotli.Decompressor()
    try:
        for start in range(0, len(body), PIECE):
            yield decoder.process(body[start : start + PIECE])
    except brotli.error:
        return


def _zstandard(body: bytes) -> Iterator[bytes]:
    import zstandard

    with zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True) as reader:
        try:
            while piece := reader.read(PIECE):
                yield piece
        except zstandard.ZstdError:
            return


_DECODERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstandard,
}
