"""Read text files and JSON lines, compressed or not."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from gossamer.model import UsageError

_UNREADABLE = (OSError, EOFError, UnicodeDecodeError, zlib.error)


def lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the non-empty lines of a file, each with its position for error messages."""
    number = 0
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield f"{path}, line {number}", line.rstrip("\n")
    except _UNREADABLE as error:
        raise UsageError(f"{path}, after line {number}: it cannot be read ({error})") from error


def _opened(path: Path) -> TextIO:
    # Files from Windows may start with a byte order mark.
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def beginning(path: Path) -> str:
    """Return the first non-empty line, which tells the format of the file; "" if there is none."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            first = next((line for line in file if line.strip(b"\xef\xbb\xbf \t\r\n")), b"")
    except _UNREADABLE as error:
        raise UsageError(f"{path}: it cannot be read ({error})") from error
    return first.decode("utf-8-sig", "replace").strip()


def whole(path: Path) -> str:
    """Read a whole file as UTF-8, or else as Latin-1, as in collections of the 1990s."""
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except _UNREADABLE as error:
        raise UsageError(f"{path}: it cannot be read ({error})") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the JSON objects of a file with one per line, each with its position for error messages."""
    for place, line in lines(path):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UsageError(f"{place}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise UsageError(f"{place}: not a JSON object")
        yield place, row


def text_of(row: dict[str, Any], key: str, place: str, default: str | None = None) -> str:
    """Return a string, or an integer as a string, from a row."""
    value = row.get(key, default)
    if value is None and default is not None:
        return default
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise UsageError(f'{place}: "{key}" is missing or not a string')
    return str(value)
