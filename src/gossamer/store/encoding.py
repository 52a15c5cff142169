"""What did the server mean by these bytes? Undoes transfer and content encodings of stored answers.

Archives are not consistent: some keep the header and store the body decoded. So bytes that are not what the
header says are left as they are, and a compressed body that was cut gives what can be read of it.
"""

from __future__ import annotations

import re
from contextlib import suppress

from gossamer.web.coding import BadEncoding, Body, known_codings

BODY_LIMIT = 64 << 20  # a few kilobytes of archive must not become gigabytes in memory

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
    for name in known_codings(encodings):
        undone = Body(name, limit)
        with suppress(BadEncoding):
            undone.add(body)
        if decoded := undone.so_far():
            body, cut = decoded, cut or undone.is_full
    return body, cut
