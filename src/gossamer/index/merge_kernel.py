# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""The postings of several segments into one list a term.

The terms of all segments rise alike, and so do the documents of each, before and after the merge: every array
is read once from its beginning to its end, and written likewise. What the segments give for some terms stands
one behind the other in arrays of their own; `bases` says what to add to a segment's numbers to find them
there, and cursors have it added.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS, RANGE_SIZE
from gossamer.index.positions_kernel import BLOCK, LAST, MORE, behind
from gossamer.kernel import unchecked_kernel, unchecked_part

ZERO, ONE = np.uint64(0), np.uint64(1)
GONE, FAR = np.int64(-1), np.int64(1 << 62)
# The columns of `bases`, and of `cursors`: what a segment reads next.
ENTRIES, POSTINGS, PLACES = ZERO, ONE, np.uint64(2)
ENTRY, ENTRIES_END, POSTING = ZERO, ONE, np.uint64(2)
DOC, READ, BYTE = np.uint64(3), np.uint64(4), np.uint64(5)


@unchecked_kernel
def count_living(
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    places: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many documents that have a place hold each term; the others have -1."""
    counts = np.zeros(len(term_entries) - 1, np.int64)
    for term in range(len(counts)):
        for entry in range(np.int64(term_entries[term]), np.int64(term_entries[term + 1])):
            base = np.int64(entry_ranges[entry]) << RANGE_BITS
            for posting in range(np.int64(entry_postings[entry]), np.int64(entry_postings[entry + 1])):
                counts[term] += places[base + posting_docs[posting]] != GONE
    return counts


@unchecked_part
def advance(
    cursors: NDArray[np.int64],
    bases: NDArray[np.int64],
    s: np.uint64,
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    places: NDArray[np.int64],
) -> bool:
    """Takes a segment on to its next posting whose document lives; whether there is one."""
    entry, posting = np.uint64(cursors[s, ENTRY]), np.uint64(cursors[s, POSTING])
    last = np.uint64(cursors[s, ENTRIES_END])
    base = np.uint64(bases[s, PLACES])
    while entry < last:
        first = (np.uint64(entry_ranges[entry]) << RANGE_BITS) + base
        end = np.uint64(entry_postings[entry + ONE]) + np.uint64(bases[s, POSTINGS])
        while posting < end:
            doc = places[first + np.uint64(posting_docs[posting])]
            if doc != GONE:
                cursors[s, ENTRY], cursors[s, POSTING], cursors[s, DOC] = entry, posting, doc
                return True
            posting += ONE
        entry += ONE
    return False


@unchecked_kernel
def merge_terms(
    spans: NDArray[np.int64],
    bases: NDArray[np.int64],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    posting_impacts: NDArray[np.uint8],
    positions: NDArray[np.uint8],
    places: NDArray[np.int64],
    cursors: NDArray[np.int64],
    counts: NDArray[np.int64],
    out_term_entries: NDArray[np.uint32],
    out_ranges: NDArray[np.uint16],
    out_highest: NDArray[np.uint8],
    out_postings: NDArray[np.uint32],
    out_docs: NDArray[np.uint16],
    out_impacts: NDArray[np.uint8],
    out_blocks: NDArray[np.uint32],
    out_positions: NDArray[np.uint8],
) -> tuple[int, int, int, int]:
    """Merges some terms; how many entries, postings, blocks and bytes of positions they gave.

    spans[i, s]: the i-th term's first entry in segment s and the one behind its last, the same where it has
    none. counts: the entries, postings and bytes that were written for earlier terms. A cursor knows the
    posting whose positions were not read yet, and where they are.
    """
    segments = spans.shape[1]
    active = np.empty(segments, np.uint64)
    entries, postings, blocks, size = ZERO, ZERO, ZERO, ZERO
    earlier = np.uint64(counts[1])
    for i in range(spans.shape[0]):
        out_term_entries[i] = np.uint64(counts[0]) + entries
        present = ZERO
        for segment in range(segments):
            if spans[i, segment, 0] < spans[i, segment, 1]:
                s = np.uint64(segment)
                cursors[s, ENTRY] = spans[i, segment, 0] + bases[s, ENTRIES]
                cursors[s, ENTRIES_END] = spans[i, segment, 1] + bases[s, ENTRIES]
                cursors[s, POSTING] = np.int64(entry_postings[cursors[s, ENTRY]]) + bases[s, POSTINGS]
                if advance(cursors, bases, s, entry_ranges, entry_postings, posting_docs, places):
                    active[present] = s
                    present += ONE
        last_range = np.int64(-1)
        while present > ZERO:
            # Hosts stand together, so that a segment often gives many in a row: all before the next one's
            # first.
            best, limit = ZERO, FAR
            doc = cursors[active[ZERO], DOC]
            j = ONE
            while j < present:
                other = cursors[active[j], DOC]
                if other < doc:
                    best, limit, doc = j, doc, other
                elif other < limit:
                    limit = other
                j += ONE
            s = active[best]
            posting = np.uint64(cursors[s, POSTING])
            read = np.uint64(cursors[s, READ])
            place = np.uint64(cursors[s, BYTE])
            there = True
            while there and doc < limit:
                if read != posting:  # the positions of what was left out come first
                    place = behind(positions, place, np.int64(posting - read))
                impact = posting_impacts[posting]
                if doc >> RANGE_BITS != last_range:
                    last_range = doc >> RANGE_BITS
                    out_ranges[entries] = last_range
                    out_highest[entries] = impact
                    out_postings[entries] = earlier + postings
                    entries += ONE
                elif impact > out_highest[entries - ONE]:
                    out_highest[entries - ONE] = impact
                out_docs[postings] = doc & (RANGE_SIZE - 1)
                out_impacts[postings] = impact
                if (earlier + postings) & np.uint64(BLOCK - 1) == ZERO:
                    out_blocks[blocks] = np.uint64(counts[2]) + size
                    blocks += ONE
                postings += ONE
                goes_on = True
                while goes_on:
                    byte = positions[place]
                    goes_on = byte & LAST == 0
                    out_positions[size] = byte
                    place += ONE
                    size += ONE
                    while byte >= MORE:
                        byte = positions[place]
                        out_positions[size] = byte
                        place += ONE
                        size += ONE
                read = posting + ONE
                cursors[s, POSTING] = read
                there = advance(cursors, bases, s, entry_ranges, entry_postings, posting_docs, places)
                posting, doc = np.uint64(cursors[s, POSTING]), cursors[s, DOC]
            cursors[s, BYTE], cursors[s, READ] = place, read
            if not there:
                present -= ONE
                active[best] = active[present]
    return np.int64(entries), np.int64(postings), np.int64(blocks), np.int64(size)
