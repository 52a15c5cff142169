# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR0912, PLR1714
"""Kernels: characters into lines; emphasis; scanner state.

A run of emphasis begins and ends in one line: what goes on over several is a style, not a stress, and a tag
that nobody closes marks nothing. Elements within each other are one run. A run that begins or ends inside
of a word, as a large initial does, says nothing of the word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.tags import DATA, KINDS, ONE, RAW_TEXT, copy_bytes, encode, read_reference
from gossamer.kernels import kernel, kernel_part, unchecked_part

# Kernel: characters into lines and anchor text
# ---------------------------------------------
#
# Whitespace runs become one space; soft hyphens and byte order marks, which nobody sees, go, and so
# do control characters. A visible character goes to the line that is being written; one inside a link
# goes to its anchor, visible or not. All that the scanner knows while it reads stands in one array,
# `state`.


# `state`: the line
POS = 0  # where the next byte of text goes
LINE = 1  # where the line began
PENDING = 2  # a space is due before the next word
CHARS = 3  # characters of the line
LINKED = 4  # how many of them stand in links
LINK_WORDS = 5  # the open link has words in this line
LINES = 6  # that are finished

# the anchor
APOS = 7
APENDING = 8
LINK = 9  # the record of the open link whose anchor is written, or -1
LINK_START = 10  # where its anchor began
LINK_DEPTH = 11  # how deep the stack was where it began
IN_LINK = 12  # characters count as linked, although the anchor may have ended with its parent
OUTER = 13  # links around the table cell or object that this one stands in
OUTER_IN_LINK = 14

# the tree
CONTEXT = 15  # the region of the page and what else is inherited from the elements around
DEPTH = 16
OVERFLOW = 17  # elements that the stack had no room for

# what was found
LINKS = 18
HREFS = 19  # bytes
HEADS = 20
VALUES = 21  # bytes
NODES = 22  # blocks
NODE = 23  # the one that is open
USES = 24  # links as often as they stand there

# what was told
IN_XML = 25  # the document is XML: `/>` closes any element

# emphasis
RUN_OPEN = 26  # elements that emphasise, one in another
RUN_START = 27  # where the outermost began
RUN_LINE = 28  # and in which line
RUNS = 29
OPEN = 32  # how many elements of each code are open
STATE_SIZE = OPEN + 256

# `context`: the region of a line
LANDMARK = 3  # its bits
IN_ARTICLE = 1
IN_MAIN = 2
IN_CHROME = 4
HEADING_SHIFT = 3
HEADING = 3 << HEADING_SHIFT  # h1, h2 or h3
IN_PICTURE = 4096  # words that stand for a picture
REGION = LANDMARK | IN_CHROME | HEADING | IN_PICTURE

# and the rest of it
UNSEEN_HERE = 32  # within an element that is never shown
HIDDEN_HERE = 64  # within one that its attributes hide
INVISIBLE = UNSEEN_HERE | HIDDEN_HERE
BLIND = 128  # within an element of the open link that is never shown
IN_NOSCRIPT = 256
IN_TEMPLATE = 512
IN_SVG = 1024
IN_MATH = 2048
FOREIGN = IN_SVG | IN_MATH

# Columns of `lines`; a line feed stands between two lines.
END, LENGTH, LINKED_LENGTH, REGION_OF, NODE_OF = 0, 1, 2, 3, 4
LINE_WIDTH = 5

# Kinds of bytes.
STARTS, CONTINUES, SPACE, LESS, AMPERSAND, CONTROL = 0, 1, 2, 3, 4, 5
LEADS = 6  # may begin a space or a character that is not seen: look further


@kernel_part
def end_line(state: NDArray[np.int64], lines: NDArray[np.int32], text: NDArray[np.uint8]) -> None:
    """Finishes the line if it has words."""
    p = state[POS]
    if p > state[LINE]:
        k = state[LINES]
        lines[k, END] = p
        lines[k, LENGTH] = state[CHARS]
        lines[k, LINKED_LENGTH] = state[LINKED]
        lines[k, REGION_OF] = state[CONTEXT] & REGION
        lines[k, NODE_OF] = state[NODE]
        state[LINES] = k + 1
        text[p] = 10
        state[POS] = p + 1
        state[LINE] = p + 1
    state[PENDING] = 0
    state[CHARS] = 0
    state[LINKED] = 0
    state[LINK_WORDS] = 0


@kernel_part
def move(state: NDArray[np.int64], lines: NDArray[np.int32], text: NDArray[np.uint8], context: int) -> None:
    """Goes on in another region, or in another block of this one."""
    if context & HEADING and (context ^ state[CONTEXT]) & REGION == 0:
        state[PENDING] = 1  # a heading stays one line, whatever stands in it
    else:
        end_line(state, lines, text)
    state[CONTEXT] = context


@kernel_part
def space(state: NDArray[np.int64]) -> None:
    """Whitespace stood here."""
    if state[CONTEXT] & INVISIBLE == 0:
        state[PENDING] = 1
    if state[CONTEXT] & BLIND == 0:
        state[APENDING] = 1


@kernel_part
def _begin_word(state: NDArray[np.int64], text: NDArray[np.uint8], characters: int) -> int:
    p = state[POS]
    if state[PENDING]:
        state[PENDING] = 0
        if p > state[LINE]:
            text[p] = 32
            p += 1
            state[CHARS] += 1
            if state[IN_LINK] and state[LINK_WORDS]:
                state[LINKED] += 1
    state[CHARS] += characters
    if state[IN_LINK]:
        state[LINKED] += characters
        state[LINK_WORDS] = 1
    return p


@kernel_part
def _begin_anchor_word(state: NDArray[np.int64], anchors: NDArray[np.uint8]) -> int:
    p = state[APOS]
    if state[APENDING]:
        state[APENDING] = 0
        anchors[p] = 32
        p += 1
    return p


@kernel_part
def _is_anchored(state: NDArray[np.int64]) -> bool:
    return (state[LINK] >= 0 or state[OUTER] > 0) and state[CONTEXT] & BLIND == 0


@kernel_part
def _put_character(
    character: int, state: NDArray[np.int64], text: NDArray[np.uint8], anchors: NDArray[np.uint8]
) -> None:
    """Writes a character that a reference named."""
    if is_blank(character) or character < 32 or 127 <= character < 160:
        space(state)
    elif character != 0xAD and character != 0xFEFF:
        if state[CONTEXT] & INVISIBLE == 0:
            state[POS] = encode(character, text, _begin_word(state, text, np.int64(1)))
        if _is_anchored(state):
            state[APOS] = encode(character, anchors, _begin_anchor_word(state, anchors))


@kernel_part
def is_blank(c: int) -> bool:
    """Whether a character beyond ASCII is whitespace, as `str.isspace` has it."""
    if c < 0x1680:
        return c == 0x20 or c == 0xA0 or c == 0x85
    if c < 0x2000:
        return c == 0x1680
    return c <= 0x200A or c == 0x2028 or c == 0x2029 or c == 0x202F or c == 0x205F or c == 0x3000


@kernel_part
def _unseen_length(src: NDArray[np.uint8], i: int, n: int) -> tuple[int, bool]:
    """How many bytes at i are a space (and that it is one) or a character that is not shown; 0 for others."""
    if i + 1 >= n:
        return 0, False
    c = np.int64(src[i])
    second = np.int64(src[i + 1])
    if c == 0xC2:
        if second == 0x85 or second == 0xA0:
            return 2, True
        return (2, False) if second < 0xA0 or second == 0xAD else (0, False)
    if i + 2 >= n:
        return 0, False
    third = np.int64(src[i + 2])
    if c == 0xEF:
        return (3, False) if second == 0xBB and third == 0xBF else (0, False)
    character = (c & 15) << 12 | (second & 63) << 6 | third & 63
    return (3, True) if is_blank(character) else (0, False)


@unchecked_part
def words_end(src: NDArray[np.uint8], i: int, n: int, tables: NDArray[np.int64]) -> tuple[int, int]:
    """Find where the words end that begin at i with one space between them, and count their characters.

    The bounds are checked once, not for each byte.
    """
    if not (0 <= i < n <= len(src) and len(tables) >= KINDS + 256):
        raise IndexError("words would leave the document")
    characters = np.int64(tables[KINDS + src[i]] != CONTINUES)
    # Unsigned, as Numba looks at every signed index whether it counts from the end.
    k, last = np.uint64(i + 1), np.uint64(n)
    while k < last:
        kind = tables[KINDS + src[k]]
        if kind <= CONTINUES:
            characters += 1 - kind
        elif src[k] == 32 and k + ONE < last and tables[KINDS + src[k + ONE]] <= CONTINUES:
            characters += 1
        else:
            break
        k += ONE
    return np.int64(k), characters


@unchecked_part
def write(
    src: NDArray[np.uint8],
    i: int,
    n: int,
    mode: int,
    state: NDArray[np.int64],
    text: NDArray[np.uint8],
    anchors: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> int:
    """Write the characters from i up to n or, in markup, to the next `<`; return where it stopped.

    The bounds are checked once: below, every place in the source is compared with n before it is read.
    """
    if i < 0 or n > len(src) or len(tables) < KINDS + 256 or len(state) < STATE_SIZE:
        raise IndexError("text would leave the document")
    visible = state[CONTEXT] & INVISIBLE == 0
    anchored = _is_anchored(state)
    while i < n:
        kind = tables[KINDS + src[i]]
        if kind == LEADS:
            length, blank = _unseen_length(src, i, n)
            if length:
                if blank:
                    space(state)
                i += length
                continue
        elif kind == LESS and mode == DATA:
            return i
        elif kind == AMPERSAND and mode != RAW_TEXT:
            end, found = read_reference(src, i, n, mode, tables)
            if end > i:
                _put_character(found & 0x1FFFFF, state, text, anchors)
                if found >> 21:
                    _put_character(found >> 21, state, text, anchors)
                i = end
                continue
        elif kind == SPACE:
            space(state)
            i += 1
            while i < n and tables[KINDS + src[i]] == SPACE:
                i += 1
            continue
        elif kind == CONTROL:
            i += 1
            continue
        # words begin here, or go on with a character that could have been something else
        end, characters = words_end(src, i, n, tables)
        if visible:
            p = _begin_word(state, text, characters)
            state[POS] = copy_bytes(src, i, end, text, p)
        if anchored:
            p = _begin_anchor_word(state, anchors)
            state[APOS] = copy_bytes(src, i, end, anchors, p)
        i = end
    return n


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
