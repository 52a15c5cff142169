"""Stored documents for snippets: pack, compress, merge.

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

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from itertools import accumulate, chain, islice
from pathlib import Path
from threading import local

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.model import Page
from gossamer.storage.files import ArraysWriter, Piece, arrays_writer, read_arrays

# Stored fields of a document, packed
# -----------------------------------

APART = "\x1e"  # between the parts of a document: "record separator", which no address or name holds
_APART = APART.encode()


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


def told(dictionary: bytes) -> zstandard.ZstdCompressionDict | None:
    """A dictionary as zstandard takes it; None where there is none."""
    return zstandard.ZstdCompressionDict(dictionary) if dictionary else None


_THREAD = _Decompression()


@dataclass(frozen=True, slots=True)
class StoredDocuments:
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


def read_stored(path: Path) -> StoredDocuments:
    arrays = read_arrays(path)
    return StoredDocuments(**{field.name: arrays[field.name] for field in fields(StoredDocuments)})


# Write stored documents in blocks
# --------------------------------

LEVEL = 1  # of zstandard
BLOCK_BYTES = 1 << 12  # with which a block is full that documents share
DICTIONARY_BYTES = 1 << 14
SAMPLED = 50 * DICTIONARY_BYTES  # bytes of which a dictionary is made
SAMPLED_OF_ONE = 1 << 12  # bytes of one document in these, the first
FEWEST_SAMPLED = 1 << 17  # bytes: of less nothing is learned
MOST_WAITING = 1 << 24  # bytes of documents that wait for a dictionary
AT_ONCE = 1 << 8  # pages that are given away together
Give = Callable[[Piece], None]


class TextsWriter:
    """Write short texts, which share blocks. A block is given away once it is full."""

    def __init__(self, give: Give) -> None:
        self._give = give
        self.dictionary = b""  # by which they are compressed
        self._compress = _compressor(b"")
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._offsets = array("I")
        self._block_slots = array("I", [0])
        self._block_starts = array("q", [0])

    @property
    def memory(self) -> int:
        """Bytes that are not given away yet, and what finds the others."""
        return self._waiting_bytes + self._offsets.itemsize * len(self)

    def __len__(self) -> int:
        return len(self._offsets)

    def extend(self, packed: Iterable[bytes]) -> None:
        for text in packed:
            self._offsets.append(self._waiting_bytes)
            self._waiting.append(text)
            self._waiting_bytes += len(text)
            if self._waiting_bytes >= BLOCK_BYTES:
                self.flush()

    def flush(self) -> None:
        """Give the last texts away."""
        if self._waiting:
            block = self._compress(b"".join(self._waiting))
            self._give(block)
            self._block_slots.append(len(self._offsets))
            self._block_starts.append(self._block_starts[-1] + len(block))
            self._waiting.clear()
            self._waiting_bytes = 0

    def finish(self, out: ArraysWriter, slots: NDArray[np.uint32]) -> None:
        """Write what finds a document in the blocks, behind these: of each, as which it came."""
        _finish(out, slots, self._block_starts, self.dictionary)
        out.append("offsets", np.frombuffer(self._offsets, np.uint32))
        out.append("block_slots", np.frombuffer(self._block_slots, np.uint32))


class PagesWriter:
    """Write pages, each a block of its own, by a dictionary; without one it is made of the first of them."""

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
        """Bytes that are not given away yet, and what finds the others."""
        return self._waiting_bytes + self._starts.itemsize * len(self)

    def __len__(self) -> int:
        return len(self._starts) - 1 + len(self._waiting)

    def extend(self, packed: Iterable[bytes]) -> None:
        rest = iter(self._sample(packed) if self._sampled < SAMPLED else packed)
        while blocks := [self._compress(page) for page in islice(rest, AT_ONCE)]:
            self._add(b"".join(blocks), map(len, blocks))

    def take_over(self, stored: StoredDocuments, first: int, end: int) -> None:
        """Pages that are blocks already, by the same dictionary, as they are."""
        self.flush()
        starts = stored.block_starts[first : end + 1]
        self._add(stored.data[starts[0] : starts[-1]].data, np.diff(starts).tolist())

    def flush(self) -> None:
        """Give the last pages away."""
        if self._sampled < SAMPLED:
            self.extend(self._learned())

    def finish(self, out: ArraysWriter, slots: NDArray[np.uint32]) -> None:
        """Write what finds a document in the blocks, behind these: of each, as which it came."""
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


Writer = TextsWriter | PagesWriter


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
        self._writer.flush()
        with arrays_writer(path) as out:
            for block in self._blocks:
                out.append("data", block)
            self._writer.finish(out, slots)

    def _keep(self, block: Piece) -> None:
        self._blocks.append(block)
        self._given += len(block)


# Merge stored documents of segments
# ----------------------------------


def merge_stored(
    path: Path, parts: Sequence[StoredDocuments], masks: Sequence[NDArray[np.bool_]], order: NDArray[np.int64]
) -> None:
    """Writes what is shown of the pages that the masks leave.

    The dictionary is that of the largest part. What was compressed by it is not opened.
    """
    slots = []
    with_one = [part for part in parts if len(part.dictionary)]
    largest = max(with_one, key=lambda part: len(part.data), default=None)
    dictionary = largest.dictionary.tobytes() if largest else b""
    with arrays_writer(path) as out:
        writer = PagesWriter(partial(out.append, "data"), dictionary)
        for stored, mask in zip(parts, masks, strict=True):
            lives = np.zeros(len(stored.slots), np.bool_)
            lives[stored.slots[mask]] = True
            places = len(writer) + np.cumsum(lives) - lives
            slots.append(places[stored.slots[mask]].astype(np.uint32))
            if dictionary and stored.dictionary.tobytes() == dictionary:
                _take_over(writer, stored, np.flatnonzero(lives))
            else:
                writer.extend(stored.each(np.flatnonzero(lives).astype(np.uint32)))
        writer.flush()
        writer.finish(out, np.concatenate(slots)[order])


def _take_over(writer: PagesWriter, stored: StoredDocuments, pages: NDArray[np.int64]) -> None:
    """Adds the pages that live: those in a row at once."""
    for row in np.split(pages, np.flatnonzero(np.diff(pages) > 1) + 1):
        for first in range(0, len(row), AT_ONCE):
            some = row[first : first + AT_ONCE]
            writer.take_over(stored, int(some[0]), int(some[-1]) + 1)
