# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""Which terms of a sorted dictionary are within a few mistakes of a word?

Row d of the table holds the distances of a term's first d characters from every beginning of the word (see
`near`), and behind them the lowest. Terms are sorted, so the next one finds the rows of what it shares with
the last one, and where nothing near can follow, everything that begins so is passed over. Indices are
unsigned, as Numba looks at every signed one whether it counts from the end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.index.dictionary_kernel import BLOCK_BITS, EIGHT, END, ONE, ZERO
from gossamer.kernel import kernel, kernel_part

MARK = 0x1F
FAR = np.uint64(100)  # more than any number of mistakes that is asked for
TWO, SIX, CONTINUED = np.uint64(2), np.uint64(6), np.uint64(0x3F)


@kernel_part
def character_at(term: NDArray[np.uint8], at: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The character that begins here, and where the next one does."""
    code = np.uint64(term[at])
    end = at + ONE
    if code < 0x80:
        return code, end
    code &= np.uint64(0x1F if code < 0xE0 else 0x0F if code < 0xF0 else 0x07)
    while np.uint64(term[end]) & ~CONTINUED == np.uint64(0x80):
        code = code << SIX | np.uint64(term[end]) & CONTINUED
        end += ONE
    return code, end


@kernel_part
def fill_row(
    rows: NDArray[np.uint64],
    depth: np.uint64,
    characters: NDArray[np.uint64],
    word: NDArray[np.uint64],
    mistakes: np.uint64,
) -> bool:
    """Fills the row of a depth from those above it; whether anything near can still follow.

    Only what is at most so many places from the diagonal can be near.
    """
    size = np.uint64(len(word))
    first = depth - mistakes if depth > mistakes else ZERO
    last = min(size, depth + mistakes)
    above = depth - ONE
    own = characters[above]
    lowest, left = FAR, FAR
    if first > ZERO:
        rows[depth, first - ONE] = FAR
    for j in range(first, last + ONE):
        cost = min(rows[above, j], left) + ONE
        if j > ZERO:
            letter = word[j - ONE]
            cost = min(cost, rows[above, j - ONE] + np.uint64(own != letter))
            if above > ZERO and j > ONE and own == word[j - TWO] and characters[above - ONE] == letter:
                cost = min(cost, rows[above - ONE, j - TWO] + ONE)
        rows[depth, j] = cost
        left = cost
        lowest = min(lowest, cost)
    if last < size:
        rows[depth, last + ONE] = FAR
    rows[depth, size + ONE] = lowest
    # Swapped neighbours reach back two rows.
    return lowest <= mistakes or rows[above, size + ONE] < mistakes


@kernel_part
def read_piece(
    data: NDArray[np.uint8], at: np.uint64, term: NDArray[np.uint8], length: np.uint64, same: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """Copies a piece of a block behind so many bytes of a term.

    Returns where the next piece begins, the new length, and how many bytes are what stood there before.
    """
    byte = data[at]
    while byte != END and same == length and term[length] == byte:
        at += ONE
        length += ONE
        same += ONE
        byte = data[at]
    while byte != END:
        term[length] = byte
        at += ONE
        length += ONE
        byte = data[at]
    return at + ONE, length, same


@kernel_part
def head_of(term: NDArray[np.uint8], length: np.uint64) -> np.uint64:
    """The first eight bytes as a number that rises with them."""
    head = ZERO
    for i in range(EIGHT):
        head = head << EIGHT | (np.uint64(term[i]) if i < length else ZERO)
    return head


@kernel_part
def ends_so(term: NDArray[np.uint8], begin: np.uint64, end: np.uint64, ending: NDArray[np.uint8]) -> bool:
    """Whether these bytes of the term are the ending."""
    same = end - begin == np.uint64(len(ending))
    i = ZERO
    while same and begin + i < end:
        same = term[begin + i] == ending[i]
        i += ONE
    return same


@kernel
def walk(
    heads: NDArray[np.uint64],
    starts: NDArray[np.int64],
    data: NDArray[np.uint8],
    terms: int,
    longest: int,
    word: NDArray[np.uint64],
    ending: NDArray[np.uint8],
    mistakes: int,
) -> NDArray[np.int64]:
    """The numbers of the terms that end so, the mark included, and are near to the word before it."""
    size, most = np.uint64(len(word)), np.uint64(mistakes)
    rows = np.empty((len(word) + mistakes + 2, len(word) + 2), np.uint64)
    for j in range(len(word) + 1):
        rows[0, j] = j
    rows[0, len(word) + 1] = 0
    characters, ends = np.empty(len(rows), np.uint64), np.zeros(len(rows), np.uint64)
    term = np.zeros(longest + 1, np.uint8)
    found, count = np.empty(terms, np.int64), ZERO
    depth = ZERO  # of the rows that are filled
    dead, dead_head = ZERO, ZERO  # after so many bytes nothing near follows
    blocks = np.uint64(len(heads))
    for block in range(blocks):
        following = block + ONE
        if ZERO < dead <= EIGHT and following < blocks:
            others = EIGHT * (EIGHT - dead)
            if (heads[following] ^ dead_head) >> others == ZERO:
                continue  # the next block begins so, and so do all terms of this one
        at, shared, same = read_piece(data, np.uint64(starts[block]), term, ZERO, ZERO)
        first = block << np.uint64(BLOCK_BITS)
        for number in range(first, min(following << np.uint64(BLOCK_BITS), np.uint64(terms))):
            at, length, same = read_piece(data, at, term, shared, same if number == first else shared)
            term[length] = END
            if dead > ZERO and same >= dead:
                continue
            dead = ZERO
            while ends[depth] > same:
                depth -= ONE
            while dead == ZERO and ends[depth] < length and term[ends[depth]] != MARK:
                depth += ONE
                characters[depth - ONE], ends[depth] = character_at(term, ends[depth - ONE])
                if not fill_row(rows, depth, characters, word, most):
                    dead, dead_head = ends[depth], head_of(term, length)
            if dead > ZERO or depth > size + most or size > depth + most or rows[depth, size] > most:
                continue
            if ends_so(term, ends[depth], length, ending):
                found[count] = number
                count += ONE
    return found[:count].copy()
