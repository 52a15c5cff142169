"""Arrays of a new generation: each is written into its folder, and its checksum is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numpy.typing import DTypeLike, NDArray

from gossamer.links.files import ArrayFile, FileSum, array_file, mapped_array, sum_of


class NewArrays:
    """A folder of .npy files that grows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[str, FileSum] = {}

    @contextmanager
    def writing(self, name: str, kind: DTypeLike) -> Iterator[ArrayFile]:
        """An array that comes in pieces."""
        path = self._path(name)
        with array_file(path, kind) as file:
            yield file
        self.files[path.name] = sum_of(path)

    def write(self, name: str, array: NDArray[Any]) -> None:
        """An array that is there."""
        with self.writing(name, array.dtype) as file:
            file.append(array)

    def read(self, name: str) -> NDArray[Any]:
        """An array that was written, mapped into memory."""
        return mapped_array(self._path(name))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.npy"
