# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
"""Kernel: titles, meta and link elements."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.html.open_elements import ELEMENT
from gossamer.extract.html.tags import ATTRIBUTE, MODE, TABLE, copy_value, is_space, token_value
from gossamer.extract.html.text_writer import CONTEXT, Found, Writer, has
from gossamer.kernels.kernel import kernel_part

MOST_HEADS = 1_000  # records a page
HEAD_WIDTH = 5  # kind, begin and end of the first value, begin and end of the second

# Kinds of records; kinds of <meta> begin at METAS.
Head = namedtuple("Head", "title base lang xml_lang time canonical alternate feed script")
HEAD = Head(*range(9))
METAS = 16

# Meanings of rel tokens, and types of linked documents and scripts.
NO_ENDORSEMENT, CANONICAL, ALTERNATE = 1, 2, 4
FEED_TYPE, LINKED_DATA = 1, 2


@kernel_part
def meaning_of(writer: Writer, attribute: int, table: int) -> int:
    """Look up the value of a tag's attribute; 0 if the tag does not have it, or the value is unknown."""
    spans = writer.state.spans
    if not has(writer.state, attribute):
        return 0
    return token_value(writer.src, spans[2 * attribute], spans[2 * attribute + 1], table, writer.tables)


@kernel_part
def rel_of(writer: Writer) -> int:
    """Return the bits of all tokens in the rel of a tag."""
    src, spans = writer.src, writer.state.spans
    meaning = 0
    if has(writer.state, ATTRIBUTE.rel):
        i = spans[2 * ATTRIBUTE.rel]
        n = spans[2 * ATTRIBUTE.rel + 1]
        while i < n:
            end = i
            while end < n and not is_space(src[end]):
                end += 1
            if end > i:
                meaning |= token_value(src, i, end, TABLE.rel, writer.tables)
            i = end + 1
    return meaning


@kernel_part
def _keep(state: Any, heads: NDArray[np.int64], kind: int, start: int, end: int) -> int:
    """Add a record with the first value from start to end and an empty second value; return its number."""
    k = state.heads
    heads[k, 0] = kind
    heads[k, 1] = start
    for column in range(2, HEAD_WIDTH):
        heads[k, column] = end
    state.heads = k + 1
    return k


@kernel_part
def _copy(writer: Writer, values: NDArray[np.uint8], i: int, n: int, mode: int) -> int:
    """Copy the source from i to n to the values; return the end of the copy."""
    state = writer.state
    state.values = copy_value(writer.src, i, n, mode, values, state.values, writer.tables)
    return state.values


@kernel_part
def _add(writer: Writer, found: Found, kind: int, attribute: int) -> int:
    """Add a record with the value of an attribute, if the tag has it; return its number, or -1."""
    state, spans = writer.state, writer.state.spans
    if not has(state, attribute) or state.heads == MOST_HEADS:
        return -1
    start = state.values
    end = _copy(writer, found.values, spans[2 * attribute], spans[2 * attribute + 1], MODE.value)
    return _keep(state, found.heads, kind, start, end)


@kernel_part
def add_title(writer: Writer, found: Found, i: int, n: int) -> None:
    """Add a record with the content of a <title>."""
    state = writer.state
    if state.heads < MOST_HEADS and not state.context & (CONTEXT.template | CONTEXT.noscript):
        start = state.values
        end = _copy(writer, found.values, i, n, MODE.escapable)
        _keep(state, found.heads, HEAD.title, start, end)


@kernel_part
def note_script(writer: Writer, heads: NDArray[np.int64], i: int, n: int) -> None:
    """Add a record with the place of a linked-data script in the source."""
    state = writer.state
    if state.heads < MOST_HEADS and meaning_of(writer, ATTRIBUTE.type, TABLE.type) == LINKED_DATA:
        _keep(state, heads, HEAD.script, i, n)


@kernel_part
def read_head(writer: Writer, found: Found, code: int) -> None:
    """Add records for <meta>, <link>, <base>, <time> or <html>, unless inside <template> or <noscript>."""
    if writer.state.context & (CONTEXT.template | CONTEXT.noscript):
        return
    if code == ELEMENT.meta:
        _read_meta(writer, found)
    elif code == ELEMENT.link:
        _read_link(writer, found)
    elif code == ELEMENT.base:
        _add(writer, found, HEAD.base, ATTRIBUTE.href)
    elif code == ELEMENT.time:
        _add(writer, found, HEAD.time, ATTRIBUTE.datetime)
    elif code == ELEMENT.html:
        _add(writer, found, HEAD.lang, ATTRIBUTE.lang)
        _add(writer, found, HEAD.xml_lang, ATTRIBUTE.xml_lang)


@kernel_part
def _read_meta(writer: Writer, found: Found) -> None:
    """Add a record for each name of a <meta>; they share the content."""
    heads = found.heads
    first = -1
    for attribute in range(ATTRIBUTE.name, ATTRIBUTE.http_equiv + 1):  # name, property, itemprop, http-equiv
        kind = meaning_of(writer, attribute, TABLE.meta)
        if kind == 0:
            continue
        if first < 0:
            first = _add(writer, found, METAS + kind, ATTRIBUTE.content)
            if first < 0:
                return
        elif writer.state.heads < MOST_HEADS:
            _keep(writer.state, heads, METAS + kind, heads[first, 1], heads[first, 2])


@kernel_part
def _read_link(writer: Writer, found: Found) -> None:
    """Add a record for a canonical URL, a feed, or a version in another language.

    A tag may be both canonical and a version in another language. Then both records share one copy of its
    address, because `values` has room for every attribute only once.
    """
    state, spans, heads = writer.state, writer.state.spans, found.heads
    rel = rel_of(writer)
    canonical = np.int64(-1)
    if rel & CANONICAL:
        canonical = _add(writer, found, HEAD.canonical, ATTRIBUTE.href)
    elif rel & ALTERNATE and meaning_of(writer, ATTRIBUTE.type, TABLE.type) == FEED_TYPE:
        _add(writer, found, HEAD.feed, ATTRIBUTE.href)
        return
    if rel & ALTERNATE and has(state, ATTRIBUTE.hreflang):
        k = _add(writer, found, HEAD.alternate, ATTRIBUTE.hreflang)
        if k < 0:
            return
        if canonical >= 0:
            heads[k, 3] = heads[canonical, 1]
            heads[k, 4] = heads[canonical, 2]
        elif has(state, ATTRIBUTE.href):
            heads[k, 3] = state.values
            i, n = spans[2 * ATTRIBUTE.href], spans[2 * ATTRIBUTE.href + 1]
            heads[k, 4] = _copy(writer, found.values, i, n, MODE.value)
