# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR0912, PLR0915, PLR1714, SIM109
"""Kernel: one pass over HTML: tags open and close.

The rules are those of WHATWG HTML as far as they decide what a reader sees: comments, raw text, optional end
tags, misnested ones, <svg> and <math>. Not followed are foster parenting (words in a table that stand outside
its cells stay where they are) and the reopening of formatting elements, but for links. A document that is XML
is read in the same way, but that `/>` closes any element and that CDATA sections are text everywhere.
Any bytes are safe. Nothing is written twice, and no reference is shorter than 5/6 of what it stands for, so
that every buffer is bounded by the length of the source.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.head import HEAD_WIDTH, MOST_HEADS, add_title, note_script, read_head
from gossamer.extract.html.link_scanner import MOST_HREFS, MOST_USES, find_nearby, open_link, read_pointer
from gossamer.extract.html.main_text import (
    AROUND,
    IN_TEXT,
    choose,
    gather,
    gather_flags,
    gather_headings,
    gather_words,
    read_hints,
)
from gossamer.extract.html.open_elements import (
    ANCHOR_START,
    ANYWHERE,
    AREA,
    ARTICLE,
    BASE,
    BLOCK,
    BODY,
    BR,
    BREAKOUT,
    CHROME,
    CODE_OF,
    EMPHATIC,
    FORM,
    FRAME,
    H1,
    HEAD,
    HEADER,
    HINTS_OF,
    HTML,
    IFRAME,
    IMG,
    IN_CELL,
    IN_LINE,
    IN_LIST_SCOPE,
    IN_SCOPE,
    IN_TABLE_SCOPE,
    INERT,
    IS_HEADING,
    LI,
    LINK_WIDTH,
    MAIN,
    MATH,
    MATH_POINT,
    MOST_NODES,
    MOST_OPEN,
    NAMED,
    NEAR_START,
    NODE_WIDTH,
    NOSCRIPT,
    OTHER,
    PARENT,
    PLAINTEXT,
    RAW,
    RCDATA,
    S_CODE,
    S_LENGTH,
    S_TRAITS,
    SCOPE,
    SCRIPT,
    SPECIAL,
    STACK_WIDTH,
    STRANGE,
    SVG,
    SVG_POINT,
    TABLE,
    TEMPLATE,
    TIME,
    TITLE,
    UNSEEN,
    USE_WIDTH,
    VOID,
    A,
    P,
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
    paragraph,
    pop_to,
    push,
    table_depth,
)
from gossamer.extract.html.tags import (
    ALT,
    DATA,
    ESCAPABLE,
    HIDDEN_IS,
    HREF,
    ID,
    NAME,
    PRESENT,
    RAW_TEXT,
    ROLE,
    ROLE_OF,
    SELF_CLOSING,
    SPANS,
    STYLE_OF,
    TAG,
    TRAITS,
    VALUE,
    after_byte,
    after_comment,
    cdata_end,
    hides,
    lookup,
    raw_end,
    read_tag,
    script_end,
    token_value,
)
from gossamer.extract.html.text_writer import (
    APENDING,
    BLIND,
    CONTEXT,
    DEPTH,
    FOREIGN,
    HEADING,
    HEADING_SHIFT,
    HEADS,
    HIDDEN_HERE,
    HREFS,
    IN_ARTICLE,
    IN_CHROME,
    IN_MAIN,
    IN_MATH,
    IN_NOSCRIPT,
    IN_PICTURE,
    IN_SVG,
    IN_TEMPLATE,
    IN_XML,
    INVISIBLE,
    LANDMARK,
    LINE_WIDTH,
    LINES,
    LINK,
    LINKS,
    MOST_RUNS,
    NODE,
    NODES,
    OPEN,
    OVERFLOW,
    REGION,
    RUN_WIDTH,
    RUNS,
    STATE_SIZE,
    UNSEEN_HERE,
    USES,
    VALUES,
    end_line,
    gather_emphasised,
    move,
    note_emphasis,
    space,
    write,
)
from gossamer.kernels import kernel, kernel_part

# Kernel: start tags and end tags
# -------------------------------

ROLE_MAIN, ROLE_ARTICLE, ROLE_CHROME = 1, 2, 3
DESCRIPTION = 20  # bytes of an alt: a shorter one is a word in a line, as that of an icon
TELLING = 1 << HIDDEN_IS | 1 << STYLE_OF | 1 << ROLE_OF  # attributes for which any element is kept


@kernel_part
def _context(
    src: NDArray[np.uint8],
    code: int,
    traits: int,
    spans: NDArray[np.int64],
    context: int,
    tables: NDArray[np.int64],
) -> int:
    """What holds inside an element: its region, and whether it is seen."""
    present = spans[PRESENT]
    role = np.int64(0)
    if present >> ROLE_OF & 1:
        role = token_value(src, spans[2 * ROLE_OF], spans[2 * ROLE_OF + 1], ROLE, tables)
    if code == MAIN or role == ROLE_MAIN:
        context = context & ~LANDMARK | IN_MAIN
    elif code == ARTICLE or role == ROLE_ARTICLE:
        if context & LANDMARK == 0:
            context |= IN_ARTICLE
    # a header opens the page, or the article it stands in: only the first kind is chrome
    elif traits & CHROME or role == ROLE_CHROME or (code == HEADER and context & LANDMARK == 0):
        context |= IN_CHROME
    elif traits & IS_HEADING and code < H1 + 3:
        context = context & ~HEADING | (code - H1 + 1) << HEADING_SHIFT
    if traits & UNSEEN:
        context |= UNSEEN_HERE | BLIND
    if present >> HIDDEN_IS & 1 or (present >> STYLE_OF & 1 and hides(src, spans, tables)):
        context |= HIDDEN_HERE
    if code == NOSCRIPT:
        context |= IN_NOSCRIPT
    elif code == TEMPLATE:
        context |= IN_TEMPLATE
    return context


@kernel_part
def _enter(
    name: np.uint64,
    word: int,
    name_end: int,
    code: int,
    traits: int,
    context: int,
    state: NDArray[np.int64],
    hints: int,
    stack: NDArray[np.int64],
    lines: NDArray[np.int32],
    nodes: NDArray[np.int32],
    text: NDArray[np.uint8],
) -> None:
    """Opens an element inside of which `context` holds."""
    before = state[CONTEXT]
    breaks = context & INVISIBLE == 0 and (traits & BLOCK != 0 or (context ^ before) & REGION != 0)
    if traits & BLOCK or breaks:
        state[APENDING] = 1
    if overflows(state):
        if breaks:
            move(state, lines, text, before)
        return
    push(state, stack, name, word, name_end, code, traits, before, breaks)
    if breaks:
        move(state, lines, text, context)
        k = state[NODES]
        if k < len(nodes):  # further ones are parts of the block that they stand in
            nodes[k, PARENT] = state[NODE]
            nodes[k, CODE_OF] = code
            nodes[k, HINTS_OF] = hints
            state[NODE] = k
            state[NODES] = k + 1
    else:
        state[CONTEXT] = context


@kernel_part
def _break(state: NDArray[np.int64], lines: NDArray[np.int32], text: NDArray[np.uint8]) -> None:
    """A line ends here, as at <br>."""
    state[APENDING] = 1
    if state[CONTEXT] & INVISIBLE == 0:
        move(state, lines, text, state[CONTEXT])


@kernel_part
def _start_foreign(
    name: np.uint64,
    word: int,
    name_end: int,
    code: int,
    traits: int,
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    stack: NDArray[np.int64],
) -> None:
    """An element within <svg> or <math>, or one of these two."""
    if spans[SELF_CLOSING] or overflows(state):
        return
    before = state[CONTEXT]
    context = before
    kept = OTHER
    strange = np.int64(STRANGE)
    if code == SVG:
        kept = SVG
        context = context & ~FOREIGN | IN_SVG | UNSEEN_HERE | BLIND
    elif code == MATH:
        kept = MATH
        context = context & ~FOREIGN | IN_MATH
    elif (before & IN_SVG and (code == SVG_POINT or code == TITLE)) or (
        before & IN_MATH and code == MATH_POINT
    ):
        context &= ~FOREIGN  # HTML may stand in it
        kept = code
        strange |= SCOPE | SPECIAL
    elif traits & UNSEEN:
        context |= UNSEEN_HERE | BLIND
    push(state, stack, name, word, name_end, kept, strange, before, False)
    state[CONTEXT] = context


@kernel_part
def _picture(
    src: NDArray[np.uint8],
    i: int,
    n: int,
    state: NDArray[np.int64],
    lines: NDArray[np.int32],
    text: NDArray[np.uint8],
    anchors: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> None:
    """Writes the alt of a picture: a word may belong to the sentence, a description has its own line."""
    before = state[CONTEXT]
    if n - i < DESCRIPTION or before & (INVISIBLE | HEADING):
        write(src, i, n, VALUE, state, text, anchors, tables)
        return
    move(state, lines, text, before | IN_PICTURE)
    write(src, i, n, VALUE, state, text, anchors, tables)
    move(state, lines, text, before)


@kernel_part
def _start_void(
    src: NDArray[np.uint8],
    code: int,
    traits: int,
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    lines: NDArray[np.int32],
    text: NDArray[np.uint8],
    anchors: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> None:
    """An element without content: a picture speaks through its alt, a few others end the line."""
    if code == IMG:
        space(state)
        if spans[PRESENT] >> ALT & 1:
            _picture(src, spans[2 * ALT], spans[2 * ALT + 1], state, lines, text, anchors, tables)
        space(state)
    elif traits & BLOCK:
        _break(state, lines, text)


@kernel_part
def _start_raw(
    src: NDArray[np.uint8],
    word: int,
    name_end: int,
    i: int,
    n: int,
    code: int,
    traits: int,
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    text: NDArray[np.uint8],
    anchors: NDArray[np.uint8],
    heads: NDArray[np.int64],
    values: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> int:
    """Read the content of an element that holds only text, and its end tag; return the place behind it."""
    length = name_end - word
    if code == PLAINTEXT:
        end = n
    elif code == SCRIPT:
        end = script_end(src, i, n, word, length)
        note_script(src, i, end, spans, state, heads, tables)
    else:
        end = raw_end(src, i, n, word, length)
    if code == TITLE:
        add_title(src, i, end, state, heads, values, tables)
    elif not traits & UNSEEN:
        write(src, i, end, ESCAPABLE if traits & RCDATA else RAW_TEXT, state, text, anchors, tables)
    if end >= n:
        return n
    behind, _, _ = read_tag(src, end + 2, n, spans, tables)
    return behind if behind else n


@kernel_part
def start_tag(
    src: NDArray[np.uint8],
    word: int,
    name_end: int,
    i: int,
    n: int,
    name: np.uint64,
    code: int,
    traits: int,
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    stack: NDArray[np.int64],
    lines: NDArray[np.int32],
    nodes: NDArray[np.int32],
    text: NDArray[np.uint8],
    links: NDArray[np.int64],
    uses: NDArray[np.int32],
    hrefs: NDArray[np.uint8],
    anchors: NDArray[np.uint8],
    seen: NDArray[np.int32],
    heads: NDArray[np.int64],
    values: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> int:
    """Does what the start tag before i says; returns the place to go on."""
    if state[CONTEXT] & FOREIGN:
        if not traits & BREAKOUT:
            if code == A:
                end_link(state, links, uses, anchors)
                open_link(src, spans, state, links, uses, hrefs, seen, tables)
            _start_foreign(name, word, name_end, code, traits, spans, state, stack)
            return i
        pop_to(foreign_root(state, stack), state, stack, lines, text, links, uses, anchors)
    if code == HEAD:
        return i
    if BASE <= code <= TIME or code == HTML:
        read_head(src, code, spans, state, heads, values, tables)
    if is_table_part(code):
        depth = table_depth(state, stack, code)
        if depth < 0:
            return i
    else:
        depth = implied_end(state, stack, code, traits)
    if depth < state[DEPTH]:
        pop_to(depth, state, stack, lines, text, links, uses, anchors)
    if code == HTML or code == BODY:
        _break(state, lines, text)
        if code == BODY and state[DEPTH] == 0:
            state[CONTEXT] = _context(src, code, traits, spans, np.int64(0), tables) & REGION
        return i
    if code == SVG or code == MATH:
        _start_foreign(name, word, name_end, code, traits, spans, state, stack)
        return i
    if code == AREA or code == FRAME or code == IFRAME:
        read_pointer(src, code, spans, state, links, hrefs, anchors, seen, text, tables)
    if traits & VOID:
        if spans[PRESENT] & TELLING == 0:
            _start_void(src, code, traits, spans, state, lines, text, anchors, tables)
        else:
            before = state[CONTEXT]
            state[CONTEXT] |= _context(src, code, traits, spans, before, tables) & HIDDEN_HERE
            _start_void(src, code, traits, spans, state, lines, text, anchors, tables)
            state[CONTEXT] = before
        return i
    is_closed = state[IN_XML] != 0 and spans[SELF_CLOSING] != 0
    kept = spans[PRESENT] & TELLING != 0 or state[OPEN + code] > 0 or not traits & INERT
    if code == A:
        end_link(state, links, uses, anchors)
        k = find_code(state, stack, A, IN_CELL)
        if k >= 0:
            pop_to(k, state, stack, lines, text, links, uses, anchors)
            kept = spans[PRESENT] & TELLING != 0
        # one without address or name is a button for scripts
        if spans[PRESENT] >> HREF & 1 or spans[PRESENT] & (1 << NAME | 1 << ID) == 0:
            open_link(src, spans, state, links, uses, hrefs, seen, tables)
    if kept:
        context = _context(src, code, traits, spans, state[CONTEXT], tables)
        depth = state[DEPTH]
        overflow = state[OVERFLOW]
        hints = read_hints(src, spans, tables)
        _enter(name, word, name_end, code, traits, context, state, hints, stack, lines, nodes, text)
        if is_closed:
            pop_to(depth, state, stack, lines, text, links, uses, anchors)
            state[OVERFLOW] = overflow
        elif traits & (RAW | RCDATA):
            i = _start_raw(
                src, word, name_end, i, n, code, traits, spans, state, text, anchors, heads, values, tables
            )
            pop_to(depth, state, stack, lines, text, links, uses, anchors)
    if is_closed and code == A:
        end_link(state, links, uses, anchors)
    return i


@kernel_part
def end_tag(
    src: NDArray[np.uint8],
    word: int,
    name_end: int,
    name: np.uint64,
    code: int,
    traits: int,
    state: NDArray[np.int64],
    stack: NDArray[np.int64],
    lines: NDArray[np.int32],
    text: NDArray[np.uint8],
    links: NDArray[np.int64],
    uses: NDArray[np.int32],
    anchors: NDArray[np.uint8],
) -> None:
    """Closes the nearest element that this tag can close."""
    if code == A:
        end_link(state, links, uses, anchors)
    if state[CONTEXT] & FOREIGN:
        if code == P or code == BR:
            pop_to(foreign_root(state, stack), state, stack, lines, text, links, uses, anchors)
        else:
            k = state[DEPTH] - 1
            while k >= 0 and stack[k, S_TRAITS] & STRANGE:
                if has_name(src, word, name_end, name, stack, k):
                    pop_to(k, state, stack, lines, text, links, uses, anchors)
                    return
                k -= 1
    if traits & VOID or code == HTML or code == BODY or code == HEAD:
        if code == BR:
            _break(state, lines, text)
        return
    if state[OVERFLOW] > 0 and not traits & INERT:
        state[OVERFLOW] -= 1
        if traits & BLOCK:
            _break(state, lines, text)
        return
    if code == P:
        k = paragraph(state, stack)
        if k < 0:
            _break(state, lines, text)
    elif traits & IS_HEADING:
        k = find_heading(state, stack)
    elif code == FORM:
        k = find_code(state, stack, FORM, IN_SCOPE)
        if 0 <= k < state[DEPTH] - 1:
            # what was opened in it goes on without it
            stack[k, S_LENGTH] = 0  # no end tag has this name
            stack[k, S_CODE] = OTHER
            stack[k, S_TRAITS] &= ~SPECIAL
            state[OPEN + FORM] -= 1
            state[OPEN + OTHER] += 1
            return
    elif code == TABLE or is_table_part(code):
        k = find_name(src, word, name_end, name, code, IN_TABLE_SCOPE, state, stack)
    elif code == NOSCRIPT or code == TEMPLATE or code == SVG or code == MATH:
        k = find_name(src, word, name_end, name, code, ANYWHERE, state, stack)
    elif traits & INERT:
        k = find_name(src, word, name_end, name, code, IN_LINE, state, stack)
    else:
        reach = IN_LIST_SCOPE if code == LI else IN_SCOPE
        k = find_name(src, word, name_end, name, code, reach, state, stack)
    if k >= 0:
        pop_to(k, state, stack, lines, text, links, uses, anchors)


@kernel_part
def _is_letter(src: NDArray[np.uint8], i: int, n: int) -> bool:
    return i < n and 97 <= (src[i] | 32) <= 122


@kernel_part
def _is_cdata(src: NDArray[np.uint8], i: int, n: int) -> bool:
    """Whether `<![CDATA[` stands at i."""
    return (
        i + 9 <= n
        and src[i + 2] == 91
        and src[i + 3] == 67
        and src[i + 4] == 68
        and src[i + 5] == 65
        and src[i + 6] == 84
        and src[i + 7] == 65
        and src[i + 8] == 91
    )


@kernel_part
def _declaration(
    src: NDArray[np.uint8],
    i: int,
    n: int,
    state: NDArray[np.int64],
    text: NDArray[np.uint8],
    anchors: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> int:
    """Passes the comment, doctype or CDATA section whose `<!` stands at i."""
    if i + 3 < n and src[i + 2] == 45 and src[i + 3] == 45:
        return after_comment(src, i + 4, n)
    if (state[CONTEXT] & FOREIGN or state[IN_XML]) and _is_cdata(src, i, n):
        end = cdata_end(src, i + 9, n)
        write(src, i + 9, end, RAW_TEXT, state, text, anchors, tables)
        return min(end + 3, n)
    return after_byte(src, i + 2, n, 62)


@kernel
def scan(
    src: NDArray[np.uint8], tables: NDArray[np.int64], is_xml: bool
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.uint8],
    NDArray[np.uint8],
    int,
    NDArray[np.uint8],
    NDArray[np.uint8],
    NDArray[np.uint8],
    NDArray[np.uint8],
    NDArray[np.uint8],
    NDArray[np.uint8],
    NDArray[np.int64],
]:
    """Main text, surroundings, headings and the number of the first h1 among them (-1 for none); what is
    emphasised; addresses, anchors, words near them and whether they are nofollow, of each address one, and of
    one with links that are and links that are not, two; bytes of the head's values and their records.

    Lines, headings, emphasised words, addresses, anchors and words near them are divided by line feeds.
    """
    n = len(src)
    room = n + n // 4 + 64
    text = np.empty(room, np.uint8)
    lines = np.empty((n // 4 + 4, LINE_WIDTH), np.int32)
    nodes = np.empty((min(n // 3 + 2, MOST_NODES), NODE_WIDTH), np.int32)
    nodes[0] = 0
    anchors = np.empty(room, np.uint8)
    hrefs = np.empty(room, np.uint8)
    values = np.empty(room, np.uint8)
    most = min(n // 9 + 2, MOST_HREFS)
    links = np.empty((most, LINK_WIDTH), np.int64)
    uses = np.empty((min(n // 3 + 2, MOST_USES), USE_WIDTH), np.int32)
    runs = np.empty((min(n // 7 + 2, MOST_RUNS), RUN_WIDTH), np.int32)
    slots = 4
    while slots < 2 * most:
        slots *= 2
    seen = np.zeros(slots, np.int32)
    heads = np.empty((MOST_HEADS, HEAD_WIDTH), np.int64)
    stack = np.empty((MOST_OPEN, STACK_WIDTH), np.int64)
    spans = np.zeros(SPANS, np.int64)
    state = np.zeros(STATE_SIZE, np.int64)
    state[LINK] = -1
    state[NODES] = 1
    state[IN_XML] = is_xml
    i = np.int64(0)
    while i < n:
        i = write(src, i, n, DATA, state, text, anchors, tables)
        if i >= n:
            break
        second = np.int64(src[i + 1]) if i + 1 < n else np.int64(0)
        closing = second == 47
        if _is_letter(src, i + 2 if closing else i + 1, n):
            word = i + 2 if closing else i + 1
            end, name_end, name = read_tag(src, word, n, spans, tables)
            if end == 0:
                break
            code = lookup(tables, TAG, name, name_end - word, src, word, name_end)
            traits = tables[TRAITS + code]
            i = end
            if traits & EMPHATIC:
                note_emphasis(closing, state, runs)
            if (
                traits & INERT
                and (code == OTHER or code >= NAMED)
                and state[CONTEXT] & FOREIGN == 0
                and state[OPEN + code] == 0
                and (closing or spans[PRESENT] & TELLING == 0)
            ):
                continue
            if closing:
                end_tag(
                    src, word, name_end, name, code, traits, state, stack, lines, text, links, uses, anchors
                )
            else:
                i = start_tag(
                    src, word, name_end, i, n, name, code, traits, spans, state, stack, lines, nodes, text,
                    links, uses, hrefs, anchors, seen, heads, values, tables,
                )  # fmt: skip
        elif second == 33:
            i = _declaration(src, i, n, state, text, anchors, tables)
        elif second == 63 or (closing and i + 2 < n):
            i = after_byte(src, i + 2, n, 62)
        else:
            write(src, i, i + 1, RAW_TEXT, state, text, anchors, tables)
            i += 1
    pop_to(np.int64(0), state, stack, lines, text, links, uses, anchors)
    end_anchor(state, links, anchors)
    end_use(state, uses)
    end_line(state, lines, text)
    found = lines[: state[LINES]]
    main = choose(found, nodes[: state[NODES]])
    headings, first = gather_headings(text, found, main)
    known = links[: state[LINKS]]
    nearby = find_nearby(text, found, main, uses[: state[USES]], known)
    return (
        gather(text, found, main, IN_TEXT),
        gather(text, found, main, AROUND),
        headings,
        first,
        gather_emphasised(text, found, main, runs[: state[RUNS]]),
        hrefs[: max(state[HREFS] - 1, 0)].copy(),
        gather_words(anchors, known, ANCHOR_START),
        gather_words(nearby, known, NEAR_START),
        gather_flags(known),
        values[: state[VALUES]].copy(),
        heads[: state[HEADS]].copy(),
    )
