"""What does a document say, so that a result can be shown?

Documents are compressed in blocks, in the order in which they came. What is compressed together takes less
room and time, but whoever reads one document opens all of its block. What documents have in common can also
be told beforehand, by a dictionary that is made of the first of them: then one alone takes as little room as
many together. Passages of 612 bytes:

                       room    µs to write one    ms to open 64 here and there
blocks of 4,096 bytes  36%     3.1                .45
blocks of 2,048 bytes  40%     3.2                .34
one alone              53%     5.5                .17
alone, dictionary      37%     3.6                .14

So a page is a block of its own; texts of links, which are short and read a page's at a time, share blocks.

document d    is the slots[d]-th that came
block b       is compressed in data[block_starts[b] : block_starts[b + 1]]
              and is the b-th document where block_slots is empty; else it has those from block_slots[b] to
              before block_slots[b + 1], and the s-th document begins at offsets[s] of its text
dictionary    what was told beforehand of all blocks; empty where documents are few, or share blocks
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from threading import local

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.index.files import read_arrays
from gossamer.index.stored_document import StoredDocument

REMEMBERED = 96  # blocks, of each thread: more than the results of which a search reads texts
REMEMBERED_BYTES = 1 << 15  # of the longest of them
DECOMPRESSORS = 16  # of each thread, for as many dictionaries
WHOLE = 1 << 40  # beyond the end of any block
FRAMES = zstandard.FORMAT_ZSTD1_MAGICLESS  # four bytes less of each

Bytes = NDArray[np.uint8]


class _Decompression(local):
    """A thread's decompressors: making one takes as long as a block does, and threads cannot share it.

    It remembers the last blocks: the stages of a search read the same few documents one after the other.
    """

    def __init__(self) -> None:
        self._of: dict[int, tuple[Bytes, Callable[[memoryview], bytes]]] = {}
        self._last: dict[tuple[int, int], tuple[Bytes, bytes]] = {}

    def _by(self, dictionary: Bytes) -> Callable[[memoryview], bytes]:
        known = self._of.get(id(dictionary))
        if known is None or known[0] is not dictionary:  # another array could get its identity
            for old in list(self._of)[: 1 - DECOMPRESSORS]:
                del self._of[old]
            made = zstandard.ZstdDecompressor(dict_data=told(dictionary.tobytes()), format=FRAMES)
            known = self._of[id(dictionary)] = dictionary, made.decompress
        return known[1]

    def opened(
        self, data: Bytes, dictionary: Bytes, begins: Iterable[int], ends: Iterable[int]
    ) -> list[bytes]:
        """The texts of some blocks, `REMEMBERED` at most; none is opened twice."""
        decompress, last, compressed, name = self._by(dictionary), self._last, data.data, id(data)
        texts: list[bytes] = []
        at, text = -1, b""
        for begin, end in zip(begins, ends, strict=True):
            if begin != at:
                at, known = begin, last.get((name, begin))
                if known and known[0] is data:
                    text = known[1]
                else:
                    text = decompress(compressed[begin:end])
                    if len(text) <= REMEMBERED_BYTES:
                        last[name, begin] = data, text  # with the data, whose identity another could get
            texts.append(text)
        if len(last) > REMEMBERED:
            for old in list(last)[:-REMEMBERED]:
                del last[old]
        return texts


_THREAD = _Decompression()


@dataclass(frozen=True, slots=True)
class Stored:
    """The compressed documents of a segment, as the module's docstring lays them out."""

    slots: NDArray[np.uint32]
    offsets: NDArray[np.uint32]
    block_slots: NDArray[np.uint32]
    block_starts: NDArray[np.int64]
    data: Bytes
    dictionary: Bytes

    def document(self, doc: int) -> StoredDocument:
        return StoredDocument.unpacked(self.at(int(self.slots[doc])))

    def at(self, slot: int) -> bytes:
        """What came as the slot-th."""
        return self._few(np.array([slot], np.uint32))[0]

    def several(self, docs: NDArray[np.int64]) -> list[bytes]:
        """What is kept of some documents; those of one block are read together."""
        slots = self.slots[docs]
        if len(docs) <= REMEMBERED:
            return self._few(slots)
        rising = np.argsort(slots)
        found = [b""] * len(docs)
        for place, data in zip(rising.tolist(), self.each(slots[rising]), strict=True):
            found[place] = data
        return found

    def each(self, slots: NDArray[np.uint32]) -> Iterator[bytes]:
        """What came as these; where they rise, blocks that are short enough are not opened twice."""
        for first in range(0, len(slots), REMEMBERED):
            yield from self._few(slots[first : first + REMEMBERED])

    def _few(self, slots: NDArray[np.uint32]) -> list[bytes]:
        places = slots.astype(np.int64)
        if not len(self.block_slots):
            return self._opened(places)
        blocks = np.searchsorted(self.block_slots, slots, "right") - 1
        ends = self.offsets.take(places + 1, mode="clip").astype(np.int64)
        ends[places + 1 == self.block_slots[blocks + 1]] = WHOLE
        texts, begins = self._opened(blocks), self.offsets[places].tolist()
        return [text[begin:end] for text, begin, end in zip(texts, begins, ends.tolist(), strict=True)]

    def _opened(self, blocks: NDArray[np.int64]) -> list[bytes]:
        starts, stops = self.block_starts[blocks].tolist(), self.block_starts[blocks + 1].tolist()
        return _THREAD.opened(self.data, self.dictionary, starts, stops)


def told(dictionary: bytes) -> zstandard.ZstdCompressionDict | None:
    """A dictionary as zstandard takes it; None where there is none."""
    return zstandard.ZstdCompressionDict(dictionary) if dictionary else None


def read_stored(path: Path) -> Stored:
    arrays = read_arrays(path)
    return Stored(**{field.name: arrays[field.name] for field in fields(Stored)})
