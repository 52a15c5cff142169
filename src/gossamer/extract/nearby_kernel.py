# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Which words stand near a link? Up to `REACH` on either side, in the same line of the main text.

A line is a paragraph, an item of a list, a cell of a table. Words inside other links count as distance and
are left out: so a menu has no words near its links. Of the links to one address the first counts that has
any.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.tree_kernel import NEAR_END, NEAR_START, USE_END, USE_OF, USE_START
from gossamer.extract.writing_kernel import END
from gossamer.kernel import kernel, kernel_part
from gossamer.text.kinds_kernel import UNSPACED, kind_of

REACH = 8  # words on either side
LONGEST_SIDE = 192  # bytes: eight long words of Cyrillic; a script without spaces has no words to count
SPACE, LINE_FEED = 32, 10


@kernel_part
def _is_character_start(byte: int) -> bool:
    return byte & 0xC0 != 0x80


@kernel_part
def _is_unspaced(text: NDArray[np.uint8], k: int) -> bool:
    """Whether the character that begins at k is of a script that writes no spaces."""
    if k + 2 >= len(text) or text[k] < 0xE0:
        return False
    first, second, third = np.int64(text[k]), np.int64(text[k + 1]), np.int64(text[k + 2])
    if first >= 0xF0:
        return first == 0xF0 and second >= 0xA0  # Han beyond the basic plane
    point = (first & 0xF) << 12 | (second & 0x3F) << 6 | third & 0x3F
    # Thai and Lao, Burmese, Khmer.
    is_lettered = 0xE00 <= point <= 0xEFF or 0x1000 <= point <= 0x109F or 0x1780 <= point <= 0x17FF
    return is_lettered or kind_of(first, second, third) == UNSPACED


@kernel_part
def _is_unspaced_around(text: NDArray[np.uint8], k: int) -> bool:
    """Whether both the character before k and the one that begins there are."""
    before = k - 1
    while before > 0 and not _is_character_start(text[before]):
        before -= 1
    return before >= 0 and _is_unspaced(text, before) and _is_unspaced(text, k)


@kernel_part
def _left_edge(text: NDArray[np.uint8], begin: int, start: int) -> int:
    """Where the words begin that stand before `start`, in the line from `begin` on."""
    words = 0
    edge = start
    k = start
    least = max(begin, start - LONGEST_SIDE)
    while k > least:
        k -= 1
        if text[k] == SPACE:
            if k + 1 < edge:
                edge = k + 1
                words += 1
                if words == REACH:
                    return edge
            elif edge == k + 1:
                edge = k
    if least == begin:
        return begin
    # Within a word: a script without spaces may be cut between two characters, others are not.
    while k < edge and not _is_character_start(text[k]):
        k += 1
    return k if k < edge and _is_unspaced_around(text, k) else edge


@kernel_part
def _right_edge(text: NDArray[np.uint8], start: int, end: int) -> int:
    """Where the words end that stand from `start` on, in the line that ends at `end`."""
    words = 0
    edge = start
    k = start
    most = min(end, start + LONGEST_SIDE)
    while k < most:
        if text[k] == SPACE:
            if k > edge:
                words += 1
                if words == REACH:
                    return k
            edge = k + 1
        k += 1
    if most == end:
        return end
    while k > edge and not _is_character_start(text[k]):
        k -= 1
    return k if k > edge and _is_unspaced_around(text, k) else edge


@kernel_part
def _copy_words(
    text: NDArray[np.uint8], start: int, end: int, begin: int, out: NDArray[np.uint8], p: int
) -> int:
    """Copies what has letters or digits to p, a space between words; returns the place behind it.

    What was copied from `begin` on belongs to the same link.
    """
    k = start
    while k < end:
        while k < end and text[k] == SPACE:
            k += 1
        first = k
        says = False
        while k < end and text[k] != SPACE:
            c = np.int64(text[k])
            # Beyond ASCII, characters up to U+00BF and from U+2000 to U+2FFF are signs, nearly all.
            says |= 97 <= (c | 32) <= 122 or 48 <= c <= 57 or (c >= 0xC3 and c != 0xE2)
            k += 1
        if says:
            if p > begin:
                out[p] = SPACE
                p += 1
            for m in range(first, k):
                out[p] = text[m]
                p += 1
    return p


@kernel_part
def _copy_before(
    text: NDArray[np.uint8],
    at: int,
    uses: NDArray[np.int32],
    v: int,
    begin: int,
    out: NDArray[np.uint8],
    p: int,
) -> tuple[int, int]:
    """Copies the words up to another link; returns the places behind them and behind it."""
    start, end = np.int64(uses[v, USE_START]), np.int64(uses[v, USE_END])
    return _copy_words(text, at, start, begin, out, p), max(at, end)


@kernel_part
def _copy_near(
    text: NDArray[np.uint8],
    begin: int,
    end: int,
    start: int,
    stop: int,
    uses: NDArray[np.int32],
    u: int,
    out: NDArray[np.uint8],
    p: int,
) -> int:
    """Copies the words on both sides of a link to p, without those of others; its line ends at `end`.

    `uses` are those with words, u of which stand before this link.
    """
    first = p
    at = _left_edge(text, begin, start)
    v = u
    while v > 0 and uses[v - 1, USE_END] > at:
        v -= 1
    while v < u:
        p, at = _copy_before(text, at, uses, v, first, out, p)
        v += 1
    p = _copy_words(text, at, start, first, out, p)
    at = stop
    if at > start and text[at - 1] == LINE_FEED:
        return p
    edge = _right_edge(text, at, end)
    v = u + (stop > start)
    while v < len(uses) and uses[v, USE_START] < edge:
        p, at = _copy_before(text, at, uses, v, first, out, p)
        v += 1
    return _copy_words(text, at, edge, first, out, p)


@kernel
def _with_words(uses: NDArray[np.int32]) -> NDArray[np.int32]:
    """The uses that have words: others divide nothing, and thousands of them may stand at one place."""
    kept = np.empty_like(uses)
    n = 0
    for u in range(len(uses)):
        if uses[u, USE_START] < uses[u, USE_END]:
            for column in range(uses.shape[1]):  # a whole row at once takes five seconds to compile
                kept[n, column] = uses[u, column]
            n += 1
    return kept[:n]


@kernel
def find_nearby(
    text: NDArray[np.uint8],
    lines: NDArray[np.int32],
    main: NDArray[np.uint8],
    uses: NDArray[np.int32],
    links: NDArray[np.int64],
) -> NDArray[np.uint8]:
    """The words near links; where those of each begin and end is written into `links`.

    `uses` rise by their place in the text. A link that stands in several lines has its words around it in
    the first of them and in the last.
    """
    out = np.empty(len(links) * (2 * LONGEST_SIDE + 1), np.uint8)
    p = np.int64(0)
    line = np.int64(0)
    others = _with_words(uses)
    before = np.int64(0)
    for u in range(len(uses)):
        k = np.int64(uses[u, USE_OF])
        while before < len(others) and others[before, USE_START] < uses[u, USE_START]:
            before += 1
        if k < 0 or links[k, NEAR_END] > links[k, NEAR_START]:
            continue
        start, stop = np.int64(uses[u, USE_START]), np.int64(uses[u, USE_END])
        while line < len(lines) and lines[line, END] < start:
            line += 1
        if line == len(lines) or not main[line]:
            continue
        last = line
        while last + 1 < len(lines) and lines[last, END] < stop:
            last += 1
        begin = np.int64(lines[line - 1, END]) + 1 if line > 0 else np.int64(0)
        end = max(np.int64(lines[last, END]), stop)
        links[k, NEAR_START] = p
        p = _copy_near(text, begin, end, start, stop, others, before, out, p)
        links[k, NEAR_END] = p
    return out
