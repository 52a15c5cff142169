# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR0912, PLR1714, SIM109
"""Kernel: stack of open elements, implied end tags.

A stack of open elements, each with what held before it began, instead of a tree (WHATWG HTML, 13.2.4.3 and
13.2.6). What has no region, hides nothing and breaks no line is not even put on it. Beyond `MOST_OPEN`
elements are counted and not kept, as browsers do, so that a search in the stack has a bounded cost.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.tags import PACKED, numbers, stands
from gossamer.extract.html.text_writer import (
    APENDING,
    APOS,
    CONTEXT,
    DEPTH,
    FOREIGN,
    IN_LINK,
    LINK,
    LINK_DEPTH,
    LINK_START,
    NODE,
    OPEN,
    OUTER,
    OUTER_IN_LINK,
    OVERFLOW,
    POS,
    USES,
    move,
)
from gossamer.kernels import kernel_part

MOST_OPEN = 512
LONGEST_ANCHOR = 500  # characters

# Elements of which a rule speaks; all others have the code OTHER, or one that only their traits matter of.
OTHER, A, AREA, FRAME, IFRAME, IMG, BASE, META_TAG, LINK_TAG, TIME = numbers(0, 10)
HTML, HEAD, BODY, TITLE, SCRIPT, PLAINTEXT, P, LI, DD, TABLE = numbers(10, 10)
TBODY, TR, TD, CAPTION, OPTION, OPTGROUP, SELECT, BUTTON, FORM, BR = numbers(20, 10)
SVG, MATH, H1, H2, H3, H4, MAIN, ARTICLE, HEADER, NOSCRIPT = numbers(30, 10)
TEMPLATE, RUBY_BASE, RUBY_TEXT, RP, SVG_POINT, MATH_POINT, DIV, ADDRESS, COLGROUP, COL = numbers(40, 10)
FIGURE, FIGCAPTION, QUOTE, NAMED = numbers(50, 4)

# Traits of elements.
UNSEEN = 1  # it and what is in it is never shown
BLOCK = 2  # begins and ends a line
CHROME = 4  # navigation, side matter and controls
VOID = 8  # has no content
SPECIAL = 16  # an end tag of an inline element does not reach beyond it
SCOPE = 32  # most end tags do not
CLOSES_P = 64
RAW = 128  # its content is text up to its end tag
RCDATA = 256  # the same, with references
IS_HEADING = 512
BREAKOUT = 1024  # ends <svg> and <math>
MARKER = 2048  # links do not reach into it, nor out of it
LIST = 4096  # </li> does not reach beyond it
INERT = 8192  # kept only if its attributes say something
TABLE_SCOPE = 16_384  # cells and rows do not reach beyond it
STRANGE = 32_768  # belongs to <svg> or <math>
EMPHATIC = 65_536  # stresses its words

# How far end tags reach.
ANYWHERE, IN_SCOPE, IN_LIST_SCOPE, IN_TABLE_SCOPE, IN_LINE, IN_CELL = (
    *numbers(0, 1),
    *numbers(SCOPE, 1),
    *numbers(SCOPE | LIST, 1),
    *numbers(TABLE_SCOPE, 1),
    *numbers(SPECIAL, 1),
    *numbers(MARKER, 1),
)

# Columns of `stack`.
S_NAME, S_CODE, S_TRAITS, S_CONTEXT, S_BREAKS, S_LINK, S_START, S_DEPTH, S_IN, S_OUTER_IN, S_NODE = range(11)
S_WORD, S_LENGTH = 11, 12  # where the name stands in the source; S_NAME has its last bytes, packed
STACK_WIDTH = 13

# Columns of `nodes`.
PARENT, CODE_OF, HINTS_OF = 0, 1, 2
NODE_WIDTH = 3
MOST_NODES = 100_000  # blocks a page that are told apart; more are made by nobody who writes

# Columns of `links`.
HREF_END, ANCHOR_START, ANCHOR_END, NOFOLLOW, HREF_HASH, NEAR_START, NEAR_END = range(7)
LINK_WIDTH = 7

# Columns of `uses`, which has each link as often as it stands in the text.
USE_START, USE_END, USE_OF = 0, 1, 2  # where its words stand in the text, and its record or -1
USE_WIDTH = 3


@kernel_part
def end_anchor(state: NDArray[np.int64], links: NDArray[np.int64], anchors: NDArray[np.uint8]) -> None:
    """Keeps what was written since the link began, unless an earlier link to the same address had words."""
    k = state[LINK]
    if k < 0:
        return
    state[LINK] = -1
    if links[k, ANCHOR_END] > links[k, ANCHOR_START]:
        return
    start = state[LINK_START]
    end = state[APOS]
    if start < end and anchors[start] == 32:
        start += 1
    characters = 0
    for i in range(start, end):
        characters += (anchors[i] & 0xC0) != 0x80
        if characters > LONGEST_ANCHOR:
            end = i
            if anchors[end - 1] == 32:
                end -= 1
            break
    links[k, ANCHOR_START] = start
    links[k, ANCHOR_END] = end


@kernel_part
def end_use(state: NDArray[np.int64], uses: NDArray[np.int32]) -> None:
    """Words behind this place are not those of the open link, if one is open."""
    if state[IN_LINK]:
        uses[state[USES] - 1, USE_END] = state[POS]


@kernel_part
def end_link(
    state: NDArray[np.int64],
    links: NDArray[np.int64],
    uses: NDArray[np.int32],
    anchors: NDArray[np.uint8],
) -> None:
    """The link ends, as by </a> or the next <a>."""
    end_anchor(state, links, anchors)
    end_use(state, uses)
    state[IN_LINK] = state[OUTER_IN_LINK]


@kernel_part
def push(
    state: NDArray[np.int64],
    stack: NDArray[np.int64],
    name: np.uint64,
    word: int,
    name_end: int,
    code: int,
    traits: int,
    before: int,
    breaks: bool,
) -> None:
    """Open an element; `before` is the context to come back to, `breaks` whether lines end with it."""
    depth = state[DEPTH]
    stack[depth, S_NAME] = np.int64(name)
    stack[depth, S_WORD] = word
    stack[depth, S_LENGTH] = name_end - word
    stack[depth, S_CODE] = code
    stack[depth, S_TRAITS] = traits
    stack[depth, S_CONTEXT] = before
    stack[depth, S_BREAKS] = breaks
    stack[depth, S_NODE] = state[NODE]
    if traits & MARKER:
        stack[depth, S_LINK] = state[LINK]
        stack[depth, S_START] = state[LINK_START]
        stack[depth, S_DEPTH] = state[LINK_DEPTH]
        stack[depth, S_IN] = state[IN_LINK]
        stack[depth, S_OUTER_IN] = state[OUTER_IN_LINK]
        state[OUTER] += state[LINK] >= 0
        state[LINK] = -1
        state[OUTER_IN_LINK] = state[IN_LINK]
    state[OPEN + code] += 1
    state[DEPTH] = depth + 1


@kernel_part
def pop_to(
    depth: int,
    state: NDArray[np.int64],
    stack: NDArray[np.int64],
    lines: NDArray[np.int32],
    text: NDArray[np.uint8],
    links: NDArray[np.int64],
    uses: NDArray[np.int32],
    anchors: NDArray[np.uint8],
) -> None:
    """Closes elements until only `depth` are open."""
    while state[DEPTH] > depth:
        d = state[DEPTH] - 1
        state[DEPTH] = d
        traits = stack[d, S_TRAITS]
        state[OPEN + stack[d, S_CODE]] -= 1
        if traits & MARKER:
            end_anchor(state, links, anchors)
            end_use(state, uses)
            state[LINK] = stack[d, S_LINK]
            state[LINK_START] = stack[d, S_START]
            state[LINK_DEPTH] = stack[d, S_DEPTH]
            state[IN_LINK] = stack[d, S_IN]
            state[OUTER_IN_LINK] = stack[d, S_OUTER_IN]
            state[OUTER] -= state[LINK] >= 0
        if state[LINK] >= 0 and d < state[LINK_DEPTH]:
            end_anchor(state, links, anchors)
        if traits & BLOCK or stack[d, S_BREAKS]:
            state[APENDING] = 1
        if stack[d, S_BREAKS]:
            move(state, lines, text, stack[d, S_CONTEXT])
        else:
            state[CONTEXT] = stack[d, S_CONTEXT]
        state[NODE] = stack[d, S_NODE]


@kernel_part
def has_name(
    src: NDArray[np.uint8], word: int, name_end: int, name: np.uint64, stack: NDArray[np.int64], k: int
) -> bool:
    """Compare the name of an open element with the one that stands at `word`, in any case."""
    length = name_end - word
    return (
        stack[k, S_NAME] == np.int64(name)
        and stack[k, S_LENGTH] == length
        and (length <= PACKED or stands(src, stack[k, S_WORD], len(src), word, length))
    )


@kernel_part
def find_name(
    src: NDArray[np.uint8],
    word: int,
    name_end: int,
    name: np.uint64,
    code: int,
    barrier: int,
    state: NDArray[np.int64],
    stack: NDArray[np.int64],
) -> int:
    """Find the nearest open element of this name that no element with a trait of `barrier` hides, or -1."""
    if state[OPEN + code] > 0:
        for k in range(state[DEPTH] - 1, -1, -1):
            if has_name(src, word, name_end, name, stack, k):
                return k
            if stack[k, S_TRAITS] & barrier:
                return -1
    return -1


@kernel_part
def find_code(state: NDArray[np.int64], stack: NDArray[np.int64], code: int, barrier: int) -> int:
    """The same by code."""
    if state[OPEN + code] > 0:
        for k in range(state[DEPTH] - 1, -1, -1):
            if stack[k, S_CODE] == code:
                return k
            if stack[k, S_TRAITS] & barrier:
                return -1
    return -1


@kernel_part
def paragraph(state: NDArray[np.int64], stack: NDArray[np.int64]) -> int:
    """The open paragraph that a block would end; -1 for none. Those around a button are not reached."""
    if state[OPEN + P] > 0:
        for k in range(state[DEPTH] - 1, -1, -1):
            if stack[k, S_CODE] == P:
                return k
            if stack[k, S_TRAITS] & SCOPE or stack[k, S_CODE] == BUTTON:
                return -1
    return -1


@kernel_part
def find_heading(state: NDArray[np.int64], stack: NDArray[np.int64]) -> int:
    """The nearest open heading of any level."""
    if state[OPEN + H1] + state[OPEN + H2] + state[OPEN + H3] + state[OPEN + H4] > 0:
        for k in range(state[DEPTH] - 1, -1, -1):
            if stack[k, S_TRAITS] & IS_HEADING:
                return k
            if stack[k, S_TRAITS] & SCOPE:
                return -1
    return -1


@kernel_part
def is_table_part(code: int) -> bool:
    """Whether an element stands only in tables."""
    return TBODY <= code <= CAPTION or COLGROUP <= code <= COL


@kernel_part
def table_depth(state: NDArray[np.int64], stack: NDArray[np.int64], code: int) -> int:
    """How many elements stay open when a part of a table begins; -1 outside tables.

    A cell stays in its row, a row in its group, anything else directly in the table.
    """
    if state[OPEN + TABLE] == 0:
        return -1
    depth = -1
    for k in range(state[DEPTH] - 1, -1, -1):
        open_code = stack[k, S_CODE]
        if stack[k, S_TRAITS] & TABLE_SCOPE:
            if open_code != TABLE:
                return -1
            return depth if depth > 0 else k + 1
        if (open_code == TBODY and (code == TR or code == TD) and depth < 0) or (
            open_code == TR and code == TD
        ):
            depth = k + 1
    return -1


@kernel_part
def implied_end(state: NDArray[np.int64], stack: NDArray[np.int64], code: int, traits: int) -> int:
    """How many elements stay open when this one begins; all of them, where it closes none."""
    depth = state[DEPTH]
    if depth == 0:
        return 0
    top = stack[depth - 1, S_CODE]
    if (code == LI or code == DD) and state[OPEN + code] > 0:
        for k in range(depth - 1, -1, -1):
            if stack[k, S_CODE] == code:
                depth = k
                break
            open_code = stack[k, S_CODE]
            if stack[k, S_TRAITS] & SPECIAL and not (
                open_code == P or open_code == DIV or open_code == ADDRESS
            ):
                break
    elif code == OPTION or code == OPTGROUP:
        if top == OPTION:
            depth -= 1
        if code == OPTGROUP and depth > 0 and stack[depth - 1, S_CODE] == OPTGROUP:
            depth -= 1
    elif RUBY_BASE <= code <= RP:
        while depth > 0 and RUBY_BASE <= stack[depth - 1, S_CODE] <= RP:
            depth -= 1
    elif code == BUTTON or code == SELECT:
        k = find_code(state, stack, code, IN_SCOPE)
        depth = k if k >= 0 else depth
    if traits & CLOSES_P:
        # only down to where the element will stand: a paragraph around the closed list item stays closed too
        k = paragraph(state, stack)
        if 0 <= k < depth:
            depth = k
    if traits & IS_HEADING and depth > 0 and stack[depth - 1, S_TRAITS] & IS_HEADING:
        depth -= 1
    return depth


@kernel_part
def foreign_root(state: NDArray[np.int64], stack: NDArray[np.int64]) -> int:
    """How many elements stay open when <svg> or <math> is broken out of."""
    depth = state[DEPTH]
    context = state[CONTEXT]
    while depth > 0 and context & FOREIGN:
        depth -= 1
        context = stack[depth, S_CONTEXT]
    return depth


@kernel_part
def overflows(state: NDArray[np.int64]) -> bool:
    """Whether the stack is full; the element is counted then, so that its end tag closes nothing else."""
    if state[DEPTH] < MOST_OPEN:
        return False
    state[OVERFLOW] += 1
    return True
