# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR0912, PLR1714
"""Kernel: stack of open elements, implied end tags.

The scanner builds no tree, only a stack of open elements (WHATWG HTML, 13.2.4.2 and 13.2.6). Each element has
the context to restore when it ends. Elements that have no region, hide nothing and break no line are not put
on the stack. Elements beyond `MOST_OPEN` are only counted, as in browsers, so that a search in the stack has
a bounded cost.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.tags import PACKED, stands
from gossamer.extract.html.text_writer import CONTEXT, MOST_OPEN, OPEN, Scanner, move
from gossamer.kernels.kernel import kernel_part

LONGEST_ANCHOR = 500  # characters

# Elements with rules of their own. Others have the code `other`, or a larger code with traits only. Some
# elements share a code: see `extract/html/scan.py`.
Element = namedtuple(
    "Element",
    "other a area frame iframe img base meta link time html head body title script plaintext p li dd table "
    "tbody tr td caption option optgroup select button form br svg math h1 h2 h3 h4 main article header "
    "noscript template rb rt rp svg_point math_point div address colgroup col figure figcaption blockquote",
)
ELEMENT = Element(*range(53))


class Trait(NamedTuple):
    """Traits of elements, as bits."""

    unseen: int = 1  # its content is never shown
    block: int = 2  # begins and ends a line
    chrome: int = 4  # navigation, side columns and controls
    void: int = 8  # has no content
    special: int = 16  # end tags of inline elements close nothing outside of it
    scope: int = 32  # most end tags close nothing outside of it
    closes_p: int = 64
    raw: int = 128  # its content is text up to its end tag
    rcdata: int = 256  # the same, with character references
    heading: int = 512
    breakout: int = 1024  # ends <svg> and <math>
    marker: int = 2048  # links do not cross its borders
    list: int = 4096  # </li> closes nothing outside of it
    inert: int = 8192  # put on the stack only if its attributes matter
    table_scope: int = 16_384  # tags of cells and rows close nothing outside of it
    foreign: int = 32_768  # belongs to <svg> or <math>
    emphatic: int = 65_536  # emphasises its words
    button_scope: int = 131_072  # tags that end a paragraph close nothing outside of it


TRAIT = Trait()


class Tag(NamedTuple):
    """A start tag or an end tag that was read."""

    name: np.uint64  # its last bytes, packed
    word: int  # where the name begins in the source
    name_end: int
    code: int  # of `ELEMENT`
    traits: int  # of `TRAIT`


# Columns of `nodes`.
Node = namedtuple("Node", "parent code hints")
NODE = Node(*range(3))
MOST_NODES = 100_000  # blocks of a page that are distinguished; only generated pages have more

# Columns of `links`.
Link = namedtuple("Link", "href_end anchor_start anchor_end nofollow href_hash near_start near_end")
LINK = Link(*range(7))

# Columns of `uses`, with a row for each occurrence of a link: where its anchor begins and ends in the text,
# and its record or -1.
Use = namedtuple("Use", "start end link")
USE = Use(*range(3))


@kernel_part
def end_anchor(scanner: Scanner) -> None:
    """Store the anchor of the open link, unless an earlier link to the same address has one."""
    state, links, anchors = scanner.state, scanner.links, scanner.writer.anchors
    k = state.link
    if k < 0:
        return
    state.link = -1
    if links[k, LINK.anchor_end] > links[k, LINK.anchor_start]:
        return
    start = state.link_start
    end = state.anchor_pos
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
    links[k, LINK.anchor_start] = start
    links[k, LINK.anchor_end] = end


@kernel_part
def end_use(scanner: Scanner) -> None:
    """End the occurrence of the open link in the text, if there is one."""
    state = scanner.state
    if state.in_link:
        scanner.uses[state.uses - 1, USE.end] = state.pos


@kernel_part
def end_link(scanner: Scanner) -> None:
    """End a link, at </a> or at the next <a>."""
    end_anchor(scanner)
    end_use(scanner)
    scanner.state.in_link = scanner.state.outer_in_link


@kernel_part
def push(state: Any, tag: Tag, before: int, breaks: bool) -> None:
    """Open an element. `before` is the context to restore; `breaks` says whether a line ends with it."""
    stack, depth = state.stack, state.depth
    stack[depth, OPEN.name] = np.int64(tag.name)
    stack[depth, OPEN.word] = tag.word
    stack[depth, OPEN.length] = tag.name_end - tag.word
    stack[depth, OPEN.code] = tag.code
    stack[depth, OPEN.traits] = tag.traits
    stack[depth, OPEN.context] = before
    stack[depth, OPEN.breaks] = breaks
    stack[depth, OPEN.node] = state.node
    if tag.traits & TRAIT.marker:
        stack[depth, OPEN.link] = state.link
        stack[depth, OPEN.link_start] = state.link_start
        stack[depth, OPEN.link_depth] = state.link_depth
        stack[depth, OPEN.in_link] = state.in_link
        stack[depth, OPEN.outer_in_link] = state.outer_in_link
        state.outer += state.link >= 0
        state.link = -1
        state.outer_in_link = state.in_link
    state.open[tag.code] += 1
    state.depth = depth + 1


@kernel_part
def pop_to(scanner: Scanner, depth: int) -> None:
    """Close elements until only `depth` are open."""
    state = scanner.state
    stack = state.stack
    while state.depth > depth:
        d = state.depth - 1
        state.depth = d
        traits = stack[d, OPEN.traits]
        state.open[stack[d, OPEN.code]] -= 1
        if traits & TRAIT.marker:
            end_anchor(scanner)
            end_use(scanner)
            state.link = stack[d, OPEN.link]
            state.link_start = stack[d, OPEN.link_start]
            state.link_depth = stack[d, OPEN.link_depth]
            state.in_link = stack[d, OPEN.in_link]
            state.outer_in_link = stack[d, OPEN.outer_in_link]
            state.outer -= state.link >= 0
        if state.link >= 0 and d < state.link_depth:
            end_anchor(scanner)
        if traits & TRAIT.block or stack[d, OPEN.breaks]:
            state.anchor_pending = 1
        if stack[d, OPEN.breaks]:
            move(scanner, stack[d, OPEN.context])
        else:
            state.context = stack[d, OPEN.context]
        state.node = stack[d, OPEN.node]


@kernel_part
def has_name(src: NDArray[np.uint8], state: Any, tag: Tag, k: int) -> bool:
    """Compare the name of an open element with that of a tag, in any case."""
    stack = state.stack
    length = tag.name_end - tag.word
    return (
        stack[k, OPEN.name] == np.int64(tag.name)
        and stack[k, OPEN.length] == length
        and (length <= PACKED or stands(src, stack[k, OPEN.word], len(src), tag.word, length))
    )


@kernel_part
def find_name(src: NDArray[np.uint8], state: Any, tag: Tag, barrier: int) -> int:
    """Find the nearest open element of that name; -1 if none is inside the nearest `barrier` element."""
    if state.open[tag.code] > 0:
        for k in range(state.depth - 1, -1, -1):
            if has_name(src, state, tag, k):
                return k
            if state.stack[k, OPEN.traits] & barrier:
                return -1
    return -1


@kernel_part
def find_code(state: Any, code: int, barrier: int) -> int:
    """Find the nearest open element of a code; -1 if none is inside the nearest `barrier` element."""
    if state.open[code] > 0:
        for k in range(state.depth - 1, -1, -1):
            if state.stack[k, OPEN.code] == code:
                return k
            if state.stack[k, OPEN.traits] & barrier:
                return -1
    return -1


@kernel_part
def find_heading(state: Any) -> int:
    """Find the nearest open heading of any level, or -1."""
    stack, count = state.stack, state.open
    if count[ELEMENT.h1] + count[ELEMENT.h2] + count[ELEMENT.h3] + count[ELEMENT.h4] > 0:
        for k in range(state.depth - 1, -1, -1):
            if stack[k, OPEN.traits] & TRAIT.heading:
                return k
            if stack[k, OPEN.traits] & TRAIT.scope:
                return -1
    return -1


@kernel_part
def is_table_part(code: int) -> bool:
    """Whether an element occurs only in tables."""
    return ELEMENT.tbody <= code <= ELEMENT.caption or ELEMENT.colgroup <= code <= ELEMENT.col


@kernel_part
def table_depth(state: Any, code: int) -> int:
    """Return how many elements stay open when a part of a table begins; -1 outside of tables.

    A cell stays in its row, a row in its group, any other part directly in the table.
    """
    stack = state.stack
    if state.open[ELEMENT.table] == 0:
        return -1
    depth = -1
    for k in range(state.depth - 1, -1, -1):
        open_code = stack[k, OPEN.code]
        if stack[k, OPEN.traits] & TRAIT.table_scope:
            if open_code != ELEMENT.table:
                return -1
            return depth if depth > 0 else k + 1
        if (open_code == ELEMENT.tbody and (code == ELEMENT.tr or code == ELEMENT.td) and depth < 0) or (
            open_code == ELEMENT.tr and code == ELEMENT.td
        ):
            depth = k + 1
    return -1


@kernel_part
def implied_end(state: Any, tag: Tag) -> int:
    """Return how many elements stay open when this one begins; all of them if it closes none."""
    stack, code, depth = state.stack, tag.code, state.depth
    if depth == 0:
        return 0
    top = stack[depth - 1, OPEN.code]
    if (code == ELEMENT.li or code == ELEMENT.dd) and state.open[code] > 0:
        for k in range(depth - 1, -1, -1):
            open_code = stack[k, OPEN.code]
            if open_code == code:
                depth = k
                break
            if stack[k, OPEN.traits] & TRAIT.special and not (
                open_code == ELEMENT.p or open_code == ELEMENT.div or open_code == ELEMENT.address
            ):
                break
    elif code == ELEMENT.option or code == ELEMENT.optgroup:
        if top == ELEMENT.option:
            depth -= 1
        if code == ELEMENT.optgroup and depth > 0 and stack[depth - 1, OPEN.code] == ELEMENT.optgroup:
            depth -= 1
    elif ELEMENT.rb <= code <= ELEMENT.rp:
        while depth > 0 and ELEMENT.rb <= stack[depth - 1, OPEN.code] <= ELEMENT.rp:
            depth -= 1
    elif code == ELEMENT.button or code == ELEMENT.select:
        k = find_code(state, code, TRAIT.scope)
        depth = k if k >= 0 else depth
    if tag.traits & TRAIT.closes_p:
        # A list item that is closed above may be inside a paragraph: the smaller depth closes both.
        k = find_code(state, ELEMENT.p, TRAIT.button_scope)
        if 0 <= k < depth:
            depth = k
    if tag.traits & TRAIT.heading and depth > 0 and stack[depth - 1, OPEN.traits] & TRAIT.heading:
        depth -= 1
    return depth


@kernel_part
def foreign_root(state: Any) -> int:
    """Return how many elements stay open when an HTML element ends <svg> or <math>."""
    depth = state.depth
    context = state.context
    while depth > 0 and context & CONTEXT.foreign:
        depth -= 1
        context = state.stack[depth, OPEN.context]
    return depth


@kernel_part
def overflows(state: Any) -> bool:
    """Whether the stack is full. Then the element is counted, so that its end tag closes nothing else."""
    if state.depth < MOST_OPEN:
        return False
    state.overflow += 1
    return True
