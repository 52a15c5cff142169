"""What does a document say, so that a result can be shown?

Documents are compressed some at a time, in the order in which they came, because what is compressed together
takes less room and time. But whoever reads one document opens all of its block. Passages of 546 bytes, by the
size of a block:

bytes       room    µs to write one    µs to open a block
one alone   56%     7.4                 3
2,048       41%     2.9                 6
4,096       37%     2.6                 9
8,192       35%     2.4                17
16,384      32%     2.4                29

document d    is the slots[d]-th that came
block b       has the documents from block_slots[b] to before block_slots[b + 1], compressed in
              data[block_starts[b] : block_starts[b + 1]]; the s-th document begins at offsets[s] of its text
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from threading import local

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.index.files import ArraysWriter, Piece, arrays_writer, read_arrays
from gossamer.model import Page

LEVEL = 1  # of zstandard
REMEMBERED = 96  # blocks, of each thread: more than the results of which a search reads texts
REMEMBERED_BYTES = 1 << 15  # of the longest of them
BLOCK_BYTES = 1 << 12  # a block is full when it has so many
WHOLE = 1 << 40  # beyond the end of any block
TOGETHER = 1 << 8  # blocks that a merge takes over at once
APART = "\x1e"  # between the parts of a document: "record separator", which no address or name holds
_APART = APART.encode()


class _Decompression(local):
    """A thread's decompressor: making one takes as long as a block does, and threads cannot share it.

    It remembers the last blocks: the stages of a search read the same few documents one after the other.
    """

    def __init__(self) -> None:
        self._decompress = zstandard.ZstdDecompressor().decompress
        self._last: dict[tuple[int, int], tuple[NDArray[np.uint8], bytes]] = {}

    def opened(self, data: NDArray[np.uint8], begins: Iterable[int], ends: Iterable[int]) -> list[bytes]:
        """The texts of some blocks, `REMEMBERED` at most; none is opened twice."""
        decompress, last, compressed, name = self._decompress, self._last, data.data, id(data)
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
                        last[name, begin] = data, text  # with the data: another array could get its identity
            texts.append(text)
        if len(last) > REMEMBERED:
            for old in list(last)[:-REMEMBERED]:
                del last[old]
        return texts


_THREAD = _Decompression()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What a results page shows."""

    url: str
    title: str
    description: str
    text: str
    language: str
    media_type: str
    author: str = ""

    @classmethod
    def unpacked(cls, data: bytes) -> StoredDocument:
        url, language, media_type, title, description, author, text = data.decode().split(APART, 6)
        return cls(url, title, description, text, language, media_type, author)


def title_of(data: bytes) -> str:
    """The same without reading on."""
    return data.split(_APART, 4)[3].decode()


def title_and_text(data: bytes) -> tuple[bytes, bytes]:
    """The same without making anything else of it; in UTF-8."""
    _, _, _, title, _, _, text = data.split(_APART, 6)
    return title, text


def beginnings(several: Iterable[bytes], size: int) -> tuple[list[str], list[str], list[bytes]]:
    """Languages, titles and the first bytes of the texts, or of the descriptions where there is no text.

    Nothing is cut inside of a character; the texts are left in UTF-8.
    """
    parts = [data.split(_APART, 6) for data in several]
    languages = _decoded([part[1] for part in parts])
    titles = _decoded([part[3] if len(part[3]) <= size else _cut(part[3], size) for part in parts])
    texts = [part[6] or part[4] for part in parts]
    return languages, titles, [text if len(text) <= size else _cut(text, size) for text in texts]


def _decoded(parts: list[bytes]) -> list[str]:
    """All at once: most are short."""
    return _APART.join(parts).decode().split(APART) if parts else []


def _cut(text: bytes, size: int) -> bytes:
    """The beginning of a text that is longer."""
    while text[size] & 0xC0 == 0x80:  # goes on a character
        size -= 1
    return text[:size]


def packed(pages: Sequence[Page], languages: Sequence[str]) -> list[bytes]:
    """What is kept of each page to be shown."""
    parts = zip(
        [page.url.text for page in pages],
        languages,
        [page.media_type for page in pages],
        _without_apart([page.title for page in pages]),
        _without_apart([page.description for page in pages]),
        _without_apart([page.author for page in pages]),
        [page.text for page in pages],  # comes last, so it may hold anything
        strict=True,
    )
    return [text.encode("utf-8", "replace") for text in map(APART.join, parts)]


def _without_apart(texts: list[str]) -> list[str]:
    if APART not in "".join(texts):
        return texts
    return [text.replace(APART, " ") for text in texts]


@dataclass(frozen=True, slots=True)
class Stored:
    """The compressed documents of a segment, as the module's docstring lays them out."""

    slots: NDArray[np.uint32]
    offsets: NDArray[np.uint32]
    block_slots: NDArray[np.uint32]
    block_starts: NDArray[np.int64]
    data: NDArray[np.uint8]

    def document(self, doc: int) -> StoredDocument:
        return StoredDocument.unpacked(self.at(int(self.slots[doc])))

    def at(self, slot: int) -> bytes:
        """What came as the slot-th."""
        # A number of another type would be compared with a copy of the whole array.
        block = int(np.searchsorted(self.block_slots, np.uint32(slot), "right")) - 1
        begins = self.begins(block)
        start, stop = self.block_starts[block : block + 2].tolist()
        (text,) = _THREAD.opened(self.data, [start], [stop])
        place = slot - int(self.block_slots[block])
        return text[begins[place] : (*begins, len(text))[place + 1]]

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
        blocks = np.searchsorted(self.block_slots, slots, "right")
        places = slots.astype(np.int64)
        ends = self.offsets.take(places + 1, mode="clip").astype(np.int64)
        ends[places + 1 == self.block_slots[blocks]] = WHOLE
        starts, stops = self.block_starts[blocks - 1].tolist(), self.block_starts[blocks].tolist()
        texts = _THREAD.opened(self.data, starts, stops)
        begins = self.offsets[places].tolist()
        return [text[begin:end] for text, begin, end in zip(texts, begins, ends.tolist(), strict=True)]

    def block(self, block: int) -> memoryview:
        return self.data[self.block_starts[block] : self.block_starts[block + 1]].data

    def begins(self, block: int) -> list[int]:
        """Where the documents of a block begin in its text."""
        begins: list[int] = self.offsets[self.block_slots[block] : self.block_slots[block + 1]].tolist()
        return begins


class BlocksWriter:
    """Documents in, blocks out; in the order in which they come. A block is given away once it is full."""

    def __init__(self, give: Callable[[Piece], None]) -> None:
        self._give = give
        # All texts are treated as long ones: shorter repetitions would save 3% of the room and take twice the
        # time.
        parameters = zstandard.ZstdCompressionParameters.from_level(LEVEL)
        self._compressor = zstandard.ZstdCompressor(compression_params=parameters)
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._offsets = array("I")
        self._block_slots = array("I", [0])
        self._block_starts = array("q", [0])

    def __len__(self) -> int:
        return len(self._offsets)

    def extend(self, packed: Iterable[bytes]) -> None:
        offsets, waiting, size = self._offsets, self._waiting, self._waiting_bytes
        for document in packed:
            offsets.append(size)
            waiting.append(document)
            size += len(document)
            if size >= BLOCK_BYTES:
                self._close()
                size = 0
        self._waiting_bytes = size

    def add_blocks(self, stored: Stored, first: int, end: int) -> None:
        """Documents that are blocks already, as they are."""
        self._close()
        slots, starts = stored.block_slots[first : end + 1], stored.block_starts[first : end + 1]
        before, at = len(self), self._block_starts[-1]
        self._offsets.frombytes(stored.offsets[slots[0] : slots[-1]].tobytes())
        self._block_slots.frombytes((slots[1:] - slots[0] + np.uint32(before)).tobytes())
        self._block_starts.frombytes((starts[1:] - starts[0] + at).tobytes())
        self._give(stored.data[starts[0] : starts[-1]].data)

    def _close(self) -> None:
        if self._waiting:
            self._append(self._compressor.compress(b"".join(self._waiting)))
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
        self._close()
        out.append("data", b"")
        out.append("slots", slots)
        out.append("offsets", np.frombuffer(self._offsets, np.uint32))
        out.append("block_slots", np.frombuffer(self._block_slots, np.uint32))
        out.append("block_starts", np.frombuffer(self._block_starts, np.int64))


class StoredWriter(BlocksWriter):
    """Keeps the blocks in memory until the segment is written."""

    def __init__(self) -> None:
        self._blocks: list[Piece] = []
        super().__init__(self._blocks.append)

    @property
    def memory(self) -> int:
        return self._block_starts[-1] + self._waiting_bytes + self._offsets.itemsize * len(self)

    def write(self, path: Path, slots: NDArray[np.uint32]) -> None:
        """`slots` tells for each document of the segment as which it came."""
        self._close()
        with arrays_writer(path) as out:
            for block in self._blocks:
                out.append("data", block)
            self.finish(out, slots)


def merge_stored(
    path: Path, parts: Sequence[Stored], masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]
) -> None:
    """Writes what is shown of the documents that the masks leave, block by block.

    Blocks without gone documents are not opened.
    """
    slots = []
    with arrays_writer(path) as out:
        writer = BlocksWriter(partial(out.append, "data"))
        for stored, mask in zip(parts, masks, strict=True):
            lives = np.zeros(len(stored.slots), np.bool_)
            lives[stored.slots[mask]] = True
            places = len(writer) + np.cumsum(lives) - lives
            slots.append(places[stored.slots[mask]].astype(np.uint32))
            _take_over(writer, stored, lives)
        writer.finish(out, np.concatenate(slots)[order])


def _take_over(writer: BlocksWriter, stored: Stored, lives: NDArray[np.bool_]) -> None:
    """Adds the documents that live; `lives` is in the order in which they came."""
    borders = stored.block_slots.astype(np.int64)
    left = np.add.reduceat(lives, borders[:-1], dtype=np.int64) if len(borders) > 1 else borders[:0]
    opened = np.flatnonzero(left < np.diff(borders)).tolist()
    reached = 0
    for block in (*opened, len(left)):
        for first in range(reached, block, TOGETHER):
            writer.add_blocks(stored, first, min(first + TOGETHER, block))
        reached = block + 1
        if block < len(left) and left[block]:
            _take_over_some(writer, stored, block, lives[borders[block] : borders[block + 1]])


def _take_over_some(writer: BlocksWriter, stored: Stored, block: int, lives: NDArray[np.bool_]) -> None:
    begins = stored.begins(block)
    text = zstandard.decompress(stored.block(block))
    ends = (*begins[1:], len(text))
    writer.extend(text[begins[place] : ends[place]] for place in np.flatnonzero(lives).tolist())


def read_stored(path: Path) -> Stored:
    arrays = read_arrays(path)
    return Stored(**{field.name: arrays[field.name] for field in fields(Stored)})
