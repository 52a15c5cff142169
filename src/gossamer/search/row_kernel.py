# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, return-value, index, operator, call-overload"
"""Do the terms of a conjunction stand in a row? Looked at for the few documents that are good enough.

The postings of the terms are found from the bits of a block's documents, and what has to be read of their
positions is fetched before it is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.positions_kernel import BLOCK_BITS, behind, place_of, read
from gossamer.index.prefetch_kernel import prefetch
from gossamer.kernel import kernel_part
from gossamer.search.blockmax_kernel import DOCS_A_BLOCK, HALF, LOW, ONE, ZERO
from gossamer.search.positional_kernel import field_end, follow

PLACES = np.uint64(BLOCK_BITS)  # of positions: one for so many postings, as a power of 2


@kernel_part
def place_in(span: int, wanted: int, posting_docs: NDArray[np.uint16]) -> int:
    """The first posting of a span whose document, as its place in the block, is not before the wanted one."""
    begin, length = span >> HALF, span & LOW
    low = begin + max(wanted + length, DOCS_A_BLOCK) - DOCS_A_BLOCK  # behind it is room for few
    high = begin + min(wanted, length)
    while low < high:
        middle = (low + high) >> ONE
        if np.uint64(posting_docs[middle]) & (DOCS_A_BLOCK - ONE) < wanted:
            low = middle + ONE
        else:
            high = middle
    return low


@kernel_part
def ones(bits: int) -> int:
    """How many of 32 bits are 1."""
    bits -= (bits >> ONE) & np.uint64(0x55555555)
    bits = (bits & np.uint64(0x33333333)) + ((bits >> np.uint64(2)) & np.uint64(0x33333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F)
    return ((bits * np.uint64(0x01010101)) >> np.uint64(24)) & np.uint64(0xFF)


@kernel_part
def find_postings(
    candidates: NDArray[np.uint8],
    good: int,
    spans: NDArray[np.uint64],
    own: int,
    order: NDArray[np.uint64],
    helds: NDArray[np.uint64],
    posting_docs: NDArray[np.uint16],
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    postings: NDArray[np.uint64],
) -> None:
    """The postings that the terms have in these documents; fetches their positions.

    `helds` has the documents of each span as bits, or 0 where only one of them was asked for.
    """
    count = np.uint64(len(order))
    for n in range(good):
        d = np.uint64(candidates[n])
        for i in range(count):
            p = (spans[own + i] >> HALF) + ones(helds[i] & ((ONE << d) - ONE))
            if helds[i] == ZERO:
                p = place_in(spans[own + i], d, posting_docs)
            postings[n * count + order[i]] = p
            prefetch(positions, np.uint64(position_blocks[p >> PLACES]))


@kernel_part
def go_on(
    term: int,
    postings: NDArray[np.uint64],
    own: int,
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    places: NDArray[np.uint64],
) -> np.uint64:
    """Where the positions of a term's posting begin: found from where it was read last, if that is near."""
    posting, last = postings[own + term], places[term, 0]
    if last <= posting and last >> PLACES == posting >> PLACES:
        place = behind(positions, places[term, 1], np.int64(posting - last))
    else:
        place = place_of(positions, position_blocks, np.int64(posting))
    places[term, 0], places[term, 1] = posting, place
    return place


@kernel_part
def stand_in_a_row(
    row: NDArray[np.int64],
    leader: int,
    postings: NDArray[np.uint64],
    own: int,
    position_blocks: NDArray[np.uint32],
    positions: NDArray[np.uint8],
    lengths: NDArray[np.uint32],
    doc: int,
    starts: NDArray[np.int64],
    others: NDArray[np.int64],
    places: NDArray[np.uint64],
) -> bool:
    """Whether the terms stand one behind the other within a field: the j-th word of the row is term row[j].

    The terms' postings in this document stand from `own` on; the rarest is the word `leader` of the row.
    """
    place = go_on(np.uint64(row[leader]), postings, own, position_blocks, positions, places)
    end = read(positions, place, starts, 0)
    for s in range(end):
        starts[s] -= leader
    for j in range(len(row)):
        if j != leader and end > 0:
            place = go_on(np.uint64(row[j]), postings, own, position_blocks, positions, places)
            others_end = read(positions, place, others, 0)
            end = follow(starts, 0, end, others, others_end, j)
    for s in range(end):
        if starts[s] >= 0 and starts[s] + len(row) <= field_end(lengths, doc, starts[s], -1):
            return True
    return False
