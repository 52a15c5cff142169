"""Append-only log of links with anchor text.

The file begins with `HEADER`. Each record holds the links of one fetched page, in little-endian order:

- length of the payload and its CRC-32 (4 bytes each);
- fingerprint of the page (8 bytes), time of the fetch (8, float), number of links n and size of the anchors
  in bytes (4 each);
- n target fingerprints (8 each), n flags (1 each);
- deflated: the anchors in UTF-8, one line each; then the words near the links in the same form, if any link
  has them.

When a page is fetched again, the new record replaces the old one, which stays as history.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from isal.isal_zlib import compress, crc32, decompress
from numpy.typing import NDArray

from gossamer.model import DamagedFile, LinkFlag, Links, WrongFormat
from gossamer.model.graph import LinkColumns
from gossamer.storage.files import AppendFile, cut

FORMAT = 3  # since 2, anchors are lines; since 3, words near the links are stored, and words are deflated
MAGIC = b"GOSSLINK"
HEADER = struct.pack("<8sII", MAGIC, FORMAT, 0)
MOST_WAITING = 1 << 20  # bytes of records that are buffered before they are written
LEVEL = 1  # compression level: low, because every page of a crawl is compressed here
READ_AT_ONCE = 1 << 22  # bytes of records that are converted to columns at a time
MOST_MAPPED = 1 << 26  # bytes of the log that may stay in memory during a scan
_FRAME = struct.Struct("<II")
_PAGE = struct.Struct("<QdII")
_BYTES_A_LINK = 8 + 1


@dataclass(frozen=True, slots=True)
class LoggedLink:
    """A link in a record of the log."""

    target: int
    flags: LinkFlag = LinkFlag.ORDINARY
    anchor: str = ""
    near: str = ""  # words near it


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """The links of a page as of one fetch."""

    source: int
    fetched_at: float
    links: tuple[LoggedLink, ...]


@dataclass(frozen=True, slots=True)
class LatestRecords:
    """Places of the latest record of each page, in the order in which the pages were first logged."""

    sources: NDArray[np.uint64]
    starts: NDArray[np.int64]  # offset of its links in the log
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]  # number of links
    anchors: NDArray[np.int64]  # size of the anchors in bytes, uncompressed


class LinkLog:
    """The link log of one partition, normally `links/links.log`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: AppendFile | None = None
        self._waiting: list[bytes] = []  # records that are not written yet
        self._held = 0  # their size in bytes

    def append(self, source: int, fetched_at: float, links: Links) -> None:
        """Append the links of a fetched page. Other processes can read them after `sync`."""
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
        """Write all records, flush them to disk if `durable`, and return the length to commit."""
        self._flush()
        file = self._writable()
        if durable:
            file.sync()
        return file.size

    def recover(self, length: int) -> None:
        """Cut the log to its committed length; call it before the first append of a process."""
        cut(self._path, length)

    def records(self) -> Iterator[LinkRecord]:
        """Yield all records in the order in which they were appended."""
        data = self._content()
        for start, end in _frames(self._path, data):
            yield _decode(data[start:end])

    def readable_length(self) -> int:
        """Return how far the log can be read: to its end, or to the first damage."""
        data = self._content()
        length = 0
        with suppress(DamagedFile):
            _check_header(self._path, data)
            length = len(HEADER)
            for _, length in _frames(self._path, data):  # noqa: B007
                pass
        return length

    def latest(self, length: int | None = None) -> LatestRecords:
        """Find the latest record of each page in the first `length` bytes of the log, or in all of it.

        Pass the committed length if another process may be appending.
        """
        kind = np.dtype(
            [("source", "<u8"), ("start", "<i8"), ("end", "<i8"), ("count", "<i8"), ("size", "<i8")]
        )
        found = np.fromiter(self._heads(self._content(length)), kind)
        order = np.argsort(found["source"], kind="stable")
        sources = found["source"][order]
        is_first = np.append(True, sources[1:] != sources[:-1])[: len(sources)]
        firsts, lasts = order[is_first], order[np.roll(is_first, -1)]
        chosen = found[lasts[np.argsort(firsts)]]
        return LatestRecords(*(chosen[name].copy() for name in kind.names or ()))

    def columns(self, records: LatestRecords | None = None, anchors: bool = True) -> Iterator[LinkColumns]:
        """Yield the links of these records, or of the latest of each page, some megabytes at a time."""
        records = self.latest() if records is None else records
        data = self._content()
        begin = 0
        reached = np.cumsum(records.ends - records.starts)
        while begin < len(reached):
            before = reached[begin - 1] if begin else 0
            end = int(np.searchsorted(reached, before + READ_AT_ONCE)) + 1
            yield _columns(data, records, slice(begin, end), anchors)
            _release_memory(data)
            begin = end

    def at(self, start: int) -> LinkRecord | None:
        """Return the record whose links begin at an offset from `latest`; None if it is no longer there."""
        with self._path.open("rb") as file:
            frame = os.pread(file.fileno(), _FRAME.size, start - _PAGE.size - _FRAME.size)
            length, checksum = _FRAME.unpack(frame) if len(frame) == _FRAME.size else (0, 0)
            if not _PAGE.size <= length <= os.fstat(file.fileno()).st_size:
                return None
            payload = os.pread(file.fileno(), length, start - _PAGE.size)
        return _decode(payload) if crc32(payload) == checksum else None

    def _heads(self, data: mmap.mmap | bytes) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield for each record its page, offset of its links, end, number of links, size of the anchors."""
        released = 0
        for start, end in _frames(self._path, data):
            source, _, count, size = _PAGE.unpack_from(data, start)
            yield source, start + _PAGE.size, end, count, size
            if end - released >= MOST_MAPPED:
                _release_memory(data)
                released = end

    def close(self) -> None:
        """Close the file. Records since the last `sync` are dropped: recovery would cut them anyway."""
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
            raise DamagedFile(self._path, f"it has {size} bytes, but {length} were committed")
        with self._path.open("rb") as file:
            return mmap.mmap(file.fileno(), length or 0, access=mmap.ACCESS_READ)


def _decode(payload: bytes) -> LinkRecord:
    source, fetched_at, count, size = _PAGE.unpack_from(payload)
    targets = struct.unpack_from(f"<{count}Q", payload, _PAGE.size)
    flags = payload[_PAGE.size + 8 * count :][:count]
    words = _words(payload, _PAGE.size, len(payload), count, size)
    anchors, near = (lines.decode().split("\n")[:-1] for lines in words)
    rows = zip(targets, map(LinkFlag, flags), anchors, near, strict=True)
    return LinkRecord(source, fetched_at, tuple(LoggedLink(*row) for row in rows))


def _words(data: mmap.mmap | bytes, start: int, end: int, links: int, anchors: int) -> tuple[bytes, bytes]:
    """Decompress the anchors and the words near the links; each line ends with a line feed.

    `anchors` is the size of the anchors in bytes.
    """
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
        b"".join([anchor_lines for anchor_lines, _ in texts]),
        b"".join([near for _, near in texts]),
    )


def _release_memory(data: mmap.mmap | bytes) -> None:
    """Release the pages of the mapping that were read, because a log may be larger than memory."""
    if isinstance(data, mmap.mmap):
        data.madvise(mmap.MADV_DONTNEED)


def _frames(path: Path, data: mmap.mmap | bytes) -> Iterator[tuple[int, int]]:
    """Yield where the payload of each record begins and ends, after its checksum is verified."""
    _check_header(path, data)
    position, size = len(HEADER), len(data)
    whole = memoryview(data)
    while position < size:
        start = position + _FRAME.size
        length, checksum = _FRAME.unpack_from(data, position) if start <= size else (size, 0)
        if start + length > size:
            raise DamagedFile(path, f"the record at offset {position} is not complete")
        if crc32(whole[start : start + length]) != checksum:
            raise DamagedFile(path, f"the record at offset {position} does not match its checksum")
        yield start, start + length
        position = start + length


def _check_header(path: Path, data: mmap.mmap | bytes) -> None:
    found = bytes(data[: len(HEADER)])
    if len(found) < len(HEADER) or not found.startswith(MAGIC):
        raise DamagedFile(path, "it does not begin with the header of a link log")
    version, reserved = struct.unpack_from("<II", found, len(MAGIC))
    if version != FORMAT:
        raise WrongFormat(path, version, FORMAT)
    if reserved:
        raise DamagedFile(path, "its header is damaged")
