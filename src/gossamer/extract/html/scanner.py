# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR0912, PLR0915, PLR1714
"""Kernel: one pass over HTML that opens and closes elements.

It follows the rules of WHATWG HTML that affect what a reader sees: comments, raw text, optional and misnested
end tags, <svg> and <math>. There are two exceptions: words in a table but outside of its cells stay where
they are (no foster parenting), and only links, not formatting elements, are reopened.

An XML document is read in the same way, but `/>` closes any element, and CDATA sections are text everywhere.

Any input is safe. Nothing is written twice, and a character reference has at least 5/6 of the length of its
characters. So the length of the source bounds every buffer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.head import HEAD_WIDTH, MOST_HEADS, add_title, meaning_of, note_script, read_head
from gossamer.extract.html.link_scanner import MOST_HREFS, MOST_USES, find_nearby, open_link, read_pointer
from gossamer.extract.html.main_text import AROUND, IN_TEXT, choose, gather, gather_headings, read_hints
from gossamer.extract.html.open_elements import (
    ELEMENT,
    LINK,
    MOST_NODES,
    NODE,
    TRAIT,
    USE,
    Tag,
    end_anchor,
    end_link,
    end_use,
    find_code,
    find_heading,
    find_name,
    foreign_root,
    has_name,
    implied_end,
    is_table_part,
    overflows,
    pop_to,
    push,
    table_depth,
)
from gossamer.extract.html.tags import (
    ATTRIBUTE,
    MODE,
    PRESENT,
    SELF_CLOSING,
    TABLE,
    TRAITS,
    after_byte,
    after_comment,
    cdata_end,
    hides,
    join_pieces,
    lookup,
    raw_end,
    read_tag,
    script_end,
)
from gossamer.extract.html.text_writer import (
    CONTEXT,
    HEADING_SHIFT,
    LINE,
    MOST_RUNS,
    OPEN,
    RUN,
    Found,
    Scanner,
    Writer,
    end_line,
    gather_emphasised,
    has,
    move,
    note_emphasis,
    space,
    write,
)
from gossamer.kernels.kernel import kernel, kernel_part

# Kernel: start tags and end tags
# -------------------------------

ROLE_MAIN, ROLE_ARTICLE, ROLE_CHROME = 1, 2, 3
CDATA = tuple(b"<![CDATA[")
DESCRIPTION = 20  # bytes: a shorter alt, as of an icon, is a word in the line

# An element with one of these attributes is always put on the stack.
TELLING = 1 << ATTRIBUTE.hidden | 1 << ATTRIBUTE.style | 1 << ATTRIBUTE.role


@kernel_part
def _context(writer: Writer, tag: Tag, context: int) -> int:
    """Return the context inside an element: its region and visibility."""
    state, code, traits = writer.state, tag.code, tag.traits
    role = meaning_of(writer, ATTRIBUTE.role, TABLE.role)
    if code == ELEMENT.main or role == ROLE_MAIN:
        context = context & ~CONTEXT.landmark | CONTEXT.main
    elif code == ELEMENT.article or role == ROLE_ARTICLE:
        if context & CONTEXT.landmark == 0:
            context |= CONTEXT.article
    # A header of the page is chrome; a header of an article is not.
    elif (
        traits & TRAIT.chrome
        or role == ROLE_CHROME
        or (code == ELEMENT.header and context & CONTEXT.landmark == 0)
    ):
        context |= CONTEXT.chrome
    elif traits & TRAIT.heading and code < ELEMENT.h4:
        context = context & ~CONTEXT.heading | (code - ELEMENT.h1 + 1) << HEADING_SHIFT
    if traits & TRAIT.unseen:
        context |= CONTEXT.unseen | CONTEXT.blind
    if has(state, ATTRIBUTE.hidden) or (
        has(state, ATTRIBUTE.style) and hides(writer.src, state.spans, writer.tables)
    ):
        context |= CONTEXT.hidden
    if code == ELEMENT.noscript:
        context |= CONTEXT.noscript
    elif code == ELEMENT.template:
        context |= CONTEXT.template
    return context


@kernel_part
def _enter(scanner: Scanner, nodes: NDArray[np.int32], tag: Tag, context: int, hints: int) -> None:
    """Open an element; `context` is the context inside it."""
    state = scanner.state
    before = state.context
    is_block = tag.traits & TRAIT.block != 0
    breaks = context & CONTEXT.invisible == 0 and (is_block or (context ^ before) & CONTEXT.region != 0)
    if is_block or breaks:
        state.anchor_pending = 1
    if overflows(state):
        if breaks:
            move(scanner, before)
        return
    push(state, tag, before, breaks)
    if breaks:
        move(scanner, context)
        k = state.nodes
        if k < len(nodes):  # blocks beyond the limit are parts of the block around them
            nodes[k, NODE.parent] = state.node
            nodes[k, NODE.code] = tag.code
            nodes[k, NODE.hints] = hints
            state.node = k
            state.nodes = k + 1
    else:
        state.context = context


@kernel_part
def _break(scanner: Scanner) -> None:
    """End the line, as at <br>."""
    state = scanner.state
    state.anchor_pending = 1
    if state.context & CONTEXT.invisible == 0:
        move(scanner, state.context)


@kernel_part
def _start_foreign(state: Any, tag: Tag) -> None:
    """Open <svg>, <math> or an element inside them."""
    if state.spans[SELF_CLOSING] or overflows(state):
        return
    code = tag.code
    before = state.context
    context = before
    kept = ELEMENT.other
    traits = TRAIT.foreign
    if code == ELEMENT.svg:
        kept = ELEMENT.svg
        context = context & ~CONTEXT.foreign | CONTEXT.svg | CONTEXT.unseen | CONTEXT.blind
    elif code == ELEMENT.math:
        kept = ELEMENT.math
        context = context & ~CONTEXT.foreign | CONTEXT.math
    elif (before & CONTEXT.svg and (code == ELEMENT.svg_point or code == ELEMENT.title)) or (
        before & CONTEXT.math and code == ELEMENT.math_point
    ):
        context &= ~CONTEXT.foreign  # it may contain HTML
        kept = code
        traits |= TRAIT.scope | TRAIT.button_scope | TRAIT.special
    elif tag.traits & TRAIT.unseen:
        context |= CONTEXT.unseen | CONTEXT.blind
    push(state, Tag(tag.name, tag.word, tag.name_end, kept, traits), before, False)
    state.context = context


@kernel_part
def _picture(scanner: Scanner, i: int, n: int) -> None:
    """Write the alt of a picture: a short one into the line, a description as its own line."""
    before = scanner.state.context
    if n - i < DESCRIPTION or before & (CONTEXT.invisible | CONTEXT.heading):
        write(scanner.writer, i, n, MODE.value)
        return
    move(scanner, before | CONTEXT.picture)
    write(scanner.writer, i, n, MODE.value)
    move(scanner, before)


@kernel_part
def _start_void(scanner: Scanner, tag: Tag) -> None:
    """Handle an element without content: write the alt of a picture; end the line at a block."""
    state = scanner.state
    if tag.code == ELEMENT.img:
        space(state)
        if has(state, ATTRIBUTE.alt):
            _picture(scanner, state.spans[2 * ATTRIBUTE.alt], state.spans[2 * ATTRIBUTE.alt + 1])
        space(state)
    elif tag.traits & TRAIT.block:
        _break(scanner)


@kernel_part
def _start_raw(writer: Writer, found: Found, tag: Tag, i: int) -> int:
    """Read the content of an element that holds only text, and its end tag; return the place after it."""
    src = writer.src
    n = len(src)
    length = tag.name_end - tag.word
    if tag.code == ELEMENT.plaintext:
        end = n
    elif tag.code == ELEMENT.script:
        end = script_end(src, i, n, tag.word, length)
        note_script(writer, found.heads, i, end)
    else:
        end = raw_end(src, i, n, tag.word, length)
    if tag.code == ELEMENT.title:
        add_title(writer, found, i, end)
    elif not tag.traits & TRAIT.unseen:
        write(writer, i, end, MODE.escapable if tag.traits & TRAIT.rcdata else MODE.raw)
    if end >= n:
        return n
    behind, _, _ = read_tag(src, end + 2, n, writer.state.spans, writer.tables)
    return behind if behind else n


@kernel_part
def start_tag(scanner: Scanner, found: Found, tag: Tag, i: int) -> int:
    """Handle the start tag that ends at i; return the place to continue."""
    state, writer, code, traits = scanner.state, scanner.writer, tag.code, tag.traits
    if state.context & CONTEXT.foreign:
        if not traits & TRAIT.breakout:
            if code == ELEMENT.a:
                end_link(scanner)
                open_link(scanner, found)
            _start_foreign(state, tag)
            return i
        pop_to(scanner, foreign_root(state))
    if code == ELEMENT.head:
        return i
    if ELEMENT.base <= code <= ELEMENT.time or code == ELEMENT.html:
        read_head(writer, found, code)
    if is_table_part(code):
        depth = table_depth(state, code)
        if depth < 0:
            return i
    else:
        depth = implied_end(state, tag)
    if depth < state.depth:
        pop_to(scanner, depth)
    if code == ELEMENT.html or code == ELEMENT.body:
        _break(scanner)
        if code == ELEMENT.body and state.depth == 0:
            state.context = _context(writer, tag, np.int64(0)) & CONTEXT.region
        return i
    if code == ELEMENT.svg or code == ELEMENT.math:
        _start_foreign(state, tag)
        return i
    if code == ELEMENT.area or code == ELEMENT.frame or code == ELEMENT.iframe:
        read_pointer(scanner, found, code)
    is_telling = state.spans[PRESENT] & TELLING != 0
    if traits & TRAIT.void:
        before = state.context
        if is_telling:
            state.context |= _context(writer, tag, before) & CONTEXT.hidden
        _start_void(scanner, tag)
        if is_telling:
            state.context = before
        return i
    is_closed = state.in_xml != 0 and state.spans[SELF_CLOSING] != 0
    kept = is_telling or state.open[code] > 0 or not traits & TRAIT.inert
    if code == ELEMENT.a:
        end_link(scanner)
        k = find_code(state, ELEMENT.a, TRAIT.marker)
        if k >= 0:
            pop_to(scanner, k)
            kept = is_telling
        # An <a> without href, name and id is a button for scripts; it is treated as a link.
        if has(state, ATTRIBUTE.href) or not (has(state, ATTRIBUTE.name) or has(state, ATTRIBUTE.id)):
            open_link(scanner, found)
    if kept:
        context = _context(writer, tag, state.context)
        depth = state.depth
        overflow = state.overflow
        _enter(scanner, found.nodes, tag, context, read_hints(writer))
        if is_closed:
            pop_to(scanner, depth)
            state.overflow = overflow
        elif traits & (TRAIT.raw | TRAIT.rcdata):
            i = _start_raw(writer, found, tag, i)
            pop_to(scanner, depth)
    if is_closed and code == ELEMENT.a:
        end_link(scanner)
    return i


@kernel_part
def end_tag(scanner: Scanner, tag: Tag) -> None:
    """Close the nearest element that this end tag can close."""
    state, code, traits = scanner.state, tag.code, tag.traits
    src, stack = scanner.writer.src, state.stack
    if code == ELEMENT.a:
        end_link(scanner)
    if state.context & CONTEXT.foreign:
        if code == ELEMENT.p or code == ELEMENT.br:
            pop_to(scanner, foreign_root(state))
        else:
            k = state.depth - 1
            while k >= 0 and stack[k, OPEN.traits] & TRAIT.foreign:
                if has_name(src, state, tag, k):
                    pop_to(scanner, k)
                    return
                k -= 1
    if traits & TRAIT.void or code == ELEMENT.html or code == ELEMENT.body or code == ELEMENT.head:
        if code == ELEMENT.br:
            _break(scanner)
        return
    if state.overflow > 0 and not traits & TRAIT.inert:
        state.overflow -= 1
        if traits & TRAIT.block:
            _break(scanner)
        return
    if code == ELEMENT.p:
        k = find_code(state, ELEMENT.p, TRAIT.button_scope)
        if k < 0:
            _break(scanner)
    elif traits & TRAIT.heading:
        k = find_heading(state)
    elif code == ELEMENT.form:
        k = find_code(state, ELEMENT.form, TRAIT.scope)
        if 0 <= k < state.depth - 1:
            # the elements inside stay open
            stack[k, OPEN.length] = 0  # matches no end tag
            stack[k, OPEN.code] = ELEMENT.other
            stack[k, OPEN.traits] &= ~TRAIT.special
            state.open[ELEMENT.form] -= 1
            state.open[ELEMENT.other] += 1
            return
    else:
        k = find_name(src, state, tag, _barrier(code, traits))
    if k >= 0:
        pop_to(scanner, k)


@kernel_part
def _barrier(code: int, traits: int) -> int:
    """Return the traits of elements that an end tag cannot cross."""
    if code == ELEMENT.table or is_table_part(code):
        return TRAIT.table_scope
    if code == ELEMENT.noscript or code == ELEMENT.template or code == ELEMENT.svg or code == ELEMENT.math:
        return 0
    if traits & TRAIT.inert:
        return TRAIT.special
    return TRAIT.scope | TRAIT.list if code == ELEMENT.li else TRAIT.scope


@kernel_part
def _is_letter(src: NDArray[np.uint8], i: int, n: int) -> bool:
    return i < n and 97 <= (src[i] | 32) <= 122


@kernel_part
def _is_cdata(src: NDArray[np.uint8], i: int, n: int) -> bool:
    """Whether `<![CDATA[` is at i."""
    k = 2
    while k < len(CDATA) and i + k < n and src[i + k] == CDATA[k]:
        k += 1
    return k == len(CDATA)


@kernel_part
def _declaration(writer: Writer, i: int) -> int:
    """Skip the comment or doctype at i, or write the CDATA section at i; return the place after it."""
    src, state = writer.src, writer.state
    n = len(src)
    if i + 3 < n and src[i + 2] == 45 and src[i + 3] == 45:
        return after_comment(src, i + 4, n)
    if (state.context & CONTEXT.foreign or state.in_xml) and _is_cdata(src, i, n):
        end = cdata_end(src, i + len(CDATA), n)
        write(writer, i + len(CDATA), end, MODE.raw)
        return min(end + 3, n)
    return after_byte(src, i + 2, n, 62)


class Scanned(NamedTuple):
    """Content of a document.

    Links to one address are merged, but nofollow links are kept separate from others. Lines, headings,
    emphasised words, addresses, anchors and words near links are separated by line feeds.
    """

    text: NDArray[np.uint8]  # main text
    surroundings: NDArray[np.uint8]
    headings: NDArray[np.uint8]
    first_heading: int  # index of the first h1 in the headings, or -1
    emphasised: NDArray[np.uint8]
    addresses: NDArray[np.uint8]
    anchors: NDArray[np.uint8]
    nearby: NDArray[np.uint8]  # words near the links
    nofollow: NDArray[np.uint8]
    values: NDArray[np.uint8]  # of the head
    heads: NDArray[np.int64]  # records of the head


@kernel
def scan(
    src: NDArray[np.uint8], tables: NDArray[np.int64], is_xml: bool, states: NDArray[np.void]
) -> tuple[Any, ...]:
    """Read a document into the fields of `Scanned`; `states` is one record of `STATE`, all zeros.

    The caller creates the record, because an array would be freed here while parts still use its record.
    """
    state = states[0]
    state.link = -1
    state.nodes = 1
    state.in_xml = is_xml
    n = len(src)
    room = n + n // 4 + 64
    most = min(n // 9 + 2, MOST_HREFS)
    slots = 4
    while slots < 2 * most:
        slots *= 2
    text, anchors = np.empty(room, np.uint8), np.empty(room, np.uint8)
    scanner = Scanner(
        state,
        Writer(src, tables, state, text, anchors),
        np.empty((n // 4 + 4, len(LINE)), np.int32),
        np.empty((most, len(LINK)), np.int64),
        np.empty((min(n // 3 + 2, MOST_USES), len(USE)), np.int32),
    )
    found = Found(
        np.empty((min(n // 3 + 2, MOST_NODES), len(NODE)), np.int32),
        np.empty((min(n // 7 + 2, MOST_RUNS), len(RUN)), np.int32),
        np.empty(room, np.uint8),
        np.zeros(slots, np.int32),
        np.empty((MOST_HEADS, HEAD_WIDTH), np.int64),
        np.empty(room, np.uint8),
    )
    found.nodes[0] = 0
    _read(scanner, found)
    lines = scanner.lines[: state.lines]
    links = scanner.links[: state.links]
    main = choose(lines, found.nodes[: state.nodes])
    headings, first = gather_headings(text, lines, main)
    nearby = find_nearby(text, lines, main, scanner.uses[: state.uses], links)
    return (
        gather(text, lines, main, IN_TEXT),
        gather(text, lines, main, AROUND),
        headings,
        first,
        gather_emphasised(text, lines, main, found.runs[: state.runs]),
        found.hrefs[: max(state.hrefs - 1, 0)].copy(),
        join_pieces(anchors, links, LINK.anchor_start),
        join_pieces(nearby, links, LINK.near_start),
        links[:, LINK.nofollow].astype(np.uint8),
        found.values[: state.values].copy(),
        found.heads[: state.heads].copy(),
    )


@kernel_part
def _read(scanner: Scanner, found: Found) -> None:
    """Read all of the source: text, tags and declarations."""
    state, writer = scanner.state, scanner.writer
    src, tables = writer.src, writer.tables
    n = len(src)
    i = np.int64(0)
    while i < n:
        i = write(writer, i, n, MODE.data)
        if i >= n:
            break
        second = np.int64(src[i + 1]) if i + 1 < n else np.int64(0)
        closing = second == 47
        word = i + 2 if closing else i + 1
        if _is_letter(src, word, n):
            end, name_end, name = read_tag(src, word, n, state.spans, tables)
            if end == 0:
                break
            code = lookup(tables, TABLE.tag, name, name_end - word, src, word, name_end)
            traits = tables[TRAITS + code]
            i = end
            if traits & TRAIT.emphatic:
                note_emphasis(state, found.runs, closing)
            if (
                traits & TRAIT.inert
                and (code == ELEMENT.other or code >= len(ELEMENT))
                and state.context & CONTEXT.foreign == 0
                and state.open[code] == 0
                and (closing or state.spans[PRESENT] & TELLING == 0)
            ):
                continue
            tag = Tag(name, word, name_end, code, traits)
            if closing:
                end_tag(scanner, tag)
            else:
                i = start_tag(scanner, found, tag, i)
        elif second == 33:
            i = _declaration(writer, i)
        elif second == 63 or (closing and i + 2 < n):
            i = after_byte(src, i + 2, n, 62)
        else:
            write(writer, i, i + 1, MODE.raw)
            i += 1
    pop_to(scanner, np.int64(0))
    end_anchor(scanner)
    end_use(scanner)
    end_line(scanner)
