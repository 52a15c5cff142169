"""How do documents become the blocks that `stored` reads?"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Protocol

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.index.files import ArraysWriter, Piece, arrays_writer
from gossamer.index.stored import FRAMES, Stored, told

LEVEL = 1  # of zstandard
BLOCK_BYTES = 1 << 12  # with which a block is full that documents share
DICTIONARY_BYTES = 1 << 14
SAMPLED = 50 * DICTIONARY_BYTES  # bytes of which a dictionary is made
SAMPLED_OF_ONE = 1 << 12  # bytes of one document in these, the first
FEWEST_SAMPLED = 1 << 17  # bytes: of less nothing is learned
MOST_WAITING = 1 << 24  # bytes of documents that wait for a dictionary
AT_ONCE = 1 << 8  # pages that are given away together

Give = Callable[[Piece], None]


class Writer(Protocol):
    """Documents in, blocks out; in the order in which they come."""

    dictionary: bytes  # by which they are compressed, as far as it is known

    @property
    def memory(self) -> int:
        """Bytes that are not given away yet, and what finds the others."""
        ...

    def __len__(self) -> int: ...

    def extend(self, packed: Iterable[bytes]) -> None: ...

    def settle(self) -> None:
        """Gives the last of them away."""
        ...

    def finish(self, out: ArraysWriter, slots: NDArray[np.uint32]) -> None:
        """Writes what finds a document in the blocks, behind these.

        `slots` tells for each document of the segment as which it came.
        """
        ...


class TextsWriter:
    """Short texts, which share blocks. A block is given away once it is full."""

    def __init__(self, give: Give) -> None:
        self._give = give
        self.dictionary = b""
        self._compress = _compressor(b"")
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._offsets = array("I")
        self._block_slots = array("I", [0])
        self._block_starts = array("q", [0])

    @property
    def memory(self) -> int:
        return self._waiting_bytes + self._offsets.itemsize * len(self)

    def __len__(self) -> int:
        return len(self._offsets)

    def extend(self, packed: Iterable[bytes]) -> None:
        for text in packed:
            self._offsets.append(self._waiting_bytes)
            self._waiting.append(text)
            self._waiting_bytes += len(text)
            if self._waiting_bytes >= BLOCK_BYTES:
                self.settle()

    def settle(self) -> None:
        if self._waiting:
            block = self._compress(b"".join(self._waiting))
            self._give(block)
            self._block_slots.append(len(self._offsets))
            self._block_starts.append(self._block_starts[-1] + len(block))
            self._waiting.clear()
            self._waiting_bytes = 0

    def finish(self, out: ArraysWriter, slots: NDArray[np.uint32]) -> None:
        _finish(out, slots, self._block_starts, self.dictionary)
        out.append("offsets", np.frombuffer(self._offsets, np.uint32))
        out.append("block_slots", np.frombuffer(self._block_slots, np.uint32))


class PagesWriter:
    """Pages, each a block of its own, by a dictionary; without one it is made of the first of them."""

    def __init__(self, give: Give, dictionary: bytes = b"") -> None:
        self._give = give
        self.dictionary = dictionary
        self._compress = _compressor(dictionary)
        self._waiting: list[bytes] = []  # for a dictionary
        self._waiting_bytes = 0
        self._sampled = SAMPLED if dictionary else 0
        self._starts = array("q", [0])

    @property
    def memory(self) -> int:
        return self._waiting_bytes + self._starts.itemsize * len(self)

    def __len__(self) -> int:
        return len(self._starts) - 1 + len(self._waiting)

    def extend(self, packed: Iterable[bytes]) -> None:
        rest = iter(self._sample(packed) if self._sampled < SAMPLED else packed)
        while blocks := [self._compress(page) for page in islice(rest, AT_ONCE)]:
            self._add(b"".join(blocks), map(len, blocks))

    def take_over(self, stored: Stored, first: int, end: int) -> None:
        """Pages that are blocks already, by the same dictionary, as they are."""
        self.settle()
        starts = stored.block_starts[first : end + 1]
        self._add(stored.data[starts[0] : starts[-1]].data, np.diff(starts).tolist())

    def settle(self) -> None:
        if self._sampled < SAMPLED:
            self.extend(self._learned())

    def finish(self, out: ArraysWriter, slots: NDArray[np.uint32]) -> None:
        _finish(out, slots, self._starts, self.dictionary)
        out.append("offsets", np.empty(0, np.uint32))  # each page begins its block
        out.append("block_slots", np.empty(0, np.uint32))

    def _add(self, blocks: Piece, sizes: Iterable[int]) -> None:
        self._give(blocks)
        self._starts.extend(islice(accumulate(sizes, initial=self._starts[-1]), 1, None))

    def _sample(self, packed: Iterable[bytes]) -> Iterable[bytes]:
        """Keeps pages until there are enough of them; then all that waited, and those that follow."""
        rest = iter(packed)
        for page in rest:
            self._waiting.append(page)
            self._waiting_bytes += len(page)
            self._sampled += min(len(page), SAMPLED_OF_ONE)
            if self._sampled >= SAMPLED or self._waiting_bytes > MOST_WAITING:
                return chain(self._learned(), rest)
        return ()

    def _learned(self) -> list[bytes]:
        """What waited, once it has become a dictionary."""
        kept, self._waiting, self._waiting_bytes, self._sampled = self._waiting, [], 0, SAMPLED
        self.dictionary = _learned(kept)
        self._compress = _compressor(self.dictionary)
        return kept


def _finish(out: ArraysWriter, slots: NDArray[np.uint32], starts: array[int], dictionary: bytes) -> None:
    out.append("data", b"")  # where there is none
    out.append("dictionary", dictionary)
    out.append("slots", slots)
    out.append("block_starts", np.frombuffer(starts, np.int64))


def _learned(documents: Sequence[bytes]) -> bytes:
    """A dictionary of what documents have in common; none where they are too few, or have nothing."""
    samples: list[bytes | bytearray | memoryview] = [document[:SAMPLED_OF_ONE] for document in documents]
    if sum(map(len, samples)) < FEWEST_SAMPLED:
        return b""
    try:
        return zstandard.train_dictionary(DICTIONARY_BYTES, samples, level=LEVEL).as_bytes()
    except zstandard.ZstdError:
        return b""


def _compressor(dictionary: bytes) -> Callable[[bytes], bytes]:
    # All texts are treated as long ones: shorter repetitions would save 3% of the room and take twice the
    # time.
    parameters = zstandard.ZstdCompressionParameters.from_level(LEVEL, format=FRAMES, write_dict_id=False)
    beforehand = told(dictionary)
    if beforehand is not None:
        beforehand.precompute_compress(compression_params=parameters)
    return zstandard.ZstdCompressor(dict_data=beforehand, compression_params=parameters).compress


class StoredWriter:
    """Keeps the blocks in memory until the segment is written."""

    def __init__(self, make: Callable[[Give], Writer] = PagesWriter) -> None:
        self._blocks: list[Piece] = []
        self._given = 0  # bytes in them
        self._writer = make(self._keep)

    def __len__(self) -> int:
        return len(self._writer)

    @property
    def dictionary(self) -> bytes:
        """By which the next documents may be compressed as well."""
        return self._writer.dictionary

    @property
    def memory(self) -> int:
        return self._given + self._writer.memory

    def extend(self, packed: Iterable[bytes]) -> None:
        self._writer.extend(packed)

    def write(self, path: Path, slots: NDArray[np.uint32]) -> None:
        """`slots` tells for each document of the segment as which it came."""
        self._writer.settle()
        with arrays_writer(path) as out:
            for block in self._blocks:
                out.append("data", block)
            self._writer.finish(out, slots)

    def _keep(self, block: Piece) -> None:
        self._blocks.append(block)
        self._given += len(block)
