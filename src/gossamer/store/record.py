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
from typing import Any, Protocol
from uuid import uuid4
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

_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)?\s+(\d{3})(?!\d)")


class BadRecord(Exception):
    """A record that holds no HTTP answer, or not all of it; the text says why."""


def response_record(result: FetchResult) -> bytes:
    """The answer as an uncompressed WARC record."""
    fields = [
        f"WARC-Target-URI: {result.url.text}",
        f"WARC-Date: {warc_date(result.fetched_at)}",
        "Content-Type: application/http;msgtype=response",
        f"WARC-Payload-Digest: {payload_digest(result.body)}",
    ]
    if result.address:
        fields.append(f"WARC-IP-Address: {result.address}")
    if result.truncated:
        fields.append("WARC-Truncated: length")
    return _record("response", fields, http_head(result) + result.body)


def info_record(file: str, now: float) -> bytes:
    """The warcinfo record that opens a file."""
    fields = [
        f"WARC-Date: {warc_date(now)}",
        f"WARC-Filename: {file}",
        "Content-Type: application/warc-fields",
    ]
    return _record("warcinfo", fields, b"software: Gossamer\r\nformat: WARC File Format 1.1\r\n")


def _record(kind: str, fields: list[str], block: bytes) -> bytes:
    first = ["WARC/1.1", f"WARC-Type: {kind}", f"WARC-Record-ID: <urn:uuid:{uuid4()}>"]
    lines = [*first, *fields, f"Content-Length: {len(block)}", "", ""]
    return b"".join([_encoded("\r\n".join(lines)), block, b"\r\n\r\n"])


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
    lines = [f"HTTP/1.1 {result.status:03d} {_phrase(result.status)}"]
    for name, value in result.headers:
        if name.lower() not in NOT_TRUE_OF_A_DECODED_BODY:
            lines.append(f"{_one_line(name)}: {_one_line(value)}")
    lines.append(f"Content-Length: {len(result.body)}")
    return _encoded("\r\n".join(lines) + "\r\n\r\n")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


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
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


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
    headers: list[tuple[str, str]] = []
    for line in head.replace(b"\r\n", b"\n").split(b"\n")[1:]:
        name, colon, value = line.partition(b":")
        if line[:1] in (b" ", b"\t") and headers:
            headers[-1] = (headers[-1][0], f"{headers[-1][1]} {_decoded(line.strip())}")
        elif colon:
            headers.append((_decoded(name.strip()), _decoded(value.strip())))
    return int(status[1]), tuple(headers), body
