"""How do documents become the blocks that `stored` reads, and segments of them one?"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.index.files import ArraysWriter, Piece, arrays_writer
from gossamer.index.stored import Stored, told

LEVEL = 1  # of zstandard
ALONE = 0  # bytes with which a block is full: any document's
TOGETHER_BYTES = 1 << 12  # the same where documents share blocks
DICTIONARY_BYTES = 1 << 14
SAMPLED = 50 * DICTIONARY_BYTES  # bytes of which a dictionary is made
SAMPLED_OF_ONE = 1 << 12  # bytes of one document in these, the first
FEWEST_SAMPLED = 1 << 17  # bytes: of less nothing is learned
MOST_WAITING = 1 << 24  # bytes of documents that wait for a dictionary
AT_ONCE = 1 << 8  # blocks that a merge takes over


class BlocksWriter:
    """Documents in, blocks out; in the order in which they come. A block is given away once it is full."""

    def __init__(self, give: Callable[[Piece], None], block_bytes: int, dictionary: bytes = b"") -> None:
        """Without a dictionary one is made of the first documents, unless they share blocks."""
        self._give = give
        self._block_bytes = block_bytes
        self.dictionary = dictionary
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._sampled = 0 if block_bytes == ALONE and not dictionary else SAMPLED  # bytes that wait
        self._compress = _compressor(dictionary)
        self._offsets = array("I")
        self._block_slots = array("I", [0])
        self._block_starts = array("q", [0])

    def __len__(self) -> int:
        waiting = len(self._waiting) if self._samples else 0
        return len(self._offsets) + waiting

    @property
    def _samples(self) -> bool:
        """Whether documents still wait for a dictionary."""
        return self._sampled < SAMPLED

    def extend(self, packed: Iterable[bytes]) -> None:
        if self._samples:
            packed = self._sample(packed)
        offsets, waiting, size, full = self._offsets, self._waiting, self._waiting_bytes, self._block_bytes
        for document in packed:
            offsets.append(size)
            waiting.append(document)
            size += len(document)
            if size >= full:
                self._close()
                size = 0
        self._waiting_bytes = size

    def _sample(self, packed: Iterable[bytes]) -> Iterable[bytes]:
        """Keeps documents until there are enough of them; then all that waited."""
        rest = iter(packed)
        for document in rest:
            self._waiting.append(document)
            self._waiting_bytes += len(document)
            self._sampled += min(len(document), SAMPLED_OF_ONE)
            if not self._samples or self._waiting_bytes > MOST_WAITING:
                return chain(self._sampled_enough(), rest)
        return ()

    def _sampled_enough(self) -> list[bytes]:
        """What waited, once it has become a dictionary."""
        kept, self._waiting, self._waiting_bytes, self._sampled = self._waiting, [], 0, SAMPLED
        self.dictionary = _learned(kept)
        self._compress = _compressor(self.dictionary)
        return kept

    def _settle(self) -> None:
        """No document waits any more."""
        if self._samples:
            self.extend(self._sampled_enough())
        self._close()

    def add_blocks(self, stored: Stored, first: int, end: int) -> None:
        """Documents that are blocks already, by the same dictionary, as they are."""
        self._settle()
        slots, starts = stored.block_slots[first : end + 1], stored.block_starts[first : end + 1]
        before, at = len(self), self._block_starts[-1]
        self._offsets.frombytes(stored.offsets[slots[0] : slots[-1]].tobytes())
        self._block_slots.frombytes((slots[1:] - slots[0] + np.uint32(before)).tobytes())
        self._block_starts.frombytes((starts[1:] - starts[0] + at).tobytes())
        self._give(stored.data[starts[0] : starts[-1]].data)

    def _close(self) -> None:
        if self._waiting:
            self._append(self._compress(b"".join(self._waiting)))
            self._waiting.clear()
            self._waiting_bytes = 0

    def _append(self, block: Piece) -> None:
        self._give(block)
        self._block_slots.append(len(self._offsets))
        self._block_starts.append(self._block_starts[-1] + len(block))

    def finish(self, out: ArraysWriter, slots: NDArray[np.uint32]) -> None:
        """Gives the last block away, and writes what finds a document in the blocks.

        `slots` tells for each document of the segment as which it came.
        """
        self._settle()
        out.append("data", b"")
        out.append("dictionary", self.dictionary)
        out.append("slots", slots)
        out.append("offsets", np.frombuffer(self._offsets, np.uint32))
        out.append("block_slots", np.frombuffer(self._block_slots, np.uint32))
        out.append("block_starts", np.frombuffer(self._block_starts, np.int64))


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
    parameters = zstandard.ZstdCompressionParameters.from_level(LEVEL, write_dict_id=False)
    beforehand = told(dictionary)
    if beforehand is not None:
        beforehand.precompute_compress(compression_params=parameters)
    return zstandard.ZstdCompressor(dict_data=beforehand, compression_params=parameters).compress


class StoredWriter(BlocksWriter):
    """Keeps the blocks in memory until the segment is written."""

    def __init__(self, block_bytes: int = ALONE, dictionary: bytes = b"") -> None:
        self._blocks: list[Piece] = []
        super().__init__(self._blocks.append, block_bytes, dictionary)

    @property
    def memory(self) -> int:
        return self._block_starts[-1] + self._waiting_bytes + self._offsets.itemsize * len(self)

    def write(self, path: Path, slots: NDArray[np.uint32]) -> None:
        """`slots` tells for each document of the segment as which it came."""
        self._settle()
        with arrays_writer(path) as out:
            for block in self._blocks:
                out.append("data", block)
            self.finish(out, slots)


def merge_stored(
    path: Path, parts: Sequence[Stored], masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]
) -> None:
    """Writes what is shown of the documents that the masks leave, page by page.

    The dictionary is that of the largest part. What was compressed by it is not opened.
    """
    slots = []
    largest = max([part for part in parts if len(part.dictionary)], key=_size, default=None)
    dictionary = largest.dictionary.tobytes() if largest else b""
    with arrays_writer(path) as out:
        writer = BlocksWriter(partial(out.append, "data"), ALONE, dictionary)
        for stored, mask in zip(parts, masks, strict=True):
            lives = np.zeros(len(stored.slots), np.bool_)
            lives[stored.slots[mask]] = True
            places = len(writer) + np.cumsum(lives) - lives
            slots.append(places[stored.slots[mask]].astype(np.uint32))
            if dictionary and stored.dictionary.tobytes() == dictionary:
                _take_over(writer, stored, np.flatnonzero(lives))
            else:
                writer.extend(stored.each(np.flatnonzero(lives).astype(np.uint32)))
        writer.finish(out, np.concatenate(slots)[order])


def _size(stored: Stored) -> int:
    return len(stored.data)


def _take_over(writer: BlocksWriter, stored: Stored, blocks: NDArray[np.int64]) -> None:
    """Adds the blocks that live, which are a page each: those in a row at once."""
    for row in np.split(blocks, np.flatnonzero(np.diff(blocks) > 1) + 1):
        for first in range(0, len(row), AT_ONCE):
            some = row[first : first + AT_ONCE]
            writer.add_blocks(stored, int(some[0]), int(some[-1]) + 1)
