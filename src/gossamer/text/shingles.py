"""Do two texts say the same, or nearly?

A text is taken as its sequence of words; case, spacing and punctuation do not count. Of it are made:

The **digest** is BLAKE2b over the folded words: equal for texts that say exactly the same.

The **sketch** estimates the resemblance of two texts, |A ∩ B| / |A ∪ B| over their sets A and B of 8-word
shingles (Broder, "On the resemblance and containment of documents", 1997). A random order of all shingles
puts the same one first in A and in B with just that probability. 84 orders would need 84 hashes a shingle;
here one does (Li, Owen and Zhang, "One permutation hashing", 2012): its upper half says which of 84 places
a shingle belongs to, and each place keeps the smallest lower half. A place without any shingle borrows from
another, drawn at random in an order that depends on the place alone, so that two texts borrow alike: this
"optimal densification" (Shrivastava, ICML 2017) keeps the probability of a match at the resemblance. Of each
minimum 8 bits are kept ("b-bit minwise hashing", Li and König, 2010). Different minima agree in them once in
256 times, so

    P(match) = 1/256 + (1 - 1/256) R,   R estimated by (matches/84 - 1/256) / (1 - 1/256),

with a standard error of about sqrt(R (1 - R) / 84): 0.055 at the worst, 0.033 at R = 0.9.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.text.shingles_kernel import (
    ALONE,
    APART,
    FOLD_FIRST,
    HASHES,
    IN_WORD,
    LEADS_FOUR,
    LEADS_THREE,
    LEADS_TWO,
    LEAVE_OFF,
    read_words,
    sketch_words,
)

DIGEST_BYTES = 16
SKETCH_BYTES = HASHES  # one byte of each minimum
CHANCE = 1 / 256  # that two different minima agree in the byte that is kept

_LINE = 10  # no word holds it
# By code points; all bounds are multiples of 64, as the kernel looks at 64 characters at once.
_SYMBOLS = ((0x2000, 0x2C00), (0x3000, 0x3040))  # punctuation, arrows, boxes, dingbats; CJK punctuation
_UNSPACED = (
    (0x0E00, 0x0F00),  # Thai, Lao
    (0x1000, 0x10C0),  # Burmese
    (0x1780, 0x1800),  # Khmer
    (0x3040, 0xA000),  # kana, Han
    (0xAC00, 0xD800),  # Hangul has spaces, but particles stick to its words
    (0xF900, 0xFB00),  # Han
    (0xFF00, 0x10000),  # full and half width
)
_MUST_BE_FOLDED = (  # case, and marks that may stand apart from their letters
    (0x10C0, 0x1200),  # Georgian, conjoining Hangul
    (0x1AC0, 0x2000),  # Georgian, Vietnamese, Greek with accents
)


@dataclass(frozen=True, slots=True)
class ContentPrint:
    """What is kept of a text to recognise it by."""

    digest: bytes
    sketch: bytes
    words: int


class _Tables(NamedTuple):
    """What the kernel needs to know about characters: of single bytes, of two bytes, of blocks of 64."""

    letters: NDArray[np.uint8]
    weights: NDArray[np.uint64]
    pairs: NDArray[np.uint16]
    blocks: NDArray[np.uint8]


def content_print(title: str | bytes, text: str | bytes) -> ContentPrint:
    """The digest and the sketch of a page. Bytes are taken as UTF-8; where they are not, nothing breaks.

    >>> content_print("Jaguar", "It is a cat.") == content_print("JAGUAR", "it  is: a cat")
    True
    """
    found = _printed(_encoded(title), _encoded(text), _tables(folded=False))
    if found is None:
        found = _printed(_folded(title), _folded(text), _tables(folded=True))
    assert found is not None, "folded text needs no folding"
    return found


def resemblance(one: bytes, other: bytes) -> float:
    """The estimated share of common shingles of two texts, from 0 to 1, from their sketches.

    >>> resemblance(bytes(84), bytes(84))
    1.0
    """
    if len(one) != SKETCH_BYTES or len(other) != SKETCH_BYTES:
        raise ValueError(f"a sketch has {SKETCH_BYTES} bytes, not {len(one)} and {len(other)}")
    matches = np.count_nonzero(np.frombuffer(one, np.uint8) == np.frombuffer(other, np.uint8))
    return resemblance_of(int(matches))


def resemblance_of(matches: int) -> float:
    """The estimate when so many of the 84 bytes agree."""
    return max(0.0, (matches / HASHES - CHANCE) / (1 - CHANCE))


def _printed(title: bytes, text: bytes, tables: _Tables) -> ContentPrint | None:
    """The print of UTF-8 bytes; None where they hold characters that must be folded before."""
    room = len(title) + len(text) + 2
    hashes = np.empty(room // 2 + 1, np.uint64)
    written = np.empty(room + room // 2 + 1, np.uint8)
    count, length = read_words(np.frombuffer(title, np.uint8), *tables, written, hashes)
    if count == LEAVE_OFF:
        return None
    written[length] = _LINE  # no title runs into a text
    length += 1
    more, longer = read_words(np.frombuffer(text, np.uint8), *tables, written[length:], hashes[count:])
    if more == LEAVE_OFF:
        return None
    sketch = np.empty(SKETCH_BYTES, np.uint8)
    sketch_words(hashes[: count + more], sketch)
    digest = blake2b(written[: length + longer].data, digest_size=DIGEST_BYTES).digest()
    return ContentPrint(digest, sketch.tobytes(), int(count + more))


def _encoded(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _folded(text: str | bytes) -> bytes:
    characters = text if isinstance(text, str) else text.decode("utf-8", "replace")
    composed = unicodedata.normalize("NFC", characters).casefold()
    return _encoded(unicodedata.normalize("NFC", composed))


@cache
def _tables(folded: bool) -> _Tables:
    """For text that is folded, or for any: there some characters ask for folding."""
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
    """A random number for each byte; 0 for the byte that parts words."""
    random = [int.from_bytes(blake2b(bytes([byte]), digest_size=8).digest(), "little") for byte in range(256)]
    return np.array([0, *random[1:]], np.uint64)


def _pair(character: str) -> int:
    """What a character of two bytes is in a word: its lower case where that has two bytes as well."""
    if not character.isalnum() and not unicodedata.category(character).startswith("M"):
        return APART
    small = character.casefold()
    return ord(small if len(small) == 1 and 0x80 <= ord(small) < 0x800 else character)
