# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Kernel: titles, meta and link elements."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.open_elements import BASE, HTML, LINK_TAG, META_TAG, TIME
from gossamer.extract.html.tags import (
    CONTENT,
    DATETIME,
    ESCAPABLE,
    HREF,
    HREFLANG,
    HTTP_EQUIV,
    LANG,
    META,
    NAME,
    PRESENT,
    REL,
    REL_OF,
    TYPE,
    TYPE_OF,
    VALUE,
    XML_LANG,
    copy_value,
    is_space,
    numbers,
    token_value,
)
from gossamer.extract.html.text_writer import CONTEXT, HEADS, IN_NOSCRIPT, IN_TEMPLATE, VALUES
from gossamer.kernels import kernel_part

MOST_HEADS = 1_000  # records a page
HEAD_WIDTH = 5  # kind, where the first value begins and ends, the same of the second

# Kinds; those of <meta> begin with METAS.
KINDS = numbers(0, 9)
TITLE_IS, BASE_IS, LANG_IS, XML_LANG_IS, TIME_IS, CANONICAL_IS, ALTERNATE_IS, FEED_IS, SCRIPT_IS = KINDS
METAS = 16

# What the tokens of rel mean, and types of documents.
NO_ENDORSEMENT, CANONICAL, ALTERNATE = 1, 2, 4
FEED_TYPE, LINKED_DATA = 1, 2


@kernel_part
def rel_of(src: NDArray[np.uint8], spans: NDArray[np.int64], tables: NDArray[np.int64]) -> int:
    """The bits of all tokens of a tag's rel."""
    meaning = 0
    if spans[PRESENT] >> REL_OF & 1:
        i = spans[2 * REL_OF]
        n = spans[2 * REL_OF + 1]
        while i < n:
            end = i
            while end < n and not is_space(src[end]):
                end += 1
            if end > i:
                meaning |= token_value(src, i, end, REL, tables)
            i = end + 1
    return meaning


@kernel_part
def _type_of(src: NDArray[np.uint8], spans: NDArray[np.int64], tables: NDArray[np.int64]) -> int:
    """Look up a tag's type; 0 if it has none, or one that is not known."""
    if spans[PRESENT] >> TYPE_OF & 1:
        return token_value(src, spans[2 * TYPE_OF], spans[2 * TYPE_OF + 1], TYPE, tables)
    return 0


@kernel_part
def _add(
    kind: int,
    attribute: int,
    src: NDArray[np.uint8],
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    heads: NDArray[np.int64],
    values: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> int:
    """Keeps an attribute's value, if the tag has it; returns the number of its record, or -1."""
    k = state[HEADS]
    if not spans[PRESENT] >> attribute & 1 or k == MOST_HEADS:
        return -1
    start = state[VALUES]
    end = copy_value(src, spans[2 * attribute], spans[2 * attribute + 1], VALUE, values, start, tables)
    heads[k, 0] = kind
    heads[k, 1] = start
    heads[k, 2] = end
    heads[k, 3] = end
    heads[k, 4] = end
    state[VALUES] = end
    state[HEADS] = k + 1
    return k


@kernel_part
def add_title(
    src: NDArray[np.uint8],
    i: int,
    n: int,
    state: NDArray[np.int64],
    heads: NDArray[np.int64],
    values: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> None:
    """Keeps the content of a <title>."""
    k = state[HEADS]
    if k == MOST_HEADS or state[CONTEXT] & (IN_TEMPLATE | IN_NOSCRIPT):
        return
    heads[k, 0] = TITLE_IS
    heads[k, 1] = state[VALUES]
    state[VALUES] = copy_value(src, i, n, ESCAPABLE, values, state[VALUES], tables)
    heads[k, 2] = state[VALUES]
    heads[k, 3] = state[VALUES]
    heads[k, 4] = state[VALUES]
    state[HEADS] = k + 1


@kernel_part
def note_script(
    src: NDArray[np.uint8],
    i: int,
    n: int,
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    heads: NDArray[np.int64],
    tables: NDArray[np.int64],
) -> None:
    """Keeps where the content of a script with linked data stands in the source."""
    k = state[HEADS]
    if k < MOST_HEADS and _type_of(src, spans, tables) == LINKED_DATA:
        heads[k, 0] = SCRIPT_IS
        heads[k, 1] = i
        heads[k, 2] = n
        heads[k, 3] = n
        heads[k, 4] = n
        state[HEADS] = k + 1


@kernel_part
def read_head(
    src: NDArray[np.uint8],
    code: int,
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    heads: NDArray[np.int64],
    values: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> None:
    """Keeps what <meta>, <link>, <base>, <time> or <html> says; in <noscript> it is said to others."""
    if state[CONTEXT] & (IN_TEMPLATE | IN_NOSCRIPT):
        return
    if code == META_TAG:
        _read_meta(src, spans, state, heads, values, tables)
    elif code == LINK_TAG:
        _read_link(src, spans, state, heads, values, tables)
    elif code == BASE:
        _add(BASE_IS, HREF, src, spans, state, heads, values, tables)
    elif code == TIME:
        _add(TIME_IS, DATETIME, src, spans, state, heads, values, tables)
    elif code == HTML:
        _add(LANG_IS, LANG, src, spans, state, heads, values, tables)
        _add(XML_LANG_IS, XML_LANG, src, spans, state, heads, values, tables)


@kernel_part
def _read_meta(
    src: NDArray[np.uint8],
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    heads: NDArray[np.int64],
    values: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> None:
    """A <meta> may have several names, each with the same content."""
    first = -1
    for attribute in range(NAME, HTTP_EQUIV + 1):  # name, property, itemprop, http-equiv
        if not spans[PRESENT] >> attribute & 1:
            continue
        kind = token_value(src, spans[2 * attribute], spans[2 * attribute + 1], META, tables)
        if kind == 0:
            continue
        if first < 0:
            first = _add(METAS + kind, CONTENT, src, spans, state, heads, values, tables)
            if first < 0:
                return
        elif state[HEADS] < MOST_HEADS:
            for column in range(1, HEAD_WIDTH):
                heads[state[HEADS], column] = heads[first, column]
            heads[state[HEADS], 0] = METAS + kind
            state[HEADS] += 1


@kernel_part
def _read_link(
    src: NDArray[np.uint8],
    spans: NDArray[np.int64],
    state: NDArray[np.int64],
    heads: NDArray[np.int64],
    values: NDArray[np.uint8],
    tables: NDArray[np.int64],
) -> None:
    """Keep a canonical address, a feed, or a version in another language.

    A tag may be the first and the last of these. Its address is then written once and named by both records:
    `values` has room for every attribute once.
    """
    rel = rel_of(src, spans, tables)
    canonical = np.int64(-1)
    if rel & CANONICAL:
        canonical = _add(CANONICAL_IS, HREF, src, spans, state, heads, values, tables)
    elif rel & ALTERNATE and _type_of(src, spans, tables) == FEED_TYPE:
        _add(FEED_IS, HREF, src, spans, state, heads, values, tables)
        return
    if rel & ALTERNATE and spans[PRESENT] >> HREFLANG & 1:
        k = _add(ALTERNATE_IS, HREFLANG, src, spans, state, heads, values, tables)
        if k < 0:
            return
        if canonical >= 0:
            heads[k, 3] = heads[canonical, 1]
            heads[k, 4] = heads[canonical, 2]
        elif spans[PRESENT] >> HREF & 1:
            heads[k, 3] = state[VALUES]
            heads[k, 4] = copy_value(
                src, spans[2 * HREF], spans[2 * HREF + 1], VALUE, values, state[VALUES], tables
            )
            state[VALUES] = heads[k, 4]
