"""Which number has this term in the segment, which terms begin like this, and how do people write them?

Terms are sorted by their bytes, and a term's number is its rank. They stand in blocks of 16: first what all
terms of the block begin with, then the rest of each term, and behind each of these pieces a byte that no
UTF-8 holds. So a block is found by the first eight bytes of its first term, and a term in it by a search for
bytes: neither needs compiled code. Beside them stands the most frequent written form of each term, because a
stem is nothing to show to a person; it is empty where people write the stem itself.

    heads    of each block, the first eight bytes of its first term as a number that rises with them
    starts   of each block in the data, and the end
    data     the blocks
    sizes    how many terms, how many bytes the longest has, and all together
    forms    one a line, compressed
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from gossamer.index.dictionary_kernel import BLOCK, BLOCK_BITS, END, write_blocks
from gossamer.index.endings import KEPT, Endings
from gossamer.index.files import read_arrays, write_arrays
from gossamer.text.analysis import without_language
from gossamer.text.strings import CODING

FORMS_LEVEL = 3  # of zstandard: 6 saves 7% of the little room that forms take, at more than twice the time
REMEMBERED = 1 << 14  # numbers of terms, and terms that are not there
END_BYTE = bytes([END])


@dataclass(frozen=True, slots=True)
class Blocks:
    """A dictionary as it stands on the disk."""

    heads: NDArray[np.uint64]
    starts: NDArray[np.int64]
    data: NDArray[np.uint8]
    sizes: NDArray[np.int64]
    forms: NDArray[np.uint8]


class Dictionary:
    """The terms of a segment. Threads may share it."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self._count = int(blocks.sizes[0])
        # Numbers out of a memoryview are Python's, and made in a fraction of the time.
        self._starts, self._data = blocks.starts.data, blocks.data.data
        # The stages of a search ask for the same few terms.
        self.number = lru_cache(REMEMBERED)(self._number)

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _heads(self) -> list[int]:
        heads: list[int] = self.blocks.heads.tolist()
        return heads

    def _number(self, term: str) -> int:
        """The term's number, or -1."""
        key = term.encode("utf-8", "surrogatepass")
        head = int.from_bytes(key[:8].ljust(8, b"\0"), "big")
        block = bisect_right(self._heads, head) - 1
        if block < 0:
            return -1
        number = self._number_in(block, key)
        if number < 0 and self._heads[block] == head:  # then it may come before all terms of the block
            return self._number_in(max(0, self._block_of(key)), key)
        return number

    def _number_in(self, block: int, key: bytes) -> int:
        data = self._data[self._starts[block] : self._starts[block + 1]].tobytes()
        shared = data.index(END_BYTE)
        if key[:shared] != data[:shared]:
            return -1
        place = data.find(END_BYTE + key[shared:] + END_BYTE, shared)
        return (block << BLOCK_BITS) + data.count(END_BYTE, shared, place) if place >= 0 else -1

    def term(self, number: int) -> str:
        if not 0 <= number < self._count:
            raise IndexError(number)
        return self._bytes(number).decode(*CODING)

    def _bytes(self, number: int) -> bytes:
        pieces = self._bytes_of(number >> BLOCK_BITS).split(END_BYTE)
        return pieces[0] + pieces[1 + (number & (BLOCK - 1))]

    def prefixed(self, prefix: str) -> range:
        """The numbers of all terms that begin so."""
        key = prefix.encode(*CODING)
        return range(self.rank(key), self.rank(key + END_BYTE))

    def ending(self, text: str, language: str) -> NDArray[np.uint32]:
        """The numbers of all terms of a language whose stems end so, in any order."""
        likely = self._endings.like(text, language)
        if len(text.encode(*CODING)) <= KEPT:
            return likely
        ends = [without_language(self.term(number)).endswith(text) for number in likely.tolist()]
        return likely[np.array(ends, np.bool_)]

    def ending_anywhere(self, text: str) -> NDArray[np.uint32]:
        """The same in all languages."""
        return np.concatenate(
            [np.empty(0, np.uint32), *(self.ending(text, one) for one in self._endings.languages)]
        )

    @cached_property
    def _endings(self) -> Endings:
        return Endings(self.blocks.starts, self.blocks.data, self._count)

    def terms(self, prefix: str = "") -> Iterator[str]:
        """The terms that begin so, in their order."""
        return (key.decode(*CODING) for key in self.keys(self.prefixed(prefix)))

    def keys(self, numbers: range) -> Iterator[bytes]:
        """The bytes of the terms with these numbers, which follow one another."""
        for block in range(numbers.start >> BLOCK_BITS, -(-numbers.stop >> BLOCK_BITS)):
            first = block << BLOCK_BITS
            yield from self.terms_of(block)[max(0, numbers.start - first) : numbers.stop - first]

    def rank(self, key: bytes) -> int:
        """How many terms come before these bytes."""
        block = self._block_of(key)
        return (block << BLOCK_BITS) + bisect_left(self.terms_of(block), key) if block >= 0 else 0

    def terms_of(self, block: int) -> list[bytes]:
        shared, *rests = self._bytes_of(block).split(END_BYTE)[:-1]
        return [shared + rest for rest in rests]

    def _block_of(self, key: bytes) -> int:
        """The block in which these bytes stand or would stand; -1 before the first."""
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
        """The term as people write it most often."""
        data, ends = self.form_lines, self._form_ends
        begin = int(ends[number - 1]) + 1 if number else 0
        return data[begin : int(ends[number])].decode(*CODING) or without_language(self.term(number))

    @cached_property
    def form_lines(self) -> bytes:
        """The forms, each ended by a line feed; empty ones are the stems."""
        return zstandard.decompress(self.blocks.forms.tobytes())

    @cached_property
    def _form_ends(self) -> NDArray[np.int64]:
        return np.flatnonzero(np.frombuffer(self.form_lines, np.uint8) == ord("\n"))


def keys_of(terms: Sequence[str]) -> NDArray[np.uint8]:
    """Terms as `find_terms` takes them."""
    return np.frombuffer("\n".join([*terms, ""]).encode(*CODING), np.uint8)


def dictionary_of(
    arena: NDArray[np.uint8], bounds: NDArray[np.int64], order: NDArray[np.uint32], form_lines: bytes
) -> Dictionary:
    """Term number n is arena[bounds[order[n]] : bounds[order[n] + 1]]; of equal ones there is only one."""
    packed = np.frombuffer(zstandard.compress(form_lines, FORMS_LEVEL), np.uint8)
    return Dictionary(Blocks(*write_blocks(arena, bounds, order), packed))


def write_dictionary(path: Path, dictionary: Dictionary) -> None:
    write_arrays(path, {f.name: getattr(dictionary.blocks, f.name) for f in fields(Blocks)})


def read_dictionary(path: Path) -> Dictionary:
    arrays: dict[str, Any] = read_arrays(path)
    return Dictionary(Blocks(**arrays))
