# mypy: disable-error-code="arg-type, assignment, no-any-return, return-value"
# ruff: noqa: PLR0912, PLR0915, PLR1714
"""Kernels: tags, attributes, character references.

This module has the parts of the tokenizer of WHATWG HTML, 13.2.5, that matter to readers and crawlers. An
attribute is represented by the place of its value in the source, so nothing is copied.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numpy.typing import NDArray

from gossamer.kernels.kernel import kernel, kernel_part, rare_part, unchecked_part

# Kernel: character references, name hashes
# -----------------------------------------
#
# Each kind of name has its own hash table. All tables are in one array of 64-bit integers, made by
# `extract/html/scan.py`. The key is the length of a name and its last eight bytes, packed into one
# integer while the name is read. Most names are not longer. Longer ones are compared byte by byte, so
# that a crafted name cannot be mistaken for another one.
#
# Character references follow WHATWG HTML, 13.2.5.72 "Character reference state": the longest name
# matches. In an attribute, a name without its semicolon matches only if no letter, digit or `=` follows.


# Unsigned, because overflow of signed integers is undefined in LLVM.
ONE = np.uint64(1)
BYTE = np.uint64(8)  # bits
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: the upper bits of a product depend on all bits
UPPER = np.uint64(40)

# Constants that are arguments of parts are in tuples: Numba would compile a part again for each plain int.

# Kinds of names; each has its own hash table.
Table = namedtuple("Table", "tag attribute role meta rel type style reference parameter prefix scheme hint")
TABLE = Table(*range(12))

# Kinds of text: markup, content with character references (title), raw text (script), attribute value.
Mode = namedtuple("Mode", "data escapable raw value")
MODE = Mode(*range(4))

# Offsets in the table.
KINDS = 0  # of bytes in text
TRAITS = 256  # of elements by code
WINDOWS = 512  # characters for the numbers 128 to 159: windows-1252
DIRECTORY = 544  # for each kind of name: offset of its hash table, and its number of slots less one
NAMES = DIRECTORY + 2 * len(TABLE)  # the hash tables, then the spellings of all names
SLOT_WIDTH = 4  # last eight bytes of a name, its length (0: empty slot), its value, offset of its spelling
PACKED = 8  # bytes of a name in its key
LONGEST_REFERENCE = 31  # CounterClockwiseContourIntegral
LONGEST_BARE = 6  # the longest names that need no semicolon, such as Aacute
REPLACEMENT = 0xFFFD
FIRST_BYTES = (0, 0xC0, 0xE0, 0xF0)  # of characters in UTF-8, by the number of bytes that follow
SEMICOLON = np.uint64(59)


@rare_part
def _is_spelled(
    tables: NDArray[np.int64], word: int, length: int, kind: int, src: NDArray[np.uint8], i: int, n: int
) -> bool:
    """Compare the characters from i to n with the name that is spelled at `word`.

    Only character references are case-sensitive. Whitespace in style declarations is ignored.
    """
    k = np.int64(0)
    for at in range(i, n):
        c = np.int64(src[at])
        if kind == TABLE.style and (is_space(c) or c == 11):
            continue
        if kind != TABLE.reference and 65 <= c <= 90:
            c += 32
        if k == length or c != tables[word + (k >> 3)] >> ((k & 7) << 3) & 255:
            return False
        k += 1
    return k == length


@kernel_part
def lookup(
    tables: NDArray[np.int64],
    kind: int,
    name: np.uint64,
    length: int,
    src: NDArray[np.uint8],
    i: int,
    n: int,
) -> int:
    """Look up the name from i to n, whose last bytes are packed in `name`; 0 if its kind has no such name.

    Open addressing with linear probing.
    """
    first = tables[DIRECTORY + 2 * kind]
    mask = tables[DIRECTORY + 2 * kind + 1]
    slot = np.int64((name + np.uint64(length)) * SPREAD >> UPPER) & mask
    while True:
        at = first + SLOT_WIDTH * slot
        if tables[at + 1] == 0:
            return 0
        if (
            tables[at] == np.int64(name)
            and tables[at + 1] == length
            and (length <= PACKED or _is_spelled(tables, tables[at + 3], length, kind, src, i, n))
        ):
            return tables[at + 2]
        slot = (slot + 1) & mask


@kernel_part
def is_space(c: int) -> bool:
    """Whether a byte is ASCII whitespace of HTML."""
    return c == 32 or (9 <= c <= 13 and c != 11)


@kernel_part
def lower(c: int) -> np.uint64:
    """Convert an ASCII upper-case letter to lower case."""
    return np.uint64(c + 32 if 65 <= c <= 90 else c)


@kernel_part
def token_value(src: NDArray[np.uint8], i: int, n: int, kind: int, tables: NDArray[np.int64]) -> int:
    """Look up the characters from i to n, ignoring case and surrounding whitespace; 0 if unknown."""
    while i < n and is_space(src[i]):
        i += 1
    while n > i and is_space(src[n - 1]):
        n -= 1
    name = np.uint64(0)
    for k in range(i, n):
        name = name << BYTE | lower(src[k])
    return lookup(tables, kind, name, n - i, src, i, n)


@kernel_part
def _numbered(src: NDArray[np.uint8], i: int, n: int, tables: NDArray[np.int64]) -> tuple[int, int]:
    """Read a numeric reference after its `&#`; return its end (0 if it has no digits) and its character."""
    hexadecimal = i < n and (src[i] | 32) == 120
    if hexadecimal:
        i += 1
    first = i
    number = np.int64(0)
    while i < n:
        c = np.int64(src[i])
        if 48 <= c <= 57:
            digit = c - 48
        elif hexadecimal and 97 <= (c | 32) <= 102:
            digit = (c | 32) - 87
        else:
            break
        number = min(number * (16 if hexadecimal else 10) + digit, np.int64(0x110000))
        i += 1
    if i == first:
        return 0, 0
    if i < n and src[i] == 59:
        i += 1
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return i, REPLACEMENT
    if 128 <= number <= 159:
        return i, tables[WINDOWS + number - 128]
    return i, number


@kernel_part
def read_reference(
    src: NDArray[np.uint8], i: int, n: int, mode: int, tables: NDArray[np.int64]
) -> tuple[int, int]:
    """Read the character reference that begins with the `&` at i; return its end and its characters.

    Two characters are packed as first + (second << 21). If there is no reference, the end is i.
    """
    if i + 1 < n and src[i + 1] == 35:
        end, number = _numbered(src, i + 2, n, tables)
        return (end, number) if end else (i, 0)
    name = np.uint64(0)
    bare_end, bare = i, np.int64(0)
    k = i + 1
    last = min(n, i + 1 + LONGEST_REFERENCE)
    while k < last and (48 <= src[k] <= 57 or 97 <= (src[k] | 32) <= 122):
        name = name << BYTE | np.uint64(src[k])
        k += 1
        if k - i - 1 <= LONGEST_BARE:
            found = lookup(tables, TABLE.reference, name, k - i - 1, src, i + 1, k)
            if found:
                bare_end, bare = k, found
    if k < n and src[k] == 59:
        found = lookup(tables, TABLE.reference, name << BYTE | SEMICOLON, k - i, src, i + 1, k + 1)
        if found:
            return k + 1, found
    if mode == MODE.value and bare and bare_end < n:
        c = np.int64(src[bare_end])
        if c == 61 or 48 <= c <= 57 or 97 <= (c | 32) <= 122:
            return i, 0
    return bare_end, bare


@kernel_part
def encode(character: int, out: NDArray[np.uint8], p: int) -> int:
    """Write one character as UTF-8 at p; return the place after it."""
    if character < 0x80:
        out[p] = character
        return p + 1
    more = 1 if character < 0x800 else 2 if character < 0x10000 else 3
    out[p] = FIRST_BYTES[more] | character >> 6 * more
    for k in range(1, more + 1):
        out[p + k] = 0x80 | character >> 6 * (more - k) & 63
    return p + more + 1


@unchecked_part
def copy_bytes(source: NDArray[np.uint8], start: int, end: int, out: NDArray[np.uint8], p: int) -> int:
    """Copy bytes to p; return the place after them. The bounds are checked once, not for each byte."""
    if not (0 <= start <= end <= len(source) and 0 <= p <= len(out) - (end - start)):
        raise IndexError("a copy would leave its buffer")
    # Unsigned, because Numba tests every signed index for being negative.
    first, place = np.uint64(start), np.uint64(p)
    for k in range(np.uint64(end - start)):
        out[place + k] = source[first + k]
    return p + end - start


@kernel
def join_pieces(source: NDArray[np.uint8], places: NDArray[np.int64], column: int) -> NDArray[np.uint8]:
    """Join pieces of the source by line feeds; two columns of `places` hold the begin and end of each."""
    size = 0
    for k in range(len(places)):
        size += places[k, column + 1] - places[k, column] + 1
    out = np.empty(size, np.uint8)
    p = np.int64(0)
    for k in range(len(places)):
        p = copy_bytes(source, places[k, column], places[k, column + 1], out, p)
        out[p] = 10
        p += 1
    return out[: max(p - 1, 0)]


@unchecked_part
def plain_end(src: NDArray[np.uint8], i: int, n: int) -> int:
    """Return the end of a run of characters that are neither `&` nor control characters.

    The bounds are checked once, not for each byte.
    """
    if i < 0 or n < 0 or n > len(src):
        raise IndexError("a value would leave the document")
    k, last = np.uint64(i), np.uint64(n)
    while k < last and src[k] >= 32 and src[k] != 38 and src[k] != 127:
        k += ONE
    return np.int64(k)


@kernel_part
def copy_value(
    src: NDArray[np.uint8],
    i: int,
    n: int,
    mode: int,
    out: NDArray[np.uint8],
    p: int,
    tables: NDArray[np.int64],
) -> int:
    """Copy an attribute's value or a title with resolved references; return the place after it.

    Control characters except whitespace are removed; those written as references become spaces.
    """
    while i < n:
        end = plain_end(src, i, n)
        p = copy_bytes(src, i, end, out, p)
        i = end
        if i == n:
            break
        c = np.int64(src[i])
        if c == 38:
            end, found = read_reference(src, i, n, mode, tables)
            if end > i:
                i = end
                first = found & 0x1FFFFF
                p = encode(32 if first < 32 or 127 <= first < 160 else first, out, p)
                if found >> 21:
                    p = encode(found >> 21, out, p)
                continue
        if c == 38 or 9 <= c <= 13:
            out[p] = c
            p += 1
        i += 1
    return p


# Attributes that are read. The value of attribute k is from spans[2k] to spans[2k + 1].
Attribute = namedtuple(
    "Attribute",
    "href src rel alt title name property itemprop http_equiv content lang xml_lang hreflang type datetime "
    "role hidden style id class_",
)
ATTRIBUTE = Attribute(*range(1, 21))
SPANS = 2 * 21
PRESENT = 0  # index in `spans` of the bits of the attributes that the tag has
SELF_CLOSING = 1
HIDES, FONT_SIZE = 1, 2  # meanings of style declarations and properties


@unchecked_part
def find_byte(src: NDArray[np.uint8], i: int, n: int, byte: int) -> int:
    """Find the next such byte from i on. Return its place, or the larger of n and i if there is none.

    The bounds are checked once, not for each byte.
    """
    if i < 0 or n < 0 or n > len(src):
        raise IndexError("a search would leave the document")
    # Unsigned, because Numba tests every signed index for being negative.
    k, last = np.uint64(i), np.uint64(n)
    while k < last and src[k] != byte:
        k += ONE
    return np.int64(k)


@unchecked_part
def read_tag(
    src: NDArray[np.uint8], i: int, n: int, spans: NDArray[np.int64], tables: NDArray[np.int64]
) -> tuple[int, int, np.uint64]:
    """Read the tag whose name begins at i. Return the place after it, the end and the last bytes of its name.

    The last bytes of the name are packed into an integer. If the document ends inside the tag, the place is
    0. Of repeated attributes, the first is used. The bounds are checked once: below, every place in the
    source is compared with n before it is read.
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
        code = lookup(tables, TABLE.attribute, attribute, last - first, src, first, last)
        if 0 < code < SPANS // 2 and not present >> code & 1:
            present |= np.int64(1) << code
            spans[2 * code] = begin
            spans[2 * code + 1] = end


@kernel_part
def after_comment(src: NDArray[np.uint8], i: int, n: int) -> int:
    """Return the place after the comment whose `<!--` ends at i; n if it does not end."""
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
    """Return the place after the next such byte, or n."""
    return min(find_byte(src, i, n, byte) + 1, n)


@kernel_part
def cdata_end(src: NDArray[np.uint8], i: int, n: int) -> int:
    """Return the place of the `]]>` of the CDATA section that begins at i; n if there is none."""
    while i < n:
        if src[i] == 93 and i + 2 < n and src[i + 1] == 93 and src[i + 2] == 62:
            return i
        i += 1
    return n


@kernel_part
def stands(src: NDArray[np.uint8], i: int, n: int, word: int, length: int) -> bool:
    """Whether the complete tag name at i equals the one at `word`, ignoring case."""
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
    """Return the place of the end tag of a raw text element, whose name is at `word`; n if there is none."""
    i = find_byte(src, i, n, 60)
    while i + 1 < n:
        if src[i + 1] == 47 and stands(src, i + 2, n, word, length):
            return i
        i = find_byte(src, i + 1, n, 60)
    return n


@kernel_part
def script_end(src: NDArray[np.uint8], i: int, n: int, word: int, length: int) -> int:
    """Return the place of the `</script` that ends a script. In a comment, `<script` may be nested."""
    escaped = 0  # 1 after <!--, 2 after a <script in it
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
                i += 1  # <!--> is a complete comment
        elif escaped and src[i] == 45 and src[i + 1] == 45 and i + 2 < n and src[i + 2] == 62:
            escaped = 0
        i += 1
    return n


@kernel_part
def hides(src: NDArray[np.uint8], spans: NDArray[np.int64], tables: NDArray[np.int64]) -> bool:
    """Whether an inline style hides its element: by display, visibility, or a font size of 0."""
    i = spans[2 * ATTRIBUTE.style]
    n = spans[2 * ATTRIBUTE.style + 1]
    while i < n:
        first = i
        declaration = np.uint64(0)
        length = 0
        size = 0  # of a font: 1 before its number, 2 in zeros, 3 in its unit, -1 for another number
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
                meaning = lookup(tables, TABLE.style, declaration, length, src, first, i - 1)
                size = 1 if meaning == FONT_SIZE else 0
            declaration = declaration << BYTE | np.uint64(c)
            length += 1
        if size > 1 or lookup(tables, TABLE.style, declaration, length, src, first, i) == HIDES:
            return True
        i += 1
    return False
