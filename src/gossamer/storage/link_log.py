"""Append-only log of links with anchor text.

The file begins with `HEADER`. A record is its length and CRC-32 (4 bytes each, little-endian), then: source
fingerprint (8 bytes), time of the fetch (8, float), number of links n and size of the anchors (4 each), n
target fingerprints (8 each), n flags (1 each), and, deflated, the anchors in UTF-8, a line each, and behind
them the words near the links likewise, where there are any. When a page is fetched again its new record
counts, and the old one stays as history.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from isal.isal_zlib import compress, crc32, decompress
from numpy.typing import NDArray

from gossamer.model import DamagedFile, LinkFlag, Links, WrongFormat
from gossamer.model.graph import LinkColumns
from gossamer.storage.files import AppendFile, cut

FORMAT = 3  # 2: anchors are lines; 3: words near the links; words are deflated
MAGIC = b"GOSSLINK"
HEADER = struct.pack("<8sII", MAGIC, FORMAT, 0)
MOST_WAITING = 1 << 20  # bytes of records that wait to be written together
LEVEL = 1  # of deflating: each page of a crawl passes here
READ_AT_ONCE = 1 << 22  # bytes of records that become columns together
LET_GO = 1 << 26  # bytes of the log that are in memory while it is looked through
_FRAME = struct.Struct("<II")
_PAGE = struct.Struct("<QdII")
_BYTES_A_LINK = 8 + 1


@dataclass(frozen=True, slots=True)
class LoggedLink:
    """A link as the log keeps it."""

    target: int
    flags: LinkFlag = LinkFlag.ORDINARY
    anchor: str = ""
    near: str = ""  # words around it


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """The links of one page at one time."""

    source: int
    fetched_at: float
    links: tuple[LoggedLink, ...]


@dataclass(frozen=True, slots=True)
class LatestRecords:
    """Of each page the record that counts, in the order in which pages came first."""

    sources: NDArray[np.uint64]
    starts: NDArray[np.int64]  # where its links begin in the log
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]  # how many links it has
    anchors: NDArray[np.int64]  # bytes of their texts, before they were deflated


class LinkLog:
    """The log of one partition, as a rule `links/links.log`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: AppendFile | None = None
        self._waiting: list[bytes] = []  # what is not written yet
        self._held = 0  # bytes of it

    def append(self, source: int, fetched_at: float, links: Links) -> None:
        """Adds the links of a page that was just fetched; others can read them after `sync`."""
        if self._file is None:
            self._writable()
        anchors = links.anchors.encode("utf-8", "replace")
        head = _PAGE.pack(source, fetched_at, len(links), len(anchors))
        words = compress(anchors + links.near.encode("utf-8", "replace"), LEVEL) if links.flags else b""
        payload = b"".join([head, links.fingerprints, links.flags, words])
        self._waiting += (_FRAME.pack(len(payload), crc32(payload)), payload)
        self._held += len(payload)
        if self._held >= MOST_WAITING:
            self._flush()

    def _flush(self) -> None:
        waiting, self._waiting, self._held = self._waiting, [], 0
        if waiting:
            self._writable().append(b"".join(waiting))

    def sync(self, durable: bool) -> int:
        """Makes the log safe; returns the length to commit."""
        self._flush()
        file = self._writable()
        if durable:
            file.sync()
        return file.size

    def recover(self, length: int) -> None:
        """Brings the log back to its committed length: before the first append of a process."""
        cut(self._path, length)

    def records(self) -> Iterator[LinkRecord]:
        """All records in the order of their writing."""
        data = self._content()
        for start, end in _frames(self._path, data):
            yield _decode(data[start:end])

    def readable_length(self) -> int:
        """How far the log can be read: its length, or where the first damage begins."""
        data = self._content()
        length = 0
        try:
            _check_header(self._path, data)
            length = len(HEADER)
            for _, length in _frames(self._path, data):  # noqa: B007
                pass
        except DamagedFile:
            pass
        return length

    def latest(self, length: int | None = None) -> LatestRecords:
        """The records that count among the first bytes of the log, or in all of it.

        Whoever reads while another process appends names the committed length.
        """
        data = self._content(length)
        kind = np.dtype(
            [("source", "<u8"), ("start", "<i8"), ("end", "<i8"), ("count", "<i8"), ("size", "<i8")]
        )
        found = np.fromiter(self._heads(data), kind)
        order = np.argsort(found["source"], kind="stable")
        sources = found["source"][order]
        is_first = np.append(True, sources[1:] != sources[:-1])[: len(sources)]
        firsts, lasts = order[is_first], order[np.roll(is_first, -1)]
        chosen = found[lasts[np.argsort(firsts)]]
        return LatestRecords(*(chosen[name].copy() for name in kind.names or ()))

    def columns(self, records: LatestRecords | None = None, anchors: bool = True) -> Iterator[LinkColumns]:
        """The links of these records, or of the latest of each page, some megabytes at a time."""
        records = self.latest() if records is None else records
        data = self._content()
        begin = 0
        reached = np.cumsum(records.ends - records.starts)
        while begin < len(reached):
            before = reached[begin - 1] if begin else 0
            end = int(np.searchsorted(reached, before + READ_AT_ONCE)) + 1
            yield _columns(data, records, slice(begin, end), anchors)
            _let_go(data)
            begin = end

    def at(self, start: int) -> LinkRecord | None:
        """The record whose links begin there, as `latest` says; None when there is none any more."""
        with self._path.open("rb") as file:
            frame = os.pread(file.fileno(), _FRAME.size, start - _PAGE.size - _FRAME.size)
            length, checksum = _FRAME.unpack(frame) if len(frame) == _FRAME.size else (0, 0)
            if not _PAGE.size <= length <= os.fstat(file.fileno()).st_size:
                return None
            payload = os.pread(file.fileno(), length, start - _PAGE.size)
        return _decode(payload) if crc32(payload) == checksum else None

    def _heads(self, data: mmap.mmap | bytes) -> Iterator[tuple[int, int, int, int, int]]:
        """Of each record: its page, where its links begin and it ends, how many they are, bytes of texts."""
        let_go = 0
        for start, end in _frames(self._path, data):
            source, _, count, size = _PAGE.unpack_from(data, start)
            yield source, start + _PAGE.size, end, count, size
            if end - let_go >= LET_GO:
                _let_go(data)
                let_go = end

    def close(self) -> None:
        """Lets go of the file; what was appended since `sync` is forgotten, as it would be cut later."""
        self._waiting.clear()
        self._held = 0
        if self._file is not None:
            self._file.close()
            self._file = None

    def _writable(self) -> AppendFile:
        if self._file is None:
            self._file = AppendFile(self._path)
            if self._file.size == 0:
                self._file.append(HEADER)
            else:
                _check_header(self._path, self._content())
        return self._file

    def _content(self, length: int | None = None) -> mmap.mmap | bytes:
        self._flush()
        if length == 0 or not self._path.exists() or self._path.stat().st_size == 0:
            return HEADER
        if length is not None and length > (size := self._path.stat().st_size):
            raise DamagedFile(self._path, f"it has {size} bytes, {length} were committed")
        with self._path.open("rb") as file:
            return mmap.mmap(file.fileno(), length or 0, access=mmap.ACCESS_READ)


def _decode(payload: bytes) -> LinkRecord:
    source, fetched_at, count, size = _PAGE.unpack_from(payload)
    targets = struct.unpack_from(f"<{count}Q", payload, _PAGE.size)
    flags = payload[_PAGE.size + 8 * count :][:count]
    said = _words(payload, _PAGE.size, len(payload), count, size)
    anchors, near = (lines.decode().split("\n")[:-1] for lines in said)
    rows = zip(targets, map(LinkFlag, flags), anchors, near, strict=True)
    return LinkRecord(source, fetched_at, tuple(LoggedLink(*row) for row in rows))


def _words(data: mmap.mmap | bytes, start: int, end: int, links: int, anchors: int) -> tuple[bytes, bytes]:
    """The texts of links, so many bytes, and the words near them, each ended by a line feed."""
    if not links:
        return b"", b""
    words = decompress(data[start + _BYTES_A_LINK * links : end])
    near = words[anchors:]
    return words[:anchors] + b"\n", near + b"\n" if near else b"\n" * links


def _columns(data: mmap.mmap | bytes, records: LatestRecords, chosen: slice, anchors: bool) -> LinkColumns:
    starts, counts = records.starts[chosen].tolist(), records.counts[chosen]
    ends, sizes = records.ends[chosen].tolist(), records.anchors[chosen].tolist()
    pages = list(zip(starts, ends, counts.tolist(), sizes, strict=True))
    texts = [_words(data, *page) for page in pages] if anchors else []
    return LinkColumns(
        records.sources[chosen],
        counts,
        np.concatenate([np.frombuffer(data, "<u8", n, start) for start, _, n, _ in pages]),
        np.concatenate([np.frombuffer(data, np.uint8, n, start + 8 * n) for start, _, n, _ in pages]),
        b"".join([said for said, _ in texts]),
        b"".join([near for _, near in texts]),
    )


def _let_go(data: mmap.mmap | bytes) -> None:
    """What was read need not stay in memory: a log may be larger than that."""
    if isinstance(data, mmap.mmap):
        data.madvise(mmap.MADV_DONTNEED)


def _frames(path: Path, data: mmap.mmap | bytes) -> Iterator[tuple[int, int]]:
    """Where the payload of each record begins and ends, its checksum verified."""
    _check_header(path, data)
    position, size = len(HEADER), len(data)
    whole = memoryview(data)
    while position < size:
        start = position + _FRAME.size
        length, checksum = _FRAME.unpack_from(data, position) if start <= size else (size, 0)
        if start + length > size:
            raise DamagedFile(path, f"the record at offset {position} is not complete")
        if crc32(whole[start : start + length]) != checksum:
            raise DamagedFile(path, f"the record at offset {position} is not what was written")
        yield start, start + length
        position = start + length


def _check_header(path: Path, data: mmap.mmap | bytes) -> None:
    found = bytes(data[: len(HEADER)])
    if len(found) < len(HEADER) or not found.startswith(MAGIC):
        raise DamagedFile(path, "it does not begin like a link log")
    version, reserved = struct.unpack_from("<II", found, len(MAGIC))
    if version != FORMAT:
        raise WrongFormat(path, version, FORMAT)
    if reserved:
        raise DamagedFile(path, "its header is changed")
