# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""What do the names that an author gave to an element say about its content?

`class="post__relatedStories-2"` is the words post, related and stories: letters, divided by whatever is no
letter and where a capital follows a small one. Each word may have a meaning, which `hints.py` gives it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.reference_kernel import BYTE, HINT, lookup, numbers
from gossamer.extract.tag_kernel import CLASS_OF, ID, ITEMPROP, PRESENT
from gossamer.kernel import kernel_part, unchecked_part

# What a word may say, as bits.
ARTICLE, BODY = 1, 2  # of one element, or of one in the other: this is the article's text
COMMENT = 4
CLUTTER = 8  # what stands beside the text on any page
SIDE = 16  # a column of its own, or a box in the text
EXTRA = 32  # beside the text of an article
CAPTION = 64
LABEL = 128  # title, author, date, categories

LONGEST_NAMES, MOST_WORDS, ID_WORDS = (
    *numbers(400, 1),  # bytes: what tools add behind them says nothing
    *numbers(400, 1),
    *numbers(2, 1),  # an id of more words is made of a heading
)


@unchecked_part
def hints_of(src: NDArray[np.uint8], i: int, n: int, most: int, tables: NDArray[np.int64]) -> int:
    """The meanings of the words from i to n; none, where there are more than `most`.

    The bounds are checked once, not for each byte.
    """
    if i < 0 or n > len(src):
        raise IndexError("names would leave the document")
    found = np.int64(0)
    words = np.int64(0)
    word = np.uint64(0)
    length = np.int64(0)  # of the word
    small = False  # whether a small letter came before
    n = min(n, i + LONGEST_NAMES)
    for k in range(i, n):
        c = np.int64(src[k])
        capital = 65 <= c <= 90
        letter = capital or 97 <= c <= 122
        if (not letter or (capital and small)) and length:
            words += 1
            found |= lookup(tables, HINT, word, length, src, k - length, k)
            word = np.uint64(0)
            length = np.int64(0)
        if letter:
            word = word << BYTE | np.uint64(c | 32)
            length += 1
        small = letter and not capital
    if length:
        words += 1
        found |= lookup(tables, HINT, word, length, src, n - length, n)
    return found if words <= most else np.int64(0)


@kernel_part
def read_hints(src: NDArray[np.uint8], spans: NDArray[np.int64], tables: NDArray[np.int64]) -> int:
    """The meanings of an element's class, id and itemprop."""
    present = spans[PRESENT]
    found = np.int64(0)
    if present >> CLASS_OF & 1:
        found |= hints_of(src, spans[2 * CLASS_OF], spans[2 * CLASS_OF + 1], MOST_WORDS, tables)
    if present >> ID & 1:
        found |= hints_of(src, spans[2 * ID], spans[2 * ID + 1], ID_WORDS, tables)
    if present >> ITEMPROP & 1:
        found |= hints_of(src, spans[2 * ITEMPROP], spans[2 * ITEMPROP + 1], MOST_WORDS, tables)
    return found
