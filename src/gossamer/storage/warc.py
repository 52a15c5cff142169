"""WARC page store: write, read and recover responses.

Each record is a separate gzip member, so that one page can be read by its address: file, offset and length.
An address is valid after a crash only if the sizes that `sync` returned after it were committed. `recover`
cuts what a killed process wrote after that.
"""

from __future__ import annotations

import gzip
import re
import time
import zlib
from base64 import b32encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha1
from http import HTTPStatus
from os import urandom
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from warnings import catch_warnings, simplefilter

from isal import igzip_lib, isal_zlib
from isal.igzip_lib import IsalError

from gossamer.model import DamagedFile, FetchResult, Url, UsageError, WarcAddress
from gossamer.storage.files import AppendFile, cut
from gossamer.web.content_coding import BadEncoding, Body, known_codings
from gossamer.web.url import canonical

# Undo transfer and content encodings of archived responses
# ---------------------------------------------------------
#
# Some archives keep the encoding header but store the body decoded. So a body that is not encoded as
# its header says stays unchanged. Of a compressed body that was cut off, as much as possible is decoded.

BODY_LIMIT = 64 << 20  # bytes: limits the memory that a compressed body can fill
_CHUNK_SIZE = re.compile(rb"\s*([0-9a-fA-F]{1,15})[^\r\n]*\r?\n")


def unchunk(body: bytes) -> bytes:
    """Remove the framing of `Transfer-Encoding: chunked`. A body without it stays unchanged."""
    pieces: list[bytes] = []
    position = 0
    while line := _CHUNK_SIZE.match(body, position):
        size = int(line[1], 16)
        if size == 0:
            return b"".join(pieces)
        pieces.append(body[line.end() : line.end() + size])
        position = line.end() + size
    return b"".join(pieces) if pieces and position >= len(body) else body


def decode_content(body: bytes, encodings: str, limit: int = BODY_LIMIT) -> tuple[bytes, bool]:
    """Undo content encodings; also return whether the body was cut at the limit."""
    cut = False
    for name in known_codings(encodings):
        undone = Body(name, limit)
        with suppress(BadEncoding):
            undone.add(body)
        if decoded := undone.so_far():
            body, cut = decoded, cut or undone.is_full
    return body, cut


# Response to WARC record and back
# --------------------------------
#
# Each record holds one HTTP response, as in ISO 28500 (WARC 1.1). The body is stored decoded, so the
# HTTP head is rebuilt to match: without content and transfer encoding, and with the new length.


# When imported, fastwarc issues deprecation warnings about its own definitions.
with catch_warnings():
    simplefilter("ignore", DeprecationWarning)
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
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
    """A record without a complete HTTP response; the message says why."""


def response_record(result: FetchResult) -> bytes:
    """Return a response as an uncompressed WARC record."""
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
    """Return the warcinfo record with which a file begins."""
    block = b"software: Gossamer\r\nformat: WARC File Format 1.1\r\n"
    fields = (
        f"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: {_record_id()}\r\n"
        f"WARC-Date: {warc_date(now)}\r\nWARC-Filename: {file}\r\n"
        f"Content-Type: application/warc-fields\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return b"".join([_encoded(fields), block, b"\r\n\r\n"])


def _record_id() -> str:
    """Return a random UUID (RFC 9562, version 4), four times as fast as the standard library."""
    digits = urandom(16).hex()
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}>"


def fields_of(record: bytes) -> tuple[dict[str, str], bytes]:
    """Split a record that Gossamer wrote into its header fields and its block."""
    head, found, rest = record.partition(b"\r\n\r\n")
    if not found or not head.startswith(b"WARC/1.1\r\n") or not rest.endswith(b"\r\n\r\n"):
        raise BadRecord("there is no record")
    pairs = (line.partition(": ") for line in _decoded(head).split("\r\n")[1:])
    fields = {name: value for name, _, value in pairs}
    block = rest[:-4]
    if fields.get("Content-Length") != str(len(block)):
        raise BadRecord(f"the record has {len(block)} bytes instead of {fields.get('Content-Length')}")
    return fields, block


def http_head(result: FetchResult) -> bytes:
    """Return status line and headers to be stored with the decoded body."""
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
    # The HTTP client keeps bytes that are not UTF-8 as surrogate escapes: restore the original bytes.
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
    """Return the digest of a body in the form that WARC tools use."""
    return "sha1:" + b32encode(sha1(body, usedforsecurity=False).digest()).decode()


def warc_date(when: float) -> str:
    """Return a time in the ISO 8601 format of WARC, with microseconds."""
    return datetime.fromtimestamp(when, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def seconds_of(date: str) -> float:
    """Return a date as seconds since 1970; 0 if it is invalid."""
    try:
        moment = datetime.fromisoformat(date.strip())
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def block_of(record: WarcRecord) -> bytes:
    """Return the content of a record. Raises BadRecord if it is incomplete."""
    promised = record.headers.get("Content-Length")
    if promised is None:
        raise BadRecord("the record has no Content-Length")
    block = bytes(record.reader.read())
    if str(len(block)) != promised.strip():
        raise BadRecord(f"the record has {len(block)} bytes instead of {promised}")
    return block


def result_of(fields: Fields, block: bytes, url: Url) -> FetchResult:
    """Return the response in a record, with its body decoded. Raises BadRecord if it is not HTTP."""
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
    """Return status, headers and body of a response. Bare line feeds and folded headers are allowed."""
    status = _STATUS_LINE.match(block)
    if status is None:
        raise BadRecord("there is no HTTP status line")
    end = _END_OF_HEAD.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    headers: list[tuple[str, list[str]]] = []  # each value is a list of lines, joined at the end
    for line in head.replace(b"\r\n", b"\n").split(b"\n")[1:]:
        name, colon, value = line.partition(b":")
        if line[:1] in (b" ", b"\t") and headers:
            headers[-1][1].append(_decoded(line.strip()))
        elif colon:
            headers.append((_decoded(name.strip()), [_decoded(value.strip())]))
    return int(status[1]), tuple((name, " ".join(lines)) for name, lines in headers), body


SUFFIX = ".warc.gz"
COMPRESSION_LEVEL = 2  # of ISA-L: five times as fast as level 3 of zlib, files 5% larger
GZIP_WINDOW = 31
GZIP_MAGIC = b"\x1f\x8b\x08"
NOWHERE = -1  # offset of the last record when none was read yet


class WarcStore:
    """The WARC files of one folder.

    The first is `00000.warc.gz`. When a file has reached `max_file_bytes`, the next one is begun.
    """

    def __init__(self, directory: Path, max_file_bytes: int, durable: bool = False) -> None:
        self._directory = directory
        self._max_file_bytes = max_file_bytes
        self._durable = durable
        self._file: AppendFile | None = None
        self._changed: dict[str, int] = {}

    def append(self, result: FetchResult) -> WarcAddress:
        """Append a response to the store. It can be read at once; it survives a crash after a commit."""
        if not 100 <= result.status <= 999:
            raise ValueError(f"cannot store {result.url}: {result.status} is not an HTTP status")
        member = _member(response_record(result))
        file = self._writable()
        offset = file.append(member)
        self._changed[file.path.name] = file.size
        return WarcAddress(file.path.name, offset, len(member))

    def sync(self) -> dict[str, int]:
        """Return the size to commit of each changed file; flush them to disk if the store is durable."""
        if self._durable and self._file is not None and self._changed:
            self._file.sync()
        changed, self._changed = self._changed, {}
        return changed

    def recover(self, committed: Mapping[str, int]) -> None:
        """Cut the files to their committed sizes; call it before the first append of a process.

        Names in `committed` that are not WARC files are ignored. A file that is not in `committed` is
        renamed, not deleted: perhaps the catalogue was lost.
        """
        for name, size in committed.items():
            if name.endswith(SUFFIX):
                cut(self._directory / name, size)
        for path in self._files():
            if path.name not in committed:
                path.rename(path.with_name(path.name + ".uncommitted"))

    def read(self, address: WarcAddress, url: Url) -> FetchResult:
        """Return the response at an address."""
        return read_record(str(self._directory / address.file), address.offset, address.length, url)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _files(self) -> list[Path]:
        return sorted(self._directory.glob("[0-9][0-9][0-9][0-9][0-9]" + SUFFIX))

    def _writable(self) -> AppendFile:
        file = self._file
        if file is None:
            files = self._files()
            file = self._open(_number(files[-1]) if files else 0)
        if file.size >= self._max_file_bytes:
            file = self._roll(file)
        return file

    def _roll(self, full: AppendFile) -> AppendFile:
        # `sync` flushes only the open file, so a full one is flushed here.
        if self._durable:
            full.sync()
        full.close()
        self._file = None
        return self._open(_number(full.path) + 1)

    def _open(self, number: int) -> AppendFile:
        file = AppendFile(self._directory / f"{number:05d}{SUFFIX}")
        self._file = file
        if file.size == 0:
            file.append(_member(info_record(file.path.name, time.time())))
        return file


def _number(path: Path) -> int:
    return int(path.name.removesuffix(SUFFIX))


def _member(record: bytes) -> bytes:
    return igzip_lib.compress(record, COMPRESSION_LEVEL, igzip_lib.COMP_GZIP)


def read_record(path: str, offset: int, length: int, url: Url) -> FetchResult:
    """Return the response at an offset of a WARC file. A plain function, so that workers can import it."""
    try:
        with Path(path).open("rb") as file:
            file.seek(offset)
            data = file.read(length)
    except OSError as error:
        raise DamagedFile(Path(path), f"cannot be read: {error.strerror}") from error
    try:
        return _only_record(data, url)
    except (IsalError, BadRecord) as error:  # type: ignore[misc]
        why = str(error) or "there is no record"
        raise DamagedFile(Path(path), f"at offset {offset}, where {url} should be: {why}") from error


def _only_record(data: bytes, url: Url) -> FetchResult:
    unpacker = isal_zlib.decompressobj(GZIP_WINDOW)
    record = unpacker.decompress(data)
    if not unpacker.eof or unpacker.unused_data:
        raise BadRecord("there is no record")
    fields, block = fields_of(record)
    if fields.get("WARC-Target-URI") != url.text:
        raise BadRecord(f"there is a record of {fields.get('WARC-Target-URI')}")
    return result_of(fields, block, url)


def iter_warc(path: Path) -> Iterator[FetchResult]:
    """Yield the HTTP responses in a WARC file of another program, compressed or not.

    Other records (requests, DNS, URLs that are not of the web) are skipped. If the file is damaged, all
    records before the damage are yielded, then DamagedFile is raised with the offset. UsageError is raised if
    the file has no WARC record at all.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    position = NOWHERE
    with file:
        try:
            for record in ArchiveIterator(file, parse_http=False, quirks_mode=_has_bare_line_feeds(path)):
                position = record.stream_pos
                result = _foreign_result(record)
                if result is not None:
                    yield result
            _check_tail(path, position)
        except (OSError, EOFError, zlib.error, BadRecord) as error:
            if position == NOWHERE:
                raise UsageError(f"{path} holds no WARC record: {error}") from error
            raise DamagedFile(path, f"at or after offset {position}: {error}") from error


def _foreign_result(record: WarcRecord) -> FetchResult | None:
    block = block_of(record)
    if record.record_type != WarcRecordType.response or not record.is_http:
        return None
    # Many programs write angle brackets around the URL, because they misread WARC 1.0.
    url = canonical((record.headers.get("WARC-Target-URI") or "").strip("<> "))
    try:
        return result_of(record.headers, block, url) if url else None
    except BadRecord:
        return None


def _has_bare_line_feeds(path: Path) -> bool:
    with path.open("rb") as file:
        is_gzip = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    with gzip.open(path) if is_gzip else path.open("rb") as content:
        return not content.readline(100).endswith(b"\r\n")


def _check_tail(path: Path, last: int) -> None:
    if last == NOWHERE:
        raise BadRecord("no record begins in this file")
    # fastwarc does not report a compressed file that ends in the middle of a member.
    with path.open("rb") as file:
        file.seek(last)
        tail = file.read()
    if not tail.startswith(GZIP_MAGIC):
        return
    while tail.strip(b"\0"):
        member = zlib.decompressobj(31)
        member.decompress(tail)
        if not member.eof:
            raise BadRecord("the file ends in the middle of a record")
        tail = member.unused_data


# Reference to a stored response for an extraction worker
# -------------------------------------------------------
#
# An `ExtractionPool` (`extract.workers.pool`) sends a job to a worker, which calls `read_job`.


class WarcJob(NamedTuple):
    """A reference to a record of the page store."""

    path: str
    offset: int
    length: int
    url: str


class AnswerJob(NamedTuple):
    """A response that is still in memory: sending it costs less than reading it from the page store."""

    url: str
    fetched_at: float
    headers: tuple[tuple[str, str], ...]
    body: bytes


Job = WarcJob | AnswerJob


def read_job(job: Job) -> FetchResult:
    """Return the response of a job."""
    if isinstance(job, AnswerJob):
        url = Url.parsed(job.url)
        return FetchResult(url, job.fetched_at, status=200, headers=job.headers, body=job.body)
    return read_record(job.path, job.offset, job.length, Url.parsed(job.url))
