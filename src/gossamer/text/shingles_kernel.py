"""The hot loops of `shingles`: words out of UTF-8 bytes, and the minima of their shingles.

The hash of a word is a cyclic polynomial in random weights of its bytes, that of a shingle a polynomial in
the hashes of its words, rolled on from one shingle to the next (Lemire and Kaser, "Recursive n-gram hashing
is pairwise independent, at best", 2010). Both are mixed with the finaliser of MurmurHash3 (Appleby).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel

SHINGLE = 8  # words
HASHES = 84  # minima in a sketch
LEAVE_OFF = -1  # instead of a number of words: this text must be folded first

# What `letters` says of a byte, besides the ASCII letter or digit that it stands for.
APART = 0
LEADS_TWO, LEADS_THREE, LEADS_FOUR = 0x82, 0x83, 0x84
# What `pairs` and `blocks` say of characters beyond ASCII. A pair's other values are the folded character.
IN_WORD, ALONE, FOLD_FIRST = 1, 2, 3

ZERO, ONE = np.uint64(0), np.uint64(1)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
LAST = np.uint64(0xFF)
NOTHING = np.uint64(0xFFFFFFFFFFFFFFFF)
SIZE = np.uint64(HASHES)
BASE = np.uint64(0xD1342543DE82EF95)  # of the polynomial
BASE_TO_8 = np.uint64(pow(0xD1342543DE82EF95, SHINGLE, 1 << 64))


@kernel
def mixed(x: np.uint64) -> np.uint64:
    """A bijection after which every bit depends on every bit."""
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))


@kernel
def rolled_on(word: np.uint64, weight: np.uint64) -> np.uint64:
    """The hash of a word that has one byte more: turned by 9 bits, and the weight of the byte."""
    return ((word << np.uint64(9)) | (word >> np.uint64(55))) ^ weight


@kernel
def read_words(
    text: NDArray[np.uint8],
    letters: NDArray[np.uint8],
    weights: NDArray[np.uint64],
    pairs: NDArray[np.uint16],
    blocks: NDArray[np.uint8],
    written: NDArray[np.uint8],
    hashes: NDArray[np.uint64],
) -> tuple[np.int64 | int, np.int64 | int]:
    """Writes the folded words, each with a zero behind it, and their hashes; returns how many, and the bytes.

    A character of k bytes is written with k; whether its continuation is one is not looked at. Words with
    nothing between them have one that stands alone, of three bytes or more: so n bytes hold (n + 1) / 2 words
    at most. `hashes` needs one place more than that, `written` n + 1 more than that.
    """
    # Unsigned, as Numba looks at every signed index whether it counts from the end: half the speed.
    end, i, length, count = np.uint64(len(text)), ZERO, ZERO, ZERO
    word, inside = ZERO, ZERO  # its hash so far; 1 inside of a word, 0 outside
    while i < end:
        letter = letters[text[i]]
        if letter < LEADS_TWO:
            # Words end where no processor foretells it. Without a branch this is twice as fast.
            is_letter = np.uint64(letter != APART)
            count += inside & (ONE - is_letter)
            word = rolled_on(word, weights[letter]) & (ZERO - is_letter)
            hashes[count] = word
            written[length] = letter
            length += inside | is_letter
            inside = is_letter
            i += ONE
            continue
        size = np.uint64(letter) & np.uint64(7)
        if i + size > end:
            break
        kind, folded = np.uint64(ALONE), ZERO
        if letter == LEADS_TWO:
            folded = np.uint64(pairs[code(text[i], 31, text[i + ONE])])
            kind = min(folded, np.uint64(IN_WORD)) if folded != FOLD_FIRST else folded
        elif letter == LEADS_THREE:
            kind = np.uint64(blocks[code(text[i], 15, text[i + ONE])])
        if kind == FOLD_FIRST:
            return LEAVE_OFF, 0
        if kind != IN_WORD:
            written[length] = 0
            count, length, word, inside = count + inside, length + inside, ZERO, ZERO
        if kind != APART:
            for j in range(size):
                written[length + j] = text[i + j]
            if letter == LEADS_TWO:
                written[length] = np.uint64(0xC0) | folded >> np.uint64(6)
                written[length + ONE] = np.uint64(0x80) | folded & np.uint64(63)
            for j in range(size):
                word = rolled_on(word, weights[written[length + j]])
            hashes[count] = word
            length += size
            inside = ONE
        if kind == ALONE:
            written[length] = 0
            count, length, word, inside = count + ONE, length + ONE, ZERO, ZERO
        i += size
    written[length] = 0
    return np.int64(count + inside), np.int64(length + inside)


@kernel
def code(first: np.uint8, bits: int, second: np.uint8) -> np.uint64:
    """The bits that the first two bytes of a character hold of its code point."""
    return (np.uint64(first) & np.uint64(bits)) << np.uint64(6) | (np.uint64(second) & np.uint64(63))


@kernel
def sketch_words(hashes: NDArray[np.uint64], sketch: NDArray[np.uint8]) -> None:
    """Writes the sketch of a text, zeros where there is none. The hashes are mixed on the way."""
    minima = np.full(HASHES, NOTHING, np.uint64)
    rolled = np.uint64(0)
    for i in range(len(hashes)):
        hashes[i] = mixed(hashes[i])
        rolled = rolled * BASE + hashes[i]
        if i >= SHINGLE:
            rolled -= hashes[i - SHINGLE] * BASE_TO_8
        if i >= SHINGLE - 1 or i == len(hashes) - 1:
            shingle = mixed(rolled)
            place = np.int64(((shingle >> HALF) * SIZE) >> HALF)
            minima[place] = min(minima[place], shingle & LOW)
    for k in range(HASHES):
        sketch[k] = minima[filled_place(minima, np.int64(k))] & LAST if len(hashes) > 0 else 0


@kernel
def filled_place(minima: NDArray[np.uint64], place: np.int64) -> np.int64:
    """The place itself if it has a minimum, else the first that has one in a random order of its own.

    There must be one. `shingles` explains; its tests hold that each place reaches each other.
    """
    draw = np.uint64(place) << HALF
    while minima[place] == NOTHING:
        draw += ONE
        place = np.int64(((mixed(draw) >> HALF) * SIZE) >> HALF)
    return place
