"""Where in its document does a posting's term stand? Bytes read without a kernel, many postings at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.positions_kernel import BLOCK, BLOCK_BITS, LAST, MORE

AT_ONCE = 1 << 20  # postings


def occurrences(data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The positions in bytes that begin with a posting: which posting each is of, from 0, and which it is."""
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
    """The positions of the postings from `first` to before `last`: the posting of each, and the position."""
    begun = first >> BLOCK_BITS
    ended = -(-last // BLOCK)
    postings, positions = occurrences(data[blocks[begun] : blocks[ended]])
    postings += begun << BLOCK_BITS
    wanted = slice(*np.searchsorted(postings, [first, last]))
    return postings[wanted], positions[wanted]


def of_some(
    data: NDArray[np.uint8], blocks: NDArray[np.uint32], wanted: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The positions of these postings, in any order: the place of its posting among them, and the position.

    Only the blocks in which they stand are read.
    """
    own = np.unique(wanted >> BLOCK_BITS)
    begins = blocks[own].astype(np.int64)
    sizes = blocks[own + 1] - begins
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    numbers, positions = occurrences(data[np.repeat(begins, sizes) + within])
    postings = (own[numbers >> BLOCK_BITS] << BLOCK_BITS) + (numbers & (BLOCK - 1))
    rising = np.argsort(wanted)
    places = np.searchsorted(wanted, postings, sorter=rising).clip(max=max(0, len(wanted) - 1))
    places = rising[places] if len(wanted) else places
    chosen = wanted[places] == postings
    return places[chosen], positions[chosen]


def counts(data: NDArray[np.uint8], blocks: NDArray[np.uint32], postings: int) -> NDArray[np.int64]:
    """How many positions each of all postings has: its term frequency over all fields."""
    pieces = [np.empty(0, np.int64)]
    for first in range(0, postings, AT_ONCE):
        last = min(first + AT_ONCE, postings)
        found, _ = of_postings(data, blocks, first, last)
        pieces.append(np.bincount(found - first, minlength=last - first))
    return np.concatenate(pieces)
