"""Known-URL table: state and score of each URL, in memory and on disk."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import unchecked_kernel
from gossamer.model import DamagedFile
from gossamer.storage.files import AppendFile, cut, disk_errors, replaced_file

# Kernels: open-addressing table of URL fingerprints
# --------------------------------------------------
#
# A slot with state 0 is empty. The hash of a fingerprint is its product with 2^64 divided by the golden
# ratio (Knuth, The Art of Computer Programming 3, 6.4). The upper half of the hash is scaled to the
# number of slots (Lemire, "Fast random integer generation in an interval", 2019). So the table may have
# any size, and can grow by a seventh, while a power of two would have to double. For any size, the order
# of home slots is the order of hashes. So a table that has grown can be rearranged in place.

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


@unchecked_kernel
def home(fingerprint: np.uint64, size: int) -> np.int64:
    """The home slot of a fingerprint, where probing begins. In a larger table it is never smaller."""
    return np.int64((((fingerprint * GOLDEN) >> HALF) * np.uint64(size)) >> HALF)


@unchecked_kernel
def find_slot(keys: NDArray[np.uint64], states: NDArray[np.uint8], fingerprint: np.uint64) -> np.int64:
    """Return the slot of a fingerprint, or the empty slot where it belongs."""
    size = len(keys)
    slot = home(fingerprint, size)
    while states[slot] != 0 and keys[slot] != fingerprint:
        slot += np.int64(1)
        if slot == size:
            slot = np.int64(0)
    return slot


class SeenEntries(NamedTuple):
    """Entries of a table, as columns."""

    keys: NDArray[np.uint64]
    states: NDArray[np.uint8]
    scores: NDArray[np.float32]

    def part(self, some: slice | NDArray[np.bool_]) -> SeenEntries:
        """Select some of the entries."""
        return SeenEntries(self.keys[some], self.states[some], self.scores[some])


@unchecked_kernel
def find_slots(
    keys: NDArray[np.uint64],
    states: NDArray[np.uint8],
    fingerprints: NDArray[np.uint64],
    slots: NDArray[np.int64],
) -> None:
    """Write the slots of many fingerprints to `slots`, as `find_slot` finds them."""
    for i in range(len(fingerprints)):
        slots[i] = find_slot(keys, states, fingerprints[i])


@unchecked_kernel
def put_many(
    table: SeenEntries, entries: SeenEntries, overwrite: bool, room: int, new: NDArray[np.bool_]
) -> tuple[int, int]:
    """Add entries while there is room, and mark the new ones. Empty entries are skipped.

    Entries of known fingerprints are overwritten if `overwrite` is set, else skipped. Returns how many
    entries were processed, and how many were added.
    """
    added = 0
    for i in range(len(entries.keys)):
        if entries.states[i] == 0:
            continue
        slot = find_slot(table.keys, table.states, entries.keys[i])
        if table.states[slot] == 0:
            if added == room:
                return i, added
            table.keys[slot] = entries.keys[i]
            new[i] = True
            added += 1
        elif not overwrite:
            continue
        table.states[slot] = entries.states[i]
        table.scores[slot] = entries.scores[i]
    return len(entries.keys), added


@unchecked_kernel
def spread(table: SeenEntries, end: int, spare: SeenEntries) -> tuple[int, int]:
    """Move the entries in the slots before `end` to their places after the table has grown.

    Entries move upwards, from the last to the first. A few entries would move below their old slot or beyond
    the last one: they are copied to `spare`, and the caller adds them when all others have moved. Returns the
    new `end`, which is 0 unless `spare` was full, and the number of spare entries.
    """
    keys, states, scores = table
    size = len(keys)
    count = 0
    for old in range(end - 1, -1, -1):
        if states[old] == 0:
            continue
        if count == len(spare.keys):
            return old + 1, count
        key, state, score = keys[old], states[old], scores[old]
        states[old] = 0
        slot = home(key, size)
        if slot >= old:
            while slot < size and states[slot] != 0:
                slot += np.int64(1)
        if slot >= old and slot < size:
            keys[slot], states[slot], scores[slot] = key, state, score
        else:
            spare.keys[count], spare.states[count], spare.scores[count] = key, state, score
            count += 1
    return 0, count


WAITING = 1  # to be fetched; the URL is in the catalogue only
HELD = 2  # to be fetched or being fetched; the URL is in memory
DONE = 3  # fetched, permanently failed, or refused
FULLEST = 0.8  # load factor: linear probing reads 3 slots for a known URL, 13 for a new one
GROWTH = 1.15  # small steps, because the table grows in place
SMALLEST = 1024  # slots
ROOM = 4  # a table can grow to four times its size without a copy: unused memory costs nothing
SPARE = 4096  # entries that can be set aside at a time while the table grows


class SeenTable:
    """Table of all known fingerprints, each with a state and a score. A slot has 13 bytes.

    `expected` is the number of entries that will be added. It matters if they come in the order of another
    table's slots: they would fill a table that is too small from its beginning, and make every look-up slow.
    """

    def __init__(self, expected: int = 0) -> None:
        self._count = 0
        size = max(SMALLEST, int(expected / FULLEST) + 1)
        self._room: list[NDArray[Any]] = list(_no_entries(ROOM * size))
        self._use(size)

    def add(self, fingerprint: int, state: int = WAITING, score: float = 0.0) -> bool:
        """Add a fingerprint; return whether it is new. A known one keeps its state and score."""
        if self._count >= self._limit:
            self._grow()
        slot = self._slot(fingerprint)
        if self._states[slot]:
            return False
        self._keys[slot], self._states[slot], self._scores[slot] = fingerprint, state, score
        self._count += 1
        return True

    def add_many(
        self, fingerprints: NDArray[np.uint64], state: int = WAITING, score: float = 0.0
    ) -> NDArray[np.bool_]:
        """Add many; return for each whether it is new. Of a repeated one, only the first is new."""
        count = len(fingerprints)
        states, scores = np.full(count, state, np.uint8), np.full(count, score, np.float32)
        return self._put(SeenEntries(fingerprints, states, scores), overwrite=False)

    def put(self, entries: SeenEntries) -> None:
        """Add entries; overwrite those with the same fingerprints."""
        self._put(entries, overwrite=True)

    def _put(self, entries: SeenEntries, overwrite: bool) -> NDArray[np.bool_]:
        new = np.zeros(len(entries.keys), np.bool_)
        done = 0
        while done < len(new):
            rest, room = entries.part(slice(done, None)), self._limit - self._count
            looked, added = put_many(self._arrays, rest, overwrite, room, new[done:])
            self._count += added
            done += looked
            if done < len(new):
                self._grow()
        return new

    def pieces(self, slots: int = 1 << 18) -> Iterator[SeenEntries]:
        """Yield all entries, piece by piece. The state HELD is replaced by WAITING."""
        for start in range(0, len(self._keys), slots):
            piece = self._arrays.part(slice(start, start + slots))
            used = piece.part(piece.states != 0)
            used.states[used.states == HELD] = WAITING
            yield used

    def state(self, fingerprint: int) -> int:
        """Return the state of a fingerprint, 0 if it is unknown."""
        return int(self._states[self._slot(fingerprint)])

    def states(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.uint8]:
        """Return the states of many fingerprints, 0 for unknown ones."""
        return self._states[self._slots(fingerprints)]

    def set_state(self, fingerprint: int, state: int) -> None:
        """Change the state of a known fingerprint. Raises KeyError for an unknown one."""
        self._states[self._known_slot(fingerprint)] = state

    def score(self, fingerprint: int) -> float:
        """Return the score of a known fingerprint. Raises KeyError for an unknown one."""
        return float(self._scores[self._known_slot(fingerprint)])

    def set_score(self, fingerprint: int, score: float) -> None:
        """Change the score of a known fingerprint. Raises KeyError for an unknown one."""
        self._scores[self._known_slot(fingerprint)] = score

    def scores(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Return the scores of many fingerprints, 0 for unknown ones."""
        slots = self._slots(fingerprints)
        return np.where(self._states[slots], self._scores[slots], np.float32(0.0))

    def pay(self, fingerprints: NDArray[np.uint64], amount: float) -> None:
        """Add an amount to the score of each known fingerprint; skip unknown ones."""
        slots = self._slots(fingerprints)
        np.add.at(self._scores, slots[self._states[slots] != 0], np.float32(amount))

    def best(self, fingerprints: NDArray[np.uint64], count: int) -> tuple[int, float]:
        """Return the index of the highest score among the first `count` fingerprints, and that score."""
        scores = self.scores(fingerprints[:count])
        place = int(scores.argmax())
        return place, float(scores[place])

    def __contains__(self, fingerprint: int) -> bool:
        return self.state(fingerprint) != 0

    def __len__(self) -> int:
        return self._count

    @property
    def _arrays(self) -> SeenEntries:
        return SeenEntries(self._keys, self._states, self._scores)

    def _slot(self, fingerprint: int) -> int:
        return int(find_slot(self._keys, self._states, np.uint64(fingerprint)))

    def _slots(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.int64]:
        slots = np.empty(len(fingerprints), np.int64)
        find_slots(self._keys, self._states, fingerprints, slots)
        return slots

    def _known_slot(self, fingerprint: int) -> int:
        slot = self._slot(fingerprint)
        if not self._states[slot]:
            raise KeyError(fingerprint)
        return slot

    def _use(self, size: int) -> None:
        """Use the first `size` slots of the reserved memory as the table."""
        self._keys, self._states, self._scores = (column[:size] for column in self._room)
        self._limit = int(FULLEST * size)

    def _grow(self) -> None:
        """Grow in place, so that memory for a second table is not needed."""
        end, size = len(self._keys), int(len(self._keys) * GROWTH)
        if size > len(self._room[0]):
            self._make_room(end, ROOM * size)
        self._use(size)
        spare = []
        while end:
            aside = _no_entries(SPARE)
            end, count = spread(self._arrays, end, aside)
            spare.append(aside.part(slice(count)))
        for entries in spare:
            put_many(self._arrays, entries, True, self._limit, np.empty(SPARE, np.bool_))

    def _make_room(self, used: int, size: int) -> None:
        """Reserve memory for more slots, and copy the used ones, column by column."""
        del self._keys, self._states, self._scores
        for number, column in enumerate(self._room):
            longer = np.zeros(size, column.dtype)
            longer[:used] = column[:used]
            self._room[number] = longer


def _no_entries(size: int) -> SeenEntries:
    return SeenEntries(np.zeros(size, np.uint64), np.zeros(size, np.uint8), np.zeros(size, np.float32))


# Snapshot and log of the known-URL table
# ---------------------------------------
#
# Both files hold records of the same format: fingerprint (8 bytes), state (1), score (4, float),
# little-endian. The snapshot begins with a header with the number of records and their CRC-32. The log
# consists of batches, each appended at once, with the same header fields. The committed length of the
# log is in the catalogue.
#
# The catalogue has the same information. Reading it from there takes minutes instead of a second, but
# nothing is lost when these files are missing or damaged.

RECORD = np.dtype([("fingerprint", "<u8"), ("state", "u1"), ("score", "<f4")])
PIECE = 1 << 18  # records that are read at a time
MAGIC = b"GOSSSEEN"
FORMAT = 1
_HEADER = struct.Struct("<8sIIQ")  # magic, format, CRC-32, number of records
_BATCH = struct.Struct("<II")  # number of records, CRC-32


class DamagedTable(Exception):
    """The files of the known-URL table cannot be read."""


class SeenStore:
    """The files of one partition's known-URL table: `seen/<number>.table` and `seen/<number>.log`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.number = 0  # of the current snapshot
        self._log: AppendFile | None = None

    def expected(self, number: int, length: int) -> int:
        """Estimate the number of URLs in the table of a commit."""
        try:
            records = self._table(number).stat().st_size + length
        except OSError:
            return 0
        return records // RECORD.itemsize

    def read(self, number: int, length: int) -> Iterator[SeenEntries]:
        """Yield the table of a commit, piece by piece. Later entries overwrite earlier ones.

        Raises DamagedTable if it cannot be read. The caller then reads the catalogue instead.
        """
        self.number = number
        try:
            yield from _read_table(self._table(number))
            cut(self._log_path(number), length)
            if length:
                yield from _read_log(self._log_path(number), length)
        except (OSError, DamagedFile, DamagedTable) as error:
            # Entries that are appended from now on must not make a table with a gap look complete.
            with suppress(OSError):
                self._table(number).unlink()
            raise DamagedTable(str(error)) from error

    def append(self, columns: SeenEntries) -> None:
        """Append entries that are new or have changed to the log."""
        count = len(columns.keys)
        if count:
            payload = _records(columns).tobytes()
            self._writable().append(_BATCH.pack(count, zlib.crc32(payload)) + payload)

    def renew(self, pieces: Iterable[SeenEntries]) -> int:
        """Write a new snapshot with an empty log. The caller commits its number, then calls `tidy`."""
        self.close()
        self.number += 1
        table, log = self._table(self.number), self._log_path(self.number)
        with disk_errors(table):
            self._directory.mkdir(parents=True, exist_ok=True)
            log.unlink(missing_ok=True)
        with replaced_file(table) as out:
            _write_table(out, pieces)
        return self.number

    def sync(self, durable: bool) -> int:
        """Return the length of the log to commit; flush it to disk if `durable`."""
        log = self._writable()
        if durable:
            log.sync()
        return log.size

    def tidy(self) -> None:
        """Remove the files of earlier snapshots."""
        for path in self._directory.glob("*.*"):
            if path.suffix in {".table", ".log"} and path.stem != f"{self.number:06d}":
                path.unlink(missing_ok=True)

    def close(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def _writable(self) -> AppendFile:
        if self._log is None:
            self._log = AppendFile(self._log_path(self.number))
        return self._log

    def _table(self, number: int) -> Path:
        return self._directory / f"{number:06d}.table"

    def _log_path(self, number: int) -> Path:
        return self._directory / f"{number:06d}.log"


def _records(columns: SeenEntries) -> NDArray[np.void]:
    records = np.empty(len(columns.keys), RECORD)
    records["fingerprint"], records["state"], records["score"] = columns
    return records


def _write_table(out: BinaryIO, pieces: Iterable[SeenEntries]) -> None:
    checksum = count = 0
    out.write(bytes(_HEADER.size))
    for piece in pieces:
        payload = _records(piece).tobytes()
        checksum = zlib.crc32(payload, checksum)
        count += len(piece.keys)
        out.write(payload)
    out.seek(0)
    out.write(_HEADER.pack(MAGIC, FORMAT, checksum, count))


def _read_table(path: Path) -> Iterator[SeenEntries]:
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            raise DamagedTable(f"{path} is too short")
        magic, version, checksum, count = _HEADER.unpack(header)
        if (magic, version) != (MAGIC, FORMAT):
            raise DamagedTable(f"{path} is not a snapshot of a known-URL table")
        found = 0
        for left in range(count, 0, -PIECE):
            size = min(left, PIECE) * RECORD.itemsize
            payload = file.read(size)
            if len(payload) < size:
                raise DamagedTable(f"{path} lacks some of its last {left} records")
            found = zlib.crc32(payload, found)
            yield _columns(payload)
    if found != checksum:
        raise DamagedTable(f"{path} does not match its checksum")


def _read_log(path: Path, length: int) -> Iterator[SeenEntries]:
    """Yield the records of all batches; small batches are joined."""
    with path.open("rb") as file:
        payload = bytearray()
        while file.tell() < length:
            payload += _read_batch(path, file, length)
            if len(payload) >= PIECE * RECORD.itemsize or file.tell() == length:
                yield _columns(payload)
                payload = bytearray()


def _read_batch(path: Path, file: BinaryIO, length: int) -> bytes:
    start = file.tell()
    header = file.read(_BATCH.size)
    count, checksum = _BATCH.unpack(header) if len(header) == _BATCH.size else (length, 0)
    end = start + _BATCH.size + count * RECORD.itemsize
    payload = file.read(end - file.tell()) if end <= length else b""
    if not count or file.tell() != end or zlib.crc32(payload) != checksum:
        raise DamagedTable(f"{path}: the batch at offset {start} is not complete or is damaged")
    return payload


def _columns(payload: bytes | bytearray) -> SeenEntries:
    records = np.frombuffer(payload, RECORD)
    # copies, because the kernels are compiled for writable arrays
    return SeenEntries(*(records[name].copy() for name in RECORD.names or ()))
