# Numba's integers are one kind, mypy's and NumPy's are not; and it makes no sets of constants.
# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR1714
"""Where does a tag, a comment or a script end, and which attributes does a tag have?

The tokenizer of WHATWG HTML, 13.2.5, as far as it matters to readers and crawlers. Nothing is copied: an
attribute is the place of its value in the source.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.extract.reference_kernel import (
    ATTRIBUTE,
    BYTE,
    ONE,
    STYLE,
    is_space,
    lookup,
    lower,
    numbers,
)
from gossamer.kernel import kernel_part, unchecked_part

# Attributes that are read; `spans` holds the place of number k's value at 2k and 2k + 1.
HREF, SRC, REL_OF, ALT, TITLE_TEXT, NAME, PROPERTY, ITEMPROP, HTTP_EQUIV = numbers(1, 9)
CONTENT, LANG, XML_LANG, HREFLANG, TYPE_OF, DATETIME, ROLE_OF, HIDDEN_IS, STYLE_OF, ID = numbers(10, 10)
(CLASS_OF,) = numbers(20, 1)
SPANS = 2 * 21
PRESENT = 0  # in `spans`: a bit for each attribute that the tag has
SELF_CLOSING = 1

HIDES, FONT_SIZE = 1, 2  # what a declaration, or the name of a property, means


@unchecked_part
def find_byte(src: NDArray[np.uint8], i: int, n: int, byte: int) -> int:
    """Find the next such byte from i on: its place, or n if there is none, or i if that is larger.

    The bounds are checked once, not for each byte.
    """
    if i < 0 or n < 0 or n > len(src):
        raise IndexError("a search would leave the document")
    # Unsigned, as Numba looks at every signed index whether it counts from the end.
    k, last = np.uint64(i), np.uint64(n)
    while k < last and src[k] != byte:
        k += ONE
    return np.int64(k)


@unchecked_part
def read_tag(
    src: NDArray[np.uint8], i: int, n: int, spans: NDArray[np.int64], tables: NDArray[np.int64]
) -> tuple[int, int, np.uint64]:
    """Read the tag whose name begins at i: the place behind it, where its name ends, its last bytes, packed.

    A tag that the document's end cuts off is none: its place is 0. The first attribute of a name counts. The
    bounds are checked once: below, every place in the source is compared with n before it is read.
    """
    if i < 0 or n > len(src) or len(spans) < SPANS:
        raise IndexError("a tag would leave the document")
    name = np.uint64(0)
    while i < n:
        c = np.int64(src[i])
        if c == 62 or c == 47 or is_space(c):
            break
        name = name << BYTE | lower(c)
        i += 1
    name_end = i
    present = np.int64(0)
    while True:
        slash = 0
        while i < n and (src[i] == 47 or is_space(src[i])):
            slash = 1 if src[i] == 47 else 0
            i += 1
        if i >= n:
            return 0, 0, name
        if src[i] == 62:
            spans[PRESENT] = present
            spans[SELF_CLOSING] = slash
            return i + 1, name_end, name
        first = i
        attribute = np.uint64(0)
        while i < n:
            c = np.int64(src[i])
            if c == 62 or c == 47 or is_space(c) or (c == 61 and i > first):
                break
            attribute = attribute << BYTE | lower(c)
            i += 1
        last = i
        while i < n and is_space(src[i]):
            i += 1
        begin = end = i
        if i < n and src[i] == 61:
            i += 1
            while i < n and is_space(src[i]):
                i += 1
            if i >= n:
                return 0, 0, name
            c = np.int64(src[i])
            if c == 34 or c == 39:
                i += 1
                begin = i
                i = find_byte(src, i, n, c)
                if i >= n:
                    return 0, 0, name
                end = i
                i += 1
            else:
                begin = i
                while i < n and src[i] != 62 and not is_space(src[i]):
                    i += 1
                end = i
        code = lookup(tables, ATTRIBUTE, attribute, last - first, src, first, last)
        if 0 < code < SPANS // 2 and not present >> code & 1:
            present |= np.int64(1) << code
            spans[2 * code] = begin
            spans[2 * code + 1] = end


@kernel_part
def after_comment(src: NDArray[np.uint8], i: int, n: int) -> int:
    """The place behind the comment whose `<!--` ends at i; the document's end, where it does not end."""
    if i < n and src[i] == 62:
        return i + 1
    if i + 1 < n and src[i] == 45 and src[i + 1] == 62:
        return i + 2
    while i + 2 < n:
        if src[i] == 45 and src[i + 1] == 45:
            if src[i + 2] == 62:
                return i + 3
            if src[i + 2] == 33 and i + 3 < n and src[i + 3] == 62:
                return i + 4
        i += 1
    return n


@kernel_part
def after_byte(src: NDArray[np.uint8], i: int, n: int, byte: int) -> int:
    """The place behind the next such byte, or the document's end."""
    return min(find_byte(src, i, n, byte) + 1, n)


@kernel_part
def cdata_end(src: NDArray[np.uint8], i: int, n: int) -> int:
    """Where the `]]>` of a CDATA section stands that begins at i; the document's end, where there is none."""
    while i < n:
        if src[i] == 93 and i + 2 < n and src[i + 1] == 93 and src[i + 2] == 62:
            return i
        i += 1
    return n


@kernel_part
def stands(src: NDArray[np.uint8], i: int, n: int, word: int, length: int) -> bool:
    """Whether at i stands the tag name that also stands at `word`, in any case, and ends there."""
    if i + length >= n:
        return False
    for k in range(length):
        a = np.int64(src[i + k])
        b = np.int64(src[word + k])
        if a != b and not ((a ^ b) == 32 and 97 <= (a | 32) <= 122):
            return False
    c = np.int64(src[i + length])
    return c == 62 or c == 47 or is_space(c)


@kernel_part
def raw_end(src: NDArray[np.uint8], i: int, n: int, word: int, length: int) -> int:
    """Where the end tag of a raw text element stands whose name also stands at `word`."""
    i = find_byte(src, i, n, 60)
    while i + 1 < n:
        if src[i + 1] == 47 and stands(src, i + 2, n, word, length):
            return i
        i = find_byte(src, i + 1, n, 60)
    return n


@kernel_part
def script_end(src: NDArray[np.uint8], i: int, n: int, word: int, length: int) -> int:
    """Where `</script` ends a script; within `<!--` a nested `<script` must be closed first."""
    escaped = 0  # 1 behind <!--, 2 behind a <script in it
    while i + 1 < n:
        if src[i] == 60:
            if src[i + 1] == 47 and stands(src, i + 2, n, word, length):
                if escaped < 2:
                    return i
                escaped = 1
            elif escaped == 1 and stands(src, i + 1, n, word, length):
                escaped = 2
            elif escaped == 0 and i + 3 < n and src[i + 1] == 33 and src[i + 2] == 45 and src[i + 3] == 45:
                escaped = 1
                i += 1  # the dashes of <!--> also end it
        elif escaped and src[i] == 45 and src[i + 1] == 45 and i + 2 < n and src[i + 2] == 62:
            escaped = 0
        i += 1
    return n


@kernel_part
def hides(src: NDArray[np.uint8], spans: NDArray[np.int64], tables: NDArray[np.int64]) -> bool:
    """Whether an inline style hides its element: by display, visibility, or letters of size 0."""
    i = spans[2 * STYLE_OF]
    n = spans[2 * STYLE_OF + 1]
    while i < n:
        first = i
        declaration = np.uint64(0)
        length = 0
        size = 0  # of a font: 1 before its number, 2 within zeros, 3 in its unit, -1 for another number
        while i < n and src[i] != 59:
            c = np.int64(src[i])
            i += 1
            if is_space(c) or c == 11:
                continue
            c = c + 32 if 65 <= c <= 90 else c
            if size > 0:
                if c == 48 or c == 46:
                    size = 2 if size < 3 else -1
                elif 97 <= c <= 122 or c == 37 or c == 33:
                    size = 3 if size > 1 else -1
                else:
                    size = -1
            elif c == 58 and size == 0:
                meaning = lookup(tables, STYLE, declaration, length, src, first, i - 1)
                size = 1 if meaning == FONT_SIZE else 0
            declaration = declaration << BYTE | np.uint64(c)
            length += 1
        if size > 1 or lookup(tables, STYLE, declaration, length, src, first, i) == HIDES:
            return True
        i += 1
    return False
