# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""What does an HTML document say, and where does it point? One pass over its bytes.

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

from gossamer.extract.element_kernel import TELLING, end_tag, start_tag
from gossamer.extract.emphasis_kernel import MOST_RUNS, RUN_WIDTH, gather_emphasised, note_emphasis
from gossamer.extract.head_kernel import HEAD_WIDTH, MOST_HEADS
from gossamer.extract.nearby_kernel import find_nearby
from gossamer.extract.pointer_kernel import MOST_HREFS, MOST_USES
from gossamer.extract.reading_kernel import (
    AROUND,
    IN_TEXT,
    choose,
    gather,
    gather_flags,
    gather_headings,
    gather_words,
)
from gossamer.extract.reference_kernel import (
    DATA,
    RAW_TEXT,
    TAG,
    TRAITS,
    lookup,
)
from gossamer.extract.tag_kernel import (
    PRESENT,
    SPANS,
    after_byte,
    after_comment,
    cdata_end,
    read_tag,
)
from gossamer.extract.tree_kernel import (
    ANCHOR_START,
    EMPHATIC,
    INERT,
    LINK_WIDTH,
    MOST_NODES,
    MOST_OPEN,
    NAMED,
    NEAR_START,
    NODE_WIDTH,
    OTHER,
    STACK_WIDTH,
    USE_WIDTH,
    end_anchor,
    end_use,
    pop_to,
)
from gossamer.extract.writing_kernel import (
    CONTEXT,
    FOREIGN,
    HEADS,
    HREFS,
    IN_XML,
    LINE_WIDTH,
    LINES,
    LINK,
    LINKS,
    NODES,
    OPEN,
    RUNS,
    STATE_SIZE,
    USES,
    VALUES,
    end_line,
    write,
)
from gossamer.kernel import kernel, kernel_part


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
