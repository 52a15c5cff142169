"""What linked to what? An append-only log: one record for each page that was fetched.

The file begins with `HEADER`. A record is its length and CRC-32 (4 bytes each, little-endian), then: source
fingerprint (8 bytes), time of the fetch (8, float), number of links n and size of the anchors (4 each), n
target fingerprints (8 each), n flags (1 each), and, deflated, the anchors in UTF-8, a line each, and behind
them the words near the links likewise, where there are any. When a page is fetched again its new record
counts, and the old one stays as history.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from isal.isal_zlib import compress, crc32, decompress
from numpy.typing import NDArray

from gossamer.model import DamagedFile, LinkFlag, Links, WrongFormat
from gossamer.model.graph import LinkColumns
from gossamer.store.appendfile import AppendFile, cut

FORMAT = 3  # 2: anchors are lines; 3: words near the links; words are deflated
MAGIC = b"GOSSLINK"
HEADER = struct.pack("<8sII", MAGIC, FORMAT, 0)

MOST_WAITING = 1 << 20  # bytes of records that wait to be written together
LEVEL = 1  # of deflating: each page of a crawl passes here
READ_AT_ONCE = 1 << 22  # bytes of records that become columns together

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


class _Placed(NamedTuple):
    """Where in the log the links of a page stand."""

    source: int
    start: int
    end: int
    links: int
    anchors: int  # bytes of them, before they were deflated

    def words(self, data: mmap.mmap | bytes) -> tuple[bytes, bytes]:
        """The anchors, and the words near the links, each ended by a line feed."""
        if not self.links:
            return b"", b""
        words = decompress(data[self.start + _BYTES_A_LINK * self.links : self.end])
        near = words[self.anchors :]
        return words[: self.anchors] + b"\n", near + b"\n" if near else b"\n" * self.links


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

    def edges(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint8]]:
        """Sources, targets and flags of all links, from the latest record of each page."""
        data = self._content()
        latest = self._latest(data)
        targets = [np.empty(0, np.uint64)]
        flags = [np.empty(0, np.uint8)]
        for page in latest.values():
            targets.append(np.frombuffer(data, "<u8", page.links, page.start))
            flags.append(np.frombuffer(data, np.uint8, page.links, page.start + 8 * page.links))
        sources = np.fromiter(latest, np.uint64, len(latest))
        counts = np.fromiter((page.links for page in latest.values()), np.int64, len(latest))
        return np.repeat(sources, counts), np.concatenate(targets), np.concatenate(flags)

    def columns(self) -> Iterator[LinkColumns]:
        """The links of the latest record of each page with their anchors, some megabytes at a time."""
        data = self._content()
        held, size = [], 0
        for page in self._latest(data).values():
            held.append(page)
            size += page.end - page.start
            if size >= READ_AT_ONCE:
                yield _columns(data, held)
                held, size = [], 0
        if held:
            yield _columns(data, held)

    def _latest(self, data: mmap.mmap | bytes) -> dict[int, _Placed]:
        """By source, where the links of its latest record stand."""
        latest = {}
        for start, end in _frames(self._path, data):
            source, _, count, size = _PAGE.unpack_from(data, start)
            latest[source] = _Placed(source, start + _PAGE.size, end, count, size)
        return latest

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

    def _content(self) -> mmap.mmap | bytes:
        self._flush()
        if not self._path.exists() or self._path.stat().st_size == 0:
            return HEADER
        with self._path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _decode(payload: bytes) -> LinkRecord:
    source, fetched_at, count, size = _PAGE.unpack_from(payload)
    targets = struct.unpack_from(f"<{count}Q", payload, _PAGE.size)
    flags = payload[_PAGE.size + 8 * count :][:count]
    said = _Placed(source, _PAGE.size, len(payload), count, size).words(payload)
    anchors, near = (lines.decode().split("\n")[:-1] for lines in said)
    rows = zip(targets, map(LinkFlag, flags), anchors, near, strict=True)
    return LinkRecord(source, fetched_at, tuple(LoggedLink(*row) for row in rows))


def _columns(data: mmap.mmap | bytes, pages: Sequence[_Placed]) -> LinkColumns:
    targets = [np.frombuffer(data, "<u8", page.links, page.start) for page in pages]
    flags = [np.frombuffer(data, np.uint8, page.links, page.start + 8 * page.links) for page in pages]
    anchors, near = zip(*[page.words(data) for page in pages], strict=True)
    return LinkColumns(
        np.array([page.source for page in pages], np.uint64),
        np.array([page.links for page in pages], np.int64),
        np.concatenate(targets),
        np.concatenate(flags),
        b"".join(anchors),
        b"".join(near),
    )


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
