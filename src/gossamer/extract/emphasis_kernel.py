# Numba's integers are one kind, mypy's and NumPy's are not.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Which words of the main text does its author emphasise? What stands in <strong>, <em> and their like.

A run of emphasis begins and ends in one line: what goes on over several is a style, not a stress, and a tag
that nobody closes marks nothing. Elements within each other are one run. A run that begins or ends inside
of a word, as a large initial does, says nothing of the word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.reference_kernel import copy_bytes
from gossamer.extract.writing_kernel import (
    END,
    HEADING,
    LINES,
    POS,
    REGION_OF,
    RUN_LINE,
    RUN_OPEN,
    RUN_START,
    RUNS,
)
from gossamer.kernel import kernel, kernel_part

MOST_RUNS = 20_000  # a page; whoever emphasises more emphasises nothing

# Columns of `runs`.
BEGIN, UNTIL = 0, 1
RUN_WIDTH = 2


@kernel_part
def note_emphasis(closing: bool, state: NDArray[np.int64], runs: NDArray[np.int32]) -> None:
    """An element that emphasises begins or ends here."""
    if state[RUN_LINE] != state[LINES]:
        state[RUN_OPEN] = 0
    if not closing:
        if state[RUN_OPEN] == 0:
            state[RUN_START] = state[POS]
            state[RUN_LINE] = state[LINES]
        state[RUN_OPEN] += 1
    elif state[RUN_OPEN] > 0:
        state[RUN_OPEN] -= 1
        k = state[RUNS]
        if state[RUN_OPEN] == 0 and state[POS] > state[RUN_START] and k < len(runs):
            runs[k, BEGIN] = state[RUN_START]
            runs[k, UNTIL] = state[POS]
            state[RUNS] = k + 1


@kernel_part
def _is_plain(c: int) -> bool:
    """Whether this is a letter or digit of ASCII; other scripts may write no spaces."""
    return 97 <= (c | 32) <= 122 or 48 <= c <= 57


@kernel_part
def _cuts(text: NDArray[np.uint8], place: int, begin: int, end: int) -> bool:
    """Whether a place in a line lies inside of a word."""
    return begin < place < end and _is_plain(np.int64(text[place - 1])) and _is_plain(np.int64(text[place]))


@kernel
def gather_emphasised(
    text: NDArray[np.uint8], lines: NDArray[np.int32], main: NDArray[np.uint8], runs: NDArray[np.int32]
) -> NDArray[np.uint8]:
    """The runs of the main text, divided by line feeds; those of headings are headings already."""
    size = np.int64(0)
    for r in range(len(runs)):
        size += runs[r, UNTIL] - runs[r, BEGIN] + 1
    out = np.empty(size, np.uint8)
    p = np.int64(0)
    k = 0
    begin = np.int64(0)  # of the line
    for r in range(len(runs)):
        while k < len(lines) and lines[k, END] < runs[r, UNTIL]:
            begin = np.int64(lines[k, END]) + 1
            k += 1
        if k == len(lines):
            break
        end = np.int64(lines[k, END])
        start, until = np.int64(runs[r, BEGIN]), np.int64(runs[r, UNTIL])
        if not main[k] or lines[k, REGION_OF] & HEADING or start < begin:
            continue
        if _cuts(text, start, begin, end) or _cuts(text, until, begin, end):
            continue
        if text[start] == 32:
            start += 1
        p = copy_bytes(text, start, until, out, p)
        out[p] = 10
        p += 1
    return out[: max(p - 1, 0)]
