# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""How many documents hold both terms of a pair, or hold them one behind the other? For many pairs at once.

The rarer term of a pair leads, and both sides leap over what the other lacks. Positions are read only where
both terms stand in one document.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.invert_kernel import RANGE_BITS
from gossamer.index.positions_kernel import place_of, read
from gossamer.kernel import unchecked_kernel, unchecked_part
from gossamer.search.bounds_kernel import seek
from gossamer.search.positional_kernel import field_end, follow


@unchecked_part
def _stand_side_by_side(
    one: int,
    other: int,
    doc: int,
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    starts: NDArray[np.int64],
    others: NDArray[np.int64],
) -> bool:
    """Whether a position of one posting is right behind one of the other, in the same field."""
    end = read(positions, place_of(positions, position_blocks, one), starts, 0)
    other_end = read(positions, place_of(positions, position_blocks, other), others, 0)
    end = follow(starts, 0, end, others, other_end, 1)
    for s in range(end):  # noqa: SIM110 - Numba has no generators
        if starts[s] + 2 <= field_end(lengths, doc, starts[s], -1):
            return True
    return False


@unchecked_kernel
def count_pairs(
    pairs: NDArray[np.int64],
    term_entries: NDArray[np.uint32],
    entry_ranges: NDArray[np.uint16],
    entry_postings: NDArray[np.uint32],
    posting_docs: NDArray[np.uint16],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    alive: NDArray[np.bool_],
    counted_for: NDArray[np.int64],
    longest: int,
    side_by_side: bool,
    counts: NDArray[np.int64],
    docs: NDArray[np.int64],
) -> None:
    """Adds to counts[i] the documents that hold both terms of each pair (i, one term, the other).

    They are written to `docs`, unless that is empty: pair after pair, those of each rising.
    `alive` may be empty: then every document is. `counted_for` is empty, too, or has -1 for each document:
    then none counts twice for pairs with the same i, which follow one another.
    """
    room = longest if side_by_side else 0
    starts, others = np.empty(room, np.int64), np.empty(room, np.int64)
    found = 0
    for row in range(len(pairs)):
        place, one, other = pairs[row, 0], pairs[row, 1], pairs[row, 2]
        sizes = (
            np.int64(entry_postings[term_entries[one + 1]]) - np.int64(entry_postings[term_entries[one]]),
            np.int64(entry_postings[term_entries[other + 1]]) - np.int64(entry_postings[term_entries[other]]),
        )
        swapped = sizes[0] > sizes[1]
        first, second = (other, one) if swapped else (one, other)
        at, last = np.int64(term_entries[second]), np.int64(term_entries[second + 1])
        for e in range(np.int64(term_entries[first]), np.int64(term_entries[first + 1])):
            at = seek(entry_ranges, at, last, entry_ranges[e])
            if at == last:
                break
            if entry_ranges[at] != entry_ranges[e]:
                continue
            base = np.int64(entry_ranges[e]) << RANGE_BITS
            q, q_end = np.int64(entry_postings[at]), np.int64(entry_postings[at + 1])
            for p in range(np.int64(entry_postings[e]), np.int64(entry_postings[e + 1])):
                q = seek(posting_docs, q, q_end, posting_docs[p])
                if q == q_end:
                    break
                if posting_docs[q] != posting_docs[p]:
                    continue
                doc = base + np.int64(posting_docs[p])
                if len(alive) and not alive[doc]:
                    continue
                if len(counted_for) and counted_for[doc] == place:
                    continue
                if side_by_side:
                    before, behind = (q, p) if swapped else (p, q)
                    if not _stand_side_by_side(
                        before, behind, doc, position_blocks, positions, lengths, starts, others
                    ):
                        continue
                if len(counted_for):
                    counted_for[doc] = place
                counts[place] += 1
                if len(docs):
                    docs[found] = doc
                    found += 1
