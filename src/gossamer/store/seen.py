"""Which URLs are known? A snapshot of the seen table, and a log of what changed since.

Both hold the same records: fingerprint (8 bytes), state (1), score (4, float), little-endian. The snapshot
begins with a header that says how many there are, and their CRC-32; so does each batch of the log, which is
what was appended at once. As much of the log counts as the catalogue says. The catalogue holds all of it,
too, but would take minutes to tell where this takes a second; so a table that is missing or damaged is no
loss.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.disk import disk_errors, new_file
from gossamer.model import DamagedFile
from gossamer.store.appendfile import AppendFile, cut

RECORD = np.dtype([("fingerprint", "<u8"), ("state", "u1"), ("score", "<f4")])
PIECE = 1 << 18  # records that are in memory at a time
MAGIC = b"GOSSSEEN"
FORMAT = 1
_HEADER = struct.Struct("<8sIIQ")  # magic, format, CRC-32, number of records
_BATCH = struct.Struct("<II")  # number of records, CRC-32


class DamagedTable(Exception):
    """The seen table cannot be read."""


class SeenColumns(NamedTuple):
    """Records as columns."""

    fingerprints: NDArray[np.uint64]
    states: NDArray[np.uint8]
    scores: NDArray[np.float32]


class SeenStore:
    """The files of one partition's seen table: `seen/<number>.table` and `seen/<number>.log`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._number = 0
        self._log: AppendFile | None = None

    def expected(self, number: int, length: int) -> int:
        """About how many URLs the table as of a commit holds."""
        try:
            records = self._table(number).stat().st_size + length
        except OSError:
            return 0
        return records // RECORD.itemsize

    def read(self, number: int, length: int) -> Iterator[SeenColumns]:
        """The table as of a commit, piece by piece; what stands later counts. `DamagedTable` if it cannot be
        read: then all must be taken from the catalogue."""
        self._number = number
        try:
            yield from _read_table(self._table(number))
            cut(self._log_path(number), length)
            if length:
                yield from _read_log(self._log_path(number), length)
        except (OSError, DamagedFile, DamagedTable) as error:
            # what is appended from now on must not make a table with a gap look whole
            with suppress(OSError):
                self._table(number).unlink()
            raise DamagedTable(str(error)) from error

    def append(self, columns: SeenColumns) -> None:
        """Notes what is new or has changed."""
        count = len(columns.fingerprints)
        if count:
            payload = _records(columns).tobytes()
            self._writable().append(_BATCH.pack(count, zlib.crc32(payload)) + payload)

    def renew(self, pieces: Iterable[SeenColumns]) -> int:
        """Writes a new snapshot with an empty log; its number is to be committed, then `tidy` called."""
        self.close()
        self._number += 1
        table, log = self._table(self._number), self._log_path(self._number)
        with disk_errors(table):
            self._directory.mkdir(parents=True, exist_ok=True)
            log.unlink(missing_ok=True)
        temporary = table.with_name(table.name + ".new")
        with new_file(temporary) as out:
            _write_table(out, pieces)
        with disk_errors(table):
            temporary.replace(table)
        return self._number

    @property
    def number(self) -> int:
        return self._number

    def sync(self, durable: bool) -> int:
        """Makes the log safe; returns the length to commit."""
        log = self._writable()
        if durable:
            log.sync()
        return log.size

    def tidy(self) -> None:
        """Removes what earlier snapshots left."""
        for path in self._directory.glob("*.*"):
            if path.suffix in {".table", ".log"} and path.stem != f"{self._number:06d}":
                path.unlink(missing_ok=True)

    def close(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def _writable(self) -> AppendFile:
        if self._log is None:
            self._log = AppendFile(self._log_path(self._number))
        return self._log

    def _table(self, number: int) -> Path:
        return self._directory / f"{number:06d}.table"

    def _log_path(self, number: int) -> Path:
        return self._directory / f"{number:06d}.log"


def _records(columns: SeenColumns) -> NDArray[np.void]:
    records = np.empty(len(columns.fingerprints), RECORD)
    records["fingerprint"], records["state"], records["score"] = columns
    return records


def _write_table(out: BinaryIO, pieces: Iterable[SeenColumns]) -> None:
    checksum = count = 0
    out.write(bytes(_HEADER.size))
    for piece in pieces:
        payload = _records(piece).tobytes()
        checksum = zlib.crc32(payload, checksum)
        count += len(piece.fingerprints)
        out.write(payload)
    out.seek(0)
    out.write(_HEADER.pack(MAGIC, FORMAT, checksum, count))


def _read_table(path: Path) -> Iterator[SeenColumns]:
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            raise DamagedTable(f"{path} is too short")
        magic, version, checksum, count = _HEADER.unpack(header)
        if (magic, version) != (MAGIC, FORMAT):
            raise DamagedTable(f"{path} is no snapshot of a seen table")
        found = 0
        for piece in _pieces(path, file, count):
            found = zlib.crc32(_records(piece).tobytes(), found)
            yield piece
    if found != checksum:
        raise DamagedTable(f"{path} is not what was written")


def _read_log(path: Path, length: int) -> Iterator[SeenColumns]:
    """The records of all batches; small ones come together."""
    with path.open("rb") as file:
        batches: list[bytes] = []
        size = 0
        while file.tell() < length:
            batches.append(_read_batch(path, file, length))
            size += len(batches[-1])
            if size >= PIECE * RECORD.itemsize or file.tell() == length:
                yield _columns(b"".join(batches))
                batches, size = [], 0


def _read_batch(path: Path, file: BinaryIO, length: int) -> bytes:
    start = file.tell()
    header = file.read(_BATCH.size)
    count, checksum = _BATCH.unpack(header) if len(header) == _BATCH.size else (length, 0)
    end = start + _BATCH.size + count * RECORD.itemsize
    payload = file.read(end - file.tell()) if end <= length else b""
    if not count or file.tell() != end or zlib.crc32(payload) != checksum:
        raise DamagedTable(f"{path}: the batch at offset {start} is not what was written")
    return payload


def _pieces(path: Path, file: BinaryIO, count: int) -> Iterator[SeenColumns]:
    while count:
        wanted = min(count, PIECE)
        payload = file.read(wanted * RECORD.itemsize)
        if len(payload) < wanted * RECORD.itemsize:
            raise DamagedTable(f"{path} lacks some of its last {count} records")
        yield _columns(payload)
        count -= wanted


def _columns(payload: bytes) -> SeenColumns:
    records = np.frombuffer(payload, RECORD)
    # copies in any case: kernels are compiled for arrays that may be written
    return SeenColumns(*(records[name].copy() for name in RECORD.names or ()))
