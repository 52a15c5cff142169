"""How are arrays written so that they are there whole, or not at all?"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.disk import new_file, write_atomically
from gossamer.model import DamagedFile, WrongFormat

PIECE = 1 << 22

FileSum = dict[str, int]  # "bytes" and "crc32" of a file as it was written


def write_array(path: Path, array: NDArray[Any]) -> FileSum:
    """Writes a .npy file to the disk; returns the size and checksum to remember."""
    with new_file(path) as file:
        np.save(file, array, allow_pickle=False)
    return {"bytes": path.stat().st_size, "crc32": checksum(path)}


def checksum(path: Path) -> int:
    """CRC-32 of a file."""
    value = 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            value = zlib.crc32(piece, value)
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
        raise WrongFormat(path, content.get("format"), format_number)
    return content
