"""WARC page store: write, read, recover answers.

Each record is a gzip member of its own, so that an address (file, offset, length) is all it takes to read one
page. An address is worth something only once `sync` was called and the sizes it returned were committed;
`recover` cuts what a killed process wrote after that.
"""

from __future__ import annotations

import gzip
import re
import time
import zlib
from base64 import b32encode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1
from http import HTTPStatus
from os import urandom
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from warnings import catch_warnings, simplefilter

from isal import igzip_lib, isal_zlib
from isal.igzip_lib import IsalError

from gossamer.model import DamagedFile, FetchResult, Url, UsageError
from gossamer.storage.files import AppendFile, cut
from gossamer.web.content_coding import BadEncoding, Body, known_codings
from gossamer.web.url import canonical

# Undo transfer and content encodings of archived answers
# -------------------------------------------------------
#
# Archives are not consistent: some keep the header and store the body decoded. So bytes that are not
# what the header says are left as they are, and a compressed body that was cut gives what can be read
# of it.

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


# Answer to WARC record and back
# ------------------------------
#
# One HTTP response a record, as ISO 28500 (WARC 1.1) has it. The body is stored decoded, so the head
# that goes with it is rebuilt: no content or transfer encoding, and a true length.


# fastwarc warns, when imported, of old names that it defines itself and nobody here uses
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


SUFFIX = ".warc.gz"
COMPRESSION_LEVEL = 2  # of ISA-L: five times as fast as level 3 of zlib, and 5% larger
GZIP_WINDOW = 31
GZIP_MAGIC = b"\x1f\x8b\x08"
NOWHERE = -1  # the offset of the last record before there is one


@dataclass(frozen=True, slots=True)
class WarcAddress:
    """Where a record stands in the page store."""

    file: str
    offset: int
    length: int


class WarcStore:
    """The WARC files of one folder: `00000.warc.gz`, then `00001.warc.gz` once that has `max_file_bytes`."""

    def __init__(self, directory: Path, max_file_bytes: int, durable: bool = False) -> None:
        self._directory = directory
        self._max_file_bytes = max_file_bytes
        self._durable = durable
        self._file: AppendFile | None = None
        self._changed: dict[str, int] = {}

    def append(self, result: FetchResult) -> WarcAddress:
        """Writes an answer at the end of the store: for readers at once, for good after a commit."""
        if not 100 <= result.status <= 999:
            raise ValueError(f"{result.status} is no status of an answer: nothing of {result.url} is stored")
        member = _member(response_record(result))
        file = self._writable()
        offset = file.append(member)
        self._changed[file.path.name] = file.size
        return WarcAddress(file.path.name, offset, len(member))

    def sync(self) -> dict[str, int]:
        """Makes what was appended safe; returns the size to commit of each file that changed."""
        if self._durable and self._file is not None and self._changed:
            self._file.sync()
        changed, self._changed = self._changed, {}
        return changed

    def recover(self, committed: Mapping[str, int]) -> None:
        """Brings the files back to their committed sizes: before the first append of a process.

        Names that are no WARC files are passed over. A file of which nothing was committed is set aside, not
        deleted: it may be the catalogue that was lost.
        """
        for name, size in committed.items():
            if name.endswith(SUFFIX):
                cut(self._directory / name, size)
        for path in self._files():
            if path.name not in committed:
                path.rename(path.with_name(path.name + ".uncommitted"))

    def read(self, address: WarcAddress, url: Url) -> FetchResult:
        """The answer at an address."""
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
        # `sync` only knows the open file: a full one is made safe when it is left
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
    """The answer that stands at an offset of a WARC file; a plain function, for worker processes."""
    try:
        with Path(path).open("rb") as file:
            file.seek(offset)
            data = file.read(length)
    except OSError as error:
        raise DamagedFile(Path(path), f"cannot be read: {error.strerror}") from error
    try:
        return _only_record(data, url)
    except (IsalError, BadRecord) as error:  # type: ignore[misc]
        why = str(error) or "no record"
        raise DamagedFile(Path(path), f"at offset {offset}, where {url} should be: {why}") from error


def _only_record(data: bytes, url: Url) -> FetchResult:
    unpacker = isal_zlib.decompressobj(GZIP_WINDOW)
    record = unpacker.decompress(data)
    if not unpacker.eof or unpacker.unused_data:
        raise BadRecord("no record")
    fields, block = fields_of(record)
    if fields.get("WARC-Target-URI") != url.text:
        raise BadRecord(f"a record of {fields.get('WARC-Target-URI')}")
    return result_of(fields, block, url)


def iter_warc(path: Path) -> Iterator[FetchResult]:
    """The HTTP answers in a WARC file that somebody else wrote, compressed or not.

    What is no answer (requests, DNS, addresses that are no web addresses) is passed over. Damage is raised as
    `DamagedFile` with the offset, after everything before it was yielded. A file without any record was never
    a WARC file: `UsageError`.
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
    # WARC 1.0 was often read as asking for angle brackets around the address
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
        raise BadRecord("nothing in it begins like one")
    # the reader takes a compressed file that stops in the middle of a member for one that ends there
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


# Reference to a stored answer for an extraction worker
# -----------------------------------------------------
#
# What an `ExtractionPool` (`extract.workers.pool`) sends to its workers; they read it by `read_job`.


class WarcJob(NamedTuple):
    """A record of the page store."""

    path: str
    offset: int
    length: int
    url: str


class AnswerJob(NamedTuple):
    """An answer itself, while it is at hand: reading it from the page store would cost more."""

    url: str
    fetched_at: float
    headers: tuple[tuple[str, str], ...]
    body: bytes


Job = WarcJob | AnswerJob


def read_job(job: Job) -> FetchResult:
    """The answer that the job points to."""
    if isinstance(job, AnswerJob):
        url = Url.parsed(job.url)
        return FetchResult(url, job.fetched_at, status=200, headers=job.headers, body=job.body)
    return read_record(job.path, job.offset, job.length, Url.parsed(job.url))
