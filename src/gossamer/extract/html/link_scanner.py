# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR1714, SIM109
"""Kernels: links and the words near them.

Each address is kept once, as written but without its fragment. If some of its links are nofollow, it is kept
twice, so that anchors of nofollow links are not mixed with those of other links.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.head import NO_ENDORSEMENT, rel_of
from gossamer.extract.html.open_elements import ELEMENT, LINK, USE, end_anchor
from gossamer.extract.html.tags import (
    ATTRIBUTE,
    BYTE,
    MODE,
    ONE,
    TABLE,
    copy_bytes,
    copy_value,
    lookup,
    lower,
)
from gossamer.extract.html.text_writer import CONTEXT, LINE, Found, Scanner, has, write
from gossamer.kernels.kernel import kernel, kernel_part, unchecked_part
from gossamer.text.utf8 import UNSPACED, kind_of

# Kernel: words near a link
# -------------------------
#
# A line is a paragraph, a list item or a table cell. Words inside other links count for the distance
# but are not copied, so that links in a menu have no words near them. If several links lead to one
# address, the words near the first link that has any are kept.

REACH = 8  # words on either side
LONGEST_SIDE = 192  # bytes: eight long Cyrillic words; also limits scripts without spaces
SPACE, LINE_FEED = 32, 10


@kernel_part
def _is_character_start(byte: int) -> bool:
    return byte & 0xC0 != 0x80


@kernel_part
def _is_unspaced(text: NDArray[np.uint8], k: int) -> bool:
    """Whether the character at k belongs to a script without spaces."""
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
    """Whether the characters before and at k both belong to scripts without spaces."""
    before = k - 1
    while before > 0 and not _is_character_start(text[before]):
        before -= 1
    return before >= 0 and _is_unspaced(text, before) and _is_unspaced(text, k)


@kernel_part
def _left_edge(text: NDArray[np.uint8], begin: int, start: int) -> int:
    """Return where the words before `start` begin; the line begins at `begin`."""
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
    # Inside a word: only scripts without spaces may be cut between two characters.
    while k < edge and not _is_character_start(text[k]):
        k += 1
    return k if k < edge and _is_unspaced_around(text, k) else edge


@kernel_part
def _right_edge(text: NDArray[np.uint8], start: int, end: int) -> int:
    """Return where the words from `start` on end; the line ends at `end`."""
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


class Nearby(NamedTuple):
    """Source and target of the words near links."""

    text: NDArray[np.uint8]
    uses: NDArray[np.int32]  # of links with a non-empty anchor
    out: NDArray[np.uint8]


@kernel_part
def _copy_words(nearby: Nearby, start: int, end: int, begin: int, p: int) -> int:
    """Copy words with letters or digits to p, separated by spaces; return the end of the copy.

    `begin` is where the words of the same link begin in the output.
    """
    text, out = nearby.text, nearby.out
    k = start
    while k < end:
        while k < end and text[k] == SPACE:
            k += 1
        first = k
        says = False
        while k < end and text[k] != SPACE:
            c = np.int64(text[k])
            # Beyond ASCII, almost all characters up to U+00BF and from U+2000 to U+2FFF are symbols.
            says |= 97 <= (c | 32) <= 122 or 48 <= c <= 57 or (c >= 0xC3 and c != 0xE2)
            k += 1
        if says:
            if p > begin:
                out[p] = SPACE
                p += 1
            p = copy_bytes(text, first, k, out, p)
    return p


@kernel_part
def _copy_between(nearby: Nearby, at: int, edge: int, u: int, v: int, begin: int, p: int) -> int:
    """Copy the words from `at` to `edge`, without the anchors of the uses from u to v."""
    for k in range(u, v):
        p = _copy_words(nearby, at, np.int64(nearby.uses[k, USE.start]), begin, p)
        at = max(at, np.int64(nearby.uses[k, USE.end]))
    return _copy_words(nearby, at, edge, begin, p)


@kernel_part
def _copy_near(nearby: Nearby, begin: int, end: int, start: int, stop: int, u: int, p: int) -> int:
    """Copy the words on both sides of a link, without the anchors of other links; return the end of the copy.

    The link is text[start:stop]. Its line ends at `end`. The copy begins at index p of the output. Before the
    link there are u links with a non-empty anchor.
    """
    text, uses = nearby.text, nearby.uses
    first = p
    at = _left_edge(text, begin, start)
    v = u
    while v > 0 and uses[v - 1, USE.end] > at:
        v -= 1
    p = _copy_between(nearby, at, start, v, u, first, p)
    if stop > start and text[stop - 1] == LINE_FEED:
        return p
    edge = _right_edge(text, stop, end)
    u += stop > start
    v = u
    while v < len(uses) and uses[v, USE.start] < edge:
        v += 1
    return _copy_between(nearby, stop, edge, u, v, first, p)


@kernel
def _with_words(uses: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the uses with a non-empty anchor. Thousands of empty ones may be at one place."""
    kept = np.empty_like(uses)
    n = 0
    for u in range(len(uses)):
        if uses[u, USE.start] < uses[u, USE.end]:
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
    """Return the words near all links; write their begin and end into `links`.

    `uses` are sorted by their place in the text. For a link over several lines, words are taken from the
    first and the last line.
    """
    out = np.empty(len(links) * (2 * LONGEST_SIDE + 1), np.uint8)
    p = np.int64(0)
    line = np.int64(0)
    others = _with_words(uses)
    nearby = Nearby(text, others, out)
    before = np.int64(0)
    for u in range(len(uses)):
        k = np.int64(uses[u, USE.link])
        while before < len(others) and others[before, USE.start] < uses[u, USE.start]:
            before += 1
        if k < 0 or links[k, LINK.near_end] > links[k, LINK.near_start]:
            continue
        start, stop = np.int64(uses[u, USE.start]), np.int64(uses[u, USE.end])
        while line < len(lines) and lines[line, LINE.end] < start:
            line += 1
        if line == len(lines) or not main[line]:
            continue
        last = line
        while last + 1 < len(lines) and lines[last, LINE.end] < stop:
            last += 1
        begin = np.int64(lines[line - 1, LINE.end]) + 1 if line > 0 else np.int64(0)
        end = max(np.int64(lines[last, LINE.end]), stop)
        links[k, LINK.near_start] = p
        p = _copy_near(nearby, begin, end, start, stop, before, p)
        links[k, LINK.near_end] = p
    return out


PRIME = np.uint64(1_099_511_628_211)  # factor of the hash of an address
MOST_HREFS = 20_000  # different addresses of a page; only dumps have more
MOST_USES = 50_000  # links of a page, including repeated ones
LONGEST_HREF = 8_000  # bytes: 2,000 characters


@unchecked_part
def clean_address(hrefs: NDArray[np.uint8], start: int, end: int) -> int:
    """Remove tabs, line ends, surrounding spaces and the fragment from an address; return its new end.

    A URL parser removes the same characters. The bounds are checked once, not for each byte.
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
    """Whether an address is relative or has a scheme that can be fetched."""
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
    return k == end or k == start or lookup(tables, TABLE.scheme, name, k - start, hrefs, start, k) != 0


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
def _record(scanner: Scanner, found: Found, start: int, end: int, nofollow: bool) -> int:
    """Return the number of the record of an address; add one if it is new. -1 if there is no room."""
    state, links, hrefs, seen = scanner.state, scanner.links, found.hrefs, found.seen
    name = np.int64(address_hash(hrefs, start, end))
    mask = len(seen) - 1
    slot = (name ^ (name >> 32)) & mask
    while seen[slot] != 0:
        k = seen[slot] - 1
        before = links[k - 1, LINK.href_end] + 1 if k > 0 else 0
        alike = links[k, LINK.href_hash] == name and links[k, LINK.nofollow] == nofollow
        if alike and same_bytes(hrefs, before, links[k, LINK.href_end], start, end):
            return k
        slot = (slot + 1) & mask
    k = state.links
    if k == len(links):
        return -1
    seen[slot] = k + 1
    for column in range(len(LINK)):
        links[k, column] = 0
    links[k, LINK.href_end] = end
    links[k, LINK.href_hash] = name
    links[k, LINK.nofollow] = nofollow
    hrefs[end] = 10
    state.hrefs = end + 1
    state.links = k + 1
    return k


@kernel_part
def _point(scanner: Scanner, found: Found, attribute: int) -> int:
    """Return the record of a tag's address; -1 if it has none that leads out of the page."""
    state, hrefs, tables = scanner.state, found.hrefs, scanner.writer.tables
    if not has(state, attribute) or state.context & CONTEXT.template:
        return -1
    start = state.hrefs
    i, n = state.spans[2 * attribute], state.spans[2 * attribute + 1]
    end = copy_value(scanner.writer.src, i, n, MODE.value, hrefs, start, tables)
    end = clean_address(hrefs, start, end)
    if end == start or end - start > LONGEST_HREF or not _is_web(hrefs, start, end, tables):
        return -1
    return _record(scanner, found, start, end, rel_of(scanner.writer) & NO_ENDORSEMENT != 0)


@kernel_part
def _use(scanner: Scanner, link: int) -> None:
    """Record where a link begins in the text. Links beyond the limit become parts of the last one."""
    state, uses = scanner.state, scanner.uses
    k = state.uses
    if k < len(uses):
        uses[k, USE.start] = state.pos
        uses[k, USE.end] = state.pos
        uses[k, USE.link] = -1 if state.context & CONTEXT.invisible else link
        state.uses = k + 1


@kernel_part
def open_link(scanner: Scanner, found: Found) -> None:
    """Begin a link. Its anchor is written only if its address has none yet."""
    state, links = scanner.state, scanner.links
    state.in_link = 1
    state.link_words = 0
    k = _point(scanner, found, ATTRIBUTE.href)
    _use(scanner, k)
    if k < 0 or links[k, LINK.anchor_end] > links[k, LINK.anchor_start]:
        return
    if state.outer == 0:
        state.anchor_pending = 0
    state.link = k
    state.link_start = state.anchor_pos
    state.link_depth = state.depth
    state.context &= ~CONTEXT.blind


@kernel_part
def read_pointer(scanner: Scanner, found: Found, code: int) -> None:
    """Read the link of an <area>, <frame> or <iframe>; its anchor is alt or title.

    Frames in <noscript> are skipped: they are trackers.
    """
    state, spans = scanner.state, scanner.state.spans
    if code != ELEMENT.area and state.context & CONTEXT.noscript:
        return
    k = _point(scanner, found, ATTRIBUTE.href if code == ELEMENT.area else ATTRIBUTE.src)
    if k < 0:
        return
    link, start, context = state.link, state.link_start, state.context
    state.anchor_pending = 0
    state.link = k
    state.link_start = state.anchor_pos
    state.context = context & ~CONTEXT.blind | CONTEXT.hidden
    has_alt = has(state, ATTRIBUTE.alt) and spans[2 * ATTRIBUTE.alt] < spans[2 * ATTRIBUTE.alt + 1]
    words = ATTRIBUTE.alt if has_alt else ATTRIBUTE.title
    if has(state, words):
        write(scanner.writer, spans[2 * words], spans[2 * words + 1], MODE.value)
    end_anchor(scanner)
    state.link, state.link_start, state.context = link, start, context
    state.anchor_pending = 1
