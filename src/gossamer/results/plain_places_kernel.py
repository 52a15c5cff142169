# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, index, no-any-return, operator"
"""Which words of some texts begin as terms of a query do?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.kernel import kernel, kernel_part

# Kinds of bytes: the letters, then the digits, then
BEYOND = 36  # a letter beyond ASCII
ABSENT = 37  # none of these, or the second one of a word that has only one
KINDS = ABSENT + 1
FIRST_DIGIT = 26
ODD = -1

FULL_STOP, COMMA, APOSTROPHE = ord("."), ord(","), ord("'")


@kernel_part
def is_digit(kind: int) -> bool:
    return FIRST_DIGIT <= kind < BEYOND


@kernel_part
def run_end(text: NDArray[np.uint8], at: int, end: int, kinds: NDArray[np.uint8]) -> int:
    """Where the letters end, or the digits, of which the first stands here."""
    digits = is_digit(kinds[text[at]])
    at += 1
    while at < end and kinds[text[at]] != ABSENT and is_digit(kinds[text[at]]) == digits:
        at += 1
    return at


@kernel_part
def hides_another(
    text: NDArray[np.uint8],
    at: int,
    stop: int,
    kinds: NDArray[np.uint8],
    firsts: NDArray[np.bool_],
    numbers: bool,
) -> bool:
    """Whether a run may be part of a word that begins elsewhere, or as ASCII cannot tell."""
    first = kinds[text[at]]
    if first == BEYOND:
        return True
    if is_digit(first):  # 1,000 and 3.14 are words of their own
        parts = text[stop] == FULL_STOP or text[stop] == COMMA
        return numbers and parts and is_digit(kinds[text[stop + 1]])
    if not firsts[first]:
        return False
    if stop - at == 1:  # an acronym
        return text[stop] == FULL_STOP
    return kinds[text[at + 1]] == BEYOND


@kernel
def find_words(
    text: NDArray[np.uint8],
    starts: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    may_stand: NDArray[np.bool_],
    begun: NDArray[np.bool_],
    places: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> int:
    """Fills where the words begin and end in each text that begin so, and how many it has, or `ODD`.

    The texts stand side by side, with a blank before each and two behind the last; starts[n] is where text n
    begins, and the last is where another one would. may_stand[0] says of each byte whether it may stand
    before a word that is one by itself, may_stand[1] whether behind. `begun` has a row for each kind of a
    first letter and a column for each of a second. How many words there are in all texts comes back.
    """
    firsts = np.empty(KINDS, np.bool_)
    for kind in range(KINDS):
        firsts[kind] = begun[kind].any()
    numbers, found = firsts[FIRST_DIGIT:BEYOND].any(), 0
    for n in range(len(starts) - 1):
        own, at, end = found, starts[n], starts[n + 1] - 1
        while at < end:
            first = kinds[text[at]]
            if first == ABSENT:
                at += 1
                continue
            stop = run_end(text, at, end, kinds)
            odd = hides_another(text, at, stop, kinds, firsts, numbers)
            if not odd and begun[first, kinds[text[at + 1]] if stop - at > 1 else ABSENT]:
                before = text[at - 1]
                possessive = stop - at == 1 and before == APOSTROPHE  # which belongs to the word before it
                odd = possessive or not (may_stand[0, before] and may_stand[1, text[stop]])
                places[own, 0], places[own, 1] = at - starts[n], stop - starts[n]
                own += 1
            if odd:
                own = found + ODD
                break
            at = stop
        counts[n] = own - found
        found = max(own, found)
    return found
