# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Term dictionary: front-coded blocks, look-up by prefix and suffix, all written words.

Terms are sorted by their bytes, and the number of a term is its rank. They are stored in blocks of 16: first
the prefix that all terms of the block share, then the rest of each term. Each of these pieces ends with a
byte that never occurs in UTF-8. A block is found by the first eight bytes of its first term, and a term in
the block by a search for bytes, so neither needs compiled code. The dictionary also holds the most frequent
written form of each term, because stems are not fit to be shown. The form is empty if it is the stem itself.

    heads    the first eight bytes of the first term of each block, as a big-endian number
    starts   the offset of each block in `data`, and the end
    data     the blocks
    sizes    the number of terms, the bytes of the longest term, the bytes of all terms
    forms    the written forms, one per line, compressed
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel, kernel_part
from gossamer.storage.files import read_arrays, write_arrays
from gossamer.text.strings import CODING, Strings, head_of
from gossamer.text.terms import MARK, without_language

# Kernels: dictionary blocks, term look-up
# ----------------------------------------

BLOCK_BITS = 4
BLOCK = 1 << BLOCK_BITS  # terms
END = 0xFF  # ends each piece of a block; never occurs in UTF-8
KEY_END = ord("\n")  # ends each term that is looked up; no term contains it
ZERO, ONE, EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)


@kernel_part
def shared_bytes(arena: NDArray[np.uint8], bounds: NDArray[np.int64], one: int, other: int) -> int:
    """Return the length of the common prefix of two terms in bytes."""
    a, b = np.uint64(bounds[one]), np.uint64(bounds[other])
    size = min(np.uint64(bounds[one + 1]) - a, np.uint64(bounds[other + 1]) - b)
    same = ZERO
    while same < size and arena[a + same] == arena[b + same]:
        same += ONE
    return np.int64(same)


@kernel_part
def copy_bytes(
    source: NDArray[np.uint8], begin: int, end: int, target: NDArray[np.uint8], at: np.uint64
) -> np.uint64:
    """Copy a piece and END after it; return where the next piece begins."""
    for i in range(np.uint64(begin), np.uint64(end)):
        target[at] = source[i]
        at += ONE
    target[at] = END
    return at + ONE


@kernel
def write_blocks(
    arena: NDArray[np.uint8], bounds: NDArray[np.int64], order: NDArray[np.uint32]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
    """Return heads, starts and data of the blocks, and the sizes of the dictionary.

    Term number n is arena[bounds[order[n]] : bounds[order[n] + 1]]. Terms must be in ascending order.
    """
    terms = len(order)
    blocks = (terms + BLOCK - 1) >> BLOCK_BITS
    heads, starts = np.zeros(blocks, np.uint64), np.zeros(blocks + 1, np.int64)
    prefixes = np.empty(blocks, np.int64)
    longest, total = 0, 0
    for block in range(blocks):
        first, last = block << BLOCK_BITS, min((block + 1) << BLOCK_BITS, terms)
        prefix = shared_bytes(arena, bounds, np.int64(order[first]), np.int64(order[last - 1]))
        size = prefix + 1
        for n in range(first, last):
            length = bounds[order[n] + 1] - bounds[order[n]]
            size += length - prefix + 1
            longest = max(longest, length)
            total += length
        prefixes[block] = prefix
        starts[block + 1] = starts[block] + size
        begin, end = bounds[order[first]], bounds[order[first] + 1]
        heads[block] = head_of(arena, np.uint64(begin), np.uint64(end))
    data = np.empty(starts[blocks], np.uint8)
    at = ZERO
    for n in range(terms):
        begin, end = bounds[order[n]], bounds[order[n] + 1]
        prefix = prefixes[n >> BLOCK_BITS]
        if n & (BLOCK - 1) == 0:
            at = copy_bytes(arena, begin, begin + prefix, data, at)
        at = copy_bytes(arena, begin + prefix, end, data, at)
    return heads, starts, data, np.array([terms, longest, total], np.int64)


@kernel_part
def number_in(
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    block: np.uint64,
    keys: NDArray[np.uint8],
    begin: np.uint64,
    end: np.uint64,
) -> int:
    """Return the number of the term keys[begin:end] if this block holds it, else -1."""
    at, last = np.uint64(starts[block]), np.uint64(starts[block + ONE])
    while data[at] != END:
        if begin == end or data[at] != keys[begin]:
            return np.int64(-1)
        at += ONE
        begin += ONE
    at += ONE
    number = np.int64(block) << BLOCK_BITS
    while at < last:
        place = begin
        while place < end and data[at] == keys[place]:
            at += ONE
            place += ONE
        if place == end and data[at] == END:
            return number
        while data[at] != END:
            at += ONE
        at += ONE
        number += 1
    return np.int64(-1)


@kernel
def find_terms(
    heads: NDArray[np.uint64],
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    keys: NDArray[np.uint8],
    term_entries: NDArray[np.uint32],
    entry_postings: NDArray[np.uint32],
    numbers: NDArray[np.int64],
    frequencies: NDArray[np.int64],
) -> None:
    """Look up terms, each followed by a line feed: their numbers (-1 if unknown) and document frequencies."""
    begin = ZERO
    for i in range(len(numbers)):
        end = begin
        while keys[end] != KEY_END:
            end += ONE
        head = head_of(keys, begin, end)
        low, high = ZERO, np.uint64(len(heads))
        while low < high:
            middle = (low + high) >> ONE
            if heads[middle] <= head:
                low = middle + ONE
            else:
                high = middle
        numbers[i], frequencies[i] = -1, 0
        # Several blocks may begin with the same eight bytes: search them from the last to the first.
        goes_on = low > ZERO
        while goes_on:
            low -= ONE
            numbers[i] = number_in(starts, data, low, keys, begin, end)
            goes_on = numbers[i] < 0 and low > ZERO and heads[low] == head
        if numbers[i] >= 0:
            first, last = term_entries[numbers[i]], term_entries[numbers[i] + 1]
            frequencies[i] = np.int64(entry_postings[last]) - np.int64(entry_postings[first])
        begin = end + ONE


# Terms by their last letters
# ---------------------------
#
#     keys      the last eight bytes of each stem, reversed, as a number; ascending
#     numbers   the terms in the order of their keys
#
# The arrays are computed from the blocks of a dictionary on first use: a fifth of a second for a million
# terms, 12 bytes per term. An ending of up to eight bytes is then found by two binary searches.

KEPT = 8  # bytes of an ending in a key


class SuffixIndex:
    """The stems of a dictionary, sorted by their endings."""

    def __init__(self, starts: NDArray[np.int64], data: NDArray[np.uint8], count: int) -> None:
        keys, marks = _keys(starts, data, count)
        order = np.lexsort((keys, marks))
        spoken, begins = np.unique(marks[order], return_index=True)
        self.of_language: dict[str, tuple[NDArray[np.uint64], NDArray[np.uint32]]] = {}
        for mark, own in zip(spoken.tolist(), np.split(order, begins[1:]), strict=False):
            language = mark.to_bytes(KEPT, "big").strip(b"\0").decode()
            self.of_language[language] = keys[own], own.astype(np.uint32)

    def like(self, text: str, language: str) -> NDArray[np.uint32]:
        """Return the terms of a language whose stems end with the last `KEPT` bytes of a text."""
        if language not in self.of_language:
            return np.empty(0, np.uint32)
        keys, numbers = self.of_language[language]
        last = text.encode(*CODING)[: -KEPT - 1 : -1]
        low = int.from_bytes(last.ljust(KEPT, b"\0"), "big")
        high = int.from_bytes(last.ljust(KEPT, b"\xff"), "big")
        begin = np.searchsorted(keys, np.uint64(low))
        return numbers[begin : np.searchsorted(keys, np.uint64(high), "right")]


def _keys(
    starts: NDArray[np.int64], data: NDArray[np.uint8], count: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the key and the language of each term.

    A term is the first piece of its block and its own piece.
    """
    blocks, places = np.divmod(np.arange(count), BLOCK)
    ends = np.flatnonzero(data == END)
    first = blocks * (BLOCK + 1)  # the piece with the common prefix of the block
    shared, shared_end = starts[blocks], ends[first]
    own, own_end = ends[first + places] + 1, ends[first + places + 1]
    marks = np.flatnonzero(data == ord(MARK))
    mark = marks[np.searchsorted(marks, own_end) - 1] if len(marks) else np.full(count, -1)
    in_own = mark >= own
    # If the terms of a block differ only in their languages, the common prefix contains the mark.
    common = marks[np.searchsorted(marks, shared_end) - 1] if len(marks) else mark
    size = np.where(in_own, shared_end - shared + mark - own, common - shared)
    whole = shared_end - shared + own_end - own
    keys, languages = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
    for k in range(KEPT):
        for place, made in ((size - 1 - k, keys), (size + 1 + k, languages)):
            at = np.where(place < shared_end - shared, shared + place, own + place - (shared_end - shared))
            is_there = (place >= 0) & (place < whole)
            byte = np.where(is_there, data[np.where(is_there, at, 0)], 0).astype(np.uint64)
            np.bitwise_or(made, byte << np.uint64(8 * (KEPT - 1 - k)), out=made)
    return keys, languages


FORMS_LEVEL = 3  # of zstandard: level 6 makes the forms 7% smaller and takes more than twice the time
REMEMBERED = 1 << 14  # terms whose numbers are cached, unknown terms included
END_BYTE = bytes([END])


@dataclass(frozen=True, slots=True)
class DictionaryBlocks:
    """The arrays of a dictionary, as stored; see the module's docstring."""

    heads: NDArray[np.uint64]
    starts: NDArray[np.int64]
    data: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    forms: NDArray[np.uint8]


class Dictionary:
    """The terms of a segment. Safe to use from several threads."""

    def __init__(self, blocks: DictionaryBlocks) -> None:
        self.blocks = blocks
        self._count = int(blocks.sizes[0])
        # Reading an integer from a memoryview is several times as fast as from an array.
        self._starts, self._data = blocks.starts.data, blocks.data.data
        # The stages of a search look up the same few terms.
        self.number = lru_cache(REMEMBERED)(self._number)

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _heads(self) -> list[int]:
        return self.blocks.heads.tolist()

    def _number(self, term: str) -> int:
        """Return the number of a term, or -1."""
        key = term.encode(*CODING)
        block = self._block_of(key)
        if block < 0:
            return -1
        terms = self.terms_of(block)
        place = bisect_left(terms, key)
        return (block << BLOCK_BITS) + place if terms[place : place + 1] == [key] else -1

    def term(self, number: int) -> str:
        """Return the term with this number."""
        if not 0 <= number < self._count:
            raise IndexError(number)
        pieces = self._bytes_of(number >> BLOCK_BITS).split(END_BYTE)
        return (pieces[0] + pieces[1 + (number & (BLOCK - 1))]).decode(*CODING)

    def prefixed(self, prefix: str) -> range:
        """Return the numbers of all terms with this prefix."""
        key = prefix.encode(*CODING)
        return range(self.rank(key), self.rank(key + END_BYTE))

    def ending(self, text: str, language: str) -> NDArray[np.uint32]:
        """Return the numbers of all terms of a language whose stems end with a text, in any order."""
        likely = self._endings.like(text, language)
        if len(text.encode(*CODING)) <= KEPT:
            return likely
        ends = [without_language(self.term(number)).endswith(text) for number in likely.tolist()]
        return likely[np.array(ends, np.bool_)]

    def ending_anywhere(self, text: str) -> NDArray[np.uint32]:
        """Return the numbers of all terms, of any language, whose stems end with a text."""
        return np.concatenate(
            [np.empty(0, np.uint32), *(self.ending(text, one) for one in self._endings.of_language)]
        )

    @cached_property
    def _endings(self) -> SuffixIndex:
        return SuffixIndex(self.blocks.starts, self.blocks.data, self._count)

    def terms(self, prefix: str = "") -> Iterator[str]:
        """Return the terms with this prefix in their order."""
        return (key.decode(*CODING) for key in self.keys(self.prefixed(prefix)))

    def keys(self, numbers: range) -> Iterator[bytes]:
        """Yield the bytes of the terms in a range of numbers."""
        for block in range(numbers.start >> BLOCK_BITS, -(-numbers.stop >> BLOCK_BITS)):
            first = block << BLOCK_BITS
            yield from self.terms_of(block)[max(0, numbers.start - first) : numbers.stop - first]

    def rank(self, key: bytes) -> int:
        """Return the number of terms that sort before a key."""
        block = self._block_of(key)
        return (block << BLOCK_BITS) + bisect_left(self.terms_of(block), key) if block >= 0 else 0

    def terms_of(self, block: int) -> list[bytes]:
        """Return the terms of a block as bytes."""
        shared, *rests = self._bytes_of(block).split(END_BYTE)[:-1]
        return [shared + rest for rest in rests]

    def _block_of(self, key: bytes) -> int:
        """Return the block that holds a key or would hold it; -1 if the key sorts before all terms."""
        head = int.from_bytes(key[:8].ljust(8, b"\0"), "big")
        block = bisect_right(self._heads, head) - 1
        if block < 0 or self._heads[block] != head:
            return block
        alike = range(bisect_left(self._heads, head, 0, block), block + 1)
        return alike.start + bisect_right(alike, key, key=self._first_of) - 1

    def _first_of(self, block: int) -> bytes:
        shared, rest, _ = self._bytes_of(block).split(END_BYTE, 2)
        return shared + rest

    def _bytes_of(self, block: int) -> bytes:
        return self._data[self._starts[block] : self._starts[block + 1]].tobytes()

    def form(self, number: int) -> str:
        """Return the most frequent written form of a term."""
        data, ends = self.form_lines, self._form_ends
        begin = int(ends[number - 1]) + 1 if number else 0
        return data[begin : int(ends[number])].decode(*CODING) or without_language(self.term(number))

    @cached_property
    def form_lines(self) -> bytes:
        """The written forms, each followed by a line feed; empty if the form is the stem."""
        return zstandard.decompress(self.blocks.forms.tobytes())

    @cached_property
    def _form_ends(self) -> NDArray[np.int64]:
        return np.flatnonzero(np.frombuffer(self.form_lines, np.uint8) == ord("\n"))


def keys_of(terms: Sequence[str]) -> NDArray[np.uint8]:
    """Encode terms for `find_terms`."""
    return np.frombuffer("\n".join([*terms, ""]).encode(*CODING), np.uint8)


def dictionary_of(
    arena: NDArray[np.uint8], bounds: NDArray[np.int64], order: NDArray[np.uint32], form_lines: bytes
) -> Dictionary:
    """Make a dictionary in which term number n is arena[bounds[order[n]] : bounds[order[n] + 1]].

    The terms must be distinct.
    """
    packed = np.frombuffer(zstandard.compress(form_lines, FORMS_LEVEL), np.uint8)
    return Dictionary(DictionaryBlocks(*write_blocks(arena, bounds, order), packed))


def write_dictionary(path: Path, dictionary: Dictionary) -> None:
    write_arrays(path, {f.name: getattr(dictionary.blocks, f.name) for f in fields(DictionaryBlocks)})


def read_dictionary(path: Path) -> Dictionary:
    return Dictionary(DictionaryBlocks(**read_arrays(path)))


# Written words and counts
# ------------------------
#
# The dictionary keeps one written form per term. Spelling correction needs all written words, to know
# whether a query word is misspelt. The lexicon holds them in any order, one per line, with the number of
# occurrences of each. Words of deleted documents stay in it, so code that suggests a word must first check
# that a document still holds it.

LEVEL = 1  # of zstandard: level 3 saves a tenth of the space and takes twice the time
_MOST = (1 << 32) - 1


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The written words of a segment, compressed as stored. Lexicons are compared by identity."""

    lines: NDArray[np.uint8]  # compressed
    counts: NDArray[np.uint32]

    def text(self) -> bytes:
        """Return the words, each followed by a line feed."""
        return zstandard.decompress(self.lines.tobytes())

    def frequent(self, most: int) -> bytes:
        """Return the `most` most frequent words, each followed by a line feed."""
        text = self.text()
        if len(self.counts) <= most:
            return text
        lines, places = text.splitlines(keepends=True), np.argpartition(self.counts, -most)[-most:]
        return b"".join([lines[place] for place in places.tolist()])


def lexicon_of(lines: bytes, counts: NDArray[np.int64]) -> Lexicon:
    """Make a lexicon of words, one per line, and their numbers of occurrences."""
    packed = np.frombuffer(zstandard.compress(lines, LEVEL), np.uint8)
    return Lexicon(packed, counts.clip(max=_MOST).astype(np.uint32))


NO_WORDS = lexicon_of(b"", np.empty(0, np.int64))


def merged_lexicon(lexicons: Sequence[Lexicon]) -> Lexicon:
    """Merge the lexicons of several segments and add up the counts of equal words."""
    strings = Strings()
    counts = np.concatenate([np.empty(0, np.uint32), *(one.counts for one in lexicons)])
    numbers = strings.number(b"".join(one.text() for one in lexicons), len(counts))
    totals = np.bincount(numbers, counts, len(strings)).astype(np.int64)
    return lexicon_of(strings.lines(np.arange(len(strings), dtype=np.uint32)), totals)


def write_lexicon(path: Path, lexicon: Lexicon) -> None:
    write_arrays(path, {"lines": lexicon.lines, "counts": lexicon.counts})


def read_lexicon(path: Path) -> Lexicon:
    return Lexicon(**read_arrays(path))
