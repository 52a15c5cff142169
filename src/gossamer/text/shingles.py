"""Content digest and shingle sketch (MinHash) of a text.

A text is read as a sequence of words. Case, spacing and punctuation do not matter.

The **digest** is BLAKE2b over the folded words. It is equal for texts with the same words in the same order.

The **sketch** estimates the resemblance of two texts, |A ∩ B| / |A ∪ B| over their sets A and B of 8-word
shingles (Broder, "On the resemblance and containment of documents", 1997). In a random order of all shingles,
the probability that A and B have the same first shingle equals their resemblance. 84 orders would need 84
hashes per shingle. Here one hash is enough (Li, Owen and Zhang, "One permutation hashing", 2012): its upper
half selects one of 84 places, and each place keeps the smallest lower half. A place without a shingle borrows
from another one. The order in which it tries others is random but depends only on the place, so two texts
borrow in the same way. This "optimal densification" (Shrivastava, ICML 2017) keeps the probability of a match
equal to the resemblance. 8 bits of each minimum are stored ("b-bit minwise hashing", Li and König, 2010).
Different minima have the same 8 bits once in 256 times, so

    P(match) = 1/256 + (1 - 1/256) R,   R estimated by (matches/84 - 1/256) / (1 - 1/256),

with a standard error of about sqrt(R (1 - R) / 84): 0.055 at most, 0.033 at R = 0.9.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel

# Kernels: hash words, minima of shingles
# ---------------------------------------
#
# The hash of a word is a cyclic polynomial in random weights of its bytes. The hash of a shingle is
# a rolling polynomial in the hashes of its words (Lemire and Kaser, "Recursive n-gram hashing is
# pairwise independent, at best", 2010). Both are mixed with the finaliser of MurmurHash3 (Appleby).

SHINGLE = 8  # words
HASHES = 84  # minima in a sketch
LEAVE_OFF = -1  # instead of a word count: the text must be folded first

# Values of `letters` for a byte, besides the ASCII letter or digit that it represents.
APART = 0
LEADS_TWO, LEADS_THREE, LEADS_FOUR = 0x82, 0x83, 0x84

# Values of `pairs` and `blocks` for characters beyond ASCII. Other values of `pairs` are the folded
# character.
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
    """Mix the bits of x: a bijection in which every bit of the result depends on every bit of x."""
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))


@kernel
def rolled_on(word: np.uint64, weight: np.uint64) -> np.uint64:
    """Return the hash of a word with one more byte: rotated by 9 bits, and XORed with the byte's weight."""
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
    """Write the folded words, each followed by a zero, and their hashes. Return how many words and bytes.

    The first byte of a character decides its length k, and the next k - 1 bytes are not checked. Two words
    without a separator include one of a single character of at least three bytes, so n bytes hold at most (n
    + 1) / 2 words. `hashes` needs one place more than that, `written` n + 1 places more than that.
    """
    # Unsigned, because Numba checks each signed index for being negative, which halves the speed.
    end, i, length, count = np.uint64(len(text)), ZERO, ZERO, ZERO
    word, inside = ZERO, ZERO  # its hash so far; 1 inside of a word, 0 outside
    while i < end:
        letter = letters[text[i]]
        if letter < LEADS_TWO:
            # Branch prediction cannot foresee the ends of words. Without a branch this is twice as fast.
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
    """Return the bits of the code point that the first two bytes of a character contain."""
    return (np.uint64(first) & np.uint64(bits)) << np.uint64(6) | (np.uint64(second) & np.uint64(63))


@kernel
def sketch_words(hashes: NDArray[np.uint64], sketch: NDArray[np.uint8]) -> None:
    """Write the sketch of a text; all zeros for an empty one. The hashes are mixed in place."""
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
    """Return the place if it has a minimum, else the first that has one in the place's own random order.

    At least one place must have a minimum. The module docstring explains the order. A test checks that each
    place reaches every other one.
    """
    draw = np.uint64(place) << HALF
    while minima[place] == NOTHING:
        draw += ONE
        place = np.int64(((mixed(draw) >> HALF) * SIZE) >> HALF)
    return place


DIGEST_BYTES = 16
SKETCH_BYTES = HASHES  # one byte of each minimum
CHANCE = 1 / 256  # probability that two different minima have the same stored byte
_LINE = 10  # not in any word

# Ranges of code points. All bounds are multiples of 64, because the kernel classifies blocks of 64
# characters.
_SYMBOLS = ((0x2000, 0x2C00), (0x3000, 0x3040))  # punctuation, arrows, boxes, dingbats; CJK punctuation
_UNSPACED = (
    (0x0E00, 0x0F00),  # Thai, Lao
    (0x1000, 0x10C0),  # Burmese
    (0x1780, 0x1800),  # Khmer
    (0x3040, 0xA000),  # kana, Han
    (0xAC00, 0xD800),  # Hangul: written with spaces, but with particles at the ends of words
    (0xF900, 0xFB00),  # Han
    (0xFF00, 0x10000),  # full and half width
)
_MUST_BE_FOLDED = (  # case, and combining marks
    (0x10C0, 0x1200),  # Georgian, conjoining Hangul
    (0x1AC0, 0x2000),  # Georgian, Vietnamese, Greek with accents
)


@dataclass(frozen=True, slots=True)
class ContentSketch:
    """Digest, sketch and number of words of a text, by which copies are recognised."""

    digest: bytes
    sketch: bytes
    words: int


class _Tables(NamedTuple):
    """Character classes for the kernel: of single bytes, of pairs of bytes, of blocks of 64 characters."""

    letters: NDArray[np.uint8]
    weights: NDArray[np.uint64]
    pairs: NDArray[np.uint16]
    blocks: NDArray[np.uint8]


def content_sketch(title: str | bytes, text: str | bytes) -> ContentSketch:
    """Return the digest and the sketch of a page. Bytes are read as UTF-8 and may be invalid.

    >>> content_sketch("Jaguar", "It is a cat.") == content_sketch("JAGUAR", "it  is: a cat")
    True
    """
    found = _sketched(_encoded(title), _encoded(text), _tables(folded=False))
    if found is None:
        found = _sketched(_folded(title), _folded(text), _tables(folded=True))
    assert found is not None, "folded text needs no folding"
    return found


def resemblance(one: bytes, other: bytes) -> float:
    """Estimate the share of common shingles of two texts from their sketches, from 0 to 1.

    >>> resemblance(bytes(84), bytes(84))
    1.0
    """
    if len(one) != SKETCH_BYTES or len(other) != SKETCH_BYTES:
        raise ValueError(f"a sketch has {SKETCH_BYTES} bytes, not {len(one)} and {len(other)}")
    matches = np.count_nonzero(np.frombuffer(one, np.uint8) == np.frombuffer(other, np.uint8))
    return resemblance_of(int(matches))


def resemblance_of(matches: int) -> float:
    """Estimate the share of common shingles if this number of the 84 bytes match."""
    return max(0.0, (matches / HASHES - CHANCE) / (1 - CHANCE))


def _sketched(title: bytes, text: bytes, tables: _Tables) -> ContentSketch | None:
    """Return the sketch of UTF-8 text; None if it contains characters that must be folded first."""
    room = len(title) + len(text) + 2
    hashes = np.empty(room // 2 + 1, np.uint64)
    written = np.empty(room + room // 2 + 1, np.uint8)
    count, length = read_words(np.frombuffer(title, np.uint8), *tables, written, hashes)
    if count == LEAVE_OFF:
        return None
    written[length] = _LINE  # separates title and text
    length += 1
    more, longer = read_words(np.frombuffer(text, np.uint8), *tables, written[length:], hashes[count:])
    if more == LEAVE_OFF:
        return None
    sketch = np.empty(SKETCH_BYTES, np.uint8)
    sketch_words(hashes[: count + more], sketch)
    digest = blake2b(written[: length + longer].data, digest_size=DIGEST_BYTES).digest()
    return ContentSketch(digest, sketch.tobytes(), int(count + more))


def _encoded(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _folded(text: str | bytes) -> bytes:
    characters = text if isinstance(text, str) else text.decode("utf-8", "replace")
    composed = unicodedata.normalize("NFC", characters).casefold()
    return _encoded(unicodedata.normalize("NFC", composed))


@cache
def _tables(folded: bool) -> _Tables:
    """Return the tables for folded text, or for any text, in which some characters require folding."""
    letters = np.zeros(256, np.uint8)
    for byte in range(0x80):
        letters[byte] = ord(chr(byte).lower()) if chr(byte).isalnum() else APART
    letters[0xC2:0xE0], letters[0xE0:0xF0], letters[0xF0:0xF5] = LEADS_TWO, LEADS_THREE, LEADS_FOUR
    pairs = np.array([_pair(chr(point)) for point in range(0x800)], np.uint16)
    blocks = np.full(1024, IN_WORD, np.uint8)
    for ranges, kind in ((_SYMBOLS, APART), (_UNSPACED, ALONE), (_MUST_BE_FOLDED, FOLD_FIRST)):
        for first, end in ranges:
            blocks[first >> 6 : end >> 6] = kind
    if folded:
        blocks[blocks == FOLD_FIRST] = IN_WORD
    else:
        pairs[0x300:0x370] = FOLD_FIRST  # combining marks
    return _Tables(letters, _weights(), pairs, blocks)


def _weights() -> NDArray[np.uint64]:
    """Return a random number for each byte; 0 for the byte that separates words."""
    random = [int.from_bytes(blake2b(bytes([byte]), digest_size=8).digest(), "little") for byte in range(256)]
    return np.array([0, *random[1:]], np.uint64)


def _pair(character: str) -> int:
    """Return the value of a two-byte character in a word: its lower case if that has two bytes as well."""
    if not character.isalnum() and not unicodedata.category(character).startswith("M"):
        return APART
    small = character.casefold()
    return ord(small if len(small) == 1 and 0x80 <= ord(small) < 0x800 else character)
