"""How arrays stand on the disk: one file a structure, memory-mapped, every array with its checksum.

data       each array at a multiple of 64 bytes, with zeros before it
directory  JSON: {"format": 2, "arrays": {name: {"dtype", "shape", "offset", "crc32"}}}
8 bytes    length and CRC-32 of the directory, little-endian
8 bytes    magic "GOSSAMER"

The directory stands at the end, so that arrays can be written before their sizes are known.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from isal.isal_zlib import crc32
from numpy.typing import NDArray

from gossamer.disk import new_file
from gossamer.model import DamagedFile, GossamerError, WrongFormat

MAGIC = b"GOSSAMER"
FORMAT = 2
ALIGNMENT = 64
_END = struct.Struct("<II8s")

Array = NDArray[Any]
Piece = bytes | memoryview


class ArraysWriter:
    """Arrays into one file, one after the other; each may come in pieces."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._written = 0
        self._entries: dict[str, dict[str, Any]] = {}

    def append(self, name: str, piece: Array | Piece) -> None:
        """Adds to the array of this name; a new name ends the array before it."""
        array = piece if isinstance(piece, np.ndarray) else np.frombuffer(piece, np.uint8)
        if name not in self._entries:
            self._begin(name, array)
        entry = self._entries[name]
        assert name == next(reversed(self._entries)), f"{name} was ended already"
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
    """A file of arrays: it is on the disk when the block ends, and gone when the block fails."""
    with new_file(path) as out:
        writer = ArraysWriter(out)
        yield writer
        writer.finish()


def write_arrays(path: Path, arrays: Mapping[str, Array | Iterable[Array | Piece]]) -> None:
    """Writes the arrays and makes sure that they are on the disk. Each may come in pieces, at least one."""
    with arrays_writer(path) as writer:
        for name, array in arrays.items():
            for piece in [array] if isinstance(array, np.ndarray) else array:
                writer.append(name, piece)


def read_arrays(path: Path) -> dict[str, Array]:
    """The arrays of a file, mapped into memory; damage of any bit is found before it is believed."""
    try:
        with path.open("rb") as source:
            size = os.fstat(source.fileno()).st_size
            if size < _END.size:
                raise DamagedFile(path, "it is too short")
            mapped = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise DamagedFile(path, "it is missing") from None
    except OSError as error:
        raise GossamerError(f"cannot open {path}: {error.strerror or error}") from error
    directory = _read_directory(path, mapped)
    arrays, reached = {}, 0
    for name, entry in directory.items():
        if any(mapped[reached : entry["offset"]]):
            raise DamagedFile(path, f"there should be nothing before the array {name}")
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
