# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR1714, SIM109
"""Kernels: links and the words near them.

Each address, as written but for its fragment, once; and once more for links that do not vouch for it, so that
their words are not taken for those of the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.head import NO_ENDORSEMENT, rel_of
from gossamer.extract.html.open_elements import (
    ANCHOR_END,
    ANCHOR_START,
    AREA,
    HREF_END,
    HREF_HASH,
    NEAR_END,
    NEAR_START,
    NOFOLLOW,
    USE_END,
    USE_OF,
    USE_START,
    end_anchor,
)
from gossamer.extract.html.tags import (
    ALT,
    BYTE,
    HREF,
    ONE,
    PRESENT,
    SCHEME,
    SRC,
    TITLE_TEXT,
    VALUE,
    copy_value,
    lookup,
    lower,
)
from gossamer.extract.html.text_writer import (
    APENDING,
    APOS,
    BLIND,
    CONTEXT,
    DEPTH,
    END,
    HIDDEN_HERE,
    HREFS,
    IN_LINK,
    IN_NOSCRIPT,
    IN_TEMPLATE,
    INVISIBLE,
    LINK,
    LINK_DEPTH,
    LINK_START,
    LINK_WORDS,
    LINKS,
    OUTER,
    POS,
    USES,
    write,
)
from gossamer.kernels import kernel, kernel_part, unchecked_part
from gossamer.text.utf8 import UNSPACED, kind_of

# Kernel: words near a link
# -------------------------
#
# A line is a paragraph, an item of a list, a cell of a table. Words inside other links count as
# distance and are left out: so a menu has no words near its links. Of the links to one address the
# first counts that has any.

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


PRIME = np.uint64(1_099_511_628_211)  # of the hash of an address
MOST_HREFS = 20_000  # different addresses a page, as written; more is a dump
MOST_USES = 50_000  # links a page, as often as they stand there
LONGEST_HREF = 8_000  # bytes: 2,000 characters


@unchecked_part
def clean_address(hrefs: NDArray[np.uint8], start: int, end: int) -> int:
    """Take out what a URL parser would: tabs, line ends, spaces around it; and the fragment. Its new end.

    The bounds are checked once, not for each byte.
    """
    if not 0 <= start <= end <= len(hrefs):
        raise IndexError("an address would leave its buffer")
    p = start
    for k in range(start, end):
        c = np.int64(hrefs[k])
        if c == 35:
            break
        if c == 9 or c == 10 or c == 13 or (p == start and c <= 32):
            continue
        hrefs[p] = c
        p += 1
    while p > start and hrefs[p - 1] <= 32:
        p -= 1
    return p


@kernel_part
def _is_web(hrefs: NDArray[np.uint8], start: int, end: int, tables: NDArray[np.int64]) -> bool:
    """Whether an address is relative, or of a scheme that can be asked for."""
    name = np.uint64(0)
    k = start
    while k < end:
        c = np.int64(hrefs[k])
        if c == 58:
            break
        if not (97 <= (c | 32) <= 122 or (k > start and (48 <= c <= 57 or c == 43 or c == 45 or c == 46))):
            return True
        name = name << BYTE | lower(c)
        k += 1
    return k == end or k == start or lookup(tables, SCHEME, name, k - start, hrefs, start, k) != 0


@unchecked_part
def address_hash(hrefs: NDArray[np.uint8], start: int, end: int) -> np.uint64:
    """Hash an address. The bounds are checked once, not for each byte."""
    if not 0 <= start <= end <= len(hrefs):
        raise IndexError("an address would leave its buffer")
    mixed = np.uint64(0)
    for k in range(np.uint64(start), np.uint64(end)):
        mixed = mixed * PRIME + np.uint64(hrefs[k])
    return mixed


@unchecked_part
def same_bytes(hrefs: NDArray[np.uint8], start: int, end: int, other: int, other_end: int) -> bool:
    """Compare two addresses. The bounds are checked once, not for each byte."""
    if not (0 <= start <= end <= len(hrefs) and 0 <= other <= other_end <= len(hrefs)):
        raise IndexError("an address would leave its buffer")
    if end - start != other_end - other:
        return False
    k, last, ahead = np.uint64(start), np.uint64(end), np.uint64(other - start)
    while k < last and hrefs[k] == hrefs[k + ahead]:
        k += ONE
    return k == last


@kernel_part
def _record(
    start: int,
    end: int,
    nofollow: bool,
    state: NDArray[np.int64],
    links: NDArray[np.int64],
    hrefs: NDArray[np.uint8],
    seen: NDArray[np.int32],
) -> int:
    """The number of the record for the address between start and end, which is made if it is new; or -1."""
    name = np.int64(address_hash(hrefs, start, end))
    mask = len(seen) - 1
    slot = (name ^ (name >> 32)) & mask
    while seen[slot] != 0:
        k = seen[slot] - 1
        before = links[k - 1, HREF_END] + 1 if k > 0 else 0
        alike = links[k, HREF_HASH] == name and links[k, NOFOLLOW] == nofollow
        if alike and same_bytes(hrefs, before, links[k, HREF_END], start, end):
            return k
        slot = (slot + 1) & mask
    k = state[LINKS]
    if k == len(links):
        return -1
    seen[slot] = k + 1
    links[k, HREF_END] = end
    links[k, HREF_HASH] = name
    links[k, ANCHOR_START] = 0
    links[k, ANCHOR_END] = 0
    links[k, NOFOLLOW] = nofollow
    links[k, NEAR_START] = 0
    links[k, NEAR_END] = 0
    hrefs[end] = 10
    state[HREFS] = end + 1
    state[LINKS] = k + 1
    return k


@kernel_part
def _point(
    src: NDArray[np.uint8],
    attribute: int,
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    links: NDArray[np.int64],
    hrefs: NDArray[np.uint8],
    seen: NDArray[np.int32],
    tables: NDArray[np.int64],
) -> int:
    """The record of a tag's address, or -1 where it has none that leads out of the page."""
    if not spans[PRESENT] >> attribute & 1 or state[CONTEXT] & IN_TEMPLATE:
        return -1
    start = state[HREFS]
    end = copy_value(src, spans[2 * attribute], spans[2 * attribute + 1], VALUE, hrefs, start, tables)
    end = clean_address(hrefs, start, end)
    if end == start or end - start > LONGEST_HREF or not _is_web(hrefs, start, end, tables):
        return -1
    nofollow = rel_of(src, spans, tables) & NO_ENDORSEMENT != 0
    return _record(start, end, nofollow, state, links, hrefs, seen)


@kernel_part
def _use(link: int, state: NDArray[np.int64], uses: NDArray[np.int32]) -> None:
    """Notes where a link begins in the text; those for which there is no room are parts of the last one."""
    k = state[USES]
    if k < len(uses):
        uses[k, USE_START] = state[POS]
        uses[k, USE_END] = state[POS]
        uses[k, USE_OF] = -1 if state[CONTEXT] & INVISIBLE else link
        state[USES] = k + 1


@kernel_part
def open_link(
    src: NDArray[np.uint8],
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    links: NDArray[np.int64],
    uses: NDArray[np.int32],
    hrefs: NDArray[np.uint8],
    seen: NDArray[np.int32],
    tables: NDArray[np.int64],
) -> None:
    """A link begins; its anchor is written only where none is known for its address yet."""
    state[IN_LINK] = 1
    state[LINK_WORDS] = 0
    k = _point(src, HREF, spans, state, links, hrefs, seen, tables)
    _use(k, state, uses)
    if k < 0 or links[k, ANCHOR_END] > links[k, ANCHOR_START]:
        return
    if state[OUTER] == 0:
        state[APENDING] = 0
    state[LINK] = k
    state[LINK_START] = state[APOS]
    state[LINK_DEPTH] = state[DEPTH]
    state[CONTEXT] &= ~BLIND


@kernel_part
def read_pointer(
    src: NDArray[np.uint8],
    code: int,
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    links: NDArray[np.int64],
    hrefs: NDArray[np.uint8],
    anchors: NDArray[np.uint8],
    seen: NDArray[np.int32],
    text: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> None:
    """An <area>, <frame> or <iframe>: its words are alt or title. In <noscript> frames count visitors."""
    if code != AREA and state[CONTEXT] & IN_NOSCRIPT:
        return
    k = _point(src, HREF if code == AREA else SRC, spans, state, links, hrefs, seen, tables)
    if k < 0:
        return
    link, start, context = state[LINK], state[LINK_START], state[CONTEXT]
    state[APENDING] = 0
    state[LINK] = k
    state[LINK_START] = state[APOS]
    state[CONTEXT] = context & ~BLIND | HIDDEN_HERE
    words = ALT if spans[PRESENT] >> ALT & 1 and spans[2 * ALT] < spans[2 * ALT + 1] else TITLE_TEXT
    if spans[PRESENT] >> words & 1:
        write(src, spans[2 * words], spans[2 * words + 1], VALUE, state, text, anchors, tables)
    end_anchor(state, links, anchors)
    state[LINK], state[LINK_START], state[CONTEXT] = link, start, context
    state[APENDING] = 1
