# mypy: disable-error-code="arg-type, assignment, return-value, no-any-return, index, operator, call-overload"
"""Layout of posting lists and positions; inversion.

    term t        has the entries term_entries[t] : term_entries[t + 1]
    entry e       is a range of 4,096 documents in which the term occurs: the range entry_ranges[e], with the
                  highest impact entry_highest[e] and the postings entry_postings[e] : entry_postings[e + 1]
    posting p     has the document posting_docs[p] (16 bits within the range) and the impact
                  posting_impacts[p] (8 bits)
    positions     are encoded in bytes (`put`, `read`) in the order of postings; those of posting 16 i begin
                  at position_blocks[i]

Each array that grows with the number of postings has its own file, because a merge writes all of them in
parallel.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.index.bm25f import IMPACT_LEVELS, Weighting
from gossamer.kernels.kernel import prefetch_to_write, unchecked_kernel, unchecked_part
from gossamer.model import GossamerError
from gossamer.storage.files import Array, read_arrays, write_arrays

# Kernels: encode and read positions
# ----------------------------------
#
# A position is written as its distance from the position before it in the same document, minus 1; the
# first one is written as it is. The first byte of a number holds its lowest 6 bits, a bit that says
# whether more bytes follow, and a bit that marks the last position of the posting. Each further byte
# holds 7 bits, and a bit that says whether more follow. So the number of positions need not be stored,
# and half of all words take one byte.

MORE, LAST = 0x80, 0x40
BLOCK_BITS = 4  # the place of the positions of every 16th posting is stored
BLOCK = 1 << BLOCK_BITS
ONE, EIGHT = np.uint64(1), np.uint64(8)
EACH = np.uint64(0x0101010101010101)  # the lowest bit of each of eight bytes
HIGHEST_BITS = np.uint64(0x8080808080808080)
TOP_BYTE = np.uint64(56)  # the bits below it


@unchecked_part
def size_of(number: int) -> int:
    """Return the number of bytes of an encoded number."""
    size = 1
    number >>= 6
    while number > 0:
        size += 1
        number >>= 7
    return size


@unchecked_part
def put(data: NDArray[np.uint8], place: np.uint64, number: int) -> np.uint64:
    """Encode a number; return where the next one goes."""
    byte = number & 0x3F
    number >>= 6
    if number > 0:
        data[place] = byte | MORE
        place += ONE
        while number > 0x7F:
            data[place] = number & 0x7F | MORE
            number >>= 7
            place += ONE
        byte = number
    data[place] = byte
    return place + ONE


@unchecked_part
def eight_bytes(data: NDArray[np.uint8], place: np.uint64) -> np.uint64:
    """Return eight bytes as a little-endian number; this compiles to one instruction."""
    word = np.uint64(0)
    for i in range(np.uint64(8)):
        word |= np.uint64(data[place + i]) << (i << np.uint64(3))
    return word


@unchecked_part
def behind(data: NDArray[np.uint8], place: np.uint64, postings: int) -> np.uint64:
    """Return where the positions of `postings` postings end that begin at `place`.

    Eight bytes are read at a time. Bytes that mark a last position are counted without a branch, which the
    processor could not predict.
    """
    if postings == 0:
        return place
    left = np.uint64(postings)
    inside = np.uint64(0)  # 1 if the byte before says that more follow
    while place + EIGHT <= np.uint64(len(data)):
        word = eight_bytes(data, place)
        more = (word >> np.uint64(7)) & EACH
        lasts = (word >> np.uint64(6)) & EACH & ~(more << EIGHT | inside)
        counts = lasts * EACH  # each byte holds the count up to it
        if counts >> TOP_BYTE >= left:
            # Bytes whose count is high enough keep their highest bit; the first of them is the end.
            reached = ((counts | HIGHEST_BITS) - left * EACH) & HIGHEST_BITS
            place += EIGHT - (((reached >> np.uint64(7)) * EACH) >> TOP_BYTE)
            left, inside = ONE, np.uint64(0)
            break
        left -= counts >> TOP_BYTE
        inside = more >> TOP_BYTE
        place += EIGHT
    while inside > 0:
        inside = np.uint64(data[place]) >> np.uint64(7)
        place += ONE
    while left > 0:
        first = data[place]
        byte = first
        place += ONE
        while byte >= MORE:
            byte = data[place]
            place += ONE
        left -= np.uint64(first >> 6) & ONE
    return place


@unchecked_part
def place_of(data: NDArray[np.uint8], blocks: NDArray[np.uint32], posting: int) -> np.uint64:
    """Return where the positions of a posting begin."""
    return behind(data, np.uint64(blocks[posting >> BLOCK_BITS]), posting & (BLOCK - 1))


@unchecked_part
def number_at(data: NDArray[np.uint8], place: np.uint64) -> tuple[np.int64, np.uint64]:
    """Decode the number at a place; return it and the place of the next one."""
    byte = data[place]
    place += ONE
    number, shift = np.int64(byte & 0x3F), 6
    while byte >= MORE:
        byte = data[place]
        place += ONE
        number |= np.int64(byte & 0x7F) << shift
        shift += 7
    return number, place


@unchecked_part
def read(data: NDArray[np.uint8], place: np.uint64, into: NDArray[Any], at: int) -> int:
    """Decode the positions of the posting at a place, from into[at] on; return where they end."""
    position = np.int64(-1)
    first = np.uint8(0)
    while first & LAST == 0:
        first = data[place]
        number, place = number_at(data, place)
        position += number + 1
        into[at] = position
        at += 1
    return at


@unchecked_kernel
def positions_of(
    data: NDArray[np.uint8], blocks: NDArray[np.uint32], posting: int, into: NDArray[np.int64]
) -> int:
    """Decode the positions of one posting into an array that is large enough; return their number."""
    return read(data, place_of(data, blocks, posting), into, 0)


class Postings(NamedTuple):
    """The postings of a segment, as described in the module's docstring. Kernels accept this tuple."""

    term_entries: NDArray[np.uint32]
    entry_ranges: NDArray[np.uint16]
    entry_highest: NDArray[np.uint8]
    entry_postings: NDArray[np.uint32]
    posting_docs: NDArray[np.uint16]
    posting_impacts: NDArray[np.uint8]
    position_blocks: NDArray[np.uint32]
    positions: NDArray[np.uint8]

    def span(self, term: int) -> tuple[int, int]:
        """Return the range of a term's postings."""
        first, last = self.term_entries[term], self.term_entries[term + 1]
        return int(self.entry_postings[first]), int(self.entry_postings[last])

    def frequency(self, term: int) -> int:
        """Return the number of documents that hold the term, deleted ones included."""
        first, last = self.span(term)
        return last - first

    def frequencies(self) -> NDArray[np.int64]:
        """Return the number of documents that hold each term, deleted ones included."""
        return self.frequencies_of(range(len(self.term_entries) - 1))

    def frequencies_of(self, terms: range) -> NDArray[np.int64]:
        """Return the number of documents that hold each term of a range."""
        bounds = self.entry_postings[self.term_entries[terms.start : terms.stop + 1]].astype(np.int64)
        return bounds[1:] - bounds[:-1]

    def frequencies_at(self, terms: NDArray[np.uint32] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of documents that hold each given term."""
        places = terms.astype(np.int64, copy=False)
        begins, ends = (self.entry_postings[self.term_entries[own]] for own in (places, places + 1))
        return ends.astype(np.int64) - begins

    def documents(self, term: int) -> NDArray[np.int64]:
        """Return the documents that hold the term, in ascending order."""
        first, last = int(self.term_entries[term]), int(self.term_entries[term + 1])
        bounds = self.entry_postings[first : last + 1]
        ranges = np.repeat(self.entry_ranges[first:last].astype(np.int64) << RANGE_BITS, np.diff(bounds))
        return ranges + self.posting_docs[bounds[0] : bounds[-1]].astype(np.int64)

    def levels(self, term: int) -> NDArray[Any]:
        """Return the impacts of a term's postings, in the order of `documents`."""
        return self.posting_impacts[slice(*self.span(term))]

    def places(self, term: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the document and the position of every occurrence of a term."""
        first, last = self.span(term)
        found, places = of_postings(self.positions, self.position_blocks, first, last)
        return self.documents(term)[found - first], places

    def counts(self) -> NDArray[np.int64]:
        """Return the term frequency of every posting, over all fields."""
        return counts(self.positions, self.position_blocks, len(self.posting_docs))


# Kernels: invert term stream to postings
# ---------------------------------------
#
# The cursor of a term is one row, so that a token touches one cache line. Documents come in ascending
# order, so a term begins a new posting when the document changes: two passes over the stream replace
# sorting. Terms come in random order, so their cursors and postings are not in the cache; both are
# prefetched some tokens ahead.

RANGE_BITS = 12  # 4,096 documents in a range; with 65,536, queries take 50% longer
RANGE_SIZE = 1 << RANGE_BITS
CURSOR = np.dtype(
    [
        ("place", np.uint32),  # of the next position; in `count`, the bytes of all positions
        ("posting", np.uint32),  # the next posting; in `count`, the number of postings
        ("entry", np.uint32),  # the next entry; in `count`, the number of entries
        ("met", np.uint32),  # the last document that holds the term, plus 1
        ("position", np.uint32),  # the last position in that document
        ("size", np.uint8),  # bytes of that position
        ("highest", np.uint8),  # highest impact of the current entry
        ("unused", np.uint16),
        ("frequency", np.float64),  # in the document, weighted
    ]
)  # 32 bytes, two in a cache line
FAR, NEAR = np.uint64(32), np.uint64(16)  # tokens ahead: prefetch a cursor, and what it points to
Cursors = NDArray[Any]


@unchecked_kernel
def renumber(
    words: NDArray[np.uint32],
    term_of_word: NDArray[np.uint32],
    counts: NDArray[np.int64],
    terms: NDArray[np.uint32],
) -> None:
    """Map words to terms, and count the occurrences of each word."""
    for i in range(len(words)):
        word = np.uint64(words[i])
        counts[word] += 1
        terms[i] = term_of_word[word]


@unchecked_kernel
def count(
    stream: NDArray[np.uint32], begins: NDArray[np.int64], sizes: NDArray[np.int64], cursors: Cursors
) -> None:
    """Count bytes of positions, postings and entries of every term, in its cursor, which is 0 at first."""
    last = np.uint64(len(stream)) - ONE
    for doc in range(len(sizes)):
        i = np.uint64(begins[doc])
        for position in range(sizes[doc]):
            prefetch_to_write(cursors, np.uint64(stream[min(i + FAR, last)]))
            cursor = cursors[np.uint64(stream[i])]
            met = np.int64(cursor.met)
            number = position
            if met == doc + 1:
                number -= np.int64(cursor.position) + 1
            else:
                cursor.posting += 1
                if met == 0 or (met - 1) >> RANGE_BITS != doc >> RANGE_BITS:
                    cursor.entry += 1
                cursor.met = doc + 1
            cursor.position = position
            cursor.place += size_of(number)
            i += ONE


@unchecked_kernel
def begin(cursors: Cursors, term_entries: NDArray[np.uint32]) -> tuple[int, int, int]:
    """Turn counts into cursors, each at the beginning of its term; return all bytes, postings and entries."""
    places, postings, entries = np.int64(0), np.int64(0), np.int64(0)
    for term in range(len(cursors)):
        cursor = cursors[term]
        term_entries[term] = entries
        own_places, own_postings, own_entries = cursor.place, cursor.posting, cursor.entry
        cursor.place, cursor.posting, cursor.entry, cursor.met = places, postings, entries, 0
        places += own_places
        postings += own_postings
        entries += own_entries
    term_entries[len(cursors)] = entries
    return places, postings, entries


@unchecked_part
def level_of(tf: float, k1: float, levels: int) -> int:
    """Return the quantised BM25F impact of a posting with the weighted term frequency `tf`."""
    return max(1, min(levels, np.int64(np.ceil(levels * tf / (k1 + tf)))))


@unchecked_part
def end_posting(cursor: Any, k1: float, levels: int, out: Postings) -> None:
    """Finish the posting before the cursor: write its impact and mark its last position."""
    level = level_of(cursor.frequency, k1, levels)
    out.posting_impacts[np.uint64(cursor.posting) - ONE] = level
    out.positions[np.uint64(cursor.place) - np.uint64(cursor.size)] |= LAST
    cursor.highest = max(cursor.highest, np.uint8(level))


@unchecked_part
def begin_entry(cursor: Any, doc: int, out: Postings) -> None:
    """Begin an entry, because the document is not in the range of the term's last document."""
    entry = np.uint64(cursor.entry)
    if cursor.met != 0:
        out.entry_highest[entry - ONE] = cursor.highest
    out.entry_ranges[entry] = doc >> RANGE_BITS
    out.entry_postings[entry] = cursor.posting
    cursor.entry = entry + ONE
    cursor.highest = 0


@unchecked_kernel
def fill(
    stream: NDArray[np.uint32],
    begins: NDArray[np.int64],
    lengths: NDArray[np.uint32],
    shares: NDArray[np.float64],
    k1: float,
    levels: int,
    cursors: Cursors,
    out: Postings,
) -> None:
    """Fill in the postings. An occurrence adds shares[doc, field] to the weighted frequency of its term."""
    last = np.uint64(len(stream)) - ONE
    for doc in range(lengths.shape[0]):
        i = np.uint64(begins[doc])
        position = 0
        for field in range(lengths.shape[1]):
            share = shares[doc, field]
            end = i + np.uint64(lengths[doc, field])
            while i < end:
                prefetch_to_write(cursors, np.uint64(stream[min(i + FAR, last)]))
                near = cursors[np.uint64(stream[min(i + NEAR, last)])]
                prefetch_to_write(out.positions, np.uint64(near.place))
                prefetch_to_write(out.posting_docs, np.uint64(near.posting))
                prefetch_to_write(out.posting_impacts, np.uint64(near.posting))
                cursor = cursors[np.uint64(stream[i])]
                place, met = np.uint64(cursor.place), np.int64(cursor.met)
                number = position
                if met == doc + 1:
                    number -= np.int64(cursor.position) + 1
                    cursor.frequency += share
                else:
                    if met != 0:
                        end_posting(cursor, k1, levels, out)
                    if met == 0 or (met - 1) >> RANGE_BITS != doc >> RANGE_BITS:
                        begin_entry(cursor, doc, out)
                    posting = np.uint64(cursor.posting)
                    out.posting_docs[posting] = doc & (RANGE_SIZE - 1)
                    if posting & np.uint64(BLOCK - 1) == 0:
                        out.position_blocks[posting >> np.uint64(BLOCK_BITS)] = place
                    cursor.posting = posting + ONE
                    cursor.met = doc + 1
                    cursor.frequency = share
                behind = put(out.positions, place, number)
                cursor.position, cursor.place, cursor.size = position, behind, behind - place
                position += 1
                i += ONE
    for term in range(len(cursors)):
        cursor = cursors[term]
        if cursor.met != 0:
            end_posting(cursor, k1, levels, out)
            out.entry_highest[np.uint64(cursor.entry) - ONE] = cursor.highest


# Read positions of many postings in NumPy
# ----------------------------------------

AT_ONCE = 1 << 20  # postings


def occurrences(data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Decode the positions of whole postings.

    Return the posting of each, counted from 0, and the position.
    """
    begins = np.concatenate(([True], data[:-1] < MORE)) if len(data) else np.empty(0, np.bool_)
    places = np.flatnonzero(begins)
    firsts = data[places]
    numbers = (firsts & 0x3F).astype(np.int64)
    long = np.flatnonzero(firsts >= MORE)
    shift = 6
    while len(long):
        bytes_ = data[places[long] + 1 + (shift - 6) // 7]
        numbers[long] |= (bytes_ & 0x7F).astype(np.int64) << shift
        long = long[bytes_ >= MORE]
        shift += 7
    is_last = (firsts & LAST) > 0
    postings: NDArray[np.int64] = np.cumsum(is_last) - is_last
    steps = np.cumsum(numbers + 1)
    is_first = np.concatenate(([True], is_last[:-1])) if len(data) else is_last
    before = (steps - numbers - 1)[is_first]
    return postings, steps - 1 - before[postings]


def of_postings(
    data: NDArray[np.uint8], blocks: NDArray[np.uint32], first: int, last: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Decode the positions of the postings first : last; return the posting of each, and the position."""
    begun = first >> BLOCK_BITS
    ended = -(-last // BLOCK)
    postings, positions = occurrences(data[blocks[begun] : blocks[ended]])
    postings += begun << BLOCK_BITS
    wanted = slice(*np.searchsorted(postings, [first, last]))
    return postings[wanted], positions[wanted]


def counts(data: NDArray[np.uint8], blocks: NDArray[np.uint32], postings: int) -> NDArray[np.int64]:
    """Return the number of positions of every posting: its term frequency over all fields."""
    pieces = [np.empty(0, np.int64)]
    for first in range(0, postings, AT_ONCE):
        last = min(first + AT_ONCE, postings)
        found, _ = of_postings(data, blocks, first, last)
        pieces.append(np.bincount(found - first, minlength=last - first))
    return np.concatenate(pieces)


# The arrays in each file.
FILES = {
    "entries.arrays": ("term_entries", "entry_ranges", "entry_highest", "entry_postings", "position_blocks"),
    "documents.arrays": ("posting_docs",),
    "impacts.arrays": ("posting_impacts",),
    "positions.arrays": ("positions",),
}
MOST_DOCUMENTS = 1 << (16 + RANGE_BITS)  # in one segment: ranges are numbered in 16 bits
MOST = (1 << 32) - 1  # postings, or bytes of positions, in one segment


def room_for(term_entries: NDArray[np.uint32], entries: int, postings: int, size: int) -> Postings:
    """Allocate arrays for some entries, postings and bytes of positions."""
    return Postings(
        term_entries,
        np.empty(entries, np.uint16),
        np.empty(entries, np.uint8),
        np.empty(entries + 1, np.uint32),
        np.empty(postings, np.uint16),
        np.empty(postings, np.uint8),
        np.empty(-(-postings // BLOCK) + 1, np.uint32),  # the last element is the end of all positions
        np.empty(size, np.uint8),
    )


def invert(
    stream: NDArray[np.uint32],
    terms: int,
    begins: NDArray[np.int64],
    lengths: NDArray[np.uint32],
    weighting: Weighting,
) -> Postings:
    """Return the postings of a segment with `terms` terms.

    The terms of document d begin at begins[d] of the stream; lengths[d] holds their number in each field.
    """
    cursors = np.zeros(terms, CURSOR)
    count(stream, begins, lengths.sum(axis=1, dtype=np.int64), cursors)
    term_entries = np.zeros(terms + 1, np.uint32)
    size, postings, entries = begin(cursors, term_entries)
    if max(size, postings) > MOST or len(lengths) > MOST_DOCUMENTS:
        raise GossamerError("the documents in memory do not fit into one segment; lower memory_mb in [index]")
    out = room_for(term_entries, entries, postings, size)
    out.entry_postings[-1], out.position_blocks[-1] = postings, size
    fill(stream, begins, lengths, weighting.shares(lengths), weighting.k1, IMPACT_LEVELS, cursors, out)
    return out


def write_postings(folder: Path, postings: Postings) -> None:
    for file, names in FILES.items():
        write_arrays(folder / file, {name: getattr(postings, name) for name in names})


def read_postings(folder: Path) -> Postings:
    arrays: dict[str, Array] = {}
    for file in FILES:
        arrays.update(read_arrays(folder / file))
    return Postings(**arrays)
