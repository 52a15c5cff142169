# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, operator, call-overload, return-value, no-any-return"
"""What does it cost to write one word for another? The table of `channel.cost`, for very many words.

Only what is at most `reach` places from the diagonal is filled in, and a word is given up when its last two
rows, from which all others come, cost too much.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel_part
from gossamer.text.channel import (
    ANY_OUT,
    ANY_SWAPPED,
    BEFORE,
    BEHIND,
    DIGRAPH,
    EDGE,
    FAR,
    FIRST,
    OTHER,
    QUIET_OUT,
    TWIN_OUT,
    VOWEL_OUT,
    VOWELS_SWAPPED,
)

ROOM = 40  # rows and columns of the table: letters of a word, and one


@kernel_part
def alone(
    word: NDArray[np.uint16],
    begin: int,
    end: int,
    place: int,
    kinds: int,
    numbers: NDArray[np.uint8],
    vowels: NDArray[np.bool_],
    quiet: NDArray[np.uint8],
    costs: NDArray[np.int64],
) -> int:
    """What it costs to leave the letter at this place of a word out, or to put it in."""
    letter = word[place]
    number = numbers[letter]
    before, after = EDGE, EDGE
    twin = False
    if place > begin:
        before = np.int64(numbers[word[place - 1]])
        twin = word[place - 1] == letter
    if place + 1 < end:
        after = np.int64(numbers[word[place + 1]])
        twin = twin or word[place + 1] == letter
    kind = kinds
    if not twin:
        if quiet[number, before] & BEHIND or quiet[number, after] & BEFORE:
            kind += QUIET_OUT - TWIN_OUT
        elif vowels[number]:
            kind += VOWEL_OUT - TWIN_OUT
        else:
            kind += ANY_OUT - TWIN_OUT
    return costs[kind] + (costs[FIRST] if place == begin else 0)


@kernel_part
def fill_row(
    rows: NDArray[np.int64],
    i: int,
    word: NDArray[np.uint16],
    begin: int,
    end: int,
    typed: NDArray[np.uint16],
    typed_numbers: NDArray[np.uint8],
    typed_sounds: NDArray[np.uint8],
    come_in: NDArray[np.int64],
    least_out: int,
    least_in: int,
    reach: int,
    numbers: NDArray[np.uint8],
    put: NDArray[np.int64],
    vowels: NDArray[np.bool_],
    quiet: NDArray[np.uint8],
    digraphs: NDArray[np.uint8],
    costs: NDArray[np.int64],
) -> int:
    """Fills the row of the first i letters of a word; returns what is least in it.

    There the letters count that one word has left and the other has not: each costs at least so much.
    """
    size = len(typed)
    more = end - begin - i - size  # letters that the word has left, but for all of the typed one
    first, last = max(0, i - reach), min(size, i + reach)
    own = word[begin + i - 1]
    number = numbers[own]
    earlier = word[begin + i - 2] if i > 1 else np.uint16(0)
    out = alone(word, begin, end, begin + i - 1, TWIN_OUT, numbers, vowels, quiet, costs)
    sound = digraphs[numbers[earlier], number] if i > 1 else np.uint8(EDGE)
    lowest, left = FAR, FAR
    if first > 0:
        rows[i, first - 1] = FAR
    for j in range(first, last + 1):
        least = min(rows[i - 1, j] + out, FAR)
        if j > 0:
            least = min(least, left + come_in[j - 1])
            letter = typed[j - 1]
            other = typed_numbers[j - 1]
            step = 0
            if letter != own:
                step = put[number, other] + (costs[FIRST] if i == 1 and j == 1 else 0)
            least = min(least, rows[i - 1, j - 1] + step)
            if i > 1:
                if j > 1 and own == typed[j - 2] and earlier == letter:
                    both = vowels[number] and vowels[other]
                    least = min(least, rows[i - 2, j - 2] + costs[VOWELS_SWAPPED if both else ANY_SWAPPED])
                if sound > OTHER and sound == other:
                    least = min(least, rows[i - 2, j - 1] + costs[DIGRAPH])
            if typed_sounds[j - 1] > OTHER and typed_sounds[j - 1] == number:
                least = min(least, rows[i - 1, j - 2] + costs[DIGRAPH])
        rows[i, j] = least
        left = least
        lowest = min(lowest, least + max((more + j) * least_out, -(more + j) * least_in))
    if last < size:
        rows[i, last + 1] = FAR
    return lowest


@kernel_part
def cost_of(
    rows: NDArray[np.int64],
    word: NDArray[np.uint16],
    begin: int,
    end: int,
    typed: NDArray[np.uint16],
    typed_numbers: NDArray[np.uint8],
    typed_sounds: NDArray[np.uint8],
    come_in: NDArray[np.int64],
    least_out: int,
    least_in: int,
    reach: int,
    most: int,
    numbers: NDArray[np.uint8],
    put: NDArray[np.int64],
    vowels: NDArray[np.bool_],
    quiet: NDArray[np.uint8],
    digraphs: NDArray[np.uint8],
    costs: NDArray[np.int64],
) -> int:
    """The cost of the typed word for one of a list; `FAR` where it is more than `most`. Row 0 is filled."""
    size = end - begin
    before = 0
    for i in range(1, size + 1):
        lowest = fill_row(
            rows,
            i,
            word,
            begin,
            end,
            typed,
            typed_numbers,
            typed_sounds,
            come_in,
            least_out,
            least_in,
            reach,
            numbers,
            put,
            vowels,
            quiet,
            digraphs,
            costs,
        )
        if lowest > most and before > most:
            return FAR
        before = lowest
    return rows[size, len(typed)] if rows[size, len(typed)] <= most else FAR
