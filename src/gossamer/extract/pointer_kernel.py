# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR1714, SIM109
"""Which addresses does a document point to?

Each address, as written but for its fragment, once; and once more for links that do not vouch for it, so that
their words are not taken for those of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.head_kernel import NO_ENDORSEMENT, rel_of
from gossamer.extract.reference_kernel import BYTE, ONE, SCHEME, VALUE, copy_value, lookup, lower
from gossamer.extract.tag_kernel import ALT, HREF, PRESENT, SRC, TITLE_TEXT
from gossamer.extract.tree_kernel import (
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
from gossamer.extract.writing_kernel import (
    APENDING,
    APOS,
    BLIND,
    CONTEXT,
    DEPTH,
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
from gossamer.kernel import kernel_part, unchecked_part

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
