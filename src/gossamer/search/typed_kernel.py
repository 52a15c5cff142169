# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator"
"""Which texts hold which words as they were typed? All words in one pass over the bytes of all texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part

OUTSIDE, INSIDE, UNSURE = 0, 1, 2  # of a word, of a byte beside it; a part of a character beyond ASCII
HELD = 1  # of a word in a text; others are OUTSIDE it, or UNSURE
MOST_FORMS = 64  # a bit each
ZERO, ONE = np.uint64(0), np.uint64(1)
SMALLER = 32  # what a capital lacks to its small letter
DOT, COMMA, NOUGHT, NINE = ord("."), ord(","), ord("0"), ord("9")


@kernel_part
def small_byte(byte: int) -> int:
    return byte + SMALLER if ord("A") <= byte <= ord("Z") else byte


@kernel_part
def is_digit(byte: int) -> bool:
    return NOUGHT <= byte <= NINE


@kernel_part
def is_mark(byte: int) -> bool:
    """Whether digits on both sides of it make one number."""
    return byte in (DOT, COMMA)


@kernel_part
def stands_at(text: NDArray[np.uint8], place: int, forms: NDArray[np.uint8], begin: int, end: int) -> bool:
    """Whether a form stands there, capitals aside."""
    i = 0
    while i < end - begin and small_byte(text[place + i]) == forms[begin + i]:
        i += 1
    return i == end - begin


@kernel_part
def is_free(text: NDArray[np.uint8], begin: int, end: int, inside: NDArray[np.uint8]) -> int:
    """Whether what stands there is no part of a longer word or number: 000 is no word of 1,000."""
    before, behind = text[begin - 1], text[end]
    if inside[before] == UNSURE or inside[behind] == UNSURE:
        return UNSURE
    if inside[text[begin]] == INSIDE and inside[before] == INSIDE:
        return OUTSIDE
    if inside[text[end - 1]] == INSIDE and inside[behind] == INSIDE:
        return OUTSIDE
    if is_digit(text[begin]) and is_mark(before) and is_digit(text[begin - 2]):
        return OUTSIDE
    if is_digit(text[end - 1]) and is_mark(behind) and is_digit(text[end + 1]):
        return OUTSIDE
    return HELD


@kernel
def find_forms(
    text: NDArray[np.uint8],
    text_begins: NDArray[np.int64],
    forms: NDArray[np.uint8],
    form_begins: NDArray[np.int64],
    word_of: NDArray[np.int64],
    inside: NDArray[np.uint8],
    held: NDArray[np.uint8],
) -> None:
    """Fills in of each text and word whether any of its forms stands there; what it does not find it leaves.

    Text i goes from text_begins[i] to two bytes before text_begins[i + 1], and two spaces stand before it;
    form j, in small letters of ASCII, likewise, without spaces, and belongs to word word_of[j].
    """
    begun = np.zeros(256, np.uint64)  # by byte, the forms that begin with it
    of_word = np.zeros(held.shape[1], np.uint64)
    every = ZERO
    for j in range(len(word_of)):
        bit = ONE << np.uint64(j)
        first = forms[form_begins[j]]
        begun[first] |= bit
        if ord("a") <= first <= ord("z"):
            begun[first - SMALLER] |= bit
        of_word[word_of[j]] |= bit
        every |= bit
    for row in range(len(text_begins) - 1):
        wanted, end = every, text_begins[row + 1] - 2
        for place in range(text_begins[row], end):
            found = begun[text[place]] & wanted
            if found == ZERO:
                continue
            if inside[text[place]] == INSIDE and inside[text[place - 1]] == INSIDE:
                continue
            for j in range(len(word_of)):
                if (found >> np.uint64(j)) & ONE == ZERO:
                    continue
                size = form_begins[j + 1] - form_begins[j]
                if place + size > end or not stands_at(
                    text, place, forms, form_begins[j], form_begins[j + 1]
                ):
                    continue
                free = is_free(text, place, place + size, inside)
                if free == HELD:
                    held[row, word_of[j]] = HELD
                    wanted &= ~of_word[word_of[j]]
                    found &= ~of_word[word_of[j]]
                elif free == UNSURE:
                    held[row, word_of[j]] = UNSURE
            if wanted == ZERO:
                break
