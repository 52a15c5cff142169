"""How arrays stand on the disk: one file a structure, memory-mapped, every array with its checksum.

8 bytes    magic "GOSSAMER"
4 bytes    length of the directory, little-endian
4 bytes    CRC-32 of the directory
directory  JSON: {"format": 1, "arrays": {name: {"dtype", "shape", "offset", "crc32"}}}
data       each array at a multiple of 64 bytes
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from isal.isal_zlib import crc32
from numpy.typing import NDArray

from gossamer.disk import new_file
from gossamer.model import DamagedFile, WrongFormat

MAGIC = b"GOSSAMER"
FORMAT = 1
ALIGNMENT = 64
AT_ONCE = 64  # pieces
_HEAD = struct.Struct("<8sII")

Array = NDArray[Any]
Piece = bytes | memoryview


def write_arrays(path: Path, arrays: Mapping[str, Array | Sequence[Piece]]) -> None:
    """Writes the arrays and makes sure that they are on the disk. Bytes may come in pieces."""
    entries: dict[str, dict[str, object]] = {}
    offset = 0
    for name, array in arrays.items():
        entries[name] = {**_shape(array), "offset": offset, "crc32": _checksum(array)}
        offset += -(-_size(array) // ALIGNMENT) * ALIGNMENT
    directory = json.dumps({"format": FORMAT, "arrays": entries}).encode()
    with new_file(path) as out:
        out.write(_HEAD.pack(MAGIC, len(directory), crc32(directory)))
        out.write(directory)
        out.write(b"\0" * (_data_start(len(directory)) - out.tell()))
        for array in arrays.values():
            for piece in _pieces(array):
                out.write(piece)
            out.write(b"\0" * (-_size(array) % ALIGNMENT))


def _shape(array: Array | Sequence[Piece]) -> dict[str, object]:
    if isinstance(array, np.ndarray):
        return {"dtype": array.dtype.str, "shape": list(array.shape)}
    return {"dtype": np.dtype(np.uint8).str, "shape": [_size(array)]}


def _size(array: Array | Sequence[Piece]) -> int:
    return array.nbytes if isinstance(array, np.ndarray) else sum(map(len, array))


def _checksum(array: Array | Sequence[Piece]) -> int:
    crc = 0
    for piece in _pieces(array):
        crc = crc32(piece, crc)
    return crc


def _pieces(array: Array | Sequence[Piece]) -> Iterator[Piece]:
    """The bytes of an array; small pieces are put together for the system."""
    if isinstance(array, np.ndarray):
        yield np.ascontiguousarray(array).data
        return
    for first in range(0, len(array), AT_ONCE):
        yield b"".join(array[first : first + AT_ONCE])


def read_arrays(path: Path) -> dict[str, Array]:
    """The arrays of a file, mapped into memory; damage of any bit is found before it is believed."""
    try:
        with path.open("rb") as source:
            size = os.fstat(source.fileno()).st_size
            if size < _HEAD.size:
                raise DamagedFile(path, "it is too short")
            mapped = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise DamagedFile(path, "it is missing") from None
    directory, start = _read_directory(path, mapped)
    return {name: _map_array(path, mapped, start, name, entry) for name, entry in directory.items()}


def _data_start(directory_bytes: int) -> int:
    return -(-(_HEAD.size + directory_bytes) // ALIGNMENT) * ALIGNMENT


def _read_directory(path: Path, mapped: mmap.mmap) -> tuple[dict[str, dict[str, Any]], int]:
    magic, length, crc = _HEAD.unpack_from(mapped, 0)
    directory = mapped[_HEAD.size : _HEAD.size + length]
    if magic != MAGIC or len(directory) != length or crc32(directory) != crc:
        raise DamagedFile(path, "its directory does not match its checksum")
    content = json.loads(directory)
    if content["format"] != FORMAT:
        raise WrongFormat(path, content["format"], FORMAT)
    return content["arrays"], _data_start(length)


def _map_array(path: Path, mapped: mmap.mmap, start: int, name: str, entry: dict[str, Any]) -> Array:
    dtype = np.dtype(entry["dtype"])
    shape = tuple(entry["shape"])
    count = int(np.prod(shape, dtype=np.int64))
    begin = start + entry["offset"]
    if begin + count * dtype.itemsize > len(mapped):
        raise DamagedFile(path, f"the array {name} is cut short")
    array = np.frombuffer(mapped, dtype=dtype, count=count, offset=begin)
    if crc32(array.data) != entry["crc32"]:
        raise DamagedFile(path, f"the array {name} does not match its checksum")
    return array.reshape(shape)
