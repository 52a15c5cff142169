# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR0912, PLR1714
"""Kernels: write characters into lines; emphasis; state of the scanner.

A run of emphasis begins and ends in one line. Emphasis over several lines is a style and is ignored, like an
element that is never closed. Nested elements are one run. A run that begins or ends inside a word, such as a
large initial, is ignored.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.tags import KINDS, MODE, ONE, PRESENT, SPANS, copy_bytes, encode, read_reference
from gossamer.kernels.kernel import kernel, kernel_part, unchecked_part

# Kernel: characters into lines and anchor text
# ---------------------------------------------
#
# Each run of whitespace becomes one space. Soft hyphens, byte order marks and control characters are
# removed. Visible characters are added to the current line. Characters inside a link are added to its
# anchor, visible or not. The state of the scanner is one record, `state`.


MOST_OPEN = 512

# Columns of the stack of open elements. Those from `link` on are used for markers only.
Open = namedtuple(
    "Open",
    "name word length code traits context breaks node link link_start link_depth in_link outer_in_link",
)
OPEN = Open(*range(13))
STATE = np.dtype(
    [
        # the line
        ("pos", "i8"),  # end of the text so far
        ("line", "i8"),  # where the line began
        ("pending", "i8"),  # a space is due before the next word
        ("chars", "i8"),  # characters of the line
        ("linked", "i8"),  # those of them that are in links
        ("link_words", "i8"),  # the open link has words in this line
        ("lines", "i8"),  # finished lines
        # the anchor
        ("anchor_pos", "i8"),
        ("anchor_pending", "i8"),
        ("link", "i8"),  # the record of the open link whose anchor is written, or -1
        ("link_start", "i8"),  # where its anchor began
        ("link_depth", "i8"),  # depth of the stack where it began
        ("in_link", "i8"),  # characters count as linked, even if the anchor has ended with its parent
        ("outer", "i8"),  # open links around the current table cell or object
        ("outer_in_link", "i8"),
        # the tree
        ("context", "i8"),  # bits of `CONTEXT`
        ("depth", "i8"),
        ("overflow", "i8"),  # elements that the stack had no room for
        ("open", "i8", 256),  # number of open elements by code
        # what was found
        ("links", "i8"),
        ("hrefs", "i8"),  # bytes
        ("heads", "i8"),
        ("values", "i8"),  # bytes
        ("nodes", "i8"),  # blocks
        ("node", "i8"),  # the current block
        ("uses", "i8"),  # occurrences of links
        # option
        ("in_xml", "i8"),  # the document is XML: `/>` closes any element
        # emphasis
        ("run_open", "i8"),  # nested elements that emphasise
        ("run_start", "i8"),  # where the outermost began
        ("run_line", "i8"),  # and in which line
        ("runs", "i8"),
        # the tag
        ("spans", "i8", SPANS),  # its attributes
        ("stack", "i8", (MOST_OPEN, len(OPEN))),  # open elements
    ]
)


class Writer(NamedTuple):
    """The document, and buffers for its text and anchors."""

    src: NDArray[np.uint8]
    tables: NDArray[np.int64]  # names and their meanings
    state: Any  # a record of `STATE`
    text: NDArray[np.uint8]
    anchors: NDArray[np.uint8]


class Scanner(NamedTuple):
    """Arguments of the parts of the scanner that end lines and links.

    The arguments are in three tuples, not in one. A tuple is passed to a part array by array, and passing all
    arrays every time makes reading a third slower.
    """

    state: Any
    writer: Writer
    lines: NDArray[np.int32]
    links: NDArray[np.int64]  # one for each address
    uses: NDArray[np.int32]  # one for each occurrence of a link in the text


class Found(NamedTuple):
    """Buffers for what is found besides text and links."""

    nodes: NDArray[np.int32]  # blocks
    runs: NDArray[np.int32]  # of emphasis
    hrefs: NDArray[np.uint8]  # addresses, separated by line feeds
    seen: NDArray[np.int32]  # hash table of the addresses
    heads: NDArray[np.int64]  # records of the head
    values: NDArray[np.uint8]  # and their values


class Context(NamedTuple):
    """Properties that an element inherits from the elements around it, as bits."""

    article: int = 1
    main: int = 2
    landmark: int = article | main
    chrome: int = 4
    heading: int = 3 << 3  # h1, h2 or h3
    picture: int = 4096  # the alt of a picture
    region: int = landmark | chrome | heading | picture  # the bits that are stored with a line
    unseen: int = 32  # inside an element that is never shown
    hidden: int = 64  # inside an element that its attributes hide
    invisible: int = unseen | hidden
    blind: int = 128  # inside an element of the open link that is never shown
    noscript: int = 256
    template: int = 512
    svg: int = 1024
    math: int = 2048
    foreign: int = svg | math


CONTEXT = Context()
HEADING_SHIFT = 3

# Columns of `lines`; lines are separated by a line feed.
Line = namedtuple("Line", "end length linked region node")
LINE = Line(*range(5))

# Kinds of bytes.
STARTS, CONTINUES, SPACE, LESS, AMPERSAND, CONTROL = 0, 1, 2, 3, 4, 5
LEADS = 6  # may begin a space or an invisible character: the next bytes decide


@kernel_part
def has(state: Any, attribute: int) -> bool:
    """Whether the tag has an attribute."""
    return state.spans[PRESENT] >> attribute & 1 != 0


@kernel_part
def end_line(scanner: Scanner) -> None:
    """End the line, unless it is empty."""
    state, lines = scanner.state, scanner.lines
    p = state.pos
    if p > state.line:
        k = state.lines
        lines[k, LINE.end] = p
        lines[k, LINE.length] = state.chars
        lines[k, LINE.linked] = state.linked
        lines[k, LINE.region] = state.context & CONTEXT.region
        lines[k, LINE.node] = state.node
        state.lines = k + 1
        scanner.writer.text[p] = 10
        state.pos = p + 1
        state.line = p + 1
    state.pending = 0
    state.chars = 0
    state.linked = 0
    state.link_words = 0


@kernel_part
def move(scanner: Scanner, context: int) -> None:
    """Enter another region or block, and end the line."""
    state = scanner.state
    if context & CONTEXT.heading and (context ^ state.context) & CONTEXT.region == 0:
        state.pending = 1  # a heading stays one line, even with blocks in it
    else:
        end_line(scanner)
    state.context = context


@kernel_part
def space(state: Any) -> None:
    """Record whitespace before the next word."""
    if state.context & CONTEXT.invisible == 0:
        state.pending = 1
    if state.context & CONTEXT.blind == 0:
        state.anchor_pending = 1


@kernel_part
def _begin_word(state: Any, text: NDArray[np.uint8], characters: int) -> int:
    p = state.pos
    if state.pending:
        state.pending = 0
        if p > state.line:
            text[p] = 32
            p += 1
            state.chars += 1
            if state.in_link and state.link_words:
                state.linked += 1
    state.chars += characters
    if state.in_link:
        state.linked += characters
        state.link_words = 1
    return p


@kernel_part
def _begin_anchor_word(state: Any, anchors: NDArray[np.uint8]) -> int:
    p = state.anchor_pos
    if state.anchor_pending:
        state.anchor_pending = 0
        anchors[p] = 32
        p += 1
    return p


@kernel_part
def _is_anchored(state: Any) -> bool:
    return (state.link >= 0 or state.outer > 0) and state.context & CONTEXT.blind == 0


@kernel_part
def _put_character(writer: Writer, character: int) -> None:
    """Write a character that was written as a reference."""
    state = writer.state
    if is_blank(character) or character < 32 or 127 <= character < 160:
        space(state)
    elif character != 0xAD and character != 0xFEFF:
        if state.context & CONTEXT.invisible == 0:
            state.pos = encode(character, writer.text, _begin_word(state, writer.text, np.int64(1)))
        if _is_anchored(state):
            p = _begin_anchor_word(state, writer.anchors)
            state.anchor_pos = encode(character, writer.anchors, p)


@kernel_part
def is_blank(c: int) -> bool:
    """Whether a character beyond ASCII is whitespace, as `str.isspace` defines it."""
    if c < 0x1680:
        return c == 0x20 or c == 0xA0 or c == 0x85
    if c < 0x2000:
        return c == 0x1680
    return c <= 0x200A or c == 0x2028 or c == 0x2029 or c == 0x202F or c == 0x205F or c == 0x3000


@kernel_part
def _unseen_length(src: NDArray[np.uint8], i: int, n: int) -> tuple[int, bool]:
    """Return the length of a space or invisible character at i, else 0, and whether it is a space."""
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
    """Return the end of the words from i on that have one space between them, and their number of characters.

    The bounds are checked once, not for each byte.
    """
    if not (0 <= i < n <= len(src) and len(tables) >= KINDS + 256):
        raise IndexError("words would leave the document")
    characters = np.int64(tables[KINDS + src[i]] != CONTINUES)
    # Unsigned, because Numba tests every signed index for being negative.
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
def write(writer: Writer, i: int, n: int, mode: int) -> int:
    """Write the characters from i up to n, or in markup up to the next `<`; return the end.

    The bounds are checked once: below, every place in the source is compared with n before it is read.
    """
    src, tables, state = writer.src, writer.tables, writer.state
    if i < 0 or n > len(src) or len(tables) < KINDS + 256:
        raise IndexError("text would leave the document")
    visible = state.context & CONTEXT.invisible == 0
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
        elif kind == LESS and mode == MODE.data:
            return i
        elif kind == AMPERSAND and mode != MODE.raw:
            end, found = read_reference(src, i, n, mode, tables)
            if end > i:
                _put_character(writer, found & 0x1FFFFF)
                if found >> 21:
                    _put_character(writer, found >> 21)
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
        # plain words
        end, characters = words_end(src, i, n, tables)
        if visible:
            p = _begin_word(state, writer.text, characters)
            state.pos = copy_bytes(src, i, end, writer.text, p)
        if anchored:
            p = _begin_anchor_word(state, writer.anchors)
            state.anchor_pos = copy_bytes(src, i, end, writer.anchors, p)
        i = end
    return n


MOST_RUNS = 20_000  # emphasised runs of a page; with more, emphasis means nothing

# Columns of `runs`.
Run = namedtuple("Run", "begin until")
RUN = Run(*range(2))


@kernel_part
def note_emphasis(state: Any, runs: NDArray[np.int32], closing: bool) -> None:
    """Record the beginning or end of an element that emphasises."""
    if state.run_line != state.lines:
        state.run_open = 0
    if not closing:
        if state.run_open == 0:
            state.run_start = state.pos
            state.run_line = state.lines
        state.run_open += 1
    elif state.run_open > 0:
        state.run_open -= 1
        k = state.runs
        if state.run_open == 0 and state.pos > state.run_start and k < len(runs):
            runs[k, RUN.begin] = state.run_start
            runs[k, RUN.until] = state.pos
            state.runs = k + 1


@kernel_part
def _is_plain(c: int) -> bool:
    """Whether this is an ASCII letter or digit; other scripts may have no spaces."""
    return 97 <= (c | 32) <= 122 or 48 <= c <= 57


@kernel_part
def _cuts(text: NDArray[np.uint8], place: int, begin: int, end: int) -> bool:
    """Whether a place in a line is inside a word."""
    return begin < place < end and _is_plain(np.int64(text[place - 1])) and _is_plain(np.int64(text[place]))


@kernel
def gather_emphasised(
    text: NDArray[np.uint8], lines: NDArray[np.int32], main: NDArray[np.uint8], runs: NDArray[np.int32]
) -> NDArray[np.uint8]:
    """Return the runs of the main text, separated by line feeds, without those in headings."""
    size = np.int64(0)
    for r in range(len(runs)):
        size += runs[r, RUN.until] - runs[r, RUN.begin] + 1
    out = np.empty(size, np.uint8)
    p = np.int64(0)
    k = 0
    begin = np.int64(0)  # of the line
    for r in range(len(runs)):
        while k < len(lines) and lines[k, LINE.end] < runs[r, RUN.until]:
            begin = np.int64(lines[k, LINE.end]) + 1
            k += 1
        if k == len(lines):
            break
        end = np.int64(lines[k, LINE.end])
        start, until = np.int64(runs[r, RUN.begin]), np.int64(runs[r, RUN.until])
        if not main[k] or lines[k, LINE.region] & CONTEXT.heading or start < begin:
            continue
        if _cuts(text, start, begin, end) or _cuts(text, until, begin, end):
            continue
        if text[start] == 32:
            start += 1
        p = copy_bytes(text, start, until, out, p)
        out[p] = 10
        p += 1
    return out[: max(p - 1, 0)]
