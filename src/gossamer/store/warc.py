"""What did the servers say? The page store: WARC files that any WARC tool reads.

Each record is a gzip member of its own, so that an address (file, offset, length) is all it takes to read one
page. An address is worth something only once `sync` was called and the sizes it returned were committed;
`recover` cuts what a killed process wrote after that.
"""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from isal import igzip_lib, isal_zlib
from isal.igzip_lib import IsalError

from gossamer.model import DamagedFile, FetchResult, Url, UsageError
from gossamer.store.appendfile import AppendFile, cut
from gossamer.store.record import (
    ArchiveIterator,
    BadRecord,
    WarcRecord,
    WarcRecordType,
    block_of,
    fields_of,
    info_record,
    response_record,
    result_of,
)
from gossamer.web.url import canonical

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
