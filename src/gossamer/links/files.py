"""How are arrays written so that they are there whole, or not at all?"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from isal.isal_zlib import crc32
from numpy.typing import DTypeLike, NDArray

from gossamer.disk import new_file, write_atomically
from gossamer.model import DamagedFile, WrongFormat

PIECE = 1 << 22
HEADER = 128  # bytes before the numbers of an .npy file: enough for any length

FileSum = dict[str, int]  # "bytes" and "crc32" of a file as it was written


class ArrayFile:
    """An .npy file of one dimension that is written in pieces, front to back."""

    def __init__(self, out: BinaryIO, kind: DTypeLike) -> None:
        self._out = out
        self._kind = np.dtype(kind)
        self._count = 0
        self._out.write(b"\0" * HEADER)

    def append(self, piece: NDArray[Any]) -> None:
        self._count += len(piece)
        self._out.write(np.ascontiguousarray(piece, self._kind).data)

    def finish(self) -> None:
        """Writes the header: only now the length is known."""
        self._out.seek(0)
        self._out.write(_header(self._kind, self._count))


def _header(kind: np.dtype[Any], count: int) -> bytes:
    """The beginning of an .npy file, format 1.0."""
    said = f"{{'descr': {kind.str!r}, 'fortran_order': False, 'shape': ({count},), }}"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", HEADER - 10)
    return head + said.ljust(HEADER - len(head) - 1).encode() + b"\n"


@contextmanager
def array_file(path: Path, kind: DTypeLike) -> Iterator[ArrayFile]:
    """A new .npy file: on the disk when the block ends, and gone when the block fails."""
    with new_file(path) as out:
        file = ArrayFile(out, kind)
        yield file
        file.finish()


def sum_of(path: Path) -> FileSum:
    """Size and checksum of a file, to be remembered."""
    return {"bytes": path.stat().st_size, "crc32": checksum(path)}


def checksum(path: Path) -> int:
    """CRC-32 of a file."""
    value = 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            value = crc32(piece, value)
    return value


def array_problem(path: Path, remembered: FileSum) -> str:
    """What is wrong with a file, or an empty string."""
    try:
        size = path.stat().st_size
        if size != remembered["bytes"]:
            return f"it has {size} bytes, {remembered['bytes']} were written"
        return "" if checksum(path) == remembered["crc32"] else "its checksum is not that of what was written"
    except OSError as error:
        return f"it cannot be read: {error.strerror}"


def mapped_array(path: Path) -> NDArray[Any]:
    """The array of a file, mapped into memory."""
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DamagedFile(path, f"it cannot be read as an array: {error}") from error
    return array


def write_manifest(path: Path, content: dict[str, Any]) -> None:
    """Swaps a manifest atomically: after a sudden death there is the old one or the new one."""
    body = json.dumps(content, sort_keys=True)
    whole = {"content": content, "crc32": zlib.crc32(body.encode())}
    write_atomically(path, json.dumps(whole, indent=1, sort_keys=True).encode())


def read_manifest(path: Path, format_number: int) -> dict[str, Any]:
    """The content of a manifest; `DamagedFile` when it is not what was written."""
    try:
        whole = json.loads(path.read_text("utf-8"))
        content: dict[str, Any] = whole["content"]
        body = json.dumps(content, sort_keys=True)
        is_sound = whole["crc32"] == zlib.crc32(body.encode())
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFile(path, "it cannot be read as a manifest") from error
    if not is_sound:
        raise DamagedFile(path, "its checksum is not that of its content")
    if content.get("format") != format_number:
        raise WrongFormat(path, content.get("format"), format_number, "run: gossamer rank")
    return content
