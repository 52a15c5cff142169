"""Sort more numbers than fit into memory.

The numbers are distributed over files by their highest bits, and each file is sorted on its own. A file that
is still too large is distributed again by its next bits. If all numbers fit into memory, no file is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gossamer.storage.files import disk_errors

FAN_BITS = 7  # a round distributes to 128 files
BYTES_A_NUMBER = 48  # memory per number: buffered, concatenated, sorted, and processed by the caller
SOURCE = np.uint64(0xFFFFFFFF)  # a link is packed as target << TARGET | source
TARGET = np.uint64(32)
Numbers = NDArray[np.uint64]


def distinct(numbers: Numbers) -> Numbers:
    """Sort in place and return each number once. Much faster than `np.unique`."""
    numbers.sort()
    if len(numbers) < 2:
        return numbers
    is_new = np.empty(len(numbers), np.bool_)
    is_new[0] = True
    np.not_equal(numbers[1:], numbers[:-1], out=is_new[1:])
    return numbers[is_new]


class ExternalSort:
    """External sort: takes numbers of up to `bits` bits, returns them in ascending order without repeats."""

    def __init__(self, folder: Path, name: str, bits: int, memory: int) -> None:
        self._folder = folder
        self._name = name
        self._memory = memory
        self._most = max(1, memory // BYTES_A_NUMBER)
        self._shift = max(0, bits - FAN_BITS)
        self._mask = np.uint64((1 << (bits - self._shift)) - 1)
        self._held: list[Numbers] = []
        self._count = 0
        self._buckets: set[int] = set()

    def add(self, numbers: Numbers) -> None:
        """Add numbers; the array must not change afterwards."""
        for begin in range(0, len(numbers), self._most):
            piece = numbers[begin : begin + self._most]
            self._held.append(piece)
            self._count += len(piece)
            if self._count >= self._most:
                self._spread()

    def rising(self) -> Iterator[Numbers]:
        """Yield all numbers in ascending order, in pieces. Can be called once."""
        if not self._buckets:
            yield self._taken()
            return
        if self._count:
            self._spread()
        for bucket in sorted(self._buckets):
            path = self._path(bucket)
            yield from self._of_bucket(path)
            path.unlink(missing_ok=True)

    def _of_bucket(self, path: Path) -> Iterator[Numbers]:
        if not self._shift:  # no bits are left: all numbers of the file are equal
            yield np.fromfile(path, np.uint64, 1)
        elif path.stat().st_size // 8 <= self._most:
            yield distinct(np.fromfile(path, np.uint64))
        else:
            finer = ExternalSort(self._folder, path.name, self._shift, self._memory)
            with path.open("rb") as file:
                while len(piece := np.fromfile(file, np.uint64, self._most)):
                    finer.add(piece)
            path.unlink()
            yield from finer.rising()

    def _spread(self) -> None:
        numbers = self._taken()
        buckets = (numbers >> np.uint64(self._shift)) & self._mask
        begins = np.flatnonzero(np.diff(buckets, prepend=~buckets[:1]))
        ends = np.append(begins[1:], len(numbers))
        with disk_errors(self._folder):
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
                bucket = int(buckets[begin])
                self._buckets.add(bucket)
                with self._path(bucket).open("ab") as file:
                    file.write(numbers[begin:end].data)

    def _taken(self) -> Numbers:
        held, self._held, self._count = self._held, [], 0
        return distinct(np.concatenate([np.empty(0, np.uint64), *held]))

    def _path(self, bucket: int) -> Path:
        return self._folder / f"{self._name}.{bucket:03d}"
