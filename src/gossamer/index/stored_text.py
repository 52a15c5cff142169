"""Stored documents for snippets: pack, compress, merge.

Documents are compressed in blocks, in order of arrival. Large blocks take less space and time to write, but
to read one document, its whole block must be decompressed. A compression dictionary, trained on the first
documents, makes small blocks nearly as compact as large ones. Measured on passages of 612 bytes:

                               space   µs to write one   ms to read 64 scattered ones
blocks of 4,096 bytes          36%     3.1               .45
blocks of 2,048 bytes          40%     3.2               .34
one document, no dictionary    53%     5.5               .17
one document, dictionary       37%     3.6               .14

Therefore each page is a block of its own. Anchor texts share blocks: they are short, and all texts of a page
are read together.

document d    has the slot slots[d]: its place in order of arrival
block b       is compressed in data[block_starts[b] : block_starts[b + 1]]. If block_slots is empty, it holds
              slot b. Otherwise it holds the slots block_slots[b] : block_slots[b + 1], and slot s begins at
              offsets[s] of its text.
dictionary    is the compression dictionary; empty if documents are few or share blocks
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

APART = "\x1e"  # record separator, between the fields of a document; URLs and names never contain it
_APART = APART.encode()


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """The stored fields of a document, for results and cached pages."""

    url: str
    title: str
    description: str
    text: str
    language: str
    media_type: str
    author: str = ""

    @classmethod
    def unpacked(cls, data: bytes) -> StoredDocument:
        """Decode what `packed` made of a page."""
        url, language, media_type, title, description, author, text = data.decode().split(APART, 6)
        return cls(url, title, description, text, language, media_type, author)


def title_of(data: bytes) -> str:
    """Return the title of a packed document."""
    return data.split(_APART, 4)[3].decode()


def title_and_text(data: bytes, size: int) -> bytes:
    """Return title and text of a packed document as two lines in UTF-8; the text is cut to `size` bytes."""
    _, _, _, title, _, _, text = data.split(_APART, 6)
    return b"%b\n%b" % (title, text[:size])


def beginnings(several: Iterable[bytes], size: int) -> tuple[list[str], list[str], list[bytes]]:
    """Return languages, titles and texts of packed documents, cut to `size` bytes.

    The description replaces an empty text. Texts remain in UTF-8, and no character is cut in two.
    """
    parts = [data.split(_APART, 6) for data in several]
    languages = _decoded([part[1] for part in parts])
    titles = _decoded([part[3] if len(part[3]) <= size else _cut(part[3], size) for part in parts])
    texts = [part[6] or part[4] for part in parts]
    return languages, titles, [text if len(text) <= size else _cut(text, size) for text in texts]


def _decoded(parts: list[bytes]) -> list[str]:
    """Decode many short texts in one call."""
    return _APART.join(parts).decode().split(APART) if parts else []


def _cut(text: bytes, size: int) -> bytes:
    """Cut a text that is longer than `size` bytes at the beginning of a character."""
    while text[size] & 0xC0 == 0x80:  # inside a character
        size -= 1
    return text[:size]


def packed(pages: Sequence[Page], languages: Sequence[str]) -> list[bytes]:
    """Pack the stored fields of each page."""
    parts = zip(
        [page.url.text for page in pages],
        languages,
        [page.media_type for page in pages],
        _without_apart([page.title for page in pages]),
        _without_apart([page.description for page in pages]),
        _without_apart([page.author for page in pages]),
        [page.text for page in pages],  # the last field may contain the separator
        strict=True,
    )
    return [text.encode("utf-8", "replace") for text in map(APART.join, parts)]


def _without_apart(texts: list[str]) -> list[str]:
    if APART not in "".join(texts):
        return texts
    return [text.replace(APART, " ") for text in texts]


REMEMBERED = 96  # blocks that a thread caches: more than a search reads
REMEMBERED_BYTES = 1 << 15  # longer blocks are not cached
DECOMPRESSORS = 16  # that a thread keeps, one per dictionary
WHOLE = 1 << 40  # bytes: more than any block has
FRAMES = zstandard.FORMAT_ZSTD1_MAGICLESS  # saves four bytes per block
Bytes = NDArray[np.uint8]


class _Decompression(local):
    """The decompressors of a thread. Making one takes as long as a block, and threads cannot share one.

    The last blocks are cached, because the stages of a search read the same few documents.
    """

    def __init__(self) -> None:
        self._decompressors: dict[int, tuple[Bytes, Callable[[memoryview], bytes]]] = {}
        self._blocks: dict[tuple[int, int], tuple[Bytes, bytes]] = {}

    def _decompressor(self, dictionary: Bytes) -> Callable[[memoryview], bytes]:
        known = self._decompressors.get(id(dictionary))
        if known is None or known[0] is not dictionary:  # another array may have got its id
            for old in list(self._decompressors)[: 1 - DECOMPRESSORS]:
                del self._decompressors[old]
            made = zstandard.ZstdDecompressor(
                dict_data=_shared_dictionary(dictionary.tobytes()), format=FRAMES
            )
            known = self._decompressors[id(dictionary)] = dictionary, made.decompress
        return known[1]

    def opened(
        self, data: Bytes, dictionary: Bytes, begins: Iterable[int], ends: Iterable[int]
    ) -> list[bytes]:
        """Decompress up to `REMEMBERED` blocks.

        Those that repeat or are cached are not decompressed again.
        """
        decompress, last, compressed, name = self._decompressor(dictionary), self._blocks, data.data, id(data)
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
                        last[name, begin] = data, text  # with the data: another array could get its id
            texts.append(text)
        if len(last) > REMEMBERED:
            for old in list(last)[:-REMEMBERED]:
                del last[old]
        return texts


def _shared_dictionary(dictionary: bytes) -> zstandard.ZstdCompressionDict | None:
    """Return a compression dictionary for zstandard; None if it is empty."""
    return zstandard.ZstdCompressionDict(dictionary) if dictionary else None


_THREAD = _Decompression()


@dataclass(frozen=True, slots=True)
class StoredDocuments:
    """The compressed documents of a segment, as described in the module's docstring."""

    slots: NDArray[np.uint32]
    offsets: NDArray[np.uint32]
    block_slots: NDArray[np.uint32]
    block_starts: NDArray[np.int64]
    data: Bytes
    dictionary: Bytes

    def document(self, doc: int) -> StoredDocument:
        """Return the stored fields of a document."""
        return StoredDocument.unpacked(self.at(int(self.slots[doc])))

    def at(self, slot: int) -> bytes:
        """Return the packed document in a slot."""
        return self._few(np.array([slot], np.uint32))[0]

    def several(self, docs: NDArray[np.int64]) -> list[bytes]:
        """Return packed documents; those of one block are decompressed together."""
        slots = self.slots[docs]
        if len(docs) <= REMEMBERED:
            return self._few(slots)
        rising = np.argsort(slots)
        found = [b""] * len(docs)
        for place, data in zip(rising.tolist(), self.each(slots[rising]), strict=True):
            found[place] = data
        return found

    def each(self, slots: NDArray[np.uint32]) -> Iterator[bytes]:
        """Yield the packed documents in some slots. Most blocks are decompressed once if slots ascend."""
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
BLOCK_BYTES = 1 << 12  # size at which a shared block is full
DICTIONARY_BYTES = 1 << 14  # size of a compression dictionary
SAMPLED = 50 * DICTIONARY_BYTES  # bytes on which a dictionary is trained
SAMPLED_OF_ONE = 1 << 12  # bytes of one document that are used, from its beginning
FEWEST_SAMPLED = 1 << 17  # bytes; with less, no dictionary is trained
MOST_WAITING = 1 << 24  # bytes of documents that wait for a dictionary
AT_ONCE = 1 << 8  # pages that are passed on together
Give = Callable[[Piece], None]


class _BlockWriter:
    """The compression and the index of blocks. Finished blocks are passed to `give`."""

    def __init__(self, give: Give, dictionary: bytes = b"") -> None:
        self._give = give
        self.dictionary = dictionary
        self._compress = _compressor(dictionary)
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._offsets, self._block_slots = array("I"), array("I")
        self._block_starts = array("q", [0])

    def finish(self, out: ArraysWriter, slots: NDArray[np.uint32]) -> None:
        """Write the index of blocks after the blocks. `slots` holds the slot of each document."""
        out.append("data", b"")  # the array must exist even if there are no blocks
        out.append("dictionary", self.dictionary)
        out.append("slots", slots)
        out.append("block_starts", np.frombuffer(self._block_starts, np.int64))
        out.append("offsets", np.frombuffer(self._offsets, np.uint32))
        out.append("block_slots", np.frombuffer(self._block_slots, np.uint32))


class TextsWriter(_BlockWriter):
    """Write short texts into shared blocks."""

    def __init__(self, give: Give) -> None:
        super().__init__(give)
        self._block_slots.append(0)

    @property
    def memory(self) -> int:
        """Bytes of waiting documents, and of the index of blocks."""
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
        """Pass the last texts to `give`."""
        if self._waiting:
            block = self._compress(b"".join(self._waiting))
            self._give(block)
            self._block_slots.append(len(self._offsets))
            self._block_starts.append(self._block_starts[-1] + len(block))
            self._waiting.clear()
            self._waiting_bytes = 0


class PagesWriter(_BlockWriter):
    """Write pages, each as its own block. Without a dictionary, one is trained on the first pages."""

    def __init__(self, give: Give, dictionary: bytes = b"") -> None:
        super().__init__(give, dictionary)
        self._sampled = (
            SAMPLED if dictionary else 0
        )  # bytes sampled for a dictionary; SAMPLED if there is one

    @property
    def memory(self) -> int:
        """Bytes of waiting documents, and of the index of blocks."""
        return self._waiting_bytes + self._block_starts.itemsize * len(self)

    def __len__(self) -> int:
        return len(self._block_starts) - 1 + len(self._waiting)

    def extend(self, packed: Iterable[bytes]) -> None:
        rest = iter(self._sample(packed) if self._sampled < SAMPLED else packed)
        while blocks := [self._compress(page) for page in islice(rest, AT_ONCE)]:
            self._add(b"".join(blocks), map(len, blocks))

    def take_over(self, stored: StoredDocuments, first: int, end: int) -> None:
        """Copy the blocks first : end of another segment with the same dictionary, without decompressing."""
        self.flush()
        starts = stored.block_starts[first : end + 1]
        self._add(stored.data[starts[0] : starts[-1]].data, np.diff(starts).tolist())

    def flush(self) -> None:
        """Pass the last pages to `give`."""
        if self._sampled < SAMPLED:
            self.extend(self._learned())

    def _add(self, blocks: Piece, sizes: Iterable[int]) -> None:
        self._give(blocks)
        self._block_starts.extend(islice(accumulate(sizes, initial=self._block_starts[-1]), 1, None))

    def _sample(self, packed: Iterable[bytes]) -> Iterable[bytes]:
        """Hold pages back until a dictionary can be trained; then return them and those that follow."""
        rest = iter(packed)
        for page in rest:
            self._waiting.append(page)
            self._waiting_bytes += len(page)
            self._sampled += min(len(page), SAMPLED_OF_ONE)
            if self._sampled >= SAMPLED or self._waiting_bytes > MOST_WAITING:
                return chain(self._learned(), rest)
        return ()

    def _learned(self) -> list[bytes]:
        """Train the dictionary on the waiting pages, and return them."""
        kept, self._waiting, self._waiting_bytes, self._sampled = self._waiting, [], 0, SAMPLED
        self.dictionary = _learned(kept)
        self._compress = _compressor(self.dictionary)
        return kept


def _learned(documents: Sequence[bytes]) -> bytes:
    """Train a compression dictionary; return b"" if the documents are too few or too different."""
    samples: list[bytes | bytearray | memoryview] = [document[:SAMPLED_OF_ONE] for document in documents]
    if sum(map(len, samples)) < FEWEST_SAMPLED:
        return b""
    try:
        return zstandard.train_dictionary(DICTIONARY_BYTES, samples, level=LEVEL).as_bytes()
    except zstandard.ZstdError:
        return b""


def _compressor(dictionary: bytes) -> Callable[[bytes], bytes]:
    # The parameters for long texts, although most are short: those for short ones save 3% of the space and
    # take twice the time.
    parameters = zstandard.ZstdCompressionParameters.from_level(LEVEL, format=FRAMES, write_dict_id=False)
    shared = _shared_dictionary(dictionary)
    if shared is not None:
        shared.precompute_compress(compression_params=parameters)
    return zstandard.ZstdCompressor(dict_data=shared, compression_params=parameters).compress


Writer = TextsWriter | PagesWriter


class StoredWriter:
    """Keep compressed blocks in memory until the segment is written."""

    def __init__(self, make: Callable[[Give], Writer] = PagesWriter) -> None:
        self._blocks: list[Piece] = []
        self._given = 0  # bytes of the blocks
        self._writer = make(self._keep)

    def __len__(self) -> int:
        return len(self._writer)

    @property
    def dictionary(self) -> bytes:
        """The compression dictionary, which the next segment may use, too."""
        return self._writer.dictionary

    @property
    def memory(self) -> int:
        return self._given + self._writer.memory

    def extend(self, packed: Iterable[bytes]) -> None:
        self._writer.extend(packed)

    def write(self, path: Path, slots: NDArray[np.uint32]) -> None:
        """Write the blocks to a file. `slots` holds the slot of each document of the segment."""
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
    """Write the stored documents of several segments that are in the masks, sorted by `order`.

    The compression dictionary is that of the largest part. Blocks with this dictionary are copied.
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
    """Copy the blocks of some pages, consecutive ones together."""
    for row in np.split(pages, np.flatnonzero(np.diff(pages) > 1) + 1):
        for first in range(0, len(row), AT_ONCE):
            some = row[first : first + AT_ONCE]
            writer.take_over(stored, int(some[0]), int(some[-1]) + 1)
