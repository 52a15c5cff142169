"""How does an answer become a WARC record, and a record an answer again?

One HTTP response a record, as ISO 28500 (WARC 1.1) has it. The body is stored decoded, so the head that goes
with it is rebuilt: no content or transfer encoding, and a true length.
"""

from __future__ import annotations

import re
from base64 import b32encode
from datetime import UTC, datetime
from hashlib import sha1
from http import HTTPStatus
from os import urandom
from typing import Any, Protocol
from warnings import catch_warnings, simplefilter

from gossamer.model import FetchResult, Url
from gossamer.store.encoding import decode_content, unchunk

# fastwarc warns, when imported, of old names that it defines itself and nobody here uses
with catch_warnings():
    simplefilter("ignore", DeprecationWarning)
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

__all__ = [
    "ArchiveIterator",
    "BadRecord",
    "WarcRecord",
    "WarcRecordType",
    "block_of",
    "fields_of",
    "info_record",
    "response_record",
    "result_of",
]

Headers = tuple[tuple[str, str], ...]


class Fields(Protocol):
    """The header of a WARC record: a dictionary, or fastwarc's own."""

    def get(self, name: str, /) -> Any: ...

    def __contains__(self, name: str, /) -> bool: ...


NOT_TRUE_OF_A_DECODED_BODY = frozenset({"content-encoding", "transfer-encoding", "content-length"})

_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?\s+(\d{3})(?!\d)")


class BadRecord(Exception):
    """A record that holds no HTTP answer, or not all of it; the text says why."""


def response_record(result: FetchResult) -> bytes:
    """The answer as an uncompressed WARC record."""
    head = http_head(result)
    address = f"WARC-IP-Address: {result.address}\r\n" if result.address else ""
    truncated = "WARC-Truncated: length\r\n" if result.truncated else ""
    fields = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: {_record_id()}\r\n"
        f"WARC-Target-URI: {result.url.text}\r\nWARC-Date: {warc_date(result.fetched_at)}\r\n"
        "Content-Type: application/http;msgtype=response\r\n"
        f"WARC-Payload-Digest: {payload_digest(result.body)}\r\n{address}{truncated}"
        f"Content-Length: {len(head) + len(result.body)}\r\n\r\n"
    )
    return b"".join([_encoded(fields), head, result.body, b"\r\n\r\n"])


def info_record(file: str, now: float) -> bytes:
    """The warcinfo record that opens a file."""
    block = b"software: Gossamer\r\nformat: WARC File Format 1.1\r\n"
    fields = (
        f"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: {_record_id()}\r\n"
        f"WARC-Date: {warc_date(now)}\r\nWARC-Filename: {file}\r\n"
        f"Content-Type: application/warc-fields\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return b"".join([_encoded(fields), block, b"\r\n\r\n"])


def _record_id() -> str:
    """A random UUID (RFC 9562, version 4); the standard library takes four times as long over one."""
    digits = urandom(16).hex()
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}>"


def fields_of(record: bytes) -> tuple[dict[str, str], bytes]:
    """The header fields of a record that was written here, by their names, and its block."""
    head, found, rest = record.partition(b"\r\n\r\n")
    if not found or not head.startswith(b"WARC/1.1\r\n") or not rest.endswith(b"\r\n\r\n"):
        raise BadRecord("no record")
    pairs = (line.partition(": ") for line in _decoded(head).split("\r\n")[1:])
    fields = {name: value for name, _, value in pairs}
    block = rest[:-4]
    if fields.get("Content-Length") != str(len(block)):
        raise BadRecord(f"a record of {fields.get('Content-Length')} bytes ends after {len(block)}")
    return fields, block


def http_head(result: FetchResult) -> bytes:
    """Status line and headers as they fit the decoded body."""
    status, length = result.status, len(result.body)
    headers = [
        f"{name}: {value}\r\n"
        for name, value in result.headers
        if name.lower() not in NOT_TRUE_OF_A_DECODED_BODY
    ]
    lines = "".join(headers)
    if lines.count("\r") + lines.count("\n") + lines.count("\0") > 2 * len(headers):
        lines = "".join([f"{_one_line(header)}\r\n" for header in headers])
    phrase = _PHRASES.get(status, "Unknown")
    return _encoded(f"HTTP/1.1 {status:03d} {phrase}\r\n{lines}Content-Length: {length}\r\n\r\n")


def _one_line(text: str) -> str:
    return text.replace("\r", " ").replace("\n", " ").replace("\0", "").strip()


def _encoded(text: str) -> bytes:
    # a client that met bytes which are no UTF-8 hands them over as surrogates: they go out as they came
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _decoded(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def payload_digest(body: bytes) -> str:
    """The digest as WARC tools write it."""
    return "sha1:" + b32encode(sha1(body, usedforsecurity=False).digest()).decode()


def warc_date(when: float) -> str:
    """As W3C has it, in microseconds."""
    return datetime.fromtimestamp(when, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def seconds_of(date: str) -> float:
    """Seconds since 1970; 0 for a date that cannot be read."""
    try:
        moment = datetime.fromisoformat(date.strip())
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def block_of(record: WarcRecord) -> bytes:
    """The whole content of a record; `BadRecord` when its end is missing."""
    promised = record.headers.get("Content-Length")
    if promised is None:
        raise BadRecord("a record without Content-Length")
    block = bytes(record.reader.read())
    if str(len(block)) != promised.strip():
        raise BadRecord(f"a record of {promised} bytes ends after {len(block)}")
    return block


def result_of(fields: Fields, block: bytes, url: Url) -> FetchResult:
    """The answer in a response record, its body decoded; `BadRecord` when it is not HTTP."""
    status, headers, body = parse_http(block)
    encodings = {name.lower(): value for name, value in headers}
    if "chunked" in encodings.get("transfer-encoding", "").lower():
        body = unchunk(body)
    body, cut = decode_content(body, encodings.get("content-encoding", ""))
    return FetchResult(
        url=url,
        fetched_at=seconds_of(fields.get("WARC-Date") or ""),
        status=status,
        headers=tuple(pair for pair in headers if pair[0].lower() not in NOT_TRUE_OF_A_DECODED_BODY),
        body=body,
        truncated=cut or "WARC-Truncated" in fields,
        address=fields.get("WARC-IP-Address") or "",
    )


def parse_http(block: bytes) -> tuple[int, Headers, bytes]:
    """Status, headers and body of a response, tolerant of bare line feeds and folded headers."""
    status = _STATUS_LINE.match(block)
    if status is None:
        raise BadRecord("no HTTP status line")
    end = _END_OF_HEAD.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    headers: list[tuple[str, list[str]]] = []  # the lines of each value are joined once: they may be many
    for line in head.replace(b"\r\n", b"\n").split(b"\n")[1:]:
        name, colon, value = line.partition(b":")
        if line[:1] in (b" ", b"\t") and headers:
            headers[-1][1].append(_decoded(line.strip()))
        elif colon:
            headers.append((_decoded(name.strip()), [_decoded(value.strip())]))
    return int(status[1]), tuple((name, " ".join(lines)) for name, lines in headers), body
