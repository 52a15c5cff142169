"""Durable files: atomic replace, array files, manifests, append-only files.

A new file is valid when its content and its name are on the disk. A file that others read is replaced
atomically. If the disk is full or read-only, the error names the file and says what to do.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import numpy as np
from isal.isal_zlib import crc32
from numpy.typing import NDArray

from gossamer.model import BadFile, BadSetting, DamagedFile, GossamerError, WrongFormat

MOST_OPEN = 65_536  # open files and connections: more than any process needs


def most_open() -> int:
    """Raise this process's limit of open files and connections as far as possible, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_OPEN if hard == resource.RLIM_INFINITY else min(MOST_OPEN, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # some systems refuse even their stated maximum
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_OPEN if soft == resource.RLIM_INFINITY else soft


FileVersion = tuple[int, int, int]


def version_of(path: Path) -> FileVersion | None:
    """Return a value that changes when a file is changed or replaced; None if there is no file."""
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


T = TypeVar("T")


class WatchedFile(Generic[T]):
    """The content of a text file of the owner, read again when it changes. Threads may share it."""

    def __init__(self, path: Path, read: Callable[[str, str], T], nothing: T) -> None:
        """`read` takes the text and the name of the file; `nothing` is the content if there is no file."""
        self._path = path
        self._read = read
        self._nothing = nothing
        self._known: tuple[FileVersion, T] | None = None

    def content(self) -> T:
        """Return the current content; raise BadFile with the file and the line of an error."""
        try:
            version, known = version_of(self._path), self._known
            if version is None:
                return self._nothing
            if known is None or known[0] != version:
                known = version, self._read(self._path.read_text(encoding="utf-8"), str(self._path))
                self._known = known
        except FileNotFoundError:
            return self._nothing
        except UnicodeDecodeError as error:
            raise BadFile(f"{self._path}: it should be UTF-8 ({error.reason})") from None
        except OSError as error:
            raise BadFile(f"{self._path}: it cannot be read ({error.strerror})") from None
        except BadSetting as error:
            raise BadFile(str(error)) from None
        return known[1]


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Convert an OSError in the block to a GossamerError that names the file, the reason and what to do."""
    try:
        yield
    except OSError as error:
        raise GossamerError(
            f"cannot write {path}: {error.strerror or error}; make room or check the disk, then try again"
        ) from error


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a new file to write. It is flushed to disk at the end of the block, and deleted on failure."""
    with disk_errors(path):
        try:
            with path.open("wb") as out:
                yield out
                out.flush()
                os.fsync(out.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise


@contextmanager
def replaced_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that atomically replaces the one at `path` when the block ends."""
    temporary = path.with_name(path.name + ".new")
    with new_file(temporary) as out:
        yield out
    with disk_errors(path):
        temporary.replace(path)
        sync_folder(path.parent)


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the content of a file: a reader sees the old content or the new, never a mixture."""
    with replaced_file(path) as out:
        out.write(data)


def sync_folder(folder: Path) -> None:
    """Flush the file names of a folder to disk, so that they survive a power failure."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# Array files: memory-mapped, checksummed
# ---------------------------------------
#
#     data       arrays, each padded with zeros to begin at a multiple of 64 bytes
#     directory  JSON: {"format": 2, "arrays": {name: {"dtype", "shape", "offset", "crc32"}}}
#     8 bytes    length and CRC-32 of the directory, little-endian
#     8 bytes    magic "GOSSAMER"
#
# The directory is at the end, so that arrays can be written before their sizes are known.

MAGIC = b"GOSSAMER"
FORMAT = 2
ALIGNMENT = 64
_END = struct.Struct("<II8s")
Array = NDArray[Any]
Piece = bytes | memoryview


class ArraysWriter:
    """Writer of arrays to one file, one after the other; each may come in pieces."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._written = 0
        self._entries: dict[str, dict[str, Any]] = {}

    def append(self, name: str, piece: Array | Piece) -> None:
        """Append to the array of this name. A new name ends the previous array."""
        array = piece if isinstance(piece, np.ndarray) else np.frombuffer(piece, np.uint8)
        if name not in self._entries:
            self._begin(name, array)
        entry = self._entries[name]
        assert name == next(reversed(self._entries)), f"{name} has already ended"
        assert entry["dtype"] == array.dtype.str, f"{name} has pieces of different types"
        data = np.ascontiguousarray(array).data
        entry["shape"][0] += len(array)
        entry["crc32"] = crc32(data, entry["crc32"])
        self._write(data)

    def _begin(self, name: str, array: Array) -> None:
        self._write(b"\0" * (-self._written % ALIGNMENT))
        self._entries[name] = {
            "dtype": array.dtype.str,
            "shape": [0, *array.shape[1:]],
            "offset": self._written,
            "crc32": 0,
        }

    def _write(self, data: Piece) -> None:
        self._out.write(data)
        self._written += memoryview(data).nbytes

    def finish(self) -> None:
        directory = json.dumps({"format": FORMAT, "arrays": self._entries}).encode()
        self._write(directory + _END.pack(len(directory), crc32(directory), MAGIC))


@contextmanager
def arrays_writer(path: Path) -> Iterator[ArraysWriter]:
    """Open a new file of arrays to write. It is flushed to disk at the end, and deleted on failure."""
    with new_file(path) as out:
        writer = ArraysWriter(out)
        yield writer
        writer.finish()


def write_arrays(path: Path, arrays: Mapping[str, Array | Iterable[Array | Piece]]) -> None:
    """Write arrays to a file and flush it to disk. Each may come in pieces, at least one."""
    with arrays_writer(path) as writer:
        for name, array in arrays.items():
            for piece in [array] if isinstance(array, np.ndarray) else array:
                writer.append(name, piece)


def read_arrays(path: Path) -> dict[str, Array]:
    """Map the arrays of a file into memory. Their checksums are verified, so that any damage is found."""
    try:
        with path.open("rb") as source:
            if os.fstat(source.fileno()).st_size < _END.size:
                raise DamagedFile(path, "it is too short for an array file")
            mapped = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise DamagedFile(path, "it is missing") from None
    except OSError as error:
        raise GossamerError(f"cannot open {path}: {error.strerror or error}") from error
    directory = _read_directory(path, mapped)
    arrays, reached = {}, 0
    for name, entry in directory.items():
        if any(mapped[reached : entry["offset"]]):
            raise DamagedFile(path, f"the padding before the array {name} is not zero")
        arrays[name] = _map_array(path, mapped, name, entry)
        reached = entry["offset"] + arrays[name].nbytes
    return arrays


def _read_directory(path: Path, mapped: mmap.mmap) -> dict[str, dict[str, Any]]:
    length, crc, magic = _END.unpack_from(mapped, len(mapped) - _END.size)
    directory = mapped[max(0, len(mapped) - _END.size - length) : len(mapped) - _END.size]
    if magic != MAGIC or len(directory) != length or crc32(directory) != crc:
        raise DamagedFile(path, "its directory does not match its checksum")
    content = json.loads(directory)
    if content["format"] != FORMAT:
        raise WrongFormat(path, content["format"], FORMAT)
    arrays: dict[str, dict[str, Any]] = content["arrays"]
    return arrays


def _map_array(path: Path, mapped: mmap.mmap, name: str, entry: dict[str, Any]) -> Array:
    dtype = np.dtype(entry["dtype"])
    shape = tuple(entry["shape"])
    count = int(np.prod(shape, dtype=np.int64))
    if entry["offset"] + count * dtype.itemsize > len(mapped):
        raise DamagedFile(path, f"the array {name} is cut short")
    array = np.frombuffer(mapped, dtype=dtype, count=count, offset=entry["offset"])
    if crc32(array.data) != entry["crc32"]:
        raise DamagedFile(path, f"the array {name} does not match its checksum")
    return array.reshape(shape)


# Manifests
# ---------
#
# A manifest lists the valid files of a folder. It is JSON, then a line with the CRC-32 of the JSON in
# hexadecimal digits.


def write_manifest(path: Path, content: Mapping[str, Any]) -> None:
    """Replace a manifest atomically: after a crash, the old one or the new one is there."""
    body = json.dumps(content, indent=1).encode()
    before = path.stat().st_mtime_ns if path.exists() else 0
    write_atomically(path, body + b"\n" + f"{crc32(body):08x}\n".encode())
    # Readers compare inode and modification time. Inodes are reused, and the clock may not have advanced.
    if path.stat().st_mtime_ns <= before:
        os.utime(path, ns=(before + 1, before + 1))


def read_manifest(path: Path, format_number: int, remedy: str) -> dict[str, Any]:
    """Read a manifest. If its format differs, the error contains the `remedy`."""
    body, _, crc = path.read_bytes().rstrip(b"\n").rpartition(b"\n")
    if f"{crc32(body):08x}".encode() != crc:
        raise DamagedFile(path, "it does not match its checksum")
    content: dict[str, Any] = json.loads(body)
    if content["format"] != format_number:
        raise WrongFormat(path, content["format"], format_number, remedy)
    return content


# Append-only file, cut to committed length
# -----------------------------------------
#
# Every append is one unbuffered write: other processes can read it at once, and a write that fails (a
# full disk) is undone. The committed length is stored elsewhere. After a crash, `cut` removes what
# follows it.


class AppendFile:
    """An append-only file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._is_new = not path.exists()
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self.size = os.fstat(self._descriptor).st_size

    def append(self, data: bytes) -> int:
        """Append data; return the offset at which it begins."""
        start = self.size
        try:
            self._write(data)
        except OSError:
            with disk_errors(self.path):
                os.ftruncate(self._descriptor, start)
                raise
        self.size = start + len(data)
        return start

    def _write(self, data: bytes) -> None:
        written = os.write(self._descriptor, data)
        while written < len(data):
            written += os.write(self._descriptor, data[written:])

    def sync(self) -> None:
        """Flush the file to disk, including its name."""
        with disk_errors(self.path):
            os.fsync(self._descriptor)
            if self._is_new:
                sync_folder(self.path.parent)
                self._is_new = False

    def close(self) -> None:
        os.close(self._descriptor)


def cut(path: Path, length: int) -> None:
    """Remove what was written after the last commit. Raises DamagedFile if committed bytes are missing."""
    found = path.stat().st_size if path.exists() else 0
    if found < length:
        raise DamagedFile(path, f"it has {found} bytes, but {length} were committed")
    if found > length:
        with disk_errors(path):
            os.truncate(path, length)
